package sleeve

import (
	"math"
	"slices"
)

// An edge that lies a fraction of a pixel from where the others have it shows
// as a thin line beside it. Registration leaves such lines: a sleeve is a
// little wider, its shadow pulls at the outline, a print is stretched. Two
// tests tell them from marks. Along the outline every pixel is then a mixture
// of the sleeve inside and the table outside, as they look on this very view;
// whitened film, ink and dirt are not. And at a print the difference is a
// multiple of the print's own gradient.

const (
	// outlineThinPx is how deep, from the outline, a misplaced outline reaches:
	// the error of a side, and the blur.
	outlineThinPx = 4.0
	// outlineLongMM: wear is not longer and as thin.
	outlineLongMM = 45
	// outlineLinePx is the mean width of such a line, in the camera's pixels,
	// and outlineLineMM the length of one that need not be dark.
	outlineLinePx, outlineLineMM = 2.2, 8.0
	// outlineMovedPx is how far a side may be from where it was found, and
	// movedRest what of the squared difference may then be left.
	outlineMovedPx, movedRest = 2.5, 0.35
	// printMovedPx is the same for a print: a fifth of a millimetre or so.
	printMovedPx = 1.5
	// mixInMM is where the sleeve's own colour is read.
	mixInMM = 1.5
	// displacedRest is the share of the squared difference that an edge's
	// displacement may leave unexplained.
	displacedRest = 0.25
	// shiftRest is the same for the print; a mark on a print edge is seldom
	// so much like the edge itself.
	shiftRest = 0.35
	// shiftMostPx: registration does not leave more.
	shiftMostPx = 1.5
)

// mixOutPx are the distances from the outline at which shadow and table are
// read.
var mixOutPx = [...]float64{1.5, 3, 5}

// mixesOutline reports whether a region close to the outline is explained by
// an outline that lies elsewhere.
func (d *deck) mixesOutline(b *filterBank, k int, r *region) bool {
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	var rest, total float64
	near, dark := 0, 0.0
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		p := d.placeMM(float64(x), float64(y))
		depth := d.insetMM(p.X, p.Y, d.radius)
		if float64(pix[3*i+1]) < float64(mid[3*i+1])/256 {
			dark++
		}
		if depth*d.px > outlineThinPx {
			continue
		}
		near++
		nx, ny := d.inwards(p.X, p.Y)
		in := d.colourAt(pix, p.X+(mixInMM-depth)*nx, p.Y+(mixInMM-depth)*ny)
		var diff [3]float64
		for c := range diff {
			diff[c] = float64(pix[3*i+c]) - float64(mid[3*i+c])/256
			total += diff[c] * diff[c]
		}
		// The sleeve's shadow lies between it and the table: any of the three
		// may be what the edge is mixed with.
		least := math.Inf(1)
		for _, far := range mixOutPx {
			out := d.colourAt(pix, p.X-(far/d.px+depth)*nx, p.Y-(far/d.px+depth)*ny)
			var along, size, left float64
			for c := range out {
				along += (float64(pix[3*i+c]) - in[c]) * (out[c] - in[c])
				size += sq(out[c] - in[c])
			}
			share := 0.0
			if size > 0 {
				share = clamp(along/size, 0, 1)
			}
			for c := range out {
				left += sq(float64(pix[3*i+c]) - in[c] - share*(out[c]-in[c]))
			}
			least = math.Min(least, left)
		}
		rest += least
	}
	if near == 0 || float64(near) <= 0.8*float64(len(r.pixels)) {
		return false
	}
	// Wear and nicks take a part of a side; so long and thin is the side itself.
	if mm := math.Hypot(float64(r.x1-r.x0), float64(r.y1-r.y0)) / d.px; mm > outlineLongMM {
		return true
	}
	// Wear and nicks of any size are more than a line of two of the camera's
	// pixels that is darker than the rest; a contact shadow is just that. A
	// lighter one that goes on for longer than a corner is no more certain.
	area, long := float64(len(r.pixels)), math.Max(float64(r.x1-r.x0), float64(r.y1-r.y0))
	if area < outlineLinePx*d.px/d.source*long && (dark > 0.8*area || long > outlineLineMM*d.px) {
		return true
	}
	return rest < displacedRest*total || d.movedOutline(b, k, r)
}

