package card

import (
	"math"

	"fairdeck/vision/plane"
)

// support is what the pixels say for one side of a hypothesis.
type support struct {
	fraction float64    // of the side where an edge runs along it, beyond chance, 0 to 1
	strength float64    // median gradient across it, codes per pixel
	contrast float64    // how constant the colour step across the side is: mean over standard deviation
	line     float64    // the same for the step or for a line, whichever is greater
	step     [3]float64 // mean colour inside less outside
	in, out  [3]float64 // mean colour inside and outside
	outside  float64    // fraction of the side that lies out of the frame
}

const (
	// sideTrim is the part of a side at either end that is left out: rounded
	// corners reach up to 3.5 mm of 63.
	sideTrim   = 0.07
	maxOutside = 0.6 // of a side out of the frame; more of it is not judged
	maxSamples = 40
)

// weigh moves each side of the quad by up to reach pixels at either end to
// where most of it lies on an edge, and notes the support. It reports whether
// the quad is good, and stops at the first side that rules it out: most quads
// are lines of the table that happen to cross.
func (l *level) weigh(h *hypothesis, reach int) bool {
	return l.weighDownTo(h, reach, goodWeakest)
}

// weighDownTo is weigh with another limit for the worst side.
func (l *level) weighDownTo(h *hypothesis, reach int, limit float64) bool {
	h.score, h.weakest, h.seen = 0, 0, 0
	var from, to [4]plane.Point
	side := func(i int) bool {
		if a, b := h.quad[i], h.quad[(i+1)%4]; l.glance(a, b) < l.leastGlance(a, b, limit) {
			return false
		}
		from[i], to[i], h.sides[i] = l.weighSide(h.quad[i], h.quad[(i+1)%4], reach)
		return h.sides[i].outside > maxOutside || h.sides[i].quality() >= limit
	}
	open := h.open
	for i := range 4 {
		if i != open && !side(i) {
			return false
		}
	}
	if open >= 0 {
		l.closeOpen(h)
		if !side(open) {
			return false
		}
		// The sides next to it have become longer or shorter.
		for _, i := range [2]int{(open + 1) % 4, (open + 3) % 4} {
			if !side(i) {
				return false
			}
		}
	}
	var q plane.Quad
	for i := range 4 {
		p, ok := meetPoints(from[(i+3)%4], to[(i+3)%4], from[i], to[i])
		if !ok {
			return false
		}
		q[i] = p
	}
	if q.Convex() {
		h.quad = q
	}
	// Sides that lie mostly out of the frame say nothing.
	h.score, h.weakest, h.seen = 0, 1, 1
	n := 0.0
	for _, s := range h.sides {
		h.seen -= s.outside / 4
		if s.outside > maxOutside {
			continue
		}
		n++
		h.score += s.quality()
		h.weakest = min(h.weakest, s.quality())
	}
	h.score /= max(n, 1)
	if n < 2 {
		h.weakest = 0
	}
	var steps [4][3]float64
	var constancy [4]float64
	for i, s := range h.sides {
		steps[i], constancy[i] = s.step, s.contrast
	}
	h.agree = agreement(steps, constancy)
	h.table = tableInSide(&h.sides)
	return h.good()
}

// closeOpen slides the side that no line closed along its neighbours to where
// it has the most support, within the known aspects and some tilt.
func (l *level) closeOpen(h *hypothesis) {
	i := h.open
	a, b := h.quad[i], h.quad[(i+1)%4]
	da, db := a.Sub(h.quad[(i+3)%4]), b.Sub(h.quad[(i+2)%4])
	length := (da.Norm() + db.Norm()) / 2
	best, at := 0.0, 0.0
	for px := -math.Floor(0.07 * length); px <= 0.07*length; px += 2 {
		f := px / length
		// Outermost among equals.
		if v := l.glance(a.Add(da.Mul(f)), b.Add(db.Mul(f))) + 0.1*f; v > best {
			best, at = v, f
		}
	}
	h.quad[i], h.quad[(i+1)%4] = a.Add(da.Mul(at)), b.Add(db.Mul(at))
	h.open = -1
}

