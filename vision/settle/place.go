package settle

import (
	"context"
	"fmt"
	"image"
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
	if top != nil {
		if d := p.differs(top, s); d.same {
			top.still = s.keeping(top.still)
			return nil, nil
		}
	} else if p.bare != nil && !p.handIn(p.bare, s, nil) && sketchesAlike(p.bare.sketch, s.sketch, p.rect) {
		return nil, nil
	}
	if p.top != nil && p.handIn(p.top.still, s, nil) || p.bare != nil && p.top == nil && p.handIn(p.bare, s, nil) {
		if debug {
			fmt.Fprintf(os.Stderr, "%.2f %s hand\n", s.start.Seconds(), p.zone.Name)
		}
		return nil, nil
	}
	d, err := p.find(ctx, s)
	if err != nil {
		return nil, err
	}
	if d == nil {
		if debug {
			fmt.Fprintf(os.Stderr, "%.2f %s no card\n", s.start.Seconds(), p.zone.Name)
		}
		p.top, p.bare = nil, s
		return nil, nil
	}
	now := &lying{still: s, Detection: *d}
	for i, c := range d.Corners {
		now.quad[i] = plane.Point{X: (c.X - float64(s.rect.Min.X) + 0.5) / stillBin, Y: (c.Y - float64(s.rect.Min.Y) + 0.5) / stillBin}
		now.quad[i] = now.quad[i].Add(plane.Point{X: -0.5, Y: -0.5})
	}
	if top != nil {
		v := p.judgeChange(top, now)
		if !v.fresh {
			now.sighting = top.sighting
			p.top = now
			return nil, nil
		}
	}
	sighting := &Sighting{Index: p.count, Zone: p.zone.Name, Start: s.start, End: s.end, Frames: s.frames, Image: s.image,
		Origin: s.rect.Min, Detection: *d, MotionPx: s.motionPx}
	p.count++
	now.sighting = sighting
	p.top = now
	return []Event{{Sighting: sighting}}, nil
}

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
		if d := &found.Cards[i]; d.Unusable == "" && (best == nil || d.Confidence > best.Confidence) {
			best = d
		}
	}
	if best == nil {
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
	moved float64 // px of the frame
}

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
	still := similar{cx: c.X, cy: c.Y, gain: 1, ok: true}
	d := change{similar: k, moved: stillBin * k.moved(plane.Quad(top.quad))}
	d.likeness = compare(top.small, s.small, still, top.quad.grown(1), math.Hypot(top.noise, s.noise))
	d.same = d.moved < samePx && (d.agree > 0.9 || d.blocks < 10 && d.excess < 2)
	if debug {
		fmt.Fprintf(os.Stderr, "%.2f %s differs moved %.3f grow %.5f like %+v same %v noise %.2f\n", s.start.Seconds(), p.zone.Name, d.moved, d.grow, d.likeness, d.same, s.noise)
	}
	return d
}

var debug = os.Getenv("SETTLE_DEBUG") != ""

// verdict is whether a changed still shows another card.
type verdict struct {
	fresh bool
}

// judgeChange decides between another card and the same one moved.
func (p *place) judgeChange(top, now *lying) verdict {
	r := register(top.small, now.small, top.quad.grown(1))
	noise := math.Hypot(top.noise, now.noise)
	var l likeness
	var moved float64
	var add, remove rim
	if r.ok {
		l = compare(top.small, now.small, r, top.quad.grown(-4), noise)
		moved = stillBin * r.moved(plane.Quad(top.quad))
		var to region
		for i, c := range top.quad {
			to[i] = r.at(c)
		}
		add = rimOf(top.small, now.small, top.quad, to, noise)
		remove = rimOf(now.small, top.small, to, top.quad, noise)
	}
	if debug {
		fmt.Fprintf(os.Stderr, "%.2f %s change ok %v moved %.2f grow %.5f turn %.5f rms %.2f like %+v add %+v remove %+v\n", now.start.Seconds(), p.zone.Name, r.ok, moved, r.grow, r.turn, r.rms, l, add, remove)
	}
	return verdict{fresh: true}
}
