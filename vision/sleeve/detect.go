package sleeve

import (
	"math"
	"slices"

	"fairdeck/internal/cv"
)

// peak is a local maximum of a filter's squared, normalised response.
type peak struct {
	x, y  int // level pixels
	score float64
	dark  bool     // darker than the consensus
	fit   *spotFit // of the peaks of lightness; tens of thousands of others have none
}

// filterBank is what all views share during detection.
type filterBank struct {
	tpl      *template
	order    *order
	inv      [3][]float32 // 1/sigma
	mask     []float32
	layers   []*layerShape
	white    [][6]float64    // per level: lower triangle of the whitening matrix
	opponent [][3][3]float32 // per level: takes responses to lightness and two colours of unit variance
	tile     []tileShape
	place    [][]float64 // per level and tile: what clean sleeves scatter there
	lumaDir  [3]float32  // sum of normalised channels that is lightness
	lightDir [3]float32  // see learnLightDir
	lineK    []int       // line levels
	// Filters: blob levels, then line levels, each bright and dark.
	tails  []tail
	limit  []float64     // the squared response that is listed
	veil   []float64     // see learnVeil
	amount [][][]float64 // per level, plate and tile: squared correction for light, codes
	mids   [][]uint16    // per batch: its typical sleeve
	labs   []labPlanes
	shared []shared
	point  float64 // px: what a point looks like here, see learnPoint
}

// tileShape divides a level into tiles for local noise factors.
type tileShape struct{ side, tw, th int }

func (s tileShape) index(x, y int) int { return (y/s.side)*s.tw + x/s.side }

// noiseTileMM is the size of the places that share a noise factor.
const noiseTileMM = 6

// chi3Mean2 is the mean of a squared response of ideal whitened noise, three
// channels, clipped at clipScore.
const (
	clipScore = 12.0
	chi3Mean2 = 2.914
)

func (d *deck) newFilterBank(t *template, o *order, mask []float32) *filterBank {
	b := &filterBank{tpl: t, order: o, mask: mask}
	b.inv = d.noiseModel(t, o, len(d.plates))
	b.layers = d.newLayers(mask)
	for _, s := range b.layers {
		side := max(6, int(math.Round(noiseTileMM*s.px)))
		b.tile = append(b.tile, tileShape{side: side, tw: (s.w + side - 1) / side, th: (s.h + side - 1) / side})
		s.count(b.tile[len(b.tile)-1])
	}
	for l := range b.spotLevels() {
		b.tile = append(b.tile, b.tile[l])
	}
	b.lineK = d.lineLevels()
	// Lightness of the normalised channels: Rec. 601 weights times the noise.
	var count float64
	var sum [3]float64
	for i := 0; i < len(mask); i += 11 {
		if mask[i] != 0 {
			count++
			for c := range sum {
				sum[c] += 1 / float64(b.inv[c][i])
			}
		}
	}
	for c, w := range [3]float64{0.114, 0.587, 0.299} {
		b.lumaDir[c] = float32(w * sum[c] / math.Max(count, 1))
	}
	return b
}

// normalised is the residual of plate k over the noise, masked.
func (d *deck) normalised(b *filterBank, k int) [3][]float32 {
	pix, n, mid := d.view(k), d.w*d.h, b.mids[d.plates[k].batch]
	reasons := d.reason(k)
	var z [3][]float32
	for c := range z {
		z[c] = d.scratch.get(n)
	}
	// 40 sigma is as good as infinity, and keeps one saturated pixel from
	// ringing through all levels.
	cv.Normalise(pix, mid, b.mask, reasons, b.inv, 40, z)
	ox, oy := d.printSurplus(k)
	for c := range z {
		if ox != 0 || oy != 0 {
			d.easeRim(z[c], b.inv[c], b.tpl.code[c], ox, oy)
		}
	}
	return z
}

