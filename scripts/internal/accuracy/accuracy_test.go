package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/record"
	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// A loose frame leaves table around the sleeve, and a check of its files is
// brought together with the truth by their names.
func TestThroughTheFinder(t *testing.T) {
	d := loose(visiontest.Deck{Seed: 5, Cards: 4})
	d.Camera.PxPerMM = 3.5
	d.Camera.WidthPx, d.Camera.HeightPx = 360, 450
	in, err := inspectThrough(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	errs, sigmas := in.cornerErrors()
	if len(in.check.Sleeves) != 4 || len(errs) != 4 || len(sigmas) != 4 || len(in.result.Sleeves) != 4 {
		t.Fatalf("%d sleeves of the check, %d by true corners, %d errors", len(in.check.Sleeves), len(in.result.Sleeves), len(errs))
	}
	for i, e := range errs {
		if !(e < 5) || !(sigmas[i] > 0) { // blue on white paper
			t.Errorf("sleeve %d: corners off by %.1f px, said to be sure to %.1f", i, e, sigmas[i])
		}
	}
	var c cleanColumns
	c.add(in)
	if c.through.any.N != 1 || c.given.any.N != 1 || c.through.sleeves.N != 4 || c.given.sleeves.N != 4 {
		t.Errorf("%+v", c)
	}
}

func TestCalibrationCountsDecks(t *testing.T) {
	res := &sleeve.Result{Sleeves: []sleeve.Sleeve{
		{Marks: []sleeve.Mark{{PValue: 0.05, Visibility: sleeve.CameraOnly}, {PValue: 1e-5, Visibility: sleeve.CameraOnly}}},
		{Marks: []sleeve.Mark{{PValue: 0.004, Visibility: sleeve.Obvious}}}}}
	c := newCalibration()
	c.add(leastP(res))
	c.add(leastP(new(sleeve.Result)))
	check := &record.Check{Sleeves: []record.Sleeve{{Marks: []record.Mark{{PValue: 1e-5, Visibility: "camera-only"}, {PValue: 0.004, Visibility: "visible"}}}}}
	if l, s := leastPOf(check); l != 1e-5 || s != 0.004 {
		t.Errorf("a check's least p values are %g and %g", l, s)
	}
	for i, p := range calibrationLimits() {
		listed, seen := metric.Share{N: 2}, metric.Share{N: 2}
		if 1e-5 <= p {
			listed.K = 1
		}
		if 0.004 <= p {
			seen.K = 1
		}
		if c.listed[i] != listed || c.seen[i] != seen {
			t.Errorf("p <= %g: %v and %v, want %v and %v", p, c.listed[i], c.seen[i], listed, seen)
		}
	}
}

func TestLooseFramesLeaveTable(t *testing.T) {
	for seed := range uint64(30) {
		d := loose(cleanDeck(seed))
		st, err := visiontest.New(d)
		if err != nil {
			t.Fatal(err)
		}
		m := 5 * d.Camera.PxPerMM
		for i, f := range st.Truth().Frames {
			q, _ := f.Cards[0].Quad()
			for _, p := range q {
				if p.X < m || p.Y < m || p.X > float64(d.Camera.WidthPx)-m || p.Y > float64(d.Camera.HeightPx)-m {
					t.Errorf("seed %d frame %d: corner %v of %d x %d px", seed, i, p, d.Camera.WidthPx, d.Camera.HeightPx)
				}
			}
		}
	}
}

// A tight frame holds the sleeve and the margin that its view shows.
func TestTightFramesHoldTheSleeve(t *testing.T) {
	check := func(name string, d visiontest.Deck) {
		st, err := visiontest.New(d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, f := range st.Truth().Frames {
			q, _ := f.Cards[0].Quad()
			// The margin is a fifth wider than what may be missing: at its
			// very rim a replicated pixel does no harm.
			m := 0.8 * viewMarginMM * d.Camera.PxPerMM
			for _, p := range q {
				if p.X < m || p.Y < m || p.X > float64(d.Camera.WidthPx)-m || p.Y > float64(d.Camera.HeightPx)-m {
					t.Errorf("%s frame %d: corner %v of %d x %d px", name, i, p, d.Camera.WidthPx, d.Camera.HeightPx)
				}
			}
		}
	}
	for i, p := range places() {
		check(p.name, tight(p.deck(uint64(i), 20), 3))
	}
	for seed := range uint64(30) {
		check("clean", tight(cleanDeck(seed), 0))
	}
}

func TestPlacesOfMarksLieOnTheSleeve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		c := rapid.SampledFrom(allCells()).Draw(t, "cell")
		g := gauges()[slices.IndexFunc(gauges(), func(g gauge) bool { return g.kind == c.kind })]
		size := g.sizes[c.size]
		m := anywhere(r, c.kind, size, 66, 91)
		if m.WhereMM.X < 0 || m.WhereMM.Y < 0 || m.WhereMM.X > 66 || m.WhereMM.Y > 91 {
			t.Fatalf("%+v", m)
		}
		if regionOf(c.kind) == inner {
			reach := size / 2
			switch c.kind {
			case visiontest.PenLine, visiontest.Scratch, visiontest.Crease:
				reach = 0 // may run out over the rim
			}
			if in := min(m.WhereMM.X, m.WhereMM.Y, 66-m.WhereMM.X, 91-m.WhereMM.Y) - reach; in < rimMM {
				t.Fatalf("an inner mark reaches to %g mm from the outline: %+v", in, m)
			}
		}
	})
}

