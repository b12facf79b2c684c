package sleeve

import "math"

// After registration and slow light, a view still differs from the consensus
// where there is print: a tenth of a pixel of misfit, a little more or less
// focus, a veil of glare that varies over millimetres and takes contrast from
// the print. All of these are, to first order, multiples of pictures that can
// be made from the consensus: its gradient, its Laplacian, and its own
// departure from the local mean. Astronomers subtract images this way (Alard &
// Lupton 1998, "A method for optimal image subtraction", ApJ 503, 325): the
// multiples are fitted in overlapping windows and taken off. A mark is not a
// multiple of the print; its pixels are clipped, so it neither steers the fit
// nor is explained by it. Where there is no print, nothing is taken off.

const (
	matchTileMM = 2.0 // windows are 3 x 3 tiles
	matchTerms  = 6   // dx, dy, focus, contrast of B, G, R
	matchMeanMM = 2.0 // radius of the local mean for contrast
	// matchInsetMM keeps the table's light, shadow and pattern, which the
	// blurred outline carries inwards, out of the fit.
	matchInsetMM = 0.5
)

// Priors of the multiples: what registration leaves (px), the difference in
// focus (px^2 of variance), and the loss or gain of contrast.
var matchPrior = [matchTerms]float64{0.3, 0.3, 0.3, 0.15, 0.15, 0.15}

// matcher holds the guides and the tiles' normal matrices.
type matcher struct {
	tile       int
	tw, th     int
	gx, gy     [3][]float32
	lap, dev   [3][]float32
	weight     [3][]float32 // 1/variance
	normal     [][21]float64
	x0, y0     int // the sleeve's pixels
	x1, y1     int
	noiseScale float64
}

func (d *deck) newMatcher(t *template, o *order) *matcher {
	m := &matcher{tile: max(6, int(math.Round(matchTileMM*d.px)))}
	m.tw, m.th = (d.w+m.tile-1)/m.tile, (d.h+m.tile-1)/m.tile
	m.x0 = max(1, int(math.Ceil((d.margin+matchInsetMM)*d.px)))
	m.y0 = m.x0
	m.x1 = min(d.w-1, int((d.margin+d.wMM-matchInsetMM)*d.px))
	m.y1 = min(d.h-1, int((d.margin+d.hMM-matchInsetMM)*d.px))
	inv := d.noiseModel(t, o, len(d.plates))
	n := d.w * d.h
	mean := max(2, int(math.Round(matchMeanMM*d.px)))
	for c := range 3 {
		code := t.code[c]
		m.gx[c], m.gy[c], m.lap[c] = make([]float32, n), make([]float32, n), make([]float32, n)
		m.dev[c] = bandPass(nil, code, d.w, d.h, mean)
		m.weight[c] = make([]float32, n)
		for y := m.y0; y < m.y1; y++ {
			for x := m.x0; x < m.x1; x++ {
				i := y*d.w + x
				m.gx[c][i] = (code[i+1] - code[i-1]) / 2
				m.gy[c][i] = (code[i+d.w] - code[i-d.w]) / 2
				m.lap[c][i] = (code[i+1] + code[i-1] + code[i+d.w] + code[i-d.w] - 4*code[i]) / 2
				// Neighbouring pixels share their noise (blur, JPEG): a third
				// of them counts.
				m.weight[c][i] = inv[c][i] * inv[c][i] / 3
			}
		}
	}
	m.normal = make([][21]float64, m.tw*m.th)
	for y := m.y0; y < m.y1; y++ {
		for x := m.x0; x < m.x1; x++ {
			i := y*d.w + x
			q := &m.normal[(y/m.tile)*m.tw+x/m.tile]
			for c := range 3 {
				w := float64(m.weight[c][i])
				g := [4]float64{float64(m.gx[c][i]), float64(m.gy[c][i]), float64(m.lap[c][i]), float64(m.dev[c][i])}
				// Rows 0..2 are shared by the channels, row 3+c is its own.
				q[0] += w * g[0] * g[0]
				q[1] += w * g[1] * g[0]
				q[2] += w * g[1] * g[1]
				q[3] += w * g[2] * g[0]
				q[4] += w * g[2] * g[1]
				q[5] += w * g[2] * g[2]
				r := triangle(3+c, 0)
				q[r] += w * g[3] * g[0]
				q[r+1] += w * g[3] * g[1]
				q[r+2] += w * g[3] * g[2]
				q[triangle(3+c, 3+c)] += w * g[3] * g[3]
			}
		}
	}
	return m
}

