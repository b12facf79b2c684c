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
	vote := ballots(rooted(profiles), k)
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

// rooted is the profiles on a scale between light and its ratios, where noise is
// about even: the edge of a dark sleeve in its shadow is no lesser one.
func rooted(profiles [][]float64) [][]float64 {
	out := make([][]float64, len(profiles))
	for i, p := range profiles {
		out[i] = make([]float64, len(p))
		for j, v := range p {
			out[i][j] = math.Sqrt(v)
		}
	}
	return out
}

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
