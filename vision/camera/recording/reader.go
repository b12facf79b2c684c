package recording

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"fairdeck/vision/camera"
)

// Record is one record of a recording: exactly one of the fields is set.
type Record struct {
	// Frame has its Encoded picture; its Image is nil until [Decode].
	Frame *camera.Frame
	Event *Event
	End   *End
}

// Report says what was read of a recording so far.
type Report struct {
	Frames, Events int

	// End is the end record; nil where the recording was cut off, or is still
	// being made.
	End *End

	// Damaged counts records that are known to have been there and cannot be
	// read; DamagedBytes counts the bytes that are no records.
	Damaged      int
	DamagedBytes int64

	// TailBytes are what follows the last whole record of a recording that was
	// cut off.
	TailBytes int64

	// SHA256 is of all records that were read before the end, heads and
	// bodies; equal to End.SHA256 in a recording that is whole.
	SHA256 string
}

// Whole reports whether the recording is as it was closed.
func (r Report) Whole() bool {
	return r.End != nil && r.Damaged == 0 && r.DamagedBytes == 0 && r.SHA256 == r.End.SHA256
}

// Reader reads a recording from its beginning. It may be used while the
// recording is made and then reads what is there. One goroutine calls Read.
type Reader struct {
	dir    string
	root   *os.Root
	header *Header
	id     [idBytes]byte
	segs   []int // numbers, ascending

	cur    *os.File
	buf    *bufio.Reader
	size   int64 // of cur when it was last asked
	at     int64 // place of buf in cur
	next   uint64
	last   int   // index of the last frame; -1: none yet
	junk   int64 // bytes since the last whole record
	digest hash.Hash
	report Report
	done   bool
}

// Is reports whether a path is the folder of a recording, whole or not.
func Is(path string) bool {
	data, err := readHeader(path)
	if err != nil {
		return false
	}
	var only struct {
		Schema string `json:"schema"`
	}
	return json.Unmarshal(data, &only) == nil && len(only.Schema) > 10 && only.Schema[:10] == "recording/"
}

// ReadHeader reads what a recording says of itself. Errors are *camera.Error.
func ReadHeader(dir string) (*Header, error) {
	data, err := readHeader(dir)
	if err != nil {
		return nil, readError(dir, err)
	}
	h, err := decodeHeader(data)
	var newer *newerError
	if err != nil && !errors.As(err, &newer) && !errors.Is(err, errNoRecording) {
		return nil, damagedf(filepath.Join(dir, headerName), "the header cannot be understood: %v", err)
	}
	if err != nil {
		return nil, readError(dir, err)
	}
	return h, nil
}

func readHeader(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := openIn(root, headerName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxHeaderBytes+1))
	if err == nil && len(data) > MaxHeaderBytes {
		err = damagedf(filepath.Join(dir, headerName), "the header has more than %d MB", MaxHeaderBytes>>20)
	}
	return data, err
}

var errNotRegular = errors.New("not a regular file")

