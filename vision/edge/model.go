package edge

import (
	"math"
	"sort"
)

// samples is how finely one layer is sampled in the layer model, whatever its
// height in the picture: enough for the two film edges and the card of an
// open side.
const samples = 14

// layerModel is what a typical layer of the stack looks like from one bright
// line to the next, and how much layers differ.
//
//	phase 0          half            1
//	  ▓▓▓▒░                      ░▒▓▓      the line, the dark between, the next line
//	  └ head ┘└ room for a gap ┘└tail┘
//
// A side is read as: anything, then layers one after another, then the last
// line's lower half, then anything (a semi-Markov chain; Yu 2010, "Hidden
// semi-Markov models", Artificial Intelligence 174). A layer may be stretched
// or squeezed, brighter or darker, and may hold a gap at its darkest phase.
// "Anything" is smooth with a few jumps: a face, a table, a wall.
type layerModel struct {
	pitch   float64          // px per layer
	typical [samples]float64 // light by phase, 0 dark to 1 bright
	sigma   float64          // layers' scatter about it
	spread  float64          // scatter of the layers' heights, samples
	scaled  [maxLen + 1][]float64
	gapAt   int // darkest phase, sample
	headEnd int // first sample at which the line has fallen to half
	weight  float64
	jump    [2]float64
}

const (
	minLen = 8  // samples: a layer of 0.57 of the typical height
	maxLen = 22 // 1.57; more is a layer with a gap

	gainSD   = 0.3 // layers' lines differ in brightness by a third (other sleeves, shade)
	offsetSD = 0.2
	faint    = 0.4  // of the typical line: the weakest that a shaded layer may show
	lastFall = 0.6  // the same for the lowest line's fall: the table's light rises slowly and does not fall
	gapDrag  = 0.15 // -log chance per sample that a gap goes on: half a layer at the mean
	gapPrior = 3.5  // -log chance of a gap after a layer: one layer in 33
)

// set completes the model from its typical layer.
func (m *layerModel) set(t [samples]float64) {
	m.typical = t
	for n := minLen; n <= maxLen; n++ {
		m.scaled[n] = make([]float64, n)
		for i := range n {
			// Both ends of a layer are lines: phase 0 at the first sample, and
			// the sample after the last is the next layer's phase 0.
			m.scaled[n][i] = m.phase(float64(i) / float64(n))
		}
	}
	m.gapAt = 2
	for i := 2; i < samples-2; i++ {
		if t[i] < t[m.gapAt] {
			m.gapAt = i
		}
	}
	half := (t[0] + t[m.gapAt]) / 2
	m.headEnd = m.gapAt
	for i := 1; i <= m.gapAt; i++ {
		if t[i] < half {
			m.headEnd = i
			break
		}
	}
	// Neighbouring samples share the lens's blur, and below 14 px per layer
	// they share pixels: half of them tell something new.
	m.weight = 0.7 * min(1, m.pitch/samples)
}

func (m *layerModel) phase(f float64) float64 {
	f *= samples
	i := int(f)
	f -= float64(i)
	return m.typical[i%samples]*(1-f) + m.typical[(i+1)%samples]*f
}

// unitCost is minus the log likelihood of v as one layer t: least squares with
// its own gain and offset, compressed where the layer is odd.
func (m *layerModel) unitCost(v, t []float64, faintest float64) float64 {
	var s0, st, stt, r1, rt, rr float64
	for i, x := range v {
		y := t[i]
		r := x - y
		st, stt = st+y, stt+y*y
		r1, rt, rr = r1+r, rt+r*y, rr+r*r
	}
	s0 = float64(len(v))
	s2 := m.sigma * m.sigma / m.weight
	a, b, c := stt+s2/(gainSD*gainSD), st, s0+s2/(offsetSD*offsetSD)
	det := a*c - b*b
	gain := 1 + (rt*c-r1*b)/det
	q := (rr - (rt*rt*c-2*rt*r1*b+r1*r1*a)/det) / (2 * s2)
	// An odd layer (another sleeve, a deep shade) is odd as a whole; beyond a
	// misfit of 8 the cost grows by its logarithm only.
	const nu = 8
	cost := nu * math.Log1p(max(0, q)/nu)
	// A layer without a line is none: flat colour must not pass as one.
	if gain < faintest {
		d := (faintest - gain) / 0.06
		cost += d * d / 2
	}
	return cost
}

