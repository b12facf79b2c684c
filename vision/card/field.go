package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// scaleField gives each draft the size that cards have at its place, by the
// first of them that are trusted; 0: all.
func scaleField(drafts []draft, middle plane.Point, trusted int) {
	quads := make([]plane.Quad, len(drafts))
	for i := range drafts {
		quads[i] = drafts[i].quad()
	}
	if trusted == 0 {
		trusted = len(quads)
	}
	f := fitField(quads[:trusted], middle)
	for i := range drafts {
		d := &drafts[i]
		old := d.scale
		d.scale = f.at(quads[i].Centre())
		for k := range d.combos {
			d.combos[k].w += math.Log(old / d.scale)
			d.combos[k].h += math.Log(old / d.scale)
		}
	}
}

// A field is the size of cards by place: the square root of their area, px,
// as a constant, a slope (tilt) and a bowl about the frame's middle (lens).
type field struct {
	c      [4]float64
	middle plane.Point
	median float64
}

func (f field) terms(p plane.Point) [4]float64 {
	d := p.Sub(f.middle).Mul(1 / f.middle.Norm())
	return [4]float64{1, d.X, d.Y, d.Dot(d)}
}

// at is the size at p, at least half of the median.
func (f field) at(p plane.Point) float64 {
	t := f.terms(p)
	return max(f.median/2, f.c[0]*t[0]+f.c[1]*t[1]+f.c[2]*t[2]+f.c[3]*t[3])
}

// fitField fits the field to quads; those that are off by more than 3% in the
// end are left out.
func fitField(quads []plane.Quad, middle plane.Point) field {
	f := field{middle: middle}
	side := make([]float64, len(quads))
	for i, q := range quads {
		side[i] = math.Sqrt(math.Abs(q.Area()))
	}
	sorted := slices.Clone(side)
	slices.Sort(sorted)
	f.median = sorted[len(sorted)/2]
	f.c = [4]float64{f.median}
	for _, limit := range []float64{0.12, 0.06, 0.03} {
		var m [4][5]float64
		for i, q := range quads {
			if math.Abs(side[i]/f.at(q.Centre())-1) > limit {
				continue
			}
			t := f.terms(q.Centre())
			for r := range 4 {
				for c := range 4 {
					m[r][c] += t[r] * t[c]
				}
				m[r][4] += t[r] * (side[i] - f.median)
			}
		}
		// A little stiffness: few cards, or a single row, say nothing about
		// the other direction.
		for r := 1; r < 4; r++ {
			m[r][r] += 0.1
		}
		m[0][0] += 1e-6
		if x, ok := solve4(m); ok {
			f.c = x
			f.c[0] += f.median
		}
	}
	return f
}

// solve4 solves four linear equations by elimination.
func solve4(m [4][5]float64) (x [4]float64, ok bool) {
	for i := range 4 {
		p := i
		for r := i + 1; r < 4; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		if math.Abs(m[i][i]) < 1e-12 {
			return x, false
		}
		for r := range 4 {
			if r != i {
				f := m[r][i] / m[i][i]
				for c := i; c < 5; c++ {
					m[r][c] -= f * m[i][c]
				}
			}
		}
	}
	for i := range x {
		x[i] = m[i][4] / m[i][i]
	}
	return x, true
}
