package plane_test

import (
	"errors"
	"math"
	"testing"

	"fairdeck/vision/plane"

	"pgregory.net/rapid"
)

func drawQuad(t *rapid.T) plane.Quad {
	q := plane.Rect(100, 50, 400, 600)
	for i := range q {
		q[i].X += rapid.Float64Range(-90, 90).Draw(t, "dx")
		q[i].Y += rapid.Float64Range(-90, 90).Draw(t, "dy")
	}
	return q
}

func near(a, b plane.Point, tol float64) bool { return a.Sub(b).Norm() <= tol }

func TestQuadToQuadMapsCornersAndInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawQuad(t), drawQuad(t)
		h, err := plane.QuadToQuad(from, to)
		if err != nil {
			t.Fatal(err)
		}
		inv, err := h.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		for i := range from {
			if !near(h.Apply(from[i]), to[i], 1e-6) || !near(inv.Apply(to[i]), from[i], 1e-6) {
				t.Fatalf("corner %d: %v -> %v, want %v", i, from[i], h.Apply(from[i]), to[i])
			}
		}
		// The magnification is the limit of small areas.
		c, e := from.Centre(), 1e-3
		small := h.ApplyQuad(plane.Rect(c.X-e/2, c.Y-e/2, e, e))
		want := math.Sqrt(math.Abs(small.Area())) / e
		if got := h.Scale(c); math.Abs(got-want) > 1e-4*want {
			t.Fatalf("scale %g, want %g", got, want)
		}
	})
}

func TestDegeneratePointsAreRefused(t *testing.T) {
	good := plane.Rect(0, 0, 10, 20)
	for name, q := range map[string]plane.Quad{
		"a point":      {},
		"a line":       {{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 2}, {X: 3, Y: 3}},
		"not a number": {{X: math.NaN(), Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}},
		"infinite":     {{X: math.Inf(1), Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}},
	} {
		if _, err := plane.QuadToQuad(q, good); !errors.Is(err, plane.ErrDegenerate) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestIoU(t *testing.T) {
	a := plane.Rect(0, 0, 2, 2)
	for _, c := range []struct {
		b    plane.Quad
		want float64
	}{
		{a, 1},
		{plane.Rect(1, 0, 2, 2), 1.0 / 3},
		{plane.Rect(5, 5, 2, 2), 0},
		{plane.Rect(0.5, 0.5, 1, 1), 0.25},
		{plane.Quad{{X: 1, Y: -1}, {X: 3, Y: 1}, {X: 1, Y: 3}, {X: -1, Y: 1}}, 4.0 / 8},
	} {
		if got := a.IoU(c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("IoU(%v) = %g, want %g", c.b, got, c.want)
		}
		if got, back := a.IoU(c.b), c.b.IoU(a); math.Abs(got-back) > 1e-12 {
			t.Errorf("IoU is not symmetric: %g, %g", got, back)
		}
	}
}

func TestTurnAndConvex(t *testing.T) {
	q := plane.Rect(0, 0, 3, 5)
	if !q.Convex() || q.Area() != 15 || !q.Contains(q.Centre()) || q.Contains(plane.Point{X: 9}) {
		t.Fatal("a rectangle is convex, has an area and contains its centre only")
	}
	if (plane.Quad{q[0], q[2], q[1], q[3]}).Convex() {
		t.Fatal("a bow tie is not convex")
	}
	if q.Turn(2).Turn(-2) != q || q.Turn(1)[0] != q[1] || q.Turn(1).Sides()[0] != 5 {
		t.Fatal("Turn moves the first corner")
	}
}

func TestLensRoundTrip(t *testing.T) {
	// The ranges keep the whole frame inside the radius up to which the
	// distortion grows, beyond which two rays share a pixel.
	rapid.Check(t, func(t *rapid.T) {
		l := plane.Lens{FocalXPx: 1500, FocalYPx: 1510, CentreXPx: 960, CentreYPx: 540,
			K1: rapid.Float64Range(-0.15, 0.15).Draw(t, "k1"),
			K2: rapid.Float64Range(-0.05, 0.05).Draw(t, "k2"),
			P1: rapid.Float64Range(-2e-3, 2e-3).Draw(t, "p1"),
			P2: rapid.Float64Range(-2e-3, 2e-3).Draw(t, "p2")}
		p := plane.Point{X: rapid.Float64Range(0, 1919).Draw(t, "x"), Y: rapid.Float64Range(0, 1079).Draw(t, "y")}
		if got := l.Distort(l.Undistort(p)); !near(got, p, 1e-6) {
			t.Fatalf("%v came back as %v", p, got)
		}
	})
	p := plane.Point{X: 3, Y: 4}
	if l := (plane.Lens{}); l.Distort(p) != p || l.Undistort(p) != p {
		t.Fatal("no lens must do nothing")
	}
}
