package calibrate_test

import (
	"fmt"

	"fairdeck/calibrate"
)

func ExampleResolutionOf() {
	r, err := calibrate.ResolutionOf(5.8, 0.8, 1.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("smallest mark %.2f mm\n", r.SmallestMM)
	// Output:
	// smallest mark 0.14 mm
}

func ExampleBoard_Printed() {
	// The printer fitted the page to its margins: 100 mm came out as 97.
	b, err := calibrate.DefaultBoard().Printed(97)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("squares of %.2f mm\n", b.SquareMM)
	// Output:
	// squares of 24.25 mm
}
