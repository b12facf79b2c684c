package card

import (
	"cmp"
	"slices"
)

const (
	goodMean    = 0.72 // mean support of a card's sides
	goodWeakest = 0.45 // support of its worst side
)

func (h *hypothesis) good() bool { return h.score >= goodMean && h.weakest >= goodWeakest }

// value orders hypotheses: support, less what the shape gives away.
func (h *hypothesis) value() float64 { return 0.7*h.score + 0.3*h.weakest - 0.08*h.misfit }

// choose settles which of the overlapping hypotheses are cards.
//
// Of two nested ones the outer is the sleeve and the inner its printed frame,
// unless the outer is clearly worse supported (a line of the table, a
// shadow). A rectangle that smaller ones tile is a block of touching cards.
func choose(hs []hypothesis) []hypothesis {
	var good []hypothesis
	for _, h := range hs {
		if h.good() {
			good = append(good, h)
		}
	}
	slices.SortStableFunc(good, func(a, b hypothesis) int { return cmp.Compare(b.value(), a.value()) })
	dead := make([]bool, len(good))
	const margin = 0.12
	for i := range good {
		a := &good[i]
		area := a.quad.Area()
		tiles := 0.0
		var used []*hypothesis
		for j := range good {
			b := &good[j]
			if i == j {
				continue
			}
			shared := a.quad.Overlap(b.quad)
			ab := b.quad.Area()
			if shared > 0.93*ab && ab < 0.62*area && b.value() > a.value()-0.1 {
				free := true
				for _, u := range used {
					if u.quad.Overlap(b.quad) > 0.06*ab {
						free = false
						break
					}
				}
				if free {
					used = append(used, b)
					tiles += ab
				}
			}
			if dead[i] {
				continue
			}
			// b within a, or a within b, and nearly as large.
			if shared > 0.95*area && area < ab && b.value() > a.value()-margin {
				dead[i] = true
			}
		}
		if len(used) >= 2 && tiles > 0.8*area {
			dead[i] = true
		}
	}
	var out []hypothesis
	for i := range good {
		if dead[i] {
			continue
		}
		free := true
		for _, o := range out {
			if o.quad.Overlap(good[i].quad) > 0.08*min(o.quad.Area(), good[i].quad.Area()) {
				free = false
				break
			}
		}
		if free {
			out = append(out, good[i])
		}
	}
	return out
}
