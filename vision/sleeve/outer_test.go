package sleeve

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// cutDeck is a deck of 14 plain sleeves under a tilted camera with a bent lens.
func cutDeck(seed uint64) visiontest.Deck {
	return visiontest.Deck{Seed: seed, Cards: 14, Sleeve: visiontest.Sleeve{SizeJitterMM: 0.02}, Traces: visiontest.Traces{Dust: -1, Hairlines: -1, Smudges: -1, Fluff: -1},
		Camera: visiontest.Camera{WidthPx: 1280, HeightPx: 720, DistanceMM: 400, TiltDeg: 9, TiltTowardsDeg: 40, K1: -0.15}}
}

func TestOtherSizesAreTold(t *testing.T) {
	for _, c := range []struct {
		name  string
		add   plane.Point
		cards []int
		seen  Visibility
	}{
		{"clean", plane.Point{}, nil, ""},
		{"one, 1.5 mm higher", plane.Point{Y: 1.5}, []int{7}, CameraOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := cutDeck(310001)
			if c.cards != nil {
				d.Odd = []visiontest.Odd{{Cards: c.cards, AddMM: c.add}}
			}
			in, _ := synthViews(t, d, 0.2)
			res, err := Inspect(context.Background(), in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			finite(t, res)
			if c.cards == nil {
				if len(res.Groups) != 1 {
					t.Errorf("a clean deck falls into %d groups: %+v", len(res.Groups), res.Groups[1:])
				}
				return
			}
			if len(res.Groups) != 2 || !strings.Contains(res.Groups[1].What, "size") || len(res.Groups[1].Sleeves) != len(c.cards) {
				t.Fatalf("%d groups, want one more of %v that differs in size: %+v", len(res.Groups), c.cards, res.Groups[1:])
			}
			for i, k := range c.cards {
				if res.Groups[1].Sleeves[i] != k {
					t.Errorf("the group is %v, want %v", res.Groups[1].Sleeves, c.cards)
					break
				}
			}
			s := res.Groups[1].Shape
			// Truth scatters by 0.04 mm; the scale is less sure than the aspect.
			if math.Abs(s.WidthMM-c.add.X) > 0.25 || math.Abs(s.HeightMM-c.add.Y) > 0.3 {
				t.Errorf("measured %+.2f x %+.2f mm, want %+v", s.WidthMM, s.HeightMM, c.add)
			}
			if v := res.Groups[1].Visibility; v != c.seen {
				t.Errorf("%q, want %q", v, c.seen)
			}
		})
	}
}

func TestASizeIsGraded(t *testing.T) {
	for _, c := range []struct {
		shape *Shape
		what  string
		n     int
		want  Visibility
	}{
		{nil, "size", 9, ""},
		{&Shape{HeightMM: 0.3}, "size", 9, CameraOnly},
		{&Shape{HeightMM: -0.5}, "size", 9, Visible},
		{&Shape{WidthMM: 1.1}, "colour, size", 9, Obvious},
		{&Shape{WidthMM: 2}, "size", fewOdd, CameraOnly},
		{&Shape{WidthMM: 2, PrintRightMM: 0.2}, "print offset", 9, CameraOnly},
		{&Shape{PrintRightMM: 0.4, PrintDownMM: 0.4}, "print offset", 1, Visible},
		{&Shape{PrintDownMM: -1.3}, "print offset", 1, Obvious},
	} {
		if got := c.shape.visibility(c.what, c.n); got != c.want {
			t.Errorf("%+v, %q of %d sleeves: %q, want %q", c.shape, c.what, c.n, got, c.want)
		}
	}
}

func TestASmoothFieldIsTakenOff(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	const n, sigma = 40, 0.0005
	x, v := make([][]float64, n), make([]float64, n)
	for i := range x {
		a, b := r.NormFloat64(), r.NormFloat64()
		x[i] = []float64{1, a, b, a * b}
		v[i] = 0.7 + 0.03*a - 0.02*b + 0.01*a*b + sigma*r.NormFloat64()
	}
	v[11] += 0.02
	rest, scale, guess := smoothRest(x, v)
	if scale < sigma/2 || scale > 2*sigma {
		t.Errorf("the scatter is %g, want %g", scale, sigma)
	}
	for i, u := range rest {
		if want := 0.02 * float64(one(i == 11)); math.Abs(u-want) > 6*sigma*guess[i] {
			t.Errorf("%d: %g left, want %g", i, u, want)
		}
	}
}
