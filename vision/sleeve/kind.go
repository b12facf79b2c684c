package sleeve

import "math"

// kindOf names a mark from its shape, place and colour. The rules follow how
// the damage comes about: ink absorbs, a scratch or wear whitens (scatters
// light), a dent or crease only tilts the surface (one flank lighter, one
// darker), a nick shows the table.
func (d *deck) kindOf(b *filterBank, k int, r *region, sh shape, diff *labPlanes, m *Mark) (Kind, float64) {
	var sumL, absL, sumC, lighter, darker float64
	var table, own float64
	pix := d.view(k)
	for _, i := range r.pixels {
		l := float64(diff[0][i])
		sumL += l
		absL += math.Abs(l)
		sumC += math.Hypot(float64(diff[1][i]), float64(diff[2][i]))
		if l > 0 {
			lighter++
		} else {
			darker++
		}
		// Nearer to the table's colour than to the sleeve's?
		dt, ds := 0.0, 0.0
		for c := range 3 {
			v := float64(pix[3*i+c])
			dt += sq(v - d.table[c])
			ds += sq(v - float64(b.mids[d.plates[k].batch][3*i+c])/256)
		}
		if dt < ds {
			table++
		} else {
			own++
		}
	}
	n := float64(len(r.pixels))
	polarity := 0.0
	if absL > 0 {
		polarity = sumL / absL // -1 all darker, 1 all lighter
	}
	m.lighter = polarity > 0.3
	colourShare := sumC / (sumC + absL + 1e-9)
	elongation := sh.length / math.Max(sh.width, 1/d.px)

	// How near the outline does the mark come, and is it at a corner?
	rim := math.Inf(1)
	corner := math.Inf(1)
	for _, i := range r.pixels {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		rim = math.Min(rim, d.insetMM(p.X, p.Y, d.radius))
		cx, cy := math.Min(p.X, d.wMM-p.X), math.Min(p.Y, d.hMM-p.Y)
		corner = math.Min(corner, math.Hypot(cx, cy))
	}
	atRim := rim < 2.5/d.px+0.2
	atCorner := corner < d.radius+2

	// Both flanks of a slope show: one turned to the lamp, one away.
	flanks := lighter > 0.2*n && darker > 0.2*n && colourShare < 0.7

	switch {
	case atRim && table > 0.6*n && d.tableDiffers(b, r):
		return Nick, clamp(table/n, 0.5, 0.95)
	case atRim && atCorner && sh.length < 12 && polarity > 0.4:
		return WornCorner, 0.5 + 0.4*polarity
	case atRim && polarity > 0.4 && elongation > 2.5 && d.alongSide(r, sh, 0.9):
		return EdgeWear, 0.5 + 0.4*polarity
	case flanks && sh.length <= dentMostMM && elongation < 6:
		return Dent, 0.9 - 0.6*math.Abs(polarity)
	case elongation >= 4 && sh.length >= 2:
		// A crease is long and ends at the outline or shows both flanks.
		if sh.length >= 12 && rim < 1.5 || sh.length >= 8 && math.Abs(polarity) < 0.4 {
			return Crease, 0.75
		}
		if flanks && sh.length >= 6 {
			return Crease, 0.6
		}
		// A scratch scatters light, ink takes it away.
		if polarity < -0.5 {
			return PenLine, clamp(0.3+0.4*-polarity+0.02*elongation, 0.5, 0.9)
		}
		return Scratch, clamp(0.4+0.06*elongation, 0.5, 0.9)
	case math.Abs(polarity) < 0.75 && lighter > 0.1*n && darker > 0.1*n && colourShare < 0.7:
		return Dent, 0.9 - 0.6*math.Abs(polarity)
	case m.LengthMM <= 2.5 && elongation < 2.5 && (polarity < -0.5 || colourShare > 0.35):
		return PenDot, 0.5 + 0.4*math.Max(-polarity, colourShare)
	case m.LengthMM > 2.5:
		return Stain, 0.6
	}
	return Unclear, 0.3
}

// dentMostMM: what is longer is a crease.
const dentMostMM = 9

// tableDiffers reports whether table and sleeve can be told apart at the
// region at all.
func (d *deck) tableDiffers(b *filterBank, r *region) bool {
	i := r.pixels[len(r.pixels)/2]
	s := 0.0
	for c := range 3 {
		s += sq(d.table[c] - float64(b.order.mid[3*i+c])/256)
	}
	return s > sq(15)
}

// alongSide reports whether the mark runs along the nearest side: whether the
// cosine between them is at least the given one.
func (d *deck) alongSide(r *region, sh shape, cosine float64) bool {
	p := d.placeMM(sh.cx, sh.cy)
	vertical := math.Min(p.X, d.wMM-p.X) < math.Min(p.Y, d.hMM-p.Y)
	along := math.Abs(math.Cos(sh.angle))
	if vertical {
		along = math.Abs(math.Sin(sh.angle))
	}
	return along >= cosine
}
