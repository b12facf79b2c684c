package battery

import (
	"math"
	"math/bits"
)

// With identical copies nobody knows which copy went where. The likelihood of k riffles is a sum
// over all assignments of copies, which cannot be computed for an arbitrary order before (Conger
// and Viswanath 2006). The statistic here relaxes it: walk along the order before and let every
// card pick any copy of its face after, also one that is taken. A path of picks weighs
//
//	exp(-theta x descents) x exp(beta x neighbours kept)
//
// and the sum over all paths is one forward pass with prefix sums. Two passes more repair most of
// the relaxation: how often the paths use each place is made known by a backward pass, places used
// too often are made dearer by lambda = 1/use, and the sum is divided by the product of the lambdas
// (one step towards the capacity bound of Gurvits on a permanent-like sum).
//
// Every step of a pass waits for the sum of the step before it, so a single order leaves most of
// the processor idle. Two orders of one deck walk along the same order before, with the same number
// of copies at each step: they share one pass, lane by lane, and hide each other's latency.
const (
	chainTheta  = 4.2 // strong tilt: two to four riffles, the range copies leave visible
	stickyTheta = 1.2
	stickyBeta  = 1.2
	// lambdaLimit keeps a place that no path uses from ruling the sum.
	lambdaLimit = 8
)

// lanes is the number of orders in one pass.
const lanes = 2

// chainScratch is the working memory of the chain. Lists of places hold every face's places after,
// ascending; orderTables.start says where a face begins.
type chainScratch struct {
	words          int // words of a bit mask of places
	mask           [lanes][]uint64
	places, copyAt [lanes][]uint8
	below          [lanes][]uint64 // by index of places: the places above this one in its word of a mask
	next           []int

	rank   [][lanes]uint8       // by step of the walk and copy of its face: see ranks
	fwd    [][2 * lanes]float64 // by step and copy: plain chain of each lane, then sticky chain of each
	prefix [][2 * lanes]float64
	drop   [][lanes]float64
	a, b   [][lanes]float64

	lam, use           [][lanes]float64 // by index of places
	ideal, place1, inv []float64        // place1: 1/copies of the face at each index of places

	tilt, stickyTilt, stickyBonus float64
}

// newChainScratch allocates for a deck with copies whose order before is known.
func (b *Battery) newChainScratch() *chainScratch {
	o, n, w := &b.order, b.n, b.faces+1
	s := &chainScratch{words: (n + 63) / 64, next: make([]int, w+1)}
	for l := range lanes {
		s.mask[l] = make([]uint64, w*s.words)
		s.places[l], s.copyAt[l], s.below[l] = make([]uint8, n), make([]uint8, n), make([]uint64, n)
	}
	most, steps := 0, 0
	walked := make([]int, w)
	for _, c := range o.seq {
		walked[c]++
		most = max(most, o.count[c])
		steps += o.count[c]
	}
	s.rank = make([][lanes]uint8, steps)
	s.fwd = make([][2 * lanes]float64, steps)
	s.prefix = make([][2 * lanes]float64, most+1)
	s.drop = make([][lanes]float64, most+1)
	s.a, s.b = make([][lanes]float64, most), make([][lanes]float64, most)
	s.lam, s.use = make([][lanes]float64, n), make([][lanes]float64, n)
	s.ideal, s.place1, s.inv = make([]float64, n), make([]float64, n), make([]float64, w)
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
	s.tilt = math.Exp(-chainTheta)
	s.stickyTilt = math.Exp(-stickyTheta)
	s.stickyBonus = math.Exp(stickyBeta) - 1
	return s
}

// place lists the places of every face after, ascending, and their bit masks.
func (b *Battery) place(e []uint8, lane int, s *chainScratch) {
	o := &b.order
	copy(s.next, o.start)
	mask, places, copyAt, below := s.mask[lane], s.places[lane], s.copyAt[lane], s.below[lane]
	clear(mask)
	words := s.words
	for p, c := range e {
		k := s.next[c]
		s.next[c] = k + 1
		places[k] = uint8(p)
		copyAt[p] = uint8(k - o.start[c])
		bit := uint64(1) << (p & 63)
		below[k] = bit - 1
		mask[int(c)*words+p>>6] |= bit
	}
}

