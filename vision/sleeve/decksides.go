package sleeve

import "math"

// What the typical sleeve's sides look like says whether the outlines can be
// believed at all: a finder that is misled in the same way on every sleeve
// leaves no sleeve that disagrees.

// rowColour is the median colour, B G R codes, of the typical sleeve along side
// s at a depth in mm inside the outline, negative outside.
func (d *deck) rowColour(o *order, s int, depth float64) (c [3]float64) {
	length := d.hMM
	if s == sideTop || s == sideBottom {
		length = d.wMM
	}
	var v [3][]float64
	for a := outlineCornerMM; a < length-outlineCornerMM; a += 0.5 {
		x, y := a, depth
		switch s {
		case sideRight:
			x, y = d.wMM-depth, a
		case sideBottom:
			y = d.hMM - depth
		case sideLeft:
			x, y = depth, a
		}
		i := int(clamp((y+d.margin)*d.px, 0, float64(d.h-1)))*d.w + int(clamp((x+d.margin)*d.px, 0, float64(d.w-1)))
		for ch := range v {
			v[ch] = append(v[ch], float64(o.mid[3*i+ch])/256)
		}
	}
	for ch := range c {
		c[ch] = median(v[ch])
	}
	return c
}

const (
	// weakReachMM to both sides of the outline another step may lie that is
	// the edge: a shadow or a weld taken for it is not farther.
	weakReachMM = 2.0
	// weakNearMM and weakNearPx (the larger counts) are how near to the
	// outline its own step is.
	weakNearMM, weakNearPx = 0.25, 1.5
	// weakShare of the strongest step's slope the outline's must have.
	weakShare = 0.5
)

// weakSides tells which sides' outlines are not where the picture changes
// most: the typical sleeve has a step beside it that is more than twice as
// steep. It is the edge, the outline being a shadow's; or a frame of the print
// or weld, and the outline is right. Which of the two, nobody has said.
func (d *deck) weakSides(o *order) (weak [4]bool) {
	reach := math.Min(weakReachMM, d.margin-2/d.px)
	near := math.Max(weakNearMM, weakNearPx/d.px)
	for s := range weak {
		var own, other float64
		for depth := -reach; depth <= reach; depth += 0.5 / d.px {
			a, b := d.rowColour(o, s, depth-0.5/d.px), d.rowColour(o, s, depth+0.5/d.px)
			slope := 0.0
			for ch := range a {
				slope += sq(b[ch] - a[ch])
			}
			slope = math.Sqrt(slope)
			if math.Abs(depth) <= near {
				own = math.Max(own, slope)
			} else {
				other = math.Max(other, slope)
			}
		}
		weak[s] = own < weakShare*other
	}
	return weak
}

const (
	// tableRimMM is how deep the table is looked for inside of the typical
	// sleeve's outline, and tableOutMM where it is surely seen.
	tableRimMM, tableOutMM = 3.0, 1.0
	// tableRimLike: a row is the table where it is this share of the way, at
	// most, from the table to the sleeve. tableRimLeast codes must lie between
	// the two.
	tableRimLike, tableRimLeast = 0.3, 20.0
	// tableRimBlurMM: the step from the table to the sleeve is as wide.
	tableRimBlurMM = 0.8
)

// tableRims is how deep inside of the outline, along each side, the typical
// sleeve shows the table, and the step to the sleeve: 0 where it begins at the
// outline. It does where the finder took the same shadow or weld for the side
// on most of the sleeves, and where a clear outer sleeve has its border. What
// differs there is the table's grain, not the sleeve.
func (d *deck) tableRims(o *order) (rim [4]float64) {
	for s := range rim {
		row := func(depth float64) [3]float64 { return d.rowColour(o, s, depth) }
		out, in := row(-math.Min(tableOutMM, d.margin-1/d.px)), row(tableRimMM)
		size := 0.0
		for ch := range in {
			size += sq(in[ch] - out[ch])
		}
		if size < sq(tableRimLeast) {
			continue
		}
		table := func(depth float64) bool {
			along := 0.0
			for ch, v := range row(depth) {
				along += (v - out[ch]) * (in[ch] - out[ch])
			}
			return along < tableRimLike*size
		}
		// From the second pixel on: the first is a mixture.
		for depth := 1.5 / d.px; depth < tableRimMM && table(depth); depth += 0.5 / d.px {
			rim[s] = depth + tableRimBlurMM
		}
	}
	return rim
}
