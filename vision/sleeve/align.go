package sleeve

import "math"

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

// register finds the warp of one view.
func (d *deck) register(t *template, pix []byte) *warp {
	w := &warp{outline: d.fitOutline(t, pix)}
	n := t.tw * t.th
	w.dx, w.dy = make([]float64, n), make([]float64, n)
	luma := make([]float32, d.w*d.h)
	lumaOf(pix, luma)
	ox, oy := make([]float64, n), make([]float64, n)
	for i := range n {
		x, y := t.centre(i)
		ox[i], oy[i] = d.outlineShift(&w.outline, x, y)
	}
	copy(w.dx, ox)
	copy(w.dy, oy)
	for level, l := range t.levels {
		band := d.alignBand(luma, l.blur)
		rounds := 3
		for range rounds {
			bx, by, noise := d.tileSteps(t, l, band, w.dx, w.dy)
			if noise <= 0 {
				return w
			}
			// Tiles' wishes relative to the outline, in the affine basis
			// (1, X, Y) with X, Y from -1 to 1.
			w.affine = d.fitAffine(t, l, bx, by, w.dx, w.dy, ox, oy, 1/(noise*noise))
			for i := range n {
				x, y := t.centre(i)
				X, Y := 2*x/float64(d.w)-1, 2*y/float64(d.h)-1
				w.dx[i] = ox[i] + w.affine[0] + w.affine[1]*X + w.affine[2]*Y
				w.dy[i] = oy[i] + w.affine[3] + w.affine[4]*X + w.affine[5]*Y
			}
		}
		if level+1 < len(t.levels) {
			continue
		}
		prior := 1 / (tilePriorPx * tilePriorPx)
		for range 2 {
			bx, by, noise := d.tileSteps(t, l, band, w.dx, w.dy)
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
	}
	return w
}

func (t *template) centre(tile int) (x, y float64) {
	return (float64(tile%t.tw) + 0.5) * float64(t.tile), (float64(tile/t.tw) + 0.5) * float64(t.tile)
}

// tileSteps returns, for each tile, b = -sum g (view - template) at the
// current displacement and the noise of the difference (codes), robustly:
// differences beyond four sigma are clipped, so a mark does not pull.
func (d *deck) tileSteps(t *template, l *alignLevel, band []float32, dx, dy []float64) (bx, by []float64, noise float64) {
	n := t.tw * t.th
	bx, by = make([]float64, n), make([]float64, n)
	diff := make([]float32, 0, d.w*d.h/(l.stride*l.stride))
	var hist [512]int
	total := 0
	d.eachAlignSample(t, l.stride, func(tile, i, x, y int) {
		ux, uy := t.field(dx, dy, float64(x), float64(y))
		v := sample(band, d.w, d.h, float64(x)+ux, float64(y)+uy) - l.band[i]
		diff = append(diff, v)
		// Quarter codes: fine against the camera's noise.
		hist[min(511, int(math.Abs(float64(v))*4))]++
		total++
	})
	if total == 0 {
		return bx, by, 0
	}
	half := 0
	for k, c := range hist {
		if half += c; 2*half >= total {
			noise = madToSigma * (float64(k) + 0.5) / 4
			break
		}
	}
	limit := float32(4 * noise)
	k := 0
	d.eachAlignSample(t, l.stride, func(tile, i, _, _ int) {
		v := max(-limit, min(limit, diff[k]))
		k++
		bx[tile] -= float64(l.gx[i] * v)
		by[tile] -= float64(l.gy[i] * v)
	})
	return bx, by, noise
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

// field interpolates the tiles' displacement bilinearly at a pixel.
func (t *template) field(dx, dy []float64, x, y float64) (ux, uy float64) {
	gx, gy := x/float64(t.tile)-0.5, y/float64(t.tile)-0.5
	gx, gy = clamp(gx, 0, float64(t.tw-1)), clamp(gy, 0, float64(t.th-1))
	ix, iy := min(int(gx), max(0, t.tw-2)), min(int(gy), max(0, t.th-2))
	fx, fy := gx-float64(ix), gy-float64(iy)
	i := iy*t.tw + ix
	right, down := 1, t.tw
	if t.tw < 2 {
		right = 0
	}
	if t.th < 2 {
		down = 0
	}
	a, b, c, e := (1-fx)*(1-fy), fx*(1-fy), (1-fx)*fy, fx*fy
	ux = a*dx[i] + b*dx[i+right] + c*dx[i+down] + e*dx[i+right+down]
	uy = a*dy[i] + b*dy[i+right] + c*dy[i+down] + e*dy[i+right+down]
	return ux, uy
}

// sample reads a plane bilinearly; outside, the rim's value.
func sample(p []float32, w, h int, x, y float64) float32 {
	x, y = clamp(x, 0, float64(w-1)), clamp(y, 0, float64(h-1))
	ix, iy := min(int(x), w-2), min(int(y), h-2)
	fx, fy := float32(x-float64(ix)), float32(y-float64(iy))
	i := iy*w + ix
	return (p[i]*(1-fx)+p[i+1]*fx)*(1-fy) + (p[i+w]*(1-fx)+p[i+w+1]*fx)*fy
}
