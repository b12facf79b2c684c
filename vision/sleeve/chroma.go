package sleeve

import (
	"math"
	"slices"
)

// JPEG rounds most of the colour in a block of 8 or 16 pixels to nothing, and
// now and then to one step: colour noise is zero nearly everywhere and a whole
// step in a few blocks. Its variance, robustly taken, says nothing of these
// blocks, and a filter whitened by it answers to each of them as if it were a
// mark. So the covariance is widened along the two directions of colour, given
// lightness, until their outer quantile is a normal distribution's.

const (
	// chromaQuantile of the absolute values, and where a normal distribution
	// has it. Dust and hairlines cover less than a hundredth of a sleeve.
	chromaQuantile = 0.99
	chromaNormal   = 2.5758293
)

// lumaBasis is the change of channels to lightness first: rows of the matrix T
// with T r = (lightness, r0, r2). Any two channels besides do.
func lumaBasis(luma [3]float64) [3][3]float64 {
	return [3][3]float64{luma, {1, 0, 0}, {0, 0, 1}}
}

// conditional returns the rows that take responses to uncorrelated ones of
// unit variance, lightness first, for a covariance as in clippedCovariance.
func conditional(cov [6]float64, luma [3]float64) [3][3]float64 {
	t := lumaBasis(luma)
	c := [3][3]float64{{cov[0], cov[1], cov[3]}, {cov[1], cov[2], cov[4]}, {cov[3], cov[4], cov[5]}}
	var tc, m [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				tc[i][j] += t[i][k] * c[k][j]
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				m[i][j] += tc[i][k] * t[j][k]
			}
		}
	}
	w := inverseCholesky([6]float64{m[0][0], m[1][0], m[1][1], m[2][0], m[2][1], m[2][2]})
	lower := [3][3]float64{{w[0]}, {w[1], w[2]}, {w[3], w[4], w[5]}}
	var out [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				out[i][j] += lower[i][k] * t[k][j]
			}
		}
	}
	return out
}

// chromaTails returns by how much the outer quantile of the two colour
// directions exceeds a normal distribution's, at least 1.
func chromaTails(m []float32, r [3][]float32, cov [6]float64, luma [3]float64) [2]float64 {
	w := conditional(cov, luma)
	var v [2][]float64
	step := max(1, len(m)/20000)
	for i := 0; i < len(m); i += step {
		if m[i] <= 0.5 {
			continue
		}
		x, y, z := float64(r[0][i]), float64(r[1][i]), float64(r[2][i])
		for j := range v {
			v[j] = append(v[j], math.Abs(w[j+1][0]*x+w[j+1][1]*y+w[j+1][2]*z))
		}
	}
	out := [2]float64{1, 1}
	for j := range v {
		if len(v[j]) < 100 {
			continue
		}
		slices.Sort(v[j])
		out[j] = math.Max(1, quantileSorted(v[j], chromaQuantile)/chromaNormal)
	}
	return out
}

// widenChroma returns the covariance with the standard deviations of the two
// colour directions multiplied.
func widenChroma(cov [6]float64, luma [3]float64, by [2]float64) [6]float64 {
	w := conditional(cov, luma)
	inv, ok := inverse3(w)
	if !ok {
		return cov
	}
	s := [3]float64{1, by[0] * by[0], by[1] * by[1]}
	at := func(i, j int) (v float64) {
		for k := range 3 {
			v += inv[i][k] * s[k] * inv[j][k]
		}
		return v
	}
	return [6]float64{at(0, 0), at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(2, 2)}
}

// inverse3 inverts a matrix by cofactors.
func inverse3(m [3][3]float64) (out [3][3]float64, ok bool) {
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := (j+1)%3, (j+2)%3, (i+1)%3, (i+2)%3
			out[i][j] = m[a][c]*m[b][d] - m[a][d]*m[b][c]
		}
	}
	det := m[0][0]*out[0][0] + m[0][1]*out[1][0] + m[0][2]*out[2][0]
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return out, false
	}
	for i := range 3 {
		for j := range 3 {
			out[i][j] /= det
		}
	}
	return out, true
}
