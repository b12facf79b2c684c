package edge

import (
	"math"

	"fairdeck/vision/colour"
	"fairdeck/vision/plane"
)

// scores are a layer's unit-free differences from its neighbours, in standard
// deviations of the stack's own scatter, per kind.
type scores struct {
	protrusion, colour, warp, gap float64
}

// scaleOf sets the side's scale: stated, or from the deck's own length.
func (w *seen) scaleOf(leftPx, rightPx float64) {
	s, o := w.side, w.opt
	width, height := o.WidthMM, o.HeightMM
	if !(width > 0) {
		width = 66
	}
	if !(height > 0) {
		height = 91
	}
	length := rightPx - leftPx
	visible := w.from > 2 && w.to < w.s.n-2
	switch {
	case o.PxPerMM > 0:
		s.PxPerMM, s.PxPerMMSigma = o.PxPerMM, 0.01*o.PxPerMM
	case !visible:
		s.PxPerMM, s.PxPerMMSigma = 0, 0
	case o.Side == LongSide:
		// Sleeves are made to half a millimetre and the ends are read to a
		// strip: together about one part in a hundred.
		s.PxPerMM, s.PxPerMMSigma = length/height, 0.01*length/height
	case o.Side.short() || s.Open:
		s.PxPerMM, s.PxPerMMSigma = length/width, 0.01*length/width
	default:
		// Long or short is not known: the middle of both, off by at most 16 %.
		mid := math.Sqrt(width * height)
		s.PxPerMM, s.PxPerMMSigma = length/mid, 0.16*length/mid
		s.Warnings = append(s.Warnings, warning("scale_unknown", "whether this is a long or a short side is not known, so millimetres are right to 16 % only; state the side"))
	}
	if !visible && o.PxPerMM <= 0 {
		s.Warnings = append(s.Warnings, warning("scale_unknown", "an end of the side is outside the picture, so sizes are in px only; show both ends or state the scale"))
	}
}

// bright is one layer's line in the mean profile.
type bright struct {
	row    float64 // its middle, straightened rows
	area   float64 // light above the dark around it
	width  float64 // at half of its height, rows
	light  float64 // linear, of its brighter half
	sag    float64 // how far its centre of light lies below the middle of its width, rows
	colour colour.Lab
}

// measure fills the layers.
func (w *seen) measure() {
	s, r := w.side, w.read
	n := len(r.lines)
	s.Layers = make([]Layer, n)
	left, right := w.s.centre(w.from)-w.s.width/2, w.s.centre(w.to-1)+w.s.width/2
	w.scaleOf(left, right)
	mm := 0.0 // mm per px, 0 where unknown
	if s.PxPerMM > 0 {
		mm = 1 / s.PxPerMM
	}
	lines := w.brightLines()
	bow := w.bows()
	for i := range s.Layers {
		l := &s.Layers[i]
		l.Number = i + 1
		l.FromTopMM = (lines[i].row - lines[0].row) * mm
		l.Lines = peaksOf(r.model.typical)
		l.Colour = lines[i].colour
		l.WarpMM = bow[i] * mm
		if i+1 < n {
			l.ThicknessMM = (lines[i+1].row - lines[i].row) * mm
		} else {
			l.ThicknessMM = s.PxPerLayer * mm
		}
		for k := w.from; k < w.to; k += max(1, (w.to-w.from)/24) {
			row := min(w.f.rows-1, max(0, int(r.lines[i]+0.5)))
			p := plane.Point{X: w.s.centre(k), Y: float64(w.f.top) + r.lines[i] + float64(w.f.at(k)[row])}
			if s.Standing {
				p.X, p.Y = p.Y, p.X
			}
			l.LinePx = append(l.LinePx, p)
		}
	}
	// Gaps: room beyond the local median pitch.
	pitch := make([]float64, n)
	for i := range pitch {
		if i+1 < n {
			pitch[i] = lines[i+1].row - lines[i].row
		} else {
			pitch[i] = s.PxPerLayer
		}
	}
	local := runningMedian(pitch, 7)
	for i := range s.Layers {
		s.Layers[i].GapMM = max(0, pitch[i]-local[i]) * mm
	}
	w.colours(lines)
	w.protrusions(lines, mm)
	top, bottom := lines[0].row, lines[n-1].row
	at := func(k int, row float64) plane.Point {
		q := min(w.f.rows-1, max(0, int(row+0.5)))
		p := plane.Point{X: w.s.centre(k), Y: float64(w.f.top) + row + float64(w.f.at(k)[q])}
		if s.Standing {
			p.X, p.Y = p.Y, p.X
		}
		return p
	}
	s.Outline = plane.Quad{at(w.from, top), at(w.to-1, top), at(w.to-1, bottom), at(w.from, bottom)}
	w.outliers(pitch, local, bow)
}

