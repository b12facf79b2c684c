package sleeve

import (
	"math"
	"testing"
)

// A curl is as long as it is uncurled; a blot is no line.
func TestLinePath(t *testing.T) {
	const w, h, sigma = 60, 60, 1.1
	draw := func(at func(s float64) (x, y float64), length float64) []float64 {
		v := make([]float64, w*h)
		for y := range h {
			for x := range w {
				best := math.Inf(1)
				for s := 0.0; s <= length; s += 0.25 {
					px, py := at(s)
					best = math.Min(best, math.Hypot(px-float64(x), py-float64(y)))
				}
				v[y*w+x] = math.Exp(-best * best / (2 * sigma * sigma))
			}
		}
		return v
	}
	const radius = 9.0
	arc := draw(func(s float64) (float64, float64) {
		return 30 + radius*math.Cos(s/radius), 30 + radius*math.Sin(s/radius)
	}, 40)
	if got := linePath(arc, w, strongShare, 1); math.Abs(got-40) > 6 {
		t.Errorf("an arc of 40 px is %.1f long", got)
	}
	if got := linePath(arc, w, strongShare, -1); got != 0 {
		t.Errorf("of the other sign there is nothing, yet %.1f px", got)
	}
	blot := make([]float64, w*h)
	for i := range blot {
		if math.Hypot(float64(i%w)-30, float64(i/w)-30) < 5 {
			blot[i] = 1
		}
	}
	if got := linePath(blot, w, strongShare, 1); got != 0 {
		t.Errorf("a blot is a line of %.1f px", got)
	}
}
