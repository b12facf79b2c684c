// Package plane is the geometry between a frame and the flat things in it:
// points, quadrilaterals, homographies and the camera's lens.
//
//	 frame, px ──Lens.Undistort──▶ ideal px ──Homography──▶ sleeve, mm
//	(x right, y down, centre of the            (x right, y down, origin at
//	 top-left pixel = (0, 0))                   the sleeve's top-left corner)
//
// Everything is float64 and pure Go. Method sources: Hartley & Zisserman,
// Multiple View Geometry, 2nd ed., ch. 2 and 4 (homographies); Brown 1966 and
// OpenCV's camera model (lens distortion).
package plane

import "math"

// Point is a place in a plane, in pixels or millimetres as the user says.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Add returns p + q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub returns p - q.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Mul returns s * p.
func (p Point) Mul(s float64) Point { return Point{s * p.X, s * p.Y} }

// Dot returns the scalar product.
func (p Point) Dot(q Point) float64 { return p.X*q.X + p.Y*q.Y }

// Cross returns the z part of the vector product: positive when q lies
// clockwise of p on the screen (y down).
func (p Point) Cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }

// Norm returns the length.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Finite reports whether both coordinates are finite numbers.
func (p Point) Finite() bool {
	return !math.IsNaN(p.X) && !math.IsInf(p.X, 0) && !math.IsNaN(p.Y) && !math.IsInf(p.Y, 0)
}

// Quad is a quadrilateral: top-left, top-right, bottom-right, bottom-left in
// its own frame, clockwise on the screen.
type Quad [4]Point

// Rect returns the axis-parallel quadrilateral with its top-left at (x, y).
func Rect(x, y, width, height float64) Quad {
	return Quad{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

// Area returns the signed area (shoelace), positive when the corners run
// clockwise on the screen.
func (q Quad) Area() float64 {
	a := 0.0
	for i := range q {
		a += q[i].Cross(q[(i+1)%4])
	}
	return a / 2
}

// Centre returns the mean of the four corners.
func (q Quad) Centre() Point {
	return q[0].Add(q[1]).Add(q[2]).Add(q[3]).Mul(0.25)
}

// Convex reports whether the corners run clockwise and every one turns right.
func (q Quad) Convex() bool {
	for i := range q {
		a, b, c := q[i], q[(i+1)%4], q[(i+2)%4]
		if !(b.Sub(a).Cross(c.Sub(b)) > 0) {
			return false
		}
	}
	return true
}

// Contains reports whether p lies in the convex quadrilateral or on its rim.
func (q Quad) Contains(p Point) bool {
	for i := range q {
		if q[(i+1)%4].Sub(q[i]).Cross(p.Sub(q[i])) < 0 {
			return false
		}
	}
	return true
}

// Sides returns the lengths of top, right, bottom and left.
func (q Quad) Sides() [4]float64 {
	var s [4]float64
	for i := range q {
		s[i] = q[(i+1)%4].Sub(q[i]).Norm()
	}
	return s
}

// Turn returns the same quadrilateral with its frame turned by n quarter
// turns: corner n becomes the top-left one.
func (q Quad) Turn(n int) Quad {
	var r Quad
	for i := range q {
		r[i] = q[((i+n)%4+4)%4]
	}
	return r
}

// IoU returns the area of the intersection over the area of the union of two
// convex quadrilaterals, 0 to 1 (Sutherland & Hodgman 1974 clipping).
func (q Quad) IoU(r Quad) float64 {
	inter := clipArea(q[:], r)
	union := math.Abs(q.Area()) + math.Abs(r.Area()) - inter
	if !(union > 0) {
		return 0
	}
	return inter / union
}

// Overlap returns the area shared by two convex quadrilaterals.
func (q Quad) Overlap(r Quad) float64 { return clipArea(q[:], r) }

func clipArea(poly []Point, clip Quad) float64 {
	poly = append([]Point(nil), poly...)
	for i := range clip {
		a, d := clip[i], clip[(i+1)%4].Sub(clip[i])
		var out []Point
		for j := range poly {
			p, n := poly[j], poly[(j+1)%len(poly)]
			sp, sn := d.Cross(p.Sub(a)), d.Cross(n.Sub(a))
			if sp >= 0 {
				out = append(out, p)
			}
			if (sp >= 0) != (sn >= 0) {
				out = append(out, p.Add(n.Sub(p).Mul(sp/(sp-sn))))
			}
		}
		if poly = out; len(poly) < 3 {
			return 0
		}
	}
	s := 0.0
	for j := range poly {
		s += poly[j].Cross(poly[(j+1)%len(poly)])
	}
	return math.Abs(s) / 2
}
