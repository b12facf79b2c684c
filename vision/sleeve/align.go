package sleeve

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
// from the outline and the coarse level; with one, from where that stands, and
// lets the tiles move.
func (d *deck) register(t *template, pix []byte, guess *warp) *warp {
	w := &warp{outline: d.fitOutline(t, pix)}
	n := t.tw * t.th
	w.dx, w.dy = make([]float64, n), make([]float64, n)
	luma := d.scratch.get(d.w * d.h)
	var band []float32
	defer func() { d.scratch.put(luma, band) }()
	lumaOf(pix, luma)
	ox, oy := make([]float64, n), make([]float64, n)
	for i := range n {
		x, y := t.centre(i)
		ox[i], oy[i] = d.outlineShift(&w.outline, x, y)
	}
	levels, rounds := t.levels, 3
	if guess != nil {
		levels, rounds = levels[len(levels)-1:], 2
		w.affine = guess.affine
	}
	d.applyAffine(t, w, ox, oy)
	if !d.printed {
		return w
	}
	for _, l := range levels {
		d.scratch.put(band)
		band = d.alignBand(&d.scratch, luma, l.blur)
		for range rounds {
			bx, by, noise := d.tileSteps(t, l, band, w.dx, w.dy)
			if noise <= 0 {
				return w
			}
			// Tiles' wishes relative to the outline, in the affine basis
			// (1, X, Y) with X, Y from -1 to 1.
			w.affine = d.fitAffine(t, l, bx, by, w.dx, w.dy, ox, oy, 1/(noise*noise))
			d.applyAffine(t, w, ox, oy)
		}
	}
	if guess == nil {
		return w
	}
	l := levels[0]
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
func (d *deck) tileSteps(t *template, l *alignLevel, band []float32, dx, dy []float64) (bx, by []float64, noise float64) {
	n := t.tw * t.th
	bx, by = make([]float64, n), make([]float64, n)
	buffer := d.scratch.get(d.w * d.h)
	defer d.scratch.put(buffer)
	diff := buffer[:0]
	var hist [512]int
	rx, ry := make([]float32, t.tw+1), make([]float32, t.tw+1)
	x0, x1, y0, y1 := d.alignBounds()
	cols := t.fieldColumns()
	for y := y0; y < y1; y += l.stride {
		t.fieldRow(dx, dy, y, rx, ry)
		for x := x0; x < x1; x += l.stride {
			c := cols[x]
			ux, uy := rx[c.tile]+c.part*(rx[c.tile+1]-rx[c.tile]), ry[c.tile]+c.part*(ry[c.tile+1]-ry[c.tile])
			v := bilinear(band, d.w, d.h, float32(x)+ux, float32(y)+uy) - l.band[y*d.w+x]
			diff = append(diff, v)
			// Quarter codes: fine against the camera's noise.
			hist[min(511, int(max(v, -v)*4))]++
		}
	}
	total := len(diff)
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
	for y := y0; y < y1; y += l.stride {
		row := (y / t.tile) * t.tw
		for x := x0; x < x1; x += l.stride {
			v := max(-limit, min(limit, diff[k]))
			k++
			i := y*d.w + x
			tile := row + x/t.tile
			bx[tile] -= float64(l.gx[i] * v)
			by[tile] -= float64(l.gy[i] * v)
		}
	}
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

// fieldRow interpolates the tiles' displacement down to pixel row y: one
// value per tile column (and one more, so that reading past the last is safe).
func (t *template) fieldRow(dx, dy []float64, y int, rx, ry []float32) {
	g := clamp((float64(y)+0.5)/float64(t.tile)-0.5, 0, float64(t.th-1))
	i := min(int(g), max(0, t.th-2))
	f := g - float64(i)
	up, down := i*t.tw, min(i+1, t.th-1)*t.tw
	for k := range t.tw {
		rx[k] = float32((1-f)*dx[up+k] + f*dx[down+k])
		ry[k] = float32((1-f)*dy[up+k] + f*dy[down+k])
	}
	rx[t.tw], ry[t.tw] = rx[t.tw-1], ry[t.tw-1]
}

// fieldColumn is where a pixel lies between two tile columns of fieldRow.
type fieldColumn struct {
	tile int
	part float32
}

// fieldColumns is the place of every pixel of a row.
func (t *template) fieldColumns() []fieldColumn {
	c := make([]fieldColumn, t.w)
	for x := range c {
		g := max(0, min(float32(t.tw-1), (float32(x)+0.5)/float32(t.tile)-0.5))
		c[x] = fieldColumn{int(g), g - float32(int(g))}
	}
	return c
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