// movedOutline reports whether the view looks, across the outline, as the
// typical sleeve does a little further in or out.
func (d *deck) movedOutline(b *filterBank, k int, r *region) bool {
	pix, code := d.view(k), b.tpl.code
	pixels := d.around(r, 2)
	sum := func(by float64) (v float64) {
		for _, i := range pixels {
			x, y := i%d.w, i/d.w
			p := d.placeMM(float64(x), float64(y))
			nx, ny := d.inwards(p.X, p.Y)
			for c := range 3 {
				v += sq(float64(pix[3*i+c]) - float64(bilinear(code[c], d.w, d.h, float32(float64(x)+by*nx), float32(float64(y)+by*ny))))
			}
		}
		return v
	}
	still := sum(0)
	for by := 0.25; by <= outlineMovedPx; by += 0.25 {
		if math.Min(sum(by), sum(-by)) < movedRest*still {
			return true
		}
	}
	// A print that runs to the edge of a bare card is cut elsewhere: there it
	// is the print that has moved, in any direction.
	for dy := -printMovedPx; dy <= printMovedPx; dy += 0.5 {
		for dx := -printMovedPx; dx <= printMovedPx; dx += 0.5 {
			v := 0.0
			for _, i := range pixels {
				x, y := float32(float64(i%d.w)+dx), float32(float64(i/d.w)+dy)
				for c := range 3 {
					v += sq(float64(pix[3*i+c]) - float64(bilinear(code[c], d.w, d.h, x, y)))
				}
			}
			if v < movedRest*still {
				return true
			}
		}
	}
	return false
}

// inwards is the unit normal of the nearest side, or of the corner's arc.
func (d *deck) inwards(x, y float64) (nx, ny float64) {
	sx, sy := 1.0, 1.0
	dx, dy := x, y
	if d.wMM-x < x {
		dx, sx = d.wMM-x, -1
	}
	if d.hMM-y < y {
		dy, sy = d.hMM-y, -1
	}
	switch {
	case dx < d.radius && dy < d.radius:
		u, v := d.radius-dx, d.radius-dy
		if n := math.Hypot(u, v); n > 0 {
			return sx * u / n, sy * v / n
		}
		return sx, 0
	case dx < dy:
		return sx, 0
	}
	return 0, sy
}

// colourAt is the median code of 3 x 3 pixels, B G R.
func (d *deck) colourAt(pix []byte, x, y float64) (c [3]float64) {
	px := int(clamp((x+d.margin)*d.px, 1, float64(d.w-2)))
	py := int(clamp((y+d.margin)*d.px, 1, float64(d.h-2)))
	var v [9]float64
	for ch := range c {
		for j := range v {
			v[j] = float64(pix[3*((py+j/3-1)*d.w+px+j%3-1)+ch])
		}
		slices.Sort(v[:])
		c[ch] = v[4]
	}
	return c
}

