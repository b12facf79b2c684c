package battery

import "slices"

// Null names a law of fair decks.
type Null struct {
	// Riffles is 0 for the uniform law: all orders of the readings equally likely. A positive
	// number stands for so many GSR riffles of the order before followed by a cut at a uniformly
	// random place: the least mixed order that an honest player who riffles "at least that often"
	// can present after the opponent's cut. At most MaxRiffles.
	Riffles int
	// Uncut leaves the cut away; it matters only with Riffles. The law of the order before itself
	// is Riffles 0 with Uncut.
	Uncut bool
}

// MaxRiffles is the largest number of riffles in a Null.
const MaxRiffles = 10

// drawScratch holds what drawing needs.
type drawScratch struct {
	order   []uint8 // the drawn order
	cards   []uint8 // what the station would read of each card before, in the order before
	digits  []uint16
	counts  []int32
	surplus []uint8
	lost    []bool
	left    []int
}

func (b *Battery) newDrawScratch() drawScratch {
	return drawScratch{
		order: slices.Clone(b.readings), cards: make([]uint8, b.n), digits: make([]uint16, b.n),
		counts: make([]int32, 1<<MaxRiffles), lost: make([]bool, b.n),
		surplus: make([]uint8, len(b.surplus)), left: make([]int, b.faces+1),
	}
}

// fair draws a uniformly random order of the readings into s.draw.order.
func (b *Battery) fair(r *rng, s *Scratch) { r.shuffle(s.draw.order) }

// riffled draws the order after k riffles and a cut: every place gets a random digit below 2^k, and
// read digit by digit the places spell the order before (the inverse of k riffles, Bayer and
// Diaconis 1992). Cards that were misread or not read are chosen at random among the copies.
func (b *Battery) riffled(null Null, r *rng, s *Scratch) {
	k := null.Riffles
	d := &s.draw
	b.misread(r, s)
	n := b.n
	counts := d.counts[:1<<k]
	clear(counts)
	var word uint64
	left := 0
	for i := range d.digits {
		if left < k {
			word, left = r.next(), 64
		}
		v := uint16(word) & (1<<k - 1)
		word >>= k
		left -= k
		d.digits[i] = v
		counts[v]++
	}
	var sum int32
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
	p := 0
	if !null.Uncut {
		p = int(uint32((r.next() & 0xffffffff) * uint64(n) >> 32))
	}
	for _, v := range d.digits {
		d.order[p] = d.cards[counts[v]]
		counts[v]++
		if p++; p == n {
			p = 0
		}
	}
}

// misread fills d.cards. With readings that match the cards before it is a copy; else the surplus
// readings go to random copies of the faces that came up short.
func (b *Battery) misread(r *rng, s *Scratch) {
	d := &s.draw
	copy(d.cards, b.before)
	if len(b.short) == 0 {
		return
	}
	w := b.faces + 1
	nb := d.left[:w]
	copy(nb, b.beforeCount)
	copy(d.surplus, b.surplus)
	r.shuffle(d.surplus)
	clear(d.lost)
	for i, c := range b.short {
		// one of the copies of c that are still read right, each with the same chance
		pick := int(uint32((r.next() & 0xffffffff) * uint64(nb[c]) >> 32))
		nb[c]--
		for p, x := range b.before {
			if int(x) == c && !d.lost[p] {
				if pick == 0 {
					d.cards[p], d.lost[p] = d.surplus[i], true
					break
				}
				pick--
			}
		}
	}
}
