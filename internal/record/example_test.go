package record_test

import (
	"fmt"
	"os"

	"fairdeck/internal/record"
)

// Another program reads a check and acts on the verdict.
func ExampleDecode() {
	f, err := os.Open("testdata/check-v1.json")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	c, err := record.Decode(f)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Verdict.Level)
	fmt.Println(c.Verdict.Lines[0])
	for _, s := range c.Sleeves {
		if s.Flagged() {
			fmt.Println(s.Sleeve, s.Flags, s.Marks[0].Kind)
		}
	}
	// Output:
	// flagged
	// 2 of 8 sleeves can be told from the rest.
	// 2 [mark] pen_dot
	// 3 [mark] worn_corner
}
