package sleeve

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

const (
	// sideAgrees is the least share of a side's mean profile that the deck's
	// own profile there explains. Sleeves of one batch on one table agree to
	// 95% and more; where a line of the table or of the sleeve was taken for
	// the side, the step is another.
	sideAgrees = 0.85
	// sideContrast: light and focus change a step by less than that factor.
	sideContrast = 1.7
	// sideStations must each show it: a side half of which lies on something
	// else is not placed by its middle.
	sideStations = 0.7
	// sideUsual is what a deck's sides agree to in the median where the table
	// around them is of one colour. A side of such a deck is not where it was
	// found if the deck's profile explains less than sideLost of its own and
	// something else is there, a step at another place: more than sideOther of
	// the deck's variance. (A side that only lacks contrast, under a
	// reflection, has not.) A nick, wear or a thing beside the sleeve takes a
	// part of a side only.
	sideUsual = 0.9
	sideLost  = 0.7
	sideOther = 0.3
	// sideMovedMM and sideMovedPx (the larger counts) are how far registration
	// may have moved a side that is to be believed to a pixel: sleeves of a box
	// differ by a tenth of a millimetre. What was farther off was not the edge
	// to the finder, and is put back to a pixel or two only.
	sideMovedMM, sideMovedPx = 0.3, 1.5
	// A finder that is not sure to sideSigmaMM and sideSigmaPx (the larger
	// counts) saw several lines, too, wherever it put the side.
	sideSigmaMM, sideSigmaPx = 0.25, 1.0
	// sideTwoShare of the sleeves, and sideTwoLeast at least, of which the same
	// side was moved are no accident: there are two lines.
	sideTwoShare, sideTwoLeast = 0.1, 2
	// sideBandMM is how deep a side that is off shows. The weld and the edge
	// of the card inside, which lie as far in as sideDeepMM, run along the
	// side: only stripes of sideStripeMM and more are theirs.
	sideBandMM, sideDeepMM, sideStripeMM = 1.5, 4.0, 6.0
	// A stripe of sideWholeMM and more along a side that is not sure is the
	// side itself, or a frame of the print, millimetres from where it was
	// found.
	sideWholeMM, sideWholeDeepMM = 25.0, 12.0
)

// sideLook is how a side's mean profile compares with the deck's: the share of
// its variance that the deck's explains, the slope (contrast) of that, what is
// not explained over the deck's variance, and the share of the stations along
// the side that look like the deck's.
type sideLook struct{ share, slope, other, good float64 }

// sideFit compares side s of registered plate k with the deck's.
func (d *deck) sideFit(o *order, k, s int) (f sideLook) {
	pix := d.view(k)
	length := d.hMM
	if s == sideTop || s == sideBottom {
		length = d.wMM
	}
	reach := math.Min(outlineReachMM, d.margin-1/d.px)
	rows := int(2 * reach * d.px)
	stations := int(length - 2*outlineCornerMM)
	if rows < 4 || stations < 8 {
		return f
	}
	// One profile for each millimetre: mean over the pixels along.
	var all profileFit
	mean := make([]float64, 3*rows)
	meanC := make([]float64, 3*rows)
	alike := 0
	for a := range stations {
		var one profileFit
		for r := range rows {
			depth := reach - (float64(r)+0.5)/d.px
			along := int(math.Max(1, d.px))
			var v, c [3]float64
			for j := range along {
				x, y := outlineCornerMM+float64(a)+float64(j)/d.px, depth
				switch s {
				case sideRight:
					x, y = d.wMM-depth, x
				case sideBottom:
					y = d.hMM - depth
				case sideLeft:
					x, y = depth, x
				}
				i := 3 * (int((y+d.margin)*d.px)*d.w + int((x+d.margin)*d.px))
				for ch := range 3 {
					v[ch] += float64(pix[i+ch])
					c[ch] += float64(o.mid[i+ch]) / 256
				}
			}
			for ch := range 3 {
				v[ch], c[ch] = v[ch]/float64(along), c[ch]/float64(along)
				one.add(c[ch], v[ch])
				mean[3*r+ch] += v[ch]
				meanC[3*r+ch] += c[ch]
			}
		}
		if _, share, _ := one.fit(); share > sideAgrees-0.2 {
			alike++
		}
	}
	for i := range mean {
		all.add(meanC[i], mean[i])
	}
	f.slope, f.share, f.other = all.fit()
	f.good = float64(alike) / float64(stations)
	return f
}

// sideState is what a side's likeness to the deck's says about its place.
type sideState byte

const (
	// sideSure looks like the deck's: it is where it was found.
	sideSure sideState = iota
	// sideUnsure looks otherwise, or the deck's own are not alike: nothing
	// that rests on its place is believed.
	sideUnsure
	// sideWrong does not look like the deck's at all, all along.
	sideWrong
)

