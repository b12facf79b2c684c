package pattern

import (
	"math"
	"math/big"
	"sort"
)

// question is one trait against one family of features. It answers with a
// probability that takes account of all values of the family.
type question struct {
	facts []Fact    // candidates, without Chance
	own   []float64 // for each, the chance within this question
	least float64   // the strongest answer that this question could give
}

// questions are all that can be asked about one trait.
func questions(cards []Card, t Trait, index int) []question {
	var out []question
	if q, ok := askFaces(cards, t, index); ok {
		out = append(out, q)
	}
	zone := func(c Card) string { return c.Zone }
	orientation := func(c Card) string {
		// Only the turned are singled out; upright is how a deck is.
		switch c.Orientation {
		case Turned:
			return "turned"
		case Upright:
			return "upright"
		}
		return ""
	}
	if q, ok := askValues(cards, t, index, ByZone, zone); ok {
		out = append(out, q)
	}
	if t.Kind != TurnedTrait {
		if q, ok := askValues(cards, t, index, ByOrientation, orientation); ok {
			out = append(out, q)
		}
	}
	return append(out, askPlaces(cards, t, index)...)
}

// askFaces compares a trait with faces and classes together. A face whose
// copies are not all of one class is taken apart by class.
func askFaces(cards []Card, t Trait, index int) (question, bool) {
	bears := t.set()
	type key struct{ class, face string }
	type count struct{ of, both int }
	faces, classes := map[key]*count{}, map[string]*count{}
	f := family{known: map[int][]*big.Int{}}
	for i, c := range cards {
		if c.Face == "" && c.Class == "" {
			continue
		}
		f.n++
		if bears[i] {
			f.m++
		}
		add := func(n *count) {
			n.of++
			if bears[i] {
				n.both++
			}
		}
		if c.Face != "" {
			k := key{c.Class, c.Face}
			if faces[k] == nil {
				faces[k] = new(count)
			}
			add(faces[k])
		}
		if c.Class != "" {
			if classes[c.Class] == nil {
				classes[c.Class] = new(count)
			}
			add(classes[c.Class])
		}
	}
	var keys []key
	for k := range faces {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].class != keys[j].class {
			return keys[i].class < keys[j].class
		}
		return keys[i].face < keys[j].face
	})
	var names []string
	for n := range classes {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		v := node{feature: ByClass, value: n, of: classes[n].of, both: classes[n].both, free: classes[n].of}
		for _, k := range keys {
			if k.class == n {
				c := faces[k]
				v.below = append(v.below, node{feature: ByFace, value: k.face, of: c.of, both: c.both, free: c.of})
				v.free -= c.of
			}
		}
		f.nodes = append(f.nodes, v)
	}
	for _, k := range keys {
		if k.class == "" {
			c := faces[k]
			f.nodes = append(f.nodes, node{feature: ByFace, value: k.face, of: c.of, both: c.both, free: c.of})
		}
	}
	return ask(f, index)
}

// askValues compares a trait with a feature whose values do not overlap.
func askValues(cards []Card, t Trait, index int, feature Feature, value func(Card) string) (question, bool) {
	bears := t.set()
	of, both := map[string]int{}, map[string]int{}
	f := family{known: map[int][]*big.Int{}}
	for i, c := range cards {
		v := value(c)
		if v == "" {
			continue
		}
		f.n++
		of[v]++
		if bears[i] {
			f.m++
			both[v]++
		}
	}
	var names []string
	for v := range of {
		names = append(names, v)
	}
	sort.Strings(names)
	for _, v := range names {
		f.nodes = append(f.nodes, node{feature: feature, value: v, of: of[v], both: both[v], free: of[v]})
	}
	return ask(f, index)
}

