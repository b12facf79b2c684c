package camera

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// rawVideo reads uncompressed frames out of a Matroska stream (RFC 9559), in
// which ffmpeg hands them over: of the simple ways to give pixels through a
// pipe it is the one that says their size and the time of each.
//
//	Segment ─┬─ Tracks ─ TrackEntry ─ Video ─ width, height
//	         └─ Cluster ─ time ─ SimpleBlock ─ time within, 3 bytes a pixel
type rawVideo struct {
	r             *bufio.Reader
	width, height int
	every         time.Duration // nominal, 0 not stated
	cluster       int64         // ms
}

// The elements that are looked at (RFC 9559, section 5).
const (
	idSegment         = 0x18538067
	idTracks          = 0x1654ae6b
	idTrackEntry      = 0xae
	idDefaultDuration = 0x23e383
	idVideo           = 0xe0
	idPixelWidth      = 0xb0
	idPixelHeight     = 0xba
	idCluster         = 0x1f43b675
	idTimestamp       = 0xe7
	idBlockGroup      = 0xa0
	idBlock           = 0xa1
	idSimpleBlock     = 0xa3
)

// errRawVideo is a stream that is not what was asked of ffmpeg.
var errRawVideo = errors.New("the stream of frames makes no sense")

func newRawVideo(r io.Reader) *rawVideo { return &rawVideo{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the pixels of the next frame (BGR, rows from the top) and its
// time. It returns io.EOF at the end, also in the midst of a frame.
func (v *rawVideo) next() (pix []byte, at time.Duration, err error) {
	for {
		id, err := v.number(4, true)
		if err != nil {
			return nil, 0, eof(err)
		}
		size, err := v.number(8, false)
		if err != nil {
			return nil, 0, eof(err)
		}
		switch id {
		case idSegment, idTracks, idTrackEntry, idVideo, idCluster, idBlockGroup:
			continue // what is in them follows
		case idPixelWidth, idPixelHeight, idDefaultDuration, idTimestamp:
			n, err := v.integer(size)
			if err != nil {
				return nil, 0, err
			}
			switch id {
			case idPixelWidth, idPixelHeight:
				if n < 1 || n > MaxPixels {
					return nil, 0, fmt.Errorf("%w: a side of %d pixels", errRawVideo, n)
				}
				if id == idPixelWidth {
					v.width = int(n)
				} else {
					v.height = int(n)
				}
			case idDefaultDuration:
				v.every = time.Duration(min(n, int64(time.Hour)))
			case idTimestamp:
				v.cluster = n
			}
		case idSimpleBlock, idBlock:
			pix, rel, err := v.block(size)
			if err != nil {
				return nil, 0, err
			}
			ms := v.cluster + int64(rel)
			if ms < -math.MaxInt32 || ms > math.MaxInt64/int64(time.Millisecond) {
				return nil, 0, fmt.Errorf("%w: a time of %d ms", errRawVideo, ms)
			}
			return pix, time.Duration(ms) * time.Millisecond, nil
		default:
			if err := v.skip(size); err != nil {
				return nil, 0, err
			}
		}
	}
}

// block reads a frame. Its size is known, so that no length in the stream
// takes memory.
func (v *rawVideo) block(size uint64) (pix []byte, rel int16, err error) {
	var head [4]byte // track (one byte: there is one), time, flags
	if _, err := io.ReadFull(v.r, head[:]); err != nil {
		return nil, 0, eof(err)
	}
	if v.width == 0 || v.height == 0 || v.width > MaxPixels/v.height {
		return nil, 0, fmt.Errorf("%w: frames of %d x %d pixels", errRawVideo, v.width, v.height)
	}
	want := 3 * v.width * v.height
	if head[0] != 0x81 || size != uint64(want)+4 {
		return nil, 0, fmt.Errorf("%w: a frame of %d bytes instead of %d", errRawVideo, size, want+4)
	}
	pix = make([]byte, want)
	if _, err := io.ReadFull(v.r, pix); err != nil {
		return nil, 0, eof(err)
	}
	return pix, int16(binary.BigEndian.Uint16(head[1:])), nil
}

// number reads an EBML number of up to most bytes (RFC 8794, section 4); keep
// leaves the length marker in it, as identifiers are written. All ones mean
// "not known", which comes out as a large number.
func (v *rawVideo) number(most int, keep bool) (uint64, error) {
	first, err := v.r.ReadByte()
	if err != nil {
		return 0, err
	}
	n := 1
	for mask := byte(0x80); n <= most && first&mask == 0; mask >>= 1 {
		n++
	}
	if n > most {
		return 0, fmt.Errorf("%w: a number that begins with %#x", errRawVideo, first)
	}
	out := uint64(first)
	if !keep {
		out &= 1<<(8-n) - 1
	}
	for range n - 1 {
		b, err := v.r.ReadByte()
		if err != nil {
			return 0, eof(err)
		}
		out = out<<8 | uint64(b)
	}
	return out, nil
}

func (v *rawVideo) integer(size uint64) (int64, error) {
	if size > 8 {
		return 0, fmt.Errorf("%w: an integer of %d bytes", errRawVideo, size)
	}
	var out uint64
	for range size {
		b, err := v.r.ReadByte()
		if err != nil {
			return 0, eof(err)
		}
		out = out<<8 | uint64(b)
	}
	if out > math.MaxInt64 {
		return 0, fmt.Errorf("%w: a number of %d", errRawVideo, out)
	}
	return int64(out), nil
}

// maxRawSkip is far above what ffmpeg writes beside the frames (some hundred
// bytes of tags).
const maxRawSkip = 16 << 20

func (v *rawVideo) skip(size uint64) error {
	if size > maxRawSkip {
		return fmt.Errorf("%w: an element of %d bytes", errRawVideo, size)
	}
	_, err := v.r.Discard(int(size))
	return eof(err)
}

// eof says that the stream ended, wherever it did.
func eof(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}
