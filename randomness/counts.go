package randomness

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

// Count is a number a person can check at the table, with its law under fair shuffles of these very cards.
type Count struct {
	Kind     string  `json:"kind"`
	Text     string  `json:"text"`  // what is counted
	Scale    int     `json:"scale"` // the values are in 1/Scale of what Text names
	Observed int     `json:"observed"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"`
	Median   int     `json:"median"`
	High     bool    `json:"high"` // large values are the suspicious ones
	// Law is the share of fair shuffles with the value From+i: exact, or counted in so many Draws.
	From  int       `json:"from"`
	Law   []float64 `json:"law"`
	Exact bool      `json:"exact"`
	Draws int       `json:"draws,omitempty"`
}

// Odds says how often a fair shuffle lies at or beyond v.
func (c Count) Odds(v int) string {
	p := c.AtLeast(v)
	switch {
	case p > 0 || c.Exact:
		return OneIn(p)
	case c.Draws > 0:
		return "in none of " + thousands(c.Draws) + " simulated"
	}
	return "in none of those simulated" // a document of before Draws was written
}

// AtLeast is the share of fair shuffles at or beyond v on the suspicious side.
func (c Count) AtLeast(v int) float64 {
	sum := 0.0
	for i, p := range c.Law {
		if x := c.From + i; c.High && x >= v || !c.High && x <= v {
			sum += p
		}
	}
	return sum
}

// Threshold is the value nearest to the middle that fair shuffles reach at most with the given probability.
func (c Count) Threshold(p float64) int {
	if c.High {
		for v := c.From; ; v++ {
			if c.AtLeast(v) <= p {
				return v
			}
		}
	}
	for v := c.From + len(c.Law) - 1; ; v-- {
		if c.AtLeast(v) <= p {
			return v
		}
	}
}

// countDraws is the number of fair shuffles behind the laws of the plain counts that have no exact
// one. They only word the sentences (the verdict has its own, larger table), so odds are given up to once in a few
// thousand.
const countDraws = 10_000

// counter computes one plain count of an order.
type counter struct {
	kind, text string
	high       bool
	f          func(after []uint8) int
	exact      func() []float64 // probabilities of 0, 1, 2 ...; nil where the law has to be simulated
}

// counters lists the counts that make sense for a deck.
func counters(c coded) []counter {
	var out []counter
	before := c.spec.Before
	n := len(c.after)
	if before != nil {
		var rising, kept func() []float64
		if allDistinct(before) && allDistinct(c.after) && len(c.faces) == n {
			rising = func() []float64 { return risingLaw(n) }
			kept = func() []float64 { return theory.KeptNeighbours(n) }
		}
		at := make([][]int, 256)
		for i, f := range before {
			if f != battery.Unread {
				at[f] = append(at[f], i)
			}
		}
		var together [256][256]bool
		for i := 1; i < n; i++ {
			together[before[i-1]][before[i]] = before[i-1] != battery.Unread && before[i] != battery.Unread
		}
		pairs := func(after []uint8, turned bool) (k int) {
			for i := 1; i < len(after); i++ {
				if !turned && together[after[i-1]][after[i]] || turned && together[after[i]][after[i-1]] {
					k++
				}
			}
			return k
		}
		out = append(out,
			counter{"rising", "rising sequences", false, func(a []uint8) int { return greedyRising(before, a) }, rising},
			counter{"kept", "neighbours that stayed together", true, func(a []uint8) int { return pairs(a, false) }, kept},
			counter{"turned", "neighbours that stayed together the other way round", true, func(a []uint8) int { return pairs(a, true) }, kept}, // turning the order after over makes one of the other
			counter{"stride", "neighbours that lay one and the same distance apart before", true, func(a []uint8) int { k, _ := bestStride(at, a, n); return k }, nil},
			counter{"ends", "cards untouched at the top and the bottom", true, func(a []uint8) int { t, b := keptEnds(before, a); return t + b }, nil},
		)
	}
	if k := mainClass(c); k >= 0 {
		in := func(f uint8) bool { return f != battery.Unread && c.spec.Class[f] == uint8(k) }
		m := 0
		for _, f := range c.after {
			if in(f) {
				m++
			}
		}
		name := c.classes[k]
		out = append(out,
			counter{"even", "largest lead or lag of the " + name + " count over an even spread, in cards", false, func(a []uint8) int { return deviation(a, in, m) }, nil},
			counter{"clump", "largest lead or lag of the " + name + " count over an even spread, in cards", true, func(a []uint8) int { return deviation(a, in, m) }, nil},
			counter{"changes", "changes between " + name + " and other cards", true, func(a []uint8) int {
				k := 0
				for i := 1; i < len(a); i++ {
					if in(a[i]) != in(a[i-1]) {
						k++
					}
				}
				return k
			}, func() []float64 { return theory.Runs(n, m)[1:] }}, // one change fewer than runs
		)
	}
	if repeated(c.after) {
		out = append(out, counter{"copies", "copies of one card lying on each other", true, func(a []uint8) int {
			k := 0
			for i := 1; i < len(a); i++ {
				if a[i] == a[i-1] && a[i] != battery.Unread {
					k++
				}
			}
			return k
		}, nil})
	}
	return out
}

