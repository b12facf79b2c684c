package settle

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// fitTop finds the card on top of a pile in a still, whose outline has the size
// and perspective of q but lies elsewhere, turned a little. A pile shows the
// sides of many cards; only the top one shows two pairs of opposite sides at a
// card's distance.
//
// For each angle the picture is averaged along the card's sides. Where the
// averages step, there is a side: the place with a step at both ends of a
// card's width and height is the card's (a Radon transform of the gradient,
// as for straight lines in Toft 1996). Angles are tried at half the
// resolution first. Then each side is fitted by itself.
//
// What the still before shows at the same place counts less: the sides of the
// cards below were there already. And a new card changes nothing outside its
// own outline, which tells that from a frame printed on it.
func fitTop(g, before *grey, q region) topFit {
	none := topFit{q: q}
	if min(g.w, g.h) < 16 {
		return none
	}
	var fresh *grey
	if before != nil {
		fresh = changes(before, g)
	}
	c := plane.Quad(q).Centre()
	if m, share := middleOfChange(fresh, q); share > changedPicture {
		c = m // another picture: there is the card
	}
	// Half the resolution.
	coarse := pileSearch{g: g.half(), q: q.halved(), c: halved(c), reach: fitReach}
	if before != nil {
		coarse.before, coarse.fresh = before.half(), fresh.half()
	}
	for a := -fitTurn; a <= fitTurn; a += 2 {
		coarse.look(a * math.Pi / 180)
	}
	found := coarse.best
	if found.sides == 0 {
		return none
	}
	fine := pileSearch{g: g, before: before, fresh: fresh, q: q, reach: fitNear}
	fine.c = c.Add(coarse.moved(found).Mul(2))
	fine.look(found.turn)
	for _, d := range []float64{1, 0.5, 0.25} {
		at := fine.best.turn
		fine.look(at - d*math.Pi/180)
		fine.look(at + d*math.Pi/180)
	}
	t := topFit{q: fine.outline(fine.best), sides: fine.best.sides}
	// Sides that make another shape than a card's are a neighbour's.
	if sharp := sharpen(g, t.q); alikeShape(t.q, sharp) {
		t.q = sharp
	}
	if fresh != nil {
		t.inside, t.outside = explained(fresh, t.q, 2)
	}
	return t
}

// topFit is where the top card seems to lie.
type topFit struct {
	q     region
	sides float64 // 0 to 2: how well both pairs of sides are seen

	// inside is the share of the card that changed, outside what changed
	// elsewhere, as a share of the card's area.
	inside, outside float64
}

// explained is which share of a card in place q changed, and how much changed
// elsewhere, as a share of its area; every step-th row is looked at.
func explained(fresh *grey, q region, step int) (inside, outside float64) {
	in, near := q.grown(-2), q.grown(2)
	var n, of, out float64
	for y := 0; y < fresh.h; y += step {
		row := fresh.pix[y*fresh.w:][:fresh.w]
		a0, a1 := in.span(float64(y), fresh.w)
		b0, b1 := near.span(float64(y), fresh.w)
		for x, v := range row {
			switch {
			case x >= a0 && x < a1:
				of++
				n += float64(v)
			case x < b0 || x >= b1:
				out += float64(v)
			}
		}
	}
	if of == 0 {
		return 0, 0
	}
	return n / of, out / of
}

// alikeShape reports whether two outlines are one card's, to what the height of
// a pile and the slant of a camera change.
func alikeShape(a, b region) bool {
	s := similarOf(a, b)
	off := 0.0
	for i, p := range a {
		off = max(off, s.at(p).Sub(b[i]).Norm())
	}
	return math.Abs(s.grow) < shapeGrow && off < shapeOff*math.Sqrt(math.Abs(plane.Quad(a).Area()))
}

const (
	shapeGrow = 0.015
	shapeOff  = 0.012

	// fitTurn is how far a card may be turned from the others of its pile,
	// degrees; one that is turned farther is left to the finder.
	fitTurn = 16.0

	// fitReach is how far from where the cards lay on average it is looked
	// for, in widths of the card; fitNear is that of the second look.
	fitReach = 0.36
	fitNear  = 0.06

	// changedPicture is the share of a card's area whose change shows where
	// the card is.
	changedPicture = 0.3
)

