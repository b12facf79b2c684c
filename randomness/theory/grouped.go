package theory

import (
	"fmt"
	"math"
)

// Grouped scores orders of a deck whose copies lay together before the shuffle (all of the first
// face, then all of the second ...). For such a start the likelihood over the unknown assignment of
// copies is exact: one walks through the faces and keeps, for each copy that may be the last one of
// its face and each number of descents so far, how many assignments lead there. Finding the descent
// polynomial of two arbitrary decks is #P-complete (Conger and Viswanath, "Riffle shuffles of decks
// with repeated cards", Annals of Probability 34, 2006), which is why this type wants a grouped
// start.
type Grouped struct {
	counts []int
	n      int
	inner  map[int][]float64 // per number of copies: share of orderings by first rank, last rank, descents
}

// NewGrouped prepares the tables for faces with the given numbers of copies, in the order they lay before.
func NewGrouped(counts []int) (*Grouped, error) {
	g := &Grouped{counts: counts, inner: map[int][]float64{}}
	for i, m := range counts {
		if m < 1 {
			return nil, fmt.Errorf("face %d has %d copies: need at least one", i+1, m)
		}
		g.n += m
		if g.inner[m] == nil {
			g.inner[m] = orderings(m)
		}
	}
	return g, nil
}

// orderings returns, for m copies, the share of their m! orderings that start with rank f, end with
// rank l and have d descents, at index (f*m+l)*m+d. It grows the orderings by one element at the
// end: a new last element of rank r pushes all ranks >= r up.
func orderings(m int) []float64 {
	cur := []float64{1}
	for j := 1; j < m; j++ {
		w := j + 1
		next := make([]float64, w*w*w)
		for f := 0; f < j; f++ {
			for l := 0; l < j; l++ {
				for d := 0; d < j; d++ {
					v := cur[(f*j+l)*j+d]
					if v == 0 {
						continue
					}
					for r := 0; r <= j; r++ {
						f2, d2 := f, d
						if f >= r {
							f2++
						}
						if l >= r {
							d2++
						}
						next[(f2*w+r)*w+d2] += v / float64(w)
					}
				}
			}
		}
		cur = next
	}
	return cur
}

// RisingShares returns q with q[r-1] the share of assignments of copies under which the order after
// has r rising sequences. places[t] holds the places of face t after the shuffle, ascending; the
// faces come in their order before.
func (g *Grouped) RisingShares(places [][]int) ([]float64, error) {
	if len(places) != len(g.counts) {
		return nil, fmt.Errorf("places of %d faces given, the deck has %d", len(places), len(g.counts))
	}
	var last []int
	var state []float64 // state[l*n+d]
	n := g.n
	for t, pl := range places {
		m := g.counts[t]
		if len(pl) != m {
			return nil, fmt.Errorf("face %d: %d places given, the deck has %d copies", t+1, len(pl), m)
		}
		in := g.inner[m]
		next := make([]float64, m*n)
		entry := make([]float64, n)
		for f := 0; f < m; f++ {
			clear(entry)
			if t == 0 {
				entry[0] = 1
			} else {
				for l, p := range last {
					drop := 0
					if p > pl[f] {
						drop = 1
					}
					for d := 0; d+drop < n; d++ {
						entry[d+drop] += state[l*n+d]
					}
				}
			}
			for l := 0; l < m; l++ {
				row := in[(f*m+l)*m : (f*m+l+1)*m]
				out := next[l*n : (l+1)*n]
				for d1, w := range row {
					if w == 0 {
						continue
					}
					for d := 0; d+d1 < n; d++ {
						out[d+d1] += w * entry[d]
					}
				}
			}
		}
		last, state = pl, next
	}
	q := make([]float64, n)
	for l := range last {
		for d := 0; d < n; d++ {
			q[d] += state[l*n+d]
		}
	}
	return q, nil
}

// LogLR is the exact log likelihood ratio of the order after an a-shuffle (a = 2^k riffles) against
// a uniformly random order.
func (g *Grouped) LogLR(places [][]int, a float64) (float64, error) {
	q, err := g.RisingShares(places)
	if err != nil {
		return 0, err
	}
	return LogLRFromShares(q, a), nil
}

// LogLRFromShares averages the likelihood ratio over the number of rising sequences of the
// assignments, in log space.
func LogLRFromShares(q []float64, a float64) float64 {
	n := len(q)
	best, sum := math.Inf(-1), 0.0
	for r := 1; r <= n; r++ {
		if q[r-1] == 0 {
			continue
		}
		l := LogLR(n, r, a) + math.Log(q[r-1])
		switch {
		case math.IsInf(l, -1):
		case l > best:
			sum = sum*math.Exp(best-l) + 1
			best = l
		default:
			sum += math.Exp(l - best)
		}
	}
	if sum == 0 {
		return math.Inf(-1)
	}
	return best + math.Log(sum)
}
