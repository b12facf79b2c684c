package score_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
	"fairdeck/vision/visiontest/score"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// truthOf makes n upright sleeves of 66 x 91 mm at 5 px/mm, one a frame.
func truthOf(n int, change func(i int, c *visiontest.TruthCard)) *visiontest.Truth {
	t := &visiontest.Truth{Deck: "d"}
	for i := range n {
		q := plane.Rect(100, 50, 330, 455)
		c := visiontest.TruthCard{Index: i, SleeveBatch: "A", SizeMM: &visiontest.Pair{66, 91}}
		for _, p := range q {
			c.Corners = append(c.Corners, visiontest.Pair{p.X, p.Y})
		}
		if change != nil {
			change(i, &c)
		}
		t.Frames = append(t.Frames, visiontest.TruthFrame{File: string(rune('a'+i)) + ".jpg", Cards: []visiontest.TruthCard{c}})
	}
	return t
}

// perfect observes exactly the truth.
func perfect(t *visiontest.Truth) []score.Frame {
	var out []score.Frame
	for _, f := range t.Frames {
		g := score.Frame{File: f.File}
		for _, c := range f.Cards {
			q, _ := c.Quad()
			s := score.Card{Corners: q, Orientation: c.Orientation, Batch: c.SleeveBatch}
			for _, m := range c.Marks {
				h := plane.Point{X: 0.5, Y: 0.5}
				s.Marks = append(s.Marks, score.Mark{Kind: m.Kind, MinMM: m.WhereMM.Point().Sub(h), MaxMM: m.WhereMM.Point().Add(h),
					Visibility: m.Severity, WholeSleeve: m.WholeSleeve})
			}
			g.Cards = append(g.Cards, s)
		}
		out = append(out, g)
	}
	return out
}

func marked(severity string, x, y float64) func(int, *visiontest.TruthCard) {
	return func(i int, c *visiontest.TruthCard) {
		if i == 1 {
			c.Marks = []visiontest.TruthMark{{Kind: "pen_dot", WhereMM: &visiontest.Pair{x, y}, SizeMM: 1, Severity: severity}}
		}
	}
}

func TestPerfectObservation(t *testing.T) {
	truth := truthOf(3, marked(visiontest.Visible, 10, 20))
	one := 1.0
	want := score.Record{Deck: "d", Cards: 3, Found: 3, CleanSleeves: 2, VisibilityAgreement: &one, VisibilityExact: &one}
	want.Marks.Visible = score.Count{Truth: 1, Found: 1}
	if d := cmp.Diff(want, score.Deck(truth, perfect(truth), score.Options{})); d != "" {
		t.Error(d)
	}
}

// An observer who holds every sleeve by the other end sees the same.
func TestTurnedFrameIsForgiven(t *testing.T) {
	truth := truthOf(3, marked(visiontest.Obvious, 10, 20))
	seen := perfect(truth)
	for i := range seen {
		c := &seen[i].Cards[0]
		c.Corners = c.Corners.Turn(2)
		c.Orientation = 180 - c.Orientation
		for k := range c.Marks {
			m := &c.Marks[k]
			m.MinMM, m.MaxMM = plane.Point{X: 66, Y: 91}.Sub(m.MaxMM), plane.Point{X: 66, Y: 91}.Sub(m.MinMM)
		}
	}
	r := score.Deck(truth, seen, score.Options{})
	if r.CornerMaxPx != 0 || r.Marks.Obvious.Found != 1 || r.OrientationErrors != 0 {
		t.Errorf("%+v", r)
	}
	if r := score.Deck(truth, seen, score.Options{ExactFrame: true}); r.CornerMaxPx < 100 {
		t.Errorf("exact frames are asked for: %+v", r)
	}
}

func TestMissedSpuriousAndCorners(t *testing.T) {
	truth := truthOf(3, nil)
	seen := perfect(truth)
	seen[0].Cards = nil
	for i := range seen[1].Cards[0].Corners {
		seen[1].Cards[0].Corners[i].X += 3 // all four by 3 px
	}
	seen[2].Cards = append(seen[2].Cards, score.Card{Corners: plane.Rect(600, 600, 50, 70)})
	seen = append(seen, score.Frame{File: "unknown.jpg", Cards: make([]score.Card, 2)})
	r := score.Deck(truth, seen, score.Options{})
	if r.Cards != 3 || r.Found != 2 || r.Missed != 1 || r.Spurious != 3 {
		t.Errorf("%+v", r)
	}
	if math.Abs(r.CornerRMSPx-math.Sqrt(4*9/8.0)) > 1e-9 || r.CornerMaxPx != 3 {
		t.Errorf("corners: %g, %g", r.CornerRMSPx, r.CornerMaxPx)
	}
}

