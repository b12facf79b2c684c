package sleeve

import (
	"fmt"
	"math"
	"slices"
)

// A mark that many sleeves share hides twice: each sleeve's own is too weak to
// be listed alone, and the typical sleeve has half of it. But it lies at one
// place. There the sleeves fall into two populations, and the place scatters
// more than its surroundings do. So the filters' responses of all sleeves are
// kept, a byte each, and every place is asked for its variance; where that
// stands out, for the best cut of the sleeves in two (Fisher 1958, "On
// grouping for maximum homogeneity", JASA 53, 789). What counts is the
// distance of the two means in standard deviations within the parts, which one
// population of any shape seldom reaches, and that the difference of the two
// parts is a compact spot: a print that lies a little differently on each
// sleeve differs along its lines.

const (
	// shareUnit is how many steps of the kept bytes make one sigma: 10 sigma
	// are the most.
	shareUnit = 12
	// shareLeast is the least number of sleeves that can share a mark, and
	// that must be left without it.
	shareLeast = 3
	// shareDeck is the least deck of which two parts can be told.
	shareDeck = 10
	// shareVariance and shareContrast bound the places looked at: variance in
	// units of the noise, and over that of the surroundings.
	shareVariance, shareContrast = 1.8, 1.6
	shareAroundMM                = 3.0
	// shareTries places, shareApartMM from each other, are looked at closely,
	// in windows of sharePatchMM around them.
	shareTries   = 24
	shareApartMM = 1.0
	sharePatchMM = 1.0
	// shareMercy is how far below splitLimit a division still counts for the
	// list: the limit is for one population of any shape without a look at
	// where it is, and a compact spot of this variance is more than that. The
	// best of some hundred thousand places of a clean deck stays 1 below.
	shareMercy = 0.7
	// shareRound: a shared spot is rounder than what one sleeve shows, since
	// dozens are averaged.
	shareRound = 0.75
	// What a shared mark counts as among p values.
	sharedSureP, sharedDoubtfulP = 1e-6, 1e-2
)

// shared is a place where some of the sleeves differ from the others.
type shared struct {
	x, y       float64 // view px
	has        []bool  // by plate: of the smaller part
	count      int
	level      int
	separation float64 // distance of the means over the scatter within
	contrast   float64 // variance over that of the surroundings
	fit        spotFit // of the difference of the means
	p          float64
	batch      int
	dark       bool // the smaller part is darker there
}

// keep writes a level's responses in lightness as bytes. (What colour a file
// keeps of small marks comes in blocks.)
func (b *filterBank) keep(l int, r [3][]float32) []int8 {
	sh, op := b.layers[l], b.opponent[l][0]
	u, v, w := shareUnit*op[0], shareUnit*op[1], shareUnit*op[2]
	out := make([]int8, sh.w*sh.h)
	for i, m := range sh.m {
		if m > 0.5 {
			out[i] = int8(max(-127, min(127, u*r[0][i]+v*r[1][i]+w*r[2][i])))
		}
	}
	return out
}

// acceptShared keeps the places that surely divide the sleeves of a batch,
// takes those that have the mark out of the typical sleeve there, and notes
// the mark with each of them.
func (d *deck) acceptShared(b *filterBank, scans []*scan, part []int) {
	for _, q := range d.findShared(b, scans, part) {
		over := q.separation - splitLimit(len(part), q.count, 1)
		if over < -shareMercy || q.fit.line > shareRound || q.fit.sigma < spotWider*b.point || q.contrast < shareContrast {
			continue
		}
		d.dropFromTypical(b, part, &q)
		q.p = sharedDoubtfulP
		if over >= 0 {
			q.p = sharedSureP
		}
		b.shared = append(b.shared, q)
	}
}

// dropFromTypical sets the typical sleeve of the part's batch to what the
// sleeves without the mark have, where the mark is.
func (d *deck) dropFromTypical(b *filterBank, part []int, q *shared) {
	mid := b.mids[d.plates[part[0]].batch]
	r := q.reachPx()
	var col []float64
	for y := max(0, int(q.fit.y-r)); y <= min(d.h-1, int(q.fit.y+r)+1); y++ {
		for x := max(0, int(q.fit.x-r)); x <= min(d.w-1, int(q.fit.x+r)+1); x++ {
			if sq(float64(x)-q.fit.x)+sq(float64(y)-q.fit.y) > r*r {
				continue
			}
			for c := range 3 {
				i := 3*(y*d.w+x) + c
				col = col[:0]
				for _, k := range part {
					if !q.has[k] {
						col = append(col, float64(d.view(k)[i]))
					}
				}
				mid[i] = uint16(math.Round(256 * middleMean(col)))
			}
		}
	}
}

// reachPx is how far from its middle the mark changes anything.
func (q *shared) reachPx() float64 { return 2.5*q.fit.sigma + 1 }

// middleMean is the mean of the middle half: nearly as quiet as the mean and
// as sturdy as it must be. v is reordered.
func middleMean(v []float64) float64 {
	slices.Sort(v)
	lo, hi := len(v)/4, len(v)-len(v)/4
	sum := 0.0
	for _, x := range v[lo:hi] {
		sum += x
	}
	return sum / float64(hi-lo)
}

