package randomness_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
)

func numbered(n int) randomness.Order {
	var o randomness.Order
	for i := range n {
		o.Cards = append(o.Cards, randomness.Card{Face: fmt.Sprint("card ", i)})
	}
	return o
}

func shuffled(t *testing.T, o randomness.Order, how string, seed uint64) randomness.Order {
	t.Helper()
	m, err := simulate.Parse(how)
	if err != nil {
		t.Fatal(err)
	}
	deck := make([]int, o.Len())
	for i := range deck {
		deck[i] = i
	}
	m.Shuffle(simulate.NewRand(seed, 1), deck, nil)
	var after randomness.Order
	for _, c := range deck {
		after.Cards = append(after.Cards, o.Cards[c])
	}
	return after
}

func hasWarning(v randomness.Verdict, kind string) bool {
	for _, w := range v.Warnings {
		if w.Kind == kind {
			return true
		}
	}
	return false
}

func TestTooLittleIsAnAnswer(t *testing.T) {
	s := randomness.NewScorer(randomness.Options{Draws: 500})
	for _, o := range []randomness.Order{randomness.NewOrder("a"), randomness.NewOrder("a", "b"), randomness.NewOrder("a", "a", "a", "a", "a"), randomness.NewOrder("?", "?", "?", "?", "?")} {
		before := o
		for _, b := range []*randomness.Order{nil, &before} {
			v, err := s.Score(context.Background(), randomness.Request{Before: b, After: o})
			if err != nil {
				t.Fatalf("%d cards: %v", o.Len(), err)
			}
			if v.Level != randomness.Undecided || v.Sentence == "" || !hasWarning(v, "few-cards") {
				t.Errorf("%v: level %s, %q", o.Cards, v.Level, v.Sentence)
			}
		}
	}
	before := numbered(8)
	v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: shuffled(t, before, "random", 1)})
	if err != nil || !hasWarning(v, "few-cards") || v.Level == randomness.Undecided {
		t.Errorf("eight cards: %s, %v, warnings %v", v.Level, err, v.Warnings)
	}
}

func TestGapsKeepTheirPlaces(t *testing.T) {
	before := numbered(60)
	after := shuffled(t, before, "riffle:3", 2)
	after.Cards[7] = randomness.Card{}
	after.Cards[30] = randomness.Card{}
	after.Cards[41].Confidence = .6
	s := randomness.NewScorer(randomness.Options{Seed: 2})
	v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after})
	if err != nil {
		t.Fatal(err)
	}
	if v.Level != randomness.Insufficient || v.Gaps != 2 || v.Range == nil || v.Range.To != randomness.Insufficient || !hasWarning(v, "gaps") {
		t.Errorf("level %s, gaps %d, range %+v", v.Level, v.Gaps, v.Range)
	}
	if v.Range != nil && v.Range.LowP > v.Range.HighP {
		t.Errorf("range %+v", v.Range)
	}
	// A deck nobody read is no reason to accuse anybody.
	for i := range after.Cards {
		if i%3 != 0 {
			after.Cards[i] = randomness.Card{}
		}
	}
	after = shuffled(t, after, "random", 4)
	if v, err = s.Score(context.Background(), randomness.Request{Before: &before, After: after}); err != nil {
		t.Fatal(err)
	}
	if v.Level == randomness.Insufficient {
		t.Errorf("20 cards of 60 in random order: %s, %s", v.Level, v.Sentence)
	}
}

// A sorted deck has an exact likelihood in spite of its copies.
func TestSortedDeck(t *testing.T) {
	d, err := randomness.ParseComposition("4x15")
	if err != nil {
		t.Fatal(err)
	}
	before := d.Order()
	s := randomness.NewScorer(randomness.Options{Draws: 20_000})
	for k := 1; k <= 4; k++ {
		after := shuffled(t, before, fmt.Sprintf("riffle:%d", k), uint64(k))
		v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if v.Riffles.Low > k || v.Riffles.High < k || v.Riffles.Best < k-1 || v.Riffles.Best > k+1 {
			t.Errorf("%d riffles: %+v", k, *v.Riffles)
		}
		if k <= 3 && v.RiffleEvidence < 100 {
			t.Errorf("%d riffles: evidence %v", k, v.RiffleEvidence)
		}
	}
}

func TestLooksCost(t *testing.T) {
	before := numbered(52)
	after := shuffled(t, before, "riffle:5", 8)
	s := randomness.NewScorer(randomness.Options{Draws: 5000})
	once, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after})
	if err != nil {
		t.Fatal(err)
	}
	thrice, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after, Looks: 3})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(thrice.P-min(1, 3*once.P)) > 1e-12 || !hasWarning(thrice, "several-looks") {
		t.Errorf("p %v once, %v at three looks", once.P, thrice.P)
	}
}

