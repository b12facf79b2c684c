package sleeve

import (
	"fmt"
	"math"
)

// smallestMarkMM is the diameter of the smallest round dot of ΔE 20 that
// would be listed on half of the places of the sleeve, from the deck's own
// noise and limits. A disc of diameter D and contrast c codes, blurred by the
// camera (standard deviation cameraBlurPx), gives the finest filter about
//
//	c (1 - exp(-D^2 px^2 / 8 s^2)),  s^2 = blur^2 + 1/2
//
// (a disc seen through a Gaussian of variance s^2; 1/2 is the binomial's), and
// each coarser one the same with its own scale.
func (d *deck) smallestMarkMM(b *filterBank) float64 {
	// ΔE 20 is 20 L* for grey: in codes 255/100 of that at mid-tones.
	const codes = 2.55 * 20
	var inv, n float64
	for i := 0; i < len(b.mask); i += 13 {
		if b.mask[i] != 0 {
			inv += float64(b.inv[1][i])
			n++
		}
	}
	if n == 0 {
		return 0
	}
	z := codes * inv / n
	best := math.Inf(1)
	for l, s := range b.layers {
		limit := b.limit[b.blobFilter(l, true)]
		if math.IsInf(limit, 0) || !(limit > 0) {
			continue
		}
		limit *= medianOf(b.place[l])
		// The whitened response to a change of all three channels alike.
		w := b.white[l]
		g := math.Sqrt(sq(w[0]) + sq(w[1]+w[2]) + sq(w[3]+w[4]+w[5]))
		// The peak response asked for, in units of z.
		need := math.Sqrt(limit) / g / z
		if need >= 0.9 {
			continue
		}
		v := sq(cameraBlurPx) + 0.5*sq(s.step)
		best = math.Min(best, math.Sqrt(-8*v*math.Log(1-need))/d.px)
	}
	if math.IsInf(best, 0) {
		return 0
	}
	return best
}

// warnQuality tells what the pictures cannot show.
func (d *deck) warnQuality(res *Result) {
	if n := len(d.plates); n < thinBasis {
		res.Warnings = append(res.Warnings, Warning{Code: "few-sleeves", Text: fmt.Sprintf(
			"only %d sleeves to compare: a mark that two of them share may look like the usual sleeve. Show at least %d.", n, thinBasis)})
	}
	// Below this a pen dot of half a millimetre covers a single pixel.
	const least = 4.5
	if d.source > 0 && d.source < least {
		res.Warnings = append(res.Warnings, Warning{Code: "coarse", Text: fmt.Sprintf(
			"the pictures have %.1f px/mm; marks under about %.1f mm need %.0f. Bring the camera nearer or use a higher resolution.", d.source, 3/d.source, 6.0)})
	}
}

// thinBasis is the least number of sleeves that a consensus rests on well: a
// mark on two of them is then still a clear minority.
const thinBasis = 6
