package settle

import (
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// verdict is whether a changed still shows another card.
type verdict struct {
	fresh bool
	alike bool // the pictures are alike

	// weight is the evidence for another card, a natural logarithm of a
	// likelihood ratio: beyond 3 there is no doubt to speak of.
	weight float64
	why    string
}

// doubtful reports whether a person should look: less than two to one.
func (v verdict) doubtful() bool { return math.Abs(v.weight) < 0.7 }

func doubt(v verdict) string {
	if v.fresh {
		return "the card changed its place a little; it was counted as another card, though it may have been pushed"
	}
	return "the card changed its place a little; it was taken for the same card pushed, though it may be another one"
}

// Evidence in natural logarithms of likelihood ratios, another card over the
// same one moved. They are rough by intention: each kind errs for its own
// reasons, so that no single one decides alone against two others.
const (
	// priorFresh: whatever changed the outline was most likely a deal; of
	// the touches in a deal one in five only moves the card. Where cards
	// differ, two alike in a row are as rare as a push.
	priorFresh  = 1.5
	priorVaried = -0.3
	priorHeld   = -1 // the camera is held by hand: everything moves

	otherContent = 8 // another picture
	rimStays     = 5 // the side of a card below is still there beside the new one
	rimsLeave    = 4 // both outlines are only in one of the pictures
	tookAway     = 5 // the zone was bare in between
	rimLeaves    = 1 // one is, the other cannot be seen
	otherTexture = 5 // what is finer than print differs
	sameTexture  = 4 // it is more alike than it is between two cards
	notCovered   = 4 // most of the card was in sight all the time
	mayBeSeen    = 1 // as much, where that may be the next card of the same print
	notBared     = 3 // the zone was bare between all the cards before, not now
	covered      = 2 // there was a moment when nothing of it was
	notMoved     = 5 // it lies where it lay, to a fraction of a pixel
	tooShort     = 5 // there was no time to lay a card
	heightLimit  = 4
)

// otherInside is which share of a card another picture changes at least.
const otherInside = 0.12

// habit is what the cards of a zone have been like so far.
type habit struct {
	pile
	excess []float64 // logarithms of likeness.excess between cards of one print
	varied int       // changes with another content
	alike  int       // with the same
	bare   int       // cards that came to lie on the bare zone
	direct int       // and on, or instead of, another
	least  []float64 // least share of a card in sight while another came or it left
	far    []float64 // how far a corner of a card lies from where the one before had it, px of the frame
}

// hides reports whether a change to another card hides the one before for a
// moment: the next card of a squared deck shows the same print in the same
// place at once.
func (h *habit) hides() bool {
	seen := 0
	for _, k := range h.least {
		if k > 0.5 {
			seen++
		}
	}
	return len(h.least) >= 8 && seen == 0
}

// near is the evidence of a distance for another card. Where cards are strewn
// widely, one that comes to lie beside the place of the one before to a hair is
// rare, as the square of the distance; a push is as likely to be a small one as
// a large one. Which of both is meant by a distance is only asked for small
// ones: a far one may be either.
func (h *habit) near(moved float64) float64 {
	if len(h.far) < pileEnough {
		return 0
	}
	mid := max(0.5, median(slices.Clone(h.far)))
	k := max(0.1, moved) / mid
	// Median and scale of Rayleigh's distribution: m = 1.18 s. A push is log
	// uniform over a range of 80 to one.
	return clamp64(math.Log(k*k*1.39*math.Log(80)), -nearLimit, 0)
}

// nearLimit is less than a side that stays.
const nearLimit = 4

// judgeChange decides between another card and the same one moved.
func (p *place) judgeChange(top, now *lying) verdict {
	noise := math.Hypot(top.noise, now.noise)
	bin := float64(now.bin)
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
	if l.agree < 0.8 && (now.unsteady || bin*outline.moved(plane.Quad(top.quad)) > farMM*now.PxPerMM) {
		// Turned or seen from elsewhere: as rectified.
		for _, turn := range []int{0, 2} {
			var q region
			for i := range q {
				q[i] = now.quad[(i+turn)%4]
			}
			if m, ok := rectified(top, now, q, in, noise); ok && m.agree > l.agree+0.1 {
				l, r = m, similarOf(top.quad, q)
			}
		}
	} else if l.agree > 0.8 && l.blocks >= 10 {
		// The same picture: its place is the card's to better than the side of
		// a pile can be seen.
		var q region
		for i, c := range top.quad {
			q[i] = r.at(c)
		}
		if sharp := sharpen(now.small, q); alikeShape(q, sharp) {
			q = sharp
		}
		p.outline(now, q)
	}
	moved := bin * r.moved(plane.Quad(top.quad))
	add := rimOf(top.small, now.small, top.quad, now.quad, noise)
	remove := rimOf(now.small, top.small, now.quad, top.quad, noise)

	v := verdict{weight: priorFresh}
	if now.unsteady || top.unsteady {
		v.weight = priorHeld
	}
	say := func(w float64, why string) {
		v.weight += w
		v.why += fmt.Sprintf(" %s %+.1f", why, w)
	}
	// Blocks may differ by a shadow's rim, or by an error of a pixel in a fine
	// print; another picture changes more than that where it lies.
	alike := l.blocks < 10 || l.agree >= 0.6 || now.inside < otherInside
	if !alike {
		say(otherContent, "content")
	} else {
		h := &p.habit
		if v.weight == priorFresh && (p.zone.Name == "face" || h.varied > 2*h.alike && h.varied >= 4) {
			say(priorVaried-priorFresh, "varied")
		}
		a, b := add.points >= rimEnough, remove.points >= rimEnough
		sharp := variance(now.small, now.quad.grown(-2)) / math.Max(1e-9, variance(top.small, top.quad.grown(-2)))
		switch {
		case l.blocks >= 10 && (sharp < 0.5 || sharp > 2):
			// The same print, of another sharpness: sides are not where they seem.
		case a && add.stays > 0.85:
			say(rimStays, "old side stays")
		case b && remove.stays > 0.9:
			say(rimStays, "new side was there")
		case p.bared > 0.6:
			// The bare zone was seen there in between.
			say(tookAway, "taken away")
		case add.plain >= rimEnough && remove.plain >= rimEnough && add.leaves > 0.6 && remove.leaves > 0.6:
			say(-rimsLeave, "sides leave")
		case add.plain >= rimEnough && add.leaves > 0.7 || remove.plain >= rimEnough && remove.leaves > 0.7:
			say(-rimLeaves, "side leaves")
		}
		switch {
		case l.detail < 2:
		case l.fine < 0.5:
			say(otherTexture, "texture")
		default:
			if w := p.habit.texture(l.excess); w != 0 {
				say(w, "texture")
			}
		}
		if p.looks >= 2 && p.least >= 0 && p.bared < 0.6 {
			switch k := p.least; {
			case k > 0.6 && p.habit.hides():
				say(-notCovered, "in sight")
			case k > 0.6:
				say(-mayBeSeen, "in sight")
			case k < 0.15:
				say(covered, "covered")
			}
		}
		if w := p.habit.weigh(r); w != 0 && math.Abs(r.grow) < 0.05 {
			say(w, "height")
		}
		if h.bare >= 4 && 4*h.direct < h.bare {
			say(-notBared, "not bare")
		}
		if w := p.habit.near(moved); w != 0 {
			say(w, "near")
		}
		if l.agree > sameBlocks && moved < 2*samePx {
			say(-notMoved, "in its place")
		}
	}
	if p.calm > 0 && now.start-p.calm < shortest {
		say(-tooShort, "too short")
	}
	v.fresh, v.alike = v.weight > 0, alike
	if v.fresh && !blurredBeside(top, now) {
		p.habit.learn(r, l, alike)
		if p.looks >= 2 && p.least >= 0 && alike {
			p.habit.least = append(p.habit.least, p.least)
			if len(p.habit.least) > pileMemory {
				p.habit.least = p.habit.least[1:]
			}
		}
		p.habit.far = append(p.habit.far, bin*outline.moved(plane.Quad(top.quad)))
		if len(p.habit.far) > pileMemory {
			p.habit.far = p.habit.far[1:]
		}
	}
	return v
}

// learn takes a change to another card.
func (h *habit) learn(r similar, l likeness, alike bool) {
	if !alike {
		h.varied++
		return
	}
	h.alike++
	if l.agree > 0.6 {
		h.rose(r)
		h.excess = append(h.excess, math.Log(l.excess+0.01))
		if len(h.excess) > pileMemory {
			h.excess = h.excess[1:]
		}
	}
}

// texture is the evidence of an excess for another card: two sleeves of one
// print differ by dust and grain, always by about as much.
func (h *habit) texture(excess float64) float64 {
	if len(h.excess) < 4 {
		return 0
	}
	mid := median(slices.Clone(h.excess))
	var off []float64
	for _, e := range h.excess {
		off = append(off, math.Abs(e-mid))
	}
	z := (math.Log(excess+0.01) - mid) / max(0.1, 1.5*median(off))
	switch {
	case z < -3:
		return -sameTexture
	case z < -2:
		return -sameTexture / 2.5
	}
	return 0
}

// farMM: a card that moved farther may have been turned as well.
const farMM = 4

// rectified compares the picture inside the outlines, whatever they are.
func rectified(top, now *lying, to region, in region, noise float64) (likeness, bool) {
	h, err := plane.QuadToQuad(plane.Quad(top.quad), plane.Quad(to))
	if err != nil {
		return likeness{}, false
	}
	a, b := top.small, now.small
	seen := &grey{w: a.w, h: a.h, pix: make([]float32, len(a.pix))}
	wide := in.grown(3)
	y0, y1 := wide.rows(a.h)
	for y := y0; y < y1; y++ {
		x0, x1 := wide.span(float64(y), a.w)
		for x := x0; x < x1; x++ {
			if v, ok := b.at(h.Apply(plane.Point{X: float64(x), Y: float64(y)})); ok {
				seen.pix[y*a.w+x] = float32(v)
			}
		}
	}
	c := plane.Quad(in).Centre()
	k := similar{cx: c.X, cy: c.Y, gain: 1, ok: true}
	best := compare(a, seen, k, in, noise)
	for range alignSteps {
		if !k.refine(a, seen, in, 2) {
			return best, true
		}
	}
	if m := compare(a, seen, k, in, noise); m.agree > best.agree {
		best = m
	}
	return best, true
}

// alignSteps is enough for a start that is off by some pixels.
const alignSteps = 10

// align improves a similarity by the picture inside the card.
func (p *place) align(top, now *lying, s similar, in region, noise float64) (similar, likeness) {
	best, like := s, compare(top.small, now.small, s, in, noise)
	k := s
	reach := 0.05 * math.Sqrt(plane.Quad(in).Area())
	for i := range alignSteps {
		before := k
		if !k.refine(top.small, now.small, in, 2-i/(alignSteps-1)) || math.Hypot(k.tx-s.tx, k.ty-s.ty) > reach {
			return best, like
		}
		if i > 1 && math.Abs(k.tx-before.tx)+math.Abs(k.ty-before.ty) < 0.002 {
			break
		}
	}
	if m := compare(top.small, now.small, k, in, noise); m.agree >= like.agree {
		best, like = k, m
	}
	return best, like
}
