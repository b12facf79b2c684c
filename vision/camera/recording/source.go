package recording

import (
	"context"
	"sync"
	"time"

	"fairdeck/vision/camera"
)

// Source is a recording as a source of frames: in order, with the times at
// which they were seen, as fast as they are read.
type Source struct {
	mu     sync.Mutex
	r      *Reader
	closed bool
	info   camera.Info
	lost   int
	note   func(*Event) // may be nil
}

var _ camera.Source = (*Source)(nil)

// NewSource opens a recording as a source. events, when set, is given each
// event as it is passed, from within Next.
func NewSource(dir string, events func(*Event)) (*Source, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	s := r.header.Source
	return &Source{r: r, note: events, info: camera.Info{
		Kind: camera.KindRecording, Name: dir, WidthPx: s.WidthPx, HeightPx: s.HeightPx, FPS: s.FPS, Format: s.Format,
		Settings: s.Settings, Warnings: s.Warnings,
	}}, nil
}

// Info says what the source is; what was recorded is in Header.
func (s *Source) Info() camera.Info { return s.info }

// Header is the recording's.
func (s *Source) Header() *Header { return s.r.header }

// Report says what was read so far.
func (s *Source) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Report()
}

// Next implements [camera.Source].
func (s *Source) Next(ctx context.Context) (*camera.Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.closed {
			return nil, camera.ErrClosed
		}
		rec, err := s.r.Read(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case rec.Event != nil && s.note != nil:
			s.note(rec.Event)
		case rec.Frame != nil:
			f := rec.Frame
			if err := Decode(ctx, f); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				// Its checksums are right, so it was recorded like this.
				s.lost += 1 + f.Dropped
				continue
			}
			f.Dropped += s.lost
			s.lost = 0
			return f, nil
		}
	}
}

// Close lets go of the files. A Next that is reading finishes its frame.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.r.Close()
}

// Span is the time from the first frame to the last of a recording, and how
// many frames it has, read without decoding.
func Span(ctx context.Context, dir string) (time.Duration, Report, error) {
	r, err := Open(dir)
	if err != nil {
		return 0, Report{}, err
	}
	defer r.Close()
	var first, last time.Duration
	seen := false
	for {
		rec, err := r.Read(ctx)
		if err != nil {
			if isEOF(err) {
				return last - first, r.Report(), nil
			}
			return 0, r.Report(), err
		}
		if f := rec.Frame; f != nil {
			if !seen {
				first, seen = f.Time, true
			}
			last = f.Time
		}
	}
}

// OpenSource is what camera.SourceOptions.OpenRecording wants.
func OpenSource(_ context.Context, dir string) (camera.Source, error) { return NewSource(dir, nil) }