func TestCutSleevesDoNotCount(t *testing.T) {
	truth := truthOf(2, func(i int, c *visiontest.TruthCard) { c.Cut = i == 0 })
	for _, reported := range []bool{true, false} {
		seen := perfect(truth)
		if !reported {
			seen[0].Cards = nil
		}
		if r := score.Deck(truth, seen, score.Options{}); r.Cards != 1 || r.Missed != 0 || r.Spurious != 0 {
			t.Errorf("reported %v: %+v", reported, r)
		}
	}
}

// A truth written by hand gives no corners, perhaps no severity, and may count
// from the other end than the observer.
func TestTruthWithoutCorners(t *testing.T) {
	full := truthOf(3, marked("", 10, 20))
	hand := truthOf(3, func(i int, c *visiontest.TruthCard) {
		marked("", 10, 20)(i, c)
		c.Corners, c.SizeMM, c.SleeveBatch, c.Orientation = nil, nil, "", visiontest.NotStated
	})
	for _, turned := range []bool{false, true} {
		seen := perfect(full)
		seen[1].Cards[0].Marks[0].Visibility = visiontest.Visible
		if turned {
			m := &seen[1].Cards[0].Marks[0]
			m.MinMM, m.MaxMM = plane.Point{X: 66, Y: 91}.Sub(m.MaxMM), plane.Point{X: 66, Y: 91}.Sub(m.MinMM)
		}
		seen[2].Cards = append(seen[2].Cards, score.Card{Corners: plane.Rect(0, 0, 9, 9)})
		r := score.Deck(hand, seen, score.Options{})
		if r.Cards != 3 || r.Found != 3 || r.Spurious != 1 || r.CornerRMSPx != 0 || r.Marks.Visible != (score.Count{Truth: 1, Found: 1}) || r.CleanSleeves != 2 || r.FalseFlags != 0 {
			t.Errorf("turned %v: %+v", turned, r)
		}
	}
}

