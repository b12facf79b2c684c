package face

import (
	"math"
	"slices"
)

// unseen says which cells of plate a cannot be compared with b seen through
// m, off b's picture or blown out in one of them, and which lie under a veil of
// light in one of them, which takes contrast. half are the cells of both kinds
// at half resolution.
//
// A reflection is told from a paper that is empty in one of them by its
// brightest places: a lamp makes the paper lighter, too, a missing word does
// not. Paper that is saturated in both still shows its letters.
func unseen(a, b *plate, m *projective) (fine, veil, half []bool) {
	cols, rows := a.light.w/cellPx, a.light.h/cellPx
	fine = make([]bool, cols*rows)
	diff := make([]int, cols*rows)
	peak := make([]float32, cols*rows) // of b
	for k := range peak {
		peak[k] = -1
	}
	// Near its border a plate knows nothing of what is beyond, which print's box
	// would need.
	const edge = printRadius + 1
	w, h, asp := a.light.w, a.light.h, a.light.aspect()
	for y := range rows * cellPx {
		v := 2*float64(y)/float64(h) - 1
		for x := 0; x < cols*cellPx; x++ {
			dx, dy := m.move(2*float64(x)/float64(w)-1, v, asp)
			fx, fy := float64(x)+2*dx, float64(y)+2*dy
			k := y/cellPx*cols + x/cellPx
			if x < printRadius || y < printRadius || x >= w-printRadius || y >= h-printRadius ||
				fx < edge || fy < edge || fx > float64(w-1)-edge || fy > float64(h-1)-edge {
				fine[k] = true
				continue
			}
			at := int(fy+0.5)*w + int(fx+0.5)
			diff[k] += int(a.blown[y*w+x]) - int(b.blown[at])
			if (x^y)&1 == 0 {
				peak[k] = max(peak[k], b.soft.v[at])
			}
		}
	}
	// A tenth of a cell: the rim of a reflection is no print either.
	const most = cellPx * cellPx / 10
	for k, d := range diff {
		fine[k] = fine[k] || d > most || d < -most
	}
	veil = make([]bool, cols*rows)
	veiled(a, peak, fine, veil, cols, rows)
	hc, hr := a.half.w/cellPx, a.half.h/cellPx
	half = make([]bool, hc*hr)
	for j := range hr {
		for i := range hc {
			half[j*hc+i] = i == 0 || j == 0 || i == hc-1 || j == hr-1
			for _, k := range [4]int{2*j*cols + 2*i, 2*j*cols + 2*i + 1, (2*j+1)*cols + 2*i, (2*j+1)*cols + 2*i + 1} {
				half[j*hc+i] = half[j*hc+i] || fine[k] || veil[k]
			}
		}
	}
	return fine, veil, half
}

// veilLevels is by how many levels a cell's brightest place must be lighter than the
// light's slow change over the card explains, to count as a reflection. Paper
// differs by less from copy to copy (a fresh and a yellowed one by about 8).
const veilLevels = 14

// veiled finds the cells under a reflection: the lightness of the brightest
// places is compared after a plane through their logarithms' differences, fitted
// with little weight for what lies far off it.
func veiled(a *plate, peakB []float32, skip, veil []bool, cols, rows int) {
	d := make([]float64, cols*rows)
	var all []float64
	for k := range d {
		d[k] = math.NaN()
		if !skip[k] && peakB[k] >= 0 {
			d[k] = math.Log(float64(a.peak[k])+8) - math.Log(float64(peakB[k])+8)
			all = append(all, d[k])
		}
	}
	if len(all) < 20 {
		return
	}
	slices.Sort(all)
	p := [3]float64{all[len(all)/2], 0, 0}
	for range 4 {
		var h [6]float64
		var g [3]float64
		for k, v := range d {
			if math.IsNaN(v) {
				continue
			}
			x, y := 2*float64(k%cols)/float64(cols)-1, 2*float64(k/cols)/float64(rows)-1
			r := v - p[0] - p[1]*x - p[2]*y
			w := 1 / (1 + r*r/0.0025) // 5%
			w *= w
			h[0] += w
			h[1] += w * x
			h[2] += w * y
			h[3] += w * x * x
			h[4] += w * x * y
			h[5] += w * y * y
			g[0] += w * r
			g[1] += w * r * x
			g[2] += w * r * y
		}
		if !solve3(h, &g) {
			return
		}
		for i := range p {
			p[i] += g[i]
		}
	}
	levels := make([]float64, len(d))
	for k, v := range d {
		if math.IsNaN(v) {
			continue
		}
		x, y := 2*float64(k%cols)/float64(cols)-1, 2*float64(k/cols)/float64(rows)-1
		levels[k] = (v - p[0] - p[1]*x - p[2]*y) * math.Sqrt((float64(a.peak[k])+8)*(float64(peakB[k])+8))
	}
	for k, v := range levels {
		if math.Abs(v) <= veilLevels {
			continue
		}
		// In the midst of a broad veil print can be compared; its rim, and a
		// bright lint, look like print.
		i, j := k%cols, k/cols
		for _, q := range [4][2]int{{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}} {
			if q[0] >= 0 && q[1] >= 0 && q[0] < cols && q[1] < rows && math.Abs(levels[q[1]*cols+q[0]]-v) > rimLevels {
				skip[k] = true
			}
		}
		veil[k] = true
	}
}

// rimLevels is the change of a veil from cell to cell above which it has a rim
// there: print of 1.5 mm cannot be told from it.
const rimLevels = 9

// solve3 solves the symmetric system h (00 01 02 11 12 22) by Cramer's rule.
func solve3(h [6]float64, g *[3]float64) bool {
	a, b, c, d, e, f := h[0]+1e-9, h[1], h[2], h[3]+1e-9, h[4], h[5]+1e-9
	det := a*(d*f-e*e) - b*(b*f-c*e) + c*(b*e-c*d)
	if !(math.Abs(det) > 1e-12) {
		return false
	}
	x := (g[0]*(d*f-e*e) - b*(g[1]*f-g[2]*e) + c*(g[1]*e-g[2]*d)) / det
	y := (a*(g[1]*f-g[2]*e) - g[0]*(b*f-c*e) + c*(b*g[2]-c*g[1])) / det
	z := (a*(d*g[2]-e*g[1]) - b*(b*g[2]-c*g[1]) + g[0]*(b*e-c*d)) / det
	g[0], g[1], g[2] = x, y, z
	return true
}
