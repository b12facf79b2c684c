package battery

import (
	"fmt"
	"slices"
)

// Scratch is the working memory of one goroutine.
type Scratch struct {
	pos         []uint8 // distinct cards: place after by face
	lanes, wide []uint16
	rows        [3][]int32
	prefixCount []uint8
	last        []int32

	chain *chainScratch // nil without an order before, or without copies

	draw drawScratch
}

// NewScratch allocates working memory for this battery.
func (b *Battery) NewScratch() *Scratch {
	n, w := b.n, b.faces+1
	s := &Scratch{
		pos:         make([]uint8, w),
		lanes:       make([]uint16, n),
		wide:        make([]uint16, n),
		prefixCount: make([]uint8, n),
		last:        make([]int32, w),
	}
	for i := range s.rows {
		s.rows[i] = make([]int32, n)
	}
	s.draw = b.newDrawScratch()
	if b.before == nil || b.distinct || !b.order.varied {
		return s
	}
	s.chain = b.newChainScratch()
	return s
}

// Codes evaluates an order of the readings, given in the codes of the Spec.
func (b *Battery) Codes(order []uint8, s *Scratch) (Codes, error) {
	e := slices.Clone(order)
	for i := range e {
		if e[i] == Unread {
			e[i] = uint8(b.faces)
		}
	}
	sorted := slices.Clone(e)
	slices.Sort(sorted)
	if !slices.Equal(sorted, b.readings) {
		return Codes{}, fmt.Errorf("the order to evaluate does not hold the %d readings of the deck", b.n)
	}
	var out Codes
	b.evaluate(e, s, &out)
	return out, nil
}

// evaluate fills out; e is in internal codes.
func (b *Battery) evaluate(e []uint8, s *Scratch, out *Codes) {
	if b.active[Rising] && !b.distinct {
		b.risingCopies([lanes][]uint8{e, e}, s.chain, [lanes]*Codes{out, out})
	}
	b.evaluateRest(e, s, out)
}

// evaluateTogether does the same for as many orders as there are lanes.
func (b *Battery) evaluateTogether(e [lanes][]uint8, s *Scratch, out [lanes]*Codes) {
	if b.active[Rising] && !b.distinct {
		b.risingCopies(e, s.chain, out)
	}
	for lane := range lanes {
		b.evaluateRest(e[lane], s, out[lane])
	}
}

// evaluateRest fills in everything but the chain statistics.
func (b *Battery) evaluateRest(e []uint8, s *Scratch, out *Codes) {
	switch {
	case !b.active[Kept]:
	case b.identity.ok:
		b.orderIdentity(e, s, out)
	default:
		b.orderStats(e, s, out)
	}
	switch {
	case !b.active[ClassEven]:
	case b.arrange.masks:
		b.classMasks(e, out)
	default:
		b.classStats(e, s, out)
	}
	if b.active[CopyTouch] {
		b.copyStats(e, s, out)
	}
}

// orderStats evaluates the order statistics of any deck, without the chain statistics.
func (b *Battery) orderStats(e []uint8, s *Scratch, out *Codes) {
	if b.distinct {
		for p, c := range e {
			s.pos[c] = uint8(p)
		}
		b.risingDistinct(s, out)
	}
	b.neighbours(e, out)
	b.strides(e, s, out)
}
