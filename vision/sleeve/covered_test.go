package sleeve

import (
	"context"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// bar paints a rectangle of one colour.
func bar(v *card.View, from, to plane.Point, b, g, r uint8) {
	for y := range v.Image.Height {
		for x := range v.Image.Width {
			p := v.MM(plane.Point{X: float64(x), Y: float64(y)})
			if p.X >= from.X && p.X <= to.X && p.Y >= from.Y && p.Y <= to.Y {
				v.Image.SetBGR(x, y, b, g, r)
			}
		}
	}
}

func TestWhatLiesAcrossTheEdgeCoversTheSleeve(t *testing.T) {
	const finger, wear = 4, 9
	in := plainDeck(14, func(i int, v *card.View) {
		switch i {
		case finger: // from the table onto the sleeve
			bar(v, plane.Point{X: -3, Y: 20}, plane.Point{X: 9, Y: 30}, 105, 130, 190)
		case wear: // the same patch, on the sleeve alone
			bar(v, plane.Point{X: 0.2, Y: 20}, plane.Point{X: 9, Y: 30}, 105, 130, 190)
		}
	})
	res, err := Inspect(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := res.Sleeves[finger]
	if s.Visibility.Rank() >= Visible.Rank() {
		t.Errorf("a finger is a mark: %+v", s.Marks)
	}
	area := 0.0
	for _, a := range s.NotInspected {
		if a.Reason == "covered" {
			area += a.Fraction
		}
	}
	// 9 x 10 mm of 40 x 56.
	if area < 0.03 || area > 0.06 {
		t.Errorf("%.3f of the sleeve is said to be covered, want 0.04: %+v", area, s.NotInspected)
	}
	found := false
	for _, w := range res.Warnings {
		found = found || w.Code == "not-inspected-covered"
	}
	if !found {
		t.Errorf("no remedy is named: %v", res.Warnings)
	}
	if s := res.Sleeves[wear]; s.Visibility.Rank() < Visible.Rank() {
		t.Errorf("a patch that ends at the edge is a mark, not a cover: %+v", s)
	}
}
