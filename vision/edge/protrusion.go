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
// The line's width at half of its height, against the layer's own thickness,
// is cue 1: it does not depend on how bright the sleeve is. Cue 2 mixes with
// uneven thickness and is left alone. Cue 3 is the strongest where light comes
// from above, from about the depth of the cleft on: a sheet that is darker than
// its neighbours and of the same hue lies in a shadow if the one above it is
// wide or the dark lies at its top; else it is a darker sleeve. The millimetres
// are the extra width over the tangent of e.
func (w *seen) protrusions(lines []bright, mm float64) {
	n := len(lines)
	s := w.side
	// A thicker sheet has a wider edge: compare shares of the room from the
	// line above to the line below.
	width, light, sag := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, l := range lines {
		room := s.PxPerLayer
		if i > 0 && i+1 < n {
			room = (lines[i+1].row - lines[i-1].row) / 2
		}
		// Beside a gap the room is not the sheet's.
		room = min(1.2, max(0.8, room/s.PxPerLayer))
		width[i] = l.width / room
		light[i] = math.Log(max(1e-6, l.light))
		sag[i] = l.sag
	}
	width[0], sag[0] = median(width), median(sag) // the first line is one with the face above it
	wref, lref, sref := runningMedian(width, 8), runningMedian(light, 8), runningMedian(sag, 8)
	wide, dim := make([]float64, n), make([]float64, n)
	for i := range lines {
		wide[i] = width[i] - wref[i]
		dim[i] = lref[i] - light[i]
		sag[i] -= sref[i]
	}
	// A twentieth of a pixel is what the width is read to, two hundredths of
	// the light what its colour is.
	sdWide, sdDim, sdSag := max(0.05, spreadOf(wide)), max(0.02, spreadOf(dim)), max(0.03, spreadOf(sag))
	for i := range lines {
		l := &s.Layers[i]
		l.score.protrusion = wide[i] / sdWide
		if i+1 < n && dim[i+1]/sdDim > 4 && s.Layers[i+1].hueDeltaE < 0.5*s.Layers[i+1].DeltaE+0.5 &&
			(wide[i]/sdWide > 1 || sag[i+1]/sdSag > 2.5) {
			l.score.protrusion = math.Hypot(max(0, wide[i]/sdWide), dim[i+1]/sdDim)
			l.shadow = s.Layers[i+1].DeltaE
			// The shadow may reach further down.
			for k := i + 1; k < min(n, i+5) && dim[k]/sdDim > 3 && s.Layers[k].hueDeltaE < 0.5*s.Layers[k].DeltaE+0.5; k++ {
				s.Layers[k].shaded = true
			}
		}
		if mm == 0 {
			continue
		}
		tan := w.lookDown(i)
		l.ProtrusionMM = wide[i] * mm / tan
		// The angle is known to a third, the width to the stack's scatter.
		l.ProtrusionSigma = math.Hypot(0.35*l.ProtrusionMM, sdWide*mm/tan)
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
