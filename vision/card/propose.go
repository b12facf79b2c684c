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
	misfit  float64    // from the shape of a card, 0 to 1
	sides   [4]support // set by weigh
	score   float64    // mean support of the sides
	weakest float64    // least support of a side
}

// crossing is a line that crosses the base.
type crossing struct {
	l      *line
	t, own float64 // along the base and along the line itself
}

const (
	minSidePx = 18 // of a card's short side at the level; less has no corners
	// minCover is the least part of its four sides that lines must cover for
	// a quad to be looked at. Three whole sides pass.
	minCover = 2.3
)

// propose forms quads from lines: every base line with two others that cross
// it like the sides of a U, closed by a fourth line or, where none is found,
// at the length that a card would have.
func (l *level) propose(ctx context.Context, lines []line, view viewer) ([]hypothesis, error) {
	var out []hypothesis
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
			case c > 0.94: // within 20 degrees: the far side, in perspective
				parallel = append(parallel, m)
			case c < 0.5: // 60 to 90 degrees
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
				if base.covered(cross[a].t+0.06*width, cross[b].t-0.06*width) < 0.35 {
					continue
				}
				out = l.closeU(out, base, cross[a], cross[b], width, parallel, view)
			}
		}
	}
	return distinct(out), nil
}

// near reports whether t lies on the line or close enough beyond an end that
// a rounded corner or a piece lost to glare explains the gap.
func near(t float64, l *line) bool {
	slack := 5 + 0.4*l.support
	return t > l.lo-slack && t < l.hi+slack
}

// closeU adds the quads that stand on the base between two crossings.
func (l *level) closeU(out []hypothesis, base *line, left, right crossing, width float64, parallel []*line, view viewer) []hypothesis {
	baseCover := base.covered(left.t, right.t)
	for _, up := range []float64{1, -1} {
		// The directions of the two legs away from the base on that side.
		normal := plane.Point{X: -base.u.Y * up, Y: base.u.X * up}
		dl, dr := sign(left.l.u.Dot(normal)), sign(right.l.u.Dot(normal))
		for _, ratio := range [2]float64{1 / 0.7095, 0.7095} {
			h := width * ratio
			cl := left.l.covered(left.own+dl*0.06*h, left.own+dl*0.94*h)
			cr := right.l.covered(right.own+dr*0.06*h, right.own+dr*0.94*h)
			if baseCover+cl+cr < minCover-1 || cl+cr < 0.5 {
				continue
			}
			closed := false
			for _, top := range parallel {
				tl, pl, ok1 := left.l.meet(top)
				tr, pr, ok2 := right.l.meet(top)
				if !ok1 || !ok2 {
					continue
				}
				hl, hr := (tl-left.own)*dl, (tr-right.own)*dr
				// Perspective of a strongly tilted camera shortens one side by
				// up to a half.
				if m := (hl + hr) / 2; m < 0.5*h || m > 1.6*h || hl < 0.6*m || hr < 0.6*m {
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
				q := clockwise(plane.Quad{base.at(left.t), base.at(right.t), right.l.at(tr), left.l.at(tl)})
				if q, misfit, ok := view.asCard(q); ok {
					out = append(out, hypothesis{quad: q, cover: cover, misfit: misfit})
					closed = closed || tc > 0.6
				}
			}
			if !closed && baseCover+cl+cr >= 2 {
				q := clockwise(plane.Quad{base.at(left.t), base.at(right.t), right.l.at(right.own + dr*h), left.l.at(left.own + dl*h)})
				if q, misfit, ok := view.asCard(q); ok {
					out = append(out, hypothesis{quad: q, cover: baseCover + cl + cr, misfit: misfit})
				}
			}
		}
	}
	return out
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

// maxHypotheses bounds the quads that are weighed against the pixels.
const maxHypotheses = 700

// distinct keeps the best covered of quads that nearly coincide.
func distinct(hs []hypothesis) []hypothesis {
	slices.SortStableFunc(hs, func(a, b hypothesis) int {
		return cmp.Compare(b.cover-0.3*b.misfit, a.cover-0.3*a.misfit)
	})
	type cell struct{ x, y int }
	grid := map[cell][]int{}
	var out []hypothesis
	for _, h := range hs {
		c := h.quad.Centre()
		k := cell{int(c.X / 4), int(c.Y / 4)}
		known := false
	search:
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, i := range grid[cell{k.x + dx, k.y + dy}] {
					if quadDistance(out[i].quad, h.quad) < 2 {
						known = true
						break search
					}
				}
			}
		}
		if known {
			continue
		}
		grid[k] = append(grid[k], len(out))
		if out = append(out, h); len(out) == maxHypotheses {
			break
		}
	}
	return out
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