// printSurplus is how far, in px, the print of plate k lies from its place on
// the usual sleeve of its batch, beyond the deck's usual jitter. Within the
// outline's band the print is not registered (the outline is), so there the
// surplus acts as misregistration.
func (d *deck) printSurplus(k int) (ox, oy float32) {
	surplus := func(j int) float32 {
		var own, dev []float64
		batch := d.plates[k].batch
		centre := make(map[int]float64)
		for _, p := range d.plates {
			if _, ok := centre[p.batch]; !ok {
				var v []float64
				for _, q := range d.plates {
					if q.batch == p.batch {
						v = append(v, q.warp.affine[j])
					}
				}
				centre[p.batch] = median(v)
			}
			dev = append(dev, math.Abs(p.warp.affine[j]-centre[p.batch]))
			if p.batch == batch {
				own = append(own, p.warp.affine[j])
			}
		}
		usual := 2 * madToSigma * median(dev)
		if off := math.Abs(d.plates[k].warp.affine[j] - median(own)); off > usual {
			return float32(1.5 * off) // a print line moves by more than its slope tells
		}
		return 0
	}
	return surplus(0), surplus(3)
}

// easeRim widens the noise near the outline by a misregistration of ox, oy px.
func (d *deck) easeRim(z, inv, code []float32, ox, oy float32) {
	band := (outlineBandMM + 0.5) // mm; the filters reach a little further in
	for y := 1; y < d.h-1; y++ {
		my := (float64(y)+0.5)/d.px - d.margin
		for x := 1; x < d.w-1; x++ {
			mx := (float64(x)+0.5)/d.px - d.margin
			if d.insetMM(mx, my, 0) > band {
				// Jump over the inside of the row.
				if right := int((d.margin + d.wMM - band) * d.px); x < right {
					x = right
				}
				continue
			}
			i := y*d.w + x
			gx, gy := (code[i+1]-code[i-1])/2*ox, (code[i+d.w]-code[i-d.w])/2*oy
			z[i] /= float32(math.Sqrt(float64(1 + (gx*gx+gy*gy)*inv[i]*inv[i])))
		}
	}
}

// respond calls f with each level's responses in the three channels, which f
// must not keep.
func (d *deck) respond(b *filterBank, k int, f func(level int, resp [3][]float32)) {
	z := d.normalised(b, k)
	d.respondTo(b, z, f)
	d.scratch.put(z[:]...)
}

// respondTo is respond for a normalised residual, which the caller keeps.
func (d *deck) respondTo(b *filterBank, z [3][]float32, f func(level int, resp [3][]float32)) {
	for l, s := range b.layers {
		var resp [3][]float32
		for c := range z {
			var smooth []float32
			resp[c], smooth = s.respond(&d.scratch, z[c])
			if l > 0 {
				d.scratch.put(z[c])
			}
			z[c] = nil
			if l+1 < len(b.layers) {
				z[c] = halve(&d.scratch, smooth, s.w, s.h)
			}
			d.scratch.put(smooth)
		}
		f(l, resp)
		d.scratch.put(resp[:]...)
	}
}

// learnWhitening estimates, for each level, the covariance of the three
// channels' responses on some of the sleeves and keeps the inverse of its
// Cholesky factor: whitened responses of clean material are uncorrelated and
// have unit variance.
func (d *deck) learnWhitening(b *filterBank) error {
	const most = 12 // sleeves; every one has tens of thousands of places
	n := len(d.plates)
	step := max(1, n/most)
	var picks []int
	for k := 0; k < n; k += step {
		picks = append(picks, k)
	}
	sums := make([][][6]float64, len(picks))
	var luma [3]float64
	for c := range luma {
		luma[c] = float64(b.lumaDir[c])
	}
	tails := make([][][2]float64, len(picks))
	err := d.parallel(len(picks), func(i int) error {
		sums[i] = make([][6]float64, len(b.layers))
		tails[i] = make([][2]float64, len(b.layers))
		d.respond(b, picks[i], func(l int, r [3][]float32) {
			sums[i][l] = cv.ClippedCovariance(r, b.layers[l].m)
			tails[i][l] = chromaTails(b.layers[l].m, r, sums[i][l], luma)
		})
		return nil
	})
	if err != nil {
		return err
	}
	b.white, b.opponent = make([][6]float64, len(b.layers)), make([][3][3]float32, len(b.layers))
	for l := range b.layers {
		var cov [6]float64
		for j := range cov {
			// The median over sleeves: a marked or odd one does not count.
			v := make([]float64, len(picks))
			for i := range picks {
				v[i] = sums[i][l][j]
			}
			cov[j] = median(v)
		}
		var widen [2]float64
		for j := range widen {
			v := make([]float64, len(picks))
			for i := range picks {
				v[i] = tails[i][l][j]
			}
			widen[j] = median(v)
		}
		b.white[l] = inverseCholesky(widenChroma(cov, luma, widen))
		scale := [3]float64{1, widen[0], widen[1]}
		for j, row := range conditional(cov, luma) {
			for c, v := range row {
				b.opponent[l][j][c] = float32(v / scale[j])
			}
		}
	}
	return nil
}