func TestOtherCardsAreAnError(t *testing.T) {
	before, after := numbered(10), numbered(10)
	after.Cards[3] = randomness.Card{Face: "card 99", Line: 4}
	s := randomness.NewScorer(randomness.Options{Draws: 200})
	_, err := s.Score(context.Background(), randomness.Request{Before: &before, After: after})
	var mm *randomness.MismatchError
	if !errors.As(err, &mm) || !strings.Contains(err.Error(), `"card 99" (line 4)`) || !strings.Contains(err.Error(), `"card 3"`) {
		t.Errorf("got %v", err)
	}
	after = numbered(9)
	if _, err = s.Score(context.Background(), randomness.Request{Before: &before, After: after}); !errors.As(err, &mm) {
		t.Errorf("nine cards after ten: %v", err)
	}
	after = numbered(10)
	after.Cards[3] = randomness.Card{Face: "card 99", Confidence: .4} // doubtful: carried through
	if _, err = s.Score(context.Background(), randomness.Request{Before: &before, After: after}); err != nil {
		t.Errorf("a doubtful reading: %v", err)
	}
	list := randomness.Deck{Lines: []randomness.DeckLine{{Count: 9, Face: "card 1"}}}
	if _, err = s.Score(context.Background(), randomness.Request{After: numbered(9), Deck: &list}); !errors.As(err, &mm) {
		t.Errorf("another deck than the list: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before := numbered(60)
	s := randomness.NewScorer(randomness.Options{})
	if _, err := s.Score(ctx, randomness.Request{Before: &before, After: before}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// A cancelled table is not kept.
	if v, err := s.Score(context.Background(), randomness.Request{Before: &before, After: before}); err != nil || v.Level != randomness.Insufficient {
		t.Errorf("after a cancelled run: %s, %v", v.Level, err)
	}
}

func TestEValue(t *testing.T) {
	// The mean over a uniform p is 1; the integral in closed steps of ln p.
	sum := 0.0
	const steps = 400_000
	for i := range steps {
		// p = exp(-x), x up to 60: the tail beyond carries about 1/60.
		x := (float64(i) + .5) * 60 / steps
		sum += randomness.EValue(math.Exp(-x)) * math.Exp(-x) * 60 / steps
	}
	if sum > 1 || sum < .97 {
		t.Errorf("mean e-value over x <= 60: %.4f", sum)
	}
	for p := 1e-6; p < 1; p *= 1.3 {
		if randomness.EValue(p) < randomness.EValue(p*1.3) && p*1.3 < 1 {
			t.Errorf("evidence does not fall at p = %v", p)
		}
	}
	e := randomness.Options{}.Combine([]float64{2, .5, 2000, .9})
	if math.Abs(e.Product-1800) > 1e-9 || e.Level != randomness.Insufficient || math.Abs(e.P-1.0/2000) > 1e-12 {
		t.Errorf("%+v", e)
	}
	if e = (randomness.Options{}).Combine(nil); e.Level != randomness.Undecided {
		t.Errorf("no shuffles: %+v", e)
	}
}

func TestSameSeedSameVerdict(t *testing.T) {
	before := numbered(40)
	after := shuffled(t, before, "mash:5", 3)
	var first float64
	for _, workers := range []int{1, 2, 5} {
		v, err := randomness.NewScorer(randomness.Options{Draws: 10_000, Seed: 9, Workers: workers}).Score(context.Background(), randomness.Request{Before: &before, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = v.P
		} else if v.P != first {
			t.Errorf("%d workers: p %v, one worker %v", workers, v.P, first)
		}
	}
}

func ExampleScorer_Score() {
	before := randomness.Order{}
	for i := range 52 {
		before.Cards = append(before.Cards, randomness.Card{Face: fmt.Sprint("card ", i+1)})
	}
	// Somebody cut the deck and did nothing else.
	after := randomness.Order{Cards: append(append([]randomness.Card(nil), before.Cards[20:]...), before.Cards[:20]...)}
	v, err := randomness.NewScorer(randomness.Options{}).Score(context.Background(), randomness.Request{Before: &before, After: after})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Level)
	fmt.Println(v.Findings[0].Sentence)
	fmt.Println("It looks like", v.Findings[0].Looks)
	// Output:
	// insufficient
	// 50 of 51 neighbours stayed together; a fair shuffle leaves about 1, and 6 or more once in 1,900 (50 or more: less than once in a billion).
	// It looks like the deck was only cut (32 cards went from the bottom to the top)
}