// ask computes the facts of a family. It is not asked where it cannot answer:
// no card or every card bears the trait, or there is one value only.
func ask(f family, trait int) (question, bool) {
	if f.m == 0 || f.m == f.n {
		return question{}, false
	}
	total := choose(f.n, f.m)
	var q question
	seen := map[string]float64{} // ways are costly; equal tails are common
	var walk func([]node)
	walk = func(nodes []node) {
		for _, v := range nodes {
			if v.of < f.n { // a value that all cards have says nothing
				tail := f.tails(v.of)[v.both]
				k := tail.String()
				if _, ok := seen[k]; !ok {
					seen[k] = quotient(f.ways(tail), total)
				}
				q.facts = append(q.facts, Fact{
					Trait: trait, Feature: v.feature, Value: v.value,
					Cards: f.n, Of: v.of, Bearers: f.m, Both: v.both,
					P: quotient(tail, total),
				})
				q.own = append(q.own, seen[k])
			}
			walk(v.below)
		}
	}
	walk(f.nodes)
	if len(q.facts) == 0 {
		return question{}, false
	}
	q.least = quotient(f.ways(f.least()), total)
	return q, true
}

// askPlaces compares a trait with the places of its bearers in the deck.
func askPlaces(cards []Card, t Trait, index int) []question {
	bears := t.set()
	type placed struct {
		place int
		bears bool
	}
	var ps []placed
	for i, c := range cards {
		if c.Place > 0 {
			ps = append(ps, placed{c.Place, bears[i]})
		}
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].place < ps[j].place })
	n, m, sum, runs := len(ps), 0, 0, 0
	for i, p := range ps {
		if !p.bears {
			continue
		}
		m++
		sum += i + 1
		if i == 0 || !ps[i-1].bears {
			runs++
		}
	}
	if m < 2 || m == n {
		return nil
	}
	fact := Fact{Trait: index, Cards: n, Of: n, Bearers: m, Both: m}

	height := fact
	height.Feature = ByHeight
	sums := rankSums(n, m)
	x := sum - m*(m+1)/2
	lower, upper := 0.0, 0.0
	for s, w := range sums {
		if s <= x {
			lower += w
		}
		if s >= x {
			upper += w
		}
	}
	height.Value, height.P = "top", math.Min(lower, 1)
	if upper < lower {
		height.Value, height.P = "bottom", math.Min(upper, 1)
	}

	near := fact
	near.Feature = ByNeighbours
	total := choose(n, m)
	ways := runWays(n, m)
	tail, low, either := twoSided(ways, runs)
	near.Value = "spread"
	if low {
		near.Value = "together"
	}
	near.P = quotient(tail, total)
	least := smallest(ways)
	_, _, leastEither := twoSided(ways, least)
	return []question{
		{facts: []Fact{height}, own: []float64{math.Min(1, 2*height.P)}, least: math.Min(1, 2*sums[0])},
		{facts: []Fact{near}, own: []float64{math.Min(1, quotient(either, total))}, least: quotient(leastEither, total)},
	}
}

// smallest is the index of the smallest count of ways that is not zero.
func smallest(ways []*big.Int) int {
	best := -1
	for i, w := range ways {
		if w.Sign() > 0 && (best < 0 || w.Cmp(ways[best]) < 0) {
			best = i
		}
	}
	return best
}

// answer corrects the questions for one another and gives the facts.
func answer(qs []question, maxChance float64) []Fact {
	var out []Fact
	for _, q := range qs {
		best := 0
		for i := range q.facts {
			if q.own[i] < q.own[best] || (q.own[i] == q.own[best] && q.facts[i].P < q.facts[best].P) {
				best = i
			}
		}
		for i, f := range q.facts {
			could := 0
			for _, other := range qs {
				// A hair of slack: probabilities that are equal as fractions
				// may differ in the last bit as float64.
				if other.least <= q.own[i]*(1+1e-9) {
					could++
				}
			}
			f.Chance = math.Min(1, q.own[i]*float64(could))
			f.Shared = f.Chance <= maxChance
			if i == best || f.Shared {
				out = append(out, f)
			}
		}
	}
	sortFacts(out)
	return out
}

func (t Trait) set() map[int]bool {
	s := make(map[int]bool, len(t.Cards))
	for _, i := range t.Cards {
		s[i] = true
	}
	return s
}
