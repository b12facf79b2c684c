package settle

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// fitTop finds the card on top of a pile in a still, whose outline looks like
// q but lies elsewhere, turned a little. A pile shows the sides of many cards;
// only the top one shows two pairs of opposite sides at a card's distance.
//
// For each angle the picture is averaged along the card's sides. Where the
// averages step, there is a side: the place with a step at both ends of a
// card's width and height is the card's (a Radon transform of the gradient,
// as for straight lines in Toft 1996). Then each side is fitted by itself.
//
// What the still before shows at the same place counts less: the sides of the
// cards below were there already. And a new card changes nothing outside its
// own outline, which tells that from a frame printed on it.
func fitTop(g, before *grey, q region) (fit region, score float64) {
	quad := plane.Quad(q)
	c := quad.Centre()
	side := quad.Sides()
	w, h := (side[0]+side[2])/2, (side[1]+side[3])/2
	across := q[1].Sub(q[0]).Add(q[2].Sub(q[3]))
	base := math.Atan2(across.Y, across.X)
	const reach = 0.22 // of the width, to every side
	r := reach * w
	best := pileFit{}
	var fresh *grey
	if before != nil {
		fresh = changes(before, g)
	}
	look := func(turn float64) {
		f := fitAt(g, before, fresh, c, base+turn, w, h, r)
		f.score -= 0.01 * math.Abs(turn) * 180 / math.Pi // of equals the one less turned
		f.turn = turn
		if f.score > best.score {
			best = f
		}
	}
	for a := -6.0; a <= 6; a++ {
		look(a * math.Pi / 180)
	}
	for _, d := range []float64{0.5, 0.25} {
		at := best.turn
		look(at - d*math.Pi/180)
		look(at + d*math.Pi/180)
	}
	sin, cos := math.Sincos(best.turn)
	u, v := plane.Point{X: math.Cos(base + best.turn), Y: math.Sin(base + best.turn)}, plane.Point{X: -math.Sin(base + best.turn), Y: math.Cos(base + best.turn)}
	move := u.Mul(best.du).Add(v.Mul(best.dv))
	for i, p := range q {
		d := p.Sub(c)
		fit[i] = c.Add(plane.Point{X: cos*d.X - sin*d.Y, Y: sin*d.X + cos*d.Y}).Add(move)
	}
	return sharpen(g, fit), best.score
}

type pileFit struct {
	turn, du, dv float64
	score        float64 // 0 to 2: how well both pairs of sides are seen
}

// fitAt looks for the two pairs of sides at one angle.
func fitAt(g, before, fresh *grey, c plane.Point, angle, w, h, reach float64) pileFit {
	u, v := plane.Point{X: math.Cos(angle), Y: math.Sin(angle)}, plane.Point{X: -math.Sin(angle), Y: math.Cos(angle)}
	pu := steps(g, before, fresh, c, u, v, w/2+reach, 0.32*h)
	pv := steps(g, before, fresh, c, v, u, h/2+reach, 0.32*w)
	du, su := pair(pu, w, reach)
	dv, sv := pair(pv, h, reach)
	return pileFit{du: du, dv: dv, score: su + sv}
}

// fullStep is the step in codes of a side that is seen well.
const fullStep = 2

// steps is how well a line along v is seen as a side, 0 to 1, at offsets -half
// to half along u, one pixel apart.
func steps(g, before, fresh *grey, c, u, v plane.Point, half, long float64) []float32 {
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
	out := make([]float32, len(now))
	for i, s := range now {
		// Only the steepest place of a step counts.
		if i > 0 && now[i-1] > s || i+1 < len(now) && now[i+1] > s {
			continue
		}
		out[i] = s / (s + fullStep)
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
	return out
}

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
		if abs(d[i]-mean[i]) > 2.5+0.03*b.pix[i] {
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

// pair is the shift of the two sides, apart as given, that are seen best.
func pair(p []float32, apart, reach float64) (shift, score float64) {
	mid := len(p) / 2
	// A card is as wide as the one before to a pixel or so: it lies higher.
	at := func(s float64) float64 {
		best := 0.0
		for i := int(math.Floor(s - 1)); i <= int(math.Ceil(s+1)); i++ {
			if k := i + mid; k >= 0 && k < len(p) {
				best = max(best, float64(p[k])*(1-0.15*math.Abs(float64(i)-s)))
			}
		}
		return best
	}
	for d := -reach; d <= reach; d += 0.5 {
		a, b := at(d-apart/2), at(d+apart/2)
		s := 0.9*min(a, b) + 0.1*max(a, b)
		// Of equals the one nearer to where it was.
		s -= 0.02 * math.Abs(d) / reach
		if s > score {
			shift, score = d, s
		}
	}
	return shift, score
}

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

// weakestSide is the least of four: the share of a side along which there is
// a step at one and the same distance from it.
func weakestSide(g *grey, q region, noise float64) float64 {
	least := 1.0
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		d := b.Sub(a)
		long := d.Norm()
		if long < 20 {
			return 0
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
		least = min(least, float64(seen)/float64(max(1, all)))
	}
	return least
}