// ranks counts, for each step of the walk and each copy of the next face, the copies of this face
// that lie above it. It also gives the average number of cyclic descents over all picks.
func (b *Battery) ranks(s *chainScratch) (cyclic [lanes]float64) {
	o := &b.order
	k := 0
	for i, c := range o.seq {
		x, y := int(c), int(o.seq[0])
		if i+1 < len(o.seq) {
			y = int(o.seq[i+1])
		}
		from, to := o.start[y], o.start[y+1]
		r := s.rank[k : k+to-from]
		k += to - from
		sum := [lanes]int{}
		if s.words == 1 {
			m0, m1 := s.mask[0][x], s.mask[1][x]
			b0, b1 := s.below[0][from:to], s.below[1][from:to]
			b0, b1 = b0[:len(r)], b1[:len(r)]
			for j := range r {
				v0, v1 := bits.OnesCount64(m0&b0[j]), bits.OnesCount64(m1&b1[j])
				r[j] = [lanes]uint8{uint8(v0), uint8(v1)}
				sum[0] += v0
				sum[1] += v1
			}
		} else {
			for lane := range lanes {
				mask := s.mask[lane][x*s.words : (x+1)*s.words]
				for j, p := range s.places[lane][from:to] {
					v := bits.OnesCount64(mask[p>>6] & s.below[lane][from+j])
					for q := range p >> 6 {
						v += bits.OnesCount64(mask[q])
					}
					r[j][lane] = uint8(v)
					sum[lane] += v
				}
			}
		}
		for lane, v := range sum {
			if x == y {
				cyclic[lane] += .5
			} else {
				cyclic[lane] += 1 - float64(v)*s.inv[x]*s.inv[y]
			}
		}
	}
	return cyclic
}

// forward sums over all paths with descent weight tilt and the place weights s.lam.
func (b *Battery) forward(s *chainScratch) (sum [lanes]float64) {
	o := &b.order
	x := int(o.seq[0])
	nx := o.count[x]
	cur, next := s.a, s.b
	copy(cur, s.lam[o.start[x]:o.start[x]+nx])
	q, p := s.tilt, 1-s.tilt
	k := 0
	for _, c := range o.seq[1:] {
		y := int(c)
		ny := o.count[y]
		f := cur[:nx]
		pre := s.prefix[:nx+1]
		s0, s1 := 0.0, 0.0
		for j := range f {
			r := &pre[j]
			r[0], r[1] = s0*p, s1*p
			s0 += f[j][0]
			s1 += f[j][1]
		}
		pre[nx][0], pre[nx][1] = s0*p, s1*p
		t0, t1 := s0*q, s1*q
		rank := s.rank[k : k+ny]
		k += ny
		lam := s.lam[o.start[y]:][:ny]
		out := next[:ny]
		if x == y { // a copy does not follow itself
			for j := range out {
				w, l, r := &out[j], &lam[j], rank[j]
				w[0] = (t0 - q*f[j][0] + pre[r[0]][0]) * l[0]
				w[1] = (t1 - q*f[j][1] + pre[r[1]][1]) * l[1]
			}
		} else {
			for j := range out {
				w, l, r := &out[j], &lam[j], rank[j]
				w[0] = (t0 + pre[r[0]][0]) * l[0]
				w[1] = (t1 + pre[r[1]][1]) * l[1]
			}
		}
		cur, next = next, cur
		x, nx = y, ny
	}
	for _, v := range cur[:nx] {
		sum[0] += v[0]
		sum[1] += v[1]
	}
	return sum
}

// forwardTwo runs the first pass of both chains at once, all place weights 1: the plain one and the
// sticky one. Their vectors go to s.fwd.
func (b *Battery) forwardTwo(s *chainScratch) (plain, sticky [lanes]float64) {
	o := &b.order
	x := int(o.seq[0])
	nx := o.count[x]
	first := s.inv[x]
	for j := range nx {
		s.fwd[j] = [2 * lanes]float64{first, first, first, first}
	}
	q, p := s.tilt, 1-s.tilt
	q2, p2 := s.stickyTilt, 1-s.stickyTilt
	k, at := 0, 0
	for i := 1; i < len(o.seq); i++ {
		y := int(o.seq[i])
		ny := o.count[y]
		f := s.fwd[at : at+nx]
		at += nx
		pre := s.prefix[:nx+1]
		s0, s1, s2, s3 := 0.0, 0.0, 0.0, 0.0
		for j := range f {
			r, v := &pre[j], &f[j]
			r[0], r[1], r[2], r[3] = s0*p, s1*p, s2*p2, s3*p2
			s0 += v[0]
			s1 += v[1]
			s2 += v[2]
			s3 += v[3]
		}
		r := &pre[nx]
		r[0], r[1], r[2], r[3] = s0*p, s1*p, s2*p2, s3*p2
		inv := s.inv[y]
		t0, t1, t2, t3 := s0*q, s1*q, s2*q2, s3*q2
		rank := s.rank[k : k+ny]
		k += ny
		out := s.fwd[at : at+ny]
		for j := range out {
			w := &out[j]
			a, b := &pre[rank[j][0]], &pre[rank[j][1]]
			w[0] = (t0 + a[0]) * inv
			w[1] = (t1 + b[1]) * inv
			w[2] = (t2 + a[2]) * inv
			w[3] = (t3 + b[3]) * inv
		}
		if x == y { // a copy does not follow itself
			for j := range out {
				w, v := &out[j], &f[j]
				w[0] -= q * v[0] * inv
				w[1] -= q * v[1] * inv
				w[2] -= q2 * v[2] * inv
				w[3] -= q2 * v[3] * inv
			}
		}
		if o.adj[i-1] {
			bonus := s.stickyBonus * inv
			for lane := range lanes {
				places, copyAt := s.mask[lane], s.copyAt[lane]
				carry := uint64(0)
				for word := range s.words {
					above := places[x*s.words+word]
					// places of y with x directly above; mostly there are none
					m := places[y*s.words+word] & (above<<1 | carry)
					carry = above >> 63
					for ; m != 0; m &= m - 1 {
						p := word<<6 + bits.TrailingZeros64(m)
						out[copyAt[p]][lanes+lane] += bonus * f[copyAt[p-1]][lanes+lane]
					}
				}
			}
		}
		x, nx = y, ny
	}
	for _, v := range s.fwd[at : at+nx] {
		for lane := range lanes {
			plain[lane] += v[lane]
			sticky[lane] += v[lanes+lane]
		}
	}
	return plain, sticky
}

