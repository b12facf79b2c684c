package battery

import "math/bits"

// Short cuts that give the same codes as the general functions, several times faster; the tests
// compare the two.

// identityTables serve decks of distinct cards that were all read: codes are places before, so
// differences of codes replace look-ups of pairs.
type identityTables struct {
	ok       bool
	kept     uint16 // Kept and Turned per pair
	run      uint16 // Block per pair
	gain     [3]uint16
	cos, sin []int32 // by place after - place before + n
}

func (b *Battery) buildIdentity() {
	n := b.n
	if !b.distinct || len(b.order.seq) != n || n < 4 {
		return
	}
	for i := range n {
		if int(b.before[i]) != i || int(b.readings[i]) != i {
			return
		}
	}
	t := &b.identity
	t.ok = true
	t.kept = uint16(b.order.pair[1])
	t.run = b.order.run[1]
	for lag := range t.gain {
		t.gain[lag] = b.stride.gain[lag][b.stride.from[1]]
	}
	t.cos, t.sin = make([]int32, 2*n), make([]int32, 2*n)
	for c := range n {
		for p := range n {
			t.cos[p-c+n], t.sin[p-c+n] = b.order.cos[c*n+p], b.order.sin[c*n+p]
		}
	}
}

// orderIdentity evaluates all order statistics.
func (b *Battery) orderIdentity(e []uint8, s *Scratch, out *Codes) {
	t := &b.identity
	n := b.n
	e = e[:n]
	near, wide := s.lanes[:n], s.wide[:n]
	clear(near)
	clear(wide)
	pos := s.pos[:n]
	var re, im int32
	kept, turned, run, best := 0, 0, 0, 0
	g2, g3 := t.gain[1], t.gain[2]
	c3, c2, c1 := 0, 0, int(e[0])
	pos[c1] = 0
	re, im = t.cos[n-c1], t.sin[n-c1]
	for p := 1; p < n; p++ {
		c := int(e[p])
		pos[c] = uint8(p)
		re += t.cos[p-c+n]
		im += t.sin[p-c+n]
		d := c - c1
		if d == 1 {
			kept++
			run++
			best = max(best, run)
		} else {
			run = 0
			if d == -1 {
				turned++
			}
		}
		near[d+n&(d>>63)]++
		if p > 1 {
			d = c - c2
			wide[d+n&(d>>63)] += g2
			if p > 2 {
				d = c - c3
				wide[d+n&(d>>63)] += g3
			}
		}
		c3, c2, c1 = c2, c1, c
	}
	var top1, top3 uint16
	g1 := t.gain[0]
	for i, v := range near {
		top1 = max(top1, v)
		top3 = max(top3, v*g1+wide[i])
	}
	out[Stride], out[StrideWide] = top1*g1, top3
	out[Kept] = uint16(kept) * t.kept
	out[KeptLight] = 0
	out[Turned] = uint16(turned) * t.kept
	out[Block] = clamp16(best * int(t.run))
	x, y := float32(re)/(1<<16), float32(im)/(1<<16)
	out[Near] = logCode(1 + x*x + y*y)
	b.ends(e, out)
	b.risingDistinct(s, out)
}

// byteTable sums up what eight places (or the last few) of a class mask contribute.
type byteTable struct {
	sum, square [256]int32 // of the deviations, starting from 0
	end         [256]int32 // deviation at the end
	inner       [256]int32 // squared gaps between marked places
	first, tail [256]uint8 // unmarked places before the first and after the last marked one
}

// newByteTable prepares w places of a class of m among n.
func newByteTable(w, n, m int) *byteTable {
	t := &byteTable{}
	for v := range 256 {
		dev, last := int32(0), -1
		for i := range w {
			dev -= int32(m)
			if v>>i&1 == 1 {
				dev += int32(n)
				if last < 0 {
					t.first[v] = uint8(i)
				} else {
					t.inner[v] += int32((i - last) * (i - last))
				}
				last = i
			}
			t.sum[v] += dev
			t.square[v] += dev * dev
		}
		t.end[v] = dev
		t.tail[v] = uint8(w - 1 - last)
	}
	return t
}

// classMasks evaluates the class statistics of up to 64 cards that were all read, eight places at a time.
func (b *Battery) classMasks(e []uint8, out *Codes) {
	t := &b.arrange
	n := len(e)
	var cvm, gap float64
	runs, ends := 0, 0
	for i := range t.classes {
		c := &t.classes[i]
		var mask uint64
		bit := c.bit[:256]
		for p, code := range e {
			mask |= uint64(bit[code]) << (p & 63)
		}
		var dev, square, open int32
		var sum int64
		rest := mask
		p := 0
		for ; p+8 <= n; p += 8 {
			v := rest & 255
			rest >>= 8
			bt := c.bytes
			sum += int64(8*dev)*int64(dev) + 2*int64(dev)*int64(bt.sum[v]) + int64(bt.square[v])
			dev += bt.end[v]
			if v == 0 {
				open += 8
				continue
			}
			g := open + int32(bt.first[v]) + 1
			square += g*g + bt.inner[v]
			open = int32(bt.tail[v])
		}
		if w := n - p; w > 0 {
			v := rest & 255
			bt := c.last
			sum += int64(int32(w)*dev)*int64(dev) + 2*int64(dev)*int64(bt.sum[v]) + int64(bt.square[v])
			if v == 0 {
				open += int32(w)
			} else {
				g := open + int32(bt.first[v]) + 1
				square += g*g + bt.inner[v]
				open = int32(bt.tail[v])
			}
		}
		square += (open + 1) * (open + 1)
		cvm += float64(sum) * c.cvm
		gap += float64(square) * c.gap
		runs += bits.OnesCount64((mask ^ mask>>1) & (1<<(n-1) - 1))
		for j := range c.ends {
			end := &c.ends[j]
			top := bits.OnesCount64(mask & (1<<end.k - 1))
			bottom := bits.OnesCount64(mask >> (n - end.k))
			ends = max(ends, int(end.score[top]), int(end.score[bottom]))
		}
	}
	b.classCodes(cvm, gap, runs, ends, n, out)
}
