package pattern_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairdeck/vision/pattern"
)

// deck of copies: faces "a", "b", ... with the given numbers of copies.
func deck(copies ...int) []pattern.Card {
	var cards []pattern.Card
	for f, n := range copies {
		for range n {
			cards = append(cards, pattern.Card{Face: string(rune('a' + f))})
		}
	}
	return cards
}

func fours(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 4
	}
	return out
}

func nick(x, y float64) pattern.Mark {
	return pattern.Mark{Kind: "nick", XMM: x, YMM: y, WidthMM: 1, HeightMM: 1}
}

func find(t *testing.T, cards []pattern.Card) pattern.Result {
	t.Helper()
	r, err := pattern.Find(cards, pattern.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ExampleFind() {
	cards := deck(fours(15)...)
	for i := 8; i < 12; i++ { // the copies of the third card
		cards[i].Marks = []pattern.Mark{{Kind: "nick", XMM: 61, YMM: 2 + 0.2*float64(i-8)}}
	}
	r, err := pattern.Find(cards, pattern.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Sentence(r.Facts[0]))
	// Output: All 4 copies of "c" carry a nick at the same place; no other card does; chance 1 in 33,000.
}

// Four marks on all four copies of one of fifteen cards: 15 of the C(60,4)
// choices do that.
func TestAllCopiesOfOneCard(t *testing.T) {
	cards := deck(fours(15)...)
	for i := range 4 {
		cards[i].Marks = []pattern.Mark{nick(61, 2)}
	}
	f := find(t, cards).Facts[0]
	if want := 15.0 / 487635; math.Abs(f.Chance-want) > 1e-12 {
		t.Errorf("chance %g, want %g", f.Chance, want)
	}
	if !f.Exact() || !f.Shared || f.Value != "a" {
		t.Errorf("%+v: want all copies of a, shared", f)
	}
}

// TestChanceByEnumeration counts every placement of a small deck and compares
// with what Find says of each.
func TestChanceByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 9).Draw(t, "n")
		m := rapid.IntRange(2, n-1).Draw(t, "m")
		cards := make([]pattern.Card, n)
		for i := range cards {
			cards[i].Class = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "class")
			cards[i].Face = rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "face")
			if cards[i].Class == "" && cards[i].Face == "" {
				cards[i].Class = "x"
			}
		}
		// The smallest single P of every placement, and its Chance. With one
		// trait and one question, Chance must be the share of placements
		// whose smallest P is as small.
		type answer struct{ p, chance float64 }
		var all []answer
		for set := range 1 << n {
			bits := 0
			c := append([]pattern.Card(nil), cards...)
			for i := range n {
				if set>>i&1 == 1 {
					bits++
					c[i].Traits = []string{"odd"}
				}
			}
			if bits != m {
				continue
			}
			r, err := pattern.Find(c, pattern.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Questions == 0 {
				return // one value only
			}
			a := answer{p: 2}
			for _, f := range r.Facts {
				if f.P < a.p {
					a = answer{f.P, f.Chance}
				}
			}
			all = append(all, a)
		}
		for _, a := range all {
			as := 0
			for _, b := range all {
				if b.p <= a.p*(1+1e-12) {
					as++
				}
			}
			if want := float64(as) / float64(len(all)); math.Abs(a.chance-want) > 1e-9 {
				t.Fatalf("smallest P %g: chance %g, by enumeration %g", a.p, a.chance, want)
			}
		}
	})
}

// TestPlacesByEnumeration does the same for height and neighbours.
func TestPlacesByEnumeration(t *testing.T) {
	for _, nm := range [][2]int{{6, 2}, {8, 3}, {9, 5}, {10, 8}} {
		n, m := nm[0], nm[1]
		type seen struct {
			p   float64
			own float64
		}
		by := map[pattern.Feature][]seen{}
		for set := range 1 << n {
			cards := make([]pattern.Card, n)
			bits := 0
			for i := range n {
				cards[i].Place = n - i // any order of the slice is the same
				if set>>(n-1-i)&1 == 1 {
					bits++
					cards[i].Traits = []string{"odd"}
				}
			}
			if bits != m {
				continue
			}
			for _, f := range find(t, cards).Facts {
				by[f.Feature] = append(by[f.Feature], seen{f.P, f.Chance})
			}
		}
		for _, feature := range []pattern.Feature{pattern.ByHeight, pattern.ByNeighbours} {
			all := by[feature]
			if len(all) == 0 {
				t.Fatalf("n %d, m %d: nothing said about %s", n, m, feature)
			}
			// Chance is never smaller than the share of placements that
			// answer as strongly: an exact test may be conservative only.
			for _, a := range all {
				as := 0
				for _, b := range all {
					if b.own <= a.own*(1+1e-12) {
						as++
					}
				}
				if share := float64(as) / float64(len(all)); share > a.own+1e-9 {
					t.Errorf("n %d, m %d, %s: %.4f of placements have a chance of at most %.4f", n, m, feature, share, a.own)
				}
			}
		}
	}
}

