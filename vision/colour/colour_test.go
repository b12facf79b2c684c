package colour_test

import (
	"math"
	"testing"

	"fairdeck/vision/colour"

	"pgregory.net/rapid"
)

// Test pairs and differences of Sharma, Wu & Dalal 2005, table 1 (the ones
// that exercise each branch).
func TestDeltaE2000Sharma(t *testing.T) {
	for _, c := range []struct{ l1, a1, b1, l2, a2, b2, want float64 }{
		{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
		{50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
		{50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
		{50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
		{50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000},
		{50, 0, 0, 50, -1, 2, 2.3669},
		{50, -1, 2, 50, 0, 0, 2.3669},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
		{50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
		{50, 2.5, 0, 50, 0, -2.5, 4.3065},
		{50, 2.5, 0, 73, 25, -18, 27.1492},
		{50, 2.5, 0, 61, -5, 29, 22.8977},
		{50, 2.5, 0, 56, -27, -3, 31.9030},
		{50, 2.5, 0, 58, 24, 15, 19.4535},
		{50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000},
		{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
		{61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
		{22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
		{36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
		{90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
		{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
	} {
		p, q := colour.Lab{L: c.l1, A: c.a1, B: c.b1}, colour.Lab{L: c.l2, A: c.a2, B: c.b2}
		if got := colour.DeltaE2000(p, q); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("ΔE2000(%v, %v) = %.4f, want %.4f", p, q, got, c.want)
		}
	}
}

func TestLabIsInvertibleAndNeutral(t *testing.T) {
	for code := range 256 {
		c := colour.FromBGR(uint8(code), uint8(code), uint8(code))
		if math.Abs(c.A) > 0.02 || math.Abs(c.B) > 0.02 {
			t.Fatalf("grey %d has colour %v", code, c)
		}
	}
	if w := colour.FromBGR(255, 255, 255); math.Abs(w.L-100) > 1e-4 {
		t.Fatalf("white has L %g", w.L)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := [3]uint8{rapid.Byte().Draw(t, "b"), rapid.Byte().Draw(t, "g"), rapid.Byte().Draw(t, "r")}
		r, g, b := colour.FromBGR(v[0], v[1], v[2]).ToLinear()
		for i, light := range []float64{b, g, r} {
			if got := colour.Encode(light); math.Abs(got-float64(v[i])) > 0.05 {
				t.Fatalf("channel %d: %d came back as %g", i, v[i], got)
			}
		}
	})
}

func TestDeltaEIsADistance(t *testing.T) {
	lab := rapid.Custom(func(t *rapid.T) colour.Lab {
		return colour.Lab{L: rapid.Float64Range(0, 100).Draw(t, "L"),
			A: rapid.Float64Range(-100, 100).Draw(t, "a"), B: rapid.Float64Range(-100, 100).Draw(t, "b")}
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := lab.Draw(t, "p"), lab.Draw(t, "q")
		d, back := colour.DeltaE2000(p, q), colour.DeltaE2000(q, p)
		if math.IsNaN(d) || d < 0 || math.Abs(d-back) > 1e-9 || colour.DeltaE2000(p, p) != 0 {
			t.Fatalf("d=%g, back=%g", d, back)
		}
	})
}

// BenchmarkDeltaE2000 is a blue sleeve against itself with a little noise.
func BenchmarkDeltaE2000(b *testing.B) {
	p := colour.Lab{L: 35, A: 12, B: -48}
	for i := 0; b.Loop(); i++ {
		q := p
		q.L += float64(i%7) / 5
		q.A -= float64(i%5) / 5
		colour.DeltaE2000(p, q)
	}
}
