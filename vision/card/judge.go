package card

import (
	"math"
)

// The clues for a rival of a side. Colours and light are compared as
// logarithms, near the line and over millimetres.
const (
	clueVotes    = iota
	clueVoted    // votes, up to 0.7
	clueSteady   // the step is the same all along
	clueLight    // logarithm of its height in light against the side's highest
	clueRatio    // the same in logarithms of light
	clueOuter    // outer lines before inner ones, up to 1.6 mm
	clueOuterToo // the same beside another card
	clueOutHue   // the colour just outside is not the table's
	clueOutDark  // how dark it is against the table
	clueOutLight // how much lighter
	clueInHue    // the colour just inside is not the table's
	clueInDark
	clueInLight
	clueDrop    // outward, light falls again: no shadow does that
	clueHues    // somewhere outside is a colour that is not the table's
	clueBeyond  // lines with votes farther out
	clueLast    // no line farther out
	clueShadow  // the strip to a line further in has the table's colour, not the card's
	clueUneven  // just inside, there are other steps
	clueInner   // a higher step within 2.4 mm inside
	clueOutFlat // outside the profile is flat
	numClues
)

// The clues for a pair of rivals of two sides of one card.
const (
	pairLight  = iota // lightness just inside differs
	pairHue           // colour just inside differs
	pairStep          // the steps agree in direction
	pairInset         // there are lines inside at an equal distance
	pairOutset        // and outside: these are lines within the card
	numPairs
)

// weights are those of a conditional logit (McFadden 1974): of the lines of one
// side one is the edge, with odds that are the exponential of a weighted sum of
// clues. TestFitWeights fits them to rendered frames: 384 of eight tables by
// eight sleeves, sixty random decks of eight, sixteen grids counted twice, and
// every fifth of the two fixture decks, 5011 sides. Of 1073 sides of single cards
// at other stations the likeliest line is the right one for 97.9%, given the
// other three.
var weights = [numClues]float64{
	clueVotes:    0.50,
	clueVoted:    1.12,
	clueSteady:   -3.43,
	clueLight:    0.68,
	clueRatio:    0.43,
	clueOuter:    1.58,
	clueOuterToo: 0.54,
	clueOutHue:   -1.27,
	clueOutDark:  0.68,
	clueOutLight: 0.13,
	clueInHue:    1.97,
	clueInDark:   -0.83,
	clueInLight:  0.14,
	clueDrop:     -3.25,
	clueHues:     0.16,
	clueBeyond:   1.79,
	clueLast:     -1.33,
	clueShadow:   -0.53,
	clueUneven:   -2.04,
	clueInner:    1.03,
	clueOutFlat:  -0.74,
}

var pairWeights = [numPairs]float64{
	pairLight:  -0.83,
	pairHue:    -1.24,
	pairStep:   0.37,
	pairInset:  1.14,
	pairOutset: 0.26,
}

// look gathers the clues of all rivals of a side. table is the logarithm of
// the table's light, if known; free says that no other card lies beside the
// side.
func (rs *rivalry) look(width float64, table [3]float64, known, free bool) {
	a := &rs.across
	mm := max(width/64, 0.5)
	blur := 1.5
	if !free {
		blur = 1 // the table between two cards may be two pixels wide
	}
	near := max(2, 0.35*mm)
	mostLight, mostRatio := 1e-6, 1e-3
	for i := range rs.list {
		r := &rs.list[i]
		if a.empty() {
			continue
		}
		x := r.middle()
		r.inside = a.mean(x-blur-near, x-blur)
		r.mark = distance(r.inside, a.mean(x+blur, x+blur+near))
		mostLight = max(mostLight, length(r.change))
		mostRatio = max(mostRatio, r.mark)
	}
	for i := range rs.list {
		r := &rs.list[i]
		c := &r.clues
		*c = [numClues]float64{}
		x := r.middle()
		c[clueVotes] = r.votes
		c[clueVoted] = min(1, r.votes/0.7)
		c[clueSteady] = steady(r.constant)
		c[clueLight] = max(-2.5, math.Log(max(length(r.change), 1e-9)/mostLight))
		out := 40 * max(-0.05, min(0.025, x/width))
		if free {
			c[clueOuter] = out
		} else {
			c[clueOuterToo] = out
		}
		beyond := 0.0
		for k := range rs.list {
			if o := &rs.list[k]; o.middle() > x && o.votes > 0.5 {
				beyond++
			}
		}
		c[clueBeyond] = min(beyond, 3) / 3
		if beyond == 0 {
			c[clueLast] = 1
		}
		if a.empty() {
			continue
		}
		c[clueRatio] = max(-2.5, math.Log(max(r.mark, 1e-3)/mostRatio))
		c[clueUneven] = min(1, a.roughness(x-blur-max(3, 0.9*mm), x-blur)/max(r.mark, 0.05))
		c[clueOutFlat] = min(1, a.roughness(x+blur, x+blur+max(3, 0.9*mm))/max(r.mark, 0.05))
		if known {
			outside := a.mean(x+blur, x+blur+near)
			light, hue := apart(outside, table)
			c[clueOutHue] = min(1, hue/0.2)
			c[clueOutDark], c[clueOutLight] = min(2, max(0, -light)), min(0.5, max(0, light))
			light, hue = apart(r.inside, table)
			c[clueInHue] = min(1, hue/0.2)
			c[clueInDark], c[clueInLight] = min(2.5, max(0, -light)), min(1.5, max(0, light))
		}
		if free && known {
			// The strip out to 2.5 mm.
			end := x + blur + max(4, 2.5*mm)
			top, drop, hues := math.Inf(-1), 0.0, 0.0
			for o := x + blur; o <= end; o += max(0.5, a.step) {
				light, hue := apart(a.mean(o, o), table)
				top = max(top, light)
				drop = max(drop, top-light)
				hues = max(hues, hue)
			}
			c[clueDrop], c[clueHues] = min(1, drop/0.2), min(1, hues/0.3)
		}
		for k := range rs.list {
			in := &rs.list[k]
			gap := x - in.middle()
			if gap < 1.2 || gap > max(4, 2.4*mm) {
				continue
			}
			if in.mark > r.mark {
				c[clueInner] = 1
			}
			if !known {
				continue
			}
			edge := min(1.2, gap/3)
			strip := a.mean(in.middle()+edge, x-edge)
			dark, hueT := apart(strip, table)
			_, hueC := apart(strip, in.inside)
			if dark < 0 {
				s := max(-1, min(1, (hueC-hueT)/0.08))
				// It matters as far as there is an edge further in.
				s *= min(1, in.votes/0.6) * min(1, in.mark/0.15)
				if math.Abs(s) > math.Abs(c[clueShadow]) {
					c[clueShadow] = s
				}
			}
		}
	}
}