// TestSize: decks whose marks fall anywhere seldom show a shared trait.
func TestSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	decks, shared := 800, 0
	for range decks {
		cards := deck(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1)
		for i := range cards {
			cards[i].Class = []string{"land", "creature", "spell"}[int(cards[i].Face[0])%3]
			cards[i].Place = i + 1
		}
		rng.Shuffle(len(cards), func(i, j int) { cards[i].Place, cards[j].Place = cards[j].Place, cards[i].Place })
		for range 2 + rng.IntN(3) {
			x, y := 5+56*rng.Float64(), 5+81*rng.Float64()
			for range 2 + rng.IntN(12) {
				i := rng.IntN(len(cards))
				cards[i].Marks = append(cards[i].Marks, nick(x, y))
			}
		}
		for _, f := range find(t, cards).Facts {
			if f.Shared {
				shared++
				break
			}
		}
	}
	// Nominal 1%; 800 decks at exactly 1% show more than 17 with a
	// probability of 0.1%.
	if shared > 17 {
		t.Errorf("%d of %d decks without any pattern show one; at most 1%% are allowed", shared, decks)
	}
	t.Logf("%d of %d", shared, decks)
}

// TestPower: all four copies of one card among sixty are always found, other
// marks beside them or not.
func TestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 200 {
		cards := deck(fours(15)...)
		for i := range cards {
			cards[i].Class = []string{"trigger", "normal", "grade 3"}[int(cards[i].Face[0])%3]
		}
		f := rng.IntN(15)
		for i := 4 * f; i < 4*f+4; i++ {
			cards[i].Marks = append(cards[i].Marks, nick(60+rng.Float64(), 3+rng.Float64()))
		}
		for range rng.IntN(8) { // wear of its own, each at a place of its own
			i := rng.IntN(60)
			cards[i].Marks = append(cards[i].Marks, pattern.Mark{Kind: "scratch", XMM: 10 + 40*rng.Float64(), YMM: 20 + 50*rng.Float64()})
		}
		found := false
		for _, x := range find(t, cards).Facts {
			found = found || (x.Shared && x.Feature == pattern.ByFace && x.Value == string(rune('a'+f)) && x.Both == 4)
		}
		if !found {
			t.Fatalf("trial %d: the four marked copies of %c were not found", trial, 'a'+f)
		}
	}
}

// TestPolicyCases: two cases of the kind that policy documents discuss, with
// what can honestly be said of them.
func TestPolicyCases(t *testing.T) {
	make60 := func(classes map[string]int) []pattern.Card {
		var cards []pattern.Card
		for _, c := range []string{"land", "monster", "spell", "creature", "trap"} {
			for range classes[c] {
				cards = append(cards, pattern.Card{Class: c})
			}
		}
		return cards
	}
	tests := []struct {
		name   string
		cards  []pattern.Card
		mark   func(*pattern.Card)
		of     map[string]int
		shared bool
		low    float64 // bounds of the chance
		high   float64
		says   string
	}{
		{
			// 12 worn corners of which 8 are lands, 24 lands in 60: expected 4.8.
			name: "12 worn corners, 8 on lands", cards: make60(map[string]int{"land": 24, "creature": 20, "spell": 16}),
			mark: func(c *pattern.Card) {
				c.Marks = []pattern.Mark{{Kind: "worn_corner", XMM: 1, YMM: 1, WidthMM: 3, HeightMM: 3}}
			},
			of: map[string]int{"land": 8, "creature": 3, "spell": 1}, low: 0.03, high: 0.2,
			says: `8 of the 12 cards that carry a worn corner at the same place are "land" cards, of which the deck has 24 in 60`,
		},
		{
			// 14 turned of which 10 are monsters, 20 monsters in 40: expected 7.
			name: "14 turned, 10 monsters", cards: make60(map[string]int{"monster": 20, "spell": 13, "trap": 7}),
			mark: func(c *pattern.Card) { c.Orientation = pattern.Turned },
			of:   map[string]int{"monster": 10, "spell": 3, "trap": 1}, low: 0.03, high: 0.2,
			says: `10 of the 14 cards that lie turned are "monster" cards, of which the deck has 20 in 40`,
		},
		{
			name: "14 turned, all monsters", cards: make60(map[string]int{"monster": 20, "spell": 13, "trap": 7}),
			mark: func(c *pattern.Card) { c.Orientation = pattern.Turned },
			of:   map[string]int{"monster": 14}, low: 0, high: 1e-5, shared: true,
			says: `14 of the 14 cards that lie turned are "monster" cards, of which the deck has 20 in 40`,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			left := map[string]int{}
			for k, v := range tc.of {
				left[k] = v
			}
			for i := range tc.cards {
				tc.cards[i].Orientation = pattern.Upright
				if left[tc.cards[i].Class] > 0 {
					left[tc.cards[i].Class]--
					tc.mark(&tc.cards[i])
				}
			}
			r := find(t, tc.cards)
			f := r.Facts[0]
			if f.Feature != pattern.ByClass {
				t.Fatalf("first fact is about %s", f.Feature)
			}
			if f.Shared != tc.shared || f.Chance < tc.low || f.Chance > tc.high {
				t.Errorf("shared %v, chance %.4f (P %.4f); want %v, %g to %g", f.Shared, f.Chance, f.P, tc.shared, tc.low, tc.high)
			}
			if got := r.Sentence(f); !strings.HasPrefix(got, tc.says) {
				t.Errorf("says %q\nwant  %q ...", got, tc.says)
			}
		})
	}
}

