package card

import (
	"math"
	"testing"

	"fairdeck/vision/plane"

	"pgregory.net/rapid"
)

// A blurred step between two ramps is placed within a fiftieth of a pixel,
// whatever its height and the ramps.
func TestStepIsPlaced(t *testing.T) {
	const k, step = 19, 0.5
	m := newStepModel(k, step, 0.9, 2.5, 2)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-1.2, 1.2).Draw(t, "at")
		var p []float64
		for range 3 {
			low := rapid.Float64Range(0, 0.5).Draw(t, "low")
			high := rapid.Float64Range(0.1, 0.5).Draw(t, "high")
			ramp := rapid.Float64Range(-0.01, 0.01).Draw(t, "ramp")
			for i := range k {
				x := float64(i)*step - 4.5
				p = append(p, low+ramp*x+high*0.5*math.Erfc(-(x-at)/(0.9*math.Sqrt2)))
			}
		}
		got, info := m.locate(p)
		if math.Abs(got-at) > 0.02 || info <= 0 {
			t.Fatalf("step at %g found at %g (information %g)", at, got, info)
		}
	})
}

func TestQuadraticIsFitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := [3]float64{rapid.Float64Range(-5, 5).Draw(t, "a0"), rapid.Float64Range(-5, 5).Draw(t, "a1"), rapid.Float64Range(-5, 5).Draw(t, "a2")}
		var s, y, w []float64
		for i := range 20 {
			x := -0.9 + 1.8*float64(i)/19
			s, y, w = append(s, x), append(y, a[0]+a[1]*x+a[2]*(x*x-1)), append(w, 1+float64(i%3))
		}
		b0, b1, b2, ok := fitQuadratic(s, y, w, true)
		if !ok || math.Abs(b0-a[0])+math.Abs(b1-a[1])+math.Abs(b2-a[2]) > 1e-9 {
			t.Fatalf("%v came back as %g %g %g", a, b0, b1, b2)
		}
	})
}

// A curve with a fifth of its places elsewhere is followed all the same.
func TestCurveIgnoresStrangers(t *testing.T) {
	c := sideCurve{p: plane.Point{X: 0, Y: 0}, q: plane.Point{X: 300, Y: 0}}
	var s, off, w []float64
	for i := range 40 {
		x := -0.9 + 1.8*float64(i)/39
		v := 0.4 + 0.3*x - 0.5*(x*x-1)
		if i%5 == 0 {
			v += 2.5
		}
		s, off, w = append(s, x), append(off, v), append(w, 1)
	}
	if !c.fitCurve(s, off, w, false) {
		t.Fatal("no curve")
	}
	for _, x := range []float64{-1, 0, 1} {
		if want := 0.4 + 0.3*x - 0.5*(x*x-1); math.Abs(c.offset(x)-want) > 0.02 {
			t.Errorf("at %g: %g, want %g", x, c.offset(x), want)
		}
	}
}

func TestLineCoverage(t *testing.T) {
	l := line{u: plane.Point{X: 1}, pieces: [][2]float64{{0, 10}, {20, 30}}}
	for _, c := range []struct{ t0, t1, want float64 }{{0, 10, 1}, {0, 30, 2.0 / 3}, {30, 0, 2.0 / 3}, {10, 20, 0}, {5, 5, 0}, {-10, 0, 0}} {
		if got := l.covered(c.t0, c.t1); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("[%g, %g]: %g, want %g", c.t0, c.t1, got, c.want)
		}
	}
}

// Pose recovers aspect and tilt of a rectangle seen by a known camera.
func TestPose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tilt := rapid.Float64Range(0, 0.9).Draw(t, "tilt")
		spin := rapid.Float64Range(0, 6.2).Draw(t, "spin")
		const f, z = 900.0, 400.0
		var q plane.Quad
		for i, p := range plane.Rect(-33, -45.5, 66, 91) {
			x, y := p.X*math.Cos(spin)-p.Y*math.Sin(spin), p.X*math.Sin(spin)+p.Y*math.Cos(spin)
			d := z + y*math.Sin(tilt)
			q[i] = plane.Point{X: 320 + f*x/d, Y: 240 + f*y*math.Cos(tilt)/d}
		}
		p, ok := poseOf(q, plane.Point{X: 320, Y: 240}, f)
		if !ok || math.Abs(p.aspect-66.0/91) > 1e-6 || math.Abs(p.skew) > 1e-6 || math.Abs(p.tilt-tilt) > 1e-5 {
			t.Fatalf("%+v, want aspect %g tilt %g", p, 66.0/91, tilt)
		}
	})
}

// Four cards that touch are four cards, not one twice as large, though the
// block has the shape of a card too.
func TestBlockIsNotACard(t *testing.T) {
	var hs []hypothesis
	add := func(x, y, w, h float64) {
		g := hypothesis{quad: plane.Rect(x, y, w, h), open: -1, seen: 1, score: 1, weakest: 1, agree: 0.8}
		for i := range g.sides {
			g.sides[i] = support{fraction: 1, contrast: 5, line: 5}
		}
		hs = append(hs, g)
	}
	add(0, 0, 132, 182)
	for _, x := range []float64{0, 66} {
		for _, y := range []float64{0, 91} {
			add(x, y, 66, 91)
			add(x+4, y+4, 58, 83) // a printed frame
		}
	}
	got, _ := choose(hs, nil)
	if len(got) != 4 {
		t.Fatalf("%d cards", len(got))
	}
	for _, g := range got {
		if s := g.quad.Sides(); s[0] != 66 || s[1] != 91 {
			t.Errorf("a card of %v", s)
		}
	}
}
