package sleeve

import (
	"context"
	"fmt"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// A mark that many sleeves share is reported on each of them and on no other,
// and the majority is never called marked.
func TestSharedMarks(t *testing.T) {
	const n = 23
	for share, inks := range map[int][]uint8{2: {40}, 9: {110}, 11: {40, 110}} {
		for _, ink := range inks {
			t.Run(fmt.Sprintf("%d of %d, ink %d", share, n, ink), func(t *testing.T) {
				at := plane.Point{X: 25, Y: 18}
				marked := func(i int) bool { return i*share%n < share }
				in := plainDeck(n, func(i int, v *card.View) {
					if marked(i) {
						dot(v, at, 1.5, ink, ink, ink)
					}
				})
				res, err := Inspect(context.Background(), in, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range res.Sleeves {
					if got := s.Visibility.Rank() >= Visible.Rank(); got != marked(i) {
						t.Errorf("sleeve %d: marked %v, said %q %+v", i, marked(i), s.Visibility, s.Marks)
					}
				}
			})
		}
	}
}
