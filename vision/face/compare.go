package face

import (
	"cmp"
	"math"
	"slices"
)

// cellPx is the side of the cells over which sums are kept, in pixels of the
// plane at hand; a block is two by two cells. At 4 px/mm that is 3 mm, a
// figure of a strength or two letters of a name; at 2 px/mm 6 mm.
const cellPx = 6

// sums of one cell of a plate, from which any block is fitted.
type sums struct{ a, aa, gx, gy, gxx, gxy, gyy, agx, agy float32 }

// channel is one plane of a plate with the sums of its cells.
type channel struct {
	plane32
	gx, gy     plane32
	cols, rows int
	cells      []sums
}

func newChannel(p plane32) *channel {
	c := &channel{plane32: p, cols: p.w / cellPx, rows: p.h / cellPx}
	c.gx, c.gy = gradients(p)
	c.cells = make([]sums, c.cols*c.rows)
	for j := range c.rows {
		for y := j * cellPx; y < (j+1)*cellPx; y++ {
			av, gx, gy := p.row(y), c.gx.row(y), c.gy.row(y)
			for i := range c.cols {
				s := &c.cells[j*c.cols+i]
				for x := i * cellPx; x < (i+1)*cellPx; x++ {
					a, u, v := av[x], gx[x], gy[x]
					s.a += a
					s.aa += a * a
					s.gx += u
					s.gy += v
					s.gxx += u * u
					s.gxy += u * v
					s.gyy += v * v
					s.agx += a * u
					s.agy += a * v
				}
			}
		}
	}
	return c
}

// block is how two prints agree in one place.
type block struct {
	ok     bool
	power  float32 // variance of the print, mean of both
	fine   float32 // power of its gradients over it: large for small letters
	left   float32 // variance that the other print does not explain
	excess float32 // logarithm of left over what noise leaves there

	// The fit: a = mean a + gain*(b - mean b) + u*(gx - mean gx) + v*(gy - mean gy).
	ma, mb, mu, mv, gain, u, v float32
}

// fit of a block: how a is explained by b times a gain, an offset and a shift
// along a's gradients.
type fit struct {
	minGain, maxGain float64
	maxShift         float64 // px
}

// lumaFit: a veil of light takes contrast and adds an offset; beyond these
// gains print is there in one and not in the other.
var (
	lumaFit   = fit{0.6, 1.6, 0.8}
	veiledFit = fit{0.3, 3.3, 0.8}
	colourFit = fit{0.7, 1.4, 0.6}
)

// drowned is the ratio of powers below which print under a veil of light has
// nothing left to compare.
const drowned = 0.12

// compare fits the blocks of b, already seen through the registration, to a.
// skip says which cells cannot be compared, veil (which may be nil) which have
// less contrast in one of the two.
func (a *channel) compare(b plane32, skip, veil []bool, f fit) []block {
	type cross struct{ b, bb, ab, bgx, bgy float32 }
	cells := make([]cross, len(a.cells))
	for j := range a.rows {
		for y := j * cellPx; y < (j+1)*cellPx; y++ {
			av, bv, gx, gy := a.row(y), b.row(y), a.gx.row(y), a.gy.row(y)
			for i := range a.cols {
				s := &cells[j*a.cols+i]
				var t cross
				for x := i * cellPx; x < (i+1)*cellPx; x++ {
					v := bv[x]
					t.b += v
					t.bb += v * v
					t.ab += v * av[x]
					t.bgx += v * gx[x]
					t.bgy += v * gy[x]
				}
				s.b += t.b
				s.bb += t.bb
				s.ab += t.ab
				s.bgx += t.bgx
				s.bgy += t.bgy
			}
		}
	}
	out := make([]block, (a.cols-1)*(a.rows-1))
	const n = 4 * cellPx * cellPx
	for j := range a.rows - 1 {
		for i := range a.cols - 1 {
			var s sums
			var t cross
			ok, dim := true, false
			for _, k := range [4]int{j*a.cols + i, j*a.cols + i + 1, (j+1)*a.cols + i, (j+1)*a.cols + i + 1} {
				if skip != nil && skip[k] {
					ok = false
					break
				}
				dim = dim || veil != nil && veil[k]
				p, q := &a.cells[k], &cells[k]
				s.a += p.a
				s.aa += p.aa
				s.gx += p.gx
				s.gy += p.gy
				s.gxx += p.gxx
				s.gxy += p.gxy
				s.gyy += p.gyy
				s.agx += p.agx
				s.agy += p.agy
				t.b += q.b
				t.bb += q.bb
				t.ab += q.ab
				t.bgx += q.bgx
				t.bgy += q.bgy
			}
			if !ok {
				continue
			}
			ma, mb, mu, mv := float64(s.a)/n, float64(t.b)/n, float64(s.gx)/n, float64(s.gy)/n
			m := moments{
				aa: float64(s.aa)/n - ma*ma, bb: float64(t.bb)/n - mb*mb, ab: float64(t.ab)/n - ma*mb,
				uu: float64(s.gxx)/n - mu*mu, uv: float64(s.gxy)/n - mu*mv, vv: float64(s.gyy)/n - mv*mv,
				au: float64(s.agx)/n - ma*mu, av: float64(s.agy)/n - ma*mv, bu: float64(t.bgx)/n - mb*mu, bv: float64(t.bgy)/n - mb*mv,
			}
			g := f
			if dim {
				if min(m.aa, m.bb) < drowned*max(m.aa, m.bb) {
					continue
				}
				g = veiledFit
			}
			o := &out[j*(a.cols-1)+i]
			o.ok = true
			o.power = float32((max(m.aa, 0) + max(m.bb, 0)) / 2)
			o.fine = float32((m.uu + m.vv) / (max(m.aa, 0) + 1))
			left, gain, u, v := m.residual(g)
			o.left = float32(max(0, left))
			o.ma, o.mb, o.mu, o.mv = float32(ma), float32(mb), float32(mu), float32(mv)
			o.gain, o.u, o.v = float32(gain), float32(u), float32(v)
		}
	}
	return out
}

