package edge

import (
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
	step := max(1, len(r.lines)/24) // two dozen layers make a median
	for i := 0; i+1 < len(r.lines); i += step {
		d := r.lines[i+1] - r.lines[i]
		if d*r.scale > maxLen {
			continue
		}
		for j := range samples {
			c := w.rowColour(r.lines[i]+float64(j)*d/samples, 0)
			for ch := range c {
				cols[j][ch] = append(cols[j][ch], colour.Linear(uint8(c[ch]+0.5)))
			}
		}
	}
	var out [samples][3]float64
	for j := range out {
		for ch := range out[j] {
			out[j][ch] = median(cols[j][ch])
		}
	}
	return out
}

// openEdge judges whether the side is an open one. Between the closed edges
// of two sleeves the eye looks into a deep dark cleft; inside an open edge it
// meets the card, dimmer than the film but far from dark; between the edges of
// double sleeves it meets the inner sleeve, nearly as bright as the outer.
// The darkest fifth between two lines, as a share of the lines' own light,
// tells: up to 0.12 closed, 0.2 to 0.42 open, above 0.5 closed and double;
// between these it is not sure. Fewer than 8 px per layer let the lens mix
// them: the limits widen.
func (w *seen) openEdge() (open, sure bool) {
	t := w.phaseLight()
	line := 1e-6
	for _, c := range t {
		line = max(line, c[0]+c[1]+c[2])
	}
	middle := 1.0
	for j := 3; j+3 < samples; j++ {
		m := 0.0
		for k := range 3 {
			m += (t[j+k][0] + t[j+k][1] + t[j+k][2]) / line / 3
		}
		middle = min(middle, m)
	}
	soft := 0.0
	if w.side.PxPerLayer < 8 {
		soft = 0.04
	}
	open = middle > 0.155 && middle < 0.46
	sure = middle < 0.12-soft/2 || middle > 0.2+soft && middle < 0.42-soft || middle > 0.5+soft
	return open, sure
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
