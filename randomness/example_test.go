package randomness_test

import (
	"context"
	"fmt"
	"strings"

	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
)

func ExampleReadText() {
	o, err := randomness.ReadText(strings.NewReader("# top first\nIsland\n?\nSwamp\n"), "deck.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Len(), "cards,", o.Gaps(), "not read")
	_, err = randomness.ReadText(strings.NewReader("Island\n\nSwamp\n"), "deck.txt")
	fmt.Println(err)
	// Output:
	// 3 cards, 1 not read
	// deck.txt:2: empty line inside the deck; write ? for a card that was not read
}

// Would four riffles of a deck of 60 different cards be noticed?
func ExampleScorer_Power() {
	deck, err := randomness.ParseComposition("1x60")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := randomness.NewScorer(randomness.Options{})
	p, err := s.Power(context.Background(), randomness.PowerRequest{Deck: deck, Model: simulate.Riffle{Times: 4}, Trials: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("called insufficient in %.0f%% of cases\n", 100*p.Insufficient)
	// Output: called insufficient in 100% of cases
}

// Evidence of several shuffles multiplies; a fair player's product reaches 1,000 at most once in 1,000 histories.
func ExampleOptions_Combine() {
	e := randomness.Options{}.Combine([]float64{randomness.EValue(.02), randomness.EValue(.004), randomness.EValue(.001)})
	fmt.Println(e.Level)
	// Output: questionable
}
