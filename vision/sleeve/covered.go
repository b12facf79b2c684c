package sleeve

import (
	"math"
	"slices"
)

// Something that lies across the edge of a sleeve is not on the sleeve: a
// finger, a cable, another card, the hard shadow of an arm. It looks the same
// on both sides of the edge, where a mark ends at it, and where it goes on the
// table, the table differs from what the deck shows there. What it hides was
// not inspected.

const (
	// leastCoverMM2: a finger tip at the rim. Less is a fibre or wear, which
	// other tests know better.
	leastCoverMM2 = 20
	// coverFromMM and coverToMM beyond the outline are looked at, within a view
	// margin of 2 mm and outside of the blur of the edge.
	coverFromMM, coverToMM = 0.6, 1.4
	// coverContinues is how far the object's colours on both sides of the edge
	// may differ, of its difference from the sleeve.
	coverContinues = 0.35
	// coverStations is the share of the rim that the region has, that must
	// look so.
	coverStations = 0.6
	// coverStands: the table there differs from the deck's by so many robust
	// standard deviations of the deck's own views; cards are laid down on
	// other parts of a patterned table, and that is no cover.
	coverStands = 4
	// coverRimMM is the least length of rim that it lies across.
	coverRimMM = 4
)

// covered is the reason why region r of plate k was not inspected if something
// that goes on beyond the outline hides it, else none.
func (d *deck) covered(b *filterBank, k int, r *region) byte {
	if float64(len(r.pixels)) < leastCoverMM2*d.px*d.px || len(d.plates) < othersDeck {
		return reasonNone
	}
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	seen := map[[2]int]bool{} // side and station of a quarter of a mm
	rim, like := 0, 0
	for _, i := range r.pixels {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		depth := [4]float64{sideTop: p.Y, sideRight: d.wMM - p.X, sideBottom: d.hMM - p.Y, sideLeft: p.X}
		for s, far := range depth {
			if far > 2*coverToMM {
				continue
			}
			a, length := p.Y, d.hMM
			if s == sideTop || s == sideBottom {
				a, length = p.X, d.wMM
			}
			key := [2]int{s, int(4 * a)}
			if seen[key] || a < outlineCornerMM || a > length-outlineCornerMM {
				continue
			}
			seen[key] = true
			rim++
			if d.goesOn(b, pix, mid, k, s, a) {
				like++
			}
		}
	}
	if float64(rim) < 4*coverRimMM || float64(like) < coverStations*float64(rim) {
		return reasonNone
	}
	if d.lightLike(b, k, r, true) == reasonShadow {
		return reasonShadow
	}
	return reasonCovered
}

// goesOn reports whether at place a along side s the view of plate k shows the
// same colour inside and outside of the outline, one that neither the sleeve
// nor the table has there.
func (d *deck) goesOn(b *filterBank, pix []byte, mid []uint16, k, s int, a float64) bool {
	at := func(depth float64) int {
		x, y := a, depth
		switch s {
		case sideRight:
			x, y = d.wMM-depth, a
		case sideBottom:
			x, y = a, d.hMM-depth
		case sideLeft:
			x, y = depth, a
		}
		ix, iy := int((x+d.margin)*d.px), int((y+d.margin)*d.px)
		return max(0, min(d.h-1, iy))*d.w + max(0, min(d.w-1, ix))
	}
	to := math.Min(coverToMM, d.margin-1/d.px)
	var in, out, inDiff, outDiff [3]float64
	n := 0.0
	var table []int
	for depth := coverFromMM; depth <= to; depth += 1 / d.px {
		n++
		i, o := at(depth), at(-depth)
		table = append(table, o)
		for c := range 3 {
			in[c] += float64(pix[3*i+c])
			out[c] += float64(pix[3*o+c])
			inDiff[c] += float64(pix[3*i+c]) - float64(mid[3*i+c])/256
			outDiff[c] += float64(pix[3*o+c]) - float64(mid[3*o+c])/256
		}
	}
	if n == 0 {
		return false
	}
	size := func(v [3]float64) float64 { return math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2]) / n }
	step := [3]float64{in[0] - out[0], in[1] - out[1], in[2] - out[2]}
	if size(step) > coverContinues*math.Min(size(inDiff), size(outDiff)) {
		return false
	}
	// The table's own scatter there.
	var others []float64
	for q := range d.plates {
		v := d.view(q)
		var diff [3]float64
		for _, o := range table {
			for c := range 3 {
				diff[c] += float64(v[3*o+c]) - float64(mid[3*o+c])/256
			}
		}
		others = append(others, size(diff))
	}
	slices.Sort(others)
	return size(outDiff) > coverStands*math.Max(1, quantileSorted(others, 0.5))
}
