package battery

import (
	"fmt"
	"math"
	"slices"
)

// Scratch is the working memory of one goroutine.
type Scratch struct {
	pos         []uint8 // distinct cards: place after by face
	lanes, wide []uint16
	rows        [3][]int32
	prefixCount []uint8
	last        []int32

	// chain
	maskWords            int
	mask                 []uint64
	next                 []int
	places, copyAt, rank []uint8
	lam, use, ideal, inv []float64
	fwd                  []float64
	fwdLen, rankLen      int
	vecA, vecB           []float64
	prefix, prefix2      []float64
	place1               []float64 // 1/copies of the face at each index of places
	tilt, stickyTilt     float64
	stickyBonus          float64

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
	o := &b.order
	s.maskWords = (n + 63) / 64
	s.mask = make([]uint64, w*s.maskWords)
	s.next = make([]int, w+1)
	s.places, s.copyAt = make([]uint8, n), make([]uint8, n)
	most := 0
	walked := make([]int, w)
	for _, c := range o.seq {
		walked[c]++
		most = max(most, o.count[c])
		s.fwdLen += o.count[c]
	}
	s.rankLen = s.fwdLen
	s.rank = make([]uint8, s.rankLen)
	s.fwd = make([]float64, s.fwdLen)
	s.lam, s.use, s.ideal, s.place1 = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	s.inv = make([]float64, w)
	for c := range w {
		if o.count[c] == 0 {
			continue
		}
		s.inv[c] = 1 / float64(o.count[c])
		for j := o.start[c]; j < o.start[c+1]; j++ {
			s.ideal[j] = float64(walked[c]) / float64(o.count[c])
			s.place1[j] = s.inv[c]
		}
	}
	s.vecA, s.vecB = make([]float64, most), make([]float64, most)
	s.prefix, s.prefix2 = make([]float64, most+1), make([]float64, most+1)
	s.tilt = math.Exp(-chainTheta)
	s.stickyTilt = math.Exp(-stickyTheta)
	s.stickyBonus = math.Exp(stickyBeta) - 1
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

// orderStats evaluates the order statistics of any deck.
func (b *Battery) orderStats(e []uint8, s *Scratch, out *Codes) {
	if b.distinct {
		for p, c := range e {
			s.pos[c] = uint8(p)
		}
		b.risingDistinct(s, out)
	} else {
		b.risingCopies(e, s, out)
	}
	b.neighbours(e, out)
	b.strides(e, s, out)
}
