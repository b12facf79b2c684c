package sleeve

import (
	"math"
	"slices"
)

// Worn edges and corners lie within half a millimetre of the outline, where
// pixels are few and every sleeve scatters: a filter for spots or for lines of
// all directions sees little of them. But it is known where they run. The
// band inside the outline is unrolled, corners included, into one value per
// rimStepMM along the perimeter; what sleeves usually scatter there is taken
// from the deck; and stretches of several lengths are summed. Each length is
// a filter like the others, with a tail of its own.

const (
	rimStepMM = 0.25
	// The band's depth: from where no table is mixed in.
	rimFirstPx, rimBandMM = 1.3, 0.5
	// rimPoolMM is the length over which the deck's scatter is pooled.
	rimPoolMM = 4.0
	// rimRunMM is the window of the running median along a side.
	rimRunMM = 20.0
	// rimClip is how many sigmas one value may contribute to a stretch.
	rimClip = 6.0
)

// rimLengthsMM are the lengths of stretches looked for.
var rimLengthsMM = [...]float64{1.5, 4, 8}

// rimPoint is a place on the perimeter with the unit normal inwards, px.
type rimPoint struct {
	x, y, nx, ny float64
	side         int // which side it belongs to; -1 on a corner's arc
}

// rimPath walks the outline clockwise from the top left, rounded corners
// included.
func (d *deck) rimPath() []rimPoint {
	var out []rimPoint
	r := d.radius
	w, h := d.wMM, d.hMM
	add := func(x, y, nx, ny float64, side int) {
		out = append(out, rimPoint{x: (x+d.margin)*d.px - 0.5, y: (y+d.margin)*d.px - 0.5, nx: nx, ny: ny, side: side})
	}
	arc := func(cx, cy, from float64) {
		n := max(2, int(math.Round(r*math.Pi/2/rimStepMM)))
		for i := range n {
			a := from + (float64(i)+0.5)/float64(n)*math.Pi/2
			c, s := math.Cos(a), math.Sin(a)
			add(cx+r*c, cy+r*s, -c, -s, -1)
		}
	}
	for u := r; u < w-r; u += rimStepMM {
		add(u, 0, 0, 1, sideTop)
	}
	arc(w-r, r, -math.Pi/2)
	for u := r; u < h-r; u += rimStepMM {
		add(w, u, -1, 0, sideRight)
	}
	arc(w-r, h-r, 0)
	for u := w - r; u > r; u -= rimStepMM {
		add(u, h, 0, -1, sideBottom)
	}
	arc(r, h-r, math.Pi/2)
	for u := h - r; u > r; u -= rimStepMM {
		add(0, u, 1, 0, sideLeft)
	}
	arc(r, r, math.Pi)
	return out
}

// scanRim appends the rim's stretches to every scan's lines.
func (d *deck) scanRim(b *filterBank, scans []*scan) error {
	path := d.rimPath()
	n := len(path)
	values := make([][]float32, len(scans))
	err := d.parallel(len(scans), func(k int) error {
		values[k] = d.rimValues(b, k, path)
		return nil
	})
	if err != nil {
		return err
	}
	// The deck's scatter at every place: the median of the absolute values,
	// pooled along the path.
	scatter := make([]float64, n)
	column := make([]float64, len(scans))
	for i := range scatter {
		for k := range scans {
			column[k] = math.Abs(float64(values[k][i]))
		}
		scatter[i] = sq(math.Max(madToSigma*median(column), codeNoiseFloor))
	}
	pooled := make([]float64, n)
	reach := int(rimPoolMM / 2 / rimStepMM)
	for i := range pooled {
		for j := -reach; j <= reach; j++ {
			pooled[i] += scatter[(i+j+n)%n]
		}
		// A place may be rougher than its surroundings, never calmer.
		pooled[i] = math.Sqrt(math.Max(pooled[i]/float64(2*reach+1), scatter[i]))
	}
	return d.parallel(len(scans), func(k int) error {
		v := values[k]
		abs := make([]float64, n)
		for i := range v {
			v[i] = float32(clamp(float64(v[i])/pooled[i], -rimClip, rimClip))
			abs[i] = math.Abs(float64(v[i]))
		}
		own := math.Max(1, madToSigma*median(abs))
		for _, mm := range rimLengthsMM {
			scans[k].lines = append(scans[k].lines, stretches(v, path, int(mm/rimStepMM), own, d.px))
		}
		return nil
	})
}

