package camera

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"fairdeck/vision/frame"
)

// Feed delivers frames that nobody has decoded yet: what a [Source] stands
// on. A Feed belongs to one goroutine, which opens it, grabs from it and
// closes it; only Info may be called from others.
//
//	device ─▶ Feed.Grab ─▶ *Raw ─▶ (ring: may be dropped here, undecoded) ─▶ decode ─▶ *Frame
type Feed interface {
	// Info is what [Source.Info] says.
	Info() Info

	// Grab waits for the next frame. It returns io.EOF at the end, ctx's error
	// when ctx ended, and a *Error when nothing more will come from this
	// opening of the device; opening it again may help.
	Grab(ctx context.Context) (*Raw, error)

	// Close lets go of the device.
	Close() error
}

// Raw is one frame as it came. Exactly one of Encoded and Pixels is set.
type Raw struct {
	// Encoded is a whole picture file, JPEG in nearly all cases.
	Encoded []byte

	// Pixels makes the picture where the source delivers pixels. It is called
	// at most once, by the reader's goroutine.
	Pixels func() (*frame.Image, error)

	// Clock is when the frame was taken by the source's own clock, whatever
	// its zero is. HasClock is false where it has none; the time of arrival
	// counts then.
	Clock    time.Duration
	HasClock bool

	// Lost counts the frames that the source knows were lost before this one.
	Lost int

	Path string // of the file, where there is one

	checked *encoded // set where Encoded was found whole already
}

// ErrClosed is what Next returns once its source was closed.
var ErrClosed = errors.New("the source was closed")

// decode turns a frame as it came into pixels. A JPEG that is not whole is
// refused: the rest of it would be grey and look like a mark.
func (r *Raw) decode(name string) (*Frame, error) {
	path := r.Path
	if path == "" {
		path = name
	}
	if r.Pixels != nil {
		img, err := r.Pixels()
		if err != nil {
			return nil, &Error{Path: path, Problem: Damaged, Text: "a frame cannot be converted", Err: err}
		}
		return &Frame{Path: path, Image: img, Bytes: int64(len(img.Pix))}, nil
	}
	if r.checked != nil {
		return r.checked.frame(path)
	}
	k := sniff(r.Encoded[:min(len(r.Encoded), sniffLen)])
	if k.format == "" {
		return nil, &Error{Path: path, Problem: k.problem, Text: k.text, Remedy: k.remedy}
	}
	h, err := walk(k.format, r.Encoded)
	if err != nil {
		return nil, structureProblem(path, err)
	}
	sum := sha256.Sum256(r.Encoded)
	e := &encoded{format: k.format, head: h, data: r.Encoded, sha256: hex.EncodeToString(sum[:])}
	return e.frame(path)
}

// frame decodes a checked file.
func (e *encoded) frame(path string) (*Frame, error) {
	img, err := e.decode(path)
	if err != nil {
		return nil, err
	}
	f := &Frame{Path: path, Image: img, Format: e.format, SHA256: e.sha256, Bytes: int64(len(e.data))}
	if e.format == JPEG || e.format == PNG {
		f.Encoded = e.data
	}
	for _, n := range e.head.notes {
		f.Notes = append(f.Notes, Note{Path: path, Text: n})
	}
	return f, nil
}

// size reads the size of a picture, upright, from its header.
func (r *Raw) size() (width, height int, err error) {
	k := sniff(r.Encoded[:min(len(r.Encoded), sniffLen)])
	if k.format == "" {
		return 0, 0, &structureError{k.problem, k.text}
	}
	h, err := walk(k.format, r.Encoded)
	if err != nil {
		return 0, 0, err
	}
	width, height = h.upright()
	return width, height, nil
}

// warnings collects what goes wrong while a source runs, each kind of thing
// once and not without end.
type warnings struct {
	list []string
	more int
}

// maxWarnings keeps the list readable; the rest is counted.
const maxWarnings = 20

func (w *warnings) add(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, have := range w.list {
		if have == s {
			return
		}
	}
	if len(w.list) >= maxWarnings {
		w.more++
		return
	}
	w.list = append(w.list, s)
}

func (w *warnings) all() []string {
	out := append([]string(nil), w.list...)
	if w.more > 0 {
		out = append(out, fmt.Sprintf("and %d more of the kind", w.more))
	}
	return out
}

// Decode decodes one picture file in memory, as [Read] does one on disk. name
// is what errors call it. Errors are of type *[Error].
func Decode(name string, data []byte) (*Frame, error) {
	return (&Raw{Encoded: data}).decode(name)
}
