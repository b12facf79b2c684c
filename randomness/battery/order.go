package battery

import "math"

// orderTables are the look-ups for statistics of a before and an after.
type orderTables struct {
	readable int  // cards before that are read after
	varied   bool // at least two faces among them

	count []int // copies of each face after
	start []int // first index of each face in the list of places after

	// pair[x*(faces+1)+y] packs, for the face y lying directly under x after: Kept, KeptLight,
	// Turned (16 bits each).
	pair []uint64
	// run is the surprise of that pair as part of a block, 0 when it did not lie so before.
	run []uint16

	info []uint16 // surprise of finding this face at a given place

	cos, sin []int32 // [face*n+place]: the face's mean direction before, turned back by the place after, in 2^-16

	seq []uint8 // the faces before that can be found after: what the chain walks along
	adj []bool  // seq[i] and seq[i+1] lay next to each other before
}

// Chances for which the likelihood ratios of kept neighbours are made: an overhand shuffle or a
// clumsy riffle or two keeps about 3 in 10, three or four riffles about 8 in 100.
const (
	keptHeavy = 0.30
	keptLight = 0.08
)

func (b *Battery) buildOrder() {
	n, w := b.n, b.faces+1
	o := &b.order
	o.count = make([]int, w)
	for _, c := range b.readings {
		o.count[c]++
	}
	nb := make([]int, w)
	for _, c := range b.before {
		nb[c]++
	}
	o.start = make([]int, w+1)
	for t := range w {
		o.start[t+1] = o.start[t] + o.count[t]
	}
	first := -1
	prev := -2
	for i, c := range b.before {
		if int(c) == b.faces || o.count[c] == 0 {
			continue
		}
		if len(o.seq) > 0 {
			o.adj = append(o.adj, prev == i-1)
		}
		prev = i
		o.seq = append(o.seq, c)
		o.readable++
		if first < 0 {
			first = int(c)
		}
		o.varied = o.varied || int(c) != first
	}

	together := make([]int, w*w) // times y lay directly under x before
	for i := 1; i < n; i++ {
		together[int(b.before[i-1])*w+int(b.before[i])]++
	}
	o.pair = make([]uint64, w*w)
	o.run = make([]uint16, w*w)
	gain := func(chance float64, c int, e float64) uint64 {
		if c == 0 || e <= 0 {
			return 0
		}
		return uint64(b.scale*math.Log((1-chance+chance*float64(c)/e)/(1-chance)) + .5)
	}
	// Chance that a random card under a face, or above it, makes a pair that lay so before.
	below, above := make([]float64, w), make([]float64, w)
	for x := range b.faces {
		for y := range b.faces {
			if together[x*w+y] > 0 {
				below[x] += b.chanceNext(x, y)
				above[y] += b.chanceNext(y, x)
			}
		}
	}
	for x := range b.faces {
		for y := range b.faces {
			// e: how often a random order would put y directly under x
			e := float64(o.count[x]) * b.chanceNext(x, y)
			fwd, back := together[x*w+y], together[y*w+x]
			o.pair[x*w+y] = gain(keptHeavy, fwd, e) | gain(keptLight, fwd, e)<<16 | gain(keptHeavy, back, e)<<32
			// The surprise of the pair, seen from either card; the geometric mean of both, so that
			// turning both orders over changes nothing.
			if p := below[x] * above[y]; fwd > 0 && p > 0 && p < 1 {
				o.run[x*w+y] = uint16(max(1, b.scale*-math.Log(p)/2+1e-6))
			}
		}
	}
	o.info = make([]uint16, w)
	for t := range b.faces {
		if o.count[t] > 0 {
			o.info[t] = uint16(b.scale * math.Log(float64(n)/float64(o.count[t])))
		}
	}
	o.cos, o.sin = make([]int32, w*n), make([]int32, w*n)
	for i, c := range b.before {
		if int(c) == b.faces {
			continue
		}
		for p := range n {
			s, co := math.Sincos(2 * math.Pi * float64(p-i) / float64(n))
			o.cos[int(c)*n+p] += int32(math.Round(co * (1 << 16) / float64(nb[c])))
			o.sin[int(c)*n+p] += int32(math.Round(s * (1 << 16) / float64(nb[c])))
		}
	}
}

