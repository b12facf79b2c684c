package reference

import (
	"context"
	"math"
)

// Variation scores a pixel by its distance from the mean of the other sleeves
// in their standard deviations, the largest of the three channels.
type Variation struct{}

var _ Method = Variation{}

// Name implements [Method].
func (Variation) Name() string { return "mean and deviation" }

// Scores implements [Method]. It needs three views: two others to have a
// deviation.
func (Variation) Scores(ctx context.Context, d Deck) ([][]float32, error) {
	w, err := d.ready(ctx, 3)
	if err != nil {
		return nil, err
	}
	n := len(w.sums)
	sum, squares := make([]uint64, 3*w.width*w.height), make([]uint64, 3*w.width*w.height)
	err = w.each(ctx, w.height, func(y int) {
		from, to := 3*y*w.width, 3*(y+1)*w.width
		s, q := sum[from:to], squares[from:to]
		for _, v := range w.sums {
			for i, p := range v[from:to] {
				s[i] += uint64(p)
				q[i] += uint64(p) * uint64(p)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	others := float64(n - 1)
	return w.score(ctx, func(view, y int, out []float32) {
		from := 3 * y * w.width
		for x := range out {
			best := 0.0
			for c := range 3 {
				i := from + 3*x + c
				p := float64(w.sums[view][i])
				mean := (float64(sum[i]) - p) / others
				variance := (float64(squares[i]) - p*p - others*mean*mean) / (others - 1)
				best = math.Max(best, math.Abs(p-mean)/math.Max(math.Sqrt(math.Max(0, variance)), w.floor))
			}
			out[x] = float32(best)
		}
	})
}
