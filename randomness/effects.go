package randomness

import (
	"math"
	"slices"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
	"github.com/montanaflynn/stats"
	"gonum.org/v1/gonum/stat"
)

// Effects are sizes, not tests: how far the order is from what it was. Correlations compare places
// before and after; copies are matched in order (the first copy before with the first copy after).
type Effects struct {
	Spearman        float64 `json:"spearman"`         // rank correlation, -1..1; 0 after a fair shuffle
	Kendall         float64 `json:"kendall"`          // share of pairs in the old sequence minus share turned over, -1..1
	Footrule        float64 `json:"footrule"`         // mean number of places a card moved; about n/3 after a fair shuffle
	CutFootrule     float64 `json:"cut_footrule"`     // the same after undoing the best cut; about n/4
	BestCut         int     `json:"best_cut"`         // the cut undone: so many cards went from the bottom to the top
	RisingSequences int     `json:"rising_sequences"` // with copies the smallest number over assignments found by a greedy walk
	CyclicDescents  int     `json:"cyclic_descents"`  // not changed by a cut
	KeptNeighbours  int     `json:"kept_neighbours"`
	LongestBlock    int     `json:"longest_block"` // cards
}

// effects measures a pair in codes. It returns the zero value without an order before.
func effects(before, after []uint8) Effects {
	if before == nil {
		return Effects{}
	}
	n := len(after)
	pos := matchInOrder(before, after)
	var x, y []float64
	for i, p := range pos {
		if p >= 0 {
			x = append(x, float64(i))
			y = append(y, float64(p))
		}
	}
	var e Effects
	if len(x) < 2 {
		return e
	}
	if r, err := stats.Correlation(ranks(x), ranks(y)); err == nil && !math.IsNaN(r) {
		e.Spearman = r
	}
	e.Kendall = stat.Kendall(x, y, nil)
	moved := func(cut int) float64 {
		d := make([]float64, len(x))
		for i := range x {
			back := (int(y[i]) - cut + n) % n
			d[i] = math.Abs(float64(back) - x[i])
		}
		m, err := stats.Mean(d)
		if err != nil {
			return 0
		}
		return m
	}
	e.Footrule = moved(0)
	e.CutFootrule = e.Footrule
	for cut := 1; cut < n; cut++ {
		if f := moved(cut); f < e.CutFootrule {
			e.CutFootrule, e.BestCut = f, cut
		}
	}
	e.RisingSequences = greedyRising(before, after)
	compact := make([]int, 0, len(pos))
	for _, p := range pos {
		if p >= 0 {
			compact = append(compact, p)
		}
	}
	e.CyclicDescents = theory.CyclicDescents(compact)
	e.KeptNeighbours, e.LongestBlock = kept(before, after)
	return e
}

// ranks replaces values by their ranks; there are no ties.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if v[a] < v[b] {
			return -1
		}
		return 1
	})
	r := make([]float64, len(v))
	for k, i := range order {
		r[i] = float64(k)
	}
	return r
}

// matchInOrder gives each card before its place after, copies in order, -1 where the card was not read.
func matchInOrder(before, after []uint8) []int {
	places := map[uint8][]int{}
	for p, c := range after {
		if c != battery.Unread {
			places[c] = append(places[c], p)
		}
	}
	pos := make([]int, len(before))
	for i, c := range before {
		pos[i] = -1
		if l := places[c]; len(l) > 0 && c != battery.Unread {
			pos[i], places[c] = l[0], l[1:]
		}
	}
	return pos
}

// greedyRising counts how many times one has to run through the order after to collect the order
// before, always taking the next free copy below. With distinct cards this is the number of rising
// sequences; with copies it is an upper bound on the smallest number.
func greedyRising(before, after []uint8) int {
	used := make([]bool, len(after))
	at, r := -1, 1
	found := false
	for _, c := range before {
		if c == battery.Unread {
			continue
		}
		next, wrap := -1, -1
		for p, d := range after {
			if d != c || used[p] {
				continue
			}
			if p > at {
				next = p
				break
			}
			if wrap < 0 {
				wrap = p
			}
		}
		switch {
		case next >= 0:
			at = next
		case wrap >= 0:
			at = wrap
			r++
		default:
			continue
		}
		used[at] = true
		found = true
	}
	if !found {
		return 0
	}
	return r
}

// kept counts the neighbours after that lay so before, by face, and the longest block of them in cards.
func kept(before, after []uint8) (count, block int) {
	var together [256][256]bool
	for i := 1; i < len(before); i++ {
		together[before[i-1]][before[i]] = before[i-1] != battery.Unread && before[i] != battery.Unread
	}
	run := 0
	for i := 1; i < len(after); i++ {
		if together[after[i-1]][after[i]] {
			count++
			run++
			block = max(block, run+1)
		} else {
			run = 0
		}
	}
	return count, block
}
