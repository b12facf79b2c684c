package visiontest_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

func at(x, y float64) plane.Point { return plane.Point{X: x, Y: y} }

func smallCamera() visiontest.Camera { return visiontest.Camera{WidthPx: 320, HeightPx: 240} }

// quiet is a sensor that adds nothing.
func quiet() visiontest.Sensor {
	return visiontest.Sensor{ExposureDrift: -1, WhiteDrift: -1, BlurPx: -1, Vignetting: -1, FullWell: -1, ReadNoise: -1, JPEGQuality: -1}
}

func untouched() visiontest.Traces {
	return visiontest.Traces{Dust: -1, Hairlines: -1, Smudges: -1, Fluff: -1}
}

func station(t testing.TB, d visiontest.Deck) *visiontest.Station {
	t.Helper()
	st, err := visiontest.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func render(t testing.TB, st *visiontest.Station, i int) *frame.Image {
	t.Helper()
	m, err := st.Frame(i)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The true corners are where the straight sides of the rendered sleeve meet.
func TestCornersLieWhereTheTruthSays(t *testing.T) {
	// A little blur: half-way points between the pixels of a sharp edge are
	// off by up to 0.09 px.
	soft := quiet()
	soft.BlurPx = 0.9
	d := visiontest.Deck{Seed: 9, Cards: 2, Sensor: soft, Traces: untouched(), Turned: []int{1},
		Sleeve: visiontest.Sleeve{Colour: visiontest.White, BowMM: -1, ThicknessMM: 0.01, CornerRadiusMM: 2},
		Table:  visiontest.Table{Kind: visiontest.Plain, Colour: visiontest.Black, Strength: -1},
		Camera: visiontest.Camera{WidthPx: 1280, HeightPx: 720, TiltDeg: 10, TiltTowardsDeg: 100, K1: -0.15, K2: 0.05, P1: 0.0005},
		Light:  visiontest.Light{Ambient: 1}}
	st := station(t, d)
	lens, _ := st.Truth().Cameras[0].Lens()
	for i := range st.Frames() {
		m := render(t, st, i)
		truth, _ := st.Truth().Frames[i].Cards[0].Quad()
		var ideal plane.Quad
		for k := range truth {
			ideal[k] = lens.Undistort(truth[k])
		}
		var lines [4][2]plane.Point // a point and a direction
		for k := range 4 {
			a, b := ideal[k], ideal[(k+1)%4]
			along := b.Sub(a)
			in := at(-along.Y, along.X).Mul(1 / along.Norm())
			var pts []plane.Point
			for s := 0.1; s <= 0.9; s += 0.02 {
				pts = append(pts, crossing(m, lens, a.Add(along.Mul(s)), in))
			}
			// The mean of each half of the points: a line through both.
			h := len(pts) / 2
			p, q := mean(pts[:h]), mean(pts[len(pts)-h:])
			lines[k] = [2]plane.Point{p, q.Sub(p)}
		}
		for k := range 4 {
			p, q := lines[(k+3)%4], lines[k]
			s := q[0].Sub(p[0]).Cross(q[1]) / p[1].Cross(q[1])
			got := lens.Distort(p[0].Add(p[1].Mul(s)))
			if d := got.Sub(truth[k]).Norm(); !(d < 0.1) {
				t.Errorf("card %d corner %d: %.3f px from the truth", i, k, d)
			}
		}
	}
}

// crossing finds the half-way light between table and sleeve along the normal.
func crossing(m *frame.Image, lens plane.Lens, p, in plane.Point) plane.Point {
	light := colour.LinearTable()
	value := func(s float64) float64 {
		q := lens.Distort(p.Add(in.Mul(s)))
		x, y := int(math.Floor(q.X)), int(math.Floor(q.Y))
		fx, fy := q.X-float64(x), q.Y-float64(y)
		v := func(x, y int) float64 { _, g, _ := m.BGR(x, y); return light[g] }
		return (v(x, y)*(1-fx)+v(x+1, y)*fx)*(1-fy) + (v(x, y+1)*(1-fx)+v(x+1, y+1)*fx)*fy
	}
	half := (value(-4) + value(4)) / 2
	for s := -4.0; s < 4; s += 0.02 {
		if value(s) >= half {
			return p.Add(in.Mul(s))
		}
	}
	return p.Add(in.Mul(math.NaN()))
}

func mean(ps []plane.Point) (m plane.Point) {
	for _, p := range ps {
		m = m.Add(p.Mul(1 / float64(len(ps))))
	}
	return m
}

func TestEqualDecksGiveEqualBytes(t *testing.T) {
	d := visiontest.RandomSpec(12, visiontest.Ranges{MinCards: 4, MaxCards: 4, MaxPixels: 640 * 480})
	a, b := station(t, d), station(t, d)
	frames, truth, err := d.Render(context.Background()) // in parallel
	if err != nil {
		t.Fatal(err)
	}
	var wantTruth, gotTruth bytes.Buffer
	if err := errors.Join(a.Truth().Write(&wantTruth), truth.Write(&gotTruth)); err != nil || wantTruth.String() != gotTruth.String() {
		t.Errorf("truths differ: %v", err)
	}
	for i := a.Frames() - 1; i >= 0; i-- { // in another order
		x, err := a.File(i)
		if err != nil {
			t.Fatal(err)
		}
		if y, _ := b.File(i); !bytes.Equal(x, y) {
			t.Errorf("file %d differs", i)
		}
		if !bytes.Equal(frames[i].Pix, render(t, b, i).Pix) {
			t.Errorf("frame %d differs", i)
		}
	}
	d.Seed++
	if other, _ := station(t, d).File(0); other == nil {
		t.Error("no file")
	} else if x, _ := a.File(0); bytes.Equal(x, other) {
		t.Error("another seed gives the same picture")
	}
}

// Every kind of mark changes the picture at its place and nowhere else.
func TestMarksChangeTheirPlaceOnly(t *testing.T) {
	for _, kind := range []visiontest.Kind{visiontest.PenDot, visiontest.PenLine, visiontest.Scratch, visiontest.Dent,
		visiontest.Crease, visiontest.Stain, visiontest.CornerWear, visiontest.EdgeWear, visiontest.Nick, visiontest.SurfacePrint, "corner_wear"} {
		for _, turned := range []bool{false, true} {
			d := visiontest.Deck{Seed: 2, Cards: 1, Sensor: quiet(), Camera: smallCamera()}
			if turned {
				d.Turned = []int{0}
			}
			clean := render(t, station(t, d), 0)
			d.Marks = []visiontest.Mark{{Kind: kind, Cards: []int{0}, WhereMM: at(14, 20), AngleDeg: 30}}
			st := station(t, d)
			marked := render(t, st, 0)
			m := st.Truth().Frames[0].Cards[0].Marks[0]
			reach := (m.SizeMM + 2) / st.Truth().Cameras[0].MMPerPx
			changed, outside := 0, 0
			for y := range clean.Height {
				for x := range clean.Width {
					_, a, _ := clean.BGR(x, y)
					_, b, _ := marked.BGR(x, y)
					if a == b {
						continue
					}
					changed++
					if at(float64(x), float64(y)).Sub(m.ImageXY.Point()).Norm() > reach {
						outside++
					}
				}
			}
			if changed == 0 || outside > 0 {
				t.Errorf("%s, turned %v: %d pixels changed, %d of them beyond reach", kind, turned, changed, outside)
			}
			if m.Severity == "" || m.Measured.PeakDeltaE <= 0 || m.Measured.SeenDeltaE <= 0 {
				t.Errorf("%s: %+v %+v", kind, m, m.Measured)
			}
			if (m.Kind == string(visiontest.Nick)) != (m.Measured.MissingMM2 > 0) {
				t.Errorf("%s: %g mm2 are missing", kind, m.Measured.MissingMM2)
			}
		}
	}
}

// A batch's colour differs by what was asked for.
func TestBatchDiffers(t *testing.T) {
	d := visiontest.Deck{Seed: 3, Cards: 6, Camera: smallCamera(), Traces: untouched(), Sensor: visiontest.Sensor{ExposureDrift: -1, WhiteDrift: -1, JPEGQuality: -1},
		Sleeve:  visiontest.Sleeve{BowMM: -1},
		Layout:  visiontest.Layout{ShiftMM: -1, TurnDeg: -1},
		Light:   visiontest.Light{Ambient: 1},
		Batches: []visiontest.Batch{{Cards: []int{1, 4}, DeltaL: 6}, {Cards: []int{5}, DeltaB: -8}}}
	st := station(t, d)
	var names string
	var got [6]colour.Lab
	for i := range 6 {
		names += st.Truth().Frames[i].Cards[0].SleeveBatch
		m := render(t, st, i)
		var l [3]float64
		for y := 100; y < 140; y++ {
			for x := 140; x < 180; x++ {
				b, g, r := m.BGR(x, y)
				l[0] += colour.Linear(r) / 1600
				l[1] += colour.Linear(g) / 1600
				l[2] += colour.Linear(b) / 1600
			}
		}
		got[i] = colour.ToLab(l[0], l[1], l[2])
	}
	if names != "ABAABC" {
		t.Errorf("batches %s", names)
	}
	// The sleeve's mirror haze and the exposure make the seen difference a
	// little smaller than that of the film.
	if l := got[1].L - got[0].L; l < 4 || l > 6.5 {
		t.Errorf("batch B is lighter by %.2f", l)
	}
	if b := got[5].B - got[0].B; b > -5 || b < -9 {
		t.Errorf("batch C is bluer by %.2f", -b)
	}
	if d := colour.DeltaE2000(got[0], got[2]); d > 0.5 {
		t.Errorf("two of one batch differ by %.2f", d)
	}
}

// A symmetric print looks the same turned; the others do not.
func TestTurnedPrints(t *testing.T) {
	for _, style := range visiontest.ArtStyles() {
		for _, symmetric := range []bool{true, false} {
			d := visiontest.Deck{Seed: 6, Cards: 2, Turned: []int{1}, Camera: smallCamera(), Sensor: quiet(), Traces: untouched(),
				Sleeve: visiontest.Sleeve{Art: visiontest.Art{Style: style, Symmetric: symmetric}, BowMM: -1, SizeJitterMM: -1, PrintJitterMM: -1, Finish: visiontest.Satin},
				Layout: visiontest.Layout{ShiftMM: -1, TurnDeg: -1}, Light: visiontest.Light{Ambient: 1}}
			st := station(t, d)
			a, b := render(t, st, 0), render(t, st, 1)
			differ := 0
			for y := 60; y < 180; y++ {
				for x := 120; x < 200; x++ {
					_, p, _ := a.BGR(x, y)
					_, q, _ := b.BGR(x, y)
					if math.Abs(float64(p)-float64(q)) > 12 {
						differ++
					}
				}
			}
			// What repeats finely is its own twin.
			if share := float64(differ) / (80 * 120); symmetric && share > 0.01 {
				t.Errorf("%s, symmetric: %.1f%% of the pixels differ when turned", style, 100*share)
			} else if !symmetric && share < 0.005 && style != visiontest.Carbon && style != visiontest.Filigree && style != visiontest.Grain {
				t.Errorf("%s: only %.2f%% of the pixels differ when turned", style, 100*share)
			}
		}
	}
}

func TestEveryStationRenders(t *testing.T) {
	for _, table := range visiontest.TableKinds() {
		for _, finish := range []visiontest.Finish{visiontest.Matte, visiontest.Satin, visiontest.Gloss} {
			d := visiontest.Deck{Seed: 5, Cards: 1, Table: visiontest.Table{Kind: table}, Camera: smallCamera(),
				Sleeve: visiontest.Sleeve{Finish: finish, OuterClear: finish == visiontest.Gloss}}
			for _, k := range visiontest.AlienKinds() {
				d.Aliens = append(d.Aliens, visiontest.Alien{Kind: k, AtMM: at(-60, 10*float64(len(d.Aliens)))})
			}
			m := render(t, station(t, d), 0)
			seen := map[uint8]bool{}
			for _, v := range m.Pix {
				seen[v] = true
			}
			if !m.Valid() || len(seen) < 30 {
				t.Errorf("%s, %s: %d different values", table, finish, len(seen))
			}
		}
	}
}

// Sleeves that differ as a whole say so, and show it.
func TestOddSleeves(t *testing.T) {
	other := visiontest.Sleeve{Colour: visiontest.Red}
	d := visiontest.Deck{Seed: 4, Cards: 6, Camera: smallCamera(), Sensor: quiet(), Sleeve: visiontest.Sleeve{SizeJitterMM: -1, Art: visiontest.Art{Style: visiontest.Emblem}},
		Odd: []visiontest.Odd{{Cards: []int{1}, AddMM: at(0, 1.5)}, {Cards: []int{2}, PrintMM: at(0.8, 0)}, {Cards: []int{3}, Design: &other}, {Cards: []int{4}, Wear: 5}}}
	st := station(t, d)
	want := []string{"", "other_size obvious", "print_offset visible", "other_design obvious", "overall_wear visible", ""}
	for i, f := range st.Truth().Frames {
		c, got := f.Cards[0], ""
		for _, m := range c.Marks {
			got += m.Kind + " " + m.Severity
			if !m.WholeSleeve {
				t.Errorf("%s has a place", m.Kind)
			}
		}
		if got != want[i] {
			t.Errorf("card %d: %q, want %q", i, got, want[i])
		}
		if h := c.SizeMM[1]; (h == 92.5) != (i == 1) {
			t.Errorf("card %d is %g mm high", i, h)
		}
		if (math.Abs(c.PrintOffsetMM[0]) > 0.5) != (i == 2) {
			t.Errorf("card %d: the print is off by %v", i, *c.PrintOffsetMM)
		}
	}
	_, _, blue := render(t, st, 0).BGR(140, 100)
	if _, _, r := render(t, st, 3).BGR(140, 100); int(r) < int(blue)+60 {
		t.Errorf("another design looks the same: red %d and %d", blue, r)
	}
}

func TestGridsAndCutCards(t *testing.T) {
	d := visiontest.Deck{Seed: 8, Cards: 7, Camera: visiontest.Camera{WidthPx: 640, HeightPx: 480}, Layout: visiontest.Layout{Rows: 2, Cols: 2, GapMM: -1}, Sensor: quiet()}
	truth := station(t, d).Truth()
	if len(truth.Frames) != 2 || len(truth.Frames[0].Cards) != 4 || len(truth.Frames[1].Cards) != 3 {
		t.Fatalf("%d frames", len(truth.Frames))
	}
	a, _ := truth.Frames[0].Cards[0].Quad()
	b, _ := truth.Frames[0].Cards[1].Quad()
	if gap := b[0].Sub(a[1]).Norm() * truth.Cameras[0].MMPerPx; gap > 0.3 {
		t.Errorf("touching sleeves are %.2f mm apart", gap)
	}
	for _, f := range truth.Frames {
		for _, c := range f.Cards {
			if c.Cut {
				t.Errorf("card %d of a grid is cut: %v", c.Index, c.Corners)
			}
		}
	}
	d = visiontest.Deck{Seed: 8, Cards: 3, Cut: []int{1}, Empty: 1, Camera: smallCamera()}
	truth = station(t, d).Truth()
	if len(truth.Frames) != 4 || len(truth.Frames[3].Cards) != 0 {
		t.Errorf("an empty frame is missing")
	}
	for i, f := range truth.Frames[:3] {
		if f.Cards[0].Cut != (i == 1) {
			t.Errorf("card %d: cut %v", i, f.Cards[0].Cut)
		}
	}
}

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deck")
	st := station(t, visiontest.Deck{Seed: 1, Cards: 2, Camera: smallCamera()})
	if err := st.WriteFolder(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	truth, err := visiontest.ReadTruth(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, fr := range truth.Frames {
		data, err := os.ReadFile(filepath.Join(dir, fr.File))
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := st.File(i); !bytes.Equal(data, want) {
			t.Errorf("%s is not the station's file", fr.File)
		}
	}
}

func TestRenderStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := (visiontest.Deck{Cards: 4, Camera: smallCamera()}).Render(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestContradictionsAreErrors(t *testing.T) {
	for name, d := range map[string]visiontest.Deck{
		"a card too many":  {Cards: 2, Turned: []int{2}},
		"negative cards":   {Cards: -1},
		"a huge picture":   {Camera: visiontest.Camera{WidthPx: 100000, HeightPx: 100000}},
		"no colour":        {Sleeve: visiontest.Sleeve{Colour: "blue"}},
		"no table":         {Table: visiontest.Table{Kind: "lava"}},
		"no finish":        {Sleeve: visiontest.Sleeve{Finish: "wet"}},
		"no style":         {Sleeve: visiontest.Sleeve{Art: visiontest.Art{Style: "cubist"}}},
		"no place":         {Cards: 1, Marks: []visiontest.Mark{{Kind: visiontest.OtherSize, Cards: []int{0}}}},
		"no kind":          {Cards: 1, Marks: []visiontest.Mark{{Kind: "curse", Cards: []int{0}}}},
		"no corner":        {Cards: 1, Marks: []visiontest.Mark{{Kind: visiontest.Nick, Cards: []int{0}, Corner: "XX"}}},
		"a hand elsewhere": {Cards: 1, Hands: []int{1}},
		"lying on a side":  {Camera: visiontest.Camera{TiltDeg: 80}},
	} {
		if _, err := visiontest.New(d); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	st := station(t, visiontest.Deck{Cards: 1, Camera: smallCamera()})
	if _, err := st.Frame(1); err == nil {
		t.Error("frame 1 of 1 is accepted")
	}
}
