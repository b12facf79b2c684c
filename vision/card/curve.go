package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A sideCurve is one side of a card in the frame: the chord between two
// corners, pushed outward by a quadratic. Lenses and bowed sleeves bend a
// side by a few pixels; the quadratic takes that up, so that the corners,
// where two curves meet, stay right.
type sideCurve struct {
	p, q       plane.Point // the chord
	c0, c1, c2 float64     // outward offset c0 + c1 s + c2 (s^2 - 1), s = -1 at p, +1 at q; px
	sigma0     float64     // standard uncertainty of the offset at the ends, px
	samples    int         // places along the side that agreed
	tried      int
	rms        float64 // of the agreeing places about the curve, px
	contrast   float64 // mean step across the side, linear light, 0 to 1
}

// agree is the part of the places that agree on the curve.
func (c *sideCurve) agree() float64 { return float64(c.samples) / float64(max(1, c.tried)) }

func (c *sideCurve) offset(s float64) float64 { return c.c0 + c.c1*s + c.c2*(s*s-1) }

func (c *sideCurve) frame() (u, n plane.Point, length float64) {
	d := c.q.Sub(c.p)
	length = d.Norm()
	u = d.Mul(1 / length)
	return u, plane.Point{X: u.Y, Y: -u.X}, length
}

// end returns the point and the direction of the curve at s = -1 or +1.
func (c *sideCurve) end(s float64) (plane.Point, plane.Point) {
	u, n, length := c.frame()
	p := c.p
	if s > 0 {
		p = c.q
	}
	// d offset / d s over half the length per unit of s.
	slope := (c.c1 + 2*c.c2*s) / (length / 2)
	return p.Add(n.Mul(c.offset(s))), u.Add(n.Mul(slope))
}

// fitCurve fits the quadratic to the offsets by iterated reweighting with
// Tukey's biweight.
func (c *sideCurve) fitCurve(s, off, weight []float64, coarse bool) bool {
	n := len(s)
	var a0, a1, a2 float64
	// Start from the weighted median: half of the places may be elsewhere.
	a0 = weightedMedian(off, weight)
	scale := 2.0
	robust := make([]float64, n)
	for iter := range 12 {
		for i := range s {
			r := (off[i] - (a0 + a1*s[i] + a2*(s[i]*s[i]-1))) / (4.7 * scale)
			robust[i] = 0
			if r*r < 1 {
				robust[i] = weight[i] * (1 - r*r) * (1 - r*r)
			}
		}
		quad := !coarse && iter > 2
		var ok bool
		if a0, a1, a2, ok = fitQuadratic(s, off, robust, quad); !ok {
			return false
		}
		var abs []float64
		for i := range s {
			if weight[i] > 0 {
				abs = append(abs, math.Abs(off[i]-(a0+a1*s[i]+a2*(s[i]*s[i]-1))))
			}
		}
		if len(abs) < 4 {
			return false
		}
		slices.Sort(abs)
		scale = min(scale, max(0.06, 1.4826*abs[len(abs)/2]))
	}
	sum, sw, agree := 0.0, 0.0, 0
	for i := range s {
		if robust[i] > 0 {
			r := off[i] - (a0 + a1*s[i] + a2*(s[i]*s[i]-1))
			sum += robust[i] * r * r
			sw += robust[i]
			agree++
		}
	}
	c.samples = agree
	c.rms = math.Sqrt(sum / sw)
	// The end of a fitted parabola is about three times less certain than
	// the mean of the places.
	c.sigma0 = 3 * c.rms / math.Sqrt(float64(max(1, agree-3)))
	c.c0, c.c1, c.c2 = c.c0+a0, c.c1+a1, c.c2+a2
	return true
}

func weightedMedian(v, w []float64) float64 {
	idx := make([]int, len(v))
	total := 0.0
	for i := range idx {
		idx[i] = i
		total += w[i]
	}
	slices.SortFunc(idx, func(a, b int) int { return compare(v[a], v[b]) })
	acc := 0.0
	for _, i := range idx {
		if acc += w[i]; acc >= total/2 {
			return v[i]
		}
	}
	return 0
}

// fitQuadratic solves the weighted least squares for a0 + a1 s + a2 (s^2-1).
func fitQuadratic(s, y, w []float64, quad bool) (a0, a1, a2 float64, ok bool) {
	var m [3][4]float64
	for i := range s {
		b := [3]float64{1, s[i], s[i]*s[i] - 1}
		for r := range 3 {
			for c := range 3 {
				m[r][c] += w[i] * b[r] * b[c]
			}
			m[r][3] += w[i] * b[r] * y[i]
		}
	}
	if !quad {
		m[2] = [4]float64{0, 0, 1, 0}
		m[0][2], m[1][2] = 0, 0
	}
	for i := range 3 {
		p := i
		for r := i + 1; r < 3; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		if math.Abs(m[i][i]) < 1e-12 {
			return 0, 0, 0, false
		}
		for r := range 3 {
			if r == i {
				continue
			}
			f := m[r][i] / m[i][i]
			for c := i; c < 4; c++ {
				m[r][c] -= f * m[i][c]
			}
		}
	}
	return m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2], true
}
