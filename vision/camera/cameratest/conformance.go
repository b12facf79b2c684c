package cameratest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/frame"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// Suite is what the conformance suite needs to know of an implementation of
// [camera.Source]. Every function opens a fresh source; the suite closes it.
type Suite struct {
	// Open gives a source of Frames good frames, then io.EOF; or, when Frames
	// is 0, one that goes on for at least a hundred.
	Open   func(t *testing.T) camera.Source
	Frames int

	// Silent gives a source whose Next waits for ever after its first frames;
	// nil where a source never waits.
	Silent func(t *testing.T) camera.Source

	// Damaged gives a source that holds at least one frame that cannot be
	// decoded between good ones; nil where there is no such thing.
	Damaged func(t *testing.T) camera.Source

	// Pixels marks a source that delivers pixels: its frames have no Encoded.
	Pixels bool
}

// patience is how long a call may take that ought to return at once, on a
// machine that is busy with other tests.
const patience = 10 * time.Second

// Conformance runs the suite that every source passes:
//
//	order      indices count up, and jump by what was dropped
//	time       grows from 0
//	end        io.EOF, again and again
//	stop       ctx and Close end a Next that waits
//	ownership  frames are the caller's; Encoded gives Image to the last bit
//	damage     left out, counted, never an error
//	leaks      no goroutine is left after Close
func Conformance(t *testing.T, s Suite) {
	run := func(name string, open func(t *testing.T) camera.Source, test func(t *testing.T, src camera.Source)) {
		t.Run(name, func(t *testing.T) {
			if open == nil {
				t.Skip("does not apply to this source")
			}
			before := goleak.IgnoreCurrent()
			// Runs last, when what open started for the test has been stopped.
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			src := open(t)
			defer func() {
				within(t, "Close", func() {
					if err := src.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				})
			}()
			test(t, src)
		})
	}
	run("info", s.Open, func(t *testing.T, src camera.Source) {
		info := src.Info()
		if info.Kind == "" || info.Name == "" || info.WidthPx <= 0 || info.HeightPx <= 0 || info.FPS < 0 {
			t.Errorf("incomplete: %+v", info)
		}
		f := s.next(t, src)
		if f.Image.Width != info.WidthPx || f.Image.Height != info.HeightPx {
			t.Errorf("the first frame has %d x %d pixels and Info says %d x %d", f.Image.Width, f.Image.Height, info.WidthPx, info.HeightPx)
		}
	})
	run("order and time", s.Open, func(t *testing.T, src camera.Source) {
		n := s.Frames
		if n == 0 {
			n = 30
		}
		prev := -1
		var last time.Duration
		for i := range n {
			f := s.next(t, src)
			if !f.Image.Valid() || f.Image.Empty() {
				t.Fatalf("frame %d has no valid picture", i)
			}
			if f.Dropped < 0 || f.Index != prev+1+f.Dropped {
				t.Errorf("frame %d follows %d with %d dropped", f.Index, prev, f.Dropped)
			}
			if i == 0 && f.Dropped == 0 && f.Time != 0 || i > 0 && f.Time <= last {
				t.Errorf("frame %d is at %v after %v", f.Index, f.Time, last)
			}
			prev, last = f.Index, f.Time
		}
		if s.Frames == 0 {
			return
		}
		for range 3 {
			if f, err := src.Next(t.Context()); !errors.Is(err, io.EOF) || f != nil {
				t.Fatalf("after the last frame: %v, %v, want io.EOF", f, err)
			}
		}
	})
	run("context that has ended", s.Open, func(t *testing.T, src camera.Source) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if f, err := src.Next(ctx); !errors.Is(err, context.Canceled) || f != nil {
			t.Errorf("Next gave %v, %v, want the context's error", f, err)
		}
		// It is the call that was stopped, not the source.
		s.next(t, src)
	})
	run("context ends during Next", s.Silent, func(t *testing.T, src camera.Source) {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		within(t, "Next", func() {
			for {
				if _, err := src.Next(ctx); err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("Next: %v, want the context's error", err)
					}
					return
				}
			}
		})
	})
	run("Close during Next", s.Silent, func(t *testing.T, src camera.Source) {
		got := make(chan error, 1)
		go func() {
			for {
				if _, err := src.Next(context.Background()); err != nil {
					got <- err
					return
				}
			}
		}()
		select {
		case err := <-got:
			t.Fatalf("Next ended by itself: %v", err)
		case <-time.After(100 * time.Millisecond): // it waits by now, or will find the source closed
		}
		within(t, "Close", func() { _ = src.Close() })
		select {
		case err := <-got:
			if !errors.Is(err, camera.ErrClosed) {
				t.Errorf("Next: %v, want ErrClosed", err)
			}
		case <-time.After(patience):
			t.Error("Next goes on waiting after Close")
		}
	})
	run("Close twice, and Next after it", s.Open, func(t *testing.T, src camera.Source) {
		s.next(t, src)
		for range 2 {
			within(t, "Close", func() {
				if err := src.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		}
		if f, err := src.Next(context.Background()); !errors.Is(err, camera.ErrClosed) || f != nil {
			t.Errorf("Next after Close: %v, %v, want ErrClosed", f, err)
		}
	})
	run("Close before the first Next", s.Open, func(*testing.T, camera.Source) {})
	run("frames are the caller's", s.Open, func(t *testing.T, src camera.Source) {
		first := s.next(t, src)
		kept := first.Image.Clone()
		if s.Pixels != (first.Encoded == nil) {
			t.Errorf("Encoded has %d bytes", len(first.Encoded))
		}
		if first.Encoded != nil {
			again := decodeAgain(t, first.Encoded)
			if d := cmp.Diff(again, first.Image); d != "" {
				t.Errorf("Encoded gives another picture (its %d bytes)", len(first.Encoded))
			}
		}
		for range min(max(s.Frames-1, 0), 3) {
			f := s.next(t, src)
			clear(f.Image.Pix)
			clear(f.Encoded)
		}
		if !bytes.Equal(kept.Pix, first.Image.Pix) {
			t.Error("a frame changed while later ones were written to")
		}
		clear(first.Image.Pix)
		clear(first.Encoded)
		if s.Frames > 5 || s.Frames == 0 {
			if f := s.next(t, src); bytes.Count(f.Image.Pix, []byte{0}) == len(f.Image.Pix) {
				t.Error("writing to a frame reached a later one")
			}
		}
	})
	run("damaged frames", s.Damaged, func(t *testing.T, src camera.Source) {
		dropped := 0
		for i := range 30 {
			f, err := src.Next(t.Context())
			if errors.Is(err, io.EOF) {
				if i == 0 {
					t.Error("no frame came")
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			dropped += f.Dropped
		}
		if dropped == 0 {
			t.Error("no frame counts as dropped")
		}
	})
}

// next wants a frame.
func (s Suite) next(t *testing.T, src camera.Source) *camera.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	f, err := src.Next(ctx)
	if err != nil {
		t.Fatalf("Next: %v", err)
	}
	return f
}

// within fails a test in which a call does not return.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s does not return", what)
	}
}

// decodeAgain decodes a picture file as [camera.Read] does.
func decodeAgain(t *testing.T, data []byte) *frame.Image {
	t.Helper()
	f, err := camera.Decode("frame", data)
	if err != nil {
		t.Fatalf("Encoded cannot be decoded: %v", err)
	}
	return f.Image
}
