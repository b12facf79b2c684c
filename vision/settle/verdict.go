package settle

import (
	"fmt"
	"math"

	"fairdeck/vision/plane"
)

// verdict is whether a changed still shows another card.
type verdict struct {
	fresh bool

	// weight is the evidence for another card in units of a natural logarithm:
	// beyond 3 there is no doubt to speak of.
	weight float64
	why    string
}

// Evidence in natural logarithms of likelihood ratios, another card over the
// same one moved. They are rough by intention: each kind errs for its own
// reasons, so that no single one decides alone against two others.
const (
	// priorFresh: whatever changed the outline was most likely a deal; of
	// the touches in a deal one in five only moves the card.
	priorFresh = 1.5

	otherContent = 8 // another picture
	rimStays     = 5 // the side of a card below is still there beside the new one
	rimsLeave    = 4 // both outlines are only in one of the pictures
	rimLeaves    = 1 // one is, the other cannot be seen
	otherTexture = 5 // what is finer than print differs
	sameTexture  = 5 // it is the same, print apart
	notCovered   = 4 // most of the card was in sight all the time
	covered      = 2 // there was a moment when nothing of it was
	notMoved     = 5 // it lies where it lay, to a fraction of a pixel
	heightLimit  = 4
)

// judgeChange decides between another card and the same one moved.
func (p *place) judgeChange(top, now *lying) verdict {
	noise := math.Hypot(top.noise, now.noise)
	in := top.quad.grown(-4)
	outline := similarOf(top.quad, now.quad)
	r, l := p.align(top, now, outline, in, noise)
	if l.agree < 0.8 {
		// The outline may be a pile's; the picture by itself tells more.
		if k := register(top.small, now.small, top.quad.grown(1)); k.ok {
			if k, m := p.align(top, now, k, in, noise); m.agree > l.agree {
				r, l = k, m
			}
		}
	}
	if l.agree > 0.8 && l.blocks >= 10 {
		// The same picture: its place is the card's to better than a side of
		// a pile can be seen.
		var q region
		for i, c := range top.quad {
			q[i] = r.at(c)
		}
		p.outline(now, sharpen(now.small, q))
	}
	moved := stillBin * r.moved(plane.Quad(top.quad))
	add := rimOf(top.small, now.small, top.quad, now.quad, noise)
	remove := rimOf(now.small, top.small, now.quad, top.quad, noise)

	v := verdict{weight: priorFresh}
	say := func(w float64, why string) {
		v.weight += w
		v.why += fmt.Sprintf(" %s %+.1f", why, w)
	}
	if l.blocks >= 10 && l.agree < 0.6 {
		say(otherContent, "content")
	} else {
		a, b := add.points >= rimEnough, remove.points >= rimEnough
		switch {
		case a && add.stays > 0.85:
			say(rimStays, "old side stays")
		case b && remove.stays > 0.9:
			say(rimStays, "new side was there")
		case a && b && add.stays < 0.5 && remove.stays < 0.5:
			say(-rimsLeave, "sides leave")
		case a && add.stays < 0.3 || b && remove.stays < 0.3:
			say(-rimLeaves, "side leaves")
		}
		switch {
		case l.detail < 2:
		case l.fine < 0.5:
			say(otherTexture, "texture")
		case l.fine < 0.9 || p.prints < 3:
		case l.fine > p.print+0.5*(1-p.print):
			say(-sameTexture, "texture")
		case l.fine > p.print+0.25*(1-p.print):
			say(-sameTexture/2, "texture")
		}
		if p.looks >= 2 && p.least >= 0 {
			switch k := p.least; {
			case k > 0.6:
				say(-notCovered, "in sight")
			case k < 0.2:
				say(covered, "covered")
			}
		}
		if w := p.pile.weigh(r); w != 0 {
			say(w, "height")
		}
		if l.agree > 0.9 && moved < 2*samePx {
			say(-notMoved, "in its place")
		}
	}
	v.fresh = v.weight > 0
	if v.fresh && l.agree > 0.6 && v.weight > 3 {
		p.print = max(p.print, l.fine)
		p.prints++
		p.pile.learn(r)
	}
	p.trace(now.still, "change %+v least %.2f of %d moved %.2f print-outline %.2f %.2f grow %.5f %.5f like %+v add %+v remove %+v", v, p.least, p.looks, moved, stillBin*(r.tx-outline.tx), stillBin*(r.ty-outline.ty), outline.grow, r.grow, l, add, remove)
	return v
}

// align improves a similarity by the picture inside the card.
func (p *place) align(top, now *lying, s similar, in region, noise float64) (similar, likeness) {
	best, like := s, compare(top.small, now.small, s, in, noise)
	k := s
	for range 3 {
		if !k.refine(top.small, now.small, in, 1) || math.Hypot(k.tx-s.tx, k.ty-s.ty) > 6 {
			break
		}
	}
	if m := compare(top.small, now.small, k, in, noise); m.agree >= like.agree {
		best, like = k, m
	}
	return best, like
}

// outline gives the card its outline, pixels of small.
func (p *place) outline(l *lying, q region) {
	l.quad = q
	for i, c := range q {
		l.Corners[i] = plane.Point{X: (c.X+0.5)*stillBin - 0.5 + float64(l.rect.Min.X), Y: (c.Y+0.5)*stillBin - 0.5 + float64(l.rect.Min.Y)}
		l.SigmaPx[i] = 0.4
	}
	l.PxPerMM = p.first.PxPerMM * math.Sqrt(plane.Quad(l.Corners).Area()/plane.Quad(p.first.Corners).Area())
	p.last, p.shape = l.Detection, &l.quad
}
