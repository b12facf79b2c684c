package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A rival is a line parallel to a side, or nearly, that may be the true side.
type rival struct {
	at0, at1 float64    // outward offsets at the side's ends, px
	votes    float64    // fraction of places that have an edge on it, beyond chance
	change   [3]float64 // mean light inside less outside
	constant float64    // how constant that is along the line: mean over standard deviation

	inside [3]float64        // logarithm of the light just inside
	mark   float64           // height of the step in logarithms of light
	clues  [numClues]float64 // what speaks for and against it, see judge.go
	score  float64           // how likely it is the side, but for a constant
}

func (r *rival) middle() float64 { return (r.at0 + r.at1) / 2 }

// moved returns the ends of the side's chord moved to a rival.
func (c *sideCurve) moved(r rival) (plane.Point, plane.Point) {
	_, n, _ := c.frame()
	return c.p.Add(n.Mul(r.at0)), c.q.Add(n.Mul(r.at1))
}

// A rivalry is the rivals of one side with the mean profile of the side.
type rivalry struct {
	list   []rival
	across across
	sag    float64 // by which all of them bow outward in the middle, px

	// Between these outward offsets lies the table, or another card.
	from, to float64
}

// A room is how far it is from a side's line to the next one that could draw
// a fit to itself, inside and outside, and to a higher step, px; and the part
// of its places that have the line.
type room struct{ in, out, higher, votes float64 }

// weakLine is the part of a line's step below which another one leaves its fit
// alone.
const weakLine = 0.4

// fullRoom is where no other line is near.
const fullRoom = 1e3

func (rs *rivalry) roomAround(k int) room {
	r := room{in: fullRoom, out: fullRoom, higher: fullRoom}
	if k >= len(rs.list) {
		return r
	}
	r.votes = rs.list[k].votes
	at := rs.list[k].middle()
	for i := range rs.list {
		if length(rs.list[i].change) < weakLine*length(rs.list[k].change) {
			continue
		}
		d := rs.list[i].middle() - at
		if d != 0 && length(rs.list[i].change) > length(rs.list[k].change) {
			r.higher = min(r.higher, math.Abs(d))
		}
		if d > 0 {
			r.out = min(r.out, d)
		} else if d < 0 {
			r.in = min(r.in, -d)
		}
	}
	return r
}

// alone and aloneBeside are how far the next line, and one with a higher step,
// have to be for a fit of one step, px.
const (
	alone       = 3.5
	aloneBeside = 6
)

// tight reports whether a fit of one step would be drawn to another line.
func (r *room) tight() bool { return min(r.in, r.out) < alone || r.higher < aloneBeside }

// A window is where rivals of a side are sought: outward offsets lo to hi in
// steps, px, for a card of so many px per millimetre.
type window struct{ lo, hi, step, pxPerMM float64 }

const (
	maxRivals  = 7
	leastVotes = 0.3
	// rivalGuard is how far apart rivals lie, px of the frame and steps: the
	// edge and the rim of its shadow may be no further from each other.
	rivalGuard = 1.6
	turnSteps  = 14 // by which a line may turn against the side, in steps of two
	mostSag    = 6  // px by which lens and bow bend a side, in steps
)

// A poll is the votes of places along a side for the offset of a line.
type poll struct {
	profiles [][]float64
	places   []float64
	votes    []float64
	k        int
	sag      float64 // samples
}

// at is the fraction of places with an edge on the line between offsets a and
// b, samples, at the ends.
func (p *poll) at(a, b int, sag float64) float64 {
	sum := 0.0
	for i, s := range p.places {
		o := int(float64(a) + (s+1)/2*float64(b-a) + sag*(s*s-1) + 0.5)
		if o >= 0 && o < p.k {
			sum += p.votes[i*p.k+o]
		}
	}
	return sum / float64(len(p.places))
}

// best is the line that starts at offset a with the most votes.
func (p *poll) best(a, rim int) (b int, votes float64) {
	votes = -1
	for c := a - turnSteps; c <= a+turnSteps; c += 2 {
		if c < rim || c >= p.k-rim {
			continue
		}
		if v := p.at(a, c, p.sag); v > votes {
			b, votes = c, v
		}
	}
	return b, votes
}