// roughness is the range of the profile between two offsets.
func (a *across) roughness(from, to float64) float64 {
	i, j := a.index(from), a.index(to)
	most := 0.0
	for ch := range a.y {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range a.y[ch][i : max(i, j)+1] {
			lo, hi = min(lo, v), max(hi, v)
		}
		most = max(most, hi-lo)
	}
	return most
}

// judge scores the rivals of a side: the logarithm of the odds that a rival is
// the side, but for a constant.
func (rs *rivalry) judge() {
	for i := range rs.list {
		r := &rs.list[i]
		r.score = 0
		for k, v := range r.clues {
			r.score += weights[k] * v
		}
	}
}

// pairOf gathers the clues that rivals of two sides give for each other.
func pairOf(a, b *rival, as, bs *rivalry, pxPerMM float64) (p [numPairs]float64) {
	light, hue := apart(a.inside, b.inside)
	p[pairLight], p[pairHue] = min(1, math.Abs(light)/0.5), min(1, hue/0.15)
	if d := length(a.change) * length(b.change); d > 0 {
		cos := (a.change[0]*b.change[0] + a.change[1]*b.change[1] + a.change[2]*b.change[2]) / d
		p[pairStep] = cos * min(steady(a.constant), steady(b.constant))
	}
	// Frames and inner sleeves are at an equal distance on two sides or more,
	// shadows and lines of the table are not.
	tol := max(1.5, 0.25*pxPerMM)
	least, most := max(2, 0.6*pxPerMM), 6*pxPerMM
	for i := range as.list {
		u := &as.list[i]
		for k := range bs.list {
			v := &bs.list[k]
			du, dv := u.middle()-a.middle(), v.middle()-b.middle()
			if du*dv <= 0 || math.Abs(du) < least || math.Abs(du) > most {
				continue
			}
			w := min(u.votes, v.votes) * max(0, 1-math.Abs(du-dv)/tol)
			if du < 0 {
				p[pairInset] = max(p[pairInset], w)
			} else {
				p[pairOutset] = max(p[pairOutset], w)
			}
		}
	}
	return p
}

// together is what rivals of two sides say for each other.
func together(p [numPairs]float64) float64 {
	s := 0.0
	for k, v := range p {
		s += pairWeights[k] * v
	}
	return s
}

// judgeAll finds the table's colour beside each side of the drafts, far out
// where a profile ends, and judges the rivals by it. Where another card lies
// there, the colour beside the free sides of all cards stands in.
func judgeAll(drafts []draft) {
	hs := make([]hypothesis, len(drafts))
	for i := range drafts {
		hs[i].quad = drafts[i].quad()
	}
	var sum [3]float64
	n := 0.0
	free := make([][4]bool, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		for k := range d.sides {
			rs := &d.rivals[k]
			if rs.across.empty() || rs.to <= rs.from {
				continue
			}
			_, out, _ := d.sides[k].frame()
			at := d.sides[k].p.Add(d.sides[k].q).Mul(0.5).Add(out.Mul((rs.from + rs.to) / 2))
			free[i][k] = true
			for j := range hs {
				if j != i && hs[j].quad.Contains(at) {
					free[i][k] = false
				}
			}
			if free[i][k] {
				c := rs.across.mean(rs.from, rs.to)
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
			table, known := sum, n > 0
			if free[i][k] {
				table, known = rs.across.mean(rs.from, rs.to), true
			}
			rs.look(d.width, table, known && !rs.across.empty(), free[i][k])
			rs.judge()
		}
	}
}
