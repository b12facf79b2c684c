package check

import (
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// minPxPerMM is the coarsest picture that is judged. At 3 px/mm a mark of 1
// mm, obvious on a plain sleeve, is three pixels wide: about the least that
// can be told from noise and from the pattern of a print.
const minPxPerMM = 3

// maxBlurMM is the strongest blur (standard deviation) that is judged: it
// spreads a 0.5 mm dot to about twice its size and a third of its contrast.
const maxBlurMM = 0.35

// tooPoor says why a card that was found is not good enough to compare, or
// nothing.
func tooPoor(f found) string {
	switch {
	case f.PxPerMM < minPxPerMM:
		return fmt.Sprintf("too coarse: %.1f pixels a millimetre, at least %d are needed (bring the camera nearer, or use its full resolution)", f.PxPerMM, minPxPerMM)
	case f.blurMM > maxBlurMM:
		return fmt.Sprintf("blurred: edges are smeared over %.1f mm (clean the lens, focus on the card, hold still)", 2*f.blurMM)
	}
	return ""
}

// edgeBlur estimates how blurred a picture is from the card's own rim, which
// is a sharp step in the scene: the standard deviation in pixels of the blur,
// or NaN where no side has contrast enough to tell. quad is in pixels of img.
//
// Many short pieces of the four sides give one edge profile each; of its steep
// part the 20% and 80% points lie 1.58 standard deviations apart if the blur is
// Gaussian. A shadow or a bevel widens some pieces, nothing narrows them, so
// the sharper quarter of the pieces speaks for the picture.
func edgeBlur(img *frame.Image, quad plane.Quad) float64 {
	const pieces = 12 // per side, 3 to 5 mm long
	side := quad.Sides()
	reach := max(6, 0.02*(side[0]+side[1]+side[2]+side[3])/4) // px: about 1.5 mm
	n := 4*int(reach) + 1                                     // half-pixel steps either side
	var widths []float64
	lin := colour.LinearTable()
	for i := range quad {
		a, b := quad[i], quad[(i+1)%4]
		along := b.Sub(a)
		out := plane.Point{X: along.Y, Y: -along.X}.Mul(1 / along.Norm())
		for p := range pieces {
			profile := make([]float64, n)
			const lines = 5 // averaged, against noise
			inside := true
			for k := range lines {
				// The corners are round and worn: keep to the middle.
				t := 0.12 + 0.76*(float64(p)+float64(k)/lines)/pieces
				at := a.Add(along.Mul(t))
				for j := range profile {
					q := at.Add(out.Mul((float64(j)/float64(n-1)*2 - 1) * reach))
					v, ok := luminance(img, lin, q)
					inside = inside && ok
					profile[j] += v / lines
				}
			}
			if !inside {
				continue
			}
			if w := stepWidth(profile); !math.IsNaN(w) {
				widths = append(widths, w*2*reach/float64(n-1))
			}
		}
	}
	if len(widths) < pieces/2 {
		return math.NaN()
	}
	slices.Sort(widths)
	return widths[len(widths)/4] / stepSigmas
}

const (
	// stepSlope: a step's steep part has at least this share of its largest
	// slope. What goes on beyond it, more slowly, is a shadow's rim beside the
	// card or its bevel, not the lens.
	stepSlope = 0.15
	// stepSigmas is the distance of the 20% and 80% points of a Gaussian's
	// steep part in standard deviations. Its slope falls to stepSlope at 1.95,
	// between 2.6% and 97.4% of the step; 20% of that lies at -0.79.
	stepSigmas = 1.575
)

// stepWidth is the distance between the 20% and the 80% point of the steep
// part of the steepest step, in samples; NaN when the step is too faint to
// measure.
func stepWidth(p []float64) float64 {
	// The step is where the profile is steepest; its two levels are the
	// extremes that it runs between without turning round.
	steep, at := 0.0, 0
	for i := 1; i < len(p); i++ {
		if d := math.Abs(p[i] - p[i-1]); d > steep {
			steep, at = d, i
		}
	}
	if steep == 0 {
		return math.NaN()
	}
	up := p[at] > p[at-1]
	lo, hi := at-1, at
	least := stepSlope * steep
	goesOn := func(a, b float64) bool { return (b > a) == up && math.Abs(b-a) >= least }
	for lo > 0 && goesOn(p[lo-1], p[lo]) {
		lo--
	}
	for hi < len(p)-1 && goesOn(p[hi], p[hi+1]) {
		hi++
	}
	height := math.Abs(p[hi] - p[lo])
	// Of full white: three times what noise of 2% leaves in a mean of five.
	if height < 0.03 {
		return math.NaN()
	}
	cross := func(share float64) float64 {
		level := p[lo] + share*(p[hi]-p[lo])
		for i := lo; i < hi; i++ {
			if (p[i] <= level) == (level <= p[i+1]) && p[i] != p[i+1] {
				return float64(i) + (level-p[i])/(p[i+1]-p[i])
			}
		}
		return float64(hi)
	}
	return cross(0.8) - cross(0.2)
}

// luminance is the light (0 to 1, Rec. 709 weights) at a place, bilinear.
func luminance(img *frame.Image, lin *[256]float64, p plane.Point) (float64, bool) {
	x, y := int(math.Floor(p.X)), int(math.Floor(p.Y))
	if x < 0 || y < 0 || x+1 >= img.Width || y+1 >= img.Height {
		return 0, false
	}
	fx, fy := p.X-float64(x), p.Y-float64(y)
	light := func(x, y int) float64 {
		b, g, r := img.BGR(x, y)
		return 0.0722*lin[b] + 0.7152*lin[g] + 0.2126*lin[r]
	}
	top := light(x, y)*(1-fx) + light(x+1, y)*fx
	bottom := light(x, y+1)*(1-fx) + light(x+1, y+1)*fx
	return top*(1-fy) + bottom*fy, true
}
