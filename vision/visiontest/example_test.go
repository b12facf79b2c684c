package visiontest_test

import (
	"fmt"

	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

func ExampleNew() {
	st, err := visiontest.New(visiontest.Deck{
		Seed: 7, Cards: 4,
		Sleeve: visiontest.Sleeve{Colour: visiontest.White},
		Turned: []int{2},
		Marks: []visiontest.Mark{{Kind: visiontest.PenDot, Cards: []int{1, 3},
			WhereMM: plane.Point{X: 20, Y: 30}, SizeMM: 1.5}},
	})
	if err != nil {
		panic(err)
	}
	for _, f := range st.Truth().Frames {
		for _, c := range f.Cards {
			fmt.Print(f.File, " ", c.Orientation)
			for _, m := range c.Marks {
				fmt.Print(" ", m.Kind, " ", m.Severity)
			}
			fmt.Println()
		}
	}
	// Output:
	// back_000.jpg 0
	// back_001.jpg 0 pen_dot obvious
	// back_002.jpg 180
	// back_003.jpg 0 pen_dot obvious
}
