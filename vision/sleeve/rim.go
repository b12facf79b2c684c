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

// A reflection on the bent rim of a glossy sleeve covers half of a side and
// more: no parabola is what such a side has in common, and one that fits its
// middle would draw a stripe at its ends. So it is taken off only where it
// leaves less than there was: pixels count up to rimLimit codes, so that a
// strong mark or reflection, which stays either way, does not drown the rest,
// and rimMost is the most that a sleeve's own structure shows.
const rimLimit, rimMost = 20, 40

// straightenCornerMM: corners are rounded by up to 3.5 mm.
const straightenCornerMM = 3.5

// straighten takes the sides' common residual off a view in place.
func (d *deck) straighten(t *template, pix []byte) {
	depth := int(rimDepthMM * d.px)
	for s := range 4 {
		horizontal := s == sideTop || s == sideBottom
		n, length := d.h, d.hMM
		if horizontal {
			n, length = d.w, d.wMM
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
			// Around a rounded corner the row is not at its distance from the
			// outline any more.
			if corner := int((d.margin + straightenCornerMM) * d.px); first < corner {
				first, last = corner, int((d.margin+length-straightenCornerMM)*d.px)-1
			}
			if last-first < 20 || last >= n {
				continue
			}
			start, step := first*d.w+line, d.w
			if horizontal {
				start, step = line*d.w+first, 1
			}
			cv.Straighten(pix, t.mid, start, step, last-first+1, rimLimit, rimMost)
		}
	}
}
