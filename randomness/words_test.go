package randomness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"fairdeck/randomness/simulate"
	"fairdeck/randomness/theory"
	"github.com/google/go-cmp/cmp"
)

// numbered is an order of n distinct cards.
func numbered(n int) Order {
	var o Order
	for i := range n {
		o.Cards = append(o.Cards, Card{Face: fmt.Sprint(i)})
	}
	return o
}

// shuffled is what a model leaves of an order.
func shuffled(t *testing.T, o Order, model string, seed uint64) Order {
	t.Helper()
	m, err := simulate.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	at := make([]int, o.Len())
	for i := range at {
		at[i] = i
	}
	m.Shuffle(simulate.NewRand(seed, 3), at, make([]bool, o.Len()))
	out := Order{}
	for _, i := range at {
		out.Cards = append(out.Cards, o.Cards[i])
	}
	return out
}

func TestOddsInWords(t *testing.T) {
	for _, c := range []struct {
		p     float64
		draws int
		want  string
	}{
		{1, 1000, "nearly every time"},
		{.5, 1000, "about every second time"},
		{.01, 1000, "once in 100"},
		{1. / 1001, 1000, "at most once in 1,000"},
		{2. / 1001, 1000, "at most once in 500"},
		{5. / 1001, 1000, "at most once in 200"},
		{6. / 1001, 1000, "once in 170"},
		{1e-12, 1000, "less than once in a billion"},
		{0, 0, "less than once in a billion"},
	} {
		if got := Odds(c.p, c.draws); got != c.want {
			t.Errorf("Odds(%g, %d) = %q, want %q", c.p, c.draws, got, c.want)
		}
	}
}

