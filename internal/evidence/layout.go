package evidence

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// damage is a place where the file is not as this package writes it.
type damage struct{ part, text string }

// accounts returns the parts as the directory at the end lists them and as
// the headers in front of each tell. In a file that was not changed both say
// the same, and one account is returned; else the caller finds out which of
// them contradicts the rest of the file less.
func accounts(r io.ReaderAt, size int64) ([][]entry, *damage) {
	if size < int64(endSize+sealSize) {
		return nil, &damage{"file", "too short for an evidence file; it was cut"}
	}
	if size > maxFile {
		return nil, &damage{"file", "larger than this format allows"}
	}
	walked, walkErr := walk(r, size)
	listed, listErr := list(r, size)
	switch {
	case listErr == nil && (walkErr != nil || slices.Equal(walked, listed)):
		return [][]entry{listed}, nil
	case listErr == nil:
		return [][]entry{listed, walked}, nil
	case len(walked) > 0:
		return [][]entry{walked}, nil
	}
	return nil, &damage{"directory", listErr.Error()}
}

// layout finds every byte outside the parts' contents that is not as it must
// be if these are the parts.
func layout(r io.ReaderAt, size int64, entries []entry) (found []damage) {
	// Every header must be as its entry says.
	next := int64(0)
	for _, e := range entries {
		if int64(e.offset) != next {
			found = append(found, damage{"directory", fmt.Sprintf("%s is not where it should be", e.name)})
			return found
		}
		want := e.local()
		if got := readAt(r, next, len(want)); !bytes.Equal(got, want) {
			found = append(found, damage{"header of " + e.name, "was changed"})
		}
		next += int64(len(want)) + int64(e.size)
	}
	var dir bytes.Buffer
	for _, e := range entries {
		dir.Write(e.central())
	}
	if got := readAt(r, next, dir.Len()); !bytes.Equal(got, dir.Bytes()) {
		found = append(found, damage{"directory", "was changed"})
	}
	next += int64(dir.Len())
	want := end(len(entries), uint32(dir.Len()), uint32(next)-uint32(dir.Len()), sealSize)
	if got := readAt(r, next, endSize); !bytes.Equal(got, want) {
		found = append(found, damage{"end record", "was changed"})
	}
	if next+endSize+int64(sealSize) != size {
		found = append(found, damage{"file", "has bytes that belong to no part, or lacks some"})
	}
	return found
}

func readAt(r io.ReaderAt, at int64, n int) []byte {
	b := make([]byte, n)
	if m, err := r.ReadAt(b, at); m < n && err != nil {
		return b[:m]
	}
	return b
}

// walk reads the headers from the beginning, up to the directory.
func walk(r io.ReaderAt, size int64) (entries []entry, err error) {
	le := binary.LittleEndian
	for at := int64(0); at+localSize <= size && len(entries) <= maxParts; {
		h := readAt(r, at, localSize)
		if len(h) < localSize {
			break
		}
		switch le.Uint32(h) {
		case centralMagic:
			return entries, nil
		case localMagic:
		default:
			return entries, fmt.Errorf("no header at byte %d", at)
		}
		e := entry{crc: le.Uint32(h[14:]), size: le.Uint32(h[18:]), offset: uint32(at)}
		e.name = string(readAt(r, at+localSize, int(le.Uint16(h[26:]))))
		if !goodName(e.name) {
			return entries, fmt.Errorf("the header at byte %d has no proper name", at)
		}
		entries = append(entries, e)
		at += localSize + int64(len(e.name)) + int64(e.size)
	}
	return entries, fmt.Errorf("the directory was not found")
}

// list reads the directory at the end.
func list(r io.ReaderAt, size int64) ([]entry, error) {
	le := binary.LittleEndian
	endAt := size - int64(sealSize) - endSize
	b := readAt(r, endAt, endSize)
	if len(b) < endSize || le.Uint32(b) != endMagic {
		return nil, fmt.Errorf("the end record was changed")
	}
	start, length := int64(le.Uint32(b[16:])), int64(le.Uint32(b[12:]))
	if start+length != endAt || length > maxParts*(centralSize+200) {
		return nil, fmt.Errorf("the end record was changed")
	}
	dir := readAt(r, start, int(length))
	var entries []entry
	next := int64(0)
	for len(dir) >= centralSize {
		if le.Uint32(dir) != centralMagic {
			return nil, fmt.Errorf("the directory was changed")
		}
		n := int(le.Uint16(dir[28:]))
		if len(dir) < centralSize+n {
			return nil, fmt.Errorf("the directory was changed")
		}
		e := entry{name: string(dir[centralSize : centralSize+n]), crc: le.Uint32(dir[16:]), size: le.Uint32(dir[20:]), offset: le.Uint32(dir[42:])}
		if !goodName(e.name) || int64(e.offset) != next || !bytes.Equal(e.central(), dir[:centralSize+n]) {
			return nil, fmt.Errorf("the directory was changed at %s", clean(e.name))
		}
		next += localSize + int64(n) + int64(e.size)
		entries = append(entries, e)
		dir = dir[centralSize+n:]
	}
	if len(dir) != 0 || next != start {
		return nil, fmt.Errorf("the directory was changed")
	}
	return entries, nil
}

// clean keeps a damaged name out of messages.
func clean(name string) string {
	if goodName(name) {
		return name
	}
	return "a damaged name"
}

// content is where the bytes of a part lie.
func (e entry) content(r io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(r, int64(e.offset)+localSize+int64(len(e.name)), int64(e.size))
}

func (e entry) crcFits(r io.ReaderAt) bool {
	h := crc32.NewIEEE()
	n, err := io.Copy(h, e.content(r))
	return err == nil && n == int64(e.size) && h.Sum32() == e.crc
}