// glance is a quick look at a side: the fraction of a few places with an edge
// along it within two pixels, chance included. A side out of the frame is
// given the benefit of the doubt.
func (l *level) glance(p, q plane.Point) float64 {
	d := q.Sub(p)
	length := d.Norm()
	n := plane.Point{X: d.Y / length, Y: -d.X / length}
	c2, s2 := float32(n.X*n.X-n.Y*n.Y), float32(2*n.X*n.Y)
	g := l.grad
	const places = 16
	hits, inside := 0, 0
	for i := range places {
		a := p.Add(d.Mul(sideTrim + (1-2*sideTrim)*(float64(i)+0.5)/places))
		if a.X < 3 || a.Y < 3 || a.X > float64(g.Width-4) || a.Y > float64(g.Height-4) {
			continue
		}
		inside++
		for o := -2; o <= 2; o++ {
			j := int(a.Y+n.Y*float64(o)+0.5)*g.Width + int(a.X+n.X*float64(o)+0.5)
			if l.ridges[j] != 0 && g.Cos2[j]*c2+g.Sin2[j]*s2 > 0.5*g.Energy[j] {
				hits++
				break
			}
		}
	}
	if inside < places/2 {
		return 1
	}
	return float64(hits) / float64(inside)
}

// leastGlance is what a glance has to show of a side for the limit to be
// reached beyond chance; a tenth less, since it looks at few places.
func (l *level) leastGlance(p, q plane.Point, limit float64) float64 {
	d := q.Sub(p)
	n2 := d.Dot(d)
	chance := l.chanceAt(float32((d.Y*d.Y-d.X*d.X)/n2), float32(-2*d.X*d.Y/n2))
	return limit + max(0, chance*(1-limit)-0.1)
}

// weighSide weighs one side. Many hypotheses share a side, so that what was
// found is kept.
func (l *level) weighSide(p, q plane.Point, reach int) (plane.Point, plane.Point, support) {
	key := sideKey{quarters(p.X), quarters(p.Y), quarters(q.X), quarters(q.Y), int32(reach)}
	if w, ok := l.weighed[key]; ok {
		return p.Add(w.moveP), q.Add(w.moveQ), w.support
	}
	a, b, s := l.weighPixels(p, q, reach)
	if l.weighed == nil {
		l.weighed = map[sideKey]weighedSide{}
	}
	l.weighed[key] = weighedSide{a.Sub(p), b.Sub(q), s}
	return a, b, s
}

// A sideKey is the ends of a side, in quarters of a pixel, and the reach.
type sideKey [5]int32

func quarters(v float64) int32 { return int32(math.Floor(v * 4)) }

type weighedSide struct {
	moveP, moveQ plane.Point
	support      support
}

