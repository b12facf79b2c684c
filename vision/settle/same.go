package settle

import (
	"math"

	"fairdeck/vision/plane"
)

// change is how a still differs from the card known.
type change struct {
	same bool
	similar
	likeness
	moved   float64 // px of the frame
	blurred bool    // one of the two is out of focus
}

const (
	// samePx is how far the picture of a card that nobody touched may seem to
	// move, by noise and by light that changes over it.
	samePx = 0.15

	// blurredPx is how far a picture that is out of focus may seem to have
	// moved: defocus makes edges wider to the side of the darker one.
	blurredPx = 1.5

	// sameBlocks is the share of blocks that agree on a card that nobody
	// touched; dust falls, and a shadow's rim crosses some.
	sameBlocks = 0.9
)

// differs compares a still with the card known, in its place.
func (p *place) differs(top *lying, s *still) change {
	in := top.quad.grown(1)
	c := plane.Quad(in).Centre()
	bin := float64(s.bin)
	var d change
	look := func(a, b *grey) bool {
		k := similar{cx: c.X, cy: c.Y, gain: 1}
		if !k.refine(a, b, in, 1) {
			return false
		}
		d.similar, d.moved = k, bin*k.moved(plane.Quad(top.quad))
		if d.moved > samePx {
			return false
		}
		d.likeness = compare(a, b, similar{cx: c.X, cy: c.Y, gain: 1, ok: true}, in, math.Hypot(top.noise, s.noise))
		return d.agree > sameBlocks || d.blocks < 10 && d.excess < 2
	}
	d.same = look(top.small, s.small)
	if a, b := top.small, s.small; !d.same && d.similar.ok && d.moved < blurredPx {
		first := d
		for range 4 {
			if variance(a, in) > variance(b, in) {
				a = softened(a)
			} else {
				b = softened(b)
			}
			if look(a, b) {
				d.same, d.blurred = true, true
				break
			}
		}
		if !d.same {
			d = first
		}
	}
	return d
}

// sharper reports whether a still of the same card is as sharp as the one
// before, about.
func sharper(before, now *lying) bool {
	return variance(now.small, now.quad.grown(-2)) > 0.7*variance(before.small, before.quad.grown(-2))
}

// blurredBeside reports whether a still is far less sharp than the one before.
func blurredBeside(before, now *lying) bool {
	return variance(now.small, now.quad.grown(-2)) < 0.4*variance(before.small, before.quad.grown(-2))
}

// defocused reports whether what lies round the two cards, which nobody
// touched, is far less sharp than before.
func defocused(before, now *lying) bool {
	a, b := before.small, now.small
	if a.w != b.w || a.h != b.h {
		return false
	}
	p, q := before.quad.grown(3), now.quad.grown(3)
	var was, is float64
	for y := 0; y < a.h; y += 2 {
		p0, p1 := p.span(float64(y), a.w)
		q0, q1 := q.span(float64(y), a.w)
		u, v := a.pix[y*a.w:][:a.w], b.pix[y*b.w:][:b.w]
		for x := 0; x+1 < a.w; x++ {
			if x+1 >= p0 && x < p1 || x+1 >= q0 && x < q1 {
				continue
			}
			d, e := float64(u[x+1]-u[x]), float64(v[x+1]-v[x])
			was += d * d
			is += e * e
		}
	}
	return is < 0.5*was
}
