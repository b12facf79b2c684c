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

// fitOutline measures the four sides of a view against a prepared template.
func (d *deck) fitOutline(tpl *template, pix []byte) outlineFit {
	var f outlineFit
	for s := range f {
		f[s] = d.fitSide(tpl.sides[s], d.profilesOf(s, pix))
	}
	return f
}

// profiles are the profiles across one side, one for each station: means over
// the station's pixels along the side.
type profiles struct {
	lo, n    int       // the first row across the side (px of the view); rows
	inner    int       // so many rows at each end are there for shifts only
	width    int       // px along the side that a station has
	at       []float64 // the stations' places, -1 to 1
	stations int
	v        []float32 // by station, channel (B, G, R) and row
}

// profileReachMM is how far a profile may be displaced, and profileReach the
// same in pixels where these are large.
const (
	profileReachMM = coarseReachMM
	profileReach   = 4
)

// profilesOf reads the profiles of a side; nil where there is no table around
// the sleeve to see it by.
func (d *deck) profilesOf(s int, pix []byte) *profiles {
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
		return nil
	}
	across, along, step := d.w, 3*d.w, 3 // limit; bytes to the next pixel along and across
	if horizontal {
		across, along, step = d.h, 3, 3*d.w
	}
	lo, hi := max(1, int(centre)-reach), min(across-2, int(centre)+1+reach)
	more := max(profileReach, int(math.Round(profileReachMM*d.px)))
	p := &profiles{inner: min(more, lo, across-1-hi), width: max(1, int(math.Round(outlineStationMM*d.px)))}
	p.lo, p.n = lo-p.inner, hi-lo+1+2*p.inner
	var first []int
	for a := outlineCornerMM; a+outlineStationMM <= length-outlineCornerMM; a += outlineStationMM {
		first = append(first, int((d.margin+a)*d.px))
		p.at = append(p.at, 2*(a+outlineStationMM/2)/length-1)
	}
	p.stations = len(first)
	p.v = make([]float32, p.stations*3*p.n)
	share := 1 / float32(p.width)
	for i, f := range first {
		out := p.v[i*3*p.n : (i+1)*3*p.n]
		for j := range p.n {
			var b, g, r int
			for k := range p.width {
				q := pix[(f+k)*along+(p.lo+j)*step:][:3:3]
				b, g, r = b+int(q[0]), g+int(q[1]), r+int(q[2])
			}
			out[j], out[p.n+j], out[2*p.n+j] = float32(b)*share, float32(g)*share, float32(r)*share
		}
	}
	return p
}

// fitSide is the shift of the profiles p against those of the template.
func (d *deck) fitSide(tpl, p *profiles) side {
	var fit side
	if p == nil || tpl == nil {
		return fit
	}
	var ts, us, ws []float64
	fit, coarse := d.coarseSide(tpl, p)
	if !coarse {
		fit = side{}
	}
	// No more than two steps: where the print lies otherwise on this sleeve,
	// more of them would follow the print.
	for range 2 {
		ts, us, ws = ts[:0], us[:0], ws[:0]
		for i, t := range p.at {
			u0 := fit.at(t)
			u, info := stationShift(tpl, p, i, u0)
			if info > 0 {
				ts, us, ws = append(ts, t), append(us, u0+u), append(ws, info)
			}
		}
		fit = robustParabola(ts, us, ws)
	}
	return fit
}

// stationShift is one Lucas-Kanade step across the side at one station; u0 is
// the shift so far. info is the inverse variance of u for unit noise.
func stationShift(tpl, p *profiles, station int, u0 float64) (u, info float64) {
	shift := int(math.Floor(u0))
	frac := float32(u0 - math.Floor(u0))
	for c := range 3 {
		at := (station*3 + c) * p.n
		cons, view := tpl.v[at:at+p.n], p.v[at:at+p.n]
		// Normal equations of [1, C, g] for the view.
		var n, sc, sg, scc, scg, sgg, sv, scv, sgv float32
		for x := max(1, p.inner, -shift); x < min(p.n-1, p.n-p.inner, p.n-1-shift); x++ {
			// Codes about the middle of the scale keep the sums' digits.
			cc := cons[x] - 128
			g := (cons[x+1] - cons[x-1]) / 2
			v := view[x+shift]*(1-frac) + view[x+shift+1]*frac - 128
			n++
			sc += cc
			sg += g
			scc += cc * cc
			scg += cc * g
			sgg += g * g
			sv += v
			scv += cc * v
			sgv += g * v
		}
		if n*float32(p.width) < 8 {
			continue
		}
		// Centre, then eliminate the contrast b.
		scc -= sc * sc / n
		scg -= sc * sg / n
		sgg -= sg * sg / n
		scv -= sc * sv / n
		sgv -= sg * sv / n
		if scc*float32(p.width) < 1 { // codes squared: no structure in this channel
			continue
		}
		a := sgg - scg*scg/scc
		b := sgv - scg*scv/scc
		if a <= 0 {
			continue
		}
		// view(x) = C(x - u) = C - u g: the coefficient of g is -u.
		contrast := clamp(float64(scv/scc), 0.3, 3)
		u -= float64(b) / contrast
		info += float64(a)
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