func (l *level) weighPixels(p, q plane.Point, reach int) (plane.Point, plane.Point, support) {
	d := q.Sub(p)
	length := d.Norm()
	u := d.Mul(1 / length)
	n := plane.Point{X: u.Y, Y: -u.X} // outward of a clockwise quad
	c2, s2 := float32(n.X*n.X-n.Y*n.Y), float32(2*n.X*n.Y)
	k := min(maxSamples, max(10, int(length/2.5)))
	g := l.grad

	const maxReach = 4
	reach = min(reach, maxReach)
	var hit [maxSamples][2*maxReach + 3]float32
	inside := 0
	for i := range k {
		t := (sideTrim + (1-2*sideTrim)*(float64(i)+0.5)/float64(k)) * length
		a := p.Add(u.Mul(t))
		if a.X < 1 || a.Y < 1 || a.X > float64(g.Width-2) || a.Y > float64(g.Height-2) {
			continue
		}
		inside++
		for o := -reach - 1; o <= reach+1; o++ {
			b := a.Add(n.Mul(float64(o)))
			x, y := int(b.X+0.5), int(b.Y+0.5)
			if x < 1 || y < 1 || x >= g.Width-1 || y >= g.Height-1 {
				continue
			}
			j := y*g.Width + x
			if l.ridges[j] == 0 {
				continue
			}
			e := g.Energy[j]
			across := (e + g.Cos2[j]*c2 + g.Sin2[j]*s2) / 2
			// Aligned within about 30 degrees: cos^2 = 0.75.
			if across > 0.75*e {
				hit[i][o+reach+1] = across
			}
		}
	}
	s := support{outside: 1 - float64(inside)/float64(k)}
	if inside == 0 {
		return p, q, s
	}
	bestA, bestB, best := 0, 0, -1.0
	for a := -reach; a <= reach; a++ {
		for b := -reach; b <= reach; b++ {
			sum, strong := 0, float32(0)
			for i := range k {
				o := (2*a*k+(2*i+1)*(b-a)+k)/(2*k) + reach + 1
				if a < 0 || b < 0 { // integer division rounds to zero
					o = int(math.Floor(float64(2*a*k+(2*i+1)*(b-a)+k)/float64(2*k))) + reach + 1
				}
				if e := max(hit[i][o-1], hit[i][o], hit[i][o+1]); e > 0 {
					sum++
					strong += min(hit[i][o], 400)
				}
			}
			// Among equal counts the ridge of the gradient wins, and of equal
			// ridges the smaller move.
			v := float64(sum) + float64(strong/(strong+400*float32(k))) - 0.01*float64(a*a+b*b)
			if v > best {
				best, bestA, bestB = v, a, b
				s.fraction = float64(sum) / float64(inside)
				s.strength = math.Sqrt(float64(strong) / float64(max(sum, 1)))
			}
		}
	}
	chance := l.chanceAt(c2, s2)
	s.fraction = max(0, (s.fraction-chance)/(1-chance))
	// The offsets hold at the trimmed ends; carry them to the corners.
	slope := float64(bestB-bestA) / (1 - 2*sideTrim)
	p = p.Add(n.Mul(float64(bestA) - slope*sideTrim))
	q = q.Add(n.Mul(float64(bestB) + slope*sideTrim))
	l.contrast(&s, p, q, n, k)
	return p, q, s
}

// contrast compares the colours two pixels inside and outside of a side at k
// places: the mean difference, and its length over its standard deviation. The
// edge of a sleeve has one step all along, 2 and more; grain, carpet and
// print change their minds, below 1. Two equal sleeves that touch show a dark
// line without a step; line is the same ratio for the greater of the steps
// from the side itself to either hand.
func (l *level) contrast(s *support, p, q, n plane.Point, k int) {
	var across, inner, outer, inside tally
	d := q.Sub(p)
	w, h := l.img.Width, l.img.Height
	for i := range k {
		t := sideTrim + (1-2*sideTrim)*(float64(i)+0.5)/float64(k)
		a := p.Add(d.Mul(t))
		ix, iy := int(a.X-2*n.X+0.5), int(a.Y-2*n.Y+0.5)
		ox, oy := int(a.X+2*n.X+0.5), int(a.Y+2*n.Y+0.5)
		if min(ix, iy, ox, oy) < 0 || max(ix, ox) >= w || max(iy, oy) >= h {
			continue
		}
		mx, my := int(a.X+0.5), int(a.Y+0.5)
		in, mid, out := l.img.Pix[3*(iy*w+ix):], l.img.Pix[3*(my*w+mx):], l.img.Pix[3*(oy*w+ox):]
		inside.add(float64(in[0]), float64(in[1]), float64(in[2]))
		across.add(float64(in[0])-float64(out[0]), float64(in[1])-float64(out[1]), float64(in[2])-float64(out[2]))
		inner.add(float64(in[0])-float64(mid[0]), float64(in[1])-float64(mid[1]), float64(in[2])-float64(mid[2]))
		outer.add(float64(mid[0])-float64(out[0]), float64(mid[1])-float64(out[1]), float64(mid[2])-float64(out[2]))
	}
	// One code of rounding in each channel and picture.
	s.step, s.contrast = across.mean(), across.constancy(1)
	s.line = max(s.contrast, inner.constancy(1), outer.constancy(1))
	s.in = inside.mean()
	for ch := range s.out {
		s.out[ch] = s.in[ch] - s.step[ch]
	}
}

