package plane

import "math"

// Lens is a pinhole camera with radial and tangential distortion, as OpenCV's
// calibrateCamera reports it (Brown 1966). The zero value is "no lens": both
// maps leave points alone.
type Lens struct {
	FocalXPx  float64 `json:"focal_x_px"`
	FocalYPx  float64 `json:"focal_y_px"`
	CentreXPx float64 `json:"centre_x_px"`
	CentreYPx float64 `json:"centre_y_px"`

	// Radial (K1, K2, K3) and tangential (P1, P2) coefficients, unitless, on
	// coordinates divided by the focal length.
	K1 float64 `json:"k1"`
	K2 float64 `json:"k2"`
	P1 float64 `json:"p1"`
	P2 float64 `json:"p2"`
	K3 float64 `json:"k3"`
}

// None reports whether the lens does nothing.
func (l Lens) None() bool { return l.FocalXPx == 0 || l.FocalYPx == 0 }

// Distort takes an ideal pixel to where the lens puts it.
func (l Lens) Distort(p Point) Point {
	if l.None() {
		return p
	}
	x, y := (p.X-l.CentreXPx)/l.FocalXPx, (p.Y-l.CentreYPx)/l.FocalYPx
	dx, dy := l.distortNormal(x, y)
	return Point{dx*l.FocalXPx + l.CentreXPx, dy*l.FocalYPx + l.CentreYPx}
}

func (l Lens) distortNormal(x, y float64) (float64, float64) {
	r2 := x*x + y*y
	k := 1 + r2*(l.K1+r2*(l.K2+r2*l.K3))
	return x*k + 2*l.P1*x*y + l.P2*(r2+2*x*x), y*k + l.P1*(r2+2*y*y) + 2*l.P2*x*y
}

// Undistort takes a pixel of the frame to the ideal pixel, by Newton steps
// on the distortion (numerical derivative) until they are below 1e-10 of the
// focal length. Outside the lens's invertible range the last step is given.
func (l Lens) Undistort(p Point) Point {
	if l.None() {
		return p
	}
	tx, ty := (p.X-l.CentreXPx)/l.FocalXPx, (p.Y-l.CentreYPx)/l.FocalYPx
	x, y := tx, ty
	for range 20 {
		const e = 1e-6
		fx, fy := l.distortNormal(x, y)
		ax, ay := l.distortNormal(x+e, y)
		bx, by := l.distortNormal(x, y+e)
		a, b, c, d := (ax-fx)/e, (bx-fx)/e, (ay-fy)/e, (by-fy)/e
		det := a*d - b*c
		if det == 0 || math.IsNaN(det) {
			break
		}
		sx, sy := (d*(tx-fx)-b*(ty-fy))/det, (a*(ty-fy)-c*(tx-fx))/det
		x, y = x+sx, y+sy
		if math.Abs(sx)+math.Abs(sy) < 1e-10 {
			break
		}
	}
	return Point{x*l.FocalXPx + l.CentreXPx, y*l.FocalYPx + l.CentreYPx}
}
