package sleeve

import "fairdeck/internal/cv"

// Registration of the print. Tiles of the view are compared with the template
// by Lucas & Kanade's step (structure tensor A, right side b); an affine map
// is fitted to all tiles at once, robustly, then each tile moves a little on
// its own. Both steps carry priors, the outline for the affine map and the
// affine map for the tiles, weighed against the tile's information over the
// view's own noise: a plain sleeve, which has no print, follows its outline
// without being a special case.

// warp says where each pixel of the template lies in a view: dx, dy in px.
type warp struct {
	outline outlineFit
	dx, dy  []float64 // print, one value per tile centre
	affine  [6]float64
}

const (
	// printPriorMM: a card lies in its sleeve, and a design on its sleeve,
	// within some tenths of a millimetre of the usual place.
	printPriorMM = 0.3
	// tilePriorPx: after the affine map, bow and lens leave tenths of a pixel.
	tilePriorPx = 0.3
)

// outlineShift is the displacement that the outline alone suggests at (x, y):
// blended linearly between opposite sides.
func (d *deck) outlineShift(f *outlineFit, x, y float64) (dx, dy float64) {
	u := clamp(((x+0.5)/d.px-d.margin)/d.wMM, 0, 1)
	v := clamp(((y+0.5)/d.px-d.margin)/d.hMM, 0, 1)
	tx, ty := 2*u-1, 2*v-1
	dx = (1-u)*f[sideLeft].at(ty) + u*f[sideRight].at(ty)
	dy = (1-v)*f[sideTop].at(tx) + v*f[sideBottom].at(tx)
	return dx, dy
}

// register finds the warp of one view. Without a first guess (nil) it starts
// from the outline and the coarse level; with one, from where that stands.
// settle lets the tiles move on their own as well.
func (d *deck) register(t *template, pix []byte, guess *warp, settle bool) *warp {
	w := &warp{outline: d.fitOutline(t, pix)}
	n := t.tw * t.th
	w.dx, w.dy = make([]float64, n), make([]float64, n)
	ox, oy := make([]float64, n), make([]float64, n)
	for i := range n {
		x, y := t.centre(i)
		ox[i], oy[i] = d.outlineShift(&w.outline, x, y)
	}
	levels, rounds := t.levels, 3
	if guess != nil {
		levels, rounds = levels[max(0, len(levels)-1):], 2
		w.affine = guess.affine
	}
	d.applyAffine(t, w, ox, oy)
	if !d.printed {
		return w
	}
	luma := d.scratch.get((d.w / 2) * (d.h / 2))
	work := d.scratch.get(len(luma))
	var band []float32
	defer func() { d.scratch.put(luma, work, band) }()
	cv.HalfLuma(pix, d.w, d.h, luma)
	for _, l := range levels {
		d.scratch.put(band)
		band = d.alignBand(&d.scratch, luma, l.blur)
		for range rounds {
			bx, by, noise := d.tileSteps(t, l, band, w, work)
			if noise <= 0 {
				return w
			}
			// Tiles' wishes relative to the outline, in the affine basis
			// (1, X, Y) with X, Y from -1 to 1.
			w.affine = d.fitAffine(t, l, bx, by, w.dx, w.dy, ox, oy, 1/(noise*noise))
			d.applyAffine(t, w, ox, oy)
		}
	}
	if !settle {
		return w
	}
	l := levels[len(levels)-1]
	prior := 1 / (tilePriorPx * tilePriorPx)
	for range 2 {
		bx, by, noise := d.tileSteps(t, l, band, w, work)
		if noise <= 0 {
			return w
		}
		inv := 1 / (noise * noise)
		for i := range n {
			f := l.info[i]
			a := [4]float64{f.xx*inv + prior, f.xy * inv, f.xy * inv, f.yy*inv + prior}
			b := [2]float64{bx[i] * inv, by[i] * inv}
			if solveSPD(a[:], b[:]) {
				const most = 1.0 // px beyond the affine map
				w.dx[i] += clamp(b[0], -most, most)
				w.dy[i] += clamp(b[1], -most, most)
			}
		}
	}
	return w
}