// inverseCholesky returns the lower triangle W (00, 10, 11, 20, 21, 22) with
// W cov W' = 1.
func inverseCholesky(c [6]float64) [6]float64 {
	// A little of the variance is added so that grey decks, whose channels
	// agree to the last bit, still have a colour noise.
	tr := (c[0]+c[2]+c[5])*1e-3 + 1e-9
	c[0] += tr
	c[2] += tr
	c[5] += tr
	l00 := math.Sqrt(c[0])
	l10 := c[1] / l00
	l11 := math.Sqrt(math.Max(c[2]-l10*l10, tr))
	l20 := c[3] / l00
	l21 := (c[4] - l20*l10) / l11
	l22 := math.Sqrt(math.Max(c[5]-l20*l20-l21*l21, tr))
	w00, w11, w22 := 1/l00, 1/l11, 1/l22
	w10 := -l10 * w00 * w11
	w21 := -l21 * w11 * w22
	w20 := -(l20*w00 + l21*w10) * w22
	return [6]float64{w00, w10, w11, w20, w21, w22}
}

// squares returns the squared whitened response of a level.
func (b *filterBank) squares(sc *scratch, l int, r [3][]float32) []float32 {
	var w [6]float32
	for j, v := range b.white[l] {
		w[j] = float32(v)
	}
	q := sc.get(len(r[0]))
	cv.Squares(r[0], r[1], r[2], w, q)
	return q
}

// scan is what one plate's responses give.
type scan struct {
	peaks [][]peak       // per level; squared responses, normalised by judge
	lines [][2][]segment // straight ones by level, then the rim's by length
	noise [][]float64    // per level and tile: mean clipped square over ideal; NaN without pixels; then of lightness
	kept  [][]int8       // per spot level: responses in lightness for findShared
	spots [][]peak       // per level: peaks of lightness, the strongest, fitted
}

// peakFloor: smaller squares are never among a sleeve's largest.
const peakFloor = 6

func (d *deck) scan(b *filterBank, k int) (*scan, error) {
	var err error
	s := &scan{peaks: make([][]peak, len(b.layers)), noise: make([][]float64, len(b.tile)), spots: make([][]peak, b.spotLevels())}
	z := d.normalised(b, k)
	defer d.scratch.put(z[:]...)
	d.respondTo(b, z, func(l int, r [3][]float32) {
		sh, ts := b.layers[l], b.tile[l]
		sum := make([]float64, ts.tw*ts.th)
		found := cv.Peaks(r, sh.w, sh.h, b.white[l], b.lumaDir, ts.side, ts.tw, clipScore, peakFloor, sum)
		s.peaks[l] = make([]peak, len(found))
		for i, p := range found {
			s.peaks[l][i] = peak{x: p.X, y: p.Y, score: float64(p.Square), dark: p.Dark}
		}
		for t, n := range sh.inside {
			if n >= 4 {
				sum[t] /= float64(n) * chi3Mean2
			} else {
				sum[t] = math.NaN()
			}
		}
		s.noise[l] = sum
		if l < b.spotLevels() {
			d.findSpots(b, s, l, z, r)
			s.kept = append(s.kept, b.keep(l, r))
		}
		if l == 0 {
			plane := d.linePlaneOf(b, s, r)
			s.lines, err = d.lines(plane, b.lineK)
			d.scratch.put(plane)
		}
	})
	return s, err
}

