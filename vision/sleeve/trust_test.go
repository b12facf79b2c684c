package sleeve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// quads are n sleeves of 66 x 91 mm at 6 px/mm somewhere in a frame under a
// camera that leans: apparent heights change with the place.
func quads(r *rand.Rand, n int) []plane.Quad {
	out := make([]plane.Quad, n)
	for i := range out {
		x, y := 800*r.Float64(), 300*r.Float64()
		h := 6 * 91 * (1 - 5e-5*y)
		out[i] = plane.Rect(x, y, 6*66, h)
		for k := range out[i] {
			out[i][k] = out[i][k].Add(plane.Point{X: 0.3 * r.NormFloat64(), Y: 0.3 * r.NormFloat64()})
		}
	}
	return out
}

func TestWrongCornersChangeARatio(t *testing.T) {
	for _, n := range []int{6, 12, 60} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		q := quads(r, n)
		const odd = 4
		q[odd][0].X -= 6 * 1.5 // the left side, 1.5 mm too far out
		q[odd][3].X -= 6 * 1.5
		errs := ratioErrors(q, 66)
		for i, e := range errs {
			switch {
			case i == odd && math.Abs(e-1.5) > 0.5:
				t.Errorf("%d sleeves: the wrong one is said to be off by %.2f mm, want 1.5", n, e)
			case i != odd && n > 6 && e > ratioRimMM:
				t.Errorf("%d sleeves: good corners of sleeve %d are said to be off by %.2f mm", n, i, e)
			}
		}
	}
}

// TestRatiosOfFewOrHandHeld: too few sleeves tell nothing, and a camera that
// leans does not misplace anything.
func TestRatiosOfFewOrHandHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	if errs := ratioErrors(quads(r, ratioLeast-1), 66); errs != nil {
		t.Errorf("%d sleeves have a ratio of their own: %v", ratioLeast-1, errs)
	}
	q := quads(r, 20)
	for i := range q {
		scale, lean := 0.8+0.4*r.Float64(), 1-0.05*r.Float64()
		for k := range q[i] {
			q[i][k].X, q[i][k].Y = q[i][k].X*scale, q[i][k].Y*scale*lean
		}
	}
	for i, e := range ratioErrors(q, 66) {
		if e > ratioRimMM {
			t.Errorf("sleeve %d, photographed by hand, is said to be off by %.2f mm", i, e)
		}
	}
}

// printedView has a print of discs; stretch moves what lies on the sleeve away
// from its top left corner, as corners that cut too little do.
func printedView(seed uint64, stretch float64) *card.View {
	return plainView(seed, func(v *card.View) {
		r := rand.New(rand.NewPCG(7, 7)) // the print is the same on every sleeve
		for range 60 {
			at := plane.Point{X: (5 + 30*r.Float64()) * stretch, Y: 5 + 46*r.Float64()}
			dot(v, at, 1.5+2*r.Float64(), uint8(40+100*r.Float64()), uint8(40+150*r.Float64()), uint8(100+150*r.Float64()))
		}
	})
}

// TestAStretchedPrintAccusesNobody: a view cut out by wrong corners is not
// compared, whether the corners or only the print tell so; it is no other
// design either.
func TestAStretchedPrintAccusesNobody(t *testing.T) {
	const n, odd = 12, 5
	for _, told := range []bool{true, false} {
		in := make([]Input, n)
		for i := range in {
			stretch := 1.0
			q := plane.Rect(100, 100, 160, 224)
			if i == odd {
				stretch = 1.06
				if told {
					q = plane.Rect(100, 100, 160/1.06, 224)
				}
			}
			in[i] = Input{View: printedView(uint64(i+1), stretch), Card: card.Detection{Corners: q}}
		}
		res, err := Inspect(context.Background(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range res.Sleeves {
			if s.Visibility.Rank() >= Visible.Rank() {
				t.Errorf("told by corners %v: sleeve %d is accused: %+v", told, i, s.Marks)
			}
			if (s.Unusable == unplaced) != (i == odd) {
				t.Errorf("told by corners %v: sleeve %d: unusable %q", told, i, s.Unusable)
			}
		}
		if len(res.Groups) != 1 {
			t.Errorf("told by corners %v: %d groups, want one", told, len(res.Groups))
		}
	}
}

// TestAPrintThatLiesElsewhere: along the lines of a print that was not put
// where the deck's is, nothing is a mark; a blot of ink as large is.
func TestAPrintThatLiesElsewhere(t *testing.T) {
	const odd = 5
	edge := func(v *card.View, right, down float64) {
		for k := range 5 {
			at := plane.Point{X: 8 + 6*float64(k) + right, Y: 20 + down}
			dot(v, at, 4, 40, 160, 220)
		}
	}
	for _, c := range []struct {
		right, down float64
		blot        bool
	}{{0.5, 0.5, false}, {-0.75, 0, false}, {0, 0, true}} {
		in := plainDeck(12, func(i int, v *card.View) {
			if i != odd {
				edge(v, 0, 0)
				return
			}
			edge(v, c.right, c.down)
			if c.blot {
				dot(v, plane.Point{X: 20, Y: 20}, 1.5, 20, 20, 20)
			}
		})
		asked := false
		if _, err := Inspect(context.Background(), in, Options{probe: func(d *deck, b *filterBank, _ []*scan) {
			asked = true
			d.printed = true
			// The view as it was given: registration has its own tests.
			d.plates[odd].pix = in[odd].View.Image.Pix
			r := &region{}
			for i := range d.w * d.h {
				diff := 0.0
				for ch := range 3 {
					diff = math.Max(diff, math.Abs(float64(d.view(odd)[3*i+ch])-float64(b.mids[0][3*i+ch])/256))
				}
				if p := d.placeMM(float64(i%d.w), float64(i/d.w)); diff > 30 && p.X > 17 && p.X < 23 && p.Y > 17 && p.Y < 23 {
					r.pixels = append(r.pixels, i)
				}
			}
			if len(r.pixels) == 0 {
				t.Fatal("nothing differs")
			}
			r.bound(d.w)
			if got := d.movedPrint(b, odd, r); got == c.blot {
				t.Errorf("%+v: a print elsewhere %v", c, got)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if !asked {
			t.Error("nothing was compared")
		}
	}
}

// TestAnotherDesignStaysOne: what no moving and stretching makes the deck's is
// not excused by it.
func TestAnotherDesignStaysOne(t *testing.T) {
	in := make([]Input, 12)
	for i := range in {
		in[i] = Input{View: printedView(uint64(i+1), 1)}
		if i%4 == 1 {
			in[i].View = plainView(uint64(i+1), func(v *card.View) {
				r := rand.New(rand.NewPCG(8, 8))
				for range 60 {
					at := plane.Point{X: 5 + 30*r.Float64(), Y: 5 + 46*r.Float64()}
					dot(v, at, 1.5+2*r.Float64(), uint8(40+100*r.Float64()), uint8(40+150*r.Float64()), uint8(100+150*r.Float64()))
				}
			})
		}
	}
	res, err := Inspect(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Groups) != 2 || len(res.Groups[1].Sleeves) != 3 {
		t.Errorf("groups %+v, want 9 and 3", res.Groups)
	}
}