// Where the exact law is known, the counts carry it and the sentences use it.
func TestCountsHaveTheirExactLaw(t *testing.T) {
	const n = 60
	before := numbered(n)
	after := shuffled(t, before, "riffle:3", 5)
	s := NewScorer(Options{Draws: 2000})
	v, err := s.Score(context.Background(), Request{Before: &before, After: after, Classes: Classes{"1": "a", "2": "a", "3": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	law, err := theory.Uniform(n)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := law.MeanSD()
	exact := 0
	for _, k := range v.Counts {
		sum := 0.0
		for _, p := range k.Law {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: the law sums to %v", k.Kind, sum)
		}
		if k.Exact {
			exact++
		} else if k.Draws == 0 {
			t.Errorf("%s: neither exact nor drawn", k.Kind)
		}
		if k.Kind != "rising" {
			continue
		}
		if want := law.AtMost(k.Observed); !(math.Abs(k.AtLeast(k.Observed)-want) <= 1e-9*want) || want > 1e-9 {
			t.Errorf("P(R <= %d) = %g, law %g", k.Observed, k.AtLeast(k.Observed), want)
		}
		if math.Abs(k.Mean-mean) > 1e-9 || math.Abs(k.SD-sd) > 1e-9 || k.Median != 30 {
			t.Errorf("mean %v, sd %v, median %d; law %v, %v", k.Mean, k.SD, k.Median, mean, sd)
		}
	}
	if exact != 4 {
		t.Errorf("%d exact laws, want rising, kept, turned and changes", exact)
	}
	if want := "(8 or fewer: less than once in a billion)"; !strings.Contains(v.Sentence, want) {
		t.Errorf("%q lacks %q", v.Sentence, want)
	}
	if want := "at least this odd at most once in "; !strings.Contains(v.Sentence, want) {
		t.Errorf("%q lacks %q", v.Sentence, want)
	}
	kept := 0
	for _, f := range v.Findings {
		if strings.Contains(f.Sentence, "1 place apart") {
			kept += 10
		}
		if f.Kind == "kept" {
			kept++
		}
	}
	if kept > 1 {
		t.Errorf("kept neighbours are told twice: %+v", v.Findings)
	}

	// One card read as another: the exact laws of distinct cards no longer hold.
	after.Cards[7] = after.Cards[31]
	after.Cards[7].Confidence = .5
	if v, err = s.Score(context.Background(), Request{Before: &before, After: after}); err != nil {
		t.Fatal(err)
	}
	for _, k := range v.Counts {
		if k.Exact {
			t.Errorf("%s: exact with a misread card", k.Kind)
		}
	}
}

func TestUntouchedDeckInWords(t *testing.T) {
	before := numbered(40)
	v, err := NewScorer(Options{Draws: 2000}).Score(context.Background(), Request{Before: &before, After: before})
	if err != nil {
		t.Fatal(err)
	}
	if v.Riffles.String() != "no riffle at all" || !strings.Contains(v.Sentence, "nothing was done to the deck") {
		t.Errorf("%s; %s", v.Riffles, v.Sentence)
	}
	for _, f := range v.Findings {
		if strings.Contains(f.Sentence, "1 strands") || strings.Contains(f.Looks, "about 0") {
			t.Errorf("%q looks like %q", f.Sentence, f.Looks)
		}
	}
}

// A deck dealt out card by card is no cut, and no number of riffles.
func TestReversedDeckInWords(t *testing.T) {
	for name, copies := range map[string]int{"distinct": 1, "copies": 3} {
		before := numbered(60)
		for i := range before.Cards {
			before.Cards[i].Face = fmt.Sprint(i * 7 % (60 / copies))
		}
		after := Order{Cards: reversed(before.Cards)}
		v, err := NewScorer(Options{Draws: 5000}).Score(context.Background(), Request{Before: &before, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if v.Level == Sufficient || !v.Riffles.Unlike || v.Riffles.String() != "no number of riffles" {
			t.Errorf("%s: %s, %+v", name, v.Level, v.Riffles)
		}
		turned := false
		for _, f := range v.Findings {
			turned = turned || f.Looks == turnedLooks
			if f.Looks == keptLooks {
				t.Errorf("%s: %q looks like %q", name, f.Sentence, f.Looks)
			}
		}
		if !turned {
			t.Errorf("%s: %s", name, v.Sentence)
		}
	}
}

// An order that cannot be judged says what would help.
func TestTooLittleSaysWhy(t *testing.T) {
	distinct := numbered(30)
	gaps := Order{Cards: make([]Card, 30)}
	for name, c := range map[string]struct {
		req  Request
		want string
	}{
		"one card":  {Request{After: NewOrder("a")}, "one order"},
		"same":      {Request{After: NewOrder("a", "a", "a", "a")}, "same card"},
		"no before": {Request{After: distinct}, "order before"},
		"class":     {Request{After: distinct, Classes: Classes{"1": "x"}}, "other classes"},
		"gaps":      {Request{Before: &distinct, After: gaps}, "No card was read"},
		"before":    {Request{Before: &gaps, After: distinct}, "4 cards"},
	} {
		v, err := NewScorer(Options{Draws: 200}).Score(context.Background(), c.req)
		if err != nil || v.Level != Undecided || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0].Text, c.want) {
			t.Errorf("%s: %v, %s, %v", name, err, v.Level, v.Warnings)
		}
	}
}

// A table that is there already does not keep a cancelled score going.
func TestScoreStopsWhereTablesExist(t *testing.T) {
	before := numbered(20)
	s := NewScorer(Options{Draws: 200})
	req := Request{Before: &before, After: shuffled(t, before, "random", 1)}
	if _, err := s.Score(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Score(ctx, req); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Who waits for a table that another call was making does not share its cancellation.
func TestAnothersCancellationIsNotOurs(t *testing.T) {
	before := numbered(20)
	after := shuffled(t, before, "random", 1)
	s := NewScorer(Options{Draws: 200})
	spec := encode(&before, after, nil).spec
	key := fmt.Sprintf("%x|%x|%x", spec.Before, spec.Readings, spec.Class)
	given := &tables{}
	given.once.Do(func() { given.err = context.Canceled })
	s.cache[key], s.age = given, []string{key}
	v, err := s.Score(context.Background(), Request{Before: &before, After: after})
	if err != nil || v.Level == Undecided {
		t.Errorf("%s, %v", v.Level, err)
	}
}

// Two orders of one deck share their laws and keep their own counts; another deck of the same shape
// shares them too and keeps its own names.
func TestCountsBelongToTheirOrder(t *testing.T) {
	deck, err := ParseComposition("land:4x6,spell:4x9")
	if err != nil {
		t.Fatal(err)
	}
	before := shuffled(t, deck.Order(), "random", 1)
	other := Order{}
	classes := Classes{}
	for f, k := range deck.Classes() {
		classes[f], classes["other "+f] = k, "other "+k
	}
	rename := func(o Order) (out Order) {
		for _, c := range o.Cards {
			out.Cards = append(out.Cards, Card{Face: "other " + c.Face})
		}
		return out
	}
	other = rename(before)
	shared := NewScorer(Options{Draws: 500})
	for i, model := range []string{"riffle:2", "overhand:3", "pile:7"} {
		after := shuffled(t, before, model, uint64(i))
		for _, req := range []Request{{Before: &before, After: after, Classes: classes}, {Before: &other, After: rename(after), Classes: classes}} {
			a, err := shared.Score(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := NewScorer(Options{Draws: 500}).Score(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b.Counts, a.Counts); diff != "" {
				t.Errorf("%s: %s", model, diff)
			}
		}
	}
}

// A season of bad shuffles multiplies beyond the largest number and must still be written down.
func TestEvidenceStaysFinite(t *testing.T) {
	values := make([]float64, 500)
	for i := range values {
		values[i] = 427
	}
	e := (Options{}).Combine(values)
	if _, err := json.Marshal(e); err != nil || e.Level != Insufficient {
		t.Errorf("%v, %s", err, e.Level)
	}
}
