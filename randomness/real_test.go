package randomness_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"fairdeck/internal/shufflestudy/reference"
	"fairdeck/randomness"
)

// The seven riffles of a real 52-card deck, recorded state by state.
func TestRealRiffles(t *testing.T) {
	path := reference.Path(t, "fixtures", "real", "shuffles", "blue-deck.csv")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	series, err := randomness.ReadSeries(f, "blue-deck.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(series.Orders) != 8 || series.Orders[0].Len() != 52 {
		t.Fatalf("%d orders of %d cards", len(series.Orders), series.Orders[0].Len())
	}
	s := randomness.NewScorer(randomness.Options{Seed: 1})
	v, err := s.Series(context.Background(), series, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range v.Steps {
		if r := step.Riffles; r.Best != 1 || r.Low > 1 || r.High < 1 {
			t.Errorf("step %d: estimated %s, was one riffle", i+1, r)
		}
		if step.Level != randomness.Insufficient {
			t.Errorf("step %d: one riffle is called %s", i+1, step.Level)
		}
	}
	for i, from := range v.FromHere {
		k := i + 1
		t.Logf("start to %d: R = %d, %s, level %s, p %.2g: %s", k, from.Effects.RisingSequences, from.Riffles, from.Level, from.P, from.Sentence)
		// Real riffles are alike and neat: composed, they look like fewer average riffles from the
		// fourth on.
		if r := from.Riffles; r.Low > k || r.High < k-1 || k <= 6 && (r.Best > k || r.Best < k-1) {
			t.Errorf("start to %d: estimated %s", k, r)
		}
		if k <= 4 && from.Level != randomness.Insufficient {
			t.Errorf("start to %d: called %s", k, from.Level)
		}
	}
	t.Log(v.Sentence)
}

// The pair file of the same recording names the rising sequences and kept neighbours it was published with.
func TestRealPairs(t *testing.T) {
	f, err := os.Open(reference.Path(t, "fixtures", "real", "shuffles", "blue-deck-pairs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := randomness.NewScorer(randomness.Options{Draws: 2000})
	for _, r := range rows[1:] {
		before, after := randomness.NewOrder(strings.Fields(r[5])...), randomness.NewOrder(strings.Fields(r[6])...)
		v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(v.Effects.RisingSequences); got != r[3] {
			t.Errorf("pair %s-%s: %s rising sequences, the file says %s", r[0], r[1], got, r[3])
		}
		if got := fmt.Sprint(v.Effects.KeptNeighbours); got != r[4] {
			t.Errorf("pair %s-%s: %s kept neighbours, the file says %s", r[0], r[1], got, r[4])
		}
	}
}
