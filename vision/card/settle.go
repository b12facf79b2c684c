package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A rival is a straight line parallel to a side, or nearly, that may be the
// true side.
type rival struct {
	at0, at1 float64    // outward offsets at the side's ends, px
	votes    float64    // fraction of places that have an edge on it, beyond chance
	step     float64    // mean difference of light across it
	change   [3]float64 // mean light inside less outside
	constant float64    // how constant it is along the line: mean over standard deviation
	shadow   bool       // it looks like the rim of a shadow
	gap      float64    // the shadow's width, px
	soft     bool       // its gradient goes on for 3 px to either hand
	inside   float64    // how much the strip inside of it looks like the table, 0 to 1
	outside  float64    // the same for the strip outside
	lightIn  float64    // logarithm of the light inside against the table's
	lightOut float64    // the same outside
	score    float64    // how likely it is the side, see judge
}

func (r *rival) middle() float64 { return (r.at0 + r.at1) / 2 }

// A draft is a card on its way from the level to the full frame: its sides and
// what each could be instead.
type draft struct {
	sides  [4]sideCurve
	rivals [4]rivalry
	width  float64 // short side, px
	scale  float64 // what a side of this card is expected to be multiplied by here, see scaleField
	combos []combo
	pick   int
}

// A combo is one rival for each side.
type combo struct {
	quad  plane.Quad
	w, h  float64 // mean of opposite sides over the local scale: log
	value float64
}

// settle decides for all cards of the frame which of the parallel lines
// around each side is the side. Sleeves have seams, and prints have frames,
// that run along the sleeve's own edge a few millimetres inside it and often
// look stronger; beyond the edge there are shadows, grain of the table and the
// neighbours' edges. Averages over stretches of the side in the full frame
// show edges that the level has lost.
//
// The four sides of a card are decided together, because together they must
// have the shape of a card, outer lines before inner ones. The cards of a
// frame are decided together, because they have one size and do not overlap.
// Where the size is known from an earlier look, the first drafts, so many as
// are trusted, state it. The step of the search, in px, is returned.
func (sm *sampler) settle(drafts []draft, l *level, view viewer, trusted int) float64 {
	step := max(1, l.scale/2.5)
	if len(drafts) == 0 {
		return step
	}
	for i := range drafts {
		d := &drafts[i]
		_, _, w0 := d.sides[0].frame()
		_, _, w2 := d.sides[2].frame()
		d.width = (w0 + w2) / 2
		for k := range d.sides {
			d.rivals[k] = sm.rivals(&d.sides[k], -max(2*l.scale, 0.08*d.width), math.Ceil(max(2*l.scale, 0.095*d.width)), step, d.width)
		}
	}
	middle := plane.Point{X: float64(sm.img.Width) / 2, Y: float64(sm.img.Height) / 2}
	judgeAll(drafts)
	scaleField(drafts, middle, trusted)
	for i := range drafts {
		drafts[i].combine(l, view)
	}
	if trusted > 0 {
		pickSize(drafts, commonCombo(drafts[:trusted]))
	} else {
		// The second round knows the scale from the first.
		pickCombos(drafts, 2.5*sizeSigma)
		scaleField(drafts, middle, 0)
		pickCombos(drafts, sizeSigma)
	}
	for i := range drafts {
		d := &drafts[i]
		if d.pick < 0 {
			continue
		}
		q := d.combos[d.pick].quad
		for k := range d.sides {
			d.sides[k] = sideCurve{p: q[k], q: q[(k+1)%4]}
		}
	}
	return step
}

// scaleField gives each draft the size that cards have at its place, by the
// first of them that are trusted; 0: all.
func scaleField(drafts []draft, middle plane.Point, trusted int) {
	quads := make([]plane.Quad, len(drafts))
	for i := range drafts {
		quads[i] = drafts[i].quad()
	}
	if trusted == 0 {
		trusted = len(quads)
	}
	f := fitField(quads[:trusted], middle)
	for i := range drafts {
		d := &drafts[i]
		old := d.scale
		d.scale = f.at(quads[i].Centre())
		for k := range d.combos {
			d.combos[k].w += math.Log(old / d.scale)
			d.combos[k].h += math.Log(old / d.scale)
		}
	}
}

