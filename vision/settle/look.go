package settle

import (
	"context"
	"fmt"
	"math"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// toFrame takes a place in small to the frame, fromFrame back.
func (s *still) toFrame(p plane.Point) plane.Point {
	b := float64(s.bin)
	return plane.Point{X: (p.X+0.5)*b - 0.5 + float64(s.rect.Min.X), Y: (p.Y+0.5)*b - 0.5 + float64(s.rect.Min.Y)}
}

func (s *still) fromFrame(p plane.Point) plane.Point {
	b := float64(s.bin)
	return plane.Point{X: (p.X-float64(s.rect.Min.X)+0.5)/b - 0.5, Y: (p.Y-float64(s.rect.Min.Y)+0.5)/b - 0.5}
}

// goodFit is the score of an outline whose sides are all seen: see pair.
const goodFit = 1

// fit finds the card of a still whose like is known, beside a still of before,
// nil for none. Where another picture lies there whose sides cannot be seen
// well, guess is roughly where it lies, and now is nil.
func (p *place) fit(s, before *still) (now, guess *lying) {
	if p.shape == nil {
		return nil, nil
	}
	var was *grey
	if before != nil {
		was = before.small
	}
	t := fitTop(s.small, was, p.model)
	q, score := t.q, t.sides
	sides, mean := sidesSeen(s.small, q, s.noise)
	// A card that is taken away changes as much, and leaves no sides.
	explains := t.inside > 0.5 && t.outside < 0.06 && mean > 0.5
	if !explains && (score < goodFit || sides < 0.4) {
		// A busy print hides its own outline: where it lies tells it.
		if top := p.top; top != nil {
			in, noise := top.quad.grown(-4), math.Hypot(top.noise, s.noise)
			if r := register(top.small, s.small, top.quad.grown(1)); r.ok {
				if l := compare(top.small, s.small, r, in, noise); l.agree > 0.8 && l.blocks >= 10 {
					for i, c := range top.quad {
						q[i] = r.at(c)
					}
					q, score, sides = sharpen(s.small, q), goodFit, 1
				}
			}
		}
	}
	if p.top != nil && before == p.top.still && mean < 0.6 && leftBare(p.top, s, q) {
		return nil, nil
	}
	if explains || score >= goodFit && sides >= 0.4 {
		now := &lying{still: s, Detection: p.last, explains: explains, inside: t.inside, plain: mean > 0.75}
		now.Confidence, now.Unusable = min(1, score/2), ""
		p.outline(now, q)
		return now, nil
	}
	if p.lain < sizeKnown || s.unsteady || mean < 0.4 || t.inside < guessInside || t.outside > guessOutside {
		return nil, nil
	}
	guess = &lying{still: s, Detection: p.last, guess: true, inside: t.inside, plain: mean > 0.75}
	guess.Confidence, guess.Unusable = 0, unusableUnseen
	guess.quad = t.q
	for i, c := range t.q {
		guess.Corners[i] = s.toFrame(c)
		guess.SigmaPx[i] = 4 * float64(s.bin)
	}
	return nil, guess
}

// leftBare reports whether what changed is that the top card was taken away: in
// its place the sides are far less to be seen than its own were.
func leftBare(top *lying, s *still, q region) bool {
	if plane.Quad(q).Centre().Sub(plane.Quad(top.quad).Centre()).Norm() > 0.1*math.Sqrt(math.Abs(plane.Quad(q).Area())) {
		return false
	}
	return sidesStep(s.small, q) < 0.4*sidesStep(top.small, top.quad)
}

// find finds any card of a still, nil for none.
func (p *place) find(ctx context.Context, s *still) (*lying, error) {
	found, err := card.Find(ctx, s.image, card.Options{Size: p.o.Size})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	// A card that cannot be inspected is a card all the same, but for one that
	// reaches out of the zone.
	rank := func(d *card.Detection) float64 {
		if math.Sqrt(d.Corners.Area()) < smallestCard*math.Sqrt(float64(s.rect.Dx()*s.rect.Dy())) {
			return -1 // a fibre, a part of a print on the table
		}
		if p.shape != nil && !p.likeLast(d, s.unsteady) {
			return -1
		}
		if p.shape == nil && !s.unsteady && !p.likeOthers(d) {
			return -1
		}
		switch d.Unusable {
		case "":
			return d.Confidence + 1
		case unusableCut:
			return -1
		}
		return d.Confidence
	}
	var best *card.Detection
	for i := range found.Cards {
		if d := &found.Cards[i]; rank(d) > 0.3 && (best == nil || rank(d) > rank(best)) {
			best = d
		}
	}
	if best == nil && p.shape == nil {
		// The first card of a zone: more of the table may show it better.
		if d, err := p.findWider(ctx, s, rank); err != nil {
			return nil, err
		} else if d != nil {
			best = d
		}
	}
	if best == nil {
		now := p.fromBare(s)
		if now != nil && p.top == nil {
			return now, nil
		}
		return nil, nil
	}
	now := &lying{still: s, Detection: *best}
	for i, c := range best.Corners {
		now.Corners[i] = c.Add(plane.Point{X: float64(s.rect.Min.X), Y: float64(s.rect.Min.Y)})
		now.quad[i] = s.fromFrame(now.Corners[i])
	}
	if p.shape == nil && p.bare != nil && !p.handIn(p.bare, s) {
		// A frame printed on the card may be plainer than its sides; all that
		// changed since the zone was bare is the card.
		if all := p.fromBare(s); all != nil && plainSides(s, all.quad) && math.Abs(all.Corners.Area()/now.Corners.Area()-1) > wholeCard && all.Corners.Contains(now.Corners.Centre()) {
			now = all
		}
	}
	if p.top != nil {
		now.likeBefore(p.top)
	}
	return now, nil
}

// findWider looks for a card of the zone in more than the zone, in one frame,
// in pixels of the zone's picture; nil for none.
func (p *place) findWider(ctx context.Context, s *still, rank func(*card.Detection) float64) (*card.Detection, error) {
	r := p.rect.Inset(-max(p.rect.Dx(), p.rect.Dy()) / 4).Intersect(s.one.Bounds())
	if r == p.rect {
		return nil, nil
	}
	found, err := card.Find(ctx, s.one.Crop(r), card.Options{Size: p.o.Size})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	var best *card.Detection
	off := r.Min.Sub(s.rect.Min)
	for i := range found.Cards {
		d := found.Cards[i]
		for k := range d.Corners {
			d.Corners[k] = d.Corners[k].Add(plane.Point{X: float64(off.X), Y: float64(off.Y)})
		}
		c := d.Corners.Centre()
		in := c.X >= 0 && c.Y >= 0 && c.X < float64(s.rect.Dx()) && c.Y < float64(s.rect.Dy())
		if in && rank(&d) > 0.3 && (best == nil || rank(&d) > rank(best)) {
			best = &d
		}
	}
	return best, nil
}

// smallestCard is how small a zone's card may be beside the zone, by the roots
// of their areas: a zone is made for a card and the scatter of a pile, and may
// be all that a camera held in a hand sees.
const smallestCard = 0.1

const (
	// sameScale is how much larger a card may look than the one before in its
	// zone, by the pile below it; handScale is that of a camera in a hand.
	sameScale = 1.05
	handScale = 1.15

	// deckScale is how much larger the top of a deck of a hundred sleeves may
	// look than a card on the table.
	deckScale = 1.3

	// sameRatio is by how much the ratio of its sides may differ: what is
	// wider or higher is the outline of a pile.
	sameRatio = 0.04
)

// likeLast reports whether a detection has the size of the zone's cards: a deck
// changes its distance, not its cards.
func (p *place) likeLast(d *card.Detection, unsteady bool) bool {
	scale := math.Sqrt(d.Corners.Area() / p.last.Corners.Area())
	limit := sameScale
	if unsteady {
		limit = handScale
	}
	if !(scale > 1/limit && scale < limit) {
		return false
	}
	ratio := func(q plane.Quad) float64 {
		s := q.Sides()
		a, b := s[0]+s[2], s[1]+s[3]
		return min(a, b) / max(a, b)
	}
	return unsteady || math.Abs(ratio(d.Corners)/ratio(p.last.Corners)-1) < sameRatio
}

// plainSides reports whether all sides of a card are seen nearly all along.
func plainSides(s *still, q region) bool {
	least, mean := sidesSeen(s.small, q, s.noise)
	return least > 0.6 && mean > 0.85
}

// wholeCard is by how much the area of what changed may differ from that of the
// card found.
const wholeCard = 0.06

// likeOthers reports whether a detection has the size of the cards in the other
// zones of the table: one deck is dealt from one to the other, whose height
// makes the difference.
func (p *place) likeOthers(d *card.Detection) bool {
	for _, o := range p.others {
		if o == p || o.shape == nil || o.lain == 0 {
			continue
		}
		if scale := math.Sqrt(d.Corners.Area() / o.last.Corners.Area()); scale < 1/deckScale || scale > deckScale {
			return false
		}
	}
	return true
}

// found takes the outline of a card that was found without knowing another.
func (p *place) found(l *lying) {
	fresh := p.shape == nil
	p.first, p.last, p.shape = l.Detection, l.Detection, &l.quad
	if fresh {
		p.model, p.lain = l.quad, 0
	}
}

// follow lets the mean place of the zone's cards follow one more, and their
// size, which grows or shrinks with the pile (an alpha-beta filter).
func (p *place) follow(l *lying) {
	p.lain++
	if l.unsteady {
		p.model, p.trend = l.quad, 0
		return
	}
	var s similar
	if c := plane.Quad(p.model).Centre(); l.guess {
		s = similar{cx: c.X, cy: c.Y}
	} else {
		s = similarOf(p.model, l.quad)
		w := max(meanWeight, 1/float64(p.lain))
		s.tx, s.ty, s.turn = w*s.tx, w*s.ty, w*s.turn
		off := clamp64(s.grow, -shapeGrow, shapeGrow)
		p.trend = clamp64(p.trend+trendWeight*off, -pileGrow, pileGrow)
		s.grow = sizeWeight * off
	}
	s.grow += p.trend
	for i, c := range p.model {
		p.model[i] = s.at(c)
	}
}

const (
	// meanWeight makes the mean place that of some six cards.
	meanWeight = 0.15

	// sizeWeight and trendWeight are how much of a change of size goes into the
	// size and into its trend; pileGrow bounds the trend: a sleeve of 0.7 mm
	// below makes a card look larger by 0.0018 to a camera 40 cm away.
	sizeWeight  = 0.3
	trendWeight = 0.05
	pileGrow    = 0.004
)

// guessInside is which share of a card must have changed at least to be another
// picture.
const guessInside = 0.4

// guessOutside is how much may have changed elsewhere then.
const guessOutside = 0.6

// unusableUnseen is said of a card whose outline could not be told from the
// pile below it.
const unusableUnseen = "partly covered, or a side that cannot be seen"

// unusableCut is what package card says of a card that the picture cuts.
const unusableCut = "cut by the frame"

// pileSigmaMM is the standard uncertainty of a corner of a card on a pile.
const pileSigmaMM = 0.5

// outline gives the card its outline, pixels of small.
func (p *place) outline(l *lying, q region) {
	l.quad = q
	for i, c := range q {
		l.Corners[i] = l.toFrame(c)
	}
	l.PxPerMM = p.first.PxPerMM * math.Sqrt(l.Corners.Area()/p.first.Corners.Area())
	for i := range l.SigmaPx {
		// On synthetic piles the worst corner is off by a millimetre in the
		// median: about half of one a corner. A picture of half the resolution
		// allows half of its pixel at best.
		l.SigmaPx[i] = max(0.5*float64(l.bin), pileSigmaMM*l.PxPerMM)
	}
	p.last, p.shape = l.Detection, &l.quad
}

// gone reports whether the card is no longer where it was: nothing of its
// outline is left.
func (p *place) gone(top *lying, s *still) bool {
	r := rimOf(top.small, s.small, top.quad, region{}, math.Hypot(top.noise, s.noise))
	return r.points >= rimEnough && r.stays < 0.2
}

// alike reports whether the zone shows what it showed then, where the last
// card lay or might have.
func (p *place) alike(b, s *still) bool {
	in := region(plane.Rect(2, 2, float64(s.small.w-4), float64(s.small.h-4)))
	if p.shape != nil {
		// With the outline, whose blocks would otherwise not count.
		in = p.shape.grown(blockPx + 2)
	}
	c := plane.Quad(in).Centre()
	l := compare(b.small, s.small, similar{cx: c.X, cy: c.Y, gain: 1, ok: true}, in, math.Hypot(b.noise, s.noise))
	if l.blocks < 10 && l.excess > 3 || l.blocks >= 10 && l.agree < 0.85 {
		return false
	}
	k := similar{cx: c.X, cy: c.Y, gain: 1}
	return l.blocks == 0 || k.refine(b.small, s.small, in, 1) && float64(s.bin)*k.moved(plane.Quad(in)) < 3*samePx
}

// sharpness is the width (sigma, px of the frame) of the outline as imaged:
// that of the Gaussian whose integral rises as steeply, at the sharpest side.
func (l *lying) sharpness() float64 {
	full := greyOf(l.image, l.image.Bounds(), 1)
	best := math.Inf(1)
	const reach, oversample = 6, 4
	for i := range l.Corners {
		at := func(k int) plane.Point {
			return l.Corners[k%4].Sub(plane.Point{X: float64(l.rect.Min.X), Y: float64(l.rect.Min.Y)})
		}
		a, b := at(i), at(i+1)
		d := b.Sub(a)
		long := d.Norm()
		if long < 20 {
			continue
		}
		d = d.Mul(1 / long)
		n := plane.Point{X: d.Y, Y: -d.X}
		var profile [2*reach*oversample + 1]float64
		count := 0
		// Pieces: the outline is straight to a pixel, not over all its length.
		for t := 0.2 * long; t < 0.8*long; t += 2 {
			whole := true
			var v [len(profile)]float64
			for k := range v {
				var ok bool
				v[k], ok = full.at(a.Add(d.Mul(t)).Add(n.Mul(float64(k)/oversample - reach)))
				whole = whole && ok
			}
			if whole {
				for k := range v {
					profile[k] += v[k]
				}
				count++
			}
		}
		if count < 8 {
			continue
		}
		steepest := 0
		for k := oversample; k < len(profile)-oversample; k++ {
			if math.Abs(profile[k+1]-profile[k-1]) > math.Abs(profile[steepest+1]-profile[max(0, steepest-1)]) {
				steepest = k
			}
		}
		if steepest < oversample {
			continue
		}
		slope := math.Abs(profile[steepest+1]-profile[steepest-1]) * oversample / 2
		lo, hi := max(0, steepest-3*oversample), min(len(profile)-1, steepest+3*oversample)
		rise := math.Abs(profile[hi] - profile[lo])
		if slope > 0.5*float64(count) {
			best = min(best, rise/slope/math.Sqrt(2*math.Pi))
		}
	}
	if math.IsInf(best, 1) {
		return 0
	}
	return best
}

// likeBefore turns the order of the corners by half a turn where that is
// nearer to the card before: the finder cannot tell top from bottom.
func (l *lying) likeBefore(top *lying) {
	far := func(turn int) float64 {
		sum := 0.0
		for i := range l.quad {
			sum += l.quad[(i+turn)%4].Sub(top.quad[i]).Norm()
		}
		return sum
	}
	if far(2) >= far(0) {
		return
	}
	q, c, s := l.quad, l.Corners, l.SigmaPx
	for i := range q {
		l.quad[i], l.Corners[i], l.SigmaPx[i] = q[(i+2)%4], c[(i+2)%4], s[(i+2)%4]
	}
}
