package card

import (
	"math"

	"fairdeck/vision/plane"
)

// A viewer is the camera as far as it is known: where its axis meets the
// picture and the focal lengths that it may have, in pixels of the picture
// that quads are measured in.
type viewer struct {
	centre plane.Point
	focal  []float64

	// low and high bound the cards' aspects, width over height.
	low, high float64
	most      float64 // how far they may be off, of aspectSlack
}

// newViewer takes the focal length of the lens, or else four that cover
// webcams and phones: 0.8 (a wide phone, 64 degrees) to 4 times the long side.
func newViewer(width, height int, scale float64, o Options) viewer {
	v := viewer{most: 1, low: 0.686, high: 0.725} // of the known sizes: 59 x 86 to 66 x 91
	if o.Size.WidthMM > 0 {
		v.low = o.Size.WidthMM / o.Size.HeightMM
		v.high = v.low
	}
	lens := o.Lens
	long := float64(max(width, height))
	if !lens.None() {
		v.centre = plane.Point{X: (lens.CentreXPx+0.5)/scale - 0.5, Y: (lens.CentreYPx+0.5)/scale - 0.5}
		v.focal = []float64{(lens.FocalXPx + lens.FocalYPx) / 2 / scale}
		return v
	}
	v.centre = plane.Point{X: float64(width-1) / 2, Y: float64(height-1) / 2}
	v.focal = []float64{0.8 * long, 1.2 * long, 2 * long, 4 * long}
	return v
}

// A pose is what a quad would be if it were a flat rectangle before the
// camera.
type pose struct {
	aspect float64 // side 0-1 over side 1-2
	skew   float64 // cosine of the angle between the sides; 0 for a rectangle
	tilt   float64 // radians between the camera's axis and the card's normal
}

// poseOf solves the plane's pose for one focal length: with the homography H
// from the unit square and the calibration K, the first two columns of
// inverse(K) H are the sides' directions in space, up to one scale (Zhang &
// He 2007, "Whiteboard scanning and image enhancement", sec. 4).
func poseOf(q plane.Quad, centre plane.Point, focal float64) (pose, bool) {
	h, ok := squareTo(q, centre)
	if !ok {
		return pose{}, false
	}
	return h.pose(focal)
}

// sideways is the first two columns of the homography from the unit square to
// a quad, about the camera's axis.
type sideways struct{ a, b [3]float64 }

func squareTo(q plane.Quad, centre plane.Point) (sideways, bool) {
	for i := range q {
		q[i] = q[i].Sub(centre)
	}
	// Heckbert 1989, "Fundamentals of texture mapping and image warping", sec. 2.2.3.
	d1, d2 := q[1].Sub(q[2]), q[3].Sub(q[2])
	s := q[0].Sub(q[1]).Add(q[2]).Sub(q[3])
	den := d1.Cross(d2)
	if !(math.Abs(den) > 1e-9*(d1.Norm()*d2.Norm())) {
		return sideways{}, false
	}
	g, h := s.Cross(d2)/den, d1.Cross(s)/den
	return sideways{
		a: [3]float64{q[1].X - q[0].X + g*q[1].X, q[1].Y - q[0].Y + g*q[1].Y, g},
		b: [3]float64{q[3].X - q[0].X + h*q[3].X, q[3].Y - q[0].Y + h*q[3].Y, h},
	}, true
}

func (h sideways) pose(focal float64) (pose, bool) {
	a, b := h.a, h.b
	for i := range 2 {
		a[i] /= focal
		b[i] /= focal
	}
	na, nb := norm3(a), norm3(b)
	if !(na > 0 && nb > 0) {
		return pose{}, false
	}
	n := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	return pose{
		aspect: na / nb,
		skew:   (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) / (na * nb),
		tilt:   math.Acos(min(1, math.Abs(n[2])/norm3(n))),
	}, true
}

func norm3(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

const (
	// aspectSlack is how far a card may miss the known aspects: sleeves of 68 x
	// 88 mm are 6.5% off, and two or three pixels of a small card 4%.
	aspectSlack = 0.08
	maxSkew     = 0.07               // cosine: 4 degrees
	maxTilt     = 62 * math.Pi / 180 // beyond, a card is less than half as high as wide
)

// asCard turns a convex clockwise quad such that corner 0 to corner 1 is a
// short side, and reports how far it is from the view of a card: 0 is a
// perfect fit, 1 the limit; ok is false beyond it.
func (v viewer) asCard(q plane.Quad) (turned plane.Quad, misfit float64, ok bool) {
	if !q.Convex() {
		return q, 0, false
	}
	best := math.Inf(1)
	h, good := squareTo(q, v.centre)
	if !good {
		return q, 0, false
	}
	for turn := range 2 {
		r := q.Turn(turn)
		for _, f := range v.focal {
			p, good := h.pose(f)
			if !good || p.tilt > maxTilt {
				continue
			}
			if turn == 1 { // the other side first
				p.aspect, p.skew = 1/p.aspect, -p.skew
			}
			off := max(0, v.low-p.aspect, p.aspect-v.high) / (aspectSlack * v.low)
			if off > v.most {
				continue
			}
			m := math.Hypot(off, p.skew/maxSkew)
			// A camera over a table looks down: of two explanations the one
			// with less tilt is right. 60 degrees cost half of the slack.
			m += 0.5 * (p.tilt / maxTilt) * (p.tilt / maxTilt)
			if m < best {
				best, turned = m, r
			}
		}
	}
	return turned, best, best <= 1
}
