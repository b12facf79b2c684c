package sleeve

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// Colours of plainView, B G R.
var plainSleeve, plainTable = [3]float64{150, 80, 60}, [3]float64{215, 220, 222}

// edgeView is plainView with a left side of its own: across(x, y) is the share
// of the sleeve's colour at a place in mm, table its surroundings there.
func edgeView(seed uint64, across func(x, y float64) float64) *card.View {
	r := rand.New(rand.NewPCG(seed, 2))
	return plainView(seed, func(v *card.View) {
		for y := range v.Image.Height {
			for x := range v.Image.Width {
				p := v.MM(plane.Point{X: float64(x), Y: float64(y)})
				if p.X > v.WidthMM/4 || p.Y < 0 || p.Y > v.HeightMM {
					continue
				}
				share := clamp(across(p.X, p.Y), 0, 1)
				var c [3]uint8
				for ch := range c {
					c[ch] = uint8(clamp(plainTable[ch]+(plainSleeve[ch]-plainTable[ch])*share+2*r.NormFloat64()+0.5, 0, 255))
				}
				v.Image.SetBGR(x, y, c[0], c[1], c[2])
			}
		}
	})
}

// stepAt is a side at a line, blurred over a pixel of 4 px/mm.
func stepAt(line func(y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return 0.5 + 4*(x-line(y)) }
}