// sharedCandidates are the shared marks of plate k.
func (d *deck) sharedCandidates(b *filterBank, k int) (out []candidate) {
	for i := range b.shared {
		if q := &b.shared[i]; q.has[k] {
			at := int(clamp(q.fit.y, 0, float64(d.h-1))+0.5)*d.w + int(clamp(q.fit.x, 0, float64(d.w-1))+0.5)
			out = append(out, candidate{i: at, ratio: 1, p: q.p, fine: true})
		}
	}
	return out
}

// besideShared reports whether a peak of plate k at (x, y) px is but the
// shadow, on a sleeve without it, of a mark that others share.
func (b *filterBank) besideShared(batch, k int, x, y float64) bool {
	for i := range b.shared {
		q := &b.shared[i]
		if q.batch == batch && !q.has[k] && math.Hypot(x-q.fit.x, y-q.fit.y) < q.reachPx()+2 {
			return true
		}
	}
	return false
}

// warnShared tells of marks that divide the deck.
func (d *deck) warnShared(b *filterBank, res *Result) {
	for i := range b.shared {
		q := &b.shared[i]
		if q.p > sharedSureP {
			continue
		}
		var with []int
		total := 0
		for k, p := range d.plates {
			if p.batch != q.batch {
				continue
			}
			total++
			if q.has[k] {
				with = append(with, p.input+1)
			}
		}
		at := d.placeMM(q.fit.x, q.fit.y)
		res.Warnings = append(res.Warnings, Warning{Code: "shared-mark", Text: fmt.Sprintf(
			"%d sleeves (%s) share a mark at %.0f, %.0f mm from the upper left corner that the other %d have not: the deck falls into two groups there. Look at these sleeves first.",
			len(with), listOf(with), at.X, at.Y, total-len(with))})
	}
}