// pileSearch is a search for two pairs of sides.
type pileSearch struct {
	g, before, fresh *grey
	q                region
	c                plane.Point // where the search begins
	reach            float64     // widths of the card
	best             pileFit
}

// look tries an angle.
func (s *pileSearch) look(turn float64) {
	side := plane.Quad(s.q).Sides()
	w, h := (side[0]+side[2])/2, (side[1]+side[3])/2
	f := fitAt(s.g, s.before, s.fresh, s.c, s.base()+turn, w, h, math.Max(2, s.reach*w))
	f.turn = turn
	f.score = f.sides - 0.01*math.Abs(turn)*180/math.Pi // of equals the one less turned
	if s.fresh != nil {
		inside, outside := explained(s.fresh, s.outline(f), 2)
		f.score += inside - 5*min(0.4, outside)
	}
	if s.best.sides == 0 || f.score > s.best.score {
		s.best = f
	}
}

// outline is the outline of a fit.
func (s *pileSearch) outline(f pileFit) (fit region) {
	sin, cos := math.Sincos(f.turn)
	to, from := s.c.Add(s.moved(f)), plane.Quad(s.q).Centre()
	for i, p := range s.q {
		d := p.Sub(from)
		fit[i] = to.Add(plane.Point{X: cos*d.X - sin*d.Y, Y: sin*d.X + cos*d.Y})
	}
	return fit
}

// base is the angle of the upper side.
func (s *pileSearch) base() float64 {
	across := s.q[1].Sub(s.q[0]).Add(s.q[2].Sub(s.q[3]))
	return math.Atan2(across.Y, across.X)
}

// moved is how far from c a fit lies.
func (s *pileSearch) moved(f pileFit) plane.Point {
	sin, cos := math.Sincos(s.base() + f.turn)
	return plane.Point{X: cos*f.du - sin*f.dv, Y: sin*f.du + cos*f.dv}
}

// halved is a place at half the resolution, as grey.half has it.
func halved(p plane.Point) plane.Point {
	return plane.Point{X: (p.X+0.5)/2 - 0.5, Y: (p.Y+0.5)/2 - 0.5}
}

func (q region) halved() (out region) {
	for i, p := range q {
		out[i] = halved(p)
	}
	return out
}

// middleOfChange is the middle of what changed, and its share of the area of a
// card.
func middleOfChange(fresh *grey, q region) (c plane.Point, share float64) {
	if fresh == nil {
		return c, 0
	}
	n := 0.0
	for y := 0; y < fresh.h; y += 3 {
		row := fresh.pix[y*fresh.w:][:fresh.w]
		for x := 0; x < fresh.w; x += 3 {
			if row[x] > 0 {
				c.X += float64(x)
				c.Y += float64(y)
				n++
			}
		}
	}
	if n == 0 {
		return c, 0
	}
	return c.Mul(1 / n), 9 * n / math.Max(1, math.Abs(plane.Quad(q).Area()))
}

type pileFit struct {
	turn, du, dv float64
	sides        float64 // 0 to 2: how well both pairs of sides are seen
	score        float64 // that and how well it explains what changed
}

// fitAt looks for the two pairs of sides at one angle.
func fitAt(g, before, fresh *grey, c plane.Point, angle, w, h, reach float64) pileFit {
	u, v := plane.Point{X: math.Cos(angle), Y: math.Sin(angle)}, plane.Point{X: -math.Sin(angle), Y: math.Cos(angle)}
	pu, cu := steps(g, before, fresh, c, u, v, w/2+reach, 0.32*h)
	pv, cv := steps(g, before, fresh, c, v, u, h/2+reach, 0.32*w)
	du, su := pair(pu, cu, w, reach)
	dv, sv := pair(pv, cv, h, reach)
	return pileFit{du: du, dv: dv, sides: su + sv}
}

