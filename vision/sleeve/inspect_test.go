package sleeve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
)

// plainView is a small synthetic view without frames: a sleeve of one colour
// on a light table, with noise; draw may paint on it.
func plainView(seed uint64, draw func(v *card.View)) *card.View {
	const px, w, h, margin = 4.0, 40.0, 56.0, 3.0
	r := rand.New(rand.NewPCG(seed, 1))
	v := &card.View{PxPerMM: px, WidthMM: w, HeightMM: h, MarginMM: margin, SourcePxPerMM: px,
		Image: frame.New(int((w+2*margin)*px), int((h+2*margin)*px))}
	for y := range v.Image.Height {
		for x := range v.Image.Width {
			p := v.MM(plane.Point{X: float64(x), Y: float64(y)})
			// The outline is blurred over about a pixel.
			in := clamp(0.5+px*min(p.X, p.Y, w-p.X, h-p.Y), 0, 1)
			set := func(sleeve, table float64) uint8 {
				return uint8(clamp(table+(sleeve-table)*in+2*r.NormFloat64()+0.5, 0, 255))
			}
			v.Image.SetBGR(x, y, set(150, 215), set(80, 220), set(60, 222))
		}
	}
	if draw != nil {
		draw(v)
	}
	return v
}

// dot paints a disc of the given diameter.
func dot(v *card.View, at plane.Point, mm float64, b, g, r uint8) {
	for y := range v.Image.Height {
		for x := range v.Image.Width {
			if v.MM(plane.Point{X: float64(x), Y: float64(y)}).Sub(at).Norm() <= mm/2 {
				v.Image.SetBGR(x, y, b, g, r)
			}
		}
	}
}

func plainDeck(n int, draw func(i int, v *card.View)) []Input {
	in := make([]Input, n)
	for i := range in {
		in[i].View = plainView(uint64(i+1), func(v *card.View) {
			if draw != nil {
				draw(i, v)
			}
		})
	}
	return in
}

// finite fails when a number of the result is not one.
func finite(t *testing.T, res *Result) {
	t.Helper()
	if _, err := json.Marshal(res); err != nil { // NaN and Inf have no JSON
		t.Fatalf("the result cannot be written: %v", err)
	}
}

