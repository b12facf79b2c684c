package simulate

import (
	"fmt"
	"math/rand/v2"
)

// isMarked reads the class of a card and takes a missing table as "none marked".
func isMarked(marked []bool, c int) bool { return c < len(marked) && marked[c] }

// split deals a deck into marked and other cards.
func split(deck []int, marked []bool) (in, out []int) {
	for _, c := range deck {
		if isMarked(marked, c) {
			in = append(in, c)
		} else {
			out = append(out, c)
		}
	}
	return in, out
}

// Weave is a random deck whose marked cards are then spread evenly ("mana weaving").
type Weave struct{}

func (Weave) String() string { return "weave" }

// Shuffle gives the i-th marked card the middle of the i-th of equal stretches; the cards of each
// class are in random order.
func (Weave) Shuffle(rng *rand.Rand, deck []int, marked []bool) {
	Random{}.Shuffle(rng, deck, nil)
	in, out := split(deck, marked)
	n, m := len(deck), len(in)
	for i := range deck {
		// place i is a marked one when the count of stretch middles up to it grows there
		if ((2*i+2)*m+n)/(2*n) > ((2*i)*m+n)/(2*n) && len(in) > 0 {
			deck[i], in = in[0], in[1:]
		} else if len(out) > 0 {
			deck[i], out = out[0], out[1:]
		} else {
			deck[i], in = in[0], in[1:]
		}
	}
}

// Clump is a random deck with some marked cards put on top, or at the bottom.
type Clump struct {
	Cards  int
	Bottom bool
}

func (c Clump) String() string {
	if c.Bottom {
		return fmt.Sprintf("stack:%d", c.Cards)
	}
	return fmt.Sprintf("clump:%d", c.Cards)
}

// Shuffle moves the first marked cards of a random order to the end asked for; with fewer marked
// cards than asked, all of them.
func (c Clump) Shuffle(rng *rand.Rand, deck []int, marked []bool) {
	Random{}.Shuffle(rng, deck, nil)
	var moved, rest []int
	for _, card := range deck {
		if isMarked(marked, card) && len(moved) < c.Cards {
			moved = append(moved, card)
		} else {
			rest = append(rest, card)
		}
	}
	if c.Bottom {
		copy(deck[copy(deck, rest):], moved)
	} else {
		copy(deck[copy(deck, moved):], rest)
	}
}

// Kept leaves the top (or bottom) cards where they are and puts the rest into random order.
type Kept struct {
	Cards  int
	Bottom bool
}

func (k Kept) String() string {
	if k.Bottom {
		return fmt.Sprintf("bottom:%d", k.Cards)
	}
	return fmt.Sprintf("top:%d", k.Cards)
}

// Shuffle mixes what is not kept.
func (k Kept) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	keep := min(k.Cards, len(deck))
	rest := deck[keep:]
	if k.Bottom {
		rest = deck[:len(deck)-keep]
	}
	Random{}.Shuffle(rng, rest, nil)
}

var (
	_ Model = Riffle{}
	_ Model = Sloppy{}
	_ Model = Mash{}
	_ Model = Overhand{}
	_ Model = Pile{}
	_ Model = Cut{}
	_ Model = Weave{}
	_ Model = Clump{}
	_ Model = Kept{}
	_ Model = Random{}
	_ Model = None{}
	_ Model = Sequence{}
)