// fullStep is the step in codes of a side that is seen well.
const fullStep = 2

// steps is how well a line along v is seen as a side, 0 to 1, at offsets -half
// to half along u, one pixel apart, and how much changed along such a line, nil
// where that is not known.
func steps(g, before, fresh *grey, c, u, v plane.Point, half, long float64) (sides, changed []float32) {
	now := slopes(lineMeans(g, c, u, v, half, long))
	var change []float32
	if before != nil {
		was := slopes(lineMeans(before, c, u, v, half, long))
		change = lineMeans(fresh, c, u, v, half, long)
		for i := range now {
			w := was[i]
			if i > 0 {
				w = max(w, was[i-1])
			}
			if i+1 < len(was) {
				w = max(w, was[i+1])
			}
			now[i] = 0.4*now[i] + 0.6*max(0, now[i]-w)
		}
	}
	// How well each place is seen as a side: by its step, or by what changed
	// inside and not outside.
	seen := make([]float32, len(now))
	for i, s := range now {
		seen[i] = s / (s + fullStep)
		if change == nil {
			continue
		}
		in := 1 // direction
		if i >= len(now)/2 {
			in = -1
		}
		inner, outer := meanOf(change, i+1+2*in, i+1+beyond*in), meanOf(change, i+1-beyond*in, i+1-2*in)
		if k := inner - outer; k > 0 {
			seen[i] = 1 - (1-seen[i])*(1-0.7*k)
		}
	}
	out := make([]float32, len(now))
	for i, s := range seen {
		// Only the steepest place of a step counts.
		if i > 0 && seen[i-1] > s || i+1 < len(seen) && seen[i+1] > s {
			continue
		}
		out[i] = s
		if change != nil {
			// Some millimetres outside, beyond the shadow.
			o := i + 1 + outside
			if i < len(now)/2 {
				o = i + 1 - outside
			}
			if o >= 0 && o < len(change) && change[o] == change[o] {
				out[i] *= 1 - 0.7*min(1, 4*change[o])
			}
		}
	}
	if change != nil {
		change = change[1 : len(change)-1]
	}
	return out, change
}