// chanceNext is the chance that the card under a card of face x has face y in a random order of the
// readings.
func (b *Battery) chanceNext(x, y int) float64 {
	c := b.order.count[y]
	if x == y {
		c--
	}
	return float64(max(c, 0)) / float64(b.n-1)
}

// neighbours evaluates everything that looks at cards next to each other after, and at cards that
// stayed in place.
func (b *Battery) neighbours(e []uint8, out *Codes) {
	o, w := &b.order, b.faces+1
	var sum uint64
	run, best := 0, 0
	re, im := o.cos[int(e[0])*b.n], o.sin[int(e[0])*b.n]
	x := int(e[0])
	for i := 1; i < len(e); i++ {
		y := int(e[i])
		sum += o.pair[x*w+y]
		r := int(o.run[x*w+y])
		run += r
		if r == 0 {
			run = 0
		}
		best = max(best, run)
		re += o.cos[y*b.n+i]
		im += o.sin[y*b.n+i]
		x = y
	}
	out[Kept] = uint16(sum)
	out[KeptLight] = uint16(sum >> 16)
	out[Turned] = uint16(sum >> 32)
	out[Block] = clamp16(best)
	x2, y2 := float32(re)/(1<<16), float32(im)/(1<<16)
	out[Near] = logCode(1 + x2*x2 + y2*y2)
	b.ends(e, out)
}

// ends evaluates the cards at the top and the bottom that did not move.
func (b *Battery) ends(e []uint8, out *Codes) {
	o := &b.order
	ends := 0
	for i := 0; i < len(e) && e[i] == b.before[i] && int(e[i]) < b.faces; i++ {
		ends += int(o.info[e[i]])
	}
	for i := len(e) - 1; i >= 0 && e[i] == b.before[i] && int(e[i]) < b.faces; i-- {
		ends += int(o.info[e[i]])
	}
	out[Ends] = clamp16(ends)
}

// nearlyKept is the number of places within which a card that used to follow another one still
// counts as nearly following it; the nearer the more. The count breaks ties, so it should take many
// values.
const nearlyKept = 7

// risingDistinct evaluates the rising statistics when every face occurs once: one walk along the
// order before.
//
// R is discrete: the codes rank orders of equal R by kept neighbours, then by nearly kept ones.
// Against riffles the order among equal R is irrelevant (all orders with the same R are equally
// likely), so this reaches the power of the randomised optimal test; against other shuffles it
// helps.
func (b *Battery) risingDistinct(s *Scratch, out *Codes) {
	o := &b.order
	seq := o.seq
	pos := s.pos
	prev := pos[seq[0]]
	first := prev
	desc, kept, near := 0, 0, 0
	for i := 1; i < len(seq); i++ {
		p := pos[seq[i]]
		d := int(p) - int(prev)
		desc += int(uint(d) >> 63)
		if uint(d-1) < nearlyKept {
			near += nearlyKept + 1 - d
			if d == 1 && o.adj[i-1] {
				kept++
			}
		}
		prev = p
	}
	cyc := desc
	if prev > first {
		cyc++
	}
	near /= 2 // about 14 with a standard deviation of 6 in a random deck
	m := len(seq)
	out[Rising] = clamp16((m-1-desc)<<8 | min(kept, 7)<<5 | min(near, 31))
	out[Sticky] = clamp16((m-1-desc+stickyKept*kept)<<5 | min(near, 31))
	out[CyclicFew] = clamp16((m-cyc)<<5 | min(near, 31))
	out[CyclicMany] = clamp16(cyc)
}

// stickyKept is how many rising sequences one kept neighbour is worth in Sticky.
const stickyKept = 1
