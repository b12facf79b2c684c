package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A draft is a card on its way from the level to the full frame: its sides and
// what each could be instead.
type draft struct {
	sides  [4]sideCurve
	rivals [4]rivalry
	width  float64    // short side, px
	room   [4]room    // see roomAround
	doubt  [4]float64 // what other lines make of each side's uncertainty, px
	scale  float64    // what a side of this card is expected to be multiplied by here, see scaleField
	combos []combo
	pick   int
}

// A combo is one rival for each side.
type combo struct {
	quad  plane.Quad
	lines [4]int  // of the sides' rivals
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
// are trusted, state it; or sides do, the lengths that are expected, px. The step of the search, in px, is returned.
func (sm *sampler) settle(drafts []draft, l *level, view viewer, sides [2]float64, trusted int) float64 {
	step := sm.gather(drafts, l)
	if len(drafts) == 0 {
		return step
	}
	middle := plane.Point{X: float64(sm.img.Width) / 2, Y: float64(sm.img.Height) / 2}
	scaleField(drafts, middle, trusted)
	for i := range drafts {
		drafts[i].combine(l, view)
	}
	switch {
	case sides[0] > 0 && sides[1] > 0:
		pickSides(drafts, sides, step)
	case trusted > 0:
		pickSize(drafts, commonCombo(drafts[:trusted]))
	default:
		// The second round knows the scale from the first.
		pickCombos(drafts, 2.5*sizeSigma, step)
		scaleField(drafts, middle, 0)
		pickCombos(drafts, sizeSigma, step)
	}
	for i := range drafts {
		d := &drafts[i]
		if d.pick < 0 {
			continue
		}
		q := d.combos[d.pick].quad
		d.weighDoubt(len(drafts) >= 3, step)
		for k := range d.sides {
			d.room[k] = d.rivals[k].roomAround(d.combos[d.pick].lines[k])
			d.sides[k] = sideCurve{p: q[k], q: q[(k+1)%4], c2: d.rivals[k].sag}
		}
	}
	return step
}

// weighDoubt works out how uncertain the choice of each side's line is: the
// standard deviation of the other combinations' lines about the chosen one,
// each by its probability. Where the cards of the frame have a common size,
// lines that make another one are the less likely for it.
func (d *draft) weighDoubt(common bool, step float64) {
	top := math.Inf(-1)
	for i := range d.combos {
		top = max(top, d.combos[i].value)
	}
	var sum float64
	var sq [4]float64
	chosen := &d.combos[d.pick]
	for i := range d.combos {
		c := &d.combos[i]
		v := c.value - top
		if common {
			sw := sizeSigma + placePx*step/d.width
			dw, dh := (c.w-chosen.w)/sw, (c.h-chosen.h)/sw
			v -= min(oddSize, scoreUnit*(dw*dw+dh*dh)/2)
		}
		w := math.Exp(v / scoreUnit)
		sum += w
		for k := range sq {
			list := d.rivals[k].list
			off := list[c.lines[k]].middle() - list[chosen.lines[k]].middle()
			off = min(doubtPx, math.Abs(off))
			sq[k] += w * off * off
		}
	}
	for k := range sq {
		d.doubt[k] = math.Sqrt(sq[k] / sum)
	}
}

// doubtPx is as much as it counts how far off another line is: a side on a
// wrong line is wrong, and an unlikely line across the card is no reason to
// doubt one that is likely.
const doubtPx = 4

// gather finds the rivals of all sides and judges them. It returns the step of
// the search, px.
func (sm *sampler) gather(drafts []draft, l *level) float64 {
	step := max(1, l.scale/2.5)
	for i := range drafts {
		d := &drafts[i]
		_, _, w0 := d.sides[0].frame()
		_, _, w2 := d.sides[2].frame()
		d.width = (w0 + w2) / 2
		for k := range d.sides {
			d.rivals[k] = sm.rivals(&d.sides[k], window{lo: -max(2*l.scale, 0.08*d.width), hi: math.Ceil(max(2*l.scale, 0.095*d.width)), step: step, pxPerMM: d.width / 64})
		}
	}
	judgeAll(drafts)
	return step
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

// scoreUnit brings scores to the scale of the other terms of a combination's
// value.
const scoreUnit = 0.35

// maxCombos bounds the combinations of a card that are looked at in full.
const maxCombos = 60

// combine lists the best combinations of rivals that have a card's shape.
func (d *draft) combine(l *level, view viewer) {
	type rough struct {
		pick  [4]int
		value float64
	}
	var all []rough
	// What rivals of two sides say for each other.
	var pairs [4][4][maxRivals][maxRivals]float64
	for i := range 4 {
		for j := range i {
			for a := range d.rivals[i].list {
				for b := range d.rivals[j].list {
					pairs[i][j][a][b] = together(pairOf(&d.rivals[i].list[a], &d.rivals[j].list[b], &d.rivals[i], &d.rivals[j], d.width/64))
				}
			}
		}
	}
	for a := range d.rivals[0].list {
		for b := range d.rivals[1].list {
			ab := d.rivals[0].list[a].score + d.rivals[1].list[b].score + pairs[1][0][b][a]
			for c := range d.rivals[2].list {
				abc := ab + d.rivals[2].list[c].score + pairs[2][0][c][a] + pairs[2][1][c][b]
				for e := range d.rivals[3].list {
					v := abc + d.rivals[3].list[e].score + pairs[3][0][e][a] + pairs[3][1][e][b] + pairs[3][2][e][c]
					all = append(all, rough{pick: [4]int{a, b, c, e}, value: scoreUnit * v})
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
		d.combos = append(d.combos, combo{quad: q, lines: r.pick, value: r.value - 1.2*misfit,
			w: math.Log((s[0] + s[2]) / 2 / d.scale), h: math.Log((s[1] + s[3]) / 2 / d.scale)})
	}
}

const (
	// sizeSigma is the spread of the sizes of one deck's sleeves as seen: 0.1
	// mm of cut and what the scale field misses; placePx is how far the two
	// lines are off, in steps of the search.
	sizeSigma = 0.006
	placePx   = 1.2
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

// pickSides chooses for each draft the combination of greatest value, those of
// the expected lengths before others. What the lines say outweighs it where it
// is clear.
func pickSides(drafts []draft, sides [2]float64, step float64) {
	for i := range drafts {
		d := &drafts[i]
		top := math.Inf(-1)
		for k := range d.combos {
			c := &d.combos[k]
			s := c.quad.Sides()
			w, h := (s[0]+s[2])/2, (s[1]+s[3])/2
			dw := math.Log(w/sides[0]) / (sizeSigma + placePx*step/w)
			dh := math.Log(h/sides[1]) / (sizeSigma + placePx*step/h)
			// The doubt that is left is that of the new odds.
			c.value -= min(oddSize, scoreUnit*(dw*dw+dh*dh)/2)
			if c.value > top {
				top, d.pick = c.value, k
			}
		}
	}
}

// pickCombos chooses a combination for each draft: the one of greatest value
// for one or two cards, else with a common size, the one that makes the sum
// of the values greatest; sigma is the spread that sizes may have.
func pickCombos(drafts []draft, sigma, step float64) {
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
					sw, sh := sigma+placePx*step/d.width, sigma+placePx*step*midAspect/d.width
					dw, dh := (c.w-size.w)/sw, (c.h-size.h)/sh
					v -= min(oddSize, scoreUnit*(dw*dw+dh*dh)/2)
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
