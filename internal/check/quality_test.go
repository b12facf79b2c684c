package check

import (
	"math"
	"testing"
)

// The rim of a shadow beside the card goes on from the step, slowly, and is
// not the lens's blur.
func TestAShadowsRimIsNoBlur(t *testing.T) {
	const n, sigma = 121, 4.0 // samples
	for _, ramp := range []float64{0, 0.2, 0.5} {
		p := make([]float64, n)
		for i := range p {
			x := float64(i - n/2)
			p[i] = 0.5 + 0.5*math.Erf(x/(sigma*math.Sqrt2))
			if x > 0 { // light comes back over ten times the blur
				p[i] += ramp * math.Min(1, x/(10*sigma))
			}
		}
		if got := stepWidth(p) / stepSigmas; math.Abs(got-sigma) > 0.15*sigma {
			t.Errorf("beside a ramp of %g the blur is %.2f samples, want %g", ramp, got, sigma)
		}
	}
}
