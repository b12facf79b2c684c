package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"
	"fairdeck/vision/plane"
)

// How a live source is looked at: after a moment in which a camera finds its
// exposure, frames a fifth of a second apart, of which lamps at 50 and 60 Hz
// have whole cycles.
const (
	liveSettle = time.Second
	liveGap    = 200 * time.Millisecond
	liveFrames = 8
)

// openLive opens a camera, a stream or a video for calibration.
func (s *session) openLive(ctx context.Context, spec string) (camera.Source, error) {
	src, err := s.a.open(ctx, spec, func(st camera.Status) {
		switch st.State {
		case camera.Lost, camera.Frozen, camera.Reconnected, camera.Moving:
			s.a.term.Error(st.String())
		}
	})
	var e *camera.Error
	if errors.As(err, &e) {
		return nil, &inputError{err}
	}
	if err != nil {
		return nil, err
	}
	info := src.Info()
	for _, w := range info.Warnings {
		s.warn(w)
	}
	if info.Kind == camera.KindUSB && s.flags.camera == "" {
		s.flags.camera = info.Name
	}
	return src, nil
}

// frames calls fn with frames of a source that are at least gap apart, until
// it says enough, the source ends, or ctx does. A frame is named by its place.
func frames(ctx context.Context, src camera.Source, fn func(f *camera.Frame) (enough bool, err error)) error {
	last := time.Duration(math.MinInt64)
	for {
		f, err := src.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			var e *camera.Error
			if errors.As(err, &e) {
				return &inputError{err}
			}
			return err
		}
		live := src.Info().Live
		if live && f.Time < liveSettle || last != math.MinInt64 && f.Time-last < liveGap {
			continue
		}
		last = f.Time
		f.Path = fmt.Sprintf("%s, frame %d", src.Info().Name, f.Index+1)
		if f.SHA256 == "" && f.Encoded != nil {
			sum := sha256.Sum256(f.Encoded)
			f.SHA256 = hex.EncodeToString(sum[:])
		}
		if enough, err := fn(f); err != nil || enough {
			return err
		}
	}
}

// eachLive is each for a live source or a video: a few frames.
func (s *session) eachLive(ctx context.Context, spec string, fn func(i int, f *camera.Frame) error) error {
	src, err := s.openLive(ctx, spec)
	if err != nil {
		return err
	}
	n := 0
	err = frames(ctx, src, func(f *camera.Frame) (bool, error) {
		err := fn(n, f)
		n++
		s.a.term.Status(fmt.Sprintf("looking: %d of %d frames", n, liveFrames))
		return n >= liveFrames, err
	})
	s.a.term.Status("")
	return errors.Join(err, src.Close())
}

// stillMovePx is how far a board may move between two looks and still count as
// held still.
const stillMovePx = 1.0

// guide shows a live source's boards to a lens calibration: those held still,
// until nothing is missing. It says each time what to show next.
func (s *session) guide(ctx context.Context, spec string, l *calibrate.LensCalibration, b calibrate.Board) (used map[string]*camera.Frame, err error) {
	src, err := s.openLive(ctx, spec)
	if err != nil {
		return nil, err
	}
	used = map[string]*camera.Frame{}
	var before []plane.Point
	said := ""
	say := func(line string) {
		if line != said && !s.flags.json {
			said = line
			if !s.a.term.CanStatus() {
				s.a.term.Error(line)
			}
		}
		s.a.term.Status(line)
	}
	n := 0
	err = frames(ctx, src, func(f *camera.Frame) (bool, error) {
		v, err := calibrate.FindBoard(f.Image, b)
		var r *calibrate.Rejected
		if errors.As(err, &r) {
			before = nil
			say(r.Text + "; " + r.Remedy)
			return false, nil
		}
		if err != nil {
			return false, err
		}
		moved := travel(before, v.Corners)
		before = v.Corners
		if !(moved <= stillMovePx) {
			say("hold the board still")
			return false, nil
		}
		// A pose that was shown already is not worth a line of its own.
		fb := l.TryView(f.Path, f.Image.Width, f.Image.Height, v)
		s.out.Missing = fb.Missing
		if fb.Accepted {
			n++
			c := *f
			c.Image, c.Encoded = nil, nil
			used[f.Path] = &c
			if !s.flags.json {
				s.a.term.Error(fmt.Sprintf("board %d taken", n))
			}
			s.a.term.Bell(1)
		}
		if len(fb.Missing) == 0 {
			return true, nil
		}
		say("next: " + fb.Missing[0])
		return false, nil
	})
	s.a.term.Status("")
	return used, errors.Join(err, src.Close())
}

// travel is how far corners moved on average; NaN when there were none.
func travel(before, now []plane.Point) float64 {
	if len(before) != len(now) || len(now) == 0 {
		return math.NaN()
	}
	d := 0.0
	for i, p := range now {
		d += p.Sub(before[i]).Norm() / float64(len(now))
	}
	return d
}
