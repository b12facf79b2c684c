package pattern

import (
	"math"
	"sort"
)

// Unclear is the kind of a mark whose kind is not known. It may be the same
// mark as one of any kind.
const Unclear = "unclear"

// gather makes traits of marks: complete linkage, so that a trait never spans
// more than the tolerance however many marks it holds (single linkage would
// walk along an edge from scuff to scuff). A trait of one card cannot be shared and
// is left out, but the card still counts among those with any mark.
//
// Marks are taken card by card, nearest pairs first; two marks of one card are
// never the same mark.
func gather(cards []Card, toleranceMM float64) []Trait {
	type item struct {
		card int
		Mark
	}
	var items []item
	marked := map[int]bool{}
	for i, c := range cards {
		for _, m := range c.Marks {
			items = append(items, item{i, m})
			marked[i] = true
		}
	}
	// Half of each mark's own size is free: the middle of a scratch is less
	// certain than that of a dot.
	apart := func(a, b Mark) float64 {
		free := func(s, t float64) float64 { return (s + t) / 4 }
		dx := math.Max(0, math.Abs(a.XMM-b.XMM)-free(a.WidthMM, b.WidthMM))
		dy := math.Max(0, math.Abs(a.YMM-b.YMM)-free(a.HeightMM, b.HeightMM))
		return math.Hypot(dx, dy)
	}
	alike := func(a, b Mark) bool { return a.Kind == b.Kind || a.Kind == Unclear || b.Kind == Unclear }

	type pair struct {
		i, j int
		d    float64
	}
	var pairs []pair
	for i := range items {
		for j := i + 1; j < len(items); j++ {
			if items[i].card == items[j].card || !alike(items[i].Mark, items[j].Mark) {
				continue
			}
			if d := apart(items[i].Mark, items[j].Mark); d <= toleranceMM {
				pairs = append(pairs, pair{i, j, d})
			}
		}
	}
	sort.SliceStable(pairs, func(a, b int) bool { return pairs[a].d < pairs[b].d })
	group := make([]int, len(items))
	members := make([][]int, len(items))
	for i := range items {
		group[i], members[i] = i, []int{i}
	}
	fits := func(a, b []int) bool {
		for _, i := range a {
			for _, j := range b {
				if items[i].card == items[j].card || !alike(items[i].Mark, items[j].Mark) || apart(items[i].Mark, items[j].Mark) > toleranceMM {
					return false
				}
			}
		}
		return true
	}
	for _, p := range pairs {
		a, b := group[p.i], group[p.j]
		if a == b || !fits(members[a], members[b]) {
			continue
		}
		for _, i := range members[b] {
			group[i] = a
		}
		members[a], members[b] = append(members[a], members[b]...), nil
	}

	var out []Trait
	for _, m := range members {
		if len(m) < 2 {
			continue
		}
		t := Trait{Kind: Unclear, HasPlace: true}
		for _, i := range m {
			t.Cards = append(t.Cards, items[i].card)
			t.XMM += items[i].XMM / float64(len(m))
			t.YMM += items[i].YMM / float64(len(m))
			if items[i].Kind != Unclear {
				t.Kind = items[i].Kind
			}
		}
		sort.Ints(t.Cards)
		out = append(out, t)
	}
	sort.SliceStable(out, func(i, j int) bool {
		if len(out[i].Cards) != len(out[j].Cards) {
			return len(out[i].Cards) > len(out[j].Cards)
		}
		return out[i].Cards[0] < out[j].Cards[0]
	})

	// All cards with a mark of any kind: marks at different places on all the
	// copies of one card single them out as well.
	if len(marked) >= 2 && !(len(out) > 0 && len(out[0].Cards) == len(marked)) {
		t := Trait{Kind: Any, Unlike: true}
		for i := range cards {
			if marked[i] {
				t.Cards = append(t.Cards, i)
			}
		}
		out = append(out, t)
	}
	return append(out, named(cards)...)
}

// named are the traits that cards carry by name, and turned sleeves.
func named(cards []Card) []Trait {
	by := map[string][]int{}
	for i, c := range cards {
		seen := map[string]bool{}
		names := c.Traits
		if c.Orientation == Turned {
			names = append(append([]string(nil), names...), TurnedTrait)
		}
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				by[n] = append(by[n], i)
			}
		}
	}
	var names []string
	for n, c := range by {
		if len(c) >= 2 && len(c) < len(cards) {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	var out []Trait
	for _, n := range names {
		out = append(out, Trait{Kind: n, Cards: by[n]})
	}
	return out
}
