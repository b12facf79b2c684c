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

// look finds the card of a still, nil for none: one like the card before, or
// else any, if so wished.
func (p *place) look(ctx context.Context, s *still, any bool) (*lying, error) {
	if p.shape != nil {
		var before *grey
		if p.top != nil {
			before = p.top.small
		} else if p.bare != nil {
			before = p.bare.small
		}
		q, score := fitTop(s.small, before, *p.shape)
		sides := weakestSide(s.small, q, s.noise)
		if score < goodFit || sides < 0.4 {
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
		if score >= goodFit && sides >= 0.4 {
			now := &lying{still: s, Detection: p.last}
			now.Confidence, now.Unusable = min(1, score/2), ""
			p.outline(now, q)
			return now, nil
		}
	}
	if !any {
		return nil, nil
	}
	found, err := card.Find(ctx, s.image, card.Options{Size: p.o.Size})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	// A card that cannot be inspected is a card all the same, but for one that
	// reaches out of the zone.
	rank := func(d *card.Detection) float64 {
		if p.shape != nil {
			// A deck changes its distance, not its cards.
			if r := math.Sqrt(d.Corners.Area() / p.last.Corners.Area()); r < 1/sameScale || r > sameScale {
				return -1
			}
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
			p.first, p.last, p.shape = now.Detection, now.Detection, &now.quad
			return now, nil
		}
		return nil, nil
	}
	now := &lying{still: s, Detection: *best}
	for i, c := range best.Corners {
		now.Corners[i] = c.Add(plane.Point{X: float64(s.rect.Min.X), Y: float64(s.rect.Min.Y)})
		now.quad[i] = s.fromFrame(now.Corners[i])
	}
	if p.top != nil {
		now.likeBefore(p.top)
	}
	p.first, p.last, p.shape = now.Detection, now.Detection, &now.quad
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

// sameScale is how much larger a card may look than the one before in its
// zone, by a pile or a hand-held camera.
const sameScale = 1.15

// unusableCut is what package card says of a card that the picture cuts.
const unusableCut = "cut by the frame"

// outline gives the card its outline, pixels of small.
func (p *place) outline(l *lying, q region) {
	l.quad = q
	for i, c := range q {
		l.Corners[i] = l.toFrame(c)
		// What the outlines of synthetic piles are off by, and what pictures
		// of half the resolution allow.
		l.SigmaPx[i] = 0.5 * float64(l.bin)
	}
	l.PxPerMM = p.first.PxPerMM * math.Sqrt(l.Corners.Area()/p.first.Corners.Area())
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
