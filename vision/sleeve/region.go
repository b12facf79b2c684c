package sleeve

import "math"

// cornerRadius estimates how far the sleeve's corners are rounded, in mm: the
// radius whose arcs lie on the strongest edges of the consensus. Without a
// clear answer the usual millimetre and a half is taken.
func (d *deck) cornerRadius(t *template) float64 {
	const usual, least, most, step = 1.5, 0.5, 4.0, 0.1
	best, at := 0.0, usual
	sum, count := 0.0, 0.0
	for r := least; r <= most+1e-9; r += step {
		e := d.arcEdge(t, r)
		sum += e
		count++
		if e > best {
			best, at = e, r
		}
	}
	if best < 1.3*sum/count || best < 4 {
		return usual
	}
	return at
}

// arcEdge is the mean contrast (codes) across the four corner arcs of radius
// r mm, half a millimetre inside against half a millimetre outside.
func (d *deck) arcEdge(t *template, r float64) float64 {
	const reach = 0.4 // mm to each side
	sum, n := 0.0, 0.0
	for corner := range 4 {
		cx, cy := r, r
		sx, sy := -1.0, -1.0
		if corner%2 == 1 {
			cx, sx = d.wMM-r, 1
		}
		if corner/2 == 1 {
			cy, sy = d.hMM-r, 1
		}
		for a := 10.0; a <= 80; a += 5 {
			ux, uy := sx*math.Cos(a*math.Pi/180), sy*math.Sin(a*math.Pi/180)
			for c := range 3 {
				in := d.sampleMM(t.code[c], cx+(r-reach)*ux, cy+(r-reach)*uy)
				out := d.sampleMM(t.code[c], cx+(r+reach)*ux, cy+(r+reach)*uy)
				sum += math.Abs(float64(in - out))
				n++
			}
		}
	}
	return sum / n
}

func (d *deck) sampleMM(p []float32, x, y float64) float32 {
	return bilinear(p, d.w, d.h, float32((x+d.margin)*d.px-0.5), float32((y+d.margin)*d.px-0.5))
}

// insetMM is the distance of a place (mm) from the outline with its rounded
// corners, negative outside.
func (d *deck) insetMM(x, y, radius float64) float64 {
	dx, dy := math.Min(x, d.wMM-x), math.Min(y, d.hMM-y)
	if dx < radius && dy < radius {
		return radius - math.Hypot(radius-dx, radius-dy)
	}
	return math.Min(dx, dy)
}

// sleeveMask is 1 on the pixels that are compared: the sleeve inside its
// outline by rimMM, and 0 elsewhere.
func (d *deck) sleeveMask(radius float64) []float32 {
	m := make([]float32, d.w*d.h)
	rim := rimPx / d.px
	for y := range d.h {
		vy := (float64(y)+0.5)/d.px - d.margin
		for x := range d.w {
			if d.insetMM((float64(x)+0.5)/d.px-d.margin, vy, radius) >= rim {
				m[y*d.w+x] = 1
			}
		}
	}
	return m
}

// rimPx: the outermost pixel is a mixture of sleeve and table.
const rimPx = 1.0