// moments are the centred second moments of a block, per pixel.
type moments struct{ aa, bb, ab, uu, uv, vv, au, av, bu, bv float64 }

// residual is the least variance of a - g*b - u*gx - v*gy within the fit's
// bounds, and where it is.
func (m *moments) residual(f fit) (left, g, u, v float64) {
	// A touch of ridge: in flat places nothing fixes a shift.
	const ridge = 1
	uu, vv := m.uu+ridge, m.vv+ridge
	det := uu*vv - m.uv*m.uv
	// With g given, the shift is linear in it: (u, v) = p - g*q.
	pu, pv := (m.au*vv-m.av*m.uv)/det, (m.av*uu-m.au*m.uv)/det
	qu, qv := (m.bu*vv-m.bv*m.uv)/det, (m.bv*uu-m.bu*m.uv)/det
	at := func(g, u, v float64) float64 {
		return m.aa + g*g*m.bb + u*u*m.uu + v*v*m.vv + 2*u*v*m.uv - 2*g*m.ab - 2*u*m.au - 2*v*m.av + 2*g*u*m.bu + 2*g*v*m.bv
	}
	// Reduced problem in g.
	num := m.ab - pu*m.bu - pv*m.bv
	den := m.bb - qu*m.bu - qv*m.bv
	g = 1.0
	if den > 1e-6 {
		g = num / den
	}
	g = min(max(g, f.minGain), f.maxGain)
	u, v = pu-g*qu, pv-g*qv
	if l := math.Hypot(u, v); l > f.maxShift {
		u, v = u*f.maxShift/l, v*f.maxShift/l
		if m.bb > 1e-6 {
			g = min(max((m.ab-u*m.bu-v*m.bv)/m.bb, f.minGain), f.maxGain)
		}
	}
	return at(g, u, v), g, u, v
}

// noise is what is left on blocks that agree: a floor, and a share of the
// print's power (focus, pixels, what a shift does not explain) that grows with
// how fine the print is.
type noise struct {
	floor float64   // variance
	fine  []float64 // fineness of groups of blocks, ascending
	share []float64 // of each
}

// noiseOf learns the noise of a pair from its own blocks: most blocks of two
// look-alikes agree, so medians see the noise alone. least and most bound the
// shares: a pair cannot prove that it is better than any other, nor excuse
// everything.
func noiseOf(bs []block, floor2, least, most float64) (n noise, share float64) {
	var power []float32
	for i := range bs {
		if bs[i].ok {
			power = append(power, bs[i].power)
		}
	}
	n.floor = floor2
	if len(power) < 20 {
		n.fine, n.share = []float64{0}, []float64{most}
		return n, 1
	}
	slices.Sort(power)
	lo, mid := power[len(power)/4], power[len(power)/2]
	var left []float64
	type part struct{ fine, ratio float64 }
	var parts []part
	for i := range bs {
		if !bs[i].ok {
			continue
		}
		if bs[i].power <= lo {
			left = append(left, float64(bs[i].left))
		}
	}
	n.floor = max(floor2, middle(left))
	for i := range bs {
		// Where there is nothing but noise, two pictures share nothing.
		if bs[i].ok && bs[i].power >= mid && float64(bs[i].power) > 8*n.floor {
			parts = append(parts, part{float64(bs[i].fine), max(0, float64(bs[i].left)-n.floor) / (float64(bs[i].power) + n.floor)})
		}
	}
	if len(parts) < 12 { // a card with hardly any print on it
		n.fine, n.share = []float64{0}, []float64{(least + most) / 2}
		return n, 0
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.fine, b.fine) })
	const groups = 4
	var all []float64
	last := least
	for g := range groups {
		some := parts[g*len(parts)/groups : (g+1)*len(parts)/groups]
		var ratios []float64
		for _, p := range some {
			ratios = append(ratios, p.ratio)
			all = append(all, p.ratio)
		}
		last = min(max(last, middle(ratios)), most)
		n.fine, n.share = append(n.fine, some[len(some)/2].fine), append(n.share, last)
	}
	return n, middle(all)
}

// at is the share for a fineness.
func (n *noise) at(fine float64) float64 {
	k := 0
	for k < len(n.fine) && n.fine[k] < fine {
		k++
	}
	switch {
	case k == 0:
		return n.share[0]
	case k == len(n.fine):
		return n.share[k-1]
	}
	t := (fine - n.fine[k-1]) / (n.fine[k] - n.fine[k-1] + 1e-9)
	return n.share[k-1] + t*(n.share[k]-n.share[k-1])
}

func middle(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// weigh sets every block's excess.
func (n *noise) weigh(bs []block) {
	for i := range bs {
		if b := &bs[i]; b.ok {
			b.excess = float32(math.Log((float64(b.left) + 1e-6) / (n.floor + n.at(float64(b.fine))*float64(b.power))))
		}
	}
}
