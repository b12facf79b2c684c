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
const (
	chainTheta  = 4.2 // strong tilt: two to four riffles, the range copies leave visible
	stickyTheta = 1.2
	stickyBeta  = 1.2
	// lambdaLimit keeps a place that no path uses from ruling the sum.
	lambdaLimit = 8
)

// place lists the places of every face after, ascending, and their bit masks.
func (b *Battery) place(e []uint8, s *Scratch) {
	o := &b.order
	copy(s.next, o.start)
	clear(s.mask)
	words := s.maskWords
	for p, c := range e {
		k := s.next[c]
		s.next[c] = k + 1
		s.places[k] = uint8(p)
		s.copyAt[p] = uint8(k - o.start[c])
		s.mask[int(c)*words+p>>6] |= 1 << (p & 63)
	}
}

// ranks counts, for each step of the walk and each copy of the next face, the copies of this face
// that lie above it. It also gives the average number of cyclic descents over all picks.
func (b *Battery) ranks(s *Scratch) (cyclic float64) {
	o := &b.order
	k := 0
	m := len(o.seq)
	for i := range m {
		x, y := int(o.seq[i]), int(o.seq[(i+1)%m])
		nx := o.count[x]
		list := s.places[o.start[y]:o.start[y+1]]
		above := 0
		if s.maskWords == 1 {
			mask := s.mask[x]
			r := s.rank[k : k+len(list)]
			for j, p := range list {
				v := bits.OnesCount64(mask & (1<<(p&63) - 1))
				r[j] = uint8(v)
				above += v
			}
		} else {
			mask := s.mask[x*s.maskWords : (x+1)*s.maskWords]
			for j, p := range list {
				v := 0
				for q := 0; q < int(p)>>6; q++ {
					v += bits.OnesCount64(mask[q])
				}
				v += bits.OnesCount64(mask[p>>6] & (1<<(p&63) - 1))
				s.rank[k+j] = uint8(v)
				above += v
			}
		}
		k += len(list)
		if x == y {
			cyclic += .5
		} else {
			cyclic += 1 - float64(above)/float64(nx*len(list))
		}
	}
	return cyclic
}

// forward sums over all paths with descent weight tilt and the place weights s.lam.
func (b *Battery) forward(s *Scratch) float64 {
	o := &b.order
	x := int(o.seq[0])
	nx := o.count[x]
	cur, next := s.vecA, s.vecB
	copy(cur, s.lam[o.start[x]:o.start[x]+nx])
	q, p := s.tilt, 1-s.tilt
	k := 0
	for _, c := range o.seq[1:] {
		y := int(c)
		ny := o.count[y]
		f := cur[:nx]
		pre := s.prefix[:nx+1]
		sum := 0.0
		for j, v := range f {
			pre[j] = sum * p
			sum += v
		}
		pre[nx] = sum * p
		total := sum * q
		rank := s.rank[k : k+ny]
		k += ny
		lam := s.lam[o.start[y]:][:ny]
		out := next[:ny]
		if x == y { // a copy does not follow itself
			for j := range out {
				out[j] = (total - q*f[j] + pre[rank[j]]) * lam[j]
			}
		} else {
			for j := range out {
				out[j] = (total + pre[rank[j]]) * lam[j]
			}
		}
		cur, next = next, cur
		x, nx = y, ny
	}
	sum := 0.0
	for _, v := range cur[:nx] {
		sum += v
	}
	return sum
}

