package evidence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"
	"strings"
)

// The zip records that are used: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12
// and 4.3.16.
const (
	localSize     = 30
	centralSize   = 46
	endSize       = 22
	localMagic    = 0x04034b50
	centralMagic  = 0x02014b50
	endMagic      = 0x06054b50
	zipVersion    = 20     // 2.0: folders, no zip64
	zipUTF8       = 0x0800 // names are UTF-8; ours are ASCII, which is both
	zipDate       = 0x0021 // 1980-01-01, the zero of the format
	maxFile       = 1<<32 - 1
	maxParts      = 10_000 // a check has a few hundred pictures
	externalFile  = 0o100644 << 16
	createdOnUnix = 3 << 8
)

// nameShape is what a part may be called: relative, plain ASCII, so that it
// unpacks into its own folder on every system.
var nameShape = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,3}$`)

func goodName(name string) bool { return len(name) <= 200 && nameShape.MatchString(name) }

// entry is one part of the zip.
type entry struct {
	name   string
	crc    uint32
	size   uint32
	offset uint32 // of its local header
}

func (e entry) local() []byte {
	b := make([]byte, localSize, localSize+len(e.name))
	le := binary.LittleEndian
	le.PutUint32(b[0:], localMagic)
	le.PutUint16(b[4:], zipVersion)
	le.PutUint16(b[6:], zipUTF8)
	le.PutUint16(b[12:], zipDate)
	le.PutUint32(b[14:], e.crc)
	le.PutUint32(b[18:], e.size)
	le.PutUint32(b[22:], e.size)
	le.PutUint16(b[26:], uint16(len(e.name)))
	return append(b, e.name...)
}

func (e entry) central() []byte {
	b := make([]byte, centralSize, centralSize+len(e.name))
	le := binary.LittleEndian
	le.PutUint32(b[0:], centralMagic)
	le.PutUint16(b[4:], zipVersion|createdOnUnix)
	le.PutUint16(b[6:], zipVersion)
	le.PutUint16(b[8:], zipUTF8)
	le.PutUint16(b[14:], zipDate)
	le.PutUint32(b[16:], e.crc)
	le.PutUint32(b[20:], e.size)
	le.PutUint32(b[24:], e.size)
	le.PutUint16(b[28:], uint16(len(e.name)))
	le.PutUint32(b[38:], externalFile)
	le.PutUint32(b[42:], e.offset)
	return append(b, e.name...)
}

// end is the record at the end of the zip, up to its comment.
func end(n int, size, offset uint32, comment int) []byte {
	b := make([]byte, endSize)
	le := binary.LittleEndian
	le.PutUint32(b[0:], endMagic)
	le.PutUint16(b[8:], uint16(n))
	le.PutUint16(b[10:], uint16(n))
	le.PutUint32(b[12:], size)
	le.PutUint32(b[16:], offset)
	le.PutUint16(b[20:], uint16(comment))
	return b
}

var errTooLarge = errors.New("evidence: more than 4 GB, which this format does not hold; export fewer pictures")

// zipWriter writes the one form of zip that Verify takes.
type zipWriter struct {
	w       io.Writer
	written int64
	entries []entry
}

func (z *zipWriter) write(b []byte) error {
	n, err := z.w.Write(b)
	z.written += int64(n)
	return err
}

// add writes a part whose size and checksum are known beforehand; content
// that turns out otherwise is an error.
func (z *zipWriter) add(name string, size int64, crc uint32, content io.Reader) error {
	if !goodName(name) {
		return fmt.Errorf("evidence: %q cannot be the name of a part", name)
	}
	for _, e := range z.entries {
		if strings.EqualFold(e.name, name) {
			return fmt.Errorf("evidence: two parts are called %s", name)
		}
	}
	if len(z.entries) == maxParts {
		return fmt.Errorf("evidence: more than %d parts", maxParts)
	}
	if z.written+size+localSize+int64(len(name)) > maxFile {
		return errTooLarge
	}
	e := entry{name: name, crc: crc, size: uint32(size), offset: uint32(z.written)}
	if err := z.write(e.local()); err != nil {
		return err
	}
	h := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(z.w, h), io.LimitReader(content, size+1))
	z.written += n
	if err != nil {
		return err
	}
	if n != size || h.Sum32() != crc {
		return fmt.Errorf("evidence: %s changed while it was written", name)
	}
	z.entries = append(z.entries, e)
	return nil
}

// close writes the directory and the end record for a comment of this length,
// which the caller writes.
func (z *zipWriter) close(comment int) error {
	start := z.written
	for _, e := range z.entries {
		if err := z.write(e.central()); err != nil {
			return err
		}
	}
	if z.written+endSize+int64(comment) > maxFile {
		return errTooLarge
	}
	return z.write(end(len(z.entries), uint32(z.written-start), uint32(start), comment))
}
