package sleeve

import (
	"math"
	"slices"
)

// What shows the strongest peaks on a clean sleeve is dust, fibres and
// hairlines, not noise, and one limit for all peaks is as high as they need
// it. But a speck of dust is a point, which the camera spreads by its own
// blur, a fibre is a line, and the dot of a pen is neither. So the stronger
// peaks are fitted with a round Gaussian and with short lines, and compact
// spots that are wider than a point are judged by the tail that such spots
// alone show on the deck's sleeves. A wrong boundary between points and spots
// costs marks, never sleeves: dust that counts as spots raises their limit.

// spotFit is the shape of a peak's surroundings.
type spotFit struct {
	x, y  float64 // view px
	sigma float64 // px: standard deviation of the round Gaussian; 0: not fitted
	line  float64 // what the best short line explains over what the round one does
}

const (
	// spotLevelsMost: spots of 3, 6 and 12 px; larger ones are no pen's.
	spotLevelsMost = 3
	// colourShare is how much of lightness's squared response colour may add.
	colourShare = 2
	// spotMean2 is the mean of the result for ideal noise, clipped at
	// clipScore: 1 of lightness and what two colours add under the cap.
	spotMean2 = 1.8
	// spotFits is how many peaks of a level and polarity are fitted: twice as
	// many as a tail rests on, since half may be points and lines.
	spotFits = 2 * tailRanks
	// spotReachMM is the radius of the window in which a spot is fitted.
	spotReachMM = 0.9
	// spotRound: the line must not explain more than the round spot.
	spotRound = 1.0
	// spotWider: a spot is wider than the deck's points by this factor. The
	// width of a peak at 20 sigma is known to 5%, that of dust varies by 10%.
	spotWider = 1.2
	// pointDefaultPx stands for the camera's blur after resampling, where the
	// deck shows no points to learn it from; pointMostPx bounds what is
	// believed to be a point.
	pointDefaultPx, pointMostPx = 1.0, 1.35
	// A spot below spotSure times its limit is listed, but its p value counts
	// no less than spotLeastP: the tail of spots is that of noise, and what a
	// rare clump of dust shows lies beyond it.
	spotSure, spotLeastP = 4.0, 1e-3
	// pointScore: peaks from this score on have widths that mean something.
	pointScore = 80.0
)

func (b *filterBank) spotLevels() int { return min(spotLevelsMost, len(b.layers)) }

// isSpot reports whether a peak is compact and wider than a point.
func (b *filterBank) isSpot(p peak) bool {
	return p.fit.sigma > spotWider*b.point && p.fit.line < spotRound
}

// learnPoint sets what a point looks like: the median width of the deck's
// strong compact peaks that are not clearly wider.
func (b *filterBank) learnPoint(scans []*scan) {
	b.point = pointDefaultPx
	var v []float64
	for _, s := range scans {
		for _, p := range s.spots[0] {
			if p.score > pointScore && p.fit.sigma > 0 && p.fit.sigma < pointMostPx && p.fit.line < spotRound {
				v = append(v, p.fit.sigma)
			}
		}
	}
	if 2*len(v) >= len(scans) {
		b.point = median(v)
	}
}

// findSpots finds the peaks of level l that show in lightness and fits the
// strongest; z is the sleeve's normalised residual, r the level's responses. A
// file keeps little of the colour of what is small, and what it keeps comes in
// blocks: colour counts only as far as lightness bears it out.
func (d *deck) findSpots(b *filterBank, s *scan, l int, z, r [3][]float32) {
	sh, ts := b.layers[l], b.tile[l]
	op := &b.opponent[l]
	v := d.scratch.zero(sh.w * sh.h)
	defer d.scratch.put(v)
	sum, cnt := make([]float64, ts.tw*ts.th), make([]float64, ts.tw*ts.th)
	for y := range sh.h {
		for x := range sh.w {
			i := y*sh.w + x
			if sh.m[i] <= 0.5 {
				continue
			}
			a, g, c := r[0][i], r[1][i], r[2][i]
			y0 := op[0][0]*a + op[0][1]*g + op[0][2]*c
			y1 := op[1][0]*a + op[1][1]*g + op[1][2]*c
			y2 := op[2][0]*a + op[2][1]*g + op[2][2]*c
			q := y0 * y0
			q += min(y1*y1+y2*y2, colourShare*q)
			v[i] = q
			t := ts.index(x, y)
			sum[t] += math.Min(float64(q), clipScore) / spotMean2
			cnt[t]++
		}
	}
	for t := range sum {
		if cnt[t] >= 4 {
			sum[t] /= cnt[t]
		} else {
			sum[t] = math.NaN()
		}
	}
	s.noise[len(b.layers)+l] = sum
	var found [2][]peak
	for y := range sh.h {
		for x := range sh.w {
			i := y*sh.w + x
			if v[i] > peakFloor && localMaximum(v, sh.w, sh.h, x, y) {
				dark := op[0][0]*r[0][i]+op[0][1]*r[1][i]+op[0][2]*r[2][i] < 0
				found[one(dark)] = append(found[one(dark)], peak{x: x, y: y, score: float64(v[i]), dark: dark})
			}
		}
	}
	evened := func(p peak) float64 { return p.score / math.Max(sum[ts.index(p.x, p.y)], 0.5) }
	for pol, list := range found {
		dir := op[0]
		if pol == 1 {
			for c := range dir {
				dir[c] = -dir[c]
			}
		}
		slices.SortFunc(list, func(p, q peak) int {
			switch a, c := evened(p), evened(q); {
			case a > c:
				return -1
			case a < c:
				return 1
			}
			return (p.y-q.y)*sh.w + p.x - q.x
		})
		for _, p := range list[:min(len(list), spotFits)] {
			w := newSpotWindow(z, dir, b.mask, d.w, d.h, float64(p.x)*sh.step, float64(p.y)*sh.step, spotReachMM*d.px*math.Max(1, math.Sqrt(sh.step/2)))
			fit := w.fit(0.7 * math.Max(1.5, sh.step))
			p.fit = &fit
			s.spots[l] = append(s.spots[l], p)
		}
	}
}

// drawSpot raises the evidence where a spot lies, ratio at its middle.
func (d *deck) drawSpot(e, mask []float32, f spotFit, ratio float64) {
	r := 2 * f.sigma
	for y := max(0, int(f.y-r)); y <= min(d.h-1, int(f.y+r)+1); y++ {
		for x := max(0, int(f.x-r)); x <= min(d.w-1, int(f.x+r)+1); x++ {
			i := y*d.w + x
			q := sq(float64(x)-f.x) + sq(float64(y)-f.y)
			if mask[i] == 0 || q > r*r {
				continue
			}
			e[i] = max(e[i], float32(ratio*math.Exp(-q/(f.sigma*f.sigma))))
		}
	}
}

// localMaximum reports whether no neighbour exceeds a pixel; of equal ones the
// first counts.
func localMaximum(q []float32, w, h, x, y int) bool {
	v := q[y*w+x]
	for yy := max(0, y-1); yy <= min(h-1, y+1); yy++ {
		for xx := max(0, x-1); xx <= min(w-1, x+1); xx++ {
			o := q[yy*w+xx]
			if o > v || o == v && (yy < y || yy == y && xx < x) {
				return false
			}
		}
	}
	return true
}
