package card

import (
	"math"
)

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
			near, far := 2.0, 4.0
			if !free {
				// The table between two cards may be two pixels wide.
				near, far = 1.25, 2.5
			}
			r.inside, r.lightIn = likeTable(rs.mean(r.middle()-far, r.middle()-near), table)
			r.outside, r.lightOut = likeTable(rs.mean(r.middle()+near, r.middle()+far), table)
		}
		if !free {
			// Beside another card darkness is not the shadow of this one.
			r.inside *= max(0.3, min(1, math.Exp(r.lightIn)*3))
			r.outside *= max(0.3, min(1, math.Exp(r.lightOut)*3))
			r.lightIn, r.lightOut = 0, 0
		}
		// Lines farther out may be the neighbour's.
		outer := 1.0
		if !free {
			outer = besideCard
		}
		beyond := 0.0
		for k := range rs.list {
			if o := &rs.list[k]; o.middle() > r.middle() && o.votes > 0.5 {
				beyond++
			}
		}
		z := 1.51*r.votes + 0.81*min(1, r.votes/0.7) + 0.32*steady(r.constant) +
			0.98*max(-2, math.Log(max(r.step, 1e-9)/most)) + // a weak line among strong ones
			outer*2.29*40*min(0.025, r.middle()/width) + // outer lines before inner ones, up to 1.6 mm of 66
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

// besideCard is what it counts beside another card that a line lies farther out.
const besideCard = 0.3

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