// forwardTwo runs the first pass of both chains at once, all place weights 1: the plain one, whose
// vectors go to s.fwd, and the sticky one. Side by side the two recurrences hide each other's
// latency.
func (b *Battery) forwardTwo(e []uint8, s *Scratch) (plain, sticky float64) {
	o := &b.order
	x := int(o.seq[0])
	nx := o.count[x]
	cur := s.fwd
	cur2, next2 := s.vecA, s.vecB
	for j := range nx {
		cur[j], cur2[j] = s.inv[x], s.inv[x]
	}
	q, p := s.tilt, 1-s.tilt
	q2, p2 := s.stickyTilt, 1-s.stickyTilt
	k, at := 0, 0
	for i := 1; i < len(o.seq); i++ {
		y := int(o.seq[i])
		ny := o.count[y]
		at += nx
		f, f2 := cur[:nx], cur2[:nx]
		pre, pre2 := s.prefix[:nx+1], s.prefix2[:nx+1]
		sum, sum2 := 0.0, 0.0
		for j, v := range f {
			pre[j], pre2[j] = sum*p, sum2*p2
			sum += v
			sum2 += f2[j]
		}
		pre[nx], pre2[nx] = sum*p, sum2*p2
		inv := s.inv[y]
		total, total2 := sum*q, sum2*q2
		rank := s.rank[k : k+ny]
		k += ny
		next := s.fwd[at:]
		out, out2 := next[:ny], next2[:ny]
		for j := range out {
			r := rank[j]
			out[j] = (total + pre[r]) * inv
			out2[j] = (total2 + pre2[r]) * inv
		}
		if x == y { // a copy does not follow itself
			for j := range out {
				out[j] -= q * f[j] * inv
				out2[j] -= q2 * f2[j] * inv
			}
		}
		if o.adj[i-1] {
			bonus := s.stickyBonus * inv
			for j, pl := range s.places[o.start[y]:][:ny] {
				if pl > 0 && int(e[pl-1]) == x {
					out2[j] += bonus * f2[s.copyAt[pl-1]]
				}
			}
		}
		cur = next
		cur2, next2 = next2, cur2
		x, nx = y, ny
	}
	for j, v := range cur[:nx] {
		plain += v
		sticky += cur2[j]
	}
	return plain, sticky
}

// usage runs the plain chain backward, all place weights 1, and gathers in s.use how often the
// paths use each place; z is the sum over all paths.
func (b *Battery) usage(s *Scratch, z float64) {
	o := &b.order
	clear(s.use)
	m := len(o.seq)
	y := int(o.seq[m-1])
	ny := o.count[y]
	at := s.fwdLen - ny
	cur, next := s.vecA, s.vecB
	zi := 1 / z
	use := s.use[o.start[y]:]
	for j, v := range s.fwd[at : at+ny] {
		cur[j] = zi
		use[j] += v * zi
	}
	k := s.rankLen - o.count[o.seq[0]] // the last ranks belong to the closing pair
	q, p := s.tilt, 1-s.tilt
	for i := m - 2; i >= 0; i-- {
		x := int(o.seq[i])
		nx := o.count[x]
		k -= ny
		rank := s.rank[k : k+ny]
		drop := s.prefix[:nx+1]
		clear(drop)
		total := 0.0
		inv := s.inv[y]
		g := cur[:ny]
		for j, v := range g {
			v *= inv
			g[j] = v
			total += v
			drop[rank[j]] += v
		}
		total *= q
		at -= nx
		f := s.fwd[at : at+nx]
		use := s.use[o.start[x]:][:nx]
		out := next[:nx]
		acc := 0.0
		for j := nx - 1; j >= 0; j-- {
			acc += drop[j+1]
			v := total + p*acc
			if x == y {
				v -= q * g[j]
			}
			out[j] = v
			use[j] += f[j] * v
		}
		cur, next = next, cur
		y, ny = x, nx
	}
}

// risingCopies evaluates the rising statistics of a deck with copies.
func (b *Battery) risingCopies(e []uint8, s *Scratch, out *Codes) {
	b.place(e, s)
	cyc := b.ranks(s)
	m := float64(len(b.order.seq))
	// The sums are of simple fractions and often land on a step exactly; the small shift keeps
	// rounding errors from deciding the step.
	const shift = 1e-6
	out[CyclicFew] = clamp16(int((m-cyc)*64 + shift))
	out[CyclicMany] = clamp16(int(cyc*64 + shift))

	z, sticky := b.forwardTwo(e, s)
	out[Sticky] = b.logZ(sticky, 1, stickyTheta)
	out[Rising] = 0
	if !(z > 0) {
		return
	}
	b.usage(s, z)
	prod := 1.0
	for j, u := range s.use {
		l := 1.0 * lambdaLimit
		if ideal := s.ideal[j]; u*lambdaLimit > ideal {
			l = max(ideal/u, 1.0/lambdaLimit)
		}
		s.lam[j] = l * s.place1[j]
		prod *= l
	}
	out[Rising] = b.logZ(b.forward(s), prod, chainTheta)
}

func (b *Battery) logZ(z, prod, theta float64) uint16 {
	if !(z > 0) || !(prod > 0) {
		return 0
	}
	v := math.Log(z/prod) + theta*float64(b.n)
	return clamp16(int(v * b.scale))
}
