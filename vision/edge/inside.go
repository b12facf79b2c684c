package edge

import "math"

// inside says for each straightened row how surely its light ends where the
// deck ends: a layer does, the table below and the wall above go on. It
// compares six strips within each end with six beyond it and takes the end
// that differs less; 1 is half of what a typical bright row [top, bottom)
// differs by. nil where the deck fills the picture from
// side to side or looks like what is behind it.
func (w *seen) inside(top, bottom int) []float64 {
	const width, apart = 6, 3
	diff := make([]float64, w.f.rows)
	for i := range diff {
		diff[i] = math.Inf(1)
	}
	known := false
	for _, end := range []struct{ at, out int }{{w.from, -1}, {w.to - 1, 1}} {
		far := end.at + end.out*(apart+width)
		if far < 0 || far >= w.s.n || w.to-w.from < 4*width {
			continue
		}
		known = true
		// Beyond the end rows go on with the slope they had there.
		back := max(4, min(20, (w.to-w.from)/3))
		u, v := w.f.at(end.at), w.f.at(end.at-end.out*back)
		tilt := 0.0
		for r := range u {
			tilt += float64(u[r]-v[r]) / float64(back) / float64(len(u))
		}
		for r := range diff {
			var a, b [3]float64
			for i := range width {
				kin := end.at - end.out*(2+i)
				a = add3(a, w.colourAt(kin, float64(w.f.top+r)+float64(w.f.at(kin)[r])))
				step := apart + i
				b = add3(b, w.colourAt(end.at+end.out*step, float64(w.f.top+r)+float64(u[r])+tilt*float64(step)))
			}
			d := 0.0
			for j := range a {
				d = max(d, math.Abs(a[j]-b[j])/width)
			}
			diff[r] = min(diff[r], d)
		}
	}
	if !known {
		return nil
	}
	top, bottom = max(0, top), min(len(diff), bottom)
	typical := quantile(diff[top:bottom], 0.75)
	// A deck that looks like what is behind it tells nothing by its ends: six
	// codes are what noise and uneven light make of one colour.
	if typical < 9 {
		return nil
	}
	ref := max(6, typical/2)
	for i := range diff {
		diff[i] = min(1, diff[i]/ref)
	}
	return diff
}

func add3(a, b [3]float64) [3]float64 { return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// colourAt is the mean colour (sRGB codes, BGR) of strip k at picture row y.
func (w *seen) colourAt(k int, y float64) [3]float64 {
	x0, x1 := int(float64(k)*w.s.width), int(float64(k+1)*w.s.width)
	y0 := min(w.img.Height-2, max(0, int(y)))
	f := min(1, max(0, y-float64(y0)))
	p, q := w.img.Row(y0), w.img.Row(y0+1)
	var c [3]float64
	for x := x0; x < x1; x++ {
		for j := range c {
			c[j] += float64(p[3*x+j])*(1-f) + float64(q[3*x+j])*f
		}
	}
	n := float64(x1 - x0)
	return [3]float64{c[0] / n, c[1] / n, c[2] / n}
}
