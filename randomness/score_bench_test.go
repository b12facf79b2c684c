package randomness_test

import (
	"context"
	"testing"

	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
)

// benchScore times a whole score: both null tables of 100,000 draws, counts, estimate, on one core.
func benchScore(b *testing.B, composition string) {
	d, err := randomness.ParseComposition(composition)
	if err != nil {
		b.Fatal(err)
	}
	before := d.Order()
	after := randomness.Order{Cards: append([]randomness.Card(nil), before.Cards...)}
	rng := simulate.NewRand(1, 1)
	rng.Shuffle(len(after.Cards), func(i, j int) { after.Cards[i], after.Cards[j] = after.Cards[j], after.Cards[i] })
	for b.Loop() {
		s := randomness.NewScorer(randomness.Options{Workers: 1})
		if _, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after, Deck: &d}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScore60Distinct(b *testing.B) { benchScore(b, "land:1x24,spell:1x36") }
func BenchmarkScore60Copies(b *testing.B)   { benchScore(b, "land:6x2+4x3,spell:4x9") }