// rivals lists the best lines of the window, the side as it is if there is
// none.
func (sm *sampler) rivals(c *sideCurve, w window) rivalry {
	const rim = 3 // samples beyond the window that differences need
	// The window goes on outward over as much again, to see what lines the
	// table has.
	limit := w.hi
	hi := w.hi + math.Ceil(w.hi*0.7)
	stay := rivalry{list: []rival{{votes: 0.5}}}
	profiles, places := sm.bins(c, 14, w.lo-rim*w.step, hi+rim*w.step, w.step, max(1.5, 1.5*w.step))
	if len(profiles) < 5 {
		return stay
	}
	k := len(profiles[0]) / 3
	p := &poll{profiles: profiles, places: places, k: k, votes: ballots(rooted(profiles), k)}
	mid := int(math.Round(-w.lo/w.step)) + rim
	type voted struct {
		a, b  int
		votes float64
	}
	lines := make([]voted, 0, k)
	count := func() voted {
		lines = lines[:0]
		var top voted
		for a := rim; a < k-rim; a++ {
			b, v := p.best(a, rim)
			lines = append(lines, voted{a, b, v})
			if v > top.votes {
				top = voted{a, b, v}
			}
		}
		return top
	}
	top := count()
	// All lines along a side bow alike.
	most := top.votes
	for sag := -mostSag; sag <= mostSag; sag++ {
		if v := p.at(top.a, top.b, float64(sag)) - 0.01*math.Abs(float64(sag)); v > most {
			most, p.sag = v, float64(sag)
		}
	}
	if p.sag != 0 {
		top = count()
	}
	tilt := top.b - top.a

	background := make([]float64, 0, k)
	list := make([]rival, 0, k)
	for _, l := range lines {
		r := rival{at0: float64(l.a-mid) * w.step, at1: float64(l.b-mid) * w.step}
		var line float64
		r.change, r.constant, line = constancy(p, l.a, l.b)
		r.votes = l.votes * (0.3 + 0.7*steady(line))
		background = append(background, r.votes)
		list = append(list, r)
	}
	slices.Sort(background)
	chance := min(0.6, background[len(background)*6/10])
	for i := range list {
		list[i].votes = max(0, (list[i].votes-chance)/(1-chance))
	}
	rs := rivalry{sag: p.sag * w.step, from: limit, to: hi}
	// The mean profile follows the best line.
	along := *c
	_, n, _ := c.frame()
	along.q = along.q.Add(n.Mul(float64(tilt) * w.step))
	along.c2 = rs.sag
	shift := float64(tilt) * w.step / 2
	rs.across = sm.meanAcross(&along, w.lo-rim*w.step-shift, hi+rim*w.step-shift, max(0.5, w.step/2), shift, w.pxPerMM)
	rs.list = rs.pick(list, w, limit, shift)
	if len(rs.list) == 0 {
		return stay
	}
	return rs
}

// pick chooses among the lines those with votes and those that the mean
// profile has a step at.
func (rs *rivalry) pick(lines []rival, w window, limit, shift float64) []rival {
	var out []rival
	guard := max(rivalGuard, rivalGuard*w.step)
	add := func(r rival) {
		if r.middle() > limit || r.middle() < w.lo {
			return
		}
		for _, o := range out {
			if math.Abs(o.middle()-r.middle()) < guard {
				return
			}
		}
		out = append(out, r)
	}
	peaks := rs.across.peaks(w.lo, limit)
	if len(peaks) > 0 {
		// A line's votes count for the step that they mean.
		for _, pk := range peaks[:min(len(peaks), maxRivals)] {
			near := rival{at0: pk - shift, at1: pk + shift}
			best := -1.0
			for _, l := range lines {
				if d := math.Abs(l.middle() - pk); d < 1.1*w.step && l.votes-0.1*d/w.step > best {
					best = l.votes - 0.1*d/w.step
					near.votes, near.change, near.constant = l.votes, l.change, l.constant
					turn := (l.at1 - l.at0) / 2
					near.at0, near.at1 = pk-turn, pk+turn
				}
			}
			if near.votes > leastVotes {
				add(near)
			}
		}
	}
	slices.SortFunc(lines, func(a, b rival) int { return cmp.Compare(b.votes, a.votes) })
	for _, l := range lines {
		if len(out) >= maxRivals || l.votes < 0.35 {
			break
		}
		add(l)
	}
	return out
}

// constancy returns the mean change of light from inside a line to the line or
// beyond it, whichever is most, how constant that change is along the line,
// and how constant the line is, like [level.contrast]. Where sleeves touch, the
// change is to the dark line between them, the same as at the sides where the
// table begins.
func constancy(v *poll, a0, a1 int) (change [3]float64, step, line float64) {
	const inside = 4
	k := v.k
	var steps [inside + 3]tally // from o-inside to o-inside+1 ... o+2
	var across, inner, outer tally
	for b, p := range v.profiles {
		s := v.places[b]
		o := int(float64(a0) + (s+1)/2*float64(a1-a0) + v.sag*(s*s-1) + 0.5)
		o = min(k-1, max(0, o))
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

// logged is the profiles in logarithms of light.
func logged(profiles [][]float64) [][]float64 {
	out := make([][]float64, len(profiles))
	for i, p := range profiles {
		out[i] = make([]float64, len(p))
		for j, v := range p {
			out[i][j] = math.Log(v + darkLight)
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

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