// Whether a turned sleeve is recognised as turned or not, a mark reported at
// its place is found there.
func TestObserveKnowsTurnedSleeves(t *testing.T) {
	d := tight(visiontest.Deck{Seed: 3, Cards: 2, Turned: []int{1}, Marks: []visiontest.Mark{
		{Kind: visiontest.PenDot, Cards: []int{1}, WhereMM: plane.Point{X: 12, Y: 20}, SizeMM: 1, DeltaE: 20}}}, 3)
	st, err := visiontest.New(d)
	if err != nil {
		t.Fatal(err)
	}
	truth := st.Truth()
	mark := func(x, y float64) sleeve.Mark {
		return sleeve.Mark{MinMM: plane.Point{X: x - 0.5, Y: y - 0.5}, MaxMM: plane.Point{X: x + 0.5, Y: y + 0.5}, Visibility: sleeve.Visible}
	}
	for _, c := range []struct {
		name   string
		turned int
		mark   sleeve.Mark
		want   bool
	}{
		{"recognised", 180, mark(12, 20), true},
		{"not recognised", 0, mark(66-12, 91-20), true},
		{"recognised, at the other end", 180, mark(66-12, 91-20), false},
		{"not recognised, at the other end", 0, mark(12, 20), false},
	} {
		var in []sleeve.Input
		res := &sleeve.Result{Sleeves: make([]sleeve.Sleeve, 2)}
		for i := range 2 {
			q, _ := truth.Frames[i].Cards[0].Quad()
			if i == 1 {
				q = q.Turn(2)
			}
			in = append(in, sleeve.Input{View: &card.View{WidthMM: 66, HeightMM: 91}, Card: card.Detection{Corners: q}})
		}
		res.Sleeves[1].TurnedDeg, res.Sleeves[1].Marks = c.turned, []sleeve.Mark{c.mark}
		got := &inspected{truth: truth, observed: observe(truth, in, res)}
		if v := got.judge(1, 0); v.found != c.want {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestEachKeepsOrderAndGoesOn(t *testing.T) {
	r := newRun(context.Background(), options{})
	broken := errors.New("broken")
	var order []int
	err := r.each("deck", 30, func(i int) (*inspected, error) {
		if i == 7 {
			return nil, broken
		}
		return new(inspected), nil
	}, func(i int, _ *inspected) { order = append(order, i) })
	if err != nil {
		t.Fatal(err)
	}
	if len(order) != 29 || !slices.IsSorted(order) || slices.Contains(order, 7) || len(r.failures) != 1 {
		t.Errorf("%v, %v", order, r.failures)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r = newRun(ctx, options{})
	err = r.each("deck", 1000, func(int) (*inspected, error) { cancel(); return new(inspected), nil }, func(int, *inspected) {})
	if !errors.Is(err, context.Canceled) || len(r.failures) != 0 {
		t.Errorf("%v, %v", err, r.failures)
	}
}

// The figures are taken within a station: stations whose scores are of
// another magnitude do not mix.
func TestFiguresAreTakenWithinAStation(t *testing.T) {
	dot := cell{visiontest.PenDot, 0, 0}
	station := func(scale float32) *scored {
		s := &scored{inspected: &inspected{truth: &visiontest.Truth{}}, on: map[int]cell{0: dot}, cards: make([][regions][]float32, 2), clean: make([][regions]*metric.Histogram, 2)}
		for i := range 4 {
			f := visiontest.TruthFrame{Cards: []visiontest.TruthCard{{Index: i}}}
			if i == 0 {
				f.Cards[0].Marks = []visiontest.TruthMark{{Kind: "pen_dot"}}
			}
			s.truth.Frames = append(s.truth.Frames, f)
		}
		for g := range regions {
			s.cards[0][g] = []float32{9 * scale, 1 * scale, 1 * scale, 1 * scale} // finds it
			s.cards[1][g] = []float32{1 * scale, 4 * scale, 4 * scale, 0}         // beats one of three
		}
		for m := range 2 {
			s.marks = append(s.marks, map[int][]float32{0: {s.cards[m][inner][0]}})
			for g := range regions {
				s.clean[m][g] = new(metric.Histogram)
				for _, v := range s.cards[m][g][1:] {
					s.clean[m][g].Add(v)
				}
			}
		}
		return s
	}
	byPlace := [][]*scored{{station(1)}, {station(1000)}}
	row := referenceRow{"all", func(cell, visiontest.TruthMark) bool { return true }}
	v, n := cardFigures(byPlace, 2, row, metric.AUROC)
	if n != 2 || v[0] != 1 || math.Abs(v[1]-1.0/3) > 1e-12 {
		t.Errorf("%v of %d", v, n)
	}
	auroc, pro := pixelFigures(byPlace, 2, inner)
	if auroc[0] != 1 || math.Abs(auroc[1]-1.0/3) > 1e-12 || pro[0] != 1 || pro[1] != 0 {
		t.Errorf("%v %v", auroc, pro)
	}
	none := referenceRow{"none", func(cell, visiontest.TruthMark) bool { return false }}
	if _, n := cardFigures(byPlace, 2, none, metric.AUROC); n != 0 {
		t.Errorf("%d marks", n)
	}
}

func TestReadBoxes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boxes.txt")
	if err := os.WriteFile(path, []byte("6 12 18 24 1\n\n30,30,36,36,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readBoxes(path)
	if err != nil || len(got) != 2 || got[0] != plane.Rect(1, 2, 2, 2) || got[1] != plane.Rect(5, 5, 1, 1) {
		t.Errorf("%v, %v", got, err)
	}
	m := sleeve.Mark{MinMM: plane.Point{X: 3.5, Y: 3}, MaxMM: plane.Point{X: 4, Y: 4}}
	if near(m, got[0], 0.4) || !near(m, got[0], 0.6) || !near(m, plane.Rect(3, 3, 5, 5), 0) {
		t.Error("near is by the distance of the boxes")
	}
	if err := os.WriteFile(path, []byte("1 2 three"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBoxes(path); err == nil {
		t.Error("a broken line is an error")
	}
}

// A whole deck through the evaluation's own way: a strong mark on a plain
// sleeve is found on it, and the masks of the pixel measures lie there too.
func TestStrongMarkIsFound(t *testing.T) {
	at := plane.Point{X: 30, Y: 40}
	d := tight(visiontest.Deck{Seed: 5, Cards: 12, Marks: []visiontest.Mark{
		{Kind: visiontest.PenDot, Cards: []int{4}, WhereMM: at, SizeMM: 2.5, DeltaE: 30}}}, 4)
	in, err := inspectTight(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if v := in.judge(4, 0); !v.found {
		t.Error("the mark is not found")
	}
	view := in.inputs[4].View
	masks, err := markMasks(in, view.Image.Width, view.Image.Height)
	if err != nil {
		t.Fatal(err)
	}
	n, far := 0, 0.0
	for p, is := range masks[4] {
		if is {
			n++
			far = max(far, view.MM(plane.Point{X: float64(p % view.Image.Width), Y: float64(p / view.Image.Width)}).Sub(at).Norm())
		}
	}
	if area := float64(n) / (view.PxPerMM * view.PxPerMM); len(masks) != 1 || math.Abs(area-math.Pi*1.25*1.25) > 2 || far > 2.2 {
		t.Errorf("%d masks; %.1f mm² up to %.1f mm from the mark", len(masks), area, far)
	}
}