// findShared looks for places where the sleeves of one batch fall in two.
func (d *deck) findShared(b *filterBank, scans []*scan, part []int) []shared {
	if len(part) < shareDeck {
		return nil
	}
	var found []shared
	for l := range b.spotLevels() {
		sh, ts := b.layers[l], b.tile[l]
		n := sh.w * sh.h
		scale := make([][]float32, len(part)) // by sleeve and tile: to sigmas
		for j, k := range part {
			f := b.factors(scans[k], k, len(b.layers)+l)
			scale[j] = make([]float32, len(f))
			for t, v := range f {
				scale[j][t] = float32(1 / (shareUnit * math.Sqrt(math.Max(v, 0.5))))
			}
		}
		variance := make([]float32, n)
		_ = d.parallel(sh.h, func(y int) error {
			sum, sq := make([]float32, sh.w), make([]float32, sh.w)
			for j, k := range part {
				row := scans[k].kept[l][y*sh.w : (y+1)*sh.w]
				for x, v := range row {
					q := float32(v) * scale[j][ts.index(x, y)]
					sum[x] += q
					sq[x] += q * q
				}
			}
			m := float32(len(part))
			for x := range sum {
				variance[y*sh.w+x] = (sq[x] - sum[x]*sum[x]/m) / (m - 1)
			}
			return nil
		})
		found = append(found, d.cutPlaces(b, scans, part, l, variance, scale)...)
	}
	slices.SortStableFunc(found, func(a, c shared) int {
		switch x, y := a.separation*math.Sqrt(a.contrast), c.separation*math.Sqrt(c.contrast); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	// Neighbouring places and levels see the same mark.
	var out []shared
	for i := range found {
		q := &found[i]
		if slices.ContainsFunc(out, func(o shared) bool { return math.Hypot(o.x-q.x, o.y-q.y) < shareApartMM*d.px }) {
			continue
		}
		if out = append(out, *q); len(out) == shareTries {
			break
		}
	}
	_ = d.parallel(len(out), func(i int) error {
		d.refine(b, part, &out[i])
		return nil
	})
	slices.SortStableFunc(out, func(a, c shared) int {
		switch {
		case a.separation > c.separation:
			return -1
		case a.separation < c.separation:
			return 1
		}
		return 0
	})
	return out
}

// refine divides the sleeves by the whole of the mark instead of one filter's
// response: each sleeve's patch is projected on the difference of the mean
// patches of the two parts, made without that sleeve, so that a division which
// rests on the noise of the place where it was found falls back.
func (d *deck) refine(b *filterBank, part []int, q *shared) {
	r := int(math.Ceil(sharePatchMM * d.px))
	cx, cy := int(q.x+0.5), int(q.y+0.5)
	x0, x1, y0, y1 := max(0, cx-r), min(d.w-1, cx+r), max(0, cy-r), min(d.h-1, cy+r)
	w, h := x1-x0+1, y1-y0+1
	m := w * h
	op := &b.opponent[0]
	patch := make([][]float64, len(part)) // three opponent planes
	for j, k := range part {
		patch[j] = make([]float64, 3*m)
		pix, mid, reasons := d.view(k), b.mids[d.plates[k].batch], d.reason(k)
		for i := range m {
			at := (y0+i/w)*d.w + x0 + i%w
			if b.mask[at] == 0 || reasons[at] != 0 {
				continue
			}
			var v [3]float64
			for c := range v {
				v[c] = (float64(pix[3*at+c]) - float64(mid[3*at+c])/256) * float64(b.inv[c][at])
			}
			for c := range 3 {
				patch[j][c*m+i] = float64(op[c][0])*v[0] + float64(op[c][1])*v[1] + float64(op[c][2])*v[2]
			}
		}
		// Slow light differs between sleeves without being a mark.
		for c := range 3 {
			p := patch[j][c*m : (c+1)*m]
			mean := 0.0
			for _, v := range p {
				mean += v / float64(m)
			}
			for i := range p {
				p[i] = clamp(p[i]-mean, -8, 8)
			}
		}
	}
	second := make([]bool, len(part))
	for j, k := range part {
		second[j] = q.has[k]
	}
	score := make([]float64, len(part))
	for range 3 {
		var sum [2][]float64
		var n [2]float64
		for g := range sum {
			sum[g] = make([]float64, 3*m)
		}
		for j := range part {
			g := one(second[j])
			n[g]++
			for i, v := range patch[j] {
				sum[g][i] += v
			}
		}
		if n[0] < 2 || n[1] < 2 {
			q.separation = 0
			return
		}
		for j := range part {
			g := one(second[j])
			dot, norm := 0.0, 0.0
			for i, v := range patch[j] {
				own := (sum[g][i] - v) / (n[g] - 1)
				other := sum[1-g][i] / n[1-g]
				t := own - other
				if g == 0 {
					t = -t
				}
				// What the means' own noise allows is left out.
				t = shrink(t, 2*math.Sqrt(1/n[0]+1/n[1]))
				dot += t * v
				norm += t * t
			}
			score[j] = dot / math.Sqrt(math.Max(norm, 1e-9))
		}
		cut := cutLine(score, 0)
		if cut.count < shareLeast || len(part)-cut.count < shareLeast {
			q.separation, q.count = 0, 0
			return
		}
		second, q.separation, q.count = cut.second, cut.separation, cut.count
	}
	q.has = make([]bool, len(d.plates))
	var mean [2][]float64
	for g := range mean {
		mean[g] = make([]float64, m)
	}
	for j, k := range part {
		q.has[k] = second[j]
		g := one(second[j])
		n := float64(q.count)
		if g == 0 {
			n = float64(len(part) - q.count)
		}
		for i := range m {
			mean[g][i] += patch[j][i] / n
		}
	}
	// The shape of the difference, in lightness.
	win := newSpotGrid(q.x, q.y, float64(r), x0, y0, w, h)
	sign := 0.0
	for i := range m {
		if sq(float64(i%w)+float64(x0)-q.x)+sq(float64(i/w)+float64(y0)-q.y) < 4 {
			sign += mean[1][i] - mean[0][i]
		}
	}
	sign = math.Copysign(1, sign)
	for i := range m {
		win.p[i] = sign * (mean[1][i] - mean[0][i])
	}
	win.fillRuns()
	q.dark = sign < 0
	q.fit = win.fit(1.2)
}

// shrink moves a value towards zero by t.
func shrink(v, t float64) float64 {
	if math.Abs(v) <= t {
		return 0
	}
	return v - math.Copysign(t, v)
}

// cutPlaces cuts the sleeves in two at the places whose variance stands out.
func (d *deck) cutPlaces(b *filterBank, scans []*scan, part []int, l int, variance []float32, scale [][]float32) []shared {
	sh, ts := b.layers[l], b.tile[l]
	// The surroundings' variance, of which single places cannot make much.
	limited := make([]float32, len(variance))
	for i, v := range variance {
		if sh.m[i] > 0.5 {
			limited[i] = min(v, 4)
		}
	}
	reach := max(2, int(math.Round(shareAroundMM*sh.px)))
	around, share := boxBlur(nil, limited, sh.w, sh.h, reach), boxBlur(nil, sh.m, sh.w, sh.h, reach)
	var out []shared
	v, z := make([]float64, len(part)), make([]float64, len(part))
	for y := range sh.h {
		for x := range sh.w {
			i := y*sh.w + x
			if sh.m[i] <= 0.5 || variance[i] < shareVariance || share[i] <= 0 {
				continue
			}
			contrast := float64(variance[i] / (around[i] / share[i]))
			if contrast < shareContrast || !localMaximum(variance, sh.w, sh.h, x, y) {
				continue
			}
			t := ts.index(x, y)
			for j, k := range part {
				v[j] = float64(float32(scans[k].kept[l][i]) * scale[j][t])
			}
			copy(z, v)
			cut := cutLine(z, 1)
			if cut.count < shareLeast || len(part)-cut.count < shareLeast {
				continue
			}
			q := shared{batch: d.plates[part[0]].batch, x: float64(x) * sh.step, y: float64(y) * sh.step, count: cut.count, level: l, separation: cut.separation, contrast: contrast}
			q.has = make([]bool, len(d.plates))
			for j, k := range part {
				q.has[k] = cut.second[j]
			}
			out = append(out, q)
		}
	}
	return out
}