// shiftsPrint reports whether a region is explained by a print that lies a
// little elsewhere, or is a little less sharp.
func (d *deck) shiftsPrint(b *filterBank, k int, r *region) bool {
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	code := b.tpl.code
	var a [9]float64
	var v [3]float64
	total, noise := 0.0, 0.0
	terms := func(c, i int) [3]float64 {
		return [3]float64{
			float64(code[c][i+1]-code[c][i-1]) / 2,
			float64(code[c][i+d.w]-code[c][i-d.w]) / 2,
			float64(code[c][i+1]+code[c][i-1]+code[c][i+d.w]+code[c][i-d.w]-4*code[c][i]) / 2,
		}
	}
	for _, i := range d.around(r, 2) {
		for c := range 3 {
			g := terms(c, i)
			e := float64(pix[3*i+c]) - float64(mid[3*i+c])/256
			total += e * e
			noise += 1 / sq(float64(b.inv[c][i]))
			for j := range g {
				v[j] += g[j] * e
				for l := 0; l <= j; l++ {
					a[3*j+l] += g[j] * g[l]
				}
			}
		}
	}
	for j := range 3 {
		a[4*j] += 1
	}
	s, w := a, v
	if !solveSPD(s[:], w[:]) || math.Hypot(w[0], w[1]) > shiftMostPx {
		return false
	}
	explained := w[0]*v[0] + w[1]*v[1] + w[2]*v[2]
	return total-explained-noise < shiftRest*(total-noise)
}

const (
	// printSlipMM is how far a print may lie from where registration put it
	// where an outline was wrong, and slipRest what of the squared difference,
	// within slipAroundMM of the region, its place may then leave: match has
	// taken off what it could, which leaves a ghost.
	printSlipMM, slipAroundMM, slipRest = 0.8, 0.8, 0.4
	// slipMostPx bounds the search on fine views.
	slipMostPx = 8
)

// movedPrint reports whether the view looks, at region r, as the typical
// sleeve does some tenths of a millimetre beside it: there the print lies
// elsewhere. On plain ground nothing is explained by that.
func (d *deck) movedPrint(b *filterBank, k int, r *region) bool {
	if !d.printed {
		return false
	}
	pix, code := d.view(k), b.tpl.code
	// The surroundings must bear it out: beside a dot the print has not moved.
	pixels := d.around(r, max(3, int(math.Round(slipAroundMM*d.px))))
	// So many pixels are enough to compare places by.
	const enough = 400
	step := max(1, len(pixels)/enough)
	most := min(slipMostPx, int(math.Round(printSlipMM*d.px)))
	sum := func(dx, dy int) (v float64) {
		for j := 0; j < len(pixels); j += step {
			i := pixels[j]
			at := max(0, min(d.h-1, i/d.w+dy))*d.w + max(0, min(d.w-1, i%d.w+dx))
			for c := range 3 {
				v += sq(float64(pix[3*i+c]) - float64(code[c][at]))
			}
		}
		return v
	}
	still := sum(0, 0)
	for dy := -most; dy <= most; dy++ {
		for dx := -most; dx <= most; dx++ {
			if (dx != 0 || dy != 0) && sum(dx, dy) < slipRest*still {
				return true
			}
		}
	}
	return false
}

// around lists a region's pixels and those within n px of it that are on the
// sleeve.
func (d *deck) around(r *region, n int) []int {
	seen := map[int]bool{}
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		for yy := max(1, y-n); yy <= min(d.h-2, y+n); yy++ {
			for xx := max(1, x-n); xx <= min(d.w-2, x+n); xx++ {
				seen[yy*d.w+xx] = true
			}
		}
	}
	out := make([]int, 0, len(seen))
	for i := range seen {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		if d.insetMM(p.X, p.Y, d.radius) > 0 {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// cornerGlint reports whether a bright region near a corner is a lamp mirrored
// there: film is bent in two directions at its corners, so that any lamp finds
// a place to be seen in.
func (d *deck) cornerGlint(b *filterBank, k int, r *region, m *Mark) bool {
	const reachMM, longestMM = 4.5, 4.0
	far := 0.0
	for _, i := range r.pixels {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		far = math.Max(far, math.Max(math.Min(p.X, d.wMM-p.X), math.Min(p.Y, d.hMM-p.Y)))
	}
	// Wear begins at the outline.
	touches := false
	for _, i := range r.pixels {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		touches = touches || d.insetMM(p.X, p.Y, d.radius)*d.px < 2
	}
	return m.lighter && !touches && far < reachMM && m.LengthMM < longestMM && d.lightLike(b, k, r, true) == reasonGlare
}
