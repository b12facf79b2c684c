package sleeve

import (
	"math"

	"fairdeck/internal/cv"
)

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

// matcher holds what the guides are made of and the tiles' normal matrices.
// The planes are interleaved like the consensus, of which the gradient and
// the Laplacian are taken as they are needed.
type matcher struct {
	tw, th int // tiles
	window cv.Window
	mid    []uint16
	dev    []float32 // the consensus less its local mean
	root   []float32 // of the weight, which is a third of 1/variance
	normal [][21]float64
}

func (d *deck) newMatcher(t *template, o *order) *matcher {
	tile := max(6, int(math.Round(matchTileMM*d.px)))
	m := &matcher{mid: t.mid, tw: (d.w + tile - 1) / tile, th: (d.h + tile - 1) / tile}
	x0 := max(1, int(math.Ceil((d.margin+matchInsetMM)*d.px)))
	x1 := min(d.w-1, int((d.margin+d.wMM-matchInsetMM)*d.px))
	y1 := min(d.h-1, int((d.margin+d.hMM-matchInsetMM)*d.px))
	m.window = cv.Window{Width: d.w, X0: x0, X1: x1, Y0: x0, Y1: y1, Tile: tile, TW: m.tw, TH: m.th}
	inv := d.noiseModel(t, o, len(d.plates))
	third := float32(math.Sqrt(1.0 / 3))
	n := d.w * d.h
	mean := max(2, int(math.Round(matchMeanMM*d.px)))
	m.dev, m.root = make([]float32, 3*n), make([]float32, 3*n)
	m.normal = make([][21]float64, m.tw*m.th)
	for c := range 3 {
		code := t.code[c]
		dev := bandPass(nil, code, d.w, d.h, mean)
		for y := x0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				i := y*d.w + x
				q := &m.normal[(y/tile)*m.tw+x/tile]
				// Neighbouring pixels share their noise (blur, JPEG): a third
				// of them counts.
				m.dev[3*i+c], m.root[3*i+c] = dev[i], inv[c][i]*third
				w := sq(float64(m.root[3*i+c]))
				g := [4]float64{
					float64((code[i+1] - code[i-1]) / 2),
					float64((code[i+d.w] - code[i-d.w]) / 2),
					float64((code[i+1] + code[i-1] + code[i+d.w] + code[i-d.w] - 4*code[i]) / 2),
					float64(dev[i]),
				}
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
func (d *deck) match(m *matcher, pix, reasons []byte) {
	right := make([][matchTerms]float64, m.tw*m.th)
	cv.MatchSums(pix, m.mid, reasons, m.dev, m.root, m.window, right)
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
	cv.MatchApply(pix, m.mid, m.dev, m.window, coef)
}
