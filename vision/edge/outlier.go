package edge

import (
	"fmt"
	"math"
	"sort"

	"fairdeck/vision/sleeve"
)

func warning(code, text string) sleeve.Warning { return sleeve.Warning{Code: code, Text: text} }

// What an eye sees at a squared deck held at arm's length: 0.3 mm is about
// three quarters of a minute of arc at 400 mm, where steps begin to show; a
// millimetre is plain. For colour, ΔE2000 of 3 shows side by side and 10 at a
// glance.
const (
	visibleMM, obviousMM         = 0.3, 0.8
	visibleDeltaE, obviousDeltaE = 3.0, 10.0
)

// outliers tests every layer for every kind against the stack's own scatter.
//
// The rate is for the whole side: with n layers and five kinds each test has
// the rate divided by their number (Bonferroni). The stack's scatter has
// heavier tails than a Gaussian, so p-values are those of Student's t with thirty
// degrees of freedom.
func (w *seen) outliers(pitch, local, bow []float64) {
	s := w.side
	n := len(s.Layers)
	const kinds = 5
	if n < 12 {
		s.Warnings = append(s.Warnings, warning("too_few_to_compare", "fewer than 12 layers are too few to say what is usual in this deck"))
		return
	}
	mm := 0.0
	if s.PxPerMM > 0 {
		mm = 1 / s.PxPerMM
	}
	de := make([]float64, n)
	for i, l := range s.Layers {
		de[i] = l.DeltaE
	}
	medE, sdE := median(de), max(0.3, spreadOf(de))
	room := make([]float64, n)
	for i := range room {
		room[i] = pitch[i] - local[i]
	}
	zr, zb := standard(room), make([]float64, n)
	// Half a pixel is what the tracing itself may bend a line.
	for i := range zb {
		zb[i] = bow[i] / max(0.5, spreadOf(bow))
	}
	addSeen := func(i int, k Kind, amount, seen float64, unit string, z float64, vis, obv float64, text string) {
		p := min(1, 2*studentTail(z, 30)*float64(n*kinds))
		if p > w.opt.FalseAlarmRate {
			return
		}
		v := sleeve.CameraOnly
		switch {
		case seen >= obv:
			v = sleeve.Obvious
		case seen >= vis:
			v = sleeve.Visible
		}
		s.Outliers = append(s.Outliers, Outlier{Layer: i + 1, Kind: k, Amount: amount, Unit: unit, Sigma: z, PValue: p, Visibility: v, Text: text})
	}
	add := func(i int, k Kind, amount float64, unit string, z float64, vis, obv float64, text string) {
		addSeen(i, k, amount, amount, unit, z, vis, obv, text)
	}
	for i := range s.Layers {
		l := &s.Layers[i]
		l.score.colour = (de[i] - medE) / sdE
		l.score.gap, l.score.warp = zr[i], zb[i]
		// Below a gap more of a sheet's face is seen: neither its colour nor
		// its width is its own. The first line is one with the face above it.
		belowGap := i > 0 && room[i-1] > 0.4*local[i-1]
		if i > 0 && !l.shaded {
			add(i, OtherColour, l.DeltaE, "ΔE", l.score.colour, visibleDeltaE, obviousDeltaE,
				fmt.Sprintf("layer %d has another edge colour than its neighbours (ΔE %.1f)", i+1, l.DeltaE))
		}
		if i > 0 && !belowGap && l.hueDeltaE < 3 {
			// A person sees the sheet or its shadow, whichever is plainer.
			seen := max(l.ProtrusionMM, visibleMM*l.shadow/visibleDeltaE*0.99)
			text := fmt.Sprintf("layer %d sticks out by about %.1f mm", i+1, max(0.1, l.ProtrusionMM))
			if l.shadow > 0 && l.ProtrusionMM < l.ProtrusionSigma {
				text = fmt.Sprintf("layer %d sticks out: it throws a shadow on the one below", i+1)
			}
			addSeen(i, Protrudes, max(0, l.ProtrusionMM), seen, "mm", l.score.protrusion, visibleMM, obviousMM, text)
		}
		if b := math.Abs(bow[i]); b > 1.5 {
			add(i, Warped, b*mm, "mm", math.Abs(zb[i]), visibleMM, obviousMM,
				fmt.Sprintf("layer %d is bent: its ends lie %.1f mm off its middle against its neighbours", i+1, b*mm))
		}
		if i+1 < n && room[i] > 0.4*local[i] {
			add(i, Gap, room[i]*mm, "mm", zr[i], visibleMM, obviousMM,
				fmt.Sprintf("below layer %d there is a gap of %.1f mm", i+1, room[i]*mm))
		}
	}
	sort.SliceStable(s.Outliers, func(a, b int) bool {
		if s.Outliers[a].Layer != s.Outliers[b].Layer {
			return s.Outliers[a].Layer < s.Outliers[b].Layer
		}
		return s.Outliers[a].PValue < s.Outliers[b].PValue
	})
}

// studentTail is the upper tail of Student's t with an even number of degrees
// of freedom, by its finite series (Abramowitz & Stegun 1964, 26.7.4).
func studentTail(t float64, dof int) float64 {
	if t <= 0 {
		return 0.5
	}
	theta := math.Atan(t / math.Sqrt(float64(dof)))
	c2 := math.Cos(theta) * math.Cos(theta)
	term, sum := 1.0, 1.0
	for k := 1; 2*k <= dof-2; k++ {
		term *= c2 * float64(2*k-1) / float64(2*k)
		sum += term
	}
	return (1 - math.Sin(theta)*sum) / 2
}
