package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Riffle is the GSR riffle, Times times over.
type Riffle struct{ Times int }

func (r Riffle) String() string { return fmt.Sprintf("riffle:%d", r.Times) }

// Shuffle uses the inverse description of the riffle (Bayer and Diaconis 1992, section 2): every
// place of the new order is given to the upper or the lower packet by a fair coin, and each packet
// keeps its order.
func (r Riffle) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	old := make([]int, len(deck))
	lower := make([]bool, len(deck))
	for range r.Times {
		copy(old, deck)
		upper := 0
		for i := range lower {
			lower[i] = rng.Uint64()&1 == 1
			if !lower[i] {
				upper++
			}
		}
		u, l := 0, upper
		for i := range deck {
			if lower[i] {
				deck[i] = old[l]
				l++
			} else {
				deck[i] = old[u]
				u++
			}
		}
	}
}

// Hands cut near the middle; three cards is the spread the reference powers assume.
const cutSD = 3

// cutNearMiddle returns a normally distributed size of the upper packet, at least 1 and at most n-1.
func cutNearMiddle(rng *rand.Rand, n int) int {
	c := int(math.Round(float64(n)/2 + cutSD*rng.NormFloat64()))
	return min(max(c, 1), n-1)
}

// packet draws a packet size from the geometric law on 1, 2, ... with the given mean.
func packet(rng *rand.Rand, mean float64) int {
	if mean <= 1 {
		return 1
	}
	u := 1 - rng.Float64() // in (0, 1]
	return 1 + int(math.Log(u)/math.Log(1-1/mean))
}

// interleave drops packets of geometric size from the two halves in turn, beginning with either, into deck.
func interleave(rng *rand.Rand, deck, upper, lower []int, mean float64) {
	takeLower := rng.Uint64()&1 == 1
	i := 0
	for len(upper) > 0 || len(lower) > 0 {
		from := &upper
		if takeLower {
			from = &lower
		}
		size := min(packet(rng, mean), len(*from))
		i += copy(deck[i:], (*from)[:size])
		*from = (*from)[size:]
		takeLower = !takeLower
	}
}

// Sloppy is a riffle by clumsy hands: packets of 3 cards on average instead of the GSR riffle's 2.
type Sloppy struct{ Times int }

// sloppyMean is the average packet in cards.
const sloppyMean = 3

func (s Sloppy) String() string { return fmt.Sprintf("sloppy:%d", s.Times) }

// Shuffle cuts near the middle and drops packets in turn.
func (s Sloppy) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	if len(deck) < 2 {
		return
	}
	for range s.Times {
		old := append([]int(nil), deck...)
		c := cutNearMiddle(rng, len(deck))
		interleave(rng, deck, old[:c], old[c:], sloppyMean)
	}
}

// Mash is the usual shuffle of sleeved cards: cut near the middle and push one half into the other,
// a few cards off.
type Mash struct{ Times int }

const (
	mashMean   = 1.6 // average packet: sleeves part more finely than riffled corners
	mashOffset = 8   // the halves meet 0 to 7 cards off
)

func (m Mash) String() string { return fmt.Sprintf("mash:%d", m.Times) }

// Shuffle leaves 0 to 7 cards of one half on top, then lets the halves alternate.
func (m Mash) Shuffle(rng *rand.Rand, deck []int, _ []bool) {
	if len(deck) < 2 {
		return
	}
	for range m.Times {
		old := append([]int(nil), deck...)
		c := cutNearMiddle(rng, len(deck))
		first, second := old[:c], old[c:]
		if rng.Uint64()&1 == 1 {
			first, second = second, first
		}
		off := min(rng.IntN(mashOffset), len(first))
		copy(deck, first[:off])
		interleave(rng, deck[off:], first[off:], second, mashMean)
	}
}
