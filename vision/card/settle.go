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
	at0, at1 float64 // outward offsets at the side's ends, px
	votes    float64 // fraction of places that have an edge on it, beyond chance
	step     float64 // mean difference of light across it
	shadow   bool    // it looks like the rim of a shadow
}

func (r *rival) middle() float64 { return (r.at0 + r.at1) / 2 }

// settle looks outward from each side for a further edge: sleeves have seams,
// and prints have frames, that run along the sleeve's own edge a few
// millimetres inside it and often look stronger. Averages over stretches of
// the side in the full frame show edges that the level has lost. The four
// sides are decided together, because together they must have the shape of a
// card. The step of the search, in px, is returned.
func (sm *sampler) settle(sides *[4]sideCurve, l *level, view viewer) float64 {
	step := max(1, l.scale/2.5)
	var rivals [4]rivalry
	_, _, w0 := sides[0].frame()
	_, _, w2 := sides[2].frame()
	width := (w0 + w2) / 2
	for i := range sides {
		rivals[i] = sm.rivals(&sides[i], -2*l.scale, math.Ceil(0.075*width), step)
	}
	dropShadows(&rivals)
	quad := func(pick [4]int) (plane.Quad, bool) {
		var q plane.Quad
		for i := range q {
			a, b := &sides[(i+3)%4], &sides[i]
			p0, p1 := a.moved(rivals[(i+3)%4].list[pick[(i+3)%4]])
			q0, q1 := b.moved(rivals[i].list[pick[i]])
			p, ok := meetPoints(p0, p1, q0, q1)
			if !ok {
				return q, false
			}
			q[i] = p
		}
		return q, true
	}
	best, bestPick := math.Inf(-1), [4]int{-1}
	for a := range rivals[0].list {
		for b := range rivals[1].list {
			for c := range rivals[2].list {
				for d := range rivals[3].list {
					pick := [4]int{a, b, c, d}
					value := 0.0
					for i, k := range pick {
						r := rivals[i].list[k]
						value += min(1, r.votes/0.7) + 5*(r.at0+r.at1)/2/width
					}
					if value <= best {
						continue
					}
					q, ok := quad(pick)
					if !ok {
						continue
					}
					for i := range q {
						q[i] = l.fromFrame(q[i])
					}
					r, misfit, ok := view.asCard(q)
					if !ok || r != q { // r turned: the short side changed
						continue
					}
					if value -= 0.3 * misfit; value > best {
						best, bestPick = value, pick
					}
				}
			}
		}
	}
	if bestPick[0] < 0 {
		return step
	}
	if q, ok := quad(bestPick); ok && q.Convex() {
		for i := range sides {
			sides[i] = sideCurve{p: q[i], q: q[(i+1)%4]}
		}
	}
	return step
}

// moved returns the ends of the side's chord moved to a rival.
func (c *sideCurve) moved(r rival) (plane.Point, plane.Point) {
	_, n, _ := c.frame()
	return c.p.Add(n.Mul(r.at0)), c.q.Add(n.Mul(r.at1))
}

// rivals lists the best lines between the offsets lo and hi, the side as it
// is among them.
func (sm *sampler) rivals(c *sideCurve, lo, hi, step float64) rivalry {
	const rim = 3 // samples beyond the window that differences need
	// The window goes on outward over as much again, to see what lines the
	// table has.
	limit := hi
	hi += math.Ceil(hi * 0.7)
	profiles, places := sm.bins(c, 14, lo-rim*step, hi+rim*step, step, max(1, step))
	n := len(profiles)
	stay := rivalry{list: []rival{{}}}
	if n < 5 {
		return stay
	}
	k := int(math.Round((hi-lo)/step)) + 1 + 2*rim
	vote := ballots(profiles, k)
	mid := int(math.Round(-lo/step)) + rim
	var lines []rival
	var background []float64
	const turn = 4 // samples by which the line may turn against the side
	for a := rim; a < k-rim; a++ {
		top := rival{votes: -1}
		for b := max(rim, a-turn); b <= min(k-rim-1, a+turn); b++ {
			sum := 0.0
			for i, s := range places {
				o := float64(a) + (s+1)/2*float64(b-a)
				sum += vote[i*k+int(o+0.5)]
			}
			if sum /= float64(n); sum > top.votes {
				top = rival{at0: float64(a-mid) * step, at1: float64(b-mid) * step, votes: sum}
			}
		}
		top.votes *= 0.3 + 0.7*steady(constancy(profiles, places, k, a, mid+int(math.Round(top.at1/step))))
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
			if out = append(out, r); len(out) == 5 {
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
	rs.shadows()
	return rs
}

// constancy is the length of the mean step across a line over the step's
// standard deviation along it, like [level.contrast].
func constancy(profiles [][]float64, places []float64, k, a0, a1 int) float64 {
	var sum [3]float64
	sq := 0.0
	for b, p := range profiles {
		o := int(float64(a0) + (places[b]+1)/2*float64(a1-a0) + 0.5)
		i0, i1 := max(0, o-2), min(k-1, o+2)
		for ch := range 3 {
			v := p[ch*k+i1] - p[ch*k+i0]
			sum[ch] += v
			sq += v * v
		}
	}
	n := float64(len(profiles))
	mean := (sum[0]*sum[0] + sum[1]*sum[1] + sum[2]*sum[2]) / (n * n)
	return math.Sqrt(mean / (max(0, sq/n-mean) + 1e-9))
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
// throws on the table. mean is the mean profile along the side.
//
// Light adds up: the strip between the card and the rim of its shadow has the
// table's own colour times a factor below one, equal in all channels but for
// the blur of the card's edge; and the card's edge, further in, is the greater
// step. (A lamp of some size blurs the rim, but near the card hardly more than
// a lens does, so sharpness alone decides nothing.)
func (rs rivalry) shadows() {
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
}

// A rivalry is the rivals of one side with the mean profile of the side.
type rivalry struct {
	list    []rival
	profile [3][]float64
	lo      float64 // outward offset of the first sample, px
	step    float64
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

// dropShadows removes the rims of shadows, unless most sides have one: lamps
// throw shadows to one or two sides, whereas the light border of a card on a
// light table looks like this all around.
func dropShadows(all *[4]rivalry) {
	sides := 0
	for _, rs := range all {
		if slices.ContainsFunc(rs.list, func(r rival) bool { return r.shadow }) {
			sides++
		}
	}
	if sides >= 3 {
		return
	}
	for i := range all {
		all[i].list = slices.DeleteFunc(all[i].list, func(r rival) bool { return r.shadow })
	}
}
