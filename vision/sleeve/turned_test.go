package sleeve

import (
	"math"
	"testing"
)

// A symmetric print that lies a little off is not odd; one with a small
// asymmetric part keeps it.
func TestAShiftedSymmetricPrintIsNotTurned(t *testing.T) {
	const w, h = 60, 90
	draw := func(dx, dy, odd float64) []float32 {
		p := make([]float32, w*h)
		for y := range h {
			for x := range w {
				u, v := float64(x)-(w-1)/2.0-dx, float64(y)-(h-1)/2.0-dy
				p[y*w+x] = float32(math.Cos(u/3)*math.Cos(v/4) + odd*math.Exp(-(sq(u-12)+sq(v-20))/30))
			}
		}
		norm := float32(math.Sqrt(correlation(p, p)))
		for i := range p {
			p[i] /= norm
		}
		return p
	}
	for _, c := range []struct {
		dx, dy, odd float64
		least, most float64
	}{
		{0.15, -0.1, 0, 0, 0.01},
		{0.15, -0.1, 1, 0.03, 1},
		{0, 0, 1, 0.03, 1},
	} {
		ref := draw(c.dx, c.dy, c.odd)
		if got := math.Abs(correlation(ref, oddPart(ref, w, h))); got < c.least || got > c.most {
			t.Errorf("shift (%g, %g), odd part %g: %.4f, want %g to %g", c.dx, c.dy, c.odd, got, c.least, c.most)
		}
	}
}