// applyAffine sets the tiles' displacement to the outline's plus the affine
// part.
func (d *deck) applyAffine(t *template, w *warp, ox, oy []float64) {
	for i := range w.dx {
		x, y := t.centre(i)
		X, Y := 2*x/float64(d.w)-1, 2*y/float64(d.h)-1
		w.dx[i] = ox[i] + w.affine[0] + w.affine[1]*X + w.affine[2]*Y
		w.dy[i] = oy[i] + w.affine[3] + w.affine[4]*X + w.affine[5]*Y
	}
}

func (t *template) centre(tile int) (x, y float64) {
	return (float64(tile%t.tw) + 0.5) * float64(t.tile), (float64(tile/t.tw) + 0.5) * float64(t.tile)
}

// tileSteps returns, for each tile, b = -sum g (view - template) at the
// current displacement and the noise of the difference (codes), robustly:
// differences beyond four sigma are clipped, so a mark does not pull.
func (d *deck) tileSteps(t *template, l *alignLevel, band []float32, w *warp, work []float32) (bx, by []float64, noise float64) {
	// The planes' pixels are two of the view's.
	dx, dy := make([]float64, len(w.dx)), make([]float64, len(w.dy))
	for i := range dx {
		dx[i], dy[i] = w.dx[i]/2, w.dy[i]/2
	}
	bx, by, middle := cv.TileSteps(band, l.band, l.gx, l.gy, t.patch, dx, dy, work)
	return bx, by, madToSigma * middle
}

// fitAffine solves for the affine part that satisfies the tiles best, with a
// prior of printPriorMM about the outline's displacement.
func (d *deck) fitAffine(t *template, l *alignLevel, bx, by, dx, dy, ox, oy []float64, inv float64) [6]float64 {
	n := t.tw * t.th
	var a [36]float64
	var b [6]float64
	sigma := printPriorMM * d.px
	// The linear terms are a stretch or turn of the print in its sleeve:
	// a third of the shift's range at the rim.
	for j := range 6 {
		s := sigma
		if j%3 != 0 {
			s /= 3
		}
		a[7*j] = 1 / (s * s)
	}
	// The information of neighbouring pixels is not independent (blur,
	// chroma subsampling, demosaicking): a quarter of it counts.
	inv /= 4
	for i := range n {
		f := l.info[i]
		if f.xx+f.yy == 0 {
			continue
		}
		// Tile's own wish, limited to a pixel: b + A (current - outline).
		cx, cy := dx[i]-ox[i], dy[i]-oy[i]
		wx := bx[i] + f.xx*cx + f.xy*cy
		wy := by[i] + f.xy*cx + f.yy*cy
		x, y := t.centre(i)
		p := [3]float64{1, 2*x/float64(d.w) - 1, 2*y/float64(d.h) - 1}
		for j := range 3 {
			for k := range 3 {
				q := p[j] * p[k] * inv
				a[6*j+k] += q * f.xx
				a[6*(j+3)+k] += q * f.xy
				a[6*(j+3)+k+3] += q * f.yy
			}
			b[j] += p[j] * wx * inv
			b[j+3] += p[j] * wy * inv
		}
	}
	if !solveSPD(a[:], b[:]) {
		return [6]float64{}
	}
	return b
}

// bilinear reads a plane between its pixels; outside, the rim's value.
func bilinear(p []float32, w, h int, x, y float32) float32 {
	x, y = max(0, min(float32(w-1), x)), max(0, min(float32(h-1), y))
	ix, iy := min(int(x), w-2), min(int(y), h-2)
	fx, fy := x-float32(ix), y-float32(iy)
	i := iy*w + ix
	a, b := p[i:i+2:i+2], p[i+w:i+w+2:i+w+2]
	top := a[0] + fx*(a[1]-a[0])
	return top + fy*(b[0]+fx*(b[1]-b[0])-top)
}
