package settle

import (
	"context"
	"image"
	"slices"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// place watches one zone: what moves, when it is quiet, and what lies there
// then.
//
//	moving ──quiet frames──▶ run ──average──▶ still ──judge──▶ the same as before
//	   ▲                      │                                an arm: wait
//	   └──────something moves─┘                                no card
//	                                                           a card: another, or moved?
type place struct {
	zone Zone
	rect image.Rectangle // of the zone inside the frame
	o    Options
	run  *run

	others []*place // of the same table, this one among them
	core   *run     // since something moved where the cards lie

	known bool // what lies there was told since then
	bin   int  // of small

	top     *lying    // the card on top, nil: none, or not known
	bare    *still    // the zone without a card, nil: never seen
	ground  *still    // the zone when it was first at rest
	covered bool      // something else was seen there since
	pending *Sighting // of top, not told yet: perhaps it is seen better soon
	count   int
	calm    time.Duration // when top was last seen at rest

	first card.Detection // that the finder found, for the scale
	last  card.Detection // of the zone
	shape *region        // its outline in pixels of small
	model region         // the mean of the outlines so far
	lain  int            // how many went into it
	trend float64        // by how much they grow from card to card, relative
	seen  *still         // what was looked at last, a card or not
	clean *still         // the last that showed the zone without a hand
	least float64        // smallest share of top in sight since it was last at rest
	bared float64        // largest share of its place that was bare since
	looks int            // frames in which that was looked at
	habit habit          // what cards of this zone are like

	arm       time.Duration // since when an arm lies in the zone, if armed
	armed     bool
	armTold   bool
	blurTold  bool
	countTold int
	misses    int // stills in a row without a card that could be told
}

// lying is a card at rest.
type lying struct {
	*still
	card.Detection
	quad  region // its corners in pixels of small
	guess bool   // they are rough

	// explains: what changed lies inside it, and is most of it.
	explains bool

	// inside is the share of it that differs from the card known; 1 where that
	// is not known.
	inside float64

	plain bool // most of its sides are seen
}

const (
	// quietFrames and quietTime make a run: so many differences in a row below
	// the threshold are not the turning point of a movement.
	quietFrames = 3
	quietTime   = 80 * time.Millisecond

	// movingCells is how many cells beyond the threshold, beside another one
	// beyond it, are a movement; one or two are a fly, a pixel of a lamp.
	movingCells = 3

	// shortest is how long a card needs at least to come into a zone and lie
	// still: thrown at two a second it takes a tenth of a second.
	shortest = 70 * time.Millisecond

	// sizeKnown is how many cards make their size certain.
	sizeKnown = 3

	// missesToForget: a thing on the card may hide it once.
	missesToForget = 2

	// armStays is when a resting hand is worth a word.
	armStays = 3 * time.Second
)

// moves reports whether something moves in the zone, and whether it does where
// the cards lie.
func (p *place) moves(m *motion, step int) (any, core bool) {
	limit := m.limit()
	n, inner := 0, 0
	x0, y0 := (p.rect.Min.X+step-1)/step, (p.rect.Min.Y+step-1)/step
	x1, y1 := min(m.w, p.rect.Max.X/step), min(m.h, p.rect.Max.Y/step)
	cells := p.coreCells(step)
	for y := y0; y < y1; y++ {
		c0, c1 := cells.span(float64(y), m.w)
		for x := x0; x < x1; x++ {
			if m.value[y*m.w+x] <= limit {
				continue
			}
			// Noise is alone, the rim of a thing is not.
			for _, k := range [4]int{-1, -m.w - 1, -m.w, -m.w + 1} {
				if i := y*m.w + x + k; i >= 0 && m.value[i] > limit {
					n++
					if x >= c0 && x < c1 {
						inner++
					}
					break
				}
			}
		}
	}
	return n >= movingCells, inner >= movingCells
}

// coreCells is where the zone's cards lie on average, or else its middle, in
// cells.
func (p *place) coreCells(step int) (cells region) {
	if p.shape == nil {
		r := p.rect.Inset(min(p.rect.Dx(), p.rect.Dy()) / 5)
		cells = region(plane.Rect(float64(r.Min.X), float64(r.Min.Y), float64(r.Dx()), float64(r.Dy())))
	} else {
		still := still{rect: p.rect.Intersect(p.rect), bin: p.bin}
		for i, c := range p.model {
			cells[i] = still.toFrame(c)
		}
	}
	return cells.scaled(1 / float64(step))
}

// step takes the next frame; m is nil for the first.
func (p *place) step(ctx context.Context, f *camera.Frame, s *sketch, m *motion) ([]Event, error) {
	any, core := true, true
	if m != nil {
		any, core = p.moves(m, s.step)
	}
	var events []Event
	if any {
		var err error
		if events, err = p.close(ctx); err != nil {
			return events, err
		}
		if core {
			e, err := p.closeCore(ctx)
			events = append(events, e...)
			if err != nil {
				return events, err
			}
			p.known = false
		}
		p.glimpse(s)
		p.run = &run{frames: []*camera.Frame{f}, sketch: s, start: f.Time, end: f.Time}
	}
	p.follows(f, s, m, core)
	if any {
		return events, nil
	}
	r := p.run
	r.end, r.sketch = f.Time, s
	r.unsteady = r.unsteady || m.factor > 1
	if r.judged {
		if r.same && p.top != nil {
			p.calm = f.Time
			if p.pending != nil {
				p.pending.End = f.Time
			}
		}
		return p.armNotice(f.Time), nil
	}
	r.frames = append(r.frames, f)
	if len(r.frames) < p.o.frames() {
		return nil, nil
	}
	return p.judge(ctx, r)
}

// follows keeps the frames since something moved where the cards lie.
func (p *place) follows(f *camera.Frame, s *sketch, m *motion, core bool) {
	if core || p.core == nil {
		p.core = &run{start: f.Time}
	}
	r := p.core
	r.end, r.sketch = f.Time, s
	r.unsteady = r.unsteady || m != nil && m.factor > 1
	r.frames = append(r.frames, f)
	if len(r.frames) > p.o.frames() {
		r.frames = slices.Delete(r.frames, 0, 1)
		r.start = r.frames[0].Time
	}
}

// close ends the run.
func (p *place) close(ctx context.Context) ([]Event, error) {
	r := p.run
	if r == nil || r.judged || !r.quiet() {
		return nil, nil
	}
	return p.judge(ctx, r)
}

// closeCore judges a card that was never seen in a quiet zone, since a hand was
// always somewhere in it, by the frames in which nothing moved where it lies.
func (p *place) closeCore(ctx context.Context) ([]Event, error) {
	r := p.core
	if r == nil || p.known || !r.quiet() {
		return nil, nil
	}
	// The hand is farthest in the middle of the time, as a rule.
	all := r.frames
	n := len(all)
	parts := [][]*camera.Frame{all}
	if n >= 2*quietFrames {
		parts = [][]*camera.Frame{all[n/4 : n-n/4], all[:n/2], all[n-n/2:]}
	}
	var events []Event
	for _, part := range parts {
		some := *r
		some.rough, some.frames = true, slices.Clone(part)
		some.start, some.end = part[0].Time, part[len(part)-1].Time
		if !some.quiet() {
			continue
		}
		e, err := p.judge(ctx, &some)
		events = append(events, e...)
		if err != nil || p.known {
			return events, err
		}
	}
	return events, nil
}

// quiet reports whether the run is long enough to mean anything. A slow
// camera shows a card that lies for a fifth of a second in two frames.
func (r *run) quiet() bool {
	n := len(r.frames)
	return n >= 2 && r.end-r.start >= quietTime && (n >= quietFrames || r.end-r.start >= 60*time.Millisecond*time.Duration(n-1))
}

// unsureOutline is the confidence below which package card doubts its own
// outline.
const unsureOutline = 0.6

// judge says what the run shows.
func (p *place) judge(ctx context.Context, r *run) ([]Event, error) {
	r.judged = true
	look := p.rect
	if p.top != nil {
		look = p.top.bounds()
	}
	s := r.average(p.rect, look)
	p.bin = s.bin
	r.frames = r.frames[:1]
	top := p.top
	if p.ground == nil {
		p.ground = s
	}
	reference := p.bare
	if top != nil {
		reference = top.still
		if d := p.differs(top, s); d.same {
			r.same, p.armed, p.seen, p.known = true, false, nil, true
			p.atRest(r, s)
			if d.blurred || r.rough {
				return nil, nil
			}
			s.one = nil
			top.still = s
			return p.better(s), nil
		}
	}
	if p.bare != nil && p.alike(p.bare, s) {
		p.armed = false
		events := p.tell()
		s.one = nil
		p.top, p.bare, p.seen, p.clean, p.known = nil, s, nil, s, true
		return events, nil
	}
	if p.ground != nil && top != nil && p.covered && p.alike(p.ground, s) {
		// What lay there before anything moved is no card, or the first one
		// uncovered again: a place for cards printed on a mat looks like one.
		p.armed = false
		events := p.tell()
		s.one = nil
		p.top, p.bare, p.seen, p.clean, p.known = nil, s, nil, s, true
		return events, nil
	}
	// Beside the card known, or beside what was seen last, if that could not
	// be told: one card that is missed must not hide the next.
	before := []*still{reference}
	if p.seen != nil && p.seen != reference {
		before = append(before, p.seen)
	}
	p.seen = s
	var now *lying
	arm, find := false, true
	for i, b := range before {
		at, guess := p.fit(s, b)
		// A hand that went is no hand that came: its absence is asked of a
		// still without one.
		still := b
		if b != nil && b.rough && p.clean != nil {
			still = p.clean
		}
		in := still != nil && p.handIn(still, s)
		if i == 0 {
			arm, find = in, guess == nil
		}
		if at == nil && guess != nil && top != nil && i == 0 && !r.rough {
			if defocused(top, guess) {
				// The lens looks for its focus; what comes after will tell.
				return nil, nil
			}
			at = guess
		}
		if i > 0 && at != nil && !at.explains {
			continue // a hand that rests changes nothing
		}
		if at != nil && (!in || at.explains && at.plain && !p.handBeside(still, s, at.quad) || p.beside(still, s, at.quad)) {
			if now = at; i > 0 {
				now.inside = 1
			}
			break
		}
	}
	if now == nil && find && (!arm || p.lain < sizeKnown) {
		var err error
		if now, err = p.find(ctx, s); err != nil {
			s.one = nil
			return nil, err
		}
		if now == nil && p.shape != nil {
			// Whatever was known of the card's size is wrong by now, unless
			// some cards had it.
			if p.misses++; p.misses >= missesToForget && p.lain < sizeKnown {
				p.misses, p.shape = 0, nil
				if now, err = p.find(ctx, s); err != nil {
					s.one = nil
					return nil, err
				}
			}
		}
		if now != nil && arm && (!p.within(now, s.sketch.step) || !p.beside(reference, s, now.quad)) {
			now = nil
		}
		if now != nil {
			p.found(now)
			now.inside = 1
		}
	}
	s.one = nil
	if now != nil {
		p.misses = 0
	}
	if now != nil && top != nil && p.lyingOn(top, s, now.quad) {
		arm, now = true, nil
	}
	if arm && now == nil {
		if r.rough {
			return nil, nil
		}
		if !p.armed {
			p.armed, p.armTold, p.arm = true, false, s.start
		}
		return p.armNotice(s.end), nil
	}
	p.armed = false
	if now == nil {
		if top != nil && !p.gone(top, s) {
			return nil, nil // neither it nor another: perhaps a thing lies on it
		}
		events := p.tell()
		p.top, p.bare, p.seen, p.clean, p.known = nil, s, nil, s, true
		return events, nil
	}
	r.same, p.known = true, true
	var events []Event
	if top != nil {
		v := p.judgeChange(top, now)
		if v.alike && v.weight < 3 && !r.rough && blurredBeside(top, now) {
			// The lens looks for its focus; what comes after will tell.
			r.same, p.known = false, false
			return nil, nil
		}
		if !v.alike && now.unsteady && now.Confidence < unsureOutline && !alikeShape(top.quad, now.quad) {
			// A hand holds the camera, and where the card lies is not sure: its
			// picture was compared at a wrong place. A better still will tell.
			r.same, p.known = false, false
			return nil, nil
		}
		if v.doubtful() {
			events = append(events, p.notice(s.start, "uncertain", doubt(v)))
		}
		p.atRest(r, s)
		if !v.fresh {
			if sharper(top, now) {
				// The place is the new one, the picture to compare with too.
				p.top = now
			}
			return append(events, p.better(s)...), nil
		}
	}
	p.atRest(r, s)
	events = append(p.tell(), events...)
	if top == nil {
		p.habit.bare++
	} else {
		p.habit.direct++
	}
	p.covered = top != nil || p.ground != s
	p.top = now
	p.follow(now)
	p.pending = p.sighting(now)
	if len(s.frames) >= enoughFrames {
		events = append(events, p.tell()...)
	}
	return events, nil
}

// within reports whether a card lies clear of the zone's border, where what
// reaches in can be told from it; step is the side of a cell, px.
func (p *place) within(l *lying, step int) bool {
	r := quadBounds(plane.Quad(l.Corners), 0)
	return r.In(p.rect.Inset(2 * step))
}

// atRest forgets what was seen of the movement before.
func (p *place) atRest(r *run, s *still) {
	p.looks, p.least, p.bared = 0, 1, 0
	if !r.rough {
		p.clean = s
		p.calm = s.end // of all the zone, which is what a hand takes its time for
	}
}

// sighting makes one of a card at rest.
func (p *place) sighting(l *lying) *Sighting {
	g := &Sighting{Index: p.count, Zone: p.zone.Name, Start: l.start, End: l.end, Frames: l.frames, Image: l.image,
		Origin: l.rect.Min, Detection: l.Detection, MotionPx: l.motionPx, SharpnessPx: l.sharpness()}
	p.count++
	return g
}

// better takes a still of the same card for the sighting that was not told
// yet.
func (p *place) better(s *still) []Event {
	g := p.pending
	if g == nil {
		return nil
	}
	g.End = s.end
	if len(s.frames) > len(g.Frames) && p.top.still == s {
		start, index := g.Start, g.Index
		p.count--
		*g = *p.sighting(p.top)
		g.Start, g.Index = start, index
	}
	if len(g.Frames) >= enoughFrames {
		return p.tell()
	}
	return nil
}

// tell hands the pending sighting out.
func (p *place) tell() []Event {
	g := p.pending
	if g == nil {
		return nil
	}
	p.pending = nil
	events := []Event{{Sighting: g}}
	if g.Detection.Unusable == unusableBlurred && !p.blurTold {
		p.blurTold = true
		events = append(events, p.notice(g.Start, "blurred", "a card was out of focus while it lay still; lock the camera's focus"))
	}
	return events
}

// unusableBlurred is what package card says of a blurred card.
const unusableBlurred = "blurred"

func (p *place) notice(t time.Duration, code, text string) Event {
	return Event{Notice: &Notice{Time: t, Zone: p.zone.Name, Code: code, Text: text}}
}

func (p *place) armNotice(t time.Duration) []Event {
	if !p.armed || p.armTold || t-p.arm < armStays {
		return nil
	}
	p.armTold = true
	return []Event{p.notice(t, "hand", "a hand or a thing lies in the zone; take it away so that the card can be seen")}
}

func (l *lying) bounds() image.Rectangle { return quadBounds(plane.Quad(l.Corners), 4) }

func quadBounds(q plane.Quad, grow float64) image.Rectangle {
	lo, hi := q[0], q[0]
	for _, c := range q {
		lo = plane.Point{X: min(lo.X, c.X), Y: min(lo.Y, c.Y)}
		hi = plane.Point{X: max(hi.X, c.X), Y: max(hi.Y, c.Y)}
	}
	return image.Rect(int(lo.X-grow), int(lo.Y-grow), int(hi.X+grow)+1, int(hi.Y+grow)+1)
}
