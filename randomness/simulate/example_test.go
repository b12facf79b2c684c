package simulate_test

import (
	"fmt"

	"fairdeck/randomness/simulate"
)

func ExampleParse() {
	m, err := simulate.Parse("pile:3+cut")
	if err != nil {
		fmt.Println(err)
		return
	}
	deck := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	m.Shuffle(simulate.NewRand(1, 1), deck, nil)
	fmt.Println(m, "keeps all", len(deck), "cards")
	// Output: pile:3+cut keeps all 9 cards
}
