package card

import (
	"math"
	"slices"
)

// A stepModel finds a blurred step in a short profile. For every place x0 on
// a grid it holds an orthonormal basis of
//
//	1, x, Phi((x-x0)/sigma), max(0, x-x0)
//
// that is a step between two ramps, so that a soft shadow or a gradient of
// light beside the edge does not pull it. The basis depends on x0 alone;
// fitting a profile is then a few scalar products, all channels at once.
type stepModel struct {
	k     int
	step  float64
	close bool      // another step is near: see nearest
	taper []float64 // weight of each sample, falling off from the middle
	x0    []float64
	basis [][][]float64 // per x0: the vectors; the last one is the step's own
}

// newStepModel builds the model for profiles of k samples, step px apart, an
// edge of Gaussian blur sigma px, places within reach px of the middle and a
// Gaussian taper of width px that keeps neighbouring lines out.
func newStepModel(k int, step, sigma, reach, width float64) *stepModel {
	m := &stepModel{k: k, step: step, taper: make([]float64, k)}
	half := float64(k-1) / 2 * step
	for i := range m.taper {
		x := (float64(i)*step - half) / width
		m.taper[i] = math.Exp(-x * x / 4) // square root of the weight
	}
	for x0 := -reach; x0 <= reach+1e-9; x0 += 0.25 {
		var raw [4][]float64
		for j := range raw {
			raw[j] = make([]float64, k)
		}
		for i := range k {
			x := float64(i)*step - half
			raw[0][i] = 1
			raw[1][i] = x
			raw[2][i] = max(0, x-x0)
			raw[3][i] = 0.5 * math.Erfc(-(x-x0)/(sigma*math.Sqrt2))
		}
		basis := make([][]float64, 0, 4)
		for _, v := range raw {
			v = append([]float64(nil), v...)
			for i := range v {
				v[i] *= m.taper[i]
			}
			for range 2 { // Gram-Schmidt, twice for accuracy
				for _, b := range basis {
					d := dot(v, b)
					for i := range v {
						v[i] -= d * b[i]
					}
				}
			}
			if n := math.Sqrt(dot(v, v)); n > 1e-6 {
				for i := range v {
					v[i] /= n
				}
				basis = append(basis, v)
			}
		}
		m.x0 = append(m.x0, x0)
		m.basis = append(m.basis, basis)
	}
	return m
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// residuals returns what each place leaves of the profile, squared. It tapers
// the profile in place.
func (m *stepModel) residuals(profile []float64) []float64 {
	res := make([]float64, len(m.x0))
	for i := range profile {
		profile[i] *= m.taper[i%m.k]
	}
	total := dot(profile, profile)
	for i := range m.x0 {
		r := total
		for ch := range 3 {
			p := profile[ch*m.k : (ch+1)*m.k]
			for _, b := range m.basis[i] {
				d := dot(p, b)
				r -= d * d
			}
		}
		res[i] = max(r, 0)
	}
	return res
}

// residual is the least of them.
func (m *stepModel) residual(profile []float64) float64 {
	return slices.Min(m.residuals(profile))
}

// nearest is the least of the minima within the reach, each worth the less the
// farther it is from the middle: where there are two steps, that one is meant
// which is nearer. 0: none.
func (m *stepModel) nearest(res []float64) int {
	at, least := 0, math.Inf(1)
	for i := 1; i < len(res)-1; i++ {
		if res[i] > res[i-1] || res[i] > res[i+1] {
			continue
		}
		if v := res[i] * (1 + m.x0[i]*m.x0[i]); v < least {
			at, least = i, v
		}
	}
	return at
}

// locate returns the step's offset from the profile's middle in px and its
// information, 1/variance (0: no step). It tapers the profile in place.
func (m *stepModel) locate(profile []float64) (offset, info float64) {
	res := m.residuals(profile)
	at := 0
	for i, r := range res {
		if r < res[at] {
			at = i
		}
	}
	if m.close {
		at = m.nearest(res)
	}
	if at == 0 || at == len(m.x0)-1 {
		return 0, 0
	}
	a, b, c := res[at-1], res[at], res[at+1]
	curve := a - 2*b + c
	if !(curve > 0) {
		return m.x0[at], 0
	}
	offset = m.x0[at] + 0.25*0.5*(a-c)/curve
	// Noise per sample from what the model leaves over; a floor of about
	// 8-bit rounding in mid-tones keeps perfect pictures finite.
	variance := b/float64(3*m.k-13) + 1e-6
	info = curve / (0.25 * 0.25) / (2 * variance)
	return offset, info
}
