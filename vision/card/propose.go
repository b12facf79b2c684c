package card

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A hypothesis is a quad that may be a card, in level pixels.
type hypothesis struct {
	quad    plane.Quad
	cover   float64    // sum over the sides of the fraction that lines cover, 0 to 4
	open    int        // the side that no line closed, by its index in quad; -1: none
	misfit  float64    // from the shape of a card, 0 to 1
	sides   [4]support // set by weigh
	score   float64    // mean support of the sides
	weakest float64    // least support of a side
	table   float64    // how much a side seems to have the table inside it, 0 to 1
	agree   float64    // of the colour steps across the sides, -1 to 1
	seen    float64    // part of the outline that lies in the frame; below 1 the frame cuts the card
}

// A proposal is a hypothesis before it is weighed; there may be very many.
type proposal struct {
	quad          plane.Quad
	cover, misfit float64
	open          int
}

// A slack says how far a quad may be from a rectangle seen from straight
// above. A station's camera looks down within 15 degrees; photographs taken
// by hand are searched again with more slack where the first look finds
// nothing.
type slack struct {
	parallel float64 // least cosine between opposite sides
	square   float64 // greatest cosine between neighbouring sides
	shorten  float64 // greatest factor by which tilt shortens one direction against the other
	taper    float64 // least ratio of opposite sides
	aspect   float64 // how far the aspect may be off, of aspectSlack
}

var (
	// 15 degrees of tilt shorten by 1.035 and, for a card that fills a tenth
	// of its distance from the camera, turn sides by 4 degrees. Twice that.
	stationSlack = slack{parallel: 0.985, square: 0.17, shorten: 1.09, taper: 0.86, aspect: 1}
	// 60 degrees. Tilt explains nearly any aspect, so that there is less slack
	// for it.
	handSlack = slack{parallel: 0.93, square: 0.55, shorten: 2, taper: 0.6, aspect: 0.5}
)

// crossing is a line that crosses the base.
type crossing struct {
	l      *line
	t, own float64 // along the base and along the line itself
}

const (
	minSidePx = 18 // of a card's short side at the level; less has no corners
	// minCover is the least part of its four sides that lines must cover for
	// a quad to be looked at. Three whole sides pass.
	minCover  = 2.3
	midAspect = 0.7055 // middle of the known sizes' aspects
)

// proposer gathers hypotheses over one level.
type proposer struct {
	l     *level
	view  viewer
	slack slack
	out   []proposal
	seen  map[[8]int16]bool
}

// propose forms quads from lines: every base line with two others that cross
// it like the legs of a U, closed by a fourth line or, where none is found,
// at the length that a card would have.
func (l *level) propose(ctx context.Context, lines []line, view viewer, sl slack) ([]hypothesis, error) {
	view.most = sl.aspect
	p := &proposer{l: l, view: view, slack: sl, seen: map[[8]int16]bool{}}
	maxSide := 1.2 * math.Hypot(float64(l.img.Width), float64(l.img.Height))
	var cross []crossing
	var parallel []*line
	for i := range lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		base := &lines[i]
		cross, parallel = cross[:0], parallel[:0]
		for j := range lines {
			if i == j {
				continue
			}
			m := &lines[j]
			c := math.Abs(base.u.Dot(m.u))
			switch {
			case c > sl.parallel:
				parallel = append(parallel, m)
			case c < sl.square:
				t, own, ok := base.meet(m)
				if ok && near(t, base) && near(own, m) {
					cross = append(cross, crossing{m, t, own})
				}
			}
		}
		slices.SortFunc(cross, func(a, b crossing) int { return cmp.Compare(a.t, b.t) })
		for a := range cross {
			for b := a + 1; b < len(cross); b++ {
				width := cross[b].t - cross[a].t
				if width < minSidePx {
					continue
				}
				if width > maxSide {
					break
				}
				if math.Abs(cross[a].l.u.Dot(cross[b].l.u)) < sl.parallel {
					continue
				}
				if base.covered(cross[a].t+0.06*width, cross[b].t-0.06*width) < 0.35 {
					continue
				}
				p.closeU(base, cross[a], cross[b], width, parallel)
			}
		}
	}
	slices.SortStableFunc(p.out, func(a, b proposal) int { return cmp.Compare(b.worth(), a.worth()) })
	best := make([]hypothesis, min(len(p.out), maxHypotheses))
	for i := range best {
		o := &p.out[i]
		best[i] = hypothesis{quad: o.quad, cover: o.cover, misfit: o.misfit, open: o.open}
	}
	return best, nil
}

func (p *proposal) worth() float64 { return p.cover - 0.3*p.misfit }

// near reports whether t lies on the line or close enough beyond an end that
// a rounded corner or a piece lost to glare explains the gap.
func near(t float64, l *line) bool {
	slack := 5 + 0.4*l.support
	return t > l.lo-slack && t < l.hi+slack
}