// usage runs the plain chain backward, all place weights 1, and gathers in s.use how often the
// paths use each place; z is the sum over all paths, and a lane whose sum is zero comes out useless.
func (b *Battery) usage(s *chainScratch, z [lanes]float64) {
	o := &b.order
	clear(s.use)
	m := len(o.seq)
	y := int(o.seq[m-1])
	ny := o.count[y]
	at := len(s.fwd) - ny
	cur, next := s.a, s.b
	z0, z1 := 1/z[0], 1/z[1]
	use := s.use[o.start[y]:]
	for j, v := range s.fwd[at : at+ny] {
		cur[j] = [lanes]float64{z0, z1}
		use[j][0] += v[0] * z0
		use[j][1] += v[1] * z1
	}
	k := len(s.rank) - o.count[o.seq[0]] // the last ranks belong to the closing pair
	q, p := s.tilt, 1-s.tilt
	for i := m - 2; i >= 0; i-- {
		x := int(o.seq[i])
		nx := o.count[x]
		k -= ny
		rank := s.rank[k : k+ny]
		drop := s.drop[:nx+1]
		clear(drop)
		t0, t1 := 0.0, 0.0
		inv := s.inv[y]
		g := cur[:ny]
		for j := range g {
			w, r := &g[j], rank[j]
			v0, v1 := w[0]*inv, w[1]*inv
			w[0], w[1] = v0, v1
			t0 += v0
			t1 += v1
			drop[r[0]][0] += v0
			drop[r[1]][1] += v1
		}
		t0 *= q
		t1 *= q
		at -= nx
		f := s.fwd[at : at+nx]
		use := s.use[o.start[x]:][:nx]
		out := next[:nx]
		a0, a1 := 0.0, 0.0
		for j := nx - 1; j >= 0; j-- {
			a0 += drop[j+1][0]
			a1 += drop[j+1][1]
			v0, v1 := t0+p*a0, t1+p*a1
			if x == y {
				v0 -= q * g[j][0]
				v1 -= q * g[j][1]
			}
			out[j][0], out[j][1] = v0, v1
			use[j][0] += f[j][0] * v0
			use[j][1] += f[j][1] * v1
		}
		cur, next = next, cur
		y, ny = x, nx
	}
}

// risingCopies evaluates the rising statistics of two orders of a deck with copies.
func (b *Battery) risingCopies(e [lanes][]uint8, s *chainScratch, out [lanes]*Codes) {
	for lane := range lanes {
		b.place(e[lane], lane, s)
	}
	cyc := b.ranks(s)
	m := float64(len(b.order.seq))
	// The sums are of simple fractions and often land on a step exactly; the small shift keeps
	// rounding errors from deciding the step.
	const shift = 1e-6
	z, sticky := b.forwardTwo(s)
	b.usage(s, z)
	prod := [lanes]float64{1, 1}
	for j := range s.use {
		ideal, one := s.ideal[j], s.place1[j]
		for lane, u := range s.use[j] {
			l := 1.0 * lambdaLimit
			if u*lambdaLimit > ideal {
				l = max(ideal/u, 1.0/lambdaLimit)
			}
			s.lam[j][lane] = l * one
			prod[lane] *= l
		}
	}
	fitted := b.forward(s)
	for lane := range lanes {
		o := out[lane]
		o[CyclicFew] = clamp16(int((m-cyc[lane])*64 + shift))
		o[CyclicMany] = clamp16(int(cyc[lane]*64 + shift))
		o[Sticky] = b.logZ(sticky[lane], 1, stickyTheta)
		o[Rising] = 0
		if z[lane] > 0 {
			o[Rising] = b.logZ(fitted[lane], prod[lane], chainTheta)
		}
	}
}

func (b *Battery) logZ(z, prod, theta float64) uint16 {
	if !(z > 0) || !(prod > 0) {
		return 0
	}
	v := math.Log(z/prod) + theta*float64(b.n)
	return clamp16(int(v * b.scale))
}