func TestADotIsFoundWhereItIs(t *testing.T) {
	at := plane.Point{X: 12, Y: 30}
	in := plainDeck(12, func(i int, v *card.View) {
		if i == 7 {
			dot(v, at, 1.2, 40, 40, 40)
		}
	})
	res, err := Inspect(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	finite(t, res)
	for i, s := range res.Sleeves {
		switch {
		case i != 7 && s.Visibility.Rank() >= Visible.Rank():
			t.Errorf("sleeve %d is clean but %q: %+v", i, s.Visibility, s.Marks)
		case i == 7:
			if len(s.Marks) == 0 {
				t.Fatal("the dot was missed")
			}
			m := s.Marks[0]
			if m.CentreMM.Sub(at).Norm() > 0.5 || m.Kind != PenDot || m.Visibility.Rank() < Visible.Rank() {
				t.Errorf("found %+v, want a visible pen dot at %v", m, at)
			}
			if s.DeltaE == nil || s.Aligned == nil {
				t.Error("a marked sleeve needs its pictures")
			}
		}
	}
	if len(res.Groups) != 1 || len(res.Groups[0].Sleeves) != 12 {
		t.Errorf("groups %+v, want one of 12", res.Groups)
	}
}

func TestASharedMarkDoesNotHideItself(t *testing.T) {
	at := plane.Point{X: 25, Y: 18}
	const n, share = 20, 8
	in := plainDeck(n, func(i int, v *card.View) {
		if i%5 < 2 {
			dot(v, at, 1.2, 60, 60, 60)
		}
	})
	res, err := Inspect(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, s := range res.Sleeves {
		marked := i%5 < 2
		if (len(s.Marks) > 0) == marked {
			if marked {
				found++
			}
			continue
		}
		if !marked {
			t.Errorf("sleeve %d is of the majority but has %+v", i, s.Marks)
		}
	}
	if found != share {
		t.Errorf("%d of %d marked sleeves found", found, share)
	}
}

func TestTwoColoursAreTwoGroups(t *testing.T) {
	for _, other := range []int{4, 9} {
		in := plainDeck(18, func(i int, v *card.View) {
			if i >= other {
				return
			}
			for y := range v.Image.Height {
				for x := range v.Image.Width {
					p := v.MM(plane.Point{X: float64(x), Y: float64(y)})
					if p.X > 0 && p.Y > 0 && p.X < v.WidthMM && p.Y < v.HeightMM {
						b, g, r := v.Image.BGR(x, y)
						v.Image.SetBGR(x, y, b-14, g+8, r+6)
					}
				}
			}
		})
		res, err := Inspect(context.Background(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Groups) != 2 || len(res.Groups[1].Sleeves) != other {
			t.Errorf("%d of 18 of another colour: %d groups", other, len(res.Groups))
			continue
		}
		for i := range in {
			if same := res.Sleeves[i].Group == res.Sleeves[0].Group; same != (i < other) {
				t.Errorf("%d of 18: sleeve %d is in the wrong group", other, i)
			}
		}
	}
}

func TestSmallDecksSayWhatTheyCan(t *testing.T) {
	for n := range 6 {
		in := plainDeck(n, func(i int, v *card.View) {
			if i == 0 {
				dot(v, plane.Point{X: 20, Y: 20}, 2, 20, 20, 20)
			}
		})
		res, err := Inspect(context.Background(), in, Options{})
		if err != nil {
			t.Fatalf("%d sleeves: %v", n, err)
		}
		finite(t, res)
		if len(res.Sleeves) != n {
			t.Errorf("%d sleeves gave %d results", n, len(res.Sleeves))
		}
		if n > 0 && n < minCompare {
			if len(res.Warnings) == 0 || res.Warnings[0].Code != "too-few-to-compare" {
				t.Errorf("%d sleeves: warnings %v", n, res.Warnings)
			}
			for i, s := range res.Sleeves {
				if len(s.Marks) > 0 {
					t.Errorf("%d sleeves: sleeve %d is accused", n, i)
				}
			}
		}
		if n == 5 && res.Sleeves[0].Visibility.Rank() < Visible.Rank() {
			t.Error("one marked sleeve of five is not found")
		}
	}
}

func TestHostileInputsAreNamed(t *testing.T) {
	all := func(v uint8) *card.View {
		w := plainView(1, nil)
		for i := range w.Image.Pix {
			w.Image.Pix[i] = v
		}
		return w
	}
	tiny := &card.View{Image: frame.New(1, 1), PxPerMM: 1, WidthMM: 1, HeightMM: 1}
	short := plainView(1, nil)
	short.Image = &frame.Image{Width: short.Image.Width, Height: short.Image.Height, Pix: short.Image.Pix[:100]}
	nan := plainView(1, nil)
	nan.PxPerMM = math.NaN()
	other := plainView(1, nil)
	other.PxPerMM, other.Image = 5, frame.New(5*46, 5*62)
	in := plainDeck(8, nil)
	bad := []Input{{}, {View: &card.View{}}, {View: tiny}, {View: short}, {View: nan}, {View: other},
		{View: in[0].View, Card: card.Detection{Unusable: "cut by the frame"}}}
	res, err := Inspect(context.Background(), append(bad, in...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	finite(t, res)
	for i := range bad {
		if res.Sleeves[i].Unusable == "" {
			t.Errorf("input %d was used", i)
		}
	}
	for i := range in {
		if s := res.Sleeves[len(bad)+i]; s.Unusable != "" || s.Visibility.Rank() >= Visible.Rank() {
			t.Errorf("good sleeve %d: %q, %v", i, s.Unusable, s.Marks)
		}
	}
	for name, v := range map[string]*card.View{"all black": all(0), "all white": all(255)} {
		for _, n := range []int{1, 3, 8} {
			deck := make([]Input, n)
			for i := range deck {
				deck[i].View = v
			}
			res, err := Inspect(context.Background(), deck, Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			finite(t, res)
			if n == 8 {
				for i, s := range res.Sleeves {
					if len(s.Marks) > 0 {
						t.Errorf("%s: equal sleeves, but %d is marked", name, i)
					}
				}
			}
		}
	}
}

func TestTheResultIsTheSameForAnyWorkers(t *testing.T) {
	in := plainDeck(9, func(i int, v *card.View) {
		if i%4 == 0 {
			dot(v, plane.Point{X: 9, Y: 9 + float64(i)}, 1, 30, 30, 30)
		}
	})
	var first []byte
	for _, workers := range []int{1, 3, 1} {
		res, err := Inspect(context.Background(), in, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		} else if d := cmp.Diff(string(first), string(got)); d != "" {
			t.Fatalf("%d workers: %s", workers, d)
		}
	}
}

func TestACancelledInspectionStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Inspect(ctx, plainDeck(4, nil), Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
