package settle

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// place watches one zone: moving, quiet, and what lies there when it is quiet.
type place struct {
	zone  Zone
	rect  image.Rectangle // of the zone inside the frame
	o     Options
	run   *run
	watch image.Rectangle // where nothing may move for a card to lie still
	top   *lying          // the card on top, nil: none, or not known
	bare  *still          // the zone without a card, nil: never seen
	count int

	first  card.Detection // that the finder found, for the scale
	last   card.Detection // of the zone
	print  float64        // largest likeness of what is fine between two cards
	prints int
	pile   pile
	least  float64 // smallest share of the top card in sight since it was last still
	looks  int     // frames in which that was looked at
	shape  *region // its outline in pixels of small
}

// lying is a card at rest.
type lying struct {
	*still
	card.Detection
	quad     region // its corners in pixels of small
	sighting *Sighting
}

const (
	// quietFrames and quietTime make a run: so many differences in a row below
	// the threshold are not the turning point of a movement.
	quietFrames = 3
	quietTime   = 80 * time.Millisecond

	// movingCells is how many cells beyond the threshold are a movement; one
	// or two are a fly, a pixel of a lamp, noise of a dark corner.
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
	r := p.watch
	if r.Empty() {
		r = p.rect
	}
	x0, y0 := (r.Min.X+step-1)/step, (r.Min.Y+step-1)/step
	x1, y1 := min(m.w, r.Max.X/step), min(m.h, r.Max.Y/step)
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
	if m == nil || p.moves(m, s.step) {
		p.glimpse(s)
		events, err := p.close(ctx)
		p.run = &run{frames: []*camera.Frame{f}, sketch: s, start: f.Time, end: f.Time}
		return events, err
	}
	r := p.run
	r.end, r.sketch = f.Time, s
	if r.judged && p.top != nil && p.top.sighting != nil {
		p.top.end = f.Time
	}
	if len(r.frames) < p.o.frames() {
		r.frames = append(r.frames, f)
		if len(r.frames) == p.o.frames() {
			return p.judge(ctx)
		}
	}
	return nil, nil
}

// close ends the run.
func (p *place) close(ctx context.Context) ([]Event, error) {
	r := p.run
	if r == nil || r.judged || !r.quiet() {
		return nil, nil
	}
	return p.judge(ctx)
}

// quiet reports whether the run is long enough to mean anything. A slow
// camera shows a card that lies for a fifth of a second in two frames.
func (r *run) quiet() bool {
	n := len(r.frames)
	return n >= 2 && r.end-r.start >= quietTime && (n >= quietFrames || r.end-r.start >= 60*time.Millisecond*time.Duration(n-1))
}

// judge says what the run shows.
func (p *place) judge(ctx context.Context) ([]Event, error) {
	p.run.judged = true
	look := p.rect
	if p.top != nil {
		look = p.top.bounds()
	}
	s := p.run.average(p.rect, look)
	p.run.frames = p.run.frames[:1]
	top := p.top
	switch {
	case top != nil:
		if d := p.differs(top, s); d.same {
			p.looks, p.least = 0, 1
			if !d.blurred {
				top.still = s.keeping(top.still)
			}
			return nil, nil
		}
		if p.handIn(top.still, s) {
			p.trace(s, "hand")
			return nil, nil
		}
	case p.bare != nil:
		if p.handIn(p.bare, s) {
			p.trace(s, "hand")
			return nil, nil
		}
		if sketchesAlike(p.bare.sketch, s.sketch, p.rect) {
			return nil, nil
		}
	}
	now, err := p.look(ctx, s)
	if err != nil {
		return nil, err
	}
	if now == nil {
		p.trace(s, "no card")
		if top != nil && !p.gone(top, s) {
			return nil, nil
		}
		p.top, p.bare = nil, nil
		if p.empty(s) {
			p.bare = s
		}
		return nil, nil
	}
	if top != nil {
		v := p.judgeChange(top, now)
		p.looks, p.least = 0, 1
		if !v.fresh {
			now.sighting = top.sighting
			p.top = now
			return nil, nil
		}
	}
	sighting := &Sighting{Index: p.count, Zone: p.zone.Name, Start: s.start, End: s.end, Frames: s.frames, Image: s.image,
		Origin: s.rect.Min, Detection: now.Detection, MotionPx: s.motionPx}
	p.count++
	now.sighting = sighting
	p.top = now
	return []Event{{Sighting: sighting}}, nil
}

func (p *place) trace(s *still, format string, args ...any) {
	if debug {
		fmt.Fprintf(os.Stderr, "%.2f %s %s\n", s.start.Seconds(), p.zone.Name, fmt.Sprintf(format, args...))
	}
}

