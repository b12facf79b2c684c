package edge

import (
	"math"
	"sort"
)

// reading is one reading of a straightened profile.
type reading struct {
	model  *layerModel
	path   path
	lines  []float64 // rows of the layers' bright lines, top first
	gain   float64   // log evidence against "no layers at all"
	signal           // the profile at samples per layer
	scale  float64   // samples per row
}

// candidates proposes layer heights in rows from the profile's
// autocorrelation: its peaks, and their halves and doubles, since the
// strongest line spacing may be that of film edges or of pairs.
func candidates(p []float64, top, bottom int) []float64 {
	d := make([]float64, 0, bottom-top)
	for y := max(1, top); y < min(bottom, len(p)-1); y++ {
		d = append(d, p[y+1]-p[y-1])
	}
	n := len(d)
	limit := n / 4
	if limit < 6 {
		return nil
	}
	ac := make([]float64, limit+2)
	for lag := range ac {
		s := 0.0
		for i := 0; i+lag < n; i++ {
			s += d[i] * d[i+lag]
		}
		ac[lag] = s / float64(n-lag)
	}
	if !(ac[0] > 0) {
		return nil
	}
	type peak struct{ lag, height float64 }
	var peaks []peak
	for lag := 2; lag <= limit; lag++ {
		if ac[lag] > ac[lag-1] && ac[lag] >= ac[lag+1] && ac[lag] > 0.1*ac[0] {
			a, b, c := ac[lag-1], ac[lag], ac[lag+1]
			off := 0.0
			if q := a - 2*b + c; q < 0 {
				off = 0.5 * (a - c) / q
			}
			peaks = append(peaks, peak{float64(lag) + off, b / ac[0]})
		}
	}
	sort.Slice(peaks, func(i, j int) bool { return peaks[i].height > peaks[j].height })
	var out []float64
	add := func(x float64) {
		if x < 2.5 || x > float64(limit) {
			return
		}
		for _, o := range out {
			if math.Abs(x-o) < 0.04*o {
				return
			}
		}
		out = append(out, x)
	}
	for i, q := range peaks {
		if i == 3 {
			break
		}
		add(q.lag)
		add(q.lag / 2)
		add(2 * q.lag)
		add(q.lag / 3)
	}
	return out
}

// read learns a model of pitch rows per layer and reads the profile with it.
func read(p, in []float64, top, bottom int, pitch float64) *reading {
	r := &reading{scale: samples / pitch}
	n := int(float64(len(p)-1) * r.scale)
	if n < 6*samples {
		return nil
	}
	raw := make([]float64, n)
	for i := range raw {
		raw[i] = sampleRow(p, float64(i)/r.scale, 0.5/r.scale)
	}
	if in != nil {
		r.in = make([]float64, n)
		for i := range r.in {
			r.in[i] = sampleRow(in, float64(i)/r.scale, 0.5/r.scale)
		}
	}
	a, b := int(float64(top)*r.scale), min(n, int(float64(bottom)*r.scale))
	r.v, r.black = normalise(raw, a, b)
	// Three places to begin from; the best reading stays.
	for _, at := range []float64{0.5, 0.25, 0.75} {
		m := &layerModel{pitch: pitch}
		c := a + int(at*float64(b-a))
		var t [samples]float64
		var cnt float64
		for k := -2; k <= 2; k++ {
			if lo := c + k*samples; lo >= 0 && lo+samples <= n {
				for j := range samples {
					t[j] += r.v[lo+j]
				}
				cnt++
			}
		}
		if cnt == 0 {
			continue
		}
		peak := 0
		for j := range t {
			t[j] /= cnt
			if t[j] > t[peak] {
				peak = j
			}
		}
		var turn [samples]float64
		for j := range turn {
			turn[j] = t[(j+peak)%samples]
		}
		m.sigma, m.spread = firstSigma, firstSpread
		m.set(turn)
		p, cost := m.learn(r.signal)
		if len(p.lines) < 4 {
			continue
		}
		null := 0.0
		for _, x := range m.anythingCost(r.v, usual) {
			null += x
		}
		// Half of the typical layer's samples are free numbers; each costs
		// half the log of the number of layers (Schwarz 1978).
		gain := null - cost - samples/4*math.Log(float64(len(p.lines)))
		// Places are counted per row, not per sample, so that models of
		// different height compare: each line's place is a density.
		gain += float64(len(p.lines)) * math.Log(r.scale)
		if r.model == nil || gain > r.gain {
			r.model, r.gain = m, gain
			r.take(p)
		}
	}
	if r.model == nil {
		return nil
	}
	return r
}