// rimValues is the mean lightness residual, in codes, across the band at each
// place, less what runs along the side.
func (d *deck) rimValues(b *filterBank, k int, path []rimPoint) []float32 {
	pix, mid, reasons := d.view(k), b.mids[d.plates[k].batch], d.reason(k)
	out := make([]float32, len(path))
	steps := max(2, int(math.Round(rimBandMM*d.px)))
	for i, p := range path {
		sum, count := 0.0, 0.0
		for j := range steps {
			depth := rimFirstPx + float64(j)
			x, y := int(math.Round(p.x+depth*p.nx)), int(math.Round(p.y+depth*p.ny))
			at := y*d.w + x
			if x < 0 || y < 0 || x >= d.w || y >= d.h || b.mask[at] == 0 || reasons[at] != 0 {
				continue
			}
			for c, share := range [3]float64{0.114, 0.587, 0.299} {
				sum += share * (float64(pix[3*at+c]) - float64(mid[3*at+c])/256)
			}
			count++
		}
		if count > 0 {
			out[i] = float32(sum / count)
		}
	}
	return lessRunning(out, path)
}

// lessRunning takes the running median along each side off: an outline that
// is misplaced or bent by a few tenths of a pixel, or a rim that mirrors a
// lamp, goes on for centimetres; wear is ragged.
func lessRunning(v []float32, path []rimPoint) []float32 {
	out := slices.Clone(v)
	half := int(rimRunMM / 2 / rimStepMM)
	var window []float64
	for i := range v {
		if path[i].side < 0 {
			continue // an arc is shorter than what a running median needs
		}
		window = window[:0]
		for j := max(0, i-half); j <= min(len(v)-1, i+half); j++ {
			if path[j].side == path[i].side {
				window = append(window, float64(v[j]))
			}
		}
		out[i] -= float32(median(window))
	}
	return out
}

// stretches returns the strongest stretches of n values, bright first.
func stretches(v []float32, path []rimPoint, n int, sigma, px float64) (out [2][]segment) {
	total := len(v)
	if n < 1 || n >= total {
		return out
	}
	sums := make([]float64, total)
	run := 0.0
	for i := range n {
		run += float64(v[i])
	}
	for i := range sums {
		sums[i] = run / sigma
		run += float64(v[(i+n)%total]) - float64(v[i])
	}
	for i, s := range sums {
		before, after := sums[(i+total-1)%total], sums[(i+1)%total]
		if math.Abs(s) < math.Abs(before) || math.Abs(s) <= math.Abs(after) {
			continue
		}
		// Drawn between its ends; around a corner that cuts it short.
		depth := rimFirstPx + 0.5
		a, z := path[i], path[(i+n-1)%total]
		at := func(p rimPoint) (int, int) {
			return int(math.Round(p.x + depth*p.nx)), int(math.Round(p.y + depth*p.ny))
		}
		seg := segment{score: math.Abs(s), dark: s < 0}
		seg.x0, seg.y0 = at(a)
		seg.x1, seg.y1 = at(z)
		out[one(seg.dark)] = append(out[one(seg.dark)], seg)
	}
	for p := range out {
		out[p] = strongest(out[p], lineKeep, float64(n)*rimStepMM*px/2)
		for i := range out[p] {
			out[p][i].score = sq(out[p][i].score) / float64(n)
		}
		slices.SortFunc(out[p], func(a, b segment) int {
			switch {
			case a.score > b.score:
				return -1
			case a.score < b.score:
				return 1
			}
			return 0
		})
	}
	return out
}
