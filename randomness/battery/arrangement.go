package battery

import (
	"math"

	"fairdeck/randomness/theory"
)

// arrangeTables are the look-ups for one order alone.
type arrangeTables struct {
	classes []classTable
	copies  bool
	masks   bool     // at most 64 cards, all read
	square  []int64  // weight of the squared gaps of a face, in 2^-20 of their mean; 0 for single cards
	touch   []uint16 // surprise of two neighbouring copies
	faces   []uint8  // faces with at least two copies
}

// classTable describes one class against the rest.
type classTable struct {
	step []int32 // by code: what a card of this code adds to n x (count so far) - expected
	mask []int32 // by code: -1 inside the class, else 0
	cvm  float64 // 1 / mean of the summed squared deviations
	gap  float64 // 1 / mean sum of squared gaps
	ends []endTable

	bit         []uint8    // by code: 1 inside the class; as long as codes can be
	bytes, last *byteTable // for masks: eight places, and what remains of the deck
}

// endTable scores the count of class cards among the top or bottom k.
type endTable struct {
	k     int
	score []uint16 // by count: surprise of the smaller tail
}

// endDepths are the numbers of top or bottom cards looked at: hands and the usual depths of stacking.
var endDepths = []int{6, 10, 15, 20, 25}

func (b *Battery) buildArrangement() {
	n, w := b.n, b.faces+1
	t := &b.arrange
	count := make([]int, w)
	for _, c := range b.readings {
		count[c]++
	}
	t.square = make([]int64, w)
	t.touch = make([]uint16, w)
	for f := range b.faces {
		m := count[f]
		if m < 2 || m == n {
			continue
		}
		t.copies = true
		t.faces = append(t.faces, uint8(f))
		t.square[f] = int64(1<<20/meanSquaredGaps(n, m) + .5)
		t.touch[f] = uint16(max(1, b.scale*math.Log(float64(n)/float64(m-1))))
	}
	if b.spec.Class == nil {
		return
	}
	size := map[uint8]int{}
	known := 0
	for f := range b.faces {
		if c := b.spec.Class[f]; c != NoClass {
			size[c] += count[f]
			known += count[f]
		}
	}
	read := n - count[b.faces]
	t.masks = read == n && n <= 64
	var ids []uint8
	for id := range 255 {
		if m := size[uint8(id)]; m >= 2 && read-m >= 2 {
			ids = append(ids, uint8(id))
		}
	}
	if len(ids) == 2 && known == read && size[ids[0]] != size[ids[1]] {
		// Two classes say nearly the same thing: keep the smaller. Of equal ones keep both, since
		// neither end of the deck may matter.
		if size[ids[0]] > size[ids[1]] {
			ids[0] = ids[1]
		}
		ids = ids[:1]
	}
	for _, id := range ids {
		m := size[id]
		c := classTable{step: make([]int32, w), mask: make([]int32, w)}
		for f := range b.faces {
			if b.spec.Class[f] == id {
				c.step[f], c.mask[f] = int32(read-m), -1
			} else {
				c.step[f] = int32(-m)
			}
		}
		// Mean of sum over j of (read x count_j - j m)^2 for a random order: each term has variance
		// j (read-j) m (read-m) read/(read-1).
		r := float64(read)
		c.cvm = 6 / (r * (r + 1) * float64(m) * (r - float64(m)))
		c.gap = 1 / meanSquaredGaps(n, m)
		for _, k := range endDepths {
			if 2*k > n {
				continue
			}
			law := theory.Hypergeometric(n, m, k)
			end := endTable{k: k, score: make([]uint16, k+1)}
			for x := range end.score {
				if x >= len(law) {
					continue
				}
				low := 0.0
				for i := range x + 1 {
					low += law[i]
				}
				p := min(low, theory.AtLeast(law, x))
				if p > 0 {
					end.score[x] = clamp16(int(-math.Log(min(p, 1)) * b.scale))
				}
			}
			c.ends = append(c.ends, end)
		}
		c.bit = make([]uint8, 256)
		for f, in := range c.mask {
			c.bit[f] = uint8(-in)
		}
		c.bytes, c.last = newByteTable(8, n, m), newByteTable(n%8, n, m)
		t.classes = append(t.classes, c)
	}
}

// meanSquaredGaps is the mean sum of squares of the m+1 gaps that m of n places leave: gaps are a
// random composition of n+1, each with E[g^2] = (n+1)(2n+2-m)/((m+1)(m+2)).
func meanSquaredGaps(n, m int) float64 {
	return float64(n+1) * float64(2*n+2-m) / float64(m+2)
}

// classStats evaluates the class statistics.
func (b *Battery) classStats(e []uint8, s *Scratch, out *Codes) {
	t := &b.arrange
	n := int32(len(e))
	var cvm, gap float64
	runs, ends := 0, 0
	for i := range t.classes {
		c := &t.classes[i]
		var dev, last, square, inside, count, changes int32
		last = -1
		var sum int64
		inside = c.mask[e[0]]
		for p, code := range e {
			dev += c.step[code]
			sum += int64(dev) * int64(dev)
			m := c.mask[code]
			g := int32(p) - last
			square += g * g & m
			last += g & m
			changes += m ^ inside
			inside = m
			count -= m
			s.prefixCount[p] = uint8(count)
		}
		g := n - last
		square += g * g
		cvm += float64(sum) * c.cvm
		gap += float64(square) * c.gap
		runs -= int(changes)
		for j := range c.ends {
			end := &c.ends[j]
			top := s.prefixCount[end.k-1]
			bottom := uint8(count) - s.prefixCount[len(e)-1-end.k]
			ends = max(ends, int(end.score[top]), int(end.score[bottom]))
		}
	}
	b.classCodes(cvm, gap, runs, ends, len(e), out)
}

// classCodes turns sums over the classes into codes.
func (b *Battery) classCodes(cvm, gap float64, runs, ends, n int, out *Codes) {
	classes := len(b.arrange.classes)
	// Sums of several classes come in any order; narrowing them to 32 bits takes the rounding errors away.
	k := 256 / float64(classes)
	v := logCode(float32(cvm * k))
	out[ClassEven], out[ClassClump] = logCodeMax-v, v
	v = logCode(float32(gap * k))
	out[GapEven], out[GapClump] = logCodeMax-v, v
	out[RunsMany] = clamp16(runs)
	out[RunsFew] = clamp16(n*classes - runs)
	out[ClassEnds] = clamp16(ends)
}

// copyStats evaluates the statistics of identical copies.
func (b *Battery) copyStats(e []uint8, s *Scratch, out *Codes) {
	t := &b.arrange
	last := s.last[:b.faces+1]
	for i := range last {
		last[i] = -1
	}
	var square int64
	touch := 0
	before := uint8(255)
	for p, c := range e {
		g := int32(p) - last[c]
		last[c] = int32(p)
		square += int64(g*g) * t.square[c]
		if c == before {
			touch += int(t.touch[c])
		}
		before = c
	}
	for _, f := range t.faces {
		g := int32(len(e)) - last[f]
		square += int64(g*g) * t.square[f]
	}
	v := logCode(float32(square) / float32(len(t.faces)) * (256.0 / (1 << 20)))
	out[CopyEven], out[CopyClump] = logCodeMax-v, v
	out[CopyTouch] = clamp16(touch)
}
