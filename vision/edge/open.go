package edge

import (
	"math"
	"sort"

	"fairdeck/vision/colour"
)

// peaksOf counts the bright lines of a typical layer: local maxima that stand
// at least a tenth of the whole contrast above the dark on both sides.
func peaksOf(t [samples]float64) int {
	n := 0
	for i := range t {
		p, q := t[(i+samples-1)%samples], t[(i+1)%samples]
		if !(t[i] > p && t[i] >= q) {
			continue
		}
		// Walk down both sides until the light rises above the peak again.
		low := [2]float64{t[i], t[i]}
		for side, step := range []int{samples - 1, 1} {
			for k, j := 0, i; k < samples; k++ {
				j = (j + step) % samples
				if t[j] > t[i] {
					break
				}
				low[side] = min(low[side], t[j])
			}
		}
		if t[i]-max(low[0], low[1]) > 0.1 {
			n++
		}
	}
	return max(1, n)
}

// openOrClosed reads the side both ways, and returns the log probability of
// every number of layers over both; the likelier way becomes the reading.
func (w *seen) openOrClosed(closed *reading) []float64 {
	limit := len(closed.path.lines) + 12
	open := closed.opened()
	w.read = closed
	p := 0.0
	if open != nil {
		switch w.opt.Side {
		case LongSide, ShortClosed:
		case ShortOpen:
			p = 1
		default:
			p = w.openness(closed)
		}
	}
	w.side.Open = p > 0.5
	w.side.OpenProbability = p
	if w.side.Open {
		w.read = open
	}
	out := make([]float64, limit+1)
	for i := range out {
		out[i] = math.Inf(-1)
	}
	for _, way := range []struct {
		r     *reading
		share float64
	}{{closed, 1 - p}, {open, p}} {
		if way.share < 1e-4 {
			continue
		}
		votes := w.vote(way.r)
		if way.r == w.read {
			w.side.Count.Votes = votes
		}
		l := way.r.model.posterior(way.r.signal, limit)
		weigh(l, votes, way.r.model.open)
		for i := range l {
			out[i] = logAdd(out[i], l[i]+math.Log(way.share))
		}
	}
	return out
}

// weigh turns the log evidence l of every number of layers into log
// probabilities, after the votes of parts of the side that were read apart.
//
// The parts err apart from each other (a hand, a warped end, a line that two
// strips do not share), so they say more together than the whole's evidence,
// which takes every sample of one mean profile for a witness of its own. The
// more of them agree, the more they weigh. On an open side gaps mislead all
// parts alike, and agreement is worth less.
func weigh(l []float64, votes []int, open bool) {
	total := math.Inf(-1)
	for _, x := range l {
		total = logAdd(total, x)
	}
	best := 0
	share := make([]float64, len(l))
	for n, x := range l {
		if share[n] = math.Exp(x - total); share[n] > share[best] {
			best = n
		}
	}
	// A vote is off by one in fifty either way.
	const near = 0.02
	vote := make([]float64, len(l))
	agree, mode := 0, 0
	for _, v := range votes {
		k := 0
		for _, u := range votes {
			if u == v {
				k++
			}
		}
		if k > agree {
			agree, mode = k, v
		}
		for d := -1; d <= 1; d++ {
			if n := v + d; n >= 0 && n < len(vote) {
				vote[n] += map[bool]float64{true: 1 - 2*near, false: near}[d == 0] / float64(len(votes))
			}
		}
	}
	weight, power := 0.5, 1.0
	switch len(votes) - agree {
	case 0:
		weight, power = 0.98, 2
	case 1:
		weight = 0.8
		if mode == best {
			power = 3
		}
	case 2:
		weight = 0.6
		if mode == best {
			power = 2
		}
	}
	if open && mode != best {
		weight, power = 0.5, 1
	} else if open {
		power = min(power, 1.5)
	}
	total = 0
	for n := range share {
		share[n] = math.Pow((1-weight)*share[n]+weight*vote[n], power)
		total += share[n]
	}
	// Whatever agrees, an open side's films are miscounted by one in some
	// fifty readings either way.
	spread := 0.0
	if open {
		spread = near
	}
	for n := range l {
		p := (1 - 2*spread) * share[n]
		if n > 0 {
			p += spread * share[n-1]
		}
		if n+1 < len(share) {
			p += spread * share[n+1]
		}
		l[n] = math.Log(p / total)
	}
}

// openness is the probability that the side is an open one, from what tells
// the two apart whatever the sleeve's colour:
//
//   - between the closed edges of two sleeves the eye looks into a dark cleft;
//     inside an open edge it meets the card, dimmer than the film but far from
//     dark, and between double sleeves the inner one;
//   - the card's edge is paper: it has grain along the side, film has none;
//   - an open line is two films, a clear and a coloured one, a closed line one;
//   - the first and the last line of an open side are one film instead of two.
//
// The weights are those of a logistic regression with a ridge of one standard
// unit on the 154 stacks of visiontest.RandomStack with seeds 1001 to 1154; they
// were fitted once, by a program that is not part of this one. What they do for
// the count, told and not told, stands in docs/ACCURACY.md.
func (w *seen) openness(closed *reading) float64 {
	t := w.tell(closed)
	z := 2.577 + 0.803*math.Log(t.dim+0.02) + 3.668*t.contrast + 1.109*math.Log(t.twoTone+0.01) +
		3.318*t.grain + 2.774*t.grainSlope - 2.757*t.twoPeaks + 1.673*math.Log(t.twoTone+0.01)*t.saturation +
		1.423*t.first + 4.166*t.last
	return 1 / (1 + math.Exp(-z))
}

