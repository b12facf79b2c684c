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
// Area of the line is cue 1, its place between its neighbours is cue 2 and
// the area lost by the next line is cue 3. Each is compared with the stack's
// own scatter and they are added in units of it, since what a given p makes
// of each depends on light and lens. The millimetres come from cue 1 and the
// camera's height over the layer: above the uppermost line by the face that
// shows there, and one thickness more with each layer down.
func (w *seen) protrusions(lines []bright, mm float64) {
	n := len(lines)
	s := w.side
	area := make([]float64, n)
	for i, l := range lines {
		area[i] = l.area
	}
	ref := runningMedian(area, 8)
	wide, shade := make([]float64, n), make([]float64, n)
	low := make([]float64, n)
	for i := range lines {
		wide[i] = area[i]/max(1e-9, ref[i]) - 1
		if i+1 < n {
			shade[i] = 1 - area[i+1]/max(1e-9, ref[i+1])
		}
		if i > 0 && i+1 < n {
			low[i] = lines[i].row - (lines[i-1].row+lines[i+1].row)/2
		}
	}
	// The first line is cut at the face: its area does not compare.
	wide[0], shade[0] = 0, 0
	zw, zs, zl := standard(wide), standard(shade), standard(low)
	for i := range lines {
		l := &s.Layers[i]
		// Pulled-back layers and bright ones lack the other cues: all must be
		// on the same side, and the weakest two count.
		l.score.protrusion = (max(0, zw[i]) + max(0, zs[i]) + max(0, zl[i])) / math.Sqrt(3)
		if zw[i] < 1 || zs[i]+zl[i] < 1 {
			l.score.protrusion = min(l.score.protrusion, 2)
		}
		if mm == 0 {
			continue
		}
		tan := w.lookDown(i)
		// A line of typical area is as wide as the layer's bright part.
		width := lineWidth(w.read.model.typical) * s.PxPerLayer
		l.ProtrusionMM = wide[i] * width * mm / max(0.02, tan)
		// The angle is known to a third, the width to the stack's scatter.
		l.ProtrusionSigma = math.Hypot(0.35*l.ProtrusionMM, spreadOf(wide)*width*mm/max(0.02, tan))
	}
}

// lineWidth is the share of a layer that its bright line fills.
func lineWidth(t [samples]float64) float64 {
	s := 0.0
	for _, v := range t {
		s += min(1, max(0, v))
	}
	return s / samples
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
	fromMiddle := s.StraightRows[i] - (s.StraightRows[0]+s.StraightRows[len(s.StraightRows)-1])/2
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
