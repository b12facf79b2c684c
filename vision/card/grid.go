package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

const (
	// gridCards is the least number of cards that say what size the cards of
	// a frame have.
	gridCards = 4
	// ownSize is how far a card of the frame's size may be off, in the square
	// root of its area and in its aspect: seams and frame lines make 3 to 6%.
	ownSize = 0.025
)

// complete looks at a frame of many cards a second time. Once most are known
// to a fraction of a pixel, their common size shows which of the others took
// a neighbour's edge or a frame line for a side, and where a card is missing
// between its neighbours. Cards of another size give way to hypotheses of the
// common size, and the gaps of the grid are looked at where the neighbours say
// that a card should be. It returns the hypotheses for another refinement and
// how many of them, the first ones, can be trusted; 0 where nothing is left to do.
func (l *level) complete(cards []Detection, good []hypothesis) (all []hypothesis, trusted int) {
	var quads []plane.Quad
	for _, d := range cards {
		if d.Unusable != unusableCut {
			q := d.Corners
			for i := range q {
				q[i] = l.fromFrame(q[i])
			}
			quads = append(quads, q)
		}
	}
	if len(quads) < gridCards {
		return nil, 0
	}
	f := fitField(quads, plane.Point{X: float64(l.img.Width) / 2, Y: float64(l.img.Height) / 2})
	aspect := medianOf(quads, aspectOf)
	own := func(q plane.Quad, slack float64) bool {
		return math.Abs(math.Sqrt(q.Area())/f.at(q.Centre())-1) < slack && math.Abs(aspectOf(q)/aspect-1) < 1.5*slack
	}
	var out []hypothesis
	var placed []candidate
	put := func(h hypothesis) bool {
		c := newCandidate(&h)
		if slices.ContainsFunc(placed, func(o candidate) bool { return o.clashes(&c) }) {
			return false
		}
		out = append(out, h)
		kept := h
		placed = append(placed, newCandidate(&kept))
		return true
	}
	for _, q := range quads {
		if own(q, ownSize) {
			h := hypothesis{quad: q, open: -1}
			l.weighDownTo(&h, 1, 0)
			h.quad = q
			put(h)
		}
	}
	first := len(out)
	if first < gridCards || 2*first < len(quads) {
		return nil, 0
	}
	// What was cut is there all the same, and nothing else is in its place.
	for _, d := range cards {
		if d.Unusable == unusableCut {
			h := hypothesis{quad: d.Corners, open: -1}
			for i := range h.quad {
				h.quad[i] = l.fromFrame(h.quad[i])
			}
			q := h.quad
			l.weighDownTo(&h, 1, 0)
			h.quad = q
			put(h)
		}
	}
	// Hypotheses of the common size, and the places next to the known cards.
	var spare []hypothesis
	for _, h := range good {
		if own(h.quad, 2*ownSize) {
			spare = append(spare, h)
		}
	}
	spare = append(spare, l.gaps(out)...)
	slices.SortStableFunc(spare, func(a, b hypothesis) int { return cmp.Compare(b.value(), a.value()) })
	added := 0
	for _, h := range spare {
		if put(h) {
			added++
		}
	}
	if added == 0 && first == len(quads) {
		return nil, 0
	}
	return out, first
}

// gaps proposes a card beside each known one, in all four directions, at the
// distance that neighbours have, where the pixels give some support.
func (l *level) gaps(known []hypothesis) []hypothesis {
	// Steps to the right and down in units of the card's own sides, from
	// pairs that are neighbours.
	var across, along []float64
	for i := range known {
		q := known[i].quad
		u, v := q[1].Sub(q[0]), q[3].Sub(q[0])
		for j := range known {
			d := known[j].quad.Centre().Sub(q.Centre())
			a, b := d.Dot(u)/u.Dot(u), d.Dot(v)/v.Dot(v)
			if a > 0.9 && a < 1.6 && math.Abs(b) < 0.2 {
				across = append(across, a)
			}
			if b > 0.9 && b < 1.6 && math.Abs(a) < 0.2 {
				along = append(along, b)
			}
		}
	}
	var out []hypothesis
	for _, dir := range []struct {
		steps    []float64
		sideways bool
	}{{across, true}, {along, false}} {
		if len(dir.steps) == 0 {
			continue
		}
		slices.Sort(dir.steps)
		step := dir.steps[len(dir.steps)/2]
		for i := range known {
			q := known[i].quad
			move := q[3].Add(q[2]).Sub(q[0]).Sub(q[1]).Mul(0.5)
			if dir.sideways {
				move = q[1].Add(q[2]).Sub(q[0]).Sub(q[3]).Mul(0.5)
			}
			for _, sign := range []float64{1, -1} {
				h := hypothesis{quad: q, open: -1}
				for k := range h.quad {
					h.quad[k] = q[k].Add(move.Mul(sign * step))
				}
				// The place is known to a few pixels.
				if l.weighDownTo(&h, 4, 0.1); h.score >= 0.45 && h.weakest >= 0.2 && !h.cut() {
					out = append(out, h)
				}
			}
		}
	}
	return out
}

// aspectOf is the mean short side over the mean long side.
func aspectOf(q plane.Quad) float64 {
	s := q.Sides()
	return (s[0] + s[2]) / (s[1] + s[3])
}

func medianOf(quads []plane.Quad, of func(plane.Quad) float64) float64 {
	v := make([]float64, len(quads))
	for i, q := range quads {
		v[i] = of(q)
	}
	slices.Sort(v)
	return v[len(v)/2]
}
