package recording

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Summary is what a recording holds, without its pictures having been read.
type Summary struct {
	Dir    string
	Header *Header
	Bytes  int64     // of all its files
	Last   time.Time // when something was last written to it

	Frames int
	Cards  int           // seen, usable and not taken back
	Span   time.Duration // to the last frame
	End    *End          // nil: cut off, damaged, or still being made
}

// Summarise reads the heads and the events of a recording and passes over its
// pictures: an hour takes a fraction of a second. What comes after the first
// damage is not counted; a replay knows more. Errors are *camera.Error.
func Summarise(dir string) (*Summary, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	s := &Summary{Dir: dir, Header: r.header}
	err = s.read(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, readError(dir, err)
	}
	return s, nil
}

func (s *Summary) read(r *Reader) error {
	info, err := r.root.Stat(headerName)
	if err != nil {
		return err
	}
	s.Bytes, s.Last = info.Size(), info.ModTime()
	void := map[int]bool{}
	whole := true
	for _, number := range r.segs {
		f, size, err := openIn(r.root, segmentName(number))
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.ModTime().After(s.Last) {
			s.Last = info.ModTime()
		}
		s.Bytes += size
		if err == nil && whole {
			whole, err = s.segment(f, segmentHead(r.id, number), void)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	s.Cards -= len(void)
	return nil
}

// segment goes from head to head; whole is false where it meets anything else.
func (s *Summary) segment(f *os.File, magic []byte, void map[int]bool) (whole bool, err error) {
	at := int64(0)
	read := func(n int) ([]byte, bool, error) {
		b := make([]byte, n)
		k, err := f.ReadAt(b, at)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		at += int64(k)
		return b[:k], k == n, err
	}
	b, ok, err := read(len(magic))
	if err != nil || !ok || string(b) != string(magic) {
		return false, err
	}
	for {
		b, ok, err := read(headSize)
		if err != nil || !ok {
			return len(b) == 0, err
		}
		h, ok := parseHead(b)
		if !ok {
			return false, nil
		}
		if h.kind == kindFrame {
			s.Frames++
			s.Span = h.time
			at += int64(h.length)
			continue
		}
		if b, ok, err = read(int(h.length)); err != nil || !ok {
			return false, err
		}
		switch h.kind {
		case kindEvent:
			var e Event
			if json.Unmarshal(b, &e) != nil {
				return false, nil
			}
			switch {
			case e.Kind == Sighted && e.Sighting != nil && e.Sighting.Reason == "":
				s.Cards++
			case e.Kind == Voided:
				void[e.Number] = true
			}
		case kindEnd:
			end := new(End)
			if json.Unmarshal(b, end) != nil {
				return false, nil
			}
			s.End = end
		}
	}
}

// Remove deletes a recording: its own files alone, the header last, so that
// what a power cut leaves of it is still known for a recording. A folder in
// which somebody else has put something stays, without the recording; kept is
// true then. Errors are *camera.Error.
func Remove(dir string) (kept bool, err error) {
	r, err := Open(dir)
	if err != nil {
		return false, err
	}
	names := make([]string, 0, len(r.segs)+1)
	for _, n := range r.segs {
		names = append(names, segmentName(n))
	}
	for _, name := range append(names, headerName) {
		if err = r.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		err = nil
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return true, writeError(dir, err)
	}
	switch err := os.Remove(dir); {
	case errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return true, nil
	case err != nil:
		return true, writeError(dir, err)
	}
	return false, nil
}

// List finds the recordings in a folder, those that cannot be read among the
// problems. A folder that is not there holds none. Links are not followed.
func List(folder string) (found []*Summary, problems []error, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, readError(folder, err)
	}
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if !e.IsDir() || !Is(dir) {
			continue
		}
		s, err := Summarise(dir)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found = append(found, s)
	}
	return found, problems, nil
}