// A field is the size of cards by place: the square root of their area, px,
// as a constant, a slope (tilt) and a bowl about the frame's middle (lens).
type field struct {
	c      [4]float64
	middle plane.Point
	median float64
}

func (f field) terms(p plane.Point) [4]float64 {
	d := p.Sub(f.middle).Mul(1 / f.middle.Norm())
	return [4]float64{1, d.X, d.Y, d.Dot(d)}
}

// at is the size at p, at least half of the median.
func (f field) at(p plane.Point) float64 {
	t := f.terms(p)
	return max(f.median/2, f.c[0]*t[0]+f.c[1]*t[1]+f.c[2]*t[2]+f.c[3]*t[3])
}

// fitField fits the field to quads; those that are off by more than 3% in the
// end are left out.
func fitField(quads []plane.Quad, middle plane.Point) field {
	f := field{middle: middle}
	side := make([]float64, len(quads))
	for i, q := range quads {
		side[i] = math.Sqrt(math.Abs(q.Area()))
	}
	sorted := slices.Clone(side)
	slices.Sort(sorted)
	f.median = sorted[len(sorted)/2]
	f.c = [4]float64{f.median}
	for _, limit := range []float64{0.12, 0.06, 0.03} {
		var m [4][5]float64
		for i, q := range quads {
			if math.Abs(side[i]/f.at(q.Centre())-1) > limit {
				continue
			}
			t := f.terms(q.Centre())
			for r := range 4 {
				for c := range 4 {
					m[r][c] += t[r] * t[c]
				}
				m[r][4] += t[r] * (side[i] - f.median)
			}
		}
		// A little stiffness: few cards, or a single row, say nothing about
		// the other direction.
		for r := 1; r < 4; r++ {
			m[r][r] += 0.1
		}
		m[0][0] += 1e-6
		if x, ok := solve4(m); ok {
			f.c = x
			f.c[0] += f.median
		}
	}
	return f
}

// solve4 solves four linear equations by elimination.
func solve4(m [4][5]float64) (x [4]float64, ok bool) {
	for i := range 4 {
		p := i
		for r := i + 1; r < 4; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		if math.Abs(m[i][i]) < 1e-12 {
			return x, false
		}
		for r := range 4 {
			if r != i {
				f := m[r][i] / m[i][i]
				for c := i; c < 5; c++ {
					m[r][c] -= f * m[i][c]
				}
			}
		}
	}
	for i := range x {
		x[i] = m[i][4] / m[i][i]
	}
	return x, true
}

// quad is the draft's outline as picked, or as it came.
func (d *draft) quad() plane.Quad {
	if d.pick >= 0 && d.pick < len(d.combos) {
		return d.combos[d.pick].quad
	}
	var q plane.Quad
	for k := range q {
		q[k] = d.sides[k].p
	}
	return q
}

// maxCombos bounds the combinations of a card that are looked at in full.
const maxCombos = 60

