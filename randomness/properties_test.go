package randomness_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// few draws: the properties do not depend on the size of the table.
var few = randomness.Options{Draws: 400, Seed: 7, Workers: 1, Completions: 8}

// drawPair makes a deck, an order before and one after.
func drawPair(t *rapid.T) (before, after randomness.Order, classes randomness.Classes) {
	n := rapid.IntRange(6, 40).Draw(t, "cards")
	faces := rapid.IntRange(2, n).Draw(t, "faces")
	classes = randomness.Classes{}
	kinds := rapid.IntRange(0, 3).Draw(t, "classes")
	for i := range n {
		f := fmt.Sprintf("face %d", i%faces)
		before.Cards = append(before.Cards, randomness.Card{Face: f})
		if kinds > 0 {
			classes[f] = fmt.Sprintf("class %d", i%faces%kinds)
		}
	}
	rng := simulate.NewRand(rapid.Uint64().Draw(t, "seed"), 1)
	rng.Shuffle(n, func(i, j int) { before.Cards[i], before.Cards[j] = before.Cards[j], before.Cards[i] })
	m, err := simulate.Parse(rapid.SampledFrom([]string{"riffle:1", "riffle:3", "pile:4", "overhand:3", "random", "cut", "none"}).Draw(t, "shuffle"))
	if err != nil {
		t.Fatal(err)
	}
	deck := make([]int, n)
	for i := range deck {
		deck[i] = i
	}
	m.Shuffle(rng, deck, nil)
	for _, c := range deck {
		after.Cards = append(after.Cards, before.Cards[c])
	}
	return before, after, classes
}

func score(t interface{ Fatal(...any) }, before *randomness.Order, after randomness.Order, classes randomness.Classes) randomness.Verdict {
	v, err := randomness.NewScorer(few).Score(context.Background(), randomness.Request{Before: before, After: after, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same compares what must not change: the p-values.
func same(t *rapid.T, a, b randomness.Verdict) {
	if d := cmp.Diff(a.Results, b.Results); d != "" {
		t.Fatalf("null results differ:\n%s", d)
	}
	if d := cmp.Diff(a.Stats, b.Stats); d != "" {
		t.Fatalf("statistics differ:\n%s", d)
	}
	if a.Level != b.Level || a.P != b.P {
		t.Fatalf("level %s p %v, then level %s p %v", a.Level, a.P, b.Level, b.P)
	}
}

func TestRelabellingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after, classes := drawPair(t)
		rename := func(o randomness.Order) randomness.Order {
			r := randomness.Order{Cards: slices.Clone(o.Cards)}
			for i := range r.Cards {
				r.Cards[i].Face = "z" + fmt.Sprintf("%x", r.Cards[i].Face)
			}
			return r
		}
		names := randomness.Classes{}
		for f, k := range classes {
			names["z"+fmt.Sprintf("%x", f)] = "renamed " + k
		}
		b := rename(before)
		same(t, score(t, &before, after, classes), score(t, &b, rename(after), names))
		same(t, score(t, nil, after, classes), score(t, nil, rename(after), names))
	})
}

func TestReversingBothChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after, classes := drawPair(t)
		turn := func(o randomness.Order) randomness.Order {
			r := randomness.Order{Cards: slices.Clone(o.Cards)}
			slices.Reverse(r.Cards)
			return r
		}
		b := turn(before)
		same(t, score(t, &before, after, classes), score(t, &b, turn(after), classes))
	})
}

// A random deck is a random deck: over many of them the p-values are spread evenly, and so is their
// small end.
func TestRandomDecksAreRandom(t *testing.T) {
	d, err := randomness.ParseComposition("land:6x2+4x3,spell:4x9")
	if err != nil {
		t.Fatal(err)
	}
	s := randomness.NewScorer(randomness.Options{Draws: 20_000, Seed: 3})
	p, err := s.Power(context.Background(), randomness.PowerRequest{Deck: d, Model: simulate.Random{}, Trials: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	// One table of 20,000 draws and 20,000 trials: standard error of the rate against uniform is
	// 0.1 points.
	if math.Abs(p.UniformQuestionable-.01) > .003 {
		t.Errorf("%.4f of random decks have p <= 0.01", p.UniformQuestionable)
	}
	if p.Questionable > .013 || p.Insufficient > .002 {
		t.Errorf("random decks: %.4f questionable, %.4f insufficient", p.Questionable, p.Insufficient)
	}
	honest, err := simulate.Parse("riffle:7+cut")
	if err != nil {
		t.Fatal(err)
	}
	d52, err := randomness.ParseComposition("1x52")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = s.Power(context.Background(), randomness.PowerRequest{Deck: d52, Model: honest, Trials: 20_000}); err != nil {
		t.Fatal(err)
	}
	if p.Questionable > .013 || p.Insufficient > .002 {
		t.Errorf("seven honest riffles: %.4f questionable, %.4f insufficient", p.Questionable, p.Insufficient)
	}
	if p.UniformQuestionable < .03 {
		t.Errorf("against uniform alone seven riffles are noticed in %.4f of cases; the second null would not be needed", p.UniformQuestionable)
	}
}

// Every level of the p-value is valid, not only the two that name levels.
func TestPIsValidAtEveryLevel(t *testing.T) {
	before := randomness.Order{}
	for i := range 40 {
		before.Cards = append(before.Cards, randomness.Card{Face: fmt.Sprint(i % 23)})
	}
	classes := randomness.Classes{}
	for i := range 9 {
		classes[fmt.Sprint(i)] = "land"
	}
	s := randomness.NewScorer(randomness.Options{Draws: 2000, Seed: 5, Completions: -1})
	rng := simulate.NewRand(11, 1)
	const trials = 200
	var ps []float64
	sum := 0.0
	for range trials {
		after := randomness.Order{Cards: slices.Clone(before.Cards)}
		rng.Shuffle(40, func(i, j int) { after.Cards[i], after.Cards[j] = after.Cards[j], after.Cards[i] })
		v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after, Classes: classes})
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, v.Results[0].Overall)
		sum += v.Evidence
	}
	slices.Sort(ps)
	for i, p := range ps { // one-sided Kolmogorov-Smirnov at about 1 in 10,000
		if excess := float64(i+1)/trials - p; excess > 2.15/math.Sqrt(trials) {
			t.Fatalf("p = %.4f is reached by %.4f of random decks", p, float64(i+1)/trials)
		}
	}
	if mean := sum / trials; mean > 1.5 {
		t.Errorf("mean e-value of random decks is %.2f, must be at most 1", mean)
	}
}
