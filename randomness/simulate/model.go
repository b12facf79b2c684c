package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Model is one way to handle a deck. Shuffle rearranges deck, top first, in place; marked[c] tells
// whether card number c belongs to the class that the order-aware models (weave, clump, stack)
// move. marked may be nil for the other models.
type Model interface {
	String() string
	Shuffle(rng *rand.Rand, deck []int, marked []bool)
}

// Sequence does one model after the other.
type Sequence []Model

// String joins the names with "+", as Parse reads them.
func (s Sequence) String() string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.String()
	}
	return strings.Join(names, "+")
}

// Shuffle does one model after the other.
func (s Sequence) Shuffle(rng *rand.Rand, deck []int, marked []bool) {
	for _, m := range s {
		m.Shuffle(rng, deck, marked)
	}
}

// NewRand returns the random source that all simulations of the project use for a seed and a stream number.
func NewRand(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream))
}

// maxTimes bounds repetitions read from text, so that a typing error does not run for hours.
const maxTimes = 1000

// NeedsClass tells whether a model moves the marked cards apart from the others, and so does nothing
// where none or all are marked.
func NeedsClass(m Model) bool {
	switch m := m.(type) {
	case Sequence:
		return slices.ContainsFunc(m, NeedsClass)
	case Weave, Clump:
		return true
	}
	return false
}

// Parse reads a description such as "riffle:4+cut"; see the package comment for the words. Errors
// name the word at fault.
func Parse(text string) (Sequence, error) {
	var seq Sequence
	for _, word := range strings.Split(text, "+") {
		m, err := parseOne(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("shuffle %q: %w", text, err)
		}
		seq = append(seq, m)
	}
	return seq, nil
}

func parseOne(word string) (Model, error) {
	parts := strings.Split(word, ":")
	name, args := parts[0], parts[1:]
	number := -1
	if len(args) > 0 {
		v, err := strconv.Atoi(args[0])
		if err != nil || v < 0 || v > maxTimes {
			return nil, fmt.Errorf("%q: %q is not a number from 0 to %d", word, args[0], maxTimes)
		}
		number = v
	}
	most := 1 // parameters the model takes
	if name == "pile" {
		most = 2
	} else if name == "weave" || name == "random" || name == "none" {
		most = 0
	}
	if len(args) > most {
		return nil, fmt.Errorf("%q: %s takes at most %d parameters", word, name, most)
	}
	times := max(number, 1)
	if number == 0 {
		times = 0
	}
	switch name {
	case "riffle":
		return Riffle{Times: times}, nil
	case "sloppy":
		return Sloppy{Times: times}, nil
	case "mash":
		return Mash{Times: times}, nil
	case "overhand":
		return Overhand{Times: times}, nil
	case "pile":
		p := Pile{Piles: number}
		if number < 2 {
			return nil, fmt.Errorf("%q: say how many piles, at least 2, as in pile:7", word)
		}
		if len(args) == 2 {
			if args[1] != "random" {
				return nil, fmt.Errorf("%q: the piles are stacked left to right or, with pile:%d:random, in random order", word, number)
			}
			p.Random = true
		}
		return p, nil
	case "cut":
		if number > 3 || number == 0 || number == 2 {
			return nil, fmt.Errorf("%q: cut is one cut, cut:3 a restack of three packets", word)
		}
		return Cut{Packets: max(number, 1)}, nil
	case "weave":
		return Weave{}, nil
	case "clump", "stack", "top", "bottom":
		if number < 1 {
			return nil, fmt.Errorf("%q: say how many cards, as in %s:6", word, name)
		}
		switch name {
		case "clump":
			return Clump{Cards: number}, nil
		case "stack":
			return Clump{Cards: number, Bottom: true}, nil
		case "top":
			return Kept{Cards: number}, nil
		}
		return Kept{Cards: number, Bottom: true}, nil
	case "random":
		return Random{}, nil
	case "none":
		return None{}, nil
	}
	return nil, fmt.Errorf("%q is not a shuffle: use riffle, sloppy, mash, overhand, pile, cut, weave, clump, stack, top, bottom, random or none", word)
}
