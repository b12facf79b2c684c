package simulate

import (
	"math"
	"slices"
	"testing"

	"fairdeck/randomness/theory"
	"pgregory.net/rapid"
)

func fresh(n int) []int {
	d := make([]int, n)
	for i := range d {
		d[i] = i
	}
	return d
}

func places(deck []int) []int {
	pos := make([]int, len(deck))
	for p, c := range deck {
		pos[c] = p
	}
	return pos
}

var every = []string{"riffle:1", "riffle:7+cut", "sloppy:3", "mash:4", "overhand:6", "pile:7", "pile:5:random+riffle:1", "cut", "cut:3", "weave", "weave+riffle:2", "clump:10+riffle:1", "stack:6", "top:5", "bottom:10", "random", "none"}

func TestEveryModelKeepsTheCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "cards")
		text := rapid.SampledFrom(every).Draw(t, "model")
		m, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if m.String() != text {
			t.Fatalf("%q prints as %q", text, m.String())
		}
		marked := make([]bool, n)
		for i := range marked {
			marked[i] = rapid.Bool().Draw(t, "marked")
		}
		seed := rapid.Uint64().Draw(t, "seed")
		deck, again := fresh(n), fresh(n)
		m.Shuffle(NewRand(seed, 1), deck, marked)
		m.Shuffle(NewRand(seed, 1), again, marked)
		if !slices.Equal(deck, again) {
			t.Fatalf("the same seed gave two orders")
		}
		slices.Sort(deck)
		if !slices.Equal(deck, fresh(n)) {
			t.Fatalf("cards lost or doubled: %v", deck)
		}
	})
}

func TestRiffleFollowsItsLaw(t *testing.T) {
	const n, draws = 52, 4000
	for k := 1; k <= 6; k++ {
		law, err := theory.AfterRiffles(n, k)
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := law.MeanSD()
		rng, sum := NewRand(5, uint64(k)), 0.0
		for range draws {
			deck := fresh(n)
			Riffle{Times: k}.Shuffle(rng, deck, nil)
			sum += float64(theory.RisingSequences(places(deck)))
		}
		if got := sum / draws; math.Abs(got-mean) > 4*sd/math.Sqrt(draws)+1e-3 {
			t.Errorf("%d riffles: mean R %.3f, law %.3f", k, got, mean)
		}
	}
}

func TestPileDealIsTheRule(t *testing.T) {
	deck := fresh(7)
	Pile{Piles: 3}.Shuffle(NewRand(1, 1), deck, nil)
	if want := []int{6, 3, 0, 4, 1, 5, 2}; !slices.Equal(deck, want) {
		t.Errorf("seven cards in three piles: %v, want %v", deck, want)
	}
}

func TestOverhandKeepsNeighbours(t *testing.T) {
	deck := fresh(60)
	Overhand{Times: 1}.Shuffle(NewRand(3, 1), deck, nil)
	kept := 0
	for i := 1; i < len(deck); i++ {
		if deck[i] == deck[i-1]+1 {
			kept++
		}
	}
	if kept < 40 {
		t.Errorf("one overhand shuffle kept %d of 59 neighbours, want most", kept)
	}
}

func TestWeaveIsEven(t *testing.T) {
	marked := make([]bool, 60)
	for i := range 24 {
		marked[i] = true
	}
	deck := fresh(60)
	Weave{}.Shuffle(NewRand(9, 1), deck, marked)
	seen := 0
	for i, c := range deck {
		if marked[c] {
			seen++
		}
		if d := float64(seen) - float64(i+1)*24/60; math.Abs(d) > 1 {
			t.Fatalf("after %d cards %d marked ones: not even", i+1, seen)
		}
	}
}

func TestParseNamesTheWord(t *testing.T) {
	for _, bad := range []string{"", "riffel:3", "riffle:x", "pile", "pile:1", "pile:7:left", "cut:2", "clump", "riffle:-1", "riffle:99999", "weave:3", "riffle:3:4", "riffle:4+"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range every {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(m.String())
		if err != nil || again.String() != m.String() {
			t.Fatalf("%q reads as %q, which reads as %v, %v", s, m, again, err)
		}
	})
}
