package sleeve

import (
	"math"
	"slices"
)

// Another design altogether is found before anything is averaged: the
// band-passed structure of each sleeve is correlated with the deck's, and
// sleeves that do not follow it, or that have far more or less structure than
// the deck, are set apart and compared among themselves.

// designs divides the oriented plates by design, the densest first, and says
// which of them have a print to register by. The weld of a plain sleeve and
// the edge of the card pressing through are no print: they lie elsewhere on
// each sleeve.
func (d *deck) designs() (parts [][]int, printed []bool) {
	rest := make([]int, len(d.plates))
	for i := range rest {
		rest[i] = i
	}
	// A deck of more than eight designs is no deck; the rest stays together.
	for range 8 {
		same, other, print := d.sameDesign(rest)
		parts, printed = append(parts, same), append(printed, print)
		if rest = other; len(rest) == 0 {
			break
		}
	}
	if len(rest) > 0 {
		parts, printed = append(parts, rest), append(printed, false)
	}
	return parts, printed
}

// sameDesign picks the sleeves of the densest design among the given.
func (d *deck) sameDesign(in []int) (same, other []int, printed bool) {
	if len(in) < 3 {
		return in, nil, false
	}
	s := make([][]float32, len(in))
	for i, k := range in {
		s[i] = structure(d.plates[k].thumb, d.wMM, d.hMM)
	}
	// The medoid: the sleeve that correlates best with the deck on the whole
	// stands for the densest design, whatever its share.
	corr := make([][]float64, len(in))
	for i := range corr {
		corr[i] = make([]float64, len(in))
		corr[i][i] = 1
	}
	_ = d.parallel(len(in), func(i int) error {
		for j := range i {
			corr[i][j] = correlation(s[i], s[j])
		}
		return nil
	})
	best, bestSum := 0, math.Inf(-1)
	for i := range in {
		sum := 0.0
		for j := range in {
			c := corr[max(i, j)][min(i, j)]
			// Correlation counts only where it is one.
			sum += math.Max(c, 0) * math.Max(c, 0)
		}
		if sum > bestSum {
			best, bestSum = i, sum
		}
	}
	// Structure that sleeves share with the medoid. The upper quartile stands
	// for the design itself: at least a quarter of the sleeves have it.
	like := make([]float64, 0, len(in))
	for i := range in {
		if i != best {
			like = append(like, corr[max(i, best)][min(i, best)])
		}
	}
	sorted := slices.Clone(like)
	slices.Sort(sorted)
	typical := quantileSorted(sorted, 0.75)
	const (
		// Below this the sleeves have no design to compare: plain ones.
		designed = 0.3
		// Below this what they share may be the weld and the card pressing
		// through, which half of a plain deck shows: no ground to call a
		// sleeve another design.
		sure = 0.6
		// Views of one design correlate alike within a third; glare and a
		// mark take some.
		follows = 0.5
	)
	if typical < designed {
		return in, nil, false
	}
	if typical < sure {
		return in, nil, true
	}
	for i, k := range in {
		if i == best || corr[max(i, best)][min(i, best)] > follows*typical {
			same = append(same, k)
		} else {
			other = append(other, k)
		}
	}
	return same, other, true
}