// brightLines measures each layer's line on the mean profile in linear light:
// its centre of light, its area and its colour.
func (w *seen) brightLines() []bright {
	r := w.read
	n := len(r.lines)
	out := make([]bright, n)
	prof := w.linear()
	sum := func(row int) float64 { return prof[row][0] + prof[row][1] + prof[row][2] }
	for i, l := range r.lines {
		up, down := w.side.PxPerLayer/2, w.side.PxPerLayer/2
		if i > 0 {
			up = min(up*1.3, (l-r.lines[i-1])/2)
		}
		if i+1 < n {
			down = min(down*1.3, (r.lines[i+1]-l)/2)
		}
		a, b := max(0, int(l-up+0.5)), min(len(prof)-1, int(l+down+0.5))
		if i == 0 {
			a = max(0, int(l+0.5)) // the face above is no part of the line
		}
		dark, peak, at := math.Inf(1), 0.0, a
		for y := a; y <= b; y++ {
			v := sum(y)
			dark = min(dark, v)
			if v > peak {
				peak, at = v, y
			}
		}
		var area, moment float64
		for y := a; y <= b; y++ {
			area += sum(y) - dark
			moment += (sum(y) - dark) * float64(y)
		}
		out[i].row, out[i].area = l, area
		if area > 0 && i > 0 {
			out[i].row = moment / area
		}
		up, down = halfWidth(sum, at, a, b, dark+0.5*(peak-dark))
		out[i].width = down - up
		if area > 0 {
			out[i].sag = moment/area - (up+down)/2
		}
		// The colour of the line's brighter half.
		var c [3]float64
		cnt := 0.0
		for y := a; y <= b; y++ {
			if sum(y) >= dark+0.6*(peak-dark) {
				c, cnt = add3(c, prof[y]), cnt+1
			}
		}
		if cnt == 0 {
			c, cnt = prof[at], 1
		}
		out[i].colour = colour.ToLab(c[2]/cnt, c[1]/cnt, c[0]/cnt)
		out[i].light = (c[0] + c[1] + c[2]) / cnt
	}
	return out
}

// halfWidth is where a line falls to half above and below its peak at row at,
// between rows where it crosses.
func halfWidth(light func(int) float64, at, a, b int, half float64) (up, down float64) {
	up, down = float64(a), float64(b)
	for y := at; y > a; y-- {
		if p, q := light(y-1), light(y); p < half && q >= half {
			up = float64(y) - (q-half)/(q-p)
			break
		}
	}
	for y := at; y < b; y++ {
		if p, q := light(y), light(y+1); p >= half && q < half {
			down = float64(y) + (p-half)/(p-q)
			break
		}
	}
	return up, down
}

// linear is the straightened side's mean linear light per row, BGR.
func (w *seen) linear() [][3]float64 {
	out := make([][3]float64, w.f.rows)
	t := colour.LinearTable()
	inRows(w.f.rows, w.opt.Workers, func(from, to int) {
		for r := from; r < to; r++ {
			var c [3]float64
			n := 0.0
			for k := w.from + 1; k < w.to-1; k++ {
				if w.f.match[k] < 0.5 {
					continue
				}
				y := float64(w.f.top+r) + float64(w.f.at(k)[r])
				y0 := min(w.img.Height-2, max(0, int(y)))
				f := min(1, max(0, y-float64(y0)))
				p, q := w.img.Row(y0), w.img.Row(y0+1)
				// Two columns of each strip are enough for a mean of hundreds.
				x := int(w.s.centre(k))
				for _, x := range []int{x, min(x+1, w.img.Width-1)} {
					for j := range c {
						c[j] += t[p[3*x+j]]*(1-f) + t[q[3*x+j]]*f
					}
					n++
				}
			}
			if n > 0 {
				out[r] = [3]float64{c[0] / n, c[1] / n, c[2] / n}
			}
		}
	})
	return out
}

// bows returns how far each layer's ends hang below its middle, in px, beyond
// the running median of its neighbours.
func (w *seen) bows() []float64 {
	r := w.read
	b := make([]float64, len(r.lines))
	q := max(1, (w.to-w.from)/12)
	for i, l := range r.lines {
		row := min(w.f.rows-1, max(0, int(l+0.5)))
		mean := func(from, to int) float64 {
			s := 0.0
			for k := from; k < to; k++ {
				s += float64(w.f.at(k)[row])
			}
			return s / float64(to-from)
		}
		mid := (w.from + w.to) / 2
		b[i] = (mean(w.from+q/2, w.from+q/2+q)+mean(w.to-q/2-q, w.to-q/2))/2 - mean(mid-q/2, mid-q/2+q)
	}
	ref := runningMedian(b, 9)
	for i := range b {
		b[i] -= ref[i]
	}
	return b
}

// colours compares each line with the running median of the stack.
func (w *seen) colours(lines []bright) {
	n := len(lines)
	var ch [3][]float64
	for _, l := range lines {
		ch[0], ch[1], ch[2] = append(ch[0], l.colour.L), append(ch[1], l.colour.A), append(ch[2], l.colour.B)
	}
	for j := range ch {
		ch[j] = runningMedian(ch[j], 11)
	}
	for i := range n {
		ref := colour.Lab{L: ch[0][i], A: ch[1][i], B: ch[2][i]}
		w.side.Layers[i].DeltaE = colour.DeltaE2000(lines[i].colour, ref)
		w.side.Layers[i].LightnessD = lines[i].colour.L - ref.L
		// In shadow linear light is scaled, and with it L*, a* and b* alike but
		// for the dark end of the scale.
		c, scale := lines[i].colour, 1.0
		if c.L > 0 {
			scale = (ref.L + 16) / (c.L + 16)
		}
		w.side.Layers[i].hueDeltaE = colour.DeltaE2000(colour.Lab{L: ref.L, A: c.A * scale, B: c.B * scale}, ref)
	}
}

// runningMedian of 2h+1 values around each, fewer at the ends.
func runningMedian(x []float64, h int) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		// Near an end the window slides inwards, so that it stays as wide.
		a := max(0, min(i-h, len(x)-2*h-1))
		out[i] = median(x[a:min(len(x), a+2*h+1)])
	}
	return out
}
