package simulate

import (
	"fmt"
	"math/rand/v2"
)

// Overhand peels packets off the top and lets them fall on a new pile, Times times over.
type Overhand struct{ Times int }

// overhandMean is the average packet in cards; recorded overhand shuffles of 52 cards use 5 to 11 packets.
const overhandMean = 8

func (o Overhand) String() string { return fmt.Sprintf("overhand:%d", o.Times) }

// Shuffle reverses the order of the packets and keeps the order inside them.
func (o Overhand) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	for range o.Times {
		old := append([]int(nil), deck...)
		end := len(deck)
		for len(old) > 0 {
			size := min(packet(rng, overhandMean), len(old))
			end -= size
			copy(deck[end:], old[:size])
			old = old[size:]
		}
	}
}

// Pile deals the deck into piles and stacks them. It moves every card by a rule and mixes nothing.
type Pile struct {
	Piles  int
	Random bool // stack the piles in random order instead of left to right
}

func (p Pile) String() string {
	if p.Random {
		return fmt.Sprintf("pile:%d:random", p.Piles)
	}
	return fmt.Sprintf("pile:%d", p.Piles)
}

// Shuffle deals from the top; within a pile the last card dealt lies on top.
func (p Pile) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	if p.Piles < 2 {
		return
	}
	old := append([]int(nil), deck...)
	order := make([]int, p.Piles)
	for i := range order {
		order[i] = i
	}
	if p.Random {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	i := 0
	for _, pile := range order {
		last := len(old) - 1 - (len(old)-1-pile)%p.Piles // the last card dealt to this pile
		if pile >= len(old) {
			continue
		}
		for c := last; c >= 0; c -= p.Piles {
			deck[i] = old[c]
			i++
		}
	}
}

// Cut is a plain cut (Packets 1) or a restack of three packets (Packets 3).
type Cut struct{ Packets int }

func (c Cut) String() string {
	if c.Packets == 3 {
		return "cut:3"
	}
	return "cut"
}

// Shuffle cuts at places that are all equally likely.
func (c Cut) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	n := len(deck)
	if n < 3 {
		return
	}
	old := append([]int(nil), deck...)
	a := 1 + rng.IntN(n-1)
	if c.Packets != 3 {
		copy(deck[copy(deck, old[a:]):], old[:a])
		return
	}
	b := 1 + rng.IntN(n-2)
	if b >= a {
		b++
	}
	a, b = min(a, b), max(a, b)
	i := copy(deck, old[b:])
	i += copy(deck[i:], old[a:b])
	copy(deck[i:], old[:a])
}

// Random puts the deck into a uniformly random order.
type Random struct{}

func (Random) String() string { return "random" }

// Shuffle is Fisher and Yates' shuffle as the standard library does it.
func (Random) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
}

// None leaves the deck as it is.
type None struct{}

func (None) String() string { return "none" }

// Shuffle does nothing.
func (None) Shuffle(*rand.Rand, []int, []bool) {}