func TestMarksWithinTwoMillimetres(t *testing.T) {
	line := []visiontest.Pair{{10, 10}, {30, 30}}
	at := func(x, y, half float64) score.Mark {
		return score.Mark{MinMM: plane.Point{X: x - half, Y: y - half}, MaxMM: plane.Point{X: x + half, Y: y + half}, Visibility: visiontest.Visible}
	}
	dot := visiontest.TruthMark{Kind: "pen_dot", WhereMM: &visiontest.Pair{20, 20}, SizeMM: 1, Severity: visiontest.Visible}
	scratch := visiontest.TruthMark{Kind: "scratch", WhereMM: &visiontest.Pair{20, 20}, SizeMM: 28, LineMM: line, Severity: visiontest.Visible}
	whole := visiontest.TruthMark{Kind: "other_size", WhereMM: &visiontest.Pair{33, 45}, SizeMM: 1, WholeSleeve: true, Severity: visiontest.Visible}
	everywhere := at(33, 45.5, 45)
	sleeve := everywhere
	sleeve.WholeSleeve = true
	for _, c := range []struct {
		name  string
		truth visiontest.TruthMark
		seen  score.Mark
		want  bool
	}{
		{"on it", dot, at(20, 20, 0.5), true},
		{"2.4 mm from a dot of radius 0.5", dot, at(22.9, 20, 0.5), true},
		{"2.6 mm from it", dot, at(23.2, 20, 0.5), false},
		{"at the end of a line", scratch, at(29, 29, 0.3), true},
		{"beside the line", scratch, at(28, 12, 0.3), false},
		{"the whole sleeve does not find a dot", dot, everywhere, false},
		{"nor does a sleeve-wide word", dot, sleeve, false},
		{"a sleeve-wide word finds a sleeve-wide mark", whole, sleeve, true},
		{"a spot does not", whole, at(33, 45, 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			truth := truthOf(1, func(_ int, card *visiontest.TruthCard) { card.Marks = []visiontest.TruthMark{c.truth} })
			seen := perfect(truth)
			seen[0].Cards[0].Marks = []score.Mark{c.seen}
			if got := score.Deck(truth, seen, score.Options{}).Marks.Visible.Found == 1; got != c.want {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func TestFalseFlagsCountCleanSleevesOnly(t *testing.T) {
	truth := truthOf(4, func(i int, c *visiontest.TruthCard) {
		switch i {
		case 1:
			c.Orientation = 180
		case 2:
			c.SleeveBatch = "B"
		}
	})
	for _, c := range []struct {
		word string
		want int
	}{{visiontest.CameraOnly, 0}, {visiontest.Visible, 2}, {visiontest.Obvious, 2}} {
		seen := perfect(truth)
		for i := range seen {
			seen[i].Cards[0].Marks = []score.Mark{{Visibility: c.word, MinMM: plane.Point{X: 5, Y: 5}, MaxMM: plane.Point{X: 6, Y: 6}}}
		}
		if r := score.Deck(truth, seen, score.Options{}); r.FalseFlags != c.want || r.CleanSleeves != 2 {
			t.Errorf("%s: %d of %d", c.word, r.FalseFlags, r.CleanSleeves)
		}
	}
}

func TestVisibilityAgreement(t *testing.T) {
	truth := truthOf(2, marked(visiontest.Obvious, 30, 30))
	for word, want := range map[string][2]float64{visiontest.Obvious: {1, 1}, visiontest.Visible: {1, 0}, visiontest.CameraOnly: {0, 0}} {
		seen := perfect(truth)
		seen[1].Cards[0].Marks[0].Visibility = word
		r := score.Deck(truth, seen, score.Options{})
		if r.VisibilityAgreement == nil || *r.VisibilityAgreement != want[0] || *r.VisibilityExact != want[1] {
			t.Errorf("%s: %+v", word, r)
		}
	}
}

// Names of groups and the end from which turns are counted are conventions:
// changing them changes no score, and k wrong sleeves cost at most k.
func TestConventionsAreFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		truth := truthOf(n, func(i int, c *visiontest.TruthCard) {
			c.SleeveBatch = rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "batch")
			c.Orientation = rapid.SampledFrom([]int{0, 180}).Draw(t, "turn")
		})
		seen := perfect(truth)
		names := rapid.Permutation([]string{"x", "y", "z"}).Draw(t, "names")
		flip := rapid.Bool().Draw(t, "flip")
		wrong := rapid.IntRange(0, n).Draw(t, "wrong")
		for i := range seen {
			c := &seen[i].Cards[0]
			c.Batch = names[slices.Index([]string{"A", "B", "C"}, c.Batch)]
			if flip {
				c.Orientation = 180 - c.Orientation
			}
			if i < wrong {
				c.Batch += "!"
				c.Orientation = 180 - c.Orientation
			}
		}
		r := score.Deck(truth, seen, score.Options{})
		if r.BatchErrors > wrong || r.OrientationErrors > min(wrong, n-wrong) {
			t.Fatalf("%d wrong: %+v", wrong, r)
		}
		if wrong == 0 && (r.BatchErrors != 0 || r.OrientationErrors != 0) {
			t.Fatalf("%+v", r)
		}
	})
}

func TestBatchMergedIsWrong(t *testing.T) {
	truth := truthOf(10, func(i int, c *visiontest.TruthCard) {
		if i >= 7 {
			c.SleeveBatch = "B"
		}
	})
	seen := perfect(truth)
	for i := range seen {
		seen[i].Cards[0].Batch = "A"
	}
	if r := score.Deck(truth, seen, score.Options{}); r.BatchErrors != 3 {
		t.Errorf("%d batch errors", r.BatchErrors)
	}
}

func TestRecordKeys(t *testing.T) {
	data, err := json.Marshal(score.Deck(truthOf(1, nil), nil, score.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"deck", "cards", "found", "missed", "spurious", "corner_rms_px", "corner_max_px", "seconds", "decode_seconds",
		"marks", "false_flags", "clean_sleeves", "orientation_errors", "batch_errors", "visibility_agreement"} {
		if _, ok := m[k]; !ok {
			t.Errorf("key %s is missing", k)
		}
	}
	if m["visibility_agreement"] != nil || m["missed"] != 1.0 {
		t.Errorf("%s", data)
	}
}
