package cv_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/internal/cv"
)

// TestLineMaxima: every segment's sum is what its pixels add up to, and a
// line laid into noise is the strongest, in whichever direction it runs.
func TestLineMaxima(t *testing.T) {
	const w, h, limit = 90, 70, 3.5
	for _, c := range []struct {
		name           string
		x0, y0, x1, y1 int
	}{
		{"along", 32, 30, 63, 34}, {"rising", 32, 50, 63, 25}, {"down", 40, 32, 45, 63}, {"back", 50, 32, 31, 63},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			plane := make([]float32, w*h)
			for i := range plane {
				plane[i] = float32(0.5 * rng.NormFloat64())
			}
			n := max(c.x1-c.x0, c.x0-c.x1, c.y1-c.y0, c.y0-c.y1)
			for k := range n + 1 {
				x := int(math.Round(float64(c.x0) + float64((c.x1-c.x0)*k)/float64(n)))
				y := int(math.Round(float64(c.y0) + float64((c.y1-c.y0)*k)/float64(n)))
				plane[y*w+x] -= 2
			}
			levels, err := cv.LineMaxima(plane, w, h, []int{3, 5}, limit, 3, 1_000_000, make([]float32, cv.LineWork(w, h, 5)))
			if err != nil {
				t.Fatal(err)
			}
			best := cv.Line{}
			for l, k := range []int{3, 5} {
				if levels[l].Median <= 0 || len(levels[l].Lines) == 0 {
					t.Fatalf("level %d: median %v, %d lines", k, levels[l].Median, len(levels[l].Lines))
				}
				for _, s := range levels[l].Lines {
					if math.Abs(s.Sum) < 2.99*levels[l].Median/2 {
						t.Errorf("%+v is below the floor", s)
					}
					if k == 5 && math.Abs(s.Sum) > math.Abs(best.Sum) {
						best = s
					}
				}
			}
			want := 0.0
			for k := range 32 { // the doubling's own path
				x, y := pathAt(best, k)
				want += max(-limit, min(limit, float64(plane[y*w+x])))
			}
			if math.Abs(want-best.Sum) > 32*limit/1000 {
				t.Errorf("the sum along %+v is %.3f", best, want)
			}
			if best.Sum > -32 || math.Abs(float64(best.X0+best.X1-c.x0-c.x1))+math.Abs(float64(best.Y0+best.Y1-c.y0-c.y1)) > 12 {
				t.Errorf("the strongest is %+v", best)
			}
		})
	}
}

// pathAt is the k-th pixel of a segment as doubling runs: half of the rise
// comes in each half, and the odd step between them.
func pathAt(s cv.Line, k int) (x, y int) {
	along, rise := s.X1-s.X0, s.Y1-s.Y0
	swap := max(along, -along) < max(rise, -rise)
	if swap {
		along, rise = rise, along
	}
	length := max(along, -along) + 1
	slope := max(rise, -rise)
	a, r := k, 0
	for n, s := length, slope; n > 1; n /= 2 {
		if k >= n/2 {
			r += (s + 1) / 2
			k -= n / 2
		}
		s /= 2
	}
	if along < 0 {
		a = -a
	}
	if rise < 0 {
		r = -r
	}
	if swap {
		return s.X0 + r, s.Y0 + a
	}
	return s.X0 + a, s.Y0 + r
}

// TestLineMaximaRefuses: what cannot be summed is an error, not a crash.
func TestLineMaximaRefuses(t *testing.T) {
	plane, work := make([]float32, 64), make([]float32, cv.LineWork(8, 8, 3))
	for name, f := range map[string]func() error{
		"no plane": func() error { _, err := cv.LineMaxima(nil, 8, 8, []int{2}, 1, 1, 9, work); return err },
		"too long": func() error { _, err := cv.LineMaxima(plane, 8, 8, []int{3}, 1, 1, 9, work); return err },
		"order":    func() error { _, err := cv.LineMaxima(plane, 8, 8, []int{2, 1}, 1, 1, 9, work); return err },
		"memory":   func() error { _, err := cv.LineMaxima(plane, 8, 8, []int{2}, 1, 1, 9, work[:9]); return err },
		"limit":    func() error { _, err := cv.LineMaxima(plane, 8, 8, []int{2}, 0, 1, 9, work); return err },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if l, err := cv.LineMaxima(plane, 8, 8, []int{2}, 1, 1, 9, work); err != nil || len(l[0].Lines) != 0 {
		t.Errorf("an empty plane: %v, %v", l, err)
	}
}

func BenchmarkLineMaxima(b *testing.B) {
	const w, h = 420, 570
	rng := rand.New(rand.NewPCG(1, 2))
	plane := make([]float32, w*h)
	for i := range plane {
		plane[i] = float32(rng.NormFloat64())
	}
	work := make([]float32, cv.LineWork(w, h, 6))
	for b.Loop() {
		if _, err := cv.LineMaxima(plane, w, h, []int{4, 5, 6}, 3.5, 4.4, 2000, work); err != nil {
			b.Fatal(err)
		}
	}
}
