package plane

import (
	"errors"
	"math"
)

// ErrDegenerate is returned when points do not fix a homography: three of
// them lie on a line, two coincide, or a number is not finite.
var ErrDegenerate = errors.New("plane: the points do not fix a homography")

// Homography maps a plane to a plane, row-major 3 x 3:
//
//	x' = (h0 x + h1 y + h2) / w,  y' = (h3 x + h4 y + h5) / w,  w = h6 x + h7 y + h8
type Homography [9]float64

// Identity returns the homography that leaves every point where it is.
func Identity() Homography { return Homography{0: 1, 4: 1, 8: 1} }

// QuadToQuad returns the homography that takes the corners of from to those
// of to, or [ErrDegenerate]. It composes the two closed forms of Heckbert
// 1989 (Fundamentals of Texture Mapping, sec. 2.2.3) over the unit square.
func QuadToQuad(from, to Quad) (Homography, error) {
	a, errA := squareToQuad(from)
	b, errB := squareToQuad(to)
	if errA != nil || errB != nil {
		return Homography{}, ErrDegenerate
	}
	inv, err := a.Inverse()
	if err != nil {
		return Homography{}, err
	}
	return b.Mul(inv), nil
}

func squareToQuad(q Quad) (Homography, error) {
	s := q[0].Sub(q[1]).Add(q[2]).Sub(q[3])
	d1, d2 := q[1].Sub(q[2]), q[3].Sub(q[2])
	den := d1.Cross(d2)
	size := d1.Norm() * d2.Norm()
	if !(math.Abs(den) > 1e-12*size) {
		return Homography{}, ErrDegenerate
	}
	g, h := s.Cross(d2)/den, d1.Cross(s)/den
	m := Homography{
		q[1].X - q[0].X + g*q[1].X, q[3].X - q[0].X + h*q[3].X, q[0].X,
		q[1].Y - q[0].Y + g*q[1].Y, q[3].Y - q[0].Y + h*q[3].Y, q[0].Y,
		g, h, 1,
	}
	if !m.finite() {
		return Homography{}, ErrDegenerate
	}
	return m, nil
}

// Apply maps one point. A point on the horizon maps to infinity.
func (h Homography) Apply(p Point) Point {
	w := h[6]*p.X + h[7]*p.Y + h[8]
	return Point{(h[0]*p.X + h[1]*p.Y + h[2]) / w, (h[3]*p.X + h[4]*p.Y + h[5]) / w}
}

// ApplyQuad maps the four corners.
func (h Homography) ApplyQuad(q Quad) Quad {
	for i := range q {
		q[i] = h.Apply(q[i])
	}
	return q
}

// Mul returns the homography that applies g first, then h.
func (h Homography) Mul(g Homography) Homography {
	var m Homography
	for r := range 3 {
		for c := range 3 {
			m[3*r+c] = h[3*r]*g[c] + h[3*r+1]*g[3+c] + h[3*r+2]*g[6+c]
		}
	}
	return m.normal()
}

// Inverse returns the inverse map, or [ErrDegenerate].
func (h Homography) Inverse() (Homography, error) {
	m := Homography{
		h[4]*h[8] - h[5]*h[7], h[2]*h[7] - h[1]*h[8], h[1]*h[5] - h[2]*h[4],
		h[5]*h[6] - h[3]*h[8], h[0]*h[8] - h[2]*h[6], h[2]*h[3] - h[0]*h[5],
		h[3]*h[7] - h[4]*h[6], h[1]*h[6] - h[0]*h[7], h[0]*h[4] - h[1]*h[3],
	}
	det := h[0]*m[0] + h[1]*m[3] + h[2]*m[6]
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Homography{}, ErrDegenerate
	}
	for i := range m {
		m[i] /= det
	}
	if !m.finite() {
		return Homography{}, ErrDegenerate
	}
	return m.normal(), nil
}

// Scale returns the square root of the area magnification at p: with a map
// from millimetres to pixels, the pixels per millimetre there.
func (h Homography) Scale(p Point) float64 {
	w := h[6]*p.X + h[7]*p.Y + h[8]
	q := h.Apply(p)
	a, b := (h[0]-q.X*h[6])/w, (h[1]-q.X*h[7])/w
	c, d := (h[3]-q.Y*h[6])/w, (h[4]-q.Y*h[7])/w
	return math.Sqrt(math.Abs(a*d - b*c))
}

func (h Homography) normal() Homography {
	if s := h[8]; s != 0 {
		for i := range h {
			h[i] /= s
		}
	}
	return h
}

func (h Homography) finite() bool {
	for _, v := range h {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