// meanOf is the mean of the known values from one place to another, both
// included; 0 where none is known.
func meanOf(v []float32, a, b int) float32 {
	a, b = max(0, min(a, b)), min(len(v)-1, max(a, b))
	sum, n := float32(0), 0
	for i := a; i <= b; i++ {
		if v[i] == v[i] {
			sum += v[i]
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float32(n)
}

// beyond is how far on both sides of a side is looked for what changed, px.
const beyond = 6

// outside is how far from a side nothing changes any more, px.
const outside = 5

// changes is 1 where b shows something else than a, 0 elsewhere.
func changes(a, b *grey) *grey {
	out := &grey{w: a.w, h: a.h, pix: make([]float32, len(a.pix))}
	if len(a.pix) != len(b.pix) {
		return out
	}
	d := make([]float32, len(a.pix))
	var ratios []float32
	for i := 0; i < len(d); i += 11 {
		if a.pix[i] > 8 {
			ratios = append(ratios, b.pix[i]/a.pix[i])
		}
	}
	g := float32(1)
	if len(ratios) > 0 {
		slices.Sort(ratios)
		g = ratios[len(ratios)/2]
	}
	for i := range d {
		d[i] = b.pix[i] - g*a.pix[i]
	}
	// A shadow changes its surroundings alike.
	mean := boxMean(d, a.w, a.h, 4)
	for i := range d {
		ratio := (b.pix[i] + 4) / (g*a.pix[i] + 4)
		if limit := 2.5 + 0.03*b.pix[i]; abs(d[i]) > limit && abs(d[i]-mean[i]) > limit || ratio < 0.55 || ratio > 1.6 {
			out.pix[i] = 1
		}
	}
	return out
}

func lineMeans(g *grey, c, u, v plane.Point, half, long float64) []float32 {
	n := 2*int(half) + 1
	mean := make([]float32, n+2)
	for i := range mean {
		s := float64(i - n/2 - 1)
		p := c.Add(u.Mul(s)).Sub(v.Mul(long))
		sum, k := float32(0), 0
		for t := 0.0; t <= 2*long; t += 1.5 {
			x, y := int(p.X+v.X*t+0.5), int(p.Y+v.Y*t+0.5)
			if x >= 0 && y >= 0 && x < g.w && y < g.h {
				sum += g.pix[y*g.w+x]
				k++
			}
		}
		if float64(k)*1.5 < long {
			mean[i] = float32(math.NaN())
		} else {
			mean[i] = sum / float32(k)
		}
	}
	return mean
}

// slopes is how much the means change over two pixels; it has two fewer.
func slopes(mean []float32) []float32 {
	out := make([]float32, len(mean)-2)
	for i := range out {
		d := abs(mean[i+2] - mean[i])
		if d != d {
			d = 0
		}
		out[i] = d
	}
	return out
}

// pair is the shift of the two sides, apart as given, that are seen best, and
// how well they are seen. A shift that leaves outside what changed is no good
// one.
func pair(p, changed []float32, apart, reach float64) (shift, sides float64) {
	mid := len(p) / 2
	// A card is as wide as the one before to some pixels: it lies higher, or
	// where a camera that leans sees it larger.
	at := func(s float64) float64 {
		best := 0.0
		for i := int(math.Floor(s - 2)); i <= int(math.Ceil(s+2)); i++ {
			if k := i + mid; k >= 0 && k < len(p) {
				best = max(best, float64(p[k])*(1-0.08*math.Abs(float64(i)-s)))
			}
		}
		return best
	}
	sums := make([]float64, len(p)+1) // of what changed before each place
	for i, v := range changed {
		if v != v {
			v = 0
		}
		sums[i+1] = sums[i] + float64(v)
	}
	upTo := func(s float64) float64 { return sums[min(len(p), max(0, int(math.Floor(s))+mid))] }
	best := math.Inf(-1)
	for d := -reach; d <= reach; d += 0.5 {
		a, b := at(d-apart/2), at(d+apart/2)
		seen := 0.9*min(a, b) + 0.1*max(a, b)
		// Of equals the one nearer to where it was.
		s := seen - 0.02*math.Abs(d)/reach
		if changed != nil {
			out := upTo(d-apart/2-1) + sums[len(p)] - upTo(d+apart/2+2)
			s -= outsideCosts * out / apart
		}
		if s > best {
			shift, sides, best = d, seen, s
		}
	}
	return shift, sides
}

// outsideCosts is how much a side that is seen well counts beside a change
// outside the card, as a share of its breadth.
const outsideCosts = 12

// sharpen fits each side to the steepest places near it.
func sharpen(g *grey, q region) region {
	type line struct{ p, d plane.Point }
	var ls [4]line
	const reach = 2.5
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		d := b.Sub(a)
		long := d.Norm()
		if long < 20 {
			return q
		}
		d = d.Mul(1 / long)
		n := plane.Point{X: d.Y, Y: -d.X}
		ls[i] = line{a, d}
		var at, off, weight []float64
		for t := 0.08 * long; t < 0.92*long; t += 2 {
			m := a.Add(d.Mul(t))
			var prev float64
			sumW, sumO, top := 0.0, 0.0, 0.0
			for k := -reach - 1; k <= reach+1; k += 0.5 {
				v, ok := g.at(m.Add(n.Mul(k)))
				if !ok {
					top = 0
					break
				}
				if k > -reach-1 {
					e := math.Abs(v - prev)
					o := k - 0.25
					// Near the expected place first.
					e *= math.Exp(-o * o / (2 * 1.5 * 1.5))
					e *= e
					sumW += e
					sumO += e * o
					top = max(top, e)
				}
				prev = v
			}
			if top < 0.3 {
				continue
			}
			at, off, weight = append(at, t-long/2), append(off, sumO/sumW), append(weight, min(1, math.Sqrt(top)/4))
		}
		if len(at) < 8 {
			continue
		}
		o, s := robustLine(at, off, weight)
		s = clamp64(s, -0.01, 0.01)
		m := a.Add(d.Mul(long / 2)).Add(n.Mul(o))
		k := d.Add(n.Mul(s))
		ls[i] = line{m, k}
	}
	var out region
	for i := range q {
		a, b := ls[(i+3)%4], ls[i]
		den := a.d.Cross(b.d)
		if math.Abs(den) < 0.3 {
			return q
		}
		t := b.p.Sub(a.p).Cross(b.d) / den
		out[i] = a.p.Add(a.d.Mul(t))
		if out[i].Sub(q[i]).Norm() > 2*reach {
			return q
		}
	}
	return out
}

// robustLine fits o = a + s*t with Tukey's weights.
func robustLine(t, o, weight []float64) (a, s float64) {
	a = median(slices.Clone(o))
	for range 6 {
		var r []float64
		for i := range t {
			r = append(r, math.Abs(o[i]-a-s*t[i]))
		}
		scale := max(0.15, 1.5*median(r)) * 3
		var sw, st, stt, so, sto float64
		for i := range t {
			e := (o[i] - a - s*t[i]) / scale
			if e < -1 || e > 1 {
				continue
			}
			w := weight[i] * (1 - e*e) * (1 - e*e)
			sw += w
			st += w * t[i]
			stt += w * t[i] * t[i]
			so += w * o[i]
			sto += w * t[i] * o[i]
		}
		den := sw*stt - st*st
		if !(den > 1e-9) {
			return a, s
		}
		a, s = (so*stt-sto*st)/den, (sw*sto-st*so)/den
	}
	return a, s
}

// similarOf is the similarity that takes one outline to another best.
func similarOf(from, to region) similar {
	c, k := plane.Quad(from).Centre(), plane.Quad(to).Centre()
	s := similar{cx: c.X, cy: c.Y, tx: k.X - c.X, ty: k.Y - c.Y, gain: 1, ok: true}
	var dot, cross, norm float64
	for i := range from {
		p, q := from[i].Sub(c), to[i].Sub(k)
		dot += p.Dot(q)
		cross += p.Cross(q)
		norm += p.Dot(p)
	}
	if norm > 0 {
		s.grow, s.turn = dot/norm-1, cross/norm
	}
	return s
}

// sidesSeen is for each side the share of it along which there is a step at one
// and the same distance from it: the least of the four and their mean.
func sidesSeen(g *grey, q region, noise float64) (least, mean float64) {
	least = 1
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		d := b.Sub(a)
		long := d.Norm()
		if long < 20 {
			return 0, 0
		}
		d = d.Mul(1 / long)
		n := plane.Point{X: d.Y, Y: -d.X}
		seen, all := 0, 0
		for t := 0.1 * long; t < 0.9*long; t += 3 {
			m := a.Add(d.Mul(t))
			u, ok1 := g.at(m.Add(n.Mul(1.5)))
			v, ok2 := g.at(m.Sub(n.Mul(1.5)))
			all++
			if ok1 && ok2 && math.Abs(u-v) > max(1.5, 4*noise) {
				seen++
			}
		}
		share := float64(seen) / float64(max(1, all))
		least = min(least, share)
		mean += share / 4
	}
	return least, mean
}

// sidesStep is the mean step across the sides, codes.
func sidesStep(g *grey, q region) float64 {
	sum, n := 0.0, 0
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		d := b.Sub(a)
		long := d.Norm()
		if long < 20 {
			return 0
		}
		d = d.Mul(1 / long)
		out := plane.Point{X: d.Y, Y: -d.X}
		for t := 0.1 * long; t < 0.9*long; t += 3 {
			m := a.Add(d.Mul(t))
			u, ok1 := g.at(m.Add(out.Mul(1.5)))
			v, ok2 := g.at(m.Sub(out.Mul(1.5)))
			if ok1 && ok2 {
				sum += math.Abs(u - v)
				n++
			}
		}
	}
	return sum / float64(max(1, n))
}
