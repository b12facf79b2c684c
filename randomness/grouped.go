package randomness

import (
	"math"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

// groupedStart prepares the exact likelihood for a deck whose copies lay together before, as in a
// sorted deck. It returns nil when they did not, when every card is distinct (the law of rising
// sequences is exact then), or when a card was not read.
func groupedStart(before, after []uint8) (*theory.Grouped, [][]int) {
	var faces []uint8
	var counts []int
	seen := map[uint8]int{}
	for i, c := range before {
		if c == battery.Unread {
			return nil, nil
		}
		if i > 0 && before[i-1] == c {
			counts[len(counts)-1]++
			continue
		}
		if _, again := seen[c]; again {
			return nil, nil
		}
		seen[c] = len(faces)
		faces = append(faces, c)
		counts = append(counts, 1)
	}
	if len(faces) == len(before) {
		return nil, nil
	}
	places := make([][]int, len(faces))
	for p, c := range after {
		t, ok := seen[c]
		if !ok {
			return nil, nil
		}
		places[t] = append(places[t], p)
	}
	g, err := theory.NewGrouped(counts)
	if err != nil {
		return nil, nil // cannot happen: every count is at least one
	}
	for t, m := range counts {
		if len(places[t]) != m {
			return nil, nil // a misread card
		}
	}
	return g, places
}

// groupedLikelihood gives the most likely number of riffles, and the average likelihood ratio of
// one to six riffles against a random order.
func groupedLikelihood(g *theory.Grouped, places [][]int) (best int, evidence float64, err error) {
	shares, err := g.RisingShares(places)
	if err != nil {
		return 0, 0, err
	}
	top := math.Inf(-1)
	const most = 6 // as riffleEvidence
	for k := 0; k <= theory.MaxEstimate; k++ {
		l := theory.LogLRFromShares(shares, math.Exp2(float64(k)))
		if l > top {
			top, best = l, k
		}
		if k >= 1 && k <= most {
			evidence += math.Exp(l) / most
		}
	}
	return best, evidence, nil
}
