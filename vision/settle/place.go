package settle

import (
	"context"
	"fmt"
	"image"
	"math"

	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// place watches one zone: moving, quiet, and what lies there when it is quiet.
type place struct {
	zone  Zone
	rect  image.Rectangle // of the zone inside the frame
	run   *run
	known *still // what lay there when it was last quiet
	top   *Sighting
	count int
	o     Options
}

const (
	// quietFrames is how many frames make a run: two differences in a row
	// below the threshold are not the turning point of a movement.
	quietFrames = 3

	// moving is how many cells beyond the threshold are a movement; one or two
	// are a fly, a pixel of a lamp, noise of a dark corner.
	movingCells = 3

	// minMotion, in codes of a cell's mean, is above JPEG's own restlessness.
	minMotion = 1.5

	// motionSpreads is the same in terms of the frame's own noise (median
	// absolute differences).
	motionSpreads = 9
)

func (p *place) moves(m *motion, step int) bool {
	limit := max(minMotion, motionSpreads*m.spread)
	n := 0
	x0, y0 := (p.rect.Min.X+step-1)/step, (p.rect.Min.Y+step-1)/step
	x1, y1 := min(m.w, p.rect.Max.X/step), min(m.h, p.rect.Max.Y/step)
	for y := y0; y < y1; y++ {
		for _, v := range m.value[y*m.w+x0 : y*m.w+x1] {
			if v > limit {
				n++
			}
		}
	}
	return n >= movingCells
}

// step takes the next frame; m is nil for the first.
func (p *place) step(ctx context.Context, f *camera.Frame, s *sketch, m *motion) ([]Event, error) {
	var events []Event
	if m == nil || p.moves(m, s.step) {
		events, err := p.close(ctx)
		p.run = &run{frames: []*camera.Frame{f}, sketch: s, start: f.Time, end: f.Time}
		return events, err
	}
	r := p.run
	r.end, r.sketch = f.Time, s
	if len(r.frames) < p.o.frames() {
		r.frames = append(r.frames, f)
		if len(r.frames) == p.o.frames() {
			return p.judge(ctx)
		}
	}
	return events, nil
}

// close ends the run.
func (p *place) close(ctx context.Context) ([]Event, error) {
	r := p.run
	if r == nil || r.judged || len(r.frames) < quietFrames {
		return nil, nil
	}
	return p.judge(ctx)
}

// judge says what the run shows.
func (p *place) judge(ctx context.Context) ([]Event, error) {
	p.run.judged = true
	s := p.run.average(p.rect)
	p.run.frames = p.run.frames[:1]
	if p.known != nil && unchanged(p.known, s) {
		return nil, nil
	}
	found, err := card.Find(ctx, s.image, card.Options{Size: p.o.Size})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	best := -1
	for i, d := range found.Cards {
		if d.Unusable == "" && (best < 0 || d.Confidence > found.Cards[best].Confidence) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	p.known = s
	d := found.Cards[best]
	for i := range d.Corners {
		d.Corners[i] = d.Corners[i].Add(plane.Point{X: float64(s.rect.Min.X), Y: float64(s.rect.Min.Y)})
	}
	sighting := &Sighting{Index: p.count, Zone: p.zone.Name, Start: s.start, End: s.end, Frames: s.frames, Image: s.image,
		Origin: s.rect.Min, Detection: d, MotionPx: s.motionPx}
	p.count++
	p.top = sighting
	return []Event{{Sighting: sighting}}, nil
}

// unchanged reports whether two stills show the same in the same place, light
// apart.
func unchanged(a, b *still) bool {
	ga, gb := greyOf(a.image, a.image.Bounds(), stillBin), greyOf(b.image, b.image.Bounds(), stillBin)
	d := shiftOf(ga, gb, 1)
	return d.ok && stillBin*math.Hypot(d.dx, d.dy) < stillPx && d.rms < 3
}
