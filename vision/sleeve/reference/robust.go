package reference

import (
	"context"
	"math"
	"slices"
)

// Robust scores a pixel by its distance from the deck's median in median
// absolute deviations (scaled to a standard deviation), the largest of the
// three channels. A mark that many sleeves share widens the deviation at its
// own place, and from half the deck on becomes the median.
type Robust struct{}

var _ Method = Robust{}

// madToSigma makes the median absolute deviation of normal noise its standard
// deviation: 1/Phi^-1(3/4).
const madToSigma = 1.4826

// Name implements [Method].
func (Robust) Name() string { return "median and MAD" }

// Scores implements [Method]. It needs three views.
func (Robust) Scores(ctx context.Context, d Deck) ([][]float32, error) {
	w, err := d.ready(ctx, 3)
	if err != nil {
		return nil, err
	}
	size := 3 * w.width * w.height
	mid, spread := make([]float32, size), make([]float32, size)
	err = w.each(ctx, w.height, func(y int) {
		values := make([]uint16, len(w.sums))
		for i := 3 * y * w.width; i < 3*(y+1)*w.width; i++ {
			for k, v := range w.sums {
				values[k] = v[i]
			}
			m := median(values)
			for k := range values {
				values[k] = uint16(math.Abs(2*float64(values[k]) - m)) // halves stay whole
			}
			mid[i] = float32(m / 2)
			spread[i] = float32(math.Max(madToSigma*median(values)/4, w.floor))
		}
	})
	if err != nil {
		return nil, err
	}
	return w.score(ctx, func(view, y int, out []float32) {
		from := 3 * y * w.width
		for x := range out {
			best := float32(0)
			for c := range 3 {
				i := from + 3*x + c
				v := float32(w.sums[view][i]) - mid[i]
				best = max(best, max(v, -v)/spread[i])
			}
			out[x] = best
		}
	})
}

// median returns twice the median and sorts v.
func median(v []uint16) float64 {
	slices.Sort(v)
	return float64(v[(len(v)-1)/2]) + float64(v[len(v)/2])
}
