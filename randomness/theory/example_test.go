package theory_test

import (
	"fmt"

	"fairdeck/randomness/theory"
)

// How far from random is a 52-card deck after seven riffles?
func ExampleAfterRiffles() {
	law, err := theory.AfterRiffles(52, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, _ := law.MeanSD()
	fmt.Printf("total variation %.3f, %.1f rising sequences on average\n", law.TotalVariation(), mean)
	// Output: total variation 0.334, 24.7 rising sequences on average
}

// The best test of level 1% for 60 cards, and how often it notices five riffles.
func ExampleOptimalTest() {
	null, err := theory.Uniform(60)
	if err != nil {
		fmt.Println(err)
		return
	}
	test, err := theory.OptimalTest(null, .01)
	if err != nil {
		fmt.Println(err)
		return
	}
	five, err := theory.AfterRiffles(60, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	plain, exact := test.Power(five)
	fmt.Printf("reject %d or fewer: power %.3f, with exact level %.3f\n", test.RejectAtMost, plain, exact)
	// Output: reject 24 or fewer: power 0.957, with exact level 0.980
}

func ExampleKeptNeighbours() {
	law := theory.KeptNeighbours(60)
	fmt.Printf("six or more of 59 neighbours stay together once in %.0f fair shuffles\n", 1/theory.AtLeast(law, 6))
	// Output: six or more of 59 neighbours stay together once in 1841 fair shuffles
}