// triangle indexes the lower triangle row by row.
func triangle(row, col int) int { return row*(row+1)/2 + col }

// match takes the multiples off a view in place.
func (d *deck) match(m *matcher, t *template, pix, reasons []byte) {
	right := make([][matchTerms]float64, m.tw*m.th)
	for y := m.y0; y < m.y1; y++ {
		for x := m.x0; x < m.x1; x++ {
			i := y*d.w + x
			if reasons[i] != 0 {
				continue
			}
			q := &right[(y/m.tile)*m.tw+x/m.tile]
			for c := range 3 {
				w := m.weight[c][i]
				r := float32(pix[3*i+c]) - t.code[c][i]
				// Three sigma (weight is a third of 1/variance: r^2 w = 3).
				if r*r*w > 3 {
					s := float32(math.Sqrt(float64(3 / w)))
					r = max(-s, min(s, r))
				}
				w *= r
				q[0] += float64(w * m.gx[c][i])
				q[1] += float64(w * m.gy[c][i])
				q[2] += float64(w * m.lap[c][i])
				q[3+c] += float64(w * m.dev[c][i])
			}
		}
	}
	coef := make([][matchTerms]float32, m.tw*m.th)
	for ty := range m.th {
		for tx := range m.tw {
			var a [matchTerms * matchTerms]float64
			var b [matchTerms]float64
			for j := range matchTerms {
				a[j*matchTerms+j] = 1 / (matchPrior[j] * matchPrior[j])
			}
			for y := max(0, ty-1); y <= min(m.th-1, ty+1); y++ {
				for x := max(0, tx-1); x <= min(m.tw-1, tx+1); x++ {
					q, r := &m.normal[y*m.tw+x], &right[y*m.tw+x]
					for j := range matchTerms {
						for k := 0; k <= j; k++ {
							a[j*matchTerms+k] += q[triangle(j, k)]
						}
						b[j] += r[j]
					}
				}
			}
			if solveSPD(a[:], b[:]) {
				for j := range b {
					// Beyond three times the prior it is no misfit any more.
					coef[ty*m.tw+tx][j] = float32(clamp(b[j], -3*matchPrior[j], 3*matchPrior[j]))
				}
			}
		}
	}
	inv := 1 / float32(m.tile)
	for y := m.y0; y < m.y1; y++ {
		fy := max(0, min(float32(m.th-1), (float32(y)+0.5)*inv-0.5))
		iy := min(int(fy), max(0, m.th-2))
		fy -= float32(iy)
		down := min(1, m.th-1) * m.tw
		for x := m.x0; x < m.x1; x++ {
			fx := max(0, min(float32(m.tw-1), (float32(x)+0.5)*inv-0.5))
			ix := min(int(fx), max(0, m.tw-2))
			fx -= float32(ix)
			j := iy*m.tw + ix
			p, q := &coef[j], &coef[min(j+1, len(coef)-1)]
			r, s := &coef[min(j+down, len(coef)-1)], &coef[min(j+down+1, len(coef)-1)]
			var k [matchTerms]float32
			for e := range k {
				top := p[e] + fx*(q[e]-p[e])
				bottom := r[e] + fx*(s[e]-r[e])
				k[e] = top + fy*(bottom-top)
			}
			i := y*d.w + x
			for c := range 3 {
				v := float32(pix[3*i+c]) - k[0]*m.gx[c][i] - k[1]*m.gy[c][i] - k[2]*m.lap[c][i] - k[3+c]*m.dev[c][i]
				pix[3*i+c] = uint8(max(0, min(255, v+0.5)))
			}
		}
	}
}