// combine lists the best combinations of rivals that have a card's shape.
func (d *draft) combine(l *level, view viewer) {
	type rough struct {
		pick  [4]int
		value float64
	}
	var all []rough
	var steps [4][3]float64
	var constancy [4]float64
	for a := range d.rivals[0].list {
		for b := range d.rivals[1].list {
			for c := range d.rivals[2].list {
				for e := range d.rivals[3].list {
					r := rough{pick: [4]int{a, b, c, e}}
					for i, k := range r.pick {
						v := &d.rivals[i].list[k]
						r.value += v.score
						steps[i], constancy[i] = v.change, v.constant
					}
					r.value += 0.8 * agreement(steps, constancy)
					all = append(all, r)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b rough) int { return cmp.Compare(b.value, a.value) })
	d.pick = -1
	for _, r := range all {
		if len(d.combos) == maxCombos {
			break
		}
		var q plane.Quad
		ok := true
		for i := range q {
			j := (i + 3) % 4
			p0, p1 := d.sides[j].moved(d.rivals[j].list[r.pick[j]])
			q0, q1 := d.sides[i].moved(d.rivals[i].list[r.pick[i]])
			var good bool
			if q[i], good = meetPoints(p0, p1, q0, q1); !good {
				ok = false
			}
		}
		if !ok || !q.Convex() {
			continue
		}
		small := q
		for i := range small {
			small[i] = l.fromFrame(small[i])
		}
		turned, misfit, ok := view.asCard(small)
		if !ok || turned != small { // turned: the short side would change
			continue
		}
		s := q.Sides()
		d.combos = append(d.combos, combo{quad: q, value: r.value - 1.2*misfit,
			w: math.Log((s[0] + s[2]) / 2 / d.scale), h: math.Log((s[1] + s[3]) / 2 / d.scale)})
	}
}

const (
	// sizeSigma is the spread of the sizes of one deck's sleeves as seen: 0.1
	// mm of cut, a pixel of a side of 150, and what the scale field misses.
	sizeSigma = 0.01
	// oddSize is the most that another size costs: an odd sleeve is possible
	// where the lines are clear.
	oddSize = 1.5
	// overlapCost of two cards that reach into each other.
	overlapCost = 2.0
)

// commonCombo is the median size of drafts as they came.
func commonCombo(drafts []draft) combo {
	var w, h []float64
	for i := range drafts {
		var q plane.Quad
		for k := range q {
			q[k] = drafts[i].sides[k].p
		}
		s := q.Sides()
		w = append(w, math.Log((s[0]+s[2])/2/drafts[i].scale))
		h = append(h, math.Log((s[1]+s[3])/2/drafts[i].scale))
	}
	slices.Sort(w)
	slices.Sort(h)
	return combo{w: w[len(w)/2], h: h[len(h)/2]}
}

// pickSize chooses for each draft the combination of greatest value with a
// size that is known well.
func pickSize(drafts []draft, size combo) {
	for i := range drafts {
		d := &drafts[i]
		top := math.Inf(-1)
		for k, c := range d.combos {
			dw, dh := (c.w-size.w)/sizeSigma, (c.h-size.h)/sizeSigma
			if v := c.value - min(4*oddSize, (dw*dw+dh*dh)/2*0.2); v > top {
				top, d.pick = v, k
			}
		}
	}
}

// pickCombos chooses a combination for each draft: the one of greatest value
// for one or two cards, else with a common size, the one that makes the sum
// of the values greatest; sigma is the spread that sizes may have.
func pickCombos(drafts []draft, sigma float64) {
	if len(drafts) == 0 {
		return
	}
	best := math.Inf(-1)
	try := func(size *combo) {
		picks := make([]int, len(drafts))
		sum := 0.0
		for i := range drafts {
			d := &drafts[i]
			top := math.Inf(-1)
			picks[i] = -1
			for k := range d.combos {
				c := &d.combos[k]
				v := c.value
				if size != nil {
					dw, dh := (c.w-size.w)/sigma, (c.h-size.h)/sigma
					v -= min(oddSize, (dw*dw+dh*dh)/2*0.1)
				}
				if v > top {
					top, picks[i] = v, k
				}
			}
			if picks[i] >= 0 {
				sum += top
			}
		}
		// Squared: a size that is wrong makes every card overlap its
		// neighbours, a card that is wrong one or two.
		over := float64(overlaps(drafts, picks))
		sum -= overlapCost * over * over / float64(len(drafts))
		if sum > best {
			best = sum
			for i := range drafts {
				drafts[i].pick = picks[i]
			}
		}
	}
	if len(drafts) < 3 {
		try(nil)
		return
	}
	seen := map[[2]int]bool{}
	for i := range drafts {
		for k := range drafts[i].combos[:min(12, len(drafts[i].combos))] {
			c := &drafts[i].combos[k]
			key := [2]int{int(math.Round(c.w / 0.004)), int(math.Round(c.h / 0.004))}
			if !seen[key] {
				seen[key] = true
				try(c)
			}
		}
	}
}

// overlaps counts the pairs of cards that reach into each other by more than
// 0.4 mm (of 66).
func overlaps(drafts []draft, picks []int) int {
	n := 0
	var cs []candidate
	for i, k := range picks {
		if k >= 0 {
			cs = append(cs, newCandidate(&hypothesis{quad: drafts[i].combos[k].quad}))
		}
	}
	for i := range cs {
		for j := range i {
			if cs[i].clashesBy(&cs[j], max(1, 0.005*min(cs[i].side, cs[j].side))) {
				n++
			}
		}
	}
	return n
}

// moved returns the ends of the side's chord moved to a rival.
func (c *sideCurve) moved(r rival) (plane.Point, plane.Point) {
	_, n, _ := c.frame()
	return c.p.Add(n.Mul(r.at0)), c.q.Add(n.Mul(r.at1))
}

// rivals lists the best lines between the offsets lo and hi, the side as it
// is among them.
func (sm *sampler) rivals(c *sideCurve, lo, hi, step, width float64) rivalry {
	const rim = 3 // samples beyond the window that differences need
	// The window goes on outward over as much again, to see what lines the
	// table has.
	limit := hi
	hi += math.Ceil(hi * 0.7)
	profiles, places := sm.bins(c, 14, lo-rim*step, hi+rim*step, step, max(1.5, 1.5*step))
	n := len(profiles)
	stay := rivalry{list: []rival{{votes: 0.5}}}
	if n < 5 {
		return stay
	}
	k := len(profiles[0]) / 3
	vote := ballots(profiles, k)
	mid := int(math.Round(-lo/step)) + rim
	var lines []rival
	var background []float64
	const turn = 14 // samples by which the line may turn against the side, in steps of two
	for a := rim; a < k-rim; a++ {
		top := rival{votes: -1}
		for b := a - turn; b <= a+turn; b += 2 {
			if b < rim || b >= k-rim {
				continue
			}
			sum := 0.0
			for i, s := range places {
				o := float64(a) + (s+1)/2*float64(b-a)
				sum += vote[i*k+int(o+0.5)]
			}
			if sum /= float64(n); sum > top.votes {
				top = rival{at0: float64(a-mid) * step, at1: float64(b-mid) * step, votes: sum}
			}
		}
		var line float64
		top.change, top.constant, line = constancy(profiles, places, k, a, mid+int(math.Round(top.at1/step)))
		top.votes *= 0.3 + 0.7*steady(line)
		lines = append(lines, top)
		background = append(background, top.votes)
	}
	slices.Sort(background)
	chance := min(0.6, background[len(background)*6/10])
	for i := range lines {
		lines[i].votes = max(0, (lines[i].votes-chance)/(1-chance))
	}
	slices.SortFunc(lines, func(a, b rival) int { return cmp.Compare(b.votes, a.votes) })
	const guard = 2.5
	var out []rival
	for _, r := range lines {
		apart := true
		for _, o := range out {
			if math.Abs(o.at0+o.at1-r.at0-r.at1)/2 < guard*step {
				apart = false
				break
			}
		}
		if apart && r.votes > 0.35 && r.middle() <= limit {
			if out = append(out, r); len(out) == 7 {
				break
			}
		}
	}
	if len(out) == 0 {
		return stay
	}
	rs := rivalry{list: out, lo: lo - rim*step, step: step}
	for ch := range 3 {
		rs.profile[ch] = make([]float64, k)
		for _, p := range profiles {
			for i := range k {
				rs.profile[ch][i] += p[ch*k+i] / float64(n)
			}
		}
	}
	rs.shadows(width)
	rs.from, rs.to = limit, hi
	return rs
}

// constancy returns the mean change of light from inside a line to the line or
// beyond it, whichever is most, how constant that change is along the line,
// and how constant the line is, like [level.contrast]. Where sleeves touch, the
// change is to the dark line between them, the same as at the sides where the
// table begins.
func constancy(profiles [][]float64, places []float64, k, a0, a1 int) (change [3]float64, step, line float64) {
	const inside = 4
	var steps [inside + 3]tally // from o-inside to o-inside+1 ... o+2
	var across, inner, outer tally
	for b, p := range profiles {
		o := int(float64(a0) + (places[b]+1)/2*float64(a1-a0) + 0.5)
		i0, i1 := max(0, o-2), min(k-1, o+2)
		across.add(p[i0]-p[i1], p[k+i0]-p[k+i1], p[2*k+i0]-p[2*k+i1])
		inner.add(p[i0]-p[o], p[k+i0]-p[k+o], p[2*k+i0]-p[2*k+o])
		outer.add(p[o]-p[i1], p[k+o]-p[k+i1], p[2*k+o]-p[2*k+i1])
		in := max(0, o-inside)
		for j := 2; j < len(steps); j++ {
			x := min(k-1, max(0, o-inside+j))
			steps[j].add(p[in]-p[x], p[k+in]-p[k+x], p[2*k+in]-p[2*k+x])
		}
	}
	const floor = 1e-9
	best := &across
	for j := 2; j < len(steps); j++ {
		if length(steps[j].mean()) > length(best.mean()) {
			best = &steps[j]
		}
	}
	return best.mean(), best.constancy(floor), max(across.constancy(floor), inner.constancy(floor), outer.constancy(floor))
}

func length(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// ballots turns profiles (n places of k samples, three channels) into votes:
// each place votes 0 to 1 for the offsets where its edge is a local maximum,
// and less for the neighbouring ones.
func ballots(profiles [][]float64, k int) []float64 {
	n := len(profiles)
	energy := make([]float64, n*k)
	all := make([]float64, 0, n*k)
	for b, p := range profiles {
		for i := 1; i < k-1; i++ {
			e := 0.0
			for ch := range 3 {
				d := p[ch*k+i+1] - p[ch*k+i-1]
				e += d * d
			}
			energy[b*k+i] = e
			all = append(all, e)
		}
	}
	slices.Sort(all)
	ref := 6*all[len(all)/3] + 1e-7
	vote := make([]float64, n*k)
	for b := range n {
		e, v := energy[b*k:(b+1)*k], vote[b*k:(b+1)*k]
		for i := 2; i < k-2; i++ {
			if e[i] >= e[i-1] && e[i] >= e[i+1] && e[i] > 0 {
				w := e[i] / (e[i] + ref)
				v[i] = max(v[i], w)
				v[i-1] = max(v[i-1], 0.85*w)
				v[i+1] = max(v[i+1], 0.85*w)
			}
		}
	}
	return vote
}

// shadows marks the rivals that look like the rim of a shadow which the card
// throws on the table; width is the card's, px.
//
// Light adds up: the strip between the card and the rim of its shadow has the
// table's own colour times a factor below one, equal in all channels but for
// the blur of the card's edge; and the card's edge, further in, is the greater
// step. (A lamp of some size blurs the rim, but near the card hardly more than
// a lens does, so sharpness alone decides nothing.)
func (rs rivalry) shadows(width float64) {
	main := -1
	for i := range rs.list {
		r := &rs.list[i]
		r.step = distance(rs.mean(r.middle()+1.5, r.middle()+3.5), rs.mean(r.middle()-3.5, r.middle()-1.5))
		if main < 0 || r.step > rs.list[main].step {
			main = i
		}
	}
	for i := range rs.list {
		r := &rs.list[i]
		slope := func(o float64) float64 { return distance(rs.mean(o-1, o-1), rs.mean(o+1, o+1)) }
		r.soft = slope(r.middle()-3)+slope(r.middle()+3) > 0.7*slope(r.middle())
		gap := r.middle() - rs.list[main].middle()
		if i == main || gap < 2 {
			continue
		}
		from := rs.list[main].middle() + min(2.5, gap*0.6)
		strip := rs.mean(from, max(from, r.middle()-1.5))
		table := rs.mean(r.middle()+2, r.middle()+6)
		inner := rs.mean(rs.list[main].middle()-3.5, rs.list[main].middle()-1.5)
		lo, hi := math.Inf(1), 0.0
		for ch := range 3 {
			f := strip[ch] / max(table[ch], 1e-4)
			lo, hi = min(lo, f), max(hi, f)
		}
		r.shadow = lo > 0.3 && hi < 0.985 && hi < 1.2*lo && distance(strip, inner) > 1.5*distance(strip, table)
	}
	// Right at the card, where no lamp reaches, the strip is dark whatever the
	// table's colour: a valley of less than a millimetre (of 66).
	for i := range rs.list {
		r := &rs.list[i]
		if r.middle() < rs.list[main].middle()-1 {
			continue // lines of the print
		}
		for j := range rs.list {
			inner := rs.list[j].middle()
			gap := r.middle() - inner
			clear := rs.list[j].votes > 0.6 && rs.list[j].constant > 2
			if !clear || gap < 1.5 || gap > max(4, 0.014*width) {
				continue
			}
			valley := rs.darkest(inner, r.middle())
			card, table := brightness(rs.mean(inner-4, inner-2)), brightness(rs.mean(r.middle()+2, r.middle()+5))
			// It has to be dark up to the rival itself: a seam is a valley too,
			// with film beyond it.
			brim := brightness(rs.mean(r.middle()-1, r.middle()-1))
			if valley < 0.85*table && valley < 0.85*card && brim < valley+0.4*(table-valley) && card-valley > 0.12*(table-valley) {
				r.shadow = true
			}
		}
	}
}

func brightness(c [3]float64) float64 { return (c[0] + 2*c[1] + c[2]) / 4 }

// darkest is the least brightness between two outward offsets.
func (rs rivalry) darkest(from, to float64) float64 {
	least := math.Inf(1)
	for o := from; o <= to; o += rs.step / 2 {
		least = min(least, brightness(rs.mean(o, o)))
	}
	return least
}

// judge scores the rivals of a side against each other: the logarithm of the
// odds that a rival is the side, but for a constant, in units of scoreUnit.
//
// The weights are those of a conditional logit (McFadden 1974) fitted to 831
// sides of 231 rendered frames: [visiontest.RandomSpec] with all tables and
// sleeves, a table of eight tables by eight sleeves, and sixteen frames of the
// two fixture decks. Fitted to one half of the decks it named the right line
// for 96% of the sides of the other half; the best line alone, by its votes
// and the farther out the better, is right for 84%.
//
// table is the table's colour, if known; free says that no other card lies
// beside the side, as in the frames of the fit.
func (rs *rivalry) judge(width float64, table [3]float64, known, free bool) {
	most := 1e-6
	for i := range rs.list {
		most = max(most, rs.list[i].step)
	}
	for i := range rs.list {
		r := &rs.list[i]
		r.inside, r.outside, r.lightIn, r.lightOut = 0.5, 0.5, 0, 0
		if known {
			r.inside, r.lightIn = likeTable(rs.mean(r.middle()-4, r.middle()-2), table)
			r.outside, r.lightOut = likeTable(rs.mean(r.middle()+2, r.middle()+4), table)
		}
		if !free {
			// Beside another card darkness is not the shadow of this one.
			r.inside *= max(0.3, min(1, math.Exp(r.lightIn)*3))
			r.outside *= max(0.3, min(1, math.Exp(r.lightOut)*3))
			r.lightIn, r.lightOut = 0, 0
		}
		beyond := 0.0
		for k := range rs.list {
			if o := &rs.list[k]; o.middle() > r.middle() && o.votes > 0.5 {
				beyond++
			}
		}
		z := 1.51*r.votes + 0.81*min(1, r.votes/0.7) + 0.32*steady(r.constant) +
			0.98*max(-2, math.Log(max(r.step, 1e-9)/most)) + // a weak line among strong ones
			2.29*40*min(0.025, r.middle()/width) + // outer lines before inner ones, up to 1.6 mm of 66
			2.92*r.outside - 0.99*r.inside - 1.17*r.lightOut + 0.36*r.lightIn - // the table begins here, often in shadow
			1.12*min(beyond, 3)/3
		if beyond == 0 {
			z -= 1.29 // the outermost line is often a shadow's
		}
		if r.shadow {
			z -= 2.54
		}
		if r.soft {
			z -= 0.58
		}
		r.score = scoreUnit * z
	}
}

// scoreUnit brings the scores to the scale of the other terms of a
// combination's value.
const scoreUnit = 0.35

// judgeAll finds the table's colour beside each side of the drafts, far out
// where a profile ends, and judges the rivals by it. Where another card lies
// there, the colour beside the free sides of all cards stands in.
func judgeAll(drafts []draft) {
	quads := make([]candidate, len(drafts))
	hs := make([]hypothesis, len(drafts))
	for i := range drafts {
		hs[i].quad = drafts[i].quad()
		quads[i] = newCandidate(&hs[i])
	}
	var sum [3]float64
	n := 0.0
	free := make([][4]bool, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		for k := range d.sides {
			rs := &d.rivals[k]
			_, out, _ := d.sides[k].frame()
			at := d.sides[k].p.Add(d.sides[k].q).Mul(0.5).Add(out.Mul((rs.from + rs.to) / 2))
			free[i][k] = rs.to > rs.from && len(rs.profile[0]) > 0
			for j := range quads {
				if j != i && hs[j].quad.Contains(at) {
					free[i][k] = false
				}
			}
			if free[i][k] {
				c := rs.mean(rs.from, rs.to)
				for ch := range sum {
					sum[ch] += c[ch]
				}
				n++
			}
		}
	}
	for ch := range sum {
		sum[ch] /= max(n, 1)
	}
	for i := range drafts {
		d := &drafts[i]
		for k := range d.rivals {
			rs := &d.rivals[k]
			if len(rs.profile[0]) == 0 {
				rs.judge(d.width, sum, false, false)
			} else if free[i][k] {
				rs.judge(d.width, rs.mean(rs.from, rs.to), true, true)
			} else {
				rs.judge(d.width, sum, n > 0, false)
			}
		}
	}
}

// likeTable compares a colour with the table's. In shadow the table keeps its
// colour but for a factor: hue is 1 for a colour on that ray and 0 for one 30%
// off it, light the logarithm of the factor, -3 to 0.3.
func likeTable(c, table [3]float64) (hue, light float64) {
	dot := c[0]*table[0] + c[1]*table[1] + c[2]*table[2]
	norm := table[0]*table[0] + table[1]*table[1] + table[2]*table[2]
	if !(norm > 0) {
		return 0.5, 0
	}
	k := dot / norm
	off := 0.0
	for ch := range 3 {
		d := c[ch] - k*table[ch]
		off += d * d
	}
	hue = 1 - min(1, math.Sqrt(off)/(max(k, 0.02)*math.Sqrt(norm))/0.3)
	// No shadow makes it lighter; a lamp's reflection may, by a little.
	hue *= max(0, min(1, 1-(k-1.15)/0.4))
	return hue, max(-3, min(0.3, math.Log(max(k, 1e-3))))
}

// A rivalry is the rivals of one side with the mean profile of the side.
type rivalry struct {
	list    []rival
	profile [3][]float64
	lo      float64 // outward offset of the first sample, px

	from, to float64 // outward offsets between which the table is looked for
	step     float64
}

// mean averages the profile between two outward offsets.
func (rs rivalry) mean(from, to float64) [3]float64 {
	k := len(rs.profile[0])
	a := min(k-1, max(0, int(math.Round((from-rs.lo)/rs.step))))
	b := min(k-1, max(a, int(math.Round((to-rs.lo)/rs.step))))
	var m [3]float64
	for ch := range 3 {
		for i := a; i <= b; i++ {
			m[ch] += rs.profile[ch][i] / float64(b-a+1)
		}
	}
	return m
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
