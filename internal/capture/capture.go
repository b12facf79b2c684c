package capture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"
)

// Settler turns frames into sightings; [settle.Settler] is one.
type Settler interface {
	Add(ctx context.Context, f *camera.Frame) ([]settle.Event, error)
	Flush(ctx context.Context) ([]settle.Event, error)
}

var _ Settler = (*settle.Settler)(nil)

// Options of a pass; the zero value but for Settler records nothing, tells
// nobody and goes on until the source or ctx ends.
type Options struct {
	Settler Settler

	// Recorder, when set, gets every frame. The pass closes it.
	Recorder *recording.Writer

	// MustRecord ends the pass when the recording fails.
	MustRecord bool

	// Lossless makes PNG of the frames of a source that delivers pixels, for
	// still pictures.
	Lossless bool

	// Judge looks at each sighting of a back while its picture is there, and
	// says why it cannot be used, or nothing. Such a sighting is not counted.
	// number is from 1, over all sightings of the pass.
	Judge func(number int, s *settle.Sighting) (reason string)

	// Backs is the zone in which the deck's backs are dealt; empty: each but
	// "face" and "edge", where the same cards are seen again.
	Backs string

	// Light has the station's light and sharpness watched; what is wrong with
	// it for longer than a moment becomes a notice, once. FocusPx is the blur
	// of edges from the profile; 0: not known.
	Light   bool
	FocusPx float64

	// Expect is how many cards the deck has; 0: not known.
	Expect int

	// Idle ends the pass when no card came for so long, by the frames' own
	// clock; 0: never. Before the first card the tenfold is waited.
	Idle time.Duration

	// Tell is told what happens, in order, one call at a time, by a goroutine
	// of the pass; it must not call the pass.
	Tell func(Event)

	// Show is given the state after each frame, from the goroutine of Run.
	Show func(Status)
}

// grace is how long the pass waits for one card more after the expected
// number: a deck that has too many cards must not be cut to the right size.
const grace = 4 * time.Second

// EventKind is what a person is told.
type EventKind string

// The kinds of events.
const (
	Seen     EventKind = "sighting" // a card was seen and counts
	Again    EventKind = "again"    // a card was seen and cannot be used; Text says why
	Void     EventKind = "void"     // the last card was taken back
	Nothing  EventKind = "nothing"  // there was nothing to take back
	Notice   EventKind = "notice"   // Text says what, with the remedy
	Paused   EventKind = "pause"
	Resumed  EventKind = "resume"
	Lost     EventKind = "lost"     // the camera is silent
	Returned EventKind = "returned" // it is back
	Unsaved  EventKind = "unsaved"  // the recording failed; Text says why
)

// SourceCode is the code of notices that are not the settler's: what the
// source itself found out while it was read. A replay takes them from the
// recording.
const SourceCode = "source"

// Event is something that a person is told.
type Event struct {
	Kind   EventKind     `json:"event"`
	Time   time.Duration `json:"-"` // of the last frame
	Count  int           `json:"count"`
	Number int           `json:"number,omitempty"` // of the sighting, over all of the pass
	Zone   string        `json:"zone,omitempty"`
	Code   string        `json:"code,omitempty"`
	Text   string        `json:"text,omitempty"`

	// Saved is set on what a power cut can no longer take away.
	Saved bool `json:"saved"`
}

// Status is how the pass stands.
type Status struct {
	Frames, Dropped int
	Count           int           // cards seen that count
	Span            time.Duration // from the first frame to the last
	Bytes           int64         // of the recording
	Lost, Paused    bool
	Recording       bool
}

// Sighting is one card as the result keeps it; its picture is the Judge's to
// keep.
type Sighting struct {
	Number     int
	Zone       string
	Back       bool // in the zone in which backs are dealt
	Start, End time.Duration
	Frames     []int
	SHA256     string // of the picture's pixels, row by row
	Reason     string // why it could not be used; empty: it could
	Void       bool   // taken back by a person
}

// Counts reports whether the sighting is one of the deck's backs.
func (s *Sighting) Counts() bool { return s.Reason == "" && !s.Void && s.Back }

// isBack tells zones in which the deck's backs are seen from those in which
// the same cards are seen again: their faces, their edges.
func (o *Options) isBack(zone string) bool {
	if o.Backs != "" {
		return zone == o.Backs
	}
	return zone != "face" && zone != "edge"
}

