package calibrate

import (
	"testing"

	"fairdeck/vision/plane"

	"pgregory.net/rapid"
)

// TestFitHomography: exact correspondences give the homography back, whatever
// the units on either side; and a point more than four changes nothing.
func TestFitHomography(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		h := plane.Homography{f("a", 0.5, 20), f("b", -3, 3), f("c", -2000, 2000), f("d", -3, 3), f("e", 0.5, 20) + 10, f("f", -2000, 2000), f("g", -1e-3, 1e-3), f("h", -1e-3, 1e-3), 1}
		b := Board{Columns: rapid.IntRange(3, 12).Draw(t, "columns"), Rows: rapid.IntRange(3, 12).Draw(t, "rows"), SquareMM: f("square", 1, 30)}
		mm := b.corners()
		px := make([]plane.Point, len(mm))
		for i, p := range mm {
			px[i] = h.Apply(p)
		}
		got, err := fitHomography(mm, px)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range mm {
			if d := got.Apply(p).Sub(px[i]).Norm(); !(d < 1e-5*(1+px[i].Norm())) {
				t.Fatalf("corner %d is off by %g", i, d)
			}
		}
	})
	line := []plane.Point{{X: 1}, {X: 2}, {X: 3}, {X: 4}}
	if h, err := fitHomography(line, line); err == nil {
		// A line fixes no homography; whatever comes must at least be finite.
		for _, v := range h {
			if v != v {
				t.Fatal("not a number")
			}
		}
	}
	if _, err := fitHomography(line[:3], line[:3]); err == nil {
		t.Error("three points")
	}
}

func FuzzParseBoard(f *testing.F) {
	for _, s := range []string{"9x6", "9X6", "3x3", "", "x", "9x", "99999x1", "9x6x3", "٩x6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, r, err := ParseBoard(s)
		if err != nil {
			return
		}
		if c2, r2, err := ParseBoard(Board{Columns: c, Rows: r}.String()); err != nil || c2 != c || r2 != r {
			t.Fatalf("%q is %d x %d and not stable: %v", s, c, r, err)
		}
	})
}
