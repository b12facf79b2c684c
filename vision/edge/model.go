package edge

import (
	"math"
	"slices"
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
//	  └ head ┘└ room for a gap ┘└tail┘     closed edges: the gap lies in the dark
//	  ▓▓▒                         ░▒▓      open edges: the gap parts the line
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
	riseAt  int // the sample from which the next line stands above half

	// open is true for a side where the sleeves are open: a layer then goes
	// from the middle of one line, where the films of two sleeves meet, to the
	// middle of the next, and a gap parts a line in two. On a closed side the
	// gap lies in the dark between two lines.
	open   bool
	weight float64
	jump   [2]float64
}

const (
	minLen = 8  // samples: a layer of 0.57 of the typical height
	maxLen = 22 // 1.57; more is a layer with a gap

	gainSD       = 0.3 // layers' lines differ in brightness by a third (other sleeves, shade)
	offsetSD     = 0.2
	faint        = 0.4 // of the typical line: the weakest that a shaded layer may show
	filmAlone    = 0.2 // the lowest front film on the table, against two films together
	lastFall     = 0.6 // the same for the lowest line's fall: the table's light rises slowly and does not fall
	gapDrag      = 0.3 // -log chance per sample that a gap goes on: a quarter of a layer at the mean
	gapPrior     = 3.5 // -log chance of a gap after a layer: one layer in 33
	openPrior    = 16  // the same on an open side whose inside is as black as a gap
	openGapPrior = 9   // and where a gap is blacker; there it has no rival, a layer is never black
	openGap      = 2   // samples: the least gap that parts the films of two sleeves for the eye
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
	m.riseAt = m.gapAt
	for i := samples - 1; i >= m.gapAt; i-- {
		if t[i] < half {
			m.riseAt = i
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

// lengthCost is minus the log prior of a layer n samples high: a Gaussian,
// and for one layer in thirty any height, since a sheet that sticks out has
// its line nearer to the next.
func (m *layerModel) lengthCost(n int) float64 {
	d := (float64(n) - samples) / m.spread
	if m.open {
		// There the card between the films would pass for a line of its own.
		return d*d/2 + math.Log(m.spread) + 0.92
	}
	const odd = 1.0 / 30
	return -math.Log((1-odd)*math.Exp(-d*d/2)/(m.spread*2.507) + odd/(maxLen-minLen+1))
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

// signal is a straightened profile to read, at samples per layer.
type signal struct {
	v     []float64 // light, normalised: 0 the dark between lines, 1 the lines
	in    []float64 // how surely a sample's row ends where the deck ends, nil where unknown
	black []float64 // what no light at all would be, on the scale of v
}

// costs are the model's costs at every place of a profile.
type costs struct {
	n    int
	unit [][]float64 // [b][len-minLen], infinite past the end
	head []float64   // the line and its fall from b, gapAt samples
	tail []float64   // closed: the rise that ends at b, samples-gapAt
	part [][]float64 // open: [b][len-minLen], a layer whose line lies s0 samples above b and is not seen
	last []float64   // the last line's lower half from b, headEnd+1 samples
	// open: [b][len-minLen], the lowest layer from line b, whose own front film
	// lies alone on the table and may be dimmer than two films together.
	lowest [][]float64
	any    []float64 // running sum of anythingCost in a gap
	pre    []float64 // the same above the stack
	first  []float64 // the first line, which is no dark place
	post   []float64 // and below
}

// usual and strict are how often anything jumps: background may, the face of
// the uppermost sleeve, a gap and the rows of the deck do not.
const usual, strict = 0.05, 0.0005

func (m *layerModel) costsOf(sig signal) *costs {
	v, in := sig.v, sig.in
	c := &costs{n: len(v)}
	c.pre, c.post = make([]float64, len(v)+1), make([]float64, len(v)+1)
	// Rows below the last line that end with the deck: a closed side's shadow
	// on the table, an open side's lowest film perhaps.
	below := 0.4
	if m.open {
		below = 1.5
	}
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
			b += below * m.weight * min(1, max(0, in[i]-0.35))
		}
		c.pre[i+1], c.post[i+1] = c.pre[i]+a, c.post[i]+b
	}
	c.first = make([]float64, len(v)+1)
	for b, x := range v {
		if !m.open {
			c.first[b] = 20 * max(0, 0.7-x)
		}
	}
	c.unit = make([][]float64, len(v))
	c.head, c.tail, c.last = make([]float64, len(v)+1), make([]float64, len(v)+1), make([]float64, len(v)+1)
	flat := make([]float64, len(v)*(maxLen-minLen+1))
	for b := range len(v) {
		c.unit[b] = flat[b*(maxLen-minLen+1) : (b+1)*(maxLen-minLen+1)]
		for n := minLen; n <= maxLen; n++ {
			c.unit[b][n-minLen] = math.Inf(1)
			if b+n <= len(v) {
				c.unit[b][n-minLen] = m.unitCost(v[b:b+n], m.scaled[n], faint) + m.lengthCost(n)
				if m.open {
					c.unit[b][n-minLen] += 20 * max(0, gapDepth(v[b+2:b+n-2], sig.black[b+2:b+n-2])-0.5)
				}
			}
		}
	}
	inf := math.Inf(1)
	head, tail := m.gapEnds()
	inner, prior := 0, gapPrior
	if m.open {
		inner, prior = openGap, openPrior
	}
	for b := range len(v) + 1 {
		c.head[b], c.tail[b], c.last[b] = inf, inf, inf
		if b+head <= len(v) {
			c.head[b] = m.unitCost(v[b:b+head-inner], m.typical[:head-inner], faint) + prior
			// What parts two films is black; the inside of one more layer
			// must not pass for it. Where that is black too, only a gap without
			// any other reading is one.
			if m.open {
				dim, depth := 0.0, 0.0
				for k, x := range v[b+head-inner : b+head] {
					black := sig.black[b+head-inner+k]
					depth += min(0, x) / min(black, -0.05) / openGap
					dim -= black / openGap
				}
				// Half of the way from the inside of a sleeve to black.
				c.head[b] += 20 * max(0, 0.5-depth)
				c.head[b] -= (openPrior - openGapPrior) * min(1, max(0, dim-0.1)/0.3)
			}
		}
		if b-tail >= 0 && !m.open {
			c.tail[b] = m.unitCost(v[b-tail:b], m.typical[samples-tail:], faint)
		}
		if e := m.headEnd + 1; b+e <= len(v) {
			// A line that does not fall is the table's first light.
			c.last[b] = m.unitCost(v[b:b+e], m.typical[:e], lastFall)
		}
	}
	if m.open {
		c.part = make([][]float64, len(v)+1)
		flat := make([]float64, (len(v)+1)*(maxLen-minLen+1))
		for b := range c.part {
			c.part[b] = flat[b*(maxLen-minLen+1) : (b+1)*(maxLen-minLen+1)]
			for n := minLen; n <= maxLen; n++ {
				c.part[b][n-minLen] = inf
				if s0 := m.hidden(n); b+n <= len(v) {
					c.part[b][n-minLen] = m.unitCost(v[b+s0:b+n], m.scaled[n][s0:], faint) + m.lengthCost(n)
				}
			}
		}
		c.lowest = m.lowestCosts(v)
	}
	c.any = make([]float64, len(v)+1)
	for i, a := range firm {
		c.any[i+1] = c.any[i] + a + gapDrag
		if i > 0 && !m.open {
			// Light may grow down a gap, where the face of the next sheet is
			// seen; what grows and falls again is a line, however faint.
			c.any[i+1] += 30 * m.weight * max(0, v[i-1]-v[i]-0.05)
		}
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
			out := 15 * max(0, 1-at/0.35)
			for i := range c.unit[b] {
				c.unit[b][i] += out
				if j := b - minLen - i; m.open && j >= 0 {
					c.lowest[j][i] += out
				}
			}
			c.head[b] += out
			c.last[b] += out
		}
	}
	return c
}

// lowestCosts fills [costs.lowest]: the layer down to where its lower line
// rises, and that line's rise and fall on its own.
func (m *layerModel) lowestCosts(v []float64) [][]float64 {
	out := make([][]float64, len(v))
	flat := make([]float64, len(v)*(maxLen-minLen+1))
	rise, fall := samples-m.riseAt, m.headEnd+1
	line := append(append([]float64(nil), m.typical[m.riseAt:]...), m.typical[:fall]...)
	alone := make([]float64, len(v))
	for b := range alone {
		alone[b] = math.Inf(1)
		if b-rise >= 0 && b+fall <= len(v) {
			alone[b] = m.unitCost(v[b-rise:b+fall], line, filmAlone)
		}
	}
	for b := range out {
		out[b] = flat[b*(maxLen-minLen+1) : (b+1)*(maxLen-minLen+1)]
		for n := minLen; n <= maxLen; n++ {
			out[b][n-minLen] = math.Inf(1)
			if body := n * m.riseAt / samples; b+n < len(v) {
				out[b][n-minLen] = m.unitCost(v[b:b+body], m.scaled[n][:body], faint) + alone[b+n] + m.lengthCost(n)
			}
		}
	}
	return out
}

// gapEnds returns how many samples of the typical layer stand above a gap,
// from the line on, and below it, up to the next. On an open side what stands
// below is a whole layer but for its upper film, see [layerModel.hidden].
func (m *layerModel) gapEnds() (head, tail int) {
	if m.open {
		return m.headEnd + 1 + openGap, 0
	}
	return m.gapAt, samples - m.gapAt
}

// gapDepth is how far the darkest place goes from the inside of an open sleeve,
// 0, to black, 1; 0 where that inside is black too.
func gapDepth(v, black []float64) float64 {
	depth := 0.0
	for i := 0; i+1 < len(v); i++ {
		if dim := -black[i]; dim > 0.1 {
			d := -(v[i] + v[i+1]) / 2 / dim
			depth = max(depth, d*min(1, (dim-0.1)/0.3))
		}
	}
	return depth
}

// hidden is how many samples of a layer of n samples its upper film takes: on
// an open side that film alone, below a gap or at the edge of the uppermost
// face, may have any brightness.
func (m *layerModel) hidden(n int) int { return (m.headEnd + 1) * n / samples }

// path is one reading: the samples of the lines, top first, and whether a
// layer lies between a line and the next (on an open side it may be a gap).
type path struct {
	lines []int
	layer []bool // one fewer than lines
	open  bool
}

// count is the number of layers of a path.
func (p path) count() int {
	if !p.open {
		return len(p.lines)
	}
	n := 0
	for _, l := range p.layer {
		if l {
			n++
		}
	}
	return n
}

// whole calls f for every layer that was read from line to line, without a gap.
func (p path) whole(f func(from, to int)) {
	for i, l := range p.layer {
		if n := p.lines[i+1] - p.lines[i]; l && n >= minLen && n <= maxLen {
			f(p.lines[i], p.lines[i+1])
		}
	}
}

// best returns the likeliest reading and its cost; no lines where no layer is
// likelier than one.
func (m *layerModel) best(s signal) (path, float64) {
	c := m.costsOf(s)
	n := len(s.v)
	inf := math.Inf(1)
	line := make([]float64, n+1) // cost of everything before a line at b
	gap := make([]float64, n+1)  // inside a gap that ends at b
	from := make([]int, n+1)     // line before, -1 for the first
	parted := make([]int, n+1)   // open: the height of the layer that ends here, its upper film unseen; 0 else
	gapFrom := make([]int, n+1)
	head, tail := m.gapEnds()
	for b := range n + 1 {
		line[b], from[b] = c.pre[b]+c.first[b], -1
		gap[b] = inf
		if b > 0 && gap[b-1] < inf {
			gap[b], gapFrom[b] = gap[b-1]+c.any[b]-c.any[b-1], gapFrom[b-1]
		}
		if h := b - head; h >= 0 {
			if x := line[h] + c.head[h]; x < gap[b] {
				gap[b], gapFrom[b] = x, h
			}
		}
		for l := minLen; l <= maxLen && l <= b; l++ {
			if x := line[b-l] + c.unit[b-l][l-minLen]; x < line[b] {
				line[b], from[b], parted[b] = x, b-l, 0
			}
		}
		if !m.open {
			if g := b - tail; g >= 0 && gap[g] < inf {
				if x := gap[g] + c.tail[b]; x < line[b] {
					line[b], from[b] = x, gapFrom[g]
				}
			}
			continue
		}
		for l := minLen; l <= maxLen; l++ {
			g := b - l
			if g < 0 {
				break
			}
			if x := gap[g] + c.part[g][l-minLen]; x < line[b] {
				line[b], from[b], parted[b] = x, gapFrom[g], l
			}
			if x := c.pre[g] + c.part[g][l-minLen]; x < line[b] {
				line[b], from[b], parted[b] = x, -1, l
			}
		}
	}
	end, lowest, cost := -1, 0, c.pre[n]
	for b := range n {
		if c.last[b] == inf {
			continue
		}
		e := b + m.headEnd + 1
		if x := line[b] + c.last[b] + c.post[n] - c.post[e]; x < cost {
			end, cost, lowest = b, x, 0
		}
		for l := minLen; l <= maxLen && m.open && b+l+m.headEnd+1 <= n; l++ {
			if x := line[b] + c.lowest[b][l-minLen] + c.post[n] - c.post[b+l+m.headEnd+1]; x < cost {
				end, cost, lowest = b, x, l
			}
		}
	}
	p := path{open: m.open}
	if lowest > 0 {
		p.lines, p.layer = append(p.lines, end+lowest), append(p.layer, true)
	}
	for b := end; b >= 0; b = from[b] {
		p.lines = append(p.lines, b)
		if parted[b] > 0 {
			p.lines = append(p.lines, max(0, from[b]+1, b-parted[b]))
			p.layer = append(p.layer, true)
		}
		if from[b] >= 0 {
			p.layer = append(p.layer, parted[b] == 0)
		}
	}
	slices.Reverse(p.lines)
	slices.Reverse(p.layer)
	return p, cost
}

// posterior returns the log evidence of every number of layers, 0 up to limit,
// by the forward algorithm.
func (m *layerModel) posterior(sig signal, limit int) []float64 {
	c := m.costsOf(sig)
	n := len(sig.v)
	inf := math.Inf(-1)
	out := make([]float64, limit+1)
	for i := range out {
		out[i] = inf
	}
	out[0] = -c.pre[n]
	head, tail := m.gapEnds()
	prev := make([]float64, n+1)
	cur := make([]float64, n+1)
	gap := make([]float64, n+1)
	for b := range n + 1 {
		prev[b] = -c.pre[b] - c.first[b]
	}
	// through fills gap with what lies inside a gap that ends at b, given the
	// lines above it.
	through := func(lines []float64, b int) {
		gap[b] = inf
		if b > 0 && gap[b-1] > inf {
			gap[b] = gap[b-1] - (c.any[b] - c.any[b-1])
		}
		if h := b - head; h >= 0 {
			gap[b] = logAdd(gap[b], lines[h]-c.head[h])
		}
	}
	// finish adds the readings that end with these lines as k layers.
	finish := func(lines []float64, k int) {
		for b := range n {
			if c.last[b] < math.Inf(1) {
				e := b + m.headEnd + 1
				out[k] = logAdd(out[k], lines[b]-c.last[b]-(c.post[n]-c.post[e]))
			}
			for l := minLen; l <= maxLen && m.open && k < limit && b+l+m.headEnd+1 <= n; l++ {
				out[k+1] = logAdd(out[k+1], lines[b]-c.lowest[b][l-minLen]-(c.post[n]-c.post[b+l+m.headEnd+1]))
			}
		}
	}
	for k := 1; k <= limit; k++ {
		// prev: log evidence of everything above a line at b; on a closed side
		// that line is the k-th layer's own.
		if !m.open {
			finish(prev, k)
		}
		for b := range n + 1 {
			through(prev, b)
		}
		for b := range n + 1 {
			s := inf
			for l := minLen; l <= maxLen && l <= b; l++ {
				s = logAdd(s, prev[b-l]-c.unit[b-l][l-minLen])
			}
			if !m.open {
				if g := b - tail; g >= 0 {
					s = logAdd(s, gap[g]-c.tail[b])
				}
			}
			for l := minLen; l <= maxLen && m.open; l++ {
				if g := b - l; g >= 0 {
					s = logAdd(s, gap[g]-c.part[g][l-minLen])
					if k == 1 {
						s = logAdd(s, -c.pre[g]-c.part[g][l-minLen])
					}
				}
			}
			cur[b] = s
		}
		if m.open {
			finish(cur, k)
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
func (m *layerModel) learn(s signal) (path, float64) {
	var p path
	var cost float64
	for range 8 {
		next, c := m.best(s)
		if len(next.lines) < 4 {
			return next, c
		}
		same := slices.Equal(next.lines, p.lines)
		p, cost = next, c
		if same {
			break
		}
		m.refine(s.v, p)
	}
	return p, cost
}

// refine re-estimates the typical layer, its scatter and the spread of
// heights from a reading.
func (m *layerModel) refine(v []float64, p path) {
	var cols [samples][]float64
	var lens []float64
	var rows [][samples]float64
	p.whole(func(from, to int) {
		n := to - from
		lens = append(lens, float64(n))
		var row [samples]float64
		for j := range samples {
			at := float64(from) + float64(j)*float64(n)/samples
			k := int(at)
			f := at - float64(k)
			x := v[k]
			if k+1 < len(v) {
				x = x*(1-f) + v[k+1]*f
			}
			row[j] = x
			cols[j] = append(cols[j], x)
		}
		rows = append(rows, row)
	})
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
