package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Resolution is what the station can show of a small mark.
type Resolution struct {
	PxPerMM    float64 `json:"px_per_mm"`
	BlurPx     float64 `json:"blur_px"`     // standard deviation of the blur
	NoiseCodes float64 `json:"noise_codes"` // standard deviation of a pixel at mid-grey, codes of 255

	// SmallestMM is the diameter of the smallest round dot of MarkDeltaE
	// against an even sleeve that stands out of the noise in half of all
	// cases, when a clean deck of DeckCards may raise one alarm in a hundred.
	SmallestMM float64 `json:"smallest_mm"`
	MarkDeltaE float64 `json:"mark_delta_e"`
	DeckCards  int     `json:"deck_cards"`

	// LineMM is the finest pair of lines, dark and light, whose contrast the
	// blur leaves a tenth of (MTF10).
	LineMM float64 `json:"line_mm"`
}

// The mark that is asked for and the deck that it is sought in: a dot of ΔE 20
// is a soft pen's; 20 ΔE of grey are 51 of 255 codes at mid-tones.
const (
	resolutionDeltaE = 20
	resolutionCards  = 60
	resolutionRate   = 0.01
	sleeveAreaMM2    = 66 * 91
)

// ResolutionOf works out what is seen at a scale, blur and noise.
//
// A dot of diameter D, seen through a Gaussian blur of s px, is found best by
// the filter of its own shape; its signal over the noise is
//
//	c sqrt(sum of squares of its shape) / noise,  c = 51 codes
//
// (matched filter: Turin 1960). The shape is a disc of D px/mm convolved with
// the blur; the pixel's own width adds 1/12 px^2 to it. The limit is that of
// the largest of all independent places of a deck, each about 4 pi s^2 px
// large: the normal quantile that a clean deck exceeds once in a hundred.
func ResolutionOf(pxPerMM, blurPx, noiseCodes float64) (Resolution, error) {
	if !within(pxPerMM, 0.1, 1000) || !within(blurPx, 0, 100) || !(noiseCodes > 0 && noiseCodes < 255) {
		return Resolution{}, fmt.Errorf("no resolution follows from %g px/mm, a blur of %g px and a noise of %g codes", pxPerMM, blurPx, noiseCodes)
	}
	r := Resolution{PxPerMM: pxPerMM, BlurPx: blurPx, NoiseCodes: noiseCodes, MarkDeltaE: resolutionDeltaE, DeckCards: resolutionCards}
	const codes = 2.55 * resolutionDeltaE
	s := math.Sqrt(blurPx*blurPx + 1.0/12)
	places := max(1, resolutionCards*sleeveAreaMM2*pxPerMM*pxPerMM/(4*math.Pi*s*s))
	need := distuv.UnitNormal.Quantile(1 - resolutionRate/places)
	lo, hi := 0.0, 50.0 // mm
	for range 60 {
		d := (lo + hi) / 2
		if codes*math.Sqrt(discEnergy(d*pxPerMM/2, s))/noiseCodes < need {
			lo = d
		} else {
			hi = d
		}
	}
	r.SmallestMM = hi
	// A Gaussian's MTF is exp(-2 pi^2 s^2 f^2); and no camera shows lines
	// finer than two pixels.
	f := min(math.Sqrt(math.Log(10)/(2*math.Pi*math.Pi*s*s)), 0.5)
	r.LineMM = 1 / f / pxPerMM
	return r, nil
}

// discEnergy is the integral of the square of a disc of radius r px, height 1,
// seen through a Gaussian of s px: by Parseval, over spatial frequencies,
//
//	2 pi \int (r J1(2 pi r f)/f)^2 exp(-4 pi^2 s^2 f^2) f df
func discEnergy(r, s float64) float64 {
	// Beyond it the exponential is below exp(-36); and enough steps for the
	// rings of J1.
	top := 6 / (2 * math.Pi * s)
	n := 200 + int(40*r*top)
	sum := 0.0
	for i := range n {
		f := top * (float64(i) + 0.5) / float64(n)
		a := r * math.J1(2*math.Pi*r*f) / f
		sum += a * a * math.Exp(-4*math.Pi*math.Pi*s*s*f*f) * f
	}
	return 2 * math.Pi * sum * top / float64(n)
}

// Resolution is what this station can show, or why that is not known.
func (p *Profile) Resolution() (Resolution, error) {
	switch {
	case p.PxPerMM == 0:
		return Resolution{}, fmt.Errorf("the scale is not known: run fairdeck calibrate plane")
	case p.Noise == nil:
		return Resolution{}, fmt.Errorf("the noise is not known: run fairdeck calibrate flat")
	case p.Plane == nil || p.Plane.BlurPx == 0:
		return Resolution{}, fmt.Errorf("the blur is not known: run fairdeck calibrate plane with the board")
	}
	// Of the luminance, to which green gives most.
	return ResolutionOf(p.PxPerMM, p.Plane.BlurPx, max(0.29, p.Noise.SigmaCodes(1, 128))) // 0.29: rounding to codes
}

// Words says it for a judge.
func (r Resolution) Words() string {
	s := fmt.Sprintf("At this height the smallest mark seen is %.2f mm: a dot of ΔE %.0f on an even sleeve, at %.1f px/mm, with edges blurred over %.2f px and noise of %.1f codes. A print or a texture makes it larger.",
		r.SmallestMM, r.MarkDeltaE, r.PxPerMM, r.BlurPx, r.NoiseCodes)
	if r.SmallestMM > 0.5 {
		s += " Bring the camera nearer, focus it, or give it more light: marks of half a millimetre are missed."
	}
	return s
}