// tells are what [seen.openness] goes by.
type tells struct {
	dim        float64 // light at the darkest phase, share of the line's
	contrast   float64 // amplitude of the layers' first harmonic over their mean light
	twoTone    float64 // greatest difference in chromaticity between bright phases
	saturation float64 // of the line, 0 to 1
	grain      float64 // log of the unevenness along the darkest phase over the line's
	grainSlope float64 // and over the steepest phases', where layers' tilt shows
	twoPeaks   float64 // 1 where a layer shows two lines, as double sleeves do
	first      float64 // log of the first line's height over a typical one's, absolute
	last       float64 // and the last line's
}

func (w *seen) tell(r *reading) tells {
	light, grain := w.phases(r)
	var t tells
	var s [samples]float64
	top := 1e-9
	for j, c := range light {
		s[j] = c[0] + c[1] + c[2]
		top = max(top, s[j])
	}
	dark, mean := 0, 0.0
	var re, im float64
	for j := range s {
		s[j] /= top
		if s[j] < s[dark] {
			dark = j
		}
		mean += s[j]
		a := 2 * math.Pi * float64(j) / samples
		re, im = re+s[j]*math.Cos(a), im+s[j]*math.Sin(a)
	}
	around := func(x [samples]float64, j int) float64 {
		return (x[(j+samples-1)%samples] + x[j] + x[(j+1)%samples]) / 3
	}
	t.dim = around(s, dark)
	t.contrast = math.Hypot(re, im) / max(1e-9, mean)
	for i := range light {
		for j := range light {
			if s[i] < 0.5 || s[j] < 0.5 {
				continue
			}
			for ch := range 3 {
				t.twoTone = max(t.twoTone, light[i][ch]/(s[i]*top)-light[j][ch]/(s[j]*top))
			}
		}
	}
	line := light[0]
	t.saturation = (max(line[0], line[1], line[2]) - min(line[0], line[1], line[2])) / (max(line[0], line[1], line[2]) + 1e-6)
	// The four steepest phases.
	slope := make([]int, samples)
	for j := range slope {
		slope[j] = j
	}
	sort.Slice(slope, func(a, b int) bool { return steep(s, slope[a]) > steep(s, slope[b]) })
	steepest := 0.0
	for _, j := range slope[:4] {
		steepest += grain[j] / 4
	}
	t.grain = 0.5 * math.Log(around(grain, dark)/around(grain, 0))
	t.grainSlope = 0.5 * math.Log(around(grain, dark)/steepest)
	if peaksOf(r.model.typical) > 1 {
		t.twoPeaks = 1
	}
	t.first, t.last = height(r, 0), height(r, len(r.path.lines)-1)
	return t
}

func steep(s [samples]float64, j int) float64 {
	return math.Abs(s[(j+1)%samples] - s[(j+samples-1)%samples])
}

// height is how far line i's peak is from a typical line's, by its logarithm.
func height(r *reading, i int) float64 {
	at, peak := r.path.lines[i], 0.2
	for k := max(0, at-2); k <= min(len(r.v)-1, at+2); k++ {
		peak = max(peak, r.v[k])
	}
	return math.Abs(math.Log(min(3, peak)))
}

// phases returns the typical layer's light by phase, the median over layers
// of each channel's linear light (BGR, 0 to 1), and its unevenness along the
// side: the mean square second difference over six pixels, codes squared, at
// least a code's rounding.
func (w *seen) phases(r *reading) (light [samples][3]float64, grain [samples]float64) {
	var cols [samples][3][]float64
	var count [samples]float64
	step, i := max(1, len(r.lines)/24), 0 // two dozen layers make a median
	r.path.whole(func(from, to int) {
		if i++; i%step != 0 {
			return
		}
		for j := range samples {
			row := (float64(from) + float64(j)*float64(to-from)/samples) / r.scale
			c := w.rowColour(row)
			for ch := range c {
				cols[j][ch] = append(cols[j][ch], colour.Linear(uint8(c[ch]+0.5)))
			}
			sum, n := w.uneven(row)
			grain[j], count[j] = grain[j]+sum, count[j]+n
		}
	})
	for j := range light {
		for ch := range light[j] {
			light[j][ch] = median(cols[j][ch])
		}
		grain[j] = grain[j]/max(1, count[j]) + 1.0/12
	}
	return light, grain
}

// uneven sums the squared second differences of the green channel along a
// straightened row; a tilted line has none.
func (w *seen) uneven(row float64) (sum, n float64) {
	const apart = 3 // px: the length of a paper fibre at 10 px per mm
	r := min(w.f.rows-1, max(0, int(row+0.5)))
	for k := w.from + 2; k < w.to-2; k += 3 {
		y := int(float64(w.f.top) + row + float64(w.f.at(k)[r]) + 0.5)
		x := int(w.s.centre(k))
		if y < 0 || y >= w.img.Height || x < apart || x+apart >= w.img.Width {
			continue
		}
		p := w.img.Row(y)
		d := float64(p[3*x+1]) - (float64(p[3*(x-apart)+1])+float64(p[3*(x+apart)+1]))/2
		sum, n = sum+d*d, n+1
	}
	return sum, n
}

// rowColour is the mean colour (sRGB codes, BGR) of a straightened row over a
// fifth of the side's strips.
func (w *seen) rowColour(row float64) [3]float64 {
	var c [3]float64
	n := 0.0
	r := min(w.f.rows-1, max(0, int(row+0.5)))
	for k := w.from; k < w.to; k += 5 {
		if w.f.match[k] < 0.5 {
			continue
		}
		c = add3(c, w.colourAt(k, float64(w.f.top)+row+float64(w.f.at(k)[r])))
		n++
	}
	for j := range c {
		c[j] /= max(1, n)
	}
	return c
}
