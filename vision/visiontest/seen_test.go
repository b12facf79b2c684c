package visiontest

import (
	"math"
	"testing"

	"fairdeck/vision/plane"

	"pgregory.net/rapid"
)

// disc draws a disc of the given diameter (mm) at 10 px/mm over a ground.
func disc(ground, ink [3]float64, diameter float64) (with, without []float32, width int) {
	width = 61
	for y := range width {
		for x := range width {
			d := math.Hypot(float64(x)-30, float64(y)-30)/10 - diameter/2
			a := clamp(0.5-10*d, 0, 1)
			for c := range 3 {
				without = append(without, float32(ground[c]))
				with = append(with, float32(ground[c]+(ink[c]-ground[c])*a))
			}
		}
	}
	return with, without, width
}

// A larger or stronger mark is never milder.
func TestSeverityGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Float64Range(0.03, 0.8).Draw(t, "ground")
		toward := rapid.SampledFrom([]float64{0.005, 0.85}).Draw(t, "toward")
		k1 := rapid.Float64Range(0.02, 0.9).Draw(t, "contrast")
		k2 := k1 + rapid.Float64Range(0, 0.1).Draw(t, "more contrast")
		s1 := rapid.Float64Range(0.2, 3).Draw(t, "size")
		s2 := s1 + rapid.Float64Range(0, 1).Draw(t, "more size")
		see := func(contrast, size float64) (float64, float64, int) {
			v := g + (toward-g)*contrast
			with, without, w := disc([3]float64{g, g, g}, [3]float64{v, v, v}, size)
			p, q := Seen(with, without, w, 10, PlayingDistanceMM)
			return p, q, SeverityRank(Severity(p, q))
		}
		p1, q1, r1 := see(k1, s1)
		p2, q2, r2 := see(k2, s2)
		// The surround of the eye's filter lets a large disc's middle fade by
		// a few per cent; the word is judged with the size.
		if q2 < q1*0.999 || p2 < p1*0.93 || r2 < r1 && p2 >= p1 {
			t.Fatalf("contrast %.3f -> %.3f, size %.2f -> %.2f: peak %.2f -> %.2f, strength %.2f -> %.2f", k1, k2, s1, s2, p1, p2, q1, q2)
		}
	})
}

func TestSeenLimits(t *testing.T) {
	white, black := [3]float64{0.8, 0.8, 0.8}, [3]float64{0.01, 0.01, 0.01}
	same, without, w := disc(white, white, 2)
	if p, q := Seen(same, without, w, 10, PlayingDistanceMM); p != 0 || q != 0 {
		t.Errorf("no difference is seen as %g, %g", p, q)
	}
	for _, c := range []struct {
		name string
		ink  [3]float64
		size float64
		want string
	}{
		{"a black spot of 4 mm on white", black, 4, Obvious},
		{"a black dot of 0.5 mm on white", black, 0.5, Visible},
		{"a faint dot of 0.3 mm", [3]float64{0.72, 0.72, 0.72}, 0.3, CameraOnly},
		{"next to nothing", [3]float64{0.795, 0.795, 0.795}, 1, Invisible},
	} {
		with, without, w := disc(white, c.ink, c.size)
		p, q := Seen(with, without, w, 10, PlayingDistanceMM)
		if got := Severity(p, q); got != c.want {
			t.Errorf("%s is %s (%.2f, %.2f), want %s", c.name, got, p, q, c.want)
		}
	}
	// From farther away less is seen.
	with, without, w := disc(white, black, 0.5)
	near, _ := Seen(with, without, w, 10, 400)
	far, _ := Seen(with, without, w, 10, 3000)
	if !(far < 0.7*near) {
		t.Errorf("%.2f from 0.4 m and %.2f from 3 m", near, far)
	}
}

// Marks of the kind, size and contrast of the independently rendered deck
// d2_marks_matte_blue get nearly the words that its maker gave them.
func TestSeverityAgrees(t *testing.T) {
	var d Deck
	d.Seed = 3
	d.Camera = Camera{PxPerMM: 5.72, DistanceMM: 360}
	var want []string
	for _, c := range []struct {
		kind   Kind
		size   float64
		deltaE float64 // brings the contrast in the camera's picture to that deck's
		ink    Colour
		want   string
	}{
		{PenDot, 1.5, 20, "", Obvious}, {PenDot, 0.8, 14.5, "", Visible}, {PenDot, 0.6, 28.6, "#ffffff", Visible}, {PenDot, 0.5, 7.7, "", CameraOnly},
		{Scratch, 7, 6.7, "", CameraOnly}, {Scratch, 12, 27, "", Visible}, {Crease, 29, 0, "", Obvious}, {Dent, 4, 8.6, "", Visible},
		{Stain, 9, 6.1, "", Visible}, {CornerWear, 4, 45, "", Visible}, {Nick, 2, 0, "", Visible},
	} {
		m := Mark{Kind: c.kind, SizeMM: c.size, DeltaE: c.deltaE, Ink: c.ink, Cards: []int{len(want)}, WhereMM: plane.Point{X: 30, Y: 50}, AngleDeg: 20}
		if c.kind == CornerWear || c.kind == Nick {
			m.Corner = "TR"
		}
		if c.kind == Crease {
			m.AngleDeg, m.WhereMM = -45, plane.Point{X: 55, Y: 80} // a corner folded over
		}
		d.Marks = append(d.Marks, m)
		want = append(want, c.want)
	}
	d.Cards = len(want)
	st, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	equal := 0
	for i, f := range st.Truth().Frames {
		m := f.Cards[0].Marks[0]
		t.Logf("%s %g: %s, there %s (%.2f, %.2f)", m.Kind, m.SizeMM, m.Severity, want[i], m.Measured.SeenDeltaE, m.Measured.SeenMM)
		step := SeverityRank(m.Severity) - SeverityRank(want[i])
		if step < -1 || step > 1 {
			t.Errorf("%s of %g mm is %s, not %s: %+v", m.Kind, m.SizeMM, m.Severity, want[i], *m.Measured)
		} else if step == 0 {
			equal++
		}
	}
	if equal < 8 {
		t.Errorf("only %d of %d words are the same", equal, len(want))
	}
}

// Marks come out with the contrast that was asked for, if their kind can.
func TestContrastIsSolved(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		want float64
	}{{PenDot, 5}, {PenDot, 15}, {Scratch, 10}, {Dent, 6}, {Stain, 8}, {Crease, 12}, {CornerWear, 20}, {PenLine, 12}} {
		st, err := New(Deck{Seed: 1, Cards: 1, Camera: Camera{WidthPx: 320, HeightPx: 240},
			Marks: []Mark{{Kind: c.kind, Cards: []int{0}, WhereMM: plane.Point{X: 30, Y: 40}, DeltaE: c.want}}})
		if err != nil {
			t.Fatal(err)
		}
		m, card := st.cards[0].marks[0], st.cards[0]
		scale := closeUp(m)
		a := withMark(card, m, st.light, st.view, 2*scale).patch(m.WhereMM, m.reach(), scale, st.surface)
		b := newShader(card, st.light, st.view, nil).patch(m.WhereMM, m.reach(), scale, st.surface)
		if got, _, _ := peak(a, b); math.Abs(got-c.want) > 0.05*c.want {
			t.Errorf("%s: contrast %.2f, want %.2f", c.kind, got, c.want)
		}
	}
}