// linePlaneOf evens the finest response out by the sleeve's local noise.
func (d *deck) linePlaneOf(b *filterBank, s *scan, r [3][]float32) []float32 {
	f := make([]float32, len(s.noise[0]))
	for i, n := range s.noise[0] {
		f[i] = 1
		if n > 0 {
			f[i] = float32(1 / math.Sqrt(math.Max(n, 0.5)))
		}
	}
	plane := d.scratch.get(d.w * d.h)
	cv.LinePlane(r, b.layers[0].m, d.w, d.h, b.lightDir, f, b.tile[0].side, b.tile[0].tw, linePixelLimit, plane)
	return plane
}

// learnPlaces sets, per level and tile, the noise that sleeves usually have
// there: the median over sleeves, never below the ideal.
func (b *filterBank) learnPlaces(scans []*scan) {
	b.place = make([][]float64, len(b.tile))
	for l := range b.tile {
		n := b.tile[l].tw * b.tile[l].th
		b.place[l] = make([]float64, n)
		for t := range n {
			var v []float64
			for _, s := range scans {
				if x := s.noise[l][t]; !math.IsNaN(x) {
					v = append(v, x)
				}
			}
			b.place[l][t] = math.Max(median(v), 0.5)
		}
	}
}

// learnVeil sets how much noise a strong correction for light leaves behind:
// where a lamp or a veil of glare was taken off, the correction is uncertain
// in proportion. Per level, the excess of a tile's noise over its place's is
// compared with the square of the correction there, over all sleeves; the
// median ratio among the strongest corrections is the factor.
func (d *deck) learnVeil(b *filterBank, scans []*scan) {
	b.veil = make([]float64, len(b.tile))
	b.amount = make([][][]float64, len(b.tile))
	for l := range b.tile {
		ts, sh := b.tile[l], b.layers[l%len(b.layers)]
		n := ts.tw * ts.th
		b.amount[l] = make([][]float64, len(scans))
		_ = d.parallel(len(scans), func(k int) error {
			v := make([]float64, n)
			for t := range v {
				x := (float64(t%ts.tw) + 0.5) * float64(ts.side) * sh.step
				y := (float64(t/ts.tw) + 0.5) * float64(ts.side) * sh.step
				v[t] = sq(d.plates[k].light.amount(d, b.tpl, x, y))
			}
			b.amount[l][k] = v
			return nil
		})
		var all []float64
		for k := range scans {
			all = append(all, b.amount[l][k]...)
		}
		sorted := slices.Clone(all)
		slices.Sort(sorted)
		// The tenth of the places with the strongest corrections.
		strong := math.Max(quantileSorted(sorted, 0.9), 4) // 2 codes: below is nothing
		var ratio []float64
		for k, s := range scans {
			for t, u := range b.amount[l][k] {
				if x := s.noise[l][t]; u >= strong && !math.IsNaN(x) {
					ratio = append(ratio, (x/b.place[l][t]-1)/u)
				}
			}
		}
		b.veil[l] = math.Max(0, median(ratio))
	}
}