// openIn opens a regular file of a folder, and never one outside of it: a
// link or a pipe in a recording from elsewhere leads nowhere.
func openIn(root *os.Root, name string) (*os.File, int64, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

var segmentPattern = regexp.MustCompile(`^frames-(\d{6})\.fdr$`)

// Open opens a recording. Errors are *camera.Error.
func Open(dir string) (*Reader, error) {
	h, err := ReadHeader(dir)
	if err != nil {
		return nil, err
	}
	id, err := h.id()
	if err != nil {
		return nil, damagedf(dir, "%v", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, readError(dir, err)
	}
	r := &Reader{dir: dir, root: root, header: h, id: id, digest: sha256.New(), last: -1}
	if err := r.list(); err != nil {
		return nil, errors.Join(readError(dir, err), root.Close())
	}
	return r, nil
}

// list finds the segments.
func (r *Reader) list() error {
	d, err := r.root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		// In portions: a folder of a million names is not read into memory.
		names, err := d.Readdirnames(1000)
		for _, name := range names {
			if m := segmentPattern.FindStringSubmatch(name); m != nil && len(r.segs) < maxSegments {
				n, _ := strconv.Atoi(m[1]) // six digits
				r.segs = append(r.segs, n)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(r.segs)
	return nil
}

// Header says what the recording is.
func (r *Reader) Header() *Header { return r.header }

// Report says what was read so far.
func (r *Reader) Report() Report {
	out := r.report
	out.SHA256 = hex.EncodeToString(r.digest.Sum(nil))
	return out
}

// Close lets go of the files.
func (r *Reader) Close() error {
	err := r.root.Close()
	if r.cur != nil {
		err = errors.Join(err, r.cur.Close())
		r.cur = nil
	}
	return err
}

// Read returns the next record, io.EOF after the last whole one. Damaged
// records are passed over and counted.
func (r *Reader) Read(ctx context.Context) (*Record, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.done {
			return nil, io.EOF
		}
		if r.cur == nil {
			if len(r.segs) == 0 {
				r.finish()
				continue
			}
			if err := r.open(r.segs[0]); err != nil {
				return nil, err
			}
			continue
		}
		h, body, err := r.record()
		switch {
		case errors.Is(err, io.EOF):
			r.segs = r.segs[1:]
			err := r.cur.Close()
			r.cur = nil
			if err != nil {
				return nil, readError(r.dir, err)
			}
			if len(r.segs) > 0 { // within the recording nothing may be half
				r.report.DamagedBytes += r.junk
				r.junk = 0
			}
			continue
		case err != nil:
			return nil, readError(r.dir, err)
		}
		if rec := r.take(h, body); rec != nil {
			return rec, nil
		}
	}
}

// finish is the end of the files.
func (r *Reader) finish() {
	r.done = true
	r.report.TailBytes += r.junk
	r.junk = 0
}

// open begins a segment. One whose beginning is damaged is searched for
// records all the same; one that says that it belongs to another recording is
// damage as a whole.
func (r *Reader) open(number int) error {
	f, size, err := openIn(r.root, segmentName(number))
	if err != nil {
		return readError(filepath.Join(r.dir, segmentName(number)), err)
	}
	r.cur, r.size, r.at = f, size, 0
	if r.buf == nil {
		r.buf = bufio.NewReaderSize(f, 1<<16)
	} else {
		r.buf.Reset(f)
	}
	want := segmentHead(r.id, number)
	got, err := r.buf.Peek(len(want))
	if err != nil && !errors.Is(err, io.EOF) {
		return readError(r.dir, err)
	}
	switch {
	case bytes.Equal(got, want):
		return r.skip(len(want))
	case isForeign(got, r.id):
		r.report.DamagedBytes += size
		r.segs = r.segs[1:]
		err := r.cur.Close()
		r.cur = nil
		return err
	}
	return nil
}

// isForeign recognises the undamaged beginning of another recording's segment.
func isForeign(b []byte, id [idBytes]byte) bool {
	if len(b) != segmentHeadSize || string(b[:len(segmentMagic)]) != segmentMagic {
		return false
	}
	other := [idBytes]byte(b[len(segmentMagic):])
	number := int(binary.LittleEndian.Uint32(b[len(segmentMagic)+idBytes:]))
	return other != id && bytes.Equal(b, segmentHead(other, number))
}

func (r *Reader) skip(n int) error {
	k, err := r.buf.Discard(n)
	r.at += int64(k)
	return err
}

// record finds the next whole record of the current segment; io.EOF at its
// end.
func (r *Reader) record() (head, []byte, error) {
	for {
		b, err := r.buf.Peek(headSize)
		if len(b) < headSize {
			if err != nil && !errors.Is(err, io.EOF) {
				return head{}, nil, err
			}
			r.junk += int64(len(b))
			if serr := r.skip(len(b)); serr != nil {
				return head{}, nil, serr
			}
			return head{}, nil, io.EOF
		}
		h, ok := parseHead(b)
		if !ok {
			// Not here: on to the next byte that may begin one.
			n := bytes.IndexByte(b[1:], recordMagic[0]) + 1
			if n == 0 {
				n = len(b)
			}
			r.junk += int64(n)
			if err := r.skip(n); err != nil {
				return head{}, nil, err
			}
			continue
		}
		whole, err := r.reaches(r.at + headSize + int64(h.length))
		if err != nil {
			return head{}, nil, err
		}
		if !whole {
			// Cut off within the body: whatever follows belongs to it.
			rest := r.size - r.at
			r.junk += rest
			return head{}, nil, io.EOF
		}
		if err := r.skip(headSize); err != nil {
			return head{}, nil, err
		}
		body := make([]byte, h.length)
		n, err := io.ReadFull(r.buf, body)
		r.at += int64(n)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it was cut off meanwhile
				r.junk += headSize + int64(n)
				return head{}, nil, io.EOF
			}
			return head{}, nil, err
		}
		if crc32.Checksum(body, castagnoli) != h.body {
			r.junk += headSize + int64(n)
			continue
		}
		return h, body, nil
	}
}

// reaches reports whether the current segment has so many bytes; it may have
// grown since it was opened.
func (r *Reader) reaches(end int64) (bool, error) {
	if end <= r.size {
		return true, nil
	}
	info, err := r.cur.Stat()
	if err != nil {
		return false, err
	}
	r.size = info.Size()
	return end <= r.size, nil
}

// take makes a record of a head and its body; nil for one that does not
// belong here.
func (r *Reader) take(h head, body []byte) *Record {
	if h.number < r.next {
		// A record that was there before: a copy inside the file.
		r.report.DamagedBytes += headSize + int64(len(body))
		return nil
	}
	lost := 0
	if h.number > r.next {
		lost = int(min(h.number-r.next, 1<<31))
	}
	// Whatever could not be read since the last record is damage, now that
	// one follows.
	r.report.Damaged += lost
	r.report.DamagedBytes += r.junk
	r.junk = 0
	r.next = h.number + 1
	if h.kind != kindEnd {
		// The digest cannot fail (hash.Hash).
		_, _ = r.digest.Write(append(h.append(nil), body...))
	}
	switch h.kind {
	case kindFrame:
		r.report.Frames++
		sum := sha256.Sum256(body)
		f := &camera.Frame{
			Index: int(h.index), Time: h.time, Path: fmt.Sprintf("%s frame %d", r.dir, h.index),
			Dropped: int(h.dropped), Format: h.content.format(), Encoded: body, Bytes: int64(len(body)), SHA256: hex.EncodeToString(sum[:]),
		}
		// Frames of damaged records are missing from here on, too.
		if gap := f.Index - r.last - 1; lost > 0 && gap > f.Dropped {
			f.Dropped = gap
		}
		r.last = f.Index
		return &Record{Frame: f}
	case kindEvent:
		r.report.Events++
		e := &Event{Time: h.time}
		if err := json.Unmarshal(body, e); err != nil {
			r.report.Damaged++
			return nil
		}
		return &Record{Event: e}
	}
	end := new(End)
	if err := json.Unmarshal(body, end); err != nil {
		r.report.Damaged++
		return nil
	}
	r.report.End, r.done = end, true
	return &Record{End: end}
}

// Decode fills in the pixels of a frame that Read returned. The error is a
// *camera.Error, or ctx's.
func Decode(ctx context.Context, f *camera.Frame) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d, err := camera.Decode(f.Path, f.Encoded)
	if err != nil {
		return err
	}
	f.Image, f.Notes = d.Image, d.Notes
	return nil
}
