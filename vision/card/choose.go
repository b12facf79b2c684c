package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

const (
	goodMean    = 0.62 // mean support of a card's sides
	goodWeakest = 0.35 // support of its worst side

	// fullSupport counts as a whole side: nicks, glare and a sag over two
	// pixels take a little from good sides too.
	fullSupport = 0.8

	// outerFirst is the exponent with which a greater area counts beyond its
	// own among overlapping quads: an outline that is 15% larger than a frame
	// within it wins with support that is 10% less.
	outerFirst = 0.3

	// Two cards may reach into each other by this part of a side or by so many
	// pixels, which is what the level's corners are worth.
	maxReachIn   = 0.02
	maxReachInPx = 1.2

	// sameScale is how far the square roots of the areas of cards of one deck
	// may lie apart: 15 degrees of tilt over a wide frame make 8%.
	sameScale = 1.05
)

func (h *hypothesis) good() bool {
	if h.cut() {
		// Less of it is seen, so that has to be clear.
		return h.score >= 0.8 && h.weakest >= 0.6 && h.seen > 0.45
	}
	return h.score >= goodMean && h.weakest >= goodWeakest
}

// cut reports whether the frame's border cuts the card.
func (h *hypothesis) cut() bool { return h.seen < 0.995 }

// value orders hypotheses: support, less what the shape gives away, and less
// for a side with the table inside it, beside better ones.
func (h *hypothesis) value() float64 { return h.worth(1 - tableCost*h.table) }

// confidence is the value of one that has been chosen.
func (h *hypothesis) confidence() float64 { return h.worth(1) }

func (h *hypothesis) worth(inside float64) float64 {
	mean, n := 0.0, 0.0
	for _, s := range h.sides {
		if s.outside <= maxOutside {
			mean += min(1, s.quality()/fullSupport)
			n++
		}
	}
	mean /= max(n, 1)
	// Sides that do not differ from the table in one way are mixed up with
	// neighbours, boards and frames; print may hide it, so it is not decisive.
	return h.seen * max(0, (0.65*mean+0.35*min(1, h.weakest/fullSupport))*(0.65+0.35*h.agree)*inside-0.12*h.misfit)
}

// tableCost is the part of its value that a quad loses for a side with the table
// inside it.
const tableCost = 0.5

// A candidate is a good hypothesis with what the choice needs.
type candidate struct {
	*hypothesis
	area, side float64 // px^2; px, the square root of it
	weight     float64 // area times squared value
	lo, hi     plane.Point
	middle     plane.Point
	dropped    bool // more than one card, see chooseWhole
}

func newCandidate(h *hypothesis) candidate {
	c := candidate{hypothesis: h, area: h.quad.Area()}
	c.side = math.Sqrt(c.area)
	c.weight = c.area * h.value() * h.value()
	c.bounds()
	return c
}

// bounds notes the box around the quad and its middle.
func (c *candidate) bounds() {
	h := c.hypothesis
	c.lo, c.hi, c.middle = h.quad[0], h.quad[0], h.quad.Centre()
	for _, p := range h.quad {
		c.lo = plane.Point{X: min(c.lo.X, p.X), Y: min(c.lo.Y, p.Y)}
		c.hi = plane.Point{X: max(c.hi.X, p.X), Y: max(c.hi.Y, p.Y)}
	}
}

// clashes reports whether two quads reach into each other by more than the
// corners' uncertainty: the least overlap of their shadows on any normal of a
// side (separating axes; Gottschalk, Lin & Manocha 1996).
func (c *candidate) clashes(d *candidate) bool {
	return c.clashesBy(d, max(maxReachInPx, maxReachIn*min(c.side, d.side)))
}

func (c *candidate) clashesBy(d *candidate, tol float64) bool {
	if c.hi.X < d.lo.X || d.hi.X < c.lo.X || c.hi.Y < d.lo.Y || d.hi.Y < c.lo.Y {
		return false
	}
	// Most pairs are quads about one card. From its middle a card reaches a
	// quarter of its side in any direction, whatever the tilt.
	if m := 0.2 * min(c.side, d.side); tol < m {
		if o := c.middle.Sub(d.middle); o.X*o.X+o.Y*o.Y < m*m {
			return true
		}
	}
	for _, q := range [2]*plane.Quad{&c.quad, &d.quad} {
		for i := range q {
			e := q[(i+1)%4].Sub(q[i])
			n := plane.Point{X: e.Y, Y: -e.X}
			lo0, hi0 := extent(&c.quad, n)
			lo1, hi1 := extent(&d.quad, n)
			if min(hi0, hi1)-max(lo0, lo1) <= tol*n.Norm() {
				return false
			}
		}
	}
	return true
}

