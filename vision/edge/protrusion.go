package edge

import "math"

// protrusions estimates how far each layer sticks out of the side.
//
// A camera a little above the table sees a sheet that sticks out by p
// millimetres in three ways, with e the angle at which it looks down on it:
//
//	           ╲ e
//	════════════╲         1  p·tan(e) more of the sheet's face shows above
//	══════════════╗          its edge: the line is wider
//	════════════▒ p       2  the edge is nearer, so it lies p·tan(e) lower
//	                      3  the sheet below is shaded: its line is dimmer
//
// The line's width at half of its height is cue 1: it does not depend on how
// bright the sleeve is. Cue 2 mixes with uneven thickness and cue 3 needs a
// protrusion that throws its shadow past the cleft below; they can strengthen
// what the width says and never replace it. The millimetres are the extra
// width over the tangent of e.
func (w *seen) protrusions(lines []bright, mm float64) {
	n := len(lines)
	s := w.side
	area, width := make([]float64, n), make([]float64, n)
	for i, l := range lines {
		area[i], width[i] = l.area, l.width
	}
	// The first line is one with the face above it.
	width[0] = median(width)
	aref, wref := runningMedian(area, 8), runningMedian(width, 8)
	wide, shade := make([]float64, n), make([]float64, n)
	for i := range lines {
		wide[i] = width[i] - wref[i]
		if i+1 < n {
			shade[i] = 1 - area[i+1]/max(1e-9, aref[i+1])
		}
	}
	zw, zs := standard(wide), standard(shade)
	// A twentieth of a pixel is what the width is read to.
	sd := max(0.05, spreadOf(wide))
	for i := range lines {
		l := &s.Layers[i]
		zw[i] = min(zw[i], wide[i]/sd)
		l.score.protrusion = zw[i]
		if zw[i] > 3 && zs[i] > 3 {
			l.score.protrusion = math.Hypot(zw[i], zs[i])
		}
		if mm == 0 {
			continue
		}
		tan := w.lookDown(i)
		l.ProtrusionMM = wide[i] * mm / tan
		// The angle is known to a third, the width to the stack's scatter.
		l.ProtrusionSigma = math.Hypot(0.35*l.ProtrusionMM, sd*mm/tan)
	}
}

// lookDown is the tangent of the angle at which the camera looks down on
// layer i.
func (w *seen) lookDown(i int) float64 {
	s := w.side
	focal := w.opt.FocalPx
	if !(focal > 0) {
		focal = 1.2 * float64(max(w.img.Width, w.img.Height))
	}
	// The camera looks level at the picture's middle row unless it is tilted;
	// stations and hands aim at the deck's middle, so half of the deck's own
	// height above it is the least, five degrees the usual.
	const usual = 0.09
	fromMiddle := s.rows[i] - (s.rows[0]+s.rows[len(s.rows)-1])/2
	return max(0.02, usual+fromMiddle/focal)
}

// standard divides values by their robust spread around their median.
func standard(x []float64) []float64 {
	m, s := median(x), spreadOf(x)
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v - m) / max(1e-9, s)
	}
	return out
}

// spreadOf is the standard deviation by the median absolute deviation.
func spreadOf(x []float64) float64 {
	m := median(x)
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - m)
	}
	return 1.4826 * median(d)
}
