package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

const (
	goodMean    = 0.70 // mean support of a card's sides
	goodWeakest = 0.40 // support of its worst side

	// maxOverlap is the part of the smaller card that two cards may share:
	// their corners are known to a few per cent of a side.
	maxOverlap = 0.08

	// sameScale is how far the square roots of the areas of cards of one deck
	// may lie apart: 15 degrees of tilt over a wide frame make 8%.
	sameScale = 1.05
)

func (h *hypothesis) good() bool { return h.score >= goodMean && h.weakest >= goodWeakest }

// value orders hypotheses: support, less what the shape gives away.
func (h *hypothesis) value() float64 {
	return max(0, 0.7*h.score+0.3*h.weakest-0.08*h.misfit)
}

// A candidate is a good hypothesis with what the choice needs.
type candidate struct {
	*hypothesis
	area, side float64 // px^2; px, the square root of it
	weight     float64 // area times squared value
	lo, hi     plane.Point
}

func newCandidate(h *hypothesis) candidate {
	c := candidate{hypothesis: h, area: h.quad.Area()}
	c.side = math.Sqrt(c.area)
	c.weight = c.area * h.value() * h.value()
	c.lo, c.hi = h.quad[0], h.quad[0]
	for _, p := range h.quad {
		c.lo = plane.Point{X: min(c.lo.X, p.X), Y: min(c.lo.Y, p.Y)}
		c.hi = plane.Point{X: max(c.hi.X, p.X), Y: max(c.hi.Y, p.Y)}
	}
	return c
}

func (c *candidate) clashes(d *candidate) bool {
	if c.hi.X < d.lo.X || d.hi.X < c.lo.X || c.hi.Y < d.lo.Y || d.hi.Y < c.lo.Y {
		return false
	}
	return c.quad.Overlap(d.quad) > maxOverlap*min(c.area, d.area)
}

// choose settles which of the overlapping hypotheses are cards.
//
// Every printed frame within a sleeve, every block of touching cards and
// many a pair of neighbouring lines make rectangles of a card's shape. What
// tells them apart is that the cards of one frame have one size. So the
// hypotheses are grouped by size, each group lays out as many cards as it can
// without overlap, and the group that explains the most area of the frame
// with the best support wins: sleeves win over their inner frames by area,
// single cards over blocks because more of the grid is explained, over
// enlarged cards because those get into each other's way.
func choose(hs []hypothesis) []hypothesis {
	var all []candidate
	for i := range hs {
		if hs[i].good() {
			all = append(all, newCandidate(&hs[i]))
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	var best []int
	bestSum := 0.0
	// A group is what lies within the scale of its seed.
	for i := range all {
		var group []int
		for j := range all {
			if r := all[j].side / all[i].side; r < sameScale && r > 1/sameScale {
				group = append(group, j)
			}
		}
		set, sum := layOut(all, group)
		if sum > bestSum {
			best, bestSum = set, sum
		}
	}
	// Cards of another size beside the deck's: all where the first group is a
	// single card, else those that may be cards in other sleeves.
	for j := range all {
		c := &all[j]
		ratio := 1.0
		if len(best) > 0 {
			ratio = c.side / all[best[0]].side
		}
		if len(best) >= 2 && (ratio > 1.2 || ratio < 1/1.2) {
			continue
		}
		if free(all, best, c) {
			best = append(best, j)
		}
	}
	out := make([]hypothesis, 0, len(best))
	for _, j := range best {
		out = append(out, *all[j].hypothesis)
	}
	return out
}

func free(all []candidate, set []int, c *candidate) bool {
	for _, k := range set {
		if all[k].clashes(c) {
			return false
		}
	}
	return true
}

// layOut picks non-overlapping members of a group, heaviest first, and then
// swaps while a swap gains.
func layOut(all []candidate, group []int) ([]int, float64) {
	var set []int
	for _, j := range group {
		if free(all, set, &all[j]) {
			set = append(set, j)
		}
	}
	for range 3 {
		changed := false
		for _, j := range group {
			if slices.Contains(set, j) {
				continue
			}
			lost := 0.0
			var keep []int
			for _, k := range set {
				if all[k].clashes(&all[j]) {
					lost += all[k].weight
				} else {
					keep = append(keep, k)
				}
			}
			if all[j].weight > lost*(1+1e-9) {
				set, changed = append(keep, j), true
			}
		}
		if !changed {
			break
		}
	}
	sum := 0.0
	for _, j := range set {
		sum += all[j].weight
	}
	return set, sum
}