// TestAWrongSideIsPutBack: a side taken a millimetre and more from where it
// is, by more at one end than at the other, is registered to the deck's, and
// nothing along it is held against the sleeve.
func TestAWrongSideIsPutBack(t *testing.T) {
	const odd = 4
	for _, c := range []struct{ at, slope float64 }{{1.1, 0}, {-1.0, 0}, {0.7, 0.5}, {-0.8, -0.4}} {
		line := func(y float64) float64 { return c.at + c.slope*(y-28)/28 }
		in := plainDeck(12, nil)
		in[odd].View = edgeView(odd+1, stepAt(line))
		checked := false
		res, err := Inspect(context.Background(), in, Options{probe: func(d *deck, _ *filterBank, _ []*scan) {
			checked = true
			for _, y := range []float64{8, 28, 48} {
				if got, want := d.plates[odd].warp.outline[sideLeft].at((y-28)/28)/d.px, line(y); math.Abs(got-want) > 0.2 {
					t.Errorf("%+v: at %g mm the side is put %.2f mm off, want %.2f", c, y, got, want)
				}
			}
			if d.plates[odd].sides[sideLeft] != sideSure {
				t.Errorf("%+v: put back, the side does not look like the deck's", c)
			}
			if !d.plates[odd].doubted[sideLeft] || d.plates[0].doubted[sideLeft] {
				t.Errorf("%+v: which side was moved is not known", c)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !checked {
			t.Fatal("nothing was compared")
		}
		for i, s := range res.Sleeves {
			if s.Visibility.Rank() >= Visible.Rank() {
				t.Errorf("%+v: sleeve %d is accused: %+v", c, i, s.Marks)
			}
		}
	}
}

// TestTwoLines: where a side of two sleeves was taken at another line, marks at
// it are believed of none: which line the others were taken at nobody knows.
func TestTwoLines(t *testing.T) {
	for _, odd := range []int{1, 2} {
		in := plainDeck(12, nil)
		for k := range odd {
			in[3*k].View = edgeView(uint64(k+1), stepAt(func(float64) float64 { return 0.9 }))
		}
		res, err := Inspect(context.Background(), in, Options{probe: func(d *deck, _ *filterBank, _ []*scan) {
			if got := d.plates[1].doubted[sideLeft]; got != (odd > 1) {
				t.Errorf("%d sleeves taken at another line: the others' are doubted %v", odd, got)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if told := slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Code == "edge-unsure" }); told != (odd > 1) {
			t.Errorf("%d sleeves taken at another line: said %v: %+v", odd, told, res.Warnings)
		}
	}
}

// TestWhatAnUnsureSideTakes: wear that comes near it, and stripes along it.
func TestWhatAnUnsureSideTakes(t *testing.T) {
	asked := false
	if _, err := Inspect(context.Background(), plainDeck(12, nil), Options{probe: func(d *deck, b *filterBank, _ []*scan) {
		asked = true
		box := func(x0, y0, x1, y1 float64) *region {
			r := &region{}
			for i := range d.w * d.h {
				if p := d.placeMM(float64(i%d.w), float64(i/d.w)); p.X >= x0 && p.X < x1 && p.Y >= y0 && p.Y < y1 {
					r.pixels = append(r.pixels, i)
					for c := range 3 { // as different everywhere
						d.view(0)[3*i+c] = byte(b.mids[0][3*i+c]>>8) + 30
					}
				}
			}
			r.bound(d.w)
			return r
		}
		for _, c := range []struct {
			name string
			r    *region
			kind Kind
			want bool
		}{
			{"wear from the rim inwards", box(0.5, 10, 6, 13), WornCorner, true},
			{"a stain there", box(0.5, 10, 6, 13), Stain, false},
			{"a dot at the rim", box(0.3, 10, 1.5, 11.5), PenDot, true},
			{"a dot inside", box(3, 10, 4, 11), PenDot, false},
			{"a short stripe along it", box(3, 10, 3.5, 20), PenLine, true},
			{"a short stripe farther in", box(8, 10, 8.5, 20), PenLine, false},
			{"half of the side, farther in", box(8, 10, 8.5, 40), PenLine, true},
			{"a stripe across", box(3, 30, 33, 30.5), PenLine, false},
		} {
			size := make([]float32, d.w*d.h)
			for i := range size {
				size[i] = 1
			}
			for _, unsure := range []bool{true, false} {
				d.plates[0].doubted[sideLeft] = unsure
				if got := d.nearUnsure(b, 0, c.r, d.shapeOf(c.r, size), c.kind); got != (c.want && unsure) {
					t.Errorf("%s: side unsure %v, taken for the side %v", c.name, unsure, got)
				}
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if !asked {
		t.Error("nothing was compared")
	}
}

// TestAnUnsureCorner: a corner that the finder is not sure of makes both of
// its sides doubtful, whichever way up the sleeve lies.
func TestAnUnsureCorner(t *testing.T) {
	for _, c := range []struct {
		corner int
		turned bool
		want   [4]bool // top, right, bottom, left
	}{{0, false, [4]bool{true, false, false, true}}, {1, false, [4]bool{true, true, false, false}}, {2, true, [4]bool{true, false, false, true}}, {3, false, [4]bool{false, false, true, true}}} {
		p := &plate{turned: c.turned}
		p.sigmaMM[c.corner] = 1
		for s, want := range c.want {
			if got := p.sideSigmaMM(s) > sideSigmaMM; got != want {
				t.Errorf("corner %d, turned %v: side %d is doubted %v", c.corner, c.turned, s, got)
			}
		}
	}
}

// TestASideThatIsNotThere: where a line of the table was taken for the side,
// something else is seen along it. The band is left out and said to be, and
// the other sleeves are judged as ever. A side that lies in the dark, and only
// lacks contrast, is not called wrong.
func TestASideThatIsNotThere(t *testing.T) {
	const odd, marked = 4, 7
	for _, c := range []struct {
		name   string
		across func(x, y float64) float64
		wrong  bool
	}{
		{"bands", func(x, _ float64) float64 { return 0.5 + 0.5*math.Sin(5*x) }, true},
		{"no contrast", func(x, _ float64) float64 { return math.Max(0.8, 0.5+4*x) }, false},
	} {
		in := plainDeck(12, func(i int, v *card.View) {
			if i == marked {
				dot(v, plane.Point{X: 20, Y: 30}, 1.5, 40, 40, 40)
			}
		})
		in[odd].View = edgeView(odd+1, func(x, y float64) float64 {
			if x > 3 {
				return 1
			}
			return c.across(x, y)
		})
		wrong := false
		res, err := Inspect(context.Background(), in, Options{probe: func(d *deck, _ *filterBank, _ []*scan) {
			wrong = d.plates[odd].sides[sideLeft] == sideWrong
		}})
		if err != nil {
			t.Fatal(err)
		}
		if wrong != c.wrong {
			t.Errorf("%s: called wrong %v, want %v", c.name, wrong, c.wrong)
		}
		if c.wrong {
			if s := res.Sleeves[odd]; s.Visibility.Rank() >= Visible.Rank() || !slices.ContainsFunc(s.NotInspected, func(a Area) bool { return a.Reason == "outline" }) {
				t.Errorf("%s: %q, %+v", c.name, s.Visibility, s.NotInspected)
			}
		}
		if res.Sleeves[marked].Visibility.Rank() < Visible.Rank() {
			t.Errorf("%s: the dot on another sleeve is %q", c.name, res.Sleeves[marked].Visibility)
		}
	}
}

// TestTableInsideTheOutline: where the finder took the same shadow for the
// side on all sleeves, specks of the table lie inside of the outline and on no
// sleeve; a dot on the sleeve itself is one.
func TestTableInsideTheOutline(t *testing.T) {
	const odd = 4
	for _, c := range []struct {
		x      float64
		accuse bool
	}{{0.5, false}, {5, true}} {
		in := make([]Input, 12)
		for i := range in {
			in[i].View = edgeView(uint64(i+1), stepAt(func(float64) float64 { return 1.2 }))
			if i == odd {
				dot(in[i].View, plane.Point{X: c.x, Y: 30}, 0.9, 60, 60, 60)
			}
		}
		res, err := Inspect(context.Background(), in, Options{probe: func(d *deck, _ *filterBank, _ []*scan) {
			if got := d.tableRim[sideLeft]; got < 1 || got > 2.5 {
				t.Errorf("the table reaches %.2f mm in, want 1.2 and the step", got)
			}
			if got := d.tableRim[sideRight]; got != 0 {
				t.Errorf("the table reaches %.2f mm in at the right, want 0", got)
			}
			if !d.plates[0].doubted[sideLeft] || d.plates[0].doubted[sideRight] {
				t.Error("that the outline has no step of its own at the left, and one at the right, is not known")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Sleeves[odd].Visibility.Rank() >= Visible.Rank(); got != c.accuse {
			t.Errorf("a speck at %g mm: accused %v, want %v: %+v", c.x, got, c.accuse, res.Sleeves[odd].Marks)
		}
	}
}

// TestALampNotMirrored: of a deck whose bent rims mirror a lamp, one that does
// not lacks the stripe; without the lamp the same dark line is a line.
func TestALampNotMirrored(t *testing.T) {
	const odd = 4
	for _, mirrored := range []bool{true, false} {
		res := seen(t, 12, func(i int, v *card.View) {
			a, z := plane.Point{X: 6, Y: 2.2}, plane.Point{X: 34, Y: 2.2}
			switch {
			case mirrored && i != odd:
				stroke(v, a, z, 0.5, 190, 140, 125)
			case !mirrored && i == odd:
				stroke(v, a, z, 0.5, 110, 30, 20)
			}
		})
		if got := res.Sleeves[odd].Visibility.Rank() >= Visible.Rank(); got == mirrored {
			t.Errorf("lamp %v: accused %v: %+v", mirrored, got, res.Sleeves[odd].Marks)
		}
	}
}

// TestManyLostOutlinesAccuseNobody: of a deck a third of which could not be
// placed nobody is accused, and those count as not compared.
func TestManyLostOutlinesAccuseNobody(t *testing.T) {
	for _, c := range []struct {
		unplaced, masked, edge, n int
		lost                      bool
	}{{3, 2, 0, 12, true}, {5, 0, 0, 12, true}, {2, 1, 2, 12, true}, {2, 2, 0, 12, false}, {1, 1, 0, 4, false}, {0, 0, 0, 12, false}} {
		res := &Result{Sleeves: make([]Sleeve, c.n), Groups: []Group{{}, {Visibility: Obvious}}, Warnings: []Warning{{Code: "shared-mark"}, {Code: "coarse"}}}
		for i := range res.Sleeves {
			s := &res.Sleeves[i]
			s.Inspected, s.Visibility, s.Marks = 1, Obvious, []Mark{{Visibility: Obvious}}
			switch {
			case i < c.unplaced:
				*s = Sleeve{Unusable: unplaced}
			case i < c.unplaced+c.masked:
				s.NotInspected = []Area{{Reason: "outline", Fraction: 0.1}}
			case i < c.unplaced+c.masked+c.edge:
				s.Marks[0].Visibility, s.Marks[0].atEdge = CameraOnly, Obvious
			}
		}
		tellLost(res)
		last := res.Sleeves[c.n-1]
		if accused := last.Visibility == Obvious && last.Marks[0].Visibility == Obvious; accused == c.lost {
			t.Errorf("%+v: the last sleeve is %q", c, last.Visibility)
		}
		if got := res.Groups[1].Visibility; (got == CameraOnly) != c.lost {
			t.Errorf("%+v: the group is %q", c, got)
		}
		if got := len(res.Warnings); got != 2-one(c.lost) {
			t.Errorf("%+v: %d warnings", c, got)
		}
		n := 0
		for _, s := range res.Sleeves {
			n += one(s.Unusable == unplaced)
		}
		if want := c.unplaced + (c.masked+c.edge)*one(c.lost); n != want {
			t.Errorf("%+v: %d sleeves are unplaced, want %d", c, n, want)
		}
	}
}

// TestHairlinesOfAWornDeck: the strongest of many hairlines accuses nobody; one
// on a deck without, and a line that is stronger or wider, do.
func TestHairlinesOfAWornDeck(t *testing.T) {
	hair := Mark{LengthMM: 14, WidthMM: 0.3, MeanDeltaE: 3, Visibility: Visible}
	faint := Mark{LengthMM: 6, WidthMM: 0.3, MeanDeltaE: 1.8, Visibility: CameraOnly}
	fainter := faint
	fainter.MeanDeltaE = 1.2
	wide, strong := hair, hair
	wide.WidthMM, strong.MeanDeltaE = 1, 8
	for _, c := range []struct {
		name   string
		mark   Mark
		others []Mark
		want   Visibility
	}{
		{"worn", hair, []Mark{faint, faint, faint}, CameraOnly},
		{"two others", hair, []Mark{faint, faint}, Visible},
		{"fainter ones", hair, []Mark{fainter, fainter, fainter, fainter}, Visible},
		{"wide", wide, []Mark{faint, faint, faint}, Visible},
		{"strong", strong, []Mark{faint, faint, faint}, Visible},
	} {
		d := &deck{}
		res := &Result{Sleeves: make([]Sleeve, 8)}
		for i := range res.Sleeves {
			d.plates = append(d.plates, &plate{input: i})
		}
		res.Sleeves[0] = Sleeve{Marks: []Mark{c.mark}, Visibility: c.mark.Visibility}
		for i, m := range c.others {
			res.Sleeves[i+1].Marks = []Mark{m}
		}
		d.excuseHairlines(res)
		if s := res.Sleeves[0]; s.Visibility != c.want || s.Marks[0].Visibility != c.want {
			t.Errorf("%s: %q and %q, want %q", c.name, s.Visibility, s.Marks[0].Visibility, c.want)
		}
	}
}

// TestMixesOutline asks the test itself: along a stretch of the rim, table
// mixed in is an outline elsewhere, whitened film is not.
func TestMixesOutline(t *testing.T) {
	const odd = 4
	for _, wear := range []bool{false, true} {
		in := plainDeck(12, nil)
		v := in[odd].View
		for y := range v.Image.Height {
			if my := v.MM(plane.Point{Y: float64(y)}).Y; my < 20 || my > 30 {
				continue
			}
			for x := range v.Image.Width {
				mm := v.MM(plane.Point{X: float64(x)}).X
				switch in := clamp(0.5+4*(mm-0.5), 0, 1); {
				case mm > 2 || wear && (mm < 0 || mm > 0.8):
				case wear:
					v.Image.SetBGR(x, y, 250, 110, 80) // paler blue: no mixture of the sleeve and the grey table
				default:
					set := func(c int) uint8 { return uint8(plainTable[c] + (plainSleeve[c]-plainTable[c])*in) }
					v.Image.SetBGR(x, y, set(0), set(1), set(2))
				}
			}
		}
		asked := false
		if _, err := Inspect(context.Background(), in, Options{probe: func(d *deck, b *filterBank, _ []*scan) {
			var r region
			pix, mid := d.view(odd), b.mids[d.plates[odd].batch]
			for i := range d.w * d.h {
				p := d.placeMM(float64(i%d.w), float64(i/d.w))
				if p.Y > 21 && p.Y < 29 && p.X > 0.2 && p.X < 0.9 && math.Abs(float64(pix[3*i+1])-float64(mid[3*i+1])/256) > 8 {
					r.pixels = append(r.pixels, i)
				}
			}
			if len(r.pixels) == 0 {
				t.Fatal("nothing differs at the rim")
			}
			r.bound(d.w)
			asked = true
			if got := d.mixesOutline(b, odd, &r); got == wear {
				t.Errorf("worn %v: an outline elsewhere %v", wear, got)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if !asked {
			t.Error("nothing was compared")
		}
	}
}