// look finds the card of a still, nil for none: like the one before, or else
// from nothing.
func (p *place) look(ctx context.Context, s *still) (*lying, error) {
	if p.shape != nil {
		var before *grey
		if p.top != nil {
			before = p.top.small
		} else if p.bare != nil {
			before = p.bare.small
		}
		q, score := fitTop(s.small, before, *p.shape)
		p.trace(s, "fit score %.2f", score)
		if score > goodFit {
			now := &lying{still: s, Detection: p.last}
			now.Confidence = min(1, score/2)
			p.outline(now, q)
			return now, nil
		}
	}
	d, err := p.find(ctx, s)
	if err != nil || d == nil {
		return nil, err
	}
	now := &lying{still: s, Detection: *d}
	for i, c := range d.Corners {
		now.quad[i] = plane.Point{X: (c.X-float64(s.rect.Min.X)+0.5)/stillBin - 0.5, Y: (c.Y-float64(s.rect.Min.Y)+0.5)/stillBin - 0.5}
	}
	p.first, p.last, p.shape = *d, *d, &now.quad
	return now, nil
}

// goodFit is the score of an outline whose sides are all seen.
const goodFit = 0.5

// gone reports whether the card is no longer where it was: nothing of its
// outline is left.
func (p *place) gone(top *lying, s *still) bool {
	r := rimOf(top.small, s.small, top.quad, region{}, math.Hypot(top.noise, s.noise))
	return r.points >= rimEnough && r.stays < 0.2
}

// empty reports whether a still in which no card was found shows none: it is
// as even as a table.
func (p *place) empty(s *still) bool { return true }

// keeping is s with the beginning of the still before.
func (s *still) keeping(before *still) *still {
	k := *s
	k.start = before.start
	return &k
}

func (l *lying) bounds() image.Rectangle {
	lo, hi := l.Corners[0], l.Corners[0]
	for _, c := range l.Corners {
		lo = plane.Point{X: min(lo.X, c.X), Y: min(lo.Y, c.Y)}
		hi = plane.Point{X: max(hi.X, c.X), Y: max(hi.Y, c.Y)}
	}
	return image.Rect(int(lo.X)-4, int(lo.Y)-4, int(hi.X)+5, int(hi.Y)+5)
}

// find returns the card of the still in pixels of the frame, nil for none.
func (p *place) find(ctx context.Context, s *still) (*card.Detection, error) {
	o := card.Options{Size: p.o.Size}
	found, err := card.Find(ctx, s.image, o)
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	var best *card.Detection
	for i := range found.Cards {
		if d := &found.Cards[i]; (d.Unusable == "" || d.Unusable == "blurred") && (best == nil || d.Confidence > best.Confidence) {
			best = d
		}
	}
	if best == nil {
		p.trace(s, "finder: %+v", found)
		if debug {
			f, _ := os.Create(fmt.Sprintf("/tmp/s-settle/none_%s_%.2f.png", p.zone.Name, s.start.Seconds()))
			png.Encode(f, s.image)
			f.Close()
		}
		return nil, nil
	}
	d := *best
	for i := range d.Corners {
		d.Corners[i] = d.Corners[i].Add(plane.Point{X: float64(s.rect.Min.X), Y: float64(s.rect.Min.Y)})
	}
	return &d, nil
}

// change is how a still differs from the card known.
type change struct {
	same bool
	similar
	likeness
	moved   float64 // px of the frame
	blurred bool    // one of the two is out of focus
}

// blurredPx is how far a picture that is out of focus may seem to have moved.
const blurredPx = 1.5

// samePx is how far the picture of a card that nobody touched may seem to
// move, by noise and by light that changes over it.
const samePx = 0.15

// differs compares a still with the card known in its place.
func (p *place) differs(top *lying, s *still) change {
	in := top.quad.grown(1)
	c := plane.Quad(in).Centre()
	k := similar{cx: c.X, cy: c.Y, gain: 1}
	if !k.refine(top.small, s.small, in, 1) {
		return change{}
	}
	d := change{similar: k, moved: stillBin * k.moved(plane.Quad(top.quad))}
	look := func(a, b *grey) bool {
		d.likeness = compare(a, b, similar{cx: c.X, cy: c.Y, gain: 1, ok: true}, in, math.Hypot(top.noise, s.noise))
		return d.agree > 0.9 || d.blocks < 10 && d.excess < 2
	}
	d.same = d.moved < samePx && look(top.small, s.small)
	if a, b := top.small, s.small; !d.same && d.moved < blurredPx {
		// Perhaps one of them is out of focus.
		for range 3 {
			if variance(a, in) > variance(b, in) {
				a = softened(a)
			} else {
				b = softened(b)
			}
			k := similar{cx: c.X, cy: c.Y, gain: 1}
			if k.refine(a, b, in, 1) && stillBin*k.moved(plane.Quad(top.quad)) < samePx && look(a, b) {
				d.same, d.similar, d.blurred = true, k, true
				break
			}
		}
	}
	if debug {
		fmt.Fprintf(os.Stderr, "%.2f %s differs moved %.3f grow %.5f like %+v same %v noise %.2f\n", s.start.Seconds(), p.zone.Name, d.moved, d.grow, d.likeness, d.same, s.noise)
	}
	return d
}

var debug = os.Getenv("SETTLE_DEBUG") != ""
