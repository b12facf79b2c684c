package reference

import (
	"context"
	"fmt"
	"math"
)

// GoldenCard scores a pixel by its distance, in 8-bit codes over the three
// channels, from the same pixel of one card. The golden card itself is
// compared with the first of the others.
type GoldenCard struct{ Index int }

var _ Method = GoldenCard{}

// Name implements [Method].
func (GoldenCard) Name() string { return "golden card" }

// Scores implements [Method]. It needs two views.
func (g GoldenCard) Scores(ctx context.Context, d Deck) ([][]float32, error) {
	w, err := d.ready(ctx, 2)
	if err != nil {
		return nil, err
	}
	if g.Index < 0 || g.Index >= len(w.sums) {
		return nil, fmt.Errorf("reference: golden card %d of %d", g.Index, len(w.sums))
	}
	return w.score(ctx, func(view, y int, out []float32) {
		golden := g.Index
		if view == golden {
			golden = (golden + 1) % len(w.sums)
		}
		from := 3 * y * w.width
		a, b := w.sums[view][from:], w.sums[golden][from:]
		for x := range out {
			sum := 0.0
			for c := range 3 {
				v := float64(a[3*x+c]) - float64(b[3*x+c])
				sum += v * v
			}
			out[x] = float32(math.Sqrt(sum) / ninths)
		}
	})
}