// factors returns, per tile, the noise of sleeve k: the place's usual noise,
// times what the correction for light left, times the sleeve's own surplus in
// the surroundings, taken as a median over 5 x 5 tiles so that a mark in one
// of them does not count.
func (b *filterBank) factors(s *scan, k, l int) []float64 {
	ts := b.tile[l]
	out := make([]float64, ts.tw*ts.th)
	for t := range out {
		out[t] = b.place[l][t] * (1 + b.veil[l]*b.amount[l][k][t])
	}
	own := make([]float64, len(out))
	var v []float64
	for ty := range ts.th {
		for tx := range ts.tw {
			v = v[:0]
			for y := max(0, ty-2); y <= min(ts.th-1, ty+2); y++ {
				for x := max(0, tx-2); x <= min(ts.tw-1, tx+2); x++ {
					t := y*ts.tw + x
					if n := s.noise[l][t]; !math.IsNaN(n) {
						v = append(v, n/out[t])
					}
				}
			}
			own[ty*ts.tw+tx] = math.Max(1, median(v))
		}
	}
	for t := range out {
		out[t] *= own[t]
	}
	return out
}

// filter numbers: blobs first, then lines; bright before dark.
func (b *filterBank) blobFilter(level int, dark bool) int { return 2*level + one(dark) }
func (b *filterBank) lineFilter(level int, dark bool) int {
	return 2*(len(b.layers)+level) + one(dark)
}
func (b *filterBank) spotFilter(level int, dark bool) int {
	return 2*(len(b.layers)+b.lineLevels()+level) + one(dark)
}
func (b *filterBank) filters() int { return 2 * (len(b.layers) + b.lineLevels() + b.spotLevels()) }

// lineLevels counts the levels of lines: straight ones, then the rim's.
func (b *filterBank) lineLevels() int { return len(b.lineK) + len(rimLengthsMM) }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// listRate is the expected number of false camera-only entries in a clean
// deck: they accuse nobody, and a judge may want to look.
const listRate = 0.5

// judge normalises all peaks, fits each filter's tail and sets the limits.
func (b *filterBank) judge(scans []*scan) {
	n := b.filters()
	b.tails, b.limit = make([]tail, n), make([]float64, n)
	for i := range b.limit {
		b.limit[i] = math.Inf(1)
	}
	set := func(filter int, top [][]float64) {
		// Squares of ideal noise fall like exp(-x/2): beta = 2.
		b.tails[filter] = fitTail(top, 2)
		if b.tails[filter].ok {
			b.limit[filter] = b.tails[filter].threshold(listRate / float64(n) / float64(len(scans)))
		}
	}
	for l := range b.layers {
		var top [2][][]float64
		for k, s := range scans {
			f := b.factors(s, k, l)
			var split [2][]peak
			for j := range s.peaks[l] {
				p := &s.peaks[l][j]
				p.score /= f[b.tile[l].index(p.x, p.y)]
				split[one(p.dark)] = append(split[one(p.dark)], *p)
			}
			for pol := range top {
				top[pol] = append(top[pol], largest(split[pol], tailRanks, 6))
			}
		}
		for pol := range top {
			set(b.blobFilter(l, pol == 1), top[pol])
		}
	}
	b.learnPoint(scans)
	for l := range b.spotLevels() {
		var top [2][][]float64
		for k, s := range scans {
			f := b.factors(s, k, len(b.layers)+l)
			var split [2][]peak
			for j := range s.spots[l] {
				p := &s.spots[l][j]
				p.score /= f[b.tile[l].index(p.x, p.y)]
				if b.isSpot(*p) {
					split[one(p.dark)] = append(split[one(p.dark)], *p)
				}
			}
			for pol := range top {
				top[pol] = append(top[pol], largest(split[pol], tailRanks, 6))
			}
		}
		for pol := range top {
			set(b.spotFilter(l, pol == 1), top[pol])
		}
	}
	for l := range b.lineLevels() {
		for pol := range 2 {
			var top [][]float64
			for _, s := range scans {
				var v []float64
				for _, seg := range s.lines[l][pol] {
					if v = append(v, seg.score); len(v) == tailRanks {
						break
					}
				}
				top = append(top, v)
			}
			set(b.lineFilter(l, pol == 1), top)
		}
	}
}

// pValue is the chance that a clean deck of n sleeves shows a peak of this
// score anywhere, over all filters.
func (b *filterBank) pValue(filter int, score float64, n int) float64 {
	return -math.Expm1(-b.tails[filter].rate(score) * float64(n) * float64(b.filters()))
}