// take sets the reading's path and the rows of its layers' lines: on an open
// side a layer's line is the one that ends it, its own front film's.
func (r *reading) take(p path) {
	r.path, r.lines = p, nil
	for i, l := range p.lines {
		if !p.open || i > 0 && p.layer[i-1] {
			r.lines = append(r.lines, float64(l)/r.scale)
		}
	}
}

// opened is the reading of the same profile as an open side, nil where it
// cannot be read as one.
func (r *reading) opened() *reading {
	o, m := *r, *r.model
	m.open = true
	p, cost := m.learn(r.signal)
	if p.count() < 4 {
		return nil
	}
	o.model = &m
	o.gain = -cost
	o.take(p)
	return &o
}

// sampleRow is the mean of p over y-h .. y+h, at least linear interpolation.
func sampleRow(p []float64, y, h float64) float64 {
	if h <= 0.5 {
		i := min(len(p)-2, max(0, int(y)))
		f := y - float64(i)
		return p[i]*(1-f) + p[i+1]*f
	}
	var s, w float64
	for i := max(0, int(math.Floor(y-h))); i <= min(len(p)-1, int(math.Ceil(y+h))); i++ {
		g := max(0, min(float64(i)+0.5, y+h)-max(float64(i)-0.5, y-h))
		s, w = s+g*p[i], w+g
	}
	if w == 0 {
		return p[min(len(p)-1, max(0, int(y)))]
	}
	return s / w
}

// normalise brings the dark between layers to 0 and their lines to 1: the
// median over seven layers around of the darkest and the brightest of each,
// taken inside [a, b). A gap or an odd layer among them does not move a
// median. black is what no light would be on the same scale.
func normalise(raw []float64, a, b int) (v, black []float64) {
	n := len(raw)
	const around = 3
	a, b = max(0, a), min(n, b)
	all := raw
	if b > a {
		all = raw[a:b]
	}
	whole := quantile(all, 0.9) - quantile(all, 0.1)
	cells := max(1, len(all)/samples)
	low, high := make([]float64, cells), make([]float64, cells)
	for c := range cells {
		cell := all[c*len(all)/cells : (c+1)*len(all)/cells]
		low[c], high[c] = quantile(cell, 0.04), quantile(cell, 0.96)
	}
	low, high = runningMedian(low, around), runningMedian(high, around)
	// Every layer height a pair of levels, straight between.
	lo, hi := make([]float64, 0, n/samples+2), make([]float64, 0, n/samples+2)
	for c := 0; c <= n+samples; c += samples {
		k := min(cells-1, max(0, (c-a)*cells/max(1, len(all))))
		l, h := low[k], high[k]
		// A stretch of plain colour has no lines to measure.
		if h-l < 0.15*whole {
			h = l + 0.15*whole
		}
		lo, hi = append(lo, l), append(hi, h)
	}
	v, black = make([]float64, n), make([]float64, n)
	none := quantile(all, 0.002)
	for i := range raw {
		k, f := i/samples, float64(i%samples)/samples
		l, h := lo[k]*(1-f)+lo[k+1]*f, hi[k]*(1-f)+hi[k+1]*f
		level := func(x float64) float64 { return min(2.5, max(-1.5, (x-l)/max(1e-6, h-l))) }
		v[i], black[i] = level(raw[i]), level(none)
	}
	return v, black
}