// allDistinct tells whether every card was read and no face occurs twice.
func allDistinct(a []uint8) bool {
	return !repeated(a) && !slices.Contains(a, battery.Unread)
}

// risingLaw is the law of rising sequences of n distinct cards in a random order, from 0.
func risingLaw(n int) []float64 {
	law, err := theory.Uniform(n)
	if err != nil {
		return nil // no cards
	}
	p := make([]float64, n+1)
	for r := 1; r <= n; r++ {
		p[r] = law.P(r)
	}
	return p
}

// laws finds the laws of the counts, exact ones or from at most countDraws fair shuffles. They depend
// on the seed and on the readings, not on their order.
func laws(c coded, seed uint64, draws int) []Count {
	draws = min(draws, countDraws)
	cs := counters(c)
	out := make([]Count, len(cs))
	values := make([][]int, len(cs))
	simulated := 0
	for i, k := range cs {
		out[i] = Count{Kind: k.kind, Text: k.text, High: k.high, Scale: 1}
		if k.kind == "even" || k.kind == "clump" {
			out[i].Scale = deviationScale
		}
		if k.exact != nil {
			out[i].fill(k.exact())
		} else {
			values[i] = make([]int, 0, draws)
			simulated++
		}
	}
	if simulated == 0 {
		return out
	}
	order := slices.Clone(c.spec.Readings)
	rng := rand.New(rand.NewPCG(seed, 0xc0))
	for range draws {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, k := range cs {
			if k.exact == nil {
				values[i] = append(values[i], k.f(order))
			}
		}
	}
	for i, v := range values {
		if v == nil {
			continue
		}
		slices.Sort(v)
		r := &out[i]
		r.Draws, r.Median, r.From = draws, v[len(v)/2], v[0]
		r.Law = make([]float64, v[len(v)-1]-v[0]+1)
		for _, x := range v {
			r.Law[x-v[0]] += 1 / float64(draws)
		}
		r.Mean, r.SD = meanSD(v)
	}
	return out
}

// fill takes an exact law, given from 0.
func (c *Count) fill(law []float64) {
	c.Law, c.Exact = law, true
	mean, variance := theory.MeanVariance(law)
	c.Mean, c.SD = mean, math.Sqrt(variance)
	below := 0.0
	for v, p := range law {
		if below += p; below >= .5 {
			c.Median = v
			break
		}
	}
}

// bestStride finds the distance d (1..n-1, cyclic) that most neighbours after had before.
func bestStride(at [][]int, after []uint8, n int) (count, d int) {
	var hits [battery.MaxCards]int
	var seen [battery.MaxCards]int // pair that last hit a distance, so that copies do not count one pair twice
	for i := 1; i < len(after); i++ {
		for _, p := range at[after[i-1]] {
			for _, q := range at[after[i]] {
				if k := (q - p + n) % n; k != 0 && seen[k] != i {
					seen[k] = i
					hits[k]++
				}
			}
		}
	}
	for k := 1; k < n; k++ {
		if hits[k] > count {
			count, d = hits[k], k
		}
	}
	return count, d
}

func keptEnds(before, after []uint8) (top, bottom int) {
	n := len(after)
	for top < n && before[top] == after[top] && after[top] != battery.Unread {
		top++
	}
	for bottom < n-top && before[n-1-bottom] == after[n-1-bottom] && after[n-1-bottom] != battery.Unread {
		bottom++
	}
	return top, bottom
}

// deviationScale: deviations are counted in tenths of a card.
const deviationScale = 10

// deviation is the largest distance, in 1/deviationScale of a card, between the count of class
// cards from the top and an even spread.
func deviation(a []uint8, in func(uint8) bool, m int) int {
	n := len(a)
	worst, k := 0, 0
	for i, f := range a {
		if in(f) {
			k++
		}
		d := deviationScale * (k*n - (i+1)*m)
		if d < 0 {
			d = -d
		}
		worst = max(worst, d/n)
	}
	return worst
}

// mainClass is the class whose size is nearest to half the deck, ties to the first; -1 without classes.
func mainClass(c coded) int {
	if c.spec.Class == nil {
		return -1
	}
	size := make([]int, len(c.classes))
	n := 0
	for _, f := range c.after {
		if f != battery.Unread && c.spec.Class[f] != battery.NoClass {
			size[c.spec.Class[f]]++
		}
		n++
	}
	best, dist := -1, n
	for k, m := range size {
		if d := max(2*m-n, n-2*m); m >= 2 && n-m >= 2 && (d < dist || d == dist && best >= 0 && m < size[best]) {
			best, dist = k, d
		}
	}
	return best
}

func repeated(a []uint8) bool {
	var seen [256]bool
	for _, f := range a {
		if f != battery.Unread && seen[f] {
			return true
		}
		seen[f] = true
	}
	return false
}