func extent(q *plane.Quad, n plane.Point) (lo, hi float64) {
	lo = q[0].Dot(n)
	hi = lo
	for _, p := range q[1:] {
		v := p.Dot(n)
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// A pool is the candidates with their clashes, one bit for each pair.
type pool struct {
	all   []candidate
	words int
	bits  []uint64
}

// maxCandidates bounds the pool; the heaviest are kept.
const maxCandidates = 1500

func newPool(all []candidate) *pool {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	all = all[:min(len(all), maxCandidates)]
	p := &pool{all: all, words: (len(all) + 63) / 64}
	p.bits = make([]uint64, p.words*len(all))
	for i := range all {
		p.bits[i*p.words+i/64] |= 1 << (i % 64) // with itself
		for j := range i {
			if all[i].clashes(&all[j]) {
				p.bits[i*p.words+j/64] |= 1 << (j % 64)
				p.bits[j*p.words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return p
}

func (p *pool) clash(i, j int) bool { return p.bits[i*p.words+j/64]>>(j%64)&1 != 0 }

func (p *pool) free(set []int, j int) bool {
	for _, k := range set {
		if p.clash(j, k) {
			return false
		}
	}
	return true
}

// choose settles which of the overlapping hypotheses are cards.
//
// Every printed frame within a sleeve, every block of touching cards and
// many a pair of neighbouring lines make rectangles of a card's shape. What
// tells them apart is that the cards of one frame have one size. So the
// hypotheses are grouped by size, each group lays out as many cards as it can
// without overlap, and the group that explains the most area of the frame
// with the best support wins: sleeves win over their inner frames by area,
// single cards over blocks because more of the grid is explained, over
// enlarged cards because those get into each other's way. Hypotheses that do
// not fit are left out; nil: all fit. The second result says how much of the
// frame is explained, to compare choices at one level.
func choose(hs []hypothesis, fits func(*hypothesis) bool) ([]hypothesis, float64) {
	return poolOf(hs, fits).choose()
}

// poolOf gathers the good hypotheses that fit; nil: all fit.
func poolOf(hs []hypothesis, fits func(*hypothesis) bool) *pool {
	var all []candidate
	for i := range hs {
		if hs[i].good() && (fits == nil || fits(&hs[i])) {
			all = append(all, newCandidate(&hs[i]))
		}
	}
	return newPool(all)
}

// choose is the choice among those of the pool that have not been dropped.
func (p *pool) choose() ([]hypothesis, float64) {
	all := p.all
	var best []int
	bestSum := 0.0
	// A group is what lies within the scale of its seed; seeds 1% apart give
	// the same groups.
	tried := map[int]bool{}
	for i := range all {
		rung := int(math.Log(all[i].side) * 100)
		if tried[rung] || all[i].dropped {
			continue
		}
		tried[rung] = true
		var group []int
		for j := range all {
			if r := all[j].side / all[i].side; !all[j].dropped && r < sameScale && r > 1/sameScale {
				group = append(group, j)
			}
		}
		set, sum := p.layOut(group)
		if sum > bestSum {
			best, bestSum = set, sum
		}
	}
	// Cards of another size beside the deck's: all where the first group is a
	// single card, else those that may be cards in other sleeves.
	for j := range all {
		c := &all[j]
		ratio := 1.0
		if len(best) > 0 {
			ratio = c.side / all[best[0]].side
		}
		if len(best) >= 2 && (ratio > 1.2 || ratio < 1/1.2) {
			continue
		}
		// What the frame cuts is too little to be a card of its own size.
		if len(best) >= 1 && c.cut() && (ratio > 1.1 || ratio < 1/1.1) {
			continue
		}
		if !c.dropped && p.free(best, j) {
			best = append(best, j)
		}
	}
	best = p.joinHalves(best)
	out := make([]hypothesis, 0, len(best))
	for _, j := range best {
		out = append(out, *all[j].hypothesis)
	}
	return out, bestSum
}

// joinHalves puts one card in the place of two that are its halves. A card cut
// across in the middle, where picture and text meet, gives two rectangles of a
// card's own shape (63 : 44 is 88 : 63 within 3%). Two cards that lie side
// against side look the same, so the whole wins only where nothing speaks for
// the halves: there are no other cards, or another has the whole's size.
func (p *pool) joinHalves(set []int) []int {
	for i := 0; i < len(set); i++ {
		for j := i + 1; j < len(set); j++ {
			whole, ok := p.wholeOf(set[i], set[j])
			if !ok {
				continue
			}
			speaks := len(set) == 2
			for k, other := range set {
				if r := p.all[other].side / p.all[whole].side; k != i && k != j && r < sameScale && r > 1/sameScale {
					speaks = true
				}
			}
			if !speaks {
				continue
			}
			rest := slices.Clone(set)
			rest = slices.Delete(rest, j, j+1)
			rest = slices.Delete(rest, i, i+1)
			if p.free(rest, whole) {
				set = append(rest, whole)
				i, j = -1, len(set)
			}
		}
	}
	return set
}

// wholeOf finds the best candidate that two others fill.
func (p *pool) wholeOf(i, j int) (int, bool) {
	a, b := &p.all[i], &p.all[j]
	// The halves have equal size and lie a short side apart.
	if r := a.side / b.side; r > 1.1 || r < 1/1.1 {
		return 0, false
	}
	best, found := 0, false
	for k := range p.all {
		c := &p.all[k]
		if c.dropped {
			continue
		}
		// Both may leave out a frame's border or reach over it.
		if r := c.area / (a.area + b.area); r < 0.85 || r > 1.25 {
			continue
		}
		if !c.quad.Contains(a.quad.Centre()) || !c.quad.Contains(b.quad.Centre()) {
			continue
		}
		if c.quad.Overlap(a.quad) < 0.85*a.area || c.quad.Overlap(b.quad) < 0.85*b.area {
			continue
		}
		if !found || c.weight > p.all[best].weight {
			best, found = k, true
		}
	}
	return best, found
}

// layOut picks non-overlapping members of a group and then swaps while a swap
// explains more area. Greedy choices depend on the order: sleeves before their
// inner frames suits single cards, the smaller of two first suits grids, where
// an enlarged card shuts out its neighbour. Several orders are tried.
func (p *pool) layOut(group []int) ([]int, float64) {
	all := p.all
	var best []int
	bestSum := 0.0
	for _, exponent := range []float64{outerFirst, 0, -1} {
		key := func(j int) float64 { return all[j].weight * math.Pow(all[j].area/all[group[0]].area, exponent) }
		order := slices.Clone(group)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(b), key(a)) })
		set := p.layOutInOrder(order)
		sum := 0.0
		for _, j := range set {
			sum += key(j)
		}
		// A later order has to gain, not only to differ.
		if sum > bestSum*1.02 {
			best, bestSum = set, sum
		}
	}
	sum := 0.0
	for _, j := range best {
		// Two cards beside each other, with the gap, are a card's shape too:
		// many cards count more than one of the same area.
		sum += all[j].weight * math.Pow(all[j].area, -0.2)
	}
	return best, sum
}

func (p *pool) layOutInOrder(order []int) []int {
	all := p.all
	var set []int
	for _, j := range order {
		if p.free(set, j) {
			set = append(set, j)
		}
	}
	var keep []int
	for range 3 {
		changed := false
		for _, j := range order {
			if slices.Contains(set, j) {
				continue
			}
			lost := 0.0
			keep := keep[:0]
			for _, k := range set {
				if p.clash(j, k) {
					lost += all[k].weight * math.Pow(all[k].area, outerFirst)
				} else {
					keep = append(keep, k)
				}
			}
			if len(keep) < len(set)-1 {
				continue // two for one is how blocks of cards swallow cards
			}
			if all[j].weight*math.Pow(all[j].area, outerFirst) > lost*(1+1e-9) {
				set, changed = append(slices.Clone(keep), j), true
			}
		}
		if !changed {
			break
		}
	}
	return set
}
