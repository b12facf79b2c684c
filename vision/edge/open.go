package edge

import (
	"math"

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

// phaseLight returns the light of the typical layer by phase: the median over
// layers of the linear light of each channel, BGR, 0 to 1.
func (w *seen) phaseLight() [samples][3]float64 {
	r := w.read
	var cols [samples][3][]float64
	step, i := max(1, len(r.lines)/24), 0 // two dozen layers make a median
	r.path.whole(func(from, to int) {
		if i++; i%step != 0 {
			return
		}
		for j := range samples {
			c := w.rowColour((float64(from)+float64(j)*float64(to-from)/samples)/r.scale, 0)
			for ch := range c {
				cols[j][ch] = append(cols[j][ch], colour.Linear(uint8(c[ch]+0.5)))
			}
		}
	})
	var out [samples][3]float64
	for j := range out {
		for ch := range out[j] {
			out[j][ch] = median(cols[j][ch])
		}
	}
	return out
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
			p = w.openness(closed, open)
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
	add := func(r *reading, share float64) {
		if share <= 0 {
			return
		}
		votes := w.vote(r)
		l := r.model.posterior(r.signal, limit)
		_, _, best, _ := interval(l, w.opt.Confidence)
		agree := 0
		for _, v := range votes {
			if v == best {
				agree++
			}
		}
		// Parts of the side that were read apart and agree are evidence of
		// their own; all five together are taken for three times the whole's.
		sharpen := max(1, map[int]float64{len(votes): 4, len(votes) - 1: 2}[agree])
		total := math.Inf(-1)
		for i := range l {
			l[i] *= sharpen
			total = logAdd(total, l[i])
		}
		for i := range l {
			out[i] = logAdd(out[i], l[i]-total+math.Log(share))
		}
		if r == w.read {
			w.side.Count.Votes = votes
		}
	}
	add(closed, 1-p)
	add(open, p)
	return out
}

// openness is the probability that the side is an open one.
func (w *seen) openness(closed, open *reading) float64 {
	w.feat = w.features(closed, open)
	t := w.feat[0]
	if t > 0.155 && t < 0.46 {
		return 0.9
	}
	return 0.1
}

func (w *seen) features(closed, open *reading) []float64 {
	ph := w.phaseLight()
	gr := w.grainByPhase()
	var s [samples]float64
	top := 1e-9
	for j, c := range ph {
		s[j] = c[0] + c[1] + c[2]
		top = max(top, s[j])
	}
	for j := range s {
		s[j] /= top
	}
	dark := 0
	for j := range s {
		if s[j] < s[dark] {
			dark = j
		}
	}
	dim := (s[dark] + s[(dark+1)%samples] + s[(dark+samples-1)%samples]) / 3
	// Colour of the light at each phase off the mean colour.
	var mean [3]float64
	for _, c := range ph {
		mean = add3(mean, c)
	}
	norm := math.Sqrt(mean[0]*mean[0] + mean[1]*mean[1] + mean[2]*mean[2])
	var off, all float64
	for _, c := range ph {
		d := (c[0]*mean[0] + c[1]*mean[1] + c[2]*mean[2]) / norm
		n := c[0]*c[0] + c[1]*c[1] + c[2]*c[2]
		all += n
		off += max(0, n-d*d)
	}
	rank := math.Sqrt(off / all)
	// saturation of dark vs of line
	sat := func(c [3]float64) float64 {
		hi, lo := max(c[0], c[1], c[2]), min(c[0], c[1], c[2])
		return (hi - lo) / (hi + 1e-6)
	}
	sd := sat(ph[dark]) - sat(ph[0])
	gdark := (gr[dark] + gr[(dark+1)%samples] + gr[(dark+samples-1)%samples]) / 3
	gline := (gr[0] + gr[1] + gr[samples-1]) / 3
	var c [4]complex128
	for k := range c {
		for j := range s {
			a := 2 * math.Pi * float64(k*j) / samples
			c[k] += complex(s[j]*math.Cos(a), -s[j]*math.Sin(a))
		}
	}
	ab := func(z complex128) float64 { return math.Hypot(real(z), imag(z)) }
	ph2 := math.Atan2(imag(c[2]), real(c[2])) - 2*math.Atan2(imag(c[1]), real(c[1]))
	length := float64(w.to-w.from) * w.s.width
	pitch := closed.model.pitch * 66 / length
	return []float64{dim, rank, sd, math.Log(gdark / gline), math.Log(gdark), float64(peaksOf(closed.model.typical)),
		math.Log(pitch), math.Log(closed.model.pitch), ab(c[1]) / ab(c[0]), ab(c[2]) / ab(c[1]), ab(c[3]) / ab(c[1]), math.Cos(ph2), math.Sin(ph2), (open.gain - closed.gain), sat(ph[0]), sat(ph[dark])}
}

// rowColour is the mean colour (sRGB codes, BGR) of straightened rows
// row-h .. row+h over a fifth of the side's strips.
func (w *seen) rowColour(row, h float64) [3]float64 {
	var c [3]float64
	n := 0.0
	for k := w.from; k < w.to; k += 5 {
		if w.f.match[k] < 0.5 {
			continue
		}
		u := w.f.at(k)
		for _, d := range []float64{-h / 2, 0, h / 2} {
			r := min(w.f.rows-1, max(0, int(row+d+0.5)))
			c = add3(c, w.colourAt(k, float64(w.f.top)+row+d+float64(u[r])))
			n++
		}
	}
	if n > 0 {
		for j := range c {
			c[j] /= n
		}
	}
	return c
}

func (w *seen) grainByPhase() [samples]float64 {
	var out [samples]float64
	r := w.read
	for j := range samples {
		var sum, n float64
		r.path.whole(func(from, to int) {
			row := (float64(from) + float64(j)*float64(to-from)/samples) / r.scale
			for k := w.from + 2; k < w.to-2; k += 3 {
				u := w.f.at(k)
				rr := min(w.f.rows-1, max(0, int(row+0.5)))
				y := int(float64(w.f.top) + row + float64(u[rr]) + 0.5)
				if y < 0 || y >= w.img.Height {
					continue
				}
				x := int(w.s.centre(k))
				if x < 4 || x+4 >= w.img.Width {
					continue
				}
				p := w.img.Row(y)
				a := float64(p[3*x+1]) - (float64(p[3*(x-3)+1])+float64(p[3*(x+3)+1]))/2
				sum += a * a
				n++
			}
		})
		out[j] = math.Sqrt(sum / max(1, n))
	}
	return out
}
