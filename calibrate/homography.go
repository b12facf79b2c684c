package calibrate

import (
	"math"

	"fairdeck/vision/plane"

	"gonum.org/v1/gonum/mat"
)

// fitHomography is the homography that takes from to to with the least squared
// distance in the plane of to: the normalised direct linear transform
// (Hartley & Zisserman, alg. 4.2) and Gauss-Newton steps on the distances.
func fitHomography(from, to []plane.Point) (plane.Homography, error) {
	n := len(from)
	if n < 4 || len(to) != n {
		return plane.Homography{}, plane.ErrDegenerate
	}
	tf, tt := normaliser(from), normaliser(to)
	a := mat.NewDense(2*n, 9, nil)
	for i := range from {
		p, q := tf.Apply(from[i]), tt.Apply(to[i])
		a.SetRow(2*i, []float64{p.X, p.Y, 1, 0, 0, 0, -q.X * p.X, -q.X * p.Y, -q.X})
		a.SetRow(2*i+1, []float64{0, 0, 0, p.X, p.Y, 1, -q.Y * p.X, -q.Y * p.Y, -q.Y})
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDFullV) {
		return plane.Homography{}, plane.ErrDegenerate
	}
	var v mat.Dense
	svd.VTo(&v)
	var h plane.Homography
	for i := range h {
		h[i] = v.At(i, 8)
	}
	if h[8] == 0 || math.IsNaN(h[8]) {
		return plane.Homography{}, plane.ErrDegenerate
	}
	for i := range h {
		h[i] /= h[8]
	}
	// The steps are taken in normalised coordinates, where all eight numbers
	// are of about one size.
	for range 8 {
		j := mat.NewDense(2*n, 8, nil)
		r := mat.NewVecDense(2*n, nil)
		for i := range from {
			p, q := tf.Apply(from[i]), tt.Apply(to[i])
			w := h[6]*p.X + h[7]*p.Y + h[8]
			x, y := (h[0]*p.X+h[1]*p.Y+h[2])/w, (h[3]*p.X+h[4]*p.Y+h[5])/w
			j.SetRow(2*i, []float64{p.X / w, p.Y / w, 1 / w, 0, 0, 0, -x * p.X / w, -x * p.Y / w})
			j.SetRow(2*i+1, []float64{0, 0, 0, p.X / w, p.Y / w, 1 / w, -y * p.X / w, -y * p.Y / w})
			r.SetVec(2*i, q.X-x)
			r.SetVec(2*i+1, q.Y-y)
		}
		var d mat.VecDense
		if err := d.SolveVec(j, r); err != nil {
			return plane.Homography{}, plane.ErrDegenerate
		}
		for i := range 8 {
			h[i] += d.AtVec(i)
		}
		if mat.Norm(&d, 2) < 1e-12 {
			break
		}
	}
	back, err := tt.Inverse()
	if err != nil {
		return plane.Homography{}, err
	}
	out := back.Mul(h).Mul(tf)
	for _, x := range out {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return plane.Homography{}, plane.ErrDegenerate
		}
	}
	return out, nil
}

// normaliser moves points to mean 0 and mean distance sqrt 2.
func normaliser(points []plane.Point) plane.Homography {
	var c plane.Point
	for _, p := range points {
		c = c.Add(p.Mul(1 / float64(len(points))))
	}
	d := 0.0
	for _, p := range points {
		d += p.Sub(c).Norm() / float64(len(points))
	}
	s := 1.0
	if d > 0 {
		s = math.Sqrt2 / d
	}
	return plane.Homography{s, 0, -s * c.X, 0, s, -s * c.Y, 0, 0, 1}
}
