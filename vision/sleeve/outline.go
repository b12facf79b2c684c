package sleeve

import (
	"math"
)

// The outline of every view is registered to the deck's own outline: the
// corners that a view was rectified from are uncertain by some tenths of a
// pixel, the lens may bend a side, and a sleeve may bow. Along each side, at
// stations half a millimetre apart, the profile across the side is compared
// with the consensus profile:
//
//	view(x) = a + b consensus(x) - u d/dx consensus(x)
//
// solved by least squares for brightness a, contrast b and shift u (Lucas &
// Kanade 1981 in one dimension, with the light as nuisance). A robust parabola
// through the stations' shifts is the side's displacement; a nick or a worn
// edge does not move it.

// side is one side of the sleeve: shift(t) = c0 + c1 t + c2 t^2 in px, t from
// -1 to 1 along the side, positive to the right or down.
type side struct {
	c     [3]float64
	sigma float64 // px, standard uncertainty of the shift
}

func (s side) at(t float64) float64 { return s.c[0] + t*(s.c[1]+t*s.c[2]) }

// outlineFit holds top, right, bottom and left.
type outlineFit [4]side

const (
	sideTop = iota
	sideRight
	sideBottom
	sideLeft
)

const (
	outlineReachMM   = 1.2 // profile length to each side of the outline
	outlineStationMM = 0.5
	outlineCornerMM  = 3.5 // stations start beyond the rounded corners
	outlinePriorPx   = 1.5 // how far a corner may be off before we doubt our own eyes
)

// fitOutline measures the four sides of plate k against the template.
func (d *deck) fitOutline(tpl *template, pix []byte) outlineFit {
	var f outlineFit
	for s := range f {
		f[s] = d.fitSide(tpl, pix, s)
	}
	return f
}

func (d *deck) fitSide(tpl *template, pix []byte, s int) side {
	horizontal := s == sideTop || s == sideBottom // the side runs along x
	length, pos := d.hMM, d.margin
	if horizontal {
		length = d.wMM
	}
	switch s {
	case sideRight:
		pos = d.margin + d.wMM
	case sideBottom:
		pos = d.margin + d.hMM
	}
	centre := pos*d.px - 0.5
	reach := int(math.Round(math.Min(outlineReachMM, d.margin) * d.px))
	if reach < 2 {
		return side{}
	}
	limit := d.w
	if horizontal {
		limit = d.h
	}
	lo, hi := max(1, int(centre)-reach), min(limit-2, int(centre)+1+reach)
	width := max(1, int(math.Round(outlineStationMM*d.px)))
	var ts, us, ws []float64
	var fit side
	for iteration := range 2 {
		ts, us, ws = ts[:0], us[:0], ws[:0]
		for a := outlineCornerMM; a+outlineStationMM <= length-outlineCornerMM; a += outlineStationMM {
			first := int((d.margin + a) * d.px)
			t := 2*(a+outlineStationMM/2)/length - 1
			u0 := 0.0
			if iteration > 0 {
				u0 = fit.at(t)
			}
			u, info := d.stationShift(tpl, pix, horizontal, first, width, lo, hi, u0)
			if info > 0 {
				ts, us, ws = append(ts, t), append(us, u0+u), append(ws, info)
			}
		}
		fit = robustParabola(ts, us, ws)
	}
	return fit
}

// stationShift is one Lucas-Kanade step across the side over width pixels
// along it; u0 is the shift so far. info is the inverse variance of u for
// unit noise.
func (d *deck) stationShift(tpl *template, pix []byte, horizontal bool, first, width, lo, hi int, u0 float64) (u, info float64) {
	shift := int(math.Floor(u0))
	frac := float32(u0 - math.Floor(u0))
	limit := d.w
	step, stepAlong := 1, d.w
	if horizontal {
		limit = d.h
		step, stepAlong = d.w, 1
	}
	for c := range 3 {
		cons := tpl.code[c]
		// Normal equations of [1, C, g] for the view.
		var n, sc, sg, scc, scg, sgg, sv, scv, sgv float64
		for k := range width {
			base := (first + k) * stepAlong
			for x := lo; x <= hi; x++ {
				xs := x + shift
				if xs < 0 || xs+1 >= limit {
					continue
				}
				i := base + x*step
				cc := cons[i]
				g := (cons[i+step] - cons[i-step]) / 2
				j := 3*(base+xs*step) + c
				v := float32(pix[j])*(1-frac) + float32(pix[j+3*step])*frac
				n++
				sc += float64(cc)
				sg += float64(g)
				scc += float64(cc * cc)
				scg += float64(cc * g)
				sgg += float64(g * g)
				sv += float64(v)
				scv += float64(cc * v)
				sgv += float64(g * v)
			}
		}
		if n < 8 {
			continue
		}
		// Centre, then eliminate the contrast b.
		scc -= sc * sc / n
		scg -= sc * sg / n
		sgg -= sg * sg / n
		scv -= sc * sv / n
		sgv -= sg * sv / n
		if scc < 1 { // codes squared: no structure in this channel
			continue
		}
		a := sgg - scg*scg/scc
		b := sgv - scg*scv/scc
		if a <= 0 {
			continue
		}
		// view(x) = C(x - u) = C - u g: the coefficient of g is -u.
		contrast := clamp(scv/scc, 0.3, 3)
		u -= b / contrast
		info += a
	}
	if info <= 0 {
		return 0, 0
	}
	return clamp(u/info, -outlinePriorPx, outlinePriorPx), info
}

// robustParabola fits c0 + c1 t + c2 t^2 by iterated reweighting with Tukey's
// biweight (Beaton & Tukey 1974). Few or poor stations shrink it to zero.
func robustParabola(t, u, info []float64) side {
	var s side
	if len(t) < 8 {
		return s
	}
	w := make([]float64, len(t))
	// Information is capped at its median: one contrasty station must not
	// steer the side.
	limit := medianOf(info)
	if !(limit > 0) {
		return s
	}
	for i := range w {
		w[i] = math.Min(1, info[i]/limit)
	}
	scale := robustSigma(u, medianOf(u)) + 0.05
	r := make([]float64, len(t))
	for iteration := range 6 {
		var a [9]float64
		var b [3]float64
		// A weak prior keeps the curvature small: one station's worth.
		a[8] = 1
		a[4] = 0.1
		a[0] = 0.1
		for i, x := range t {
			wi := w[i]
			if iteration > 0 {
				z := r[i] / (4.7 * scale)
				if z = 1 - z*z; z <= 0 {
					continue
				}
				wi *= z * z
			}
			p := [3]float64{1, x, x * x}
			for j := range p {
				for k := 0; k <= j; k++ {
					a[3*j+k] += wi * p[j] * p[k]
				}
				b[j] += wi * p[j] * u[i]
			}
		}
		if !solveSPD(a[:], b[:]) {
			return side{}
		}
		s.c = b
		for i, x := range t {
			r[i] = u[i] - s.at(x)
		}
		scale = math.Max(robustSigma(r, 0), 0.02)
	}
	s.sigma = scale * math.Sqrt(3/float64(len(t)))
	return s
}