// judgeSides sets plate.sides and plate.doubted. A deck whose sides are not
// alike (it lies on a print, or most of its outlines are wrong) tells of no
// side that it is wrong.
func (d *deck) judgeSides(o *order) {
	fits := make([][4]sideLook, len(d.plates))
	_ = d.parallel(len(d.plates), func(k int) error {
		for s := range 4 {
			fits[k][s] = d.sideFit(o, k, s)
		}
		return nil
	})
	weak := d.weakSides(o)
	for s := range 4 {
		shares := make([]float64, len(fits))
		for k := range fits {
			shares[k] = fits[k][s].share
		}
		alike, count := median(shares) >= sideUsual, 0
		for k, p := range d.plates {
			switch f := fits[k][s]; {
			case f.share >= sideAgrees && f.slope > 0 && f.good >= sideStations:
				p.sides[s] = sideSure
			case alike && f.share < sideLost && f.other > sideOther:
				p.sides[s] = sideWrong
			default:
				p.sides[s] = sideUnsure
			}
			p.steady[s] = fits[k][s].slope >= 1/sideContrast && fits[k][s].slope <= sideContrast
			// A side may look right and still be doubted: see sideMovedMM,
			// sideSigmaMM.
			far := 0.0
			for t := -1.0; t <= 1; t += 0.25 {
				far = math.Max(far, math.Abs(p.warp.outline[s].at(t)))
			}
			p.doubted[s] = far > math.Max(sideMovedMM*d.px, sideMovedPx) || p.sideSigmaMM(s) > math.Max(sideSigmaMM, sideSigmaPx/d.source)
			count += one(p.doubted[s])
		}
		// Where the finder has two lines to choose from, which one it took on
		// any of the sleeves is not known, nor where it took the weaker.
		if weak[s] || count >= sideTwoLeast && float64(count) >= sideTwoShare*float64(len(d.plates)) {
			for _, p := range d.plates {
				p.doubted[s] = true
			}
		}
	}
}

// warnUnsure says that along a side of most sleeves nothing is held against
// them: wear and nicks there are to be looked at by eye.
func (d *deck) warnUnsure(res *Result) {
	const code = "edge-unsure"
	for s := range 4 {
		n := 0
		for _, p := range d.plates {
			n += one(p.unsure(s))
		}
		if 2*n > len(d.plates) && !slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Code == code }) {
			res.Warnings = append(res.Warnings, Warning{Code: code, Text: "along a side of most sleeves the edge is not sure: wear and nicks there are listed and accuse nobody. Look at the deck's sides, or lay the sleeves on a plain table that differs from them, without shadows beside them, and show them again."})
		}
	}
}

// sideSigmaMM is the uncertainty of the less sure of a side's corners.
func (p *plate) sideSigmaMM(s int) float64 {
	// Corners go round from the top left, as sides do from the top.
	a, b := s, (s+1)%4
	if p.turned {
		a, b = (a+2)%4, (b+2)%4
	}
	return math.Max(p.sigmaMM[a], p.sigmaMM[b])
}

// sidesAgree reports whether all four sides of plate p look like the deck's in
// a light like the deck's, so that they can be measured against each other.
func (p *plate) sidesAgree() bool {
	return p.sides == [4]sideState{} && p.steady == [4]bool{true, true, true, true}
}

// unsure reports whether side s of plate p may be elsewhere.
func (p *plate) unsure(s int) bool { return p.sides[s] != sideSure || p.doubted[s] }

// depths are the distances of a place from the four sides, mm.
func (d *deck) depths(q plane.Point) [4]float64 {
	return [4]float64{sideTop: q.Y, sideRight: d.wMM - q.X, sideBottom: d.hMM - q.Y, sideLeft: q.X}
}

// nearUnsure reports whether more than half of what differs in region r lies
// at sides of plate k that may be elsewhere, or where the whole deck shows the
// table: what differs there may be the table, a shadow, or the sleeve's own rim
// at another place. Of wear and nicks, which are told by the outline, it is
// enough that they come near such a side.
func (d *deck) nearUnsure(b *filterBank, k int, r *region, sh shape, kind Kind) bool {
	band := sideBandMM
	switch along := d.alongSide(r, sh, 0.99); {
	case along && sh.length > sideWholeMM:
		band = sideWholeDeepMM
	case along && sh.length > sideStripeMM:
		band = sideDeepMM
	}
	reach, any := d.tableRim, false
	for s := range reach {
		if d.plates[k].unsure(s) {
			reach[s], any = math.Max(reach[s], band), true
		}
	}
	if reach == [4]float64{} {
		return false
	}
	if any && (kind == WornCorner || kind == EdgeWear || kind == Nick) {
		for _, i := range r.pixels {
			for s, depth := range d.depths(d.placeMM(float64(i%d.w), float64(i/d.w))) {
				if depth < sideBandMM && d.plates[k].unsure(s) {
					return true
				}
			}
		}
	}
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	at, all := 0.0, 0.0
	for _, i := range r.pixels {
		// Weighed by how much it differs: a line filter draws a speck long.
		w := 0.0
		for c := range 3 {
			w += sq(float64(pix[3*i+c]) - float64(mid[3*i+c])/256)
		}
		all += w
		for s, depth := range d.depths(d.placeMM(float64(i%d.w), float64(i/d.w))) {
			if depth < reach[s] {
				at += w
				break
			}
		}
	}
	return 2*at > all
}

// profileFit is a regression of a view's profile on the deck's.
type profileFit struct{ n, x, y, xx, xy, yy float64 }

func (f *profileFit) add(x, y float64) {
	f.n++
	f.x += x
	f.y += y
	f.xx += x * x
	f.xy += x * y
	f.yy += y * y
}

// fit returns the slope, the share of the variance that it explains, and the
// rest over the variance of x.
func (f *profileFit) fit() (slope, share, rest float64) {
	if f.n < 2 {
		return 0, 0, 0
	}
	xx, xy, yy := f.xx-f.x*f.x/f.n, f.xy-f.x*f.y/f.n, f.yy-f.y*f.y/f.n
	// Codes squared: no step to compare.
	if xx < f.n || yy < 1e-9 {
		return 0, 0, 0
	}
	return xy / xx, xy * xy / (xx * yy), (yy - xy*xy/xx) / xx
}