// closeU adds the quads that stand on the base between two crossings.
func (p *proposer) closeU(base *line, left, right crossing, width float64, parallel []*line) {
	baseCover := base.covered(left.t, right.t)
	for _, up := range []float64{1, -1} {
		// The directions of the two legs away from the base on that side.
		normal := plane.Point{X: -base.u.Y * up, Y: base.u.X * up}
		dl, dr := sign(left.l.u.Dot(normal)), sign(right.l.u.Dot(normal))
		for k, ratio := range [2]float64{1 / midAspect, midAspect} {
			h := width * ratio
			cl := left.l.covered(left.own+dl*0.06*h, left.own+dl*0.94*h)
			cr := right.l.covered(right.own+dr*0.06*h, right.own+dr*0.94*h)
			if baseCover+cl+cr < minCover-1 || cl+cr < 0.5 {
				continue
			}
			closed := false
			// A closed quad is found from its short sides, twice as it is.
			for _, top := range parallel {
				if k == 1 {
					break
				}
				tl, pl, ok1 := left.l.meet(top)
				hl := (tl - left.own) * dl
				lo, hi := h/p.slack.shorten, h*p.slack.shorten
				if !ok1 || hl < lo*p.slack.taper || hl > hi/p.slack.taper {
					continue
				}
				tr, pr, ok2 := right.l.meet(top)
				hr := (tr - right.own) * dr
				if m := (hl + hr) / 2; !ok2 || m < lo || m > hi || hl < p.slack.taper*hr || hr < p.slack.taper*hl {
					continue
				}
				tc := top.covered(pl, pr)
				if tc < 0.25 {
					continue
				}
				cover := baseCover + tc +
					left.l.covered(left.own+dl*0.05*hl, tl-dl*0.05*hl) + right.l.covered(right.own+dr*0.05*hr, tr-dr*0.05*hr)
				if cover < minCover {
					continue
				}
				p.add(plane.Quad{base.at(left.t), base.at(right.t), right.l.at(tr), left.l.at(tl)}, cover, false)
				closed = closed || tc > 0.6
			}
			if !closed && baseCover+cl+cr >= 2 {
				p.add(plane.Quad{base.at(left.t), base.at(right.t), right.l.at(right.own + dr*h), left.l.at(left.own + dl*h)}, baseCover+cl+cr, true)
			}
		}
	}
}

// add keeps a quad that has the shape of a card. The third side is the one
// that no line closed, when open.
func (p *proposer) add(q plane.Quad, cover float64, open bool) {
	farEnd := q[2].Add(q[3]).Mul(0.5)
	q = clockwise(q)
	// The same quad comes up from several bases: key by whole pixels, first
	// the corner nearest to the origin.
	first := 0
	for i := range q {
		if q[i].X+q[i].Y < q[first].X+q[first].Y {
			first = i
		}
	}
	var key [8]int16
	for i := range 4 {
		key[2*i], key[2*i+1] = int16(q[(first+i)%4].X), int16(q[(first+i)%4].Y)
	}
	if p.seen[key] {
		return
	}
	p.seen[key] = true
	q, misfit, ok := p.view.asCard(q)
	if !ok {
		return
	}
	h := proposal{quad: q, cover: cover, misfit: misfit, open: -1}
	if open {
		for i := range 4 {
			if q[i].Add(q[(i+1)%4]).Mul(0.5).Sub(farEnd).Norm() < 1e-6 {
				h.open = i
			}
		}
	}
	p.out = append(p.out, h)
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func clockwise(q plane.Quad) plane.Quad {
	if q.Area() < 0 {
		q[1], q[3] = q[3], q[1]
	}
	return q
}

// maxHypotheses bounds the quads that are weighed against the pixels; the
// best covered ones are kept.
const maxHypotheses = 6000

// distinct keeps the most valuable of quads that nearly coincide: within 2% of
// a side, which is less than a seam or a frame line makes. They come back most
// valuable first.
func distinct(hs []hypothesis) []hypothesis {
	value := make([]float64, len(hs))
	order := make([]int, len(hs))
	for i := range hs {
		value[i], order[i] = hs[i].value()*math.Sqrt(hs[i].quad.Area()), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
	type cell struct{ x, y int }
	const cellPx = 8
	grid := map[cell][]int{}
	var out []hypothesis
	for _, j := range order {
		h := &hs[j]
		c := h.quad.Centre()
		k := cell{int(c.X / cellPx), int(c.Y / cellPx)}
		known := false
		near := min(cellPx, max(1.5, 0.02*h.quad[1].Sub(h.quad[0]).Norm()))
	search:
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, i := range grid[cell{k.x + dx, k.y + dy}] {
					if closerThan(out[i].quad, h.quad, near) {
						known = true
						break search
					}
				}
			}
		}
		if !known {
			grid[k] = append(grid[k], len(out))
			out = append(out, *h)
		}
	}
	return out
}

// closerThan reports whether quadDistance is below a limit.
func closerThan(a, b plane.Quad, limit float64) bool {
search:
	for turn := 0; turn < 4; turn += 2 {
		for i := range a {
			if d := a[i].Sub(b[(i+turn)%4]); d.X*d.X+d.Y*d.Y >= limit*limit {
				continue search
			}
		}
		return true
	}
	return false
}

// quadDistance is the largest distance between corresponding corners, over a
// half turn.
func quadDistance(a, b plane.Quad) float64 {
	best := math.Inf(1)
	for turn := 0; turn < 4; turn += 2 {
		d := 0.0
		for i := range a {
			d = max(d, a[i].Sub(b[(i+turn)%4]).Norm())
		}
		best = min(best, d)
	}
	return best
}