// lengthCost is minus the log prior of a layer n samples high.
func (m *layerModel) lengthCost(n int) float64 {
	d := (float64(n) - samples) / m.spread
	return d*d/2 + math.Log(m.spread) + 0.92
}

// anythingCost is minus the log likelihood per sample of what is no layer,
// against a perfect layer: a step from the sample before that is as small as
// the layers' scatter, or, at a rate of rare per sample, any value at all.
func (m *layerModel) anythingCost(v []float64, rare float64) []float64 {
	out := make([]float64, len(v))
	const wide = 0.7
	for i := range v {
		d := 0.0
		if i > 0 {
			d = v[i] - v[i-1]
		}
		s := max(m.sigma, 0.08)
		p := (1-rare)*math.Exp(-d*d/(2*s*s))*m.sigma/s + rare*m.sigma/wide*math.Exp(-(v[i]-0.5)*(v[i]-0.5)/(2*wide*wide))
		out[i] = -math.Log(p+1e-12) * m.weight
	}
	return out
}

// costs are the model's costs at every place of a profile.
type costs struct {
	n    int
	unit [][]float64 // [b][len-minLen], infinite past the end
	head []float64   // the line and its fall from b, gapAt samples
	tail []float64   // the rise that ends at b, samples-gapAt
	last []float64   // the last line's lower half from b, headEnd+1 samples
	any  []float64   // running sum of anythingCost in a gap
	pre  []float64   // the same above the stack
	post []float64   // and below
}

// usual and strict are how often anything jumps: background may, the face of
// the uppermost sleeve, a gap and the rows of the deck do not.
const usual, strict = 0.05, 0.0005

func (m *layerModel) costsOf(v []float64, in []float64) *costs {
	c := &costs{n: len(v)}
	c.pre, c.post = make([]float64, len(v)+1), make([]float64, len(v)+1)
	loose, firm := m.anythingCost(v, usual), m.anythingCost(v, strict)
	for i := range v {
		a, b := loose[i], loose[i]
		if in != nil {
			// Rows that end where the deck ends belong to it: above the first
			// line its plain face, below the last line nothing.
			deep := in[i]
			for k := max(0, i-2); k <= min(len(in)-1, i+2); k++ {
				deep = min(deep, in[k])
			}
			if deep > 0.35 {
				a = firm[i]
			}
			b += 1.5 * m.weight * min(1, max(0, in[i]-0.35))
		}
		c.pre[i+1], c.post[i+1] = c.pre[i]+a, c.post[i]+b
	}
	c.unit = make([][]float64, len(v))
	c.head, c.tail, c.last = make([]float64, len(v)+1), make([]float64, len(v)+1), make([]float64, len(v)+1)
	flat := make([]float64, len(v)*(maxLen-minLen+1))
	tailLen := samples - m.gapAt
	for b := range len(v) {
		c.unit[b] = flat[b*(maxLen-minLen+1) : (b+1)*(maxLen-minLen+1)]
		for n := minLen; n <= maxLen; n++ {
			c.unit[b][n-minLen] = math.Inf(1)
			if b+n <= len(v) {
				c.unit[b][n-minLen] = m.unitCost(v[b:b+n], m.scaled[n], faint) + m.lengthCost(n)
			}
		}
	}
	inf := math.Inf(1)
	for b := range len(v) + 1 {
		c.head[b], c.tail[b], c.last[b] = inf, inf, inf
		if b+m.gapAt <= len(v) {
			c.head[b] = m.unitCost(v[b:b+m.gapAt], m.typical[:m.gapAt], faint) + gapPrior
		}
		if b-tailLen >= 0 {
			c.tail[b] = m.unitCost(v[b-tailLen:b], m.typical[m.gapAt:], faint)
		}
		if e := m.headEnd + 1; b+e <= len(v) {
			// The lowest line meets the table's light and shade: half its
			// misfit is not its own.
			c.last[b] = 8 * math.Log1p(m.unitCost(v[b:b+e], m.typical[:e], lastFall)/8)
		}
	}
	c.any = make([]float64, len(v)+1)
	for i, a := range firm {
		c.any[i+1] = c.any[i] + a + gapDrag
		if in != nil {
			// A gap lies between layers, so the deck is still there.
			c.any[i+1] += 0.5 * max(0, 1-in[i]/0.35)
		}
	}
	if in != nil {
		// A line that goes on beyond the deck's ends is the table's.
		for b := range len(v) {
			at := in[b]
			for k := max(0, b-1); k <= min(len(in)-1, b+2); k++ {
				at = max(at, in[k])
			}
			out := 5 * max(0, 1-at/0.35)
			for i := range c.unit[b] {
				c.unit[b][i] += out
			}
			c.head[b] += out
			c.last[b] += out
		}
	}
	return c
}