func TestGather(t *testing.T) {
	two := func(a, b pattern.Mark) []pattern.Card {
		return []pattern.Card{{Face: "a", Marks: []pattern.Mark{a}}, {Face: "a", Marks: []pattern.Mark{b}}, {Face: "b"}}
	}
	kind := func(k string, m pattern.Mark) pattern.Mark { m.Kind = k; return m }
	tests := []struct {
		name  string
		cards []pattern.Card
		want  []string // kinds of the traits
	}{
		{"same place", two(nick(60, 3), nick(61, 3.5)), []string{"nick"}},
		{"another place", two(nick(60, 3), nick(5, 3)), []string{pattern.Any}},
		{"another kind", two(nick(60, 3), kind("stain", nick(60, 3))), []string{pattern.Any}},
		{"one kind unclear", two(nick(60, 3), kind(pattern.Unclear, nick(60, 3))), []string{"nick"}},
		{"long marks shift", two(pattern.Mark{Kind: "scratch", XMM: 30, YMM: 20, HeightMM: 20}, pattern.Mark{Kind: "scratch", XMM: 30, YMM: 28, HeightMM: 16}), []string{"scratch"}},
		{"two on one card", []pattern.Card{{Marks: []pattern.Mark{nick(3, 3), nick(4, 3)}}, {}}, nil},
		{"everyone turned is nobody turned", []pattern.Card{{Orientation: pattern.Turned}, {Orientation: pattern.Turned}}, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, tr := range find(t, tc.cards).Traits {
				got = append(got, tr.Kind)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A row of scuffs along an edge, each within the tolerance of the next, is not
// one mark.
func TestGatherDoesNotWalk(t *testing.T) {
	var cards []pattern.Card
	for i := range 20 {
		cards = append(cards, pattern.Card{Face: "a", Marks: []pattern.Mark{{Kind: "edge_wear", XMM: 0, YMM: 4 * float64(i) / 2.2}}})
	}
	for _, tr := range find(t, cards).Traits {
		if tr.Unlike {
			continue
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, i := range tr.Cards {
			y := cards[i].Marks[0].YMM
			lo, hi = min(lo, y), max(hi, y)
		}
		if hi-lo > 2 {
			t.Errorf("a trait spans %.1f mm", hi-lo)
		}
	}
}

// TestOrderOfCards: the result does not depend on how the cards are listed.
func TestOrderOfCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cards := deck(4, 3, 2, 1)
		for i := range cards {
			cards[i].Place = i + 1
			if rapid.Bool().Draw(t, "turned") {
				cards[i].Orientation = pattern.Turned
			}
			if rapid.Bool().Draw(t, "batch") {
				cards[i].Traits = []string{"batch B"}
			}
		}
		a, err := pattern.Find(cards, pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := pattern.Find(rapid.Permutation(cards).Draw(t, "order"), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a.Facts, b.Facts); d != "" {
			t.Error(d)
		}
	})
}

func TestHostileInput(t *testing.T) {
	nan := math.NaN()
	tests := map[string][]pattern.Card{
		"no number":     {{Marks: []pattern.Mark{{XMM: nan}}}},
		"no end":        {{Marks: []pattern.Mark{{WidthMM: math.Inf(1)}}}},
		"negative size": {{Marks: []pattern.Mark{{HeightMM: -1}}}},
		"same place":    {{Place: 3}, {Place: 3}},
		"negative":      {{Place: -1}},
		"too many":      make([]pattern.Card, pattern.MaxCards+1),
	}
	for name, cards := range tests {
		if _, err := pattern.Find(cards, pattern.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, cards := range [][]pattern.Card{nil, {{}}, {{Face: "a"}, {Face: "a"}}} {
		if r := find(t, cards); len(r.Facts) != 0 {
			t.Errorf("%d cards without anything: %d facts", len(cards), len(r.Facts))
		}
	}
}

func TestOdds(t *testing.T) {
	for chance, want := range map[float64]string{
		15.0 / 487635: "1 in 33,000", 0.5: "nothing unusual", 0.11: "1 in 9", 0.01: "1 in 100", 1e-30: "less than 1 in a million billions",
	} {
		if got := pattern.Odds(chance); got != want {
			t.Errorf("%g: %q, want %q", chance, got, want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	cards := deck(fours(15)...)
	for i := range cards {
		cards[i].Place, cards[i].Class = i+1, []string{"x", "y", "z"}[i%3]
		for range 3 {
			cards[i].Marks = append(cards[i].Marks, nick(5+10*float64(rng.IntN(6)), 5+10*float64(rng.IntN(8))))
		}
	}
	for b.Loop() {
		if _, err := pattern.Find(cards, pattern.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
