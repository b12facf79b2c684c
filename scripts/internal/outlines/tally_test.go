package main

import (
	"math"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// A side moved outward is measured as that side, whichever half turn the
// finder gave the card.
func TestCompareNamesTheSide(t *testing.T) {
	truth := plane.Rect(100, 100, 330, 455)
	moved := truth
	moved[1].X += 6 // the right side
	moved[2].X += 6
	for turn := 0; turn < 4; turn += 2 {
		m, ok := compare(card.Detection{Corners: moved.Turn(turn), SigmaPx: [4]float64{1, 1, 1, 1}}, truth)
		if !ok || !m.wrong() {
			t.Fatalf("turn %d: %v, wrong %v", turn, ok, m.wrong())
		}
		for i, want := range [4]float64{0, 6, 0, 0} {
			if math.Abs(m.sides[i].outPx-want) > 1e-9 {
				t.Errorf("turn %d, side %d: %g px out, want %g", turn, i, m.sides[i].outPx, want)
			}
		}
	}
	if _, ok := compare(card.Detection{Corners: plane.Rect(600, 100, 330, 455)}, truth); ok {
		t.Error("a card elsewhere is the same card")
	}
}

func TestAUROC(t *testing.T) {
	for _, c := range []struct {
		scores []scored
		want   float64
	}{
		{[]scored{{1, false}, {2, false}, {3, true}}, 1},
		{[]scored{{3, false}, {2, false}, {1, true}}, 0},
		{[]scored{{1, false}, {2, true}, {3, false}, {4, true}}, 0.75},
	} {
		if got := auroc(c.scores); got != c.want {
			t.Errorf("%v: %g, want %g", c.scores, got, c.want)
		}
	}
}
