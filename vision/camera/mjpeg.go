package camera

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// jpegStream cuts a stream of bytes into JPEG pictures. It goes by the
// pictures themselves, not by what is written between them: phone apps
// announce one boundary and send another, leave out the length or state a
// wrong one, or send picture after picture with nothing between.
//
//	text, boundary, headers │ SOI ─ segments, skipped by length ─ SOS ─ data ─ EOI │ text …
//	        (bounded)                     a new SOI here: the picture was cut off,
//	                                      count it and begin again there
//
// Of the headers before a picture two are used: the time some servers state,
// and the length, to leave out what phones append behind a picture's end (a
// smaller preview, which would pass for a frame). A length that proves wrong
// once is not believed again.
type jpegStream struct {
	r      io.Reader
	buf    []byte // what has been read and not been used
	chunk  []byte
	err    error // of r
	lies   bool  // Content-Length is wrong here
	lost   int   // pictures that were cut off since the last whole one
	skip   int   // bytes behind the last picture that belong to its part
	header partHeader
}

// partHeader is what is used of the lines before a picture.
type partHeader struct {
	length   int           // 0 not stated
	clock    time.Duration // by the server's clock
	hasClock bool
}

// Limits of a stream. A frame of 12 million pixels at the best quality has
// about 10 MB; a part's headers have some hundred bytes.
const (
	maxStreamJPEG = 24 << 20
	maxBetween    = 64 << 10
)

// errStream is a stream that is beyond the limits or no stream of pictures.
type errStream struct{ text string }

func (e *errStream) Error() string { return e.text }

func newJPEGStream(r io.Reader) *jpegStream {
	return &jpegStream{r: r, chunk: make([]byte, 64<<10)}
}

// next returns the next picture that has a beginning and an end, in memory of
// its own, and how many were lost before it.
func (s *jpegStream) next() (jpg []byte, head partHeader, lost int, err error) {
	for {
		if err := s.seek(); err != nil {
			return nil, partHeader{}, 0, err
		}
		n, whole, err := s.measure()
		if err != nil {
			return nil, partHeader{}, 0, err
		}
		if !whole {
			s.lost++
			s.take(n)
			continue
		}
		jpg = bytes.Clone(s.buf[:n])
		s.take(n)
		head, lost = s.header, s.lost
		s.lost, s.skip = 0, 0
		if head.length > n && !s.lies {
			s.skip = head.length - n
		}
		return jpg, head, lost, nil
	}
}

// more reads on. At the end of the stream it returns the reader's error.
func (s *jpegStream) more() error {
	if s.err != nil {
		return s.err
	}
	n, err := s.r.Read(s.chunk)
	s.buf = append(s.buf, s.chunk[:n]...)
	if err != nil {
		s.err = err
		if n == 0 {
			return err
		}
	}
	if n == 0 && err == nil {
		return io.ErrNoProgress
	}
	return nil
}

// take forgets the first n bytes.
func (s *jpegStream) take(n int) {
	if n >= len(s.buf) {
		s.buf = s.buf[:0]
		return
	}
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
}

// seek goes to the next beginning of a picture and reads the headers on the
// way there.
func (s *jpegStream) seek() error {
	s.behind()
	passed := 0
	var text []byte
	for {
		i := bytes.Index(s.buf, []byte{0xff, 0xd8, 0xff})
		if i >= 0 {
			text = append(text, s.buf[:i]...)
			s.take(i)
			s.header = readPartHeader(text)
			return nil
		}
		// The last two bytes may be the first of the mark.
		if n := len(s.buf) - 2; n > 0 {
			passed += n
			text = append(text, s.buf[:n]...)
			s.take(n)
		}
		if passed > maxBetween {
			return &errStream{fmt.Sprintf("no picture within %d KiB", maxBetween>>10)}
		}
		if err := s.more(); err != nil {
			return err
		}
	}
}

// behind leaves out what belongs to the part behind its picture's end, if
// that agrees with the stream: where it ends, a line or boundary must begin.
func (s *jpegStream) behind() {
	n := s.skip
	s.skip = 0
	if n == 0 {
		return
	}
	if n > maxStreamJPEG {
		s.lies = true
		return
	}
	for len(s.buf) < n+2 {
		if s.more() != nil {
			return // the stream ended; seek says so
		}
	}
	switch end := s.buf[n : n+2]; {
	case end[0] == '\r', end[0] == '\n', end[0] == '-', end[0] == 0xff && end[1] == 0xd8:
		s.take(n)
	default:
		s.lies = true
	}
}

// measure finds where the picture at the start of buf ends. When it is cut
// off, n leads to the next place where a picture may begin.
func (s *jpegStream) measure() (n int, whole bool, err error) {
	at, data := 2, false // data: in the compressed part
	need := func(k int) error {
		for len(s.buf) < k {
			if len(s.buf) > maxStreamJPEG {
				return &errStream{fmt.Sprintf("a picture of more than %d MiB", maxStreamJPEG>>20)}
			}
			if err := s.more(); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		if err := need(at + 2); err != nil {
			return 0, false, err
		}
		if data {
			i := bytes.IndexByte(s.buf[at:], 0xff)
			if i < 0 {
				at = len(s.buf)
				if at > maxStreamJPEG {
					return 0, false, &errStream{fmt.Sprintf("a picture of more than %d MiB", maxStreamJPEG>>20)}
				}
				continue
			}
			at += i
			if err := need(at + 2); err != nil {
				return 0, false, err
			}
		}
		if s.buf[at] != 0xff {
			return s.resync(), false, nil
		}
		switch m := s.buf[at+1]; {
		case m == 0xff: // fill
			at++
		case data && (m == 0x00 || m >= 0xd0 && m <= 0xd7):
			at += 2
		case m == 0xd9:
			return at + 2, true, nil
		case m == 0xd8: // another picture begins in the midst of this one
			return at, false, nil
		case m == 0x01 || m >= 0xd0 && m <= 0xd7:
			at += 2
		case m < 0xc0:
			// No marker (T.81, table B.1): the picture was cut off behind a
			// 0xff, and this is the text that follows.
			return s.resync(), false, nil
		default:
			if err := need(at + 4); err != nil {
				return 0, false, err
			}
			length := int(s.buf[at+2])<<8 | int(s.buf[at+3])
			if length < 2 {
				return s.resync(), false, nil
			}
			data = m == 0xda
			at += 2 + length
		}
	}
}

// resync leads past the start mark of a picture whose segments make no sense,
// to the next start mark in what has been read.
func (s *jpegStream) resync() int {
	if i := bytes.Index(s.buf[2:], []byte{0xff, 0xd8, 0xff}); i >= 0 {
		return 2 + i
	}
	return len(s.buf) - 2
}

// readPartHeader reads the last block of headers in the text before a
// picture.
func readPartHeader(text []byte) (h partHeader) {
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "content-length":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				h.length = n
			}
		case "x-timestamp": // seconds, as mjpg-streamer states it
			if v, err := strconv.ParseFloat(value, 64); err == nil && v >= 0 && v < 1e11 {
				h.clock, h.hasClock = time.Duration(v*1e6)*time.Microsecond, v > 0
			}
		}
	}
	return h
}

// isStreamEnd reports an end that the server made, orderly or not.
func isStreamEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
