package sleeve

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// A mark too faint for any single sleeve is found where a third of the deck
// shares it, and the deck is said to fall in two; a deck without it is not.
func TestAFaintSharedMarkDividesTheDeck(t *testing.T) {
	const n = 30
	has := func(i int) bool { return i%5 < 2 }
	at := plane.Point{X: 15, Y: 22}
	for _, share := range []bool{true, false} {
		in := plainDeck(n, func(i int, v *card.View) {
			if share && has(i) {
				// 8 codes below the ground, four times the noise, 4 px wide.
				dot(v, at, 1, 142, 72, 52)
			}
		})
		res, err := Inspect(context.Background(), in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		warned := false
		for _, w := range res.Warnings {
			warned = warned || w.Code == "shared-mark" && strings.Contains(w.Text, "12 sleeves")
		}
		if warned != share {
			t.Errorf("shared %v: warnings %v", share, res.Warnings)
		}
		for i, s := range res.Sleeves {
			marked := slices.ContainsFunc(s.Marks, func(m Mark) bool { return m.CentreMM.Sub(at).Norm() < 1 })
			if marked != (share && has(i)) {
				t.Errorf("shared %v: sleeve %d is said to be marked there: %v", share, i, marked)
			}
		}
	}
}