// tableInSide is how much the inside of one side looks like what lies outside
// of the others instead of what lies inside of them, 0 to 1: that side is a
// joint of the table or the grain of its wood, beyond the card.
func tableInSide(sides *[4]support) float64 {
	worst := 0.0
	for i := range sides {
		if sides[i].outside > maxOutside {
			continue
		}
		var card, table [3]float64
		n := 0.0
		for j := range sides {
			if j == i || sides[j].outside > maxOutside {
				continue
			}
			n++
			for ch := range card {
				card[ch] += sides[j].in[ch]
				table[ch] += sides[j].out[ch]
			}
		}
		if n < 2 {
			continue
		}
		for ch := range card {
			card[ch] /= n
			table[ch] /= n
		}
		c, t := ratio(sides[i].in, card), ratio(sides[i].in, table)
		worst = max(worst, (c-t)/(c+t+evenLight))
	}
	return worst
}

// evenLight is by how much light differs over a card and table, as a logarithm of
// pixel codes.
const evenLight = 0.15

// ratio is how far apart two colours are in logarithms of their codes; what is
// darker than 16 of 255 is black.
func ratio(a, b [3]float64) float64 {
	sum := 0.0
	for ch := range a {
		d := math.Log((a[ch] + 16) / (b[ch] + 16))
		sum += d * d
	}
	return math.Sqrt(sum)
}

// A tally gathers colour differences.
type tally struct {
	sum   [3]float64
	sq, n float64
}

func (t *tally) add(a, b, c float64) {
	t.sum[0] += a
	t.sum[1] += b
	t.sum[2] += c
	t.sq += a*a + b*b + c*c
	t.n++
}

func (t *tally) mean() [3]float64 {
	n := max(t.n, 1)
	return [3]float64{t.sum[0] / n, t.sum[1] / n, t.sum[2] / n}
}

// constancy is the length of the mean over the standard deviation, to whose
// square floor is added; 0 for less than three.
func (t *tally) constancy(floor float64) float64 {
	if t.n < 3 {
		return 0
	}
	m := t.mean()
	mean := m[0]*m[0] + m[1]*m[1] + m[2]*m[2]
	return math.Sqrt(mean / (max(0, t.sq/t.n-mean) + floor))
}

// quality joins both: support, of which half has to be earned by a constant
// step. 0 to 1.
func (s support) quality() float64 { return s.fraction * (0.5 + 0.5*steady(s.line)) }

// steady maps mean over standard deviation to 0..1: one half at 0.5.
func steady(t float64) float64 { return t / (t + 0.5) }

// meetPoints crosses the line a-b with the line c-d.
func meetPoints(a, b, c, d plane.Point) (plane.Point, bool) {
	u, v := b.Sub(a), d.Sub(c)
	den := u.Cross(v)
	if !(math.Abs(den) > 1e-9*u.Norm()*v.Norm()) {
		return plane.Point{}, false
	}
	return a.Add(u.Mul(c.Sub(a).Cross(v) / den)), true
}

// agreement is how alike the steps across the four sides are, -1 to 1: the
// mean cosine of their pairs, each as far as both steps are constant. A sleeve
// differs from its table in the same way all around; a side that is really the
// neighbour's, a board's or a shadow's differs the other way or any way.
func agreement(steps [4][3]float64, constancy [4]float64) float64 {
	sum := 0.0
	for i := range 4 {
		for j := range i {
			a, b := steps[i], steps[j]
			d := (a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) * (b[0]*b[0] + b[1]*b[1] + b[2]*b[2])
			if d > 0 {
				cos := (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) / math.Sqrt(d)
				sum += cos * min(steady(constancy[i]), steady(constancy[j])) / 6
			}
		}
	}
	return sum
}