// score orders readings of different height: how much of the side the model
// covers and explains. At a multiple of the true height the layers' own
// unevenness spoils the fit; at a fraction of it the lines differ, which
// [reading.period] finds.
func (r *reading) score(top, bottom int) float64 {
	covered := 0.0
	r.path.whole(func(from, to int) { covered += float64(to-from) / r.scale })
	return r.regularity() * min(1, covered/float64(bottom-top))
}

// period returns after how many lines the side repeats: 1, or 2 or 3 where
// the lines are unlike in turn, as the edges of two sleeves or of film and
// card are. Lines are compared by their distance, strength and level: a turn
// must explain at least half of the scatter of one of these, and do so beyond
// chance.
func (r *reading) period() int {
	type line [3]float64
	var rows []line
	var at []int
	number := map[int]int{}
	for i, l := range r.path.lines {
		number[l] = i
	}
	r.path.whole(func(from, to int) {
		a, off := fitLine(r.model.scaled[to-from], r.v[from:to])
		rows = append(rows, line{float64(to - from), a, off})
		at = append(at, number[from])
	})
	best, bestShare := 1, 0.5
	for _, m := range []int{2, 3} {
		if len(rows) < 8*m {
			break
		}
		for f := range 3 {
			x := make([]float64, len(rows))
			for i, l := range rows {
				x[i] = l[f]
			}
			// Odd layers must not decide: limit to the middle 90 %.
			lo, hi := quantile(x, 0.05), quantile(x, 0.95)
			var sum, sq [3]float64
			var cnt [3]float64
			var total, all float64
			for i := range x {
				v := min(hi, max(lo, x[i]))
				k := at[i] % m
				sum[k], sq[k], cnt[k] = sum[k]+v, sq[k]+v*v, cnt[k]+1
				total += v
				all += v * v
			}
			n := float64(len(x))
			all -= total * total / n
			within := 0.0
			for k := range m {
				if cnt[k] > 0 {
					within += sq[k] - sum[k]*sum[k]/cnt[k]
				}
			}
			if all > 0 {
				if share := 1 - within/all; share > bestShare {
					best, bestShare = m, share
				}
			}
		}
	}
	return best
}

// regularity is the share of the variance inside the layers that the typical
// layer explains, 0 to 1.
func (r *reading) regularity() float64 {
	m := r.model
	var res, tot float64
	r.path.whole(func(from, to int) {
		v, t, n := r.v[from:to], m.scaled[to-from], to-from
		mean := 0.0
		for _, x := range v {
			mean += x / float64(n)
		}
		a, off := fitLine(t, v)
		a = max(0, a)
		for j := range v {
			res += (v[j] - a*t[j] - off) * (v[j] - a*t[j] - off)
			tot += (v[j] - mean) * (v[j] - mean)
		}
	})
	if !(tot > 0) {
		return 0
	}
	return max(0, 1-res/tot)
}

// interval returns the shortest range of counts around the likeliest whose
// posterior reaches conf, the likeliest count and the range's probability.
func interval(logp []float64, conf float64) (low, high, best int, prob float64) {
	top := math.Inf(-1)
	for n, l := range logp {
		if l > top {
			top, best = l, n
		}
	}
	total := 0.0
	p := make([]float64, len(logp))
	for n, l := range logp {
		p[n] = math.Exp(l - top)
		total += p[n]
	}
	low, high, prob = best, best, p[best]/total
	for prob < conf && (low > 0 || high+1 < len(p)) {
		left, right := -1.0, -1.0
		if low > 0 {
			left = p[low-1]
		}
		if high+1 < len(p) {
			right = p[high+1]
		}
		if left >= right {
			low--
			prob += left / total
		} else {
			high++
			prob += right / total
		}
	}
	return low, high, best, prob
}
