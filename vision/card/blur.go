package card

import "math"

// A card is blurred where the blur (sigma) takes away marks of half a
// millimetre and more than the pixels themselves do: small cards are coarse,
// not blurred, and PxPerMM says so.
const (
	maxBlur   = 0.45 // mm, of a card of 63 mm
	maxBlurPx = 2.5
)

// blur measures the Gaussian blur, in px, of a step that fits the mean profile
// of a side best: the least of the four sides, since frames of the print and
// shadows widen a profile. The first sharp one is enough.
func (sm *sampler) blur(sides *[4]sideCurve) float64 {
	least := math.Inf(1)
	for _, i := range [4]int{1, 0, 3, 2} {
		if least = min(least, sm.blurOf(&sides[i])); least < sharpPx {
			break
		}
	}
	return least
}

// sharpPx of blur is never too much.
const sharpPx = 1.2

func (sm *sampler) blurOf(c *sideCurve) float64 {
	_, _, length := c.frame()
	// A window of a fiftieth of the side: the seam lies further in.
	half := max(4, math.Round(length/50))
	step := half / 12
	profiles, _ := sm.bins(c, 20, -half, half, step, 3)
	if len(profiles) == 0 {
		return 0
	}
	k := len(profiles[0]) / 3
	mean := make([]float64, 3*k)
	for _, p := range profiles {
		for i, v := range p {
			mean[i] += v / float64(len(profiles))
		}
	}
	sigma, least := 0.0, math.Inf(1)
	for _, s := range []float64{0.5, 0.75, 1.1, 1.6, 2.3, 3.3, 4.7, 6.7, 9.5, 13} {
		if s > half/1.5 {
			break
		}
		m := newStepModel(k, step, s, 1.5, half)
		p := append([]float64(nil), mean...)
		r := m.residual(p)
		if r < least*0.98 {
			least, sigma = r, s
		}
	}
	return sigma
}
