package sleeve

import (
	"math"

	"fairdeck/internal/cv"
)

// Along the outline a sleeve has structures of its own that lie a little
// differently on each: the weld, the edge of the card pressing through, a
// printed frame, the outline's own blur. They run along a whole side, so they
// are taken off as what is common to a side at a given distance from it: a
// parabola along the side, fitted robustly, so that wear and nicks, which
// take up a part of the side only, stay.

// rimDepthMM is how far inside the outline such structures are found: a card
// of 63 mm in a sleeve of 66 mm with some play.
const rimDepthMM = 3.0

// straighten takes the sides' common residual off a view in place.
func (d *deck) straighten(t *template, pix []byte) {
	depth := int(rimDepthMM * d.px)
	var r []float32
	for s := range 4 {
		horizontal := s == sideTop || s == sideBottom
		n := d.h
		if horizontal {
			n = d.w
		}
		length := d.hMM
		if horizontal {
			length = d.wMM
		}
		for k := range depth {
			// Row k pixels inside the outline.
			line := int(math.Ceil(d.margin*d.px)) + k
			switch s {
			case sideRight:
				line = int((d.margin+d.wMM)*d.px) - 1 - k
			case sideBottom:
				line = int((d.margin+d.hMM)*d.px) - 1 - k
			}
			// The row belongs to this side where no other side is nearer.
			first := int(math.Ceil(d.margin*d.px)) + k
			last := int((d.margin+length)*d.px) - 1 - k
			if last-first < 20 || last >= n {
				continue
			}
			at := func(j int) int {
				if horizontal {
					return line*d.w + j
				}
				return j*d.w + line
			}
			for c := range 3 {
				r = r[:0]
				for j := first; j <= last; j++ {
					i := at(j)
					r = append(r, float32(pix[3*i+c])-t.code[c][i])
				}
				fit := cv.SideParabola(r)
				if !lessens(r, fit) {
					continue
				}
				for j := first; j <= last; j++ {
					// Around a rounded corner the row is not at its distance
					// from the outline any more.
					if !d.onSide(s, j) {
						continue
					}
					x := 2*float64(j-first)/float64(last-first) - 1
					i := 3*at(j) + c
					pix[i] = uint8(clamp(float64(pix[i])-(fit[0]+x*(fit[1]+x*fit[2]))+0.5, 0, 255))
				}
			}
		}
	}
}

// onSide reports whether pixel j along side s is clear of the corners' arcs.
func (d *deck) onSide(s, j int) bool {
	length := d.hMM
	if s == sideTop || s == sideBottom {
		length = d.wMM
	}
	mm := (float64(j)+0.5)/d.px - d.margin
	return mm >= straightenCornerMM && mm <= length-straightenCornerMM
}

// straightenCornerMM: corners are rounded by up to 3.5 mm.
const straightenCornerMM = 3.5

// lessens reports whether taking the parabola off leaves less along the row
// than there was. A reflection on the bent rim of a glossy sleeve covers half
// of a side and more: no parabola is what such a side has in common, and one
// that fits its middle would draw a stripe at its ends.
func lessens(r []float32, fit [3]float64) bool {
	// Each pixel's residual counts up to limit, so that a strong mark or
	// reflection, which stays either way, does not drown the rest.
	const limit, most = 20.0, 40.0 // codes
	before, after := 0.0, 0.0
	for i, value := range r {
		v := float64(value)
		x := 2*float64(i)/float64(len(r)-1) - 1
		f := fit[0] + x*(fit[1]+x*fit[2])
		if math.Abs(f) > most {
			return false
		}
		before += math.Min(math.Abs(v), limit)
		after += math.Min(math.Abs(v-f), limit)
	}
	return after < before
}