// Recorded is the recording of a pass.
type Recorded struct {
	Dir    string
	ID     string
	SHA256 string // of its records; see recording.End
	Bytes  int64
	Err    error // why it is not whole; nil: it is
}

// Result is a pass.
type Result struct {
	Frames, Dropped int
	Span            time.Duration
	Sightings       []Sighting
	Notices         []settle.Notice
	Reason          recording.Reason
	Recorded        *Recorded // nil: it was not recorded
}

// Count is how many cards were seen that count.
func (r *Result) Count() (n int) {
	for i := range r.Sightings {
		if r.Sightings[i].Counts() {
			n++
		}
	}
	return n
}

// Pass is one run over a source. Do and Camera may be called from any
// goroutine before and while it runs.
type Pass struct {
	o       Options
	control chan func(*run)
	ended   chan struct{} // closed when nobody reads control any more
}

// New prepares a pass.
func New(o Options) *Pass {
	if o.Judge == nil {
		o.Judge = func(int, *settle.Sighting) string { return "" }
	}
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Show == nil {
		o.Show = func(Status) {}
	}
	// Some wait: a source reports from within its own work and must not be held up.
	const waiting = 64
	return &Pass{o: o, control: make(chan func(*run), waiting), ended: make(chan struct{})}
}

// SetRecorder gives the pass its recorder, before Run: what a recording's
// header says of the source is known once the source is open, and the source
// reports to the pass.
func (p *Pass) SetRecorder(w *recording.Writer) { p.o.Recorder = w }

// SetSettler replaces the options' Settler and Backs, before Run: the profile,
// and with it the zones, are chosen by what the source is.
func (p *Pass) SetSettler(s Settler, backs string) { p.o.Settler, p.o.Backs = s, backs }

// SetFocus replaces the options' FocusPx, before Run.
func (p *Pass) SetFocus(px float64) { p.o.FocusPx = px }

// SetIdle replaces the options' Idle, before Run.
func (p *Pass) SetIdle(d time.Duration) { p.o.Idle = d }

// Run takes the frames of src until it ends, ctx ends, or the pass is over,
// and closes the recorder. What was seen is in the result even where there is
// an error: ctx's, the source's *camera.Error, or the recorder's where
// MustRecord asks for it.
func (p *Pass) Run(ctx context.Context, src camera.Source) (*Result, error) {
	r := newRun(p.o)
	r.before = src.Info()
	err := r.take(ctx, p, src)
	r.after = src.Info()
	close(p.ended)
	for waiting := true; waiting; {
		select {
		case f := <-p.control: // asked for before the end
			f(r)
		default:
			waiting = false
		}
	}
	return r.finish(err), err
}

// take runs the loop; it returns why it ended, nil where the pass was over.
func (r *run) take(ctx context.Context, p *Pass, src camera.Source) error {
	readCtx, stop := context.WithCancel(ctx)
	frames := make(chan read)
	done := make(chan struct{})
	go r.read(readCtx, src, frames, done)
	defer func() {
		stop()
		<-done
	}()
	for r.reason == "" {
		select {
		case <-ctx.Done():
			r.reason = recording.EndStopped
			return ctx.Err()
		case f := <-p.control:
			f(r)
		case in := <-frames:
			switch {
			case in.err == nil:
				if err := r.frame(ctx, in.frame); err != nil {
					return err
				}
			case errors.Is(in.err, io.EOF):
				r.reason = recording.EndSource
			case ctx.Err() != nil:
				r.reason = recording.EndStopped
				return ctx.Err()
			default:
				r.reason = recording.EndFailed
				return in.err
			}
		}
	}
	return nil
}

// read is what Next gave.
type read struct {
	frame *camera.Frame
	err   error
}

// read hands the frames of the source on, one ahead, until the first error.
func (r *run) read(ctx context.Context, src camera.Source, frames chan<- read, done chan<- struct{}) {
	defer close(done)
	for {
		f, err := src.Next(ctx)
		if err == nil && r.o.Recorder != nil {
			// Here, beside the settling of the frame before.
			if e := recording.Encode(f, r.o.Lossless); e != nil {
				err = fmt.Errorf("frame %d cannot be recorded: %w", f.Index, e)
			}
		}
		select {
		case frames <- read{f, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func pixelSum(m *frame.Image) string {
	sum := sha256.Sum256(m.Pix)
	return hex.EncodeToString(sum[:])
}
