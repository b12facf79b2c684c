package sleeve

import "math"

// A print that wrong corners have stretched or moved does not correlate with
// the deck's and passes for another design. Another design does not become
// the deck's by being moved and stretched back; such a print does.

const (
	// stretchMost and shiftMostMM are how far corners are wrong where a finder
	// took an inner frame, a shadow or a line of the table for a side.
	stretchMost  = 0.08
	stretchSteps = 2 // each way
	shiftMostMM  = 4.0
	// stretchedLike is the correlation from which it is the deck's print, and
	// stretchedMore how much better than as it lies.
	stretchedLike, stretchedMore = 0.6, 0.2
)

// dropStretched takes the sleeves out of the lesser designs that show the main
// one, misplaced, and returns the designs that are left.
func (d *deck) dropStretched(parts [][]int, printed []bool, main int, res *Result) ([][]int, []bool, int) {
	if len(parts) < 2 || !printed[main] {
		return parts, printed, main
	}
	t := d.plates[parts[main][0]].thumb
	ref := make([]float32, t.w*t.h)
	for _, k := range parts[main] {
		for i, v := range structure(d.plates[k].thumb, d.wMM, d.hMM) {
			ref[i] += v / float32(len(parts[main]))
		}
	}
	var keptParts [][]int
	var keptPrinted []bool
	keptMain := 0
	for j, part := range parts {
		if j == main {
			keptMain = len(keptParts)
		} else {
			stretched := make([]bool, len(part))
			_ = d.parallel(len(part), func(i int) error {
				stretched[i] = isStretched(ref, structure(d.plates[part[i]].thumb, d.wMM, d.hMM), t)
				return nil
			})
			var kept []int
			for i, k := range part {
				if stretched[i] {
					res.Sleeves[d.plates[k].input].Unusable = unplaced
				} else {
					kept = append(kept, k)
				}
			}
			if part = kept; len(part) == 0 {
				continue
			}
		}
		keptParts, keptPrinted = append(keptParts, part), append(keptPrinted, printed[j])
	}
	return keptParts, keptPrinted, keptMain
}

// isStretched reports whether structure s becomes ref's by moving and
// stretching it. Every second pixel of a structure smoothed to 1.5 mm carries
// what its neighbours do.
func isStretched(ref, s []float32, t *thumb) bool {
	var rr, ss, rs float64
	for i, v := range s {
		rr, ss, rs = rr+float64(ref[i]*ref[i]), ss+float64(v*v), rs+float64(ref[i]*v)
	}
	if rr == 0 || ss == 0 {
		return false
	}
	least := math.Max(stretchedLike, rs/math.Sqrt(rr*ss)+stretchedMore)
	most := int(math.Round(shiftMostMM * t.px))
	xs, ys := make([]int, t.w), make([]int, t.h)
	for a := -stretchSteps; a <= stretchSteps; a++ {
		stretchTo(xs, 1+stretchMost*float64(a)/stretchSteps)
		for b := -stretchSteps; b <= stretchSteps; b++ {
			stretchTo(ys, 1+stretchMost*float64(b)/stretchSteps)
			for dy := -most; dy <= most; dy += 2 {
				for dx := -most; dx <= most; dx += 2 {
					// Only where both show the sleeve's inside, where
					// structures are not zero.
					var rr, ss, rs float32
					for y := 0; y < t.h; y += 2 {
						yy := ys[y] + dy
						if yy < 0 || yy >= t.h {
							continue
						}
						for x := 0; x < t.w; x += 2 {
							xx := xs[x] + dx
							if xx < 0 || xx >= t.w {
								continue
							}
							p, q := ref[y*t.w+x], s[yy*t.w+xx]
							if p == 0 || q == 0 {
								continue
							}
							rr, ss, rs = rr+p*p, ss+q*q, rs+p*q
						}
					}
					if rs > 0 && float64(rs) > least*math.Sqrt(float64(rr)*float64(ss)) {
						return true
					}
				}
			}
		}
	}
	return false
}

// stretchTo fills in where each pixel lies when stretched about the middle.
func stretchTo(at []int, by float64) {
	middle := float64(len(at)-1) / 2
	for i := range at {
		at[i] = int(math.Round(middle + by*(float64(i)-middle)))
	}
}