// best returns the lines of the likeliest reading (sample of each bright
// line, top first) and its cost; nil where no layer is likelier than one.
func (m *layerModel) best(v, in []float64) ([]int, float64) {
	c := m.costsOf(v, in)
	n := len(v)
	inf := math.Inf(1)
	line := make([]float64, n+1) // cost of everything before a line at b
	gap := make([]float64, n+1)  // inside a gap that ends at b
	from := make([]int, n+1)     // line before, -1 for the first
	gapFrom := make([]int, n+1)
	tailLen := samples - m.gapAt
	for b := range n + 1 {
		line[b], from[b] = c.pre[b], -1
		gap[b] = inf
		if b > 0 && gap[b-1] < inf {
			gap[b], gapFrom[b] = gap[b-1]+c.any[b]-c.any[b-1], gapFrom[b-1]
		}
		if h := b - m.gapAt; h >= 0 {
			if x := line[h] + c.head[h]; x < gap[b] {
				gap[b], gapFrom[b] = x, h
			}
		}
		for l := minLen; l <= maxLen && l <= b; l++ {
			if x := line[b-l] + c.unit[b-l][l-minLen]; x < line[b] {
				line[b], from[b] = x, b-l
			}
		}
		if g := b - tailLen; g >= 0 && gap[g] < inf {
			if x := gap[g] + c.tail[b]; x < line[b] {
				line[b], from[b] = x, gapFrom[g]
			}
		}
	}
	end, cost := -1, c.pre[n]
	for b := range n {
		if c.last[b] == inf {
			continue
		}
		e := b + m.headEnd + 1
		if x := line[b] + c.last[b] + c.post[n] - c.post[e]; x < cost {
			end, cost = b, x
		}
	}
	var lines []int
	for b := end; b >= 0; b = from[b] {
		lines = append(lines, b)
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return lines, cost
}

// posterior returns the log evidence of every number of lines, 0 up to limit,
// by the forward algorithm.
func (m *layerModel) posterior(v, in []float64, limit int) []float64 {
	c := m.costsOf(v, in)
	n := len(v)
	inf := math.Inf(-1)
	out := make([]float64, limit+1)
	for i := range out {
		out[i] = inf
	}
	out[0] = -c.pre[n]
	tailLen := samples - m.gapAt
	prev := make([]float64, n+1)
	cur := make([]float64, n+1)
	gap := make([]float64, n+1)
	for b := range n + 1 {
		prev[b] = -c.pre[b]
	}
	for k := 1; k <= limit; k++ {
		// prev: log evidence of k lines before or at b, the k-th at b.
		for b := range n {
			if c.last[b] < math.Inf(1) {
				e := b + m.headEnd + 1
				out[k] = logAdd(out[k], prev[b]-c.last[b]-(c.post[n]-c.post[e]))
			}
		}
		for b := range n + 1 {
			gap[b] = inf
			if b > 0 && gap[b-1] > inf {
				gap[b] = gap[b-1] - (c.any[b] - c.any[b-1])
			}
			if h := b - m.gapAt; h >= 0 {
				gap[b] = logAdd(gap[b], prev[h]-c.head[h])
			}
		}
		for b := range n + 1 {
			s := inf
			for l := minLen; l <= maxLen && l <= b; l++ {
				s = logAdd(s, prev[b-l]-c.unit[b-l][l-minLen])
			}
			if g := b - tailLen; g >= 0 {
				s = logAdd(s, gap[g]-c.tail[b])
			}
			cur[b] = s
		}
		prev, cur = cur, prev
	}
	return out
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	// Below e^-30 nothing is added that a count could notice.
	if !(b >= a-30) || math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// A first guess of a stack's scatter: tight enough that a row of lines beats
// "anything" also where they are small.
const firstSigma, firstSpread = 0.1, 1.2

// learn fits the model to a profile from a first guess, by reading the side
// and averaging the layers read, until nothing changes (hard EM).
func (m *layerModel) learn(v, in []float64) ([]int, float64) {
	m.sigma, m.spread = firstSigma, firstSpread
	var lines []int
	var cost float64
	for range 8 {
		next, c := m.best(v, in)
		if len(next) < 4 {
			return next, c
		}
		same := len(next) == len(lines)
		for i := range lines {
			same = same && lines[i] == next[i]
		}
		lines, cost = next, c
		if same {
			break
		}
		m.refine(v, lines)
	}
	return lines, cost
}

// refine re-estimates the typical layer, its scatter and the spread of
// heights from a reading.
func (m *layerModel) refine(v []float64, lines []int) {
	var cols [samples][]float64
	var lens []float64
	var rows [][samples]float64
	for i := 0; i+1 < len(lines); i++ {
		n := lines[i+1] - lines[i]
		if n > maxLen {
			continue
		}
		lens = append(lens, float64(n))
		var row [samples]float64
		for j := range samples {
			p := float64(lines[i]) + float64(j)*float64(n)/samples
			k := int(p)
			f := p - float64(k)
			x := v[k]
			if k+1 < len(v) {
				x = x*(1-f) + v[k+1]*f
			}
			row[j] = x
			cols[j] = append(cols[j], x)
		}
		rows = append(rows, row)
	}
	if len(lens) < 3 {
		return
	}
	var t [samples]float64
	for j := range samples {
		t[j] = median(cols[j])
	}
	// Phase 0 is the brightest line; a reading that began elsewhere turns.
	peak := 0
	for j := range samples {
		if t[j]+0.5*(t[(j+1)%samples]+t[(j+samples-1)%samples]) > t[peak]+0.5*(t[(peak+1)%samples]+t[(peak+samples-1)%samples]) {
			peak = j
		}
	}
	var turned [samples]float64
	for j := range samples {
		turned[j] = t[(j+peak)%samples]
	}
	// Scatter after each layer's own gain and offset.
	var res []float64
	for _, row := range rows {
		a, b := fitLine(t[:], row[:])
		for j := range samples {
			res = append(res, math.Abs(row[j]-a*t[j]-b))
		}
	}
	// The eightieth percentile: a fifth of odd layers is not typical scatter.
	m.sigma = min(0.3, max(0.06, quantile(res, 0.8)/1.2816))
	mid := median(lens)
	ss := 0.0
	for _, l := range lens {
		ss += min(9, (l-mid)*(l-mid))
	}
	// A third of a sample is the grid's own error; more than a fifth of a
	// layer is no stack of equal cards.
	m.spread = min(0.2*samples, max(0.9, math.Sqrt(ss/float64(len(lens)))))
	m.set(turned)
}

// fitLine returns a, b of the least-squares y = a x + b.
func fitLine(x, y []float64) (a, b float64) {
	var sx, sy, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	d := n*sxx - sx*sx
	if !(d > 1e-12) {
		return 0, sy / n
	}
	a = (n*sxy - sx*sy) / d
	return a, (sy - a*sx) / n
}

// median of a copy; 0 for nothing.
func median(x []float64) float64 { return quantile(x, 0.5) }

// quantile q (0 to 1) of a copy, between the order statistics; 0 for nothing.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := append([]float64(nil), x...)
	sort.Float64s(s)
	p := q * float64(len(s)-1)
	i := int(p)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (p-float64(i))*(s[i+1]-s[i])
}
