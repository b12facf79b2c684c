package settle

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"fairdeck/vision/camera"
)

// Settler finds the sightings in a stream of frames. It is to be used by one
// goroutine.
type Settler struct {
	o      Options
	size   image.Point
	before *sketch
	time   time.Duration // of before
	places []*place
	noise  grain
	scout  *scout // nil where the zones are given
}

// New returns a Settler at the beginning of a stream.
func New(o Options) *Settler { return &Settler{o: o} }

// Add takes the next frame and returns what it brought about, in order. The
// frame's picture is kept for a while and must not be changed afterwards.
//
// A frame of another size than the one before begins a new stream in the same
// zones. Errors are an empty or inconsistent picture, OpenCV's own and the
// context's; the Settler may be used after them.
func (s *Settler) Add(ctx context.Context, f *camera.Frame) ([]Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f == nil || f.Image.Empty() || !f.Image.Valid() {
		return nil, errors.New("settle: a frame without pixels")
	}
	var events []Event
	if size := (image.Point{X: f.Image.Width, Y: f.Image.Height}); size != s.size {
		e, err := s.Flush(ctx)
		if err != nil {
			return e, err
		}
		events = e
		s.start(size)
	}
	small := newSketch(f.Image)
	var m *motion
	if s.before != nil {
		m = newMotion(s.before, small, &s.noise)
	}
	held := m
	if m != nil && s.scout != nil && (len(s.places) == 0 || s.handHeld()) {
		held = m.steadied(s.before, small, s.noise, (f.Time - s.time).Seconds())
	}
	s.before, s.time = small, f.Time
	if s.handHeld() {
		m = held
	} else if s.scout != nil {
		found, err := s.scout.step(ctx, f, small, held, s.places)
		if err != nil {
			return events, err
		}
		for _, p := range found {
			s.places = append(s.places, p)
			if len(p.run.frames) >= s.o.frames() || p.run.frames[len(p.run.frames)-1] != f {
				e, err := p.close(ctx)
				events = append(events, e...)
				if err != nil {
					return events, err
				}
			}
		}
	}
	for _, p := range s.places {
		p.others = s.places
		if last := p.run; last != nil && last.frames[len(last.frames)-1] == f {
			continue // just made of this frame
		}
		e, err := p.step(ctx, f, small, m)
		events = append(events, e...)
		if err != nil {
			return events, err
		}
	}
	return events, nil
}

// Flush ends the stream: what lay still when it ended is judged by the frames
// at hand. The Settler may go on after it, as after a pause.
func (s *Settler) Flush(ctx context.Context) ([]Event, error) {
	var events []Event
	for _, p := range s.places {
		e, err := p.close(ctx)
		events = append(events, e...)
		if err != nil {
			return events, err
		}
		if e, err = p.closeCore(ctx); err != nil {
			return events, err
		}
		events = append(events, e...)
		events = append(events, p.tell()...)
		events = append(events, p.counted()...)
	}
	return events, nil
}

// start readies the zones for frames of the given size.
func (s *Settler) start(size image.Point) {
	s.size, s.before = size, nil
	all := image.Rectangle{Max: size}
	if len(s.o.Zones) == 0 {
		s.scout = &scout{o: s.o, all: all}
	}
	zones := s.o.Zones
	if len(zones) == 0 {
		for _, p := range s.places {
			zones = append(zones, p.zone)
		}
	}
	counts := map[string]int{}
	for _, p := range s.places {
		counts[p.zone.Name] = p.count
	}
	s.places = nil
	for _, z := range zones {
		s.places = append(s.places, &place{zone: z, rect: z.Rect.Intersect(all), o: s.o, count: counts[z.Name]})
	}
}

// counted says when a zone saw another number of cards than the deck has.
func (p *place) counted() []Event {
	n, want := p.count, p.o.Expected
	if want <= 0 || n == want || 2*n < want || n == p.countTold {
		return nil
	}
	p.countTold = n
	text := fmt.Sprintf("%d cards were seen, the deck has %d: two may have stuck together; count the pile, and deal again if it has all of them", n, want)
	if n > want {
		text = fmt.Sprintf("%d cards were seen, the deck has %d: one may have been counted twice, or there is one too many; count the pile", n, want)
	}
	return []Event{p.notice(p.calm, "count", text)}
}

// handHeld reports whether the zone is the whole frame, as that of a camera in
// a hand.
func (s *Settler) handHeld() bool {
	return len(s.places) == 1 && s.places[0].rect.Size() == s.size
}
