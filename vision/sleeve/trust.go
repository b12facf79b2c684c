package sleeve

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A view that was cut out of its frame by wrong corners is stretched: its rim
// is somewhere else, and so is every line of its print. Registration brings
// back tenths of a millimetre; beyond that it fits something to something
// else, and what is left of the print looks like ink. Nobody may be accused by
// such a view. Two signs tell it, and neither needs to know which corner is
// wrong.
//
// The shape: sleeves of a deck have one shape, and a camera that stands still
// shows it with sides of one ratio, up to a slow drift across a leaning
// camera's field. What was cut to another ratio was cut wrong (or is cut
// otherwise, which a measurement of its size tells better than its rim does).
//
// The print: where it lies on the typical sleeve's, the gradients of both
// agree.

const (
	// ratioRimMM is the error of one side's length from which the rim is not
	// believed: what registration still brings back, and a tenth more than
	// the widths of good sleeves differ by.
	ratioRimMM = 0.4
	// ratioLostMM is the error that nothing brings back: where the rim's
	// profiles end.
	ratioLostMM = outlineReachMM
	// steadyScale is the robust scatter of the sleeves' apparent size up to
	// which the camera stands still over them: 1.5% is 6 mm of 400. A camera
	// held by hand leans this way and that: by 20 degrees, and ratios then
	// differ by leans.
	steadyScale, leans = 0.015, 0.06
	// ratioLeast is the least deck whose ratio means something.
	ratioLeast = 5
	// printAgrees is the squared correlation of gradients below which a print
	// was not laid on the typical sleeve's, and printRest what must then be
	// left, in codes, to be a print and not the sensor's noise.
	printAgrees = 0.5
	printRest   = 6.0
)

// unplaced is what is said of a sleeve that its corners do not fit.
const unplaced = "its edge was not found where it is, so it cannot be compared: lay it clear of shadows and lines of the table, and show it again"

// ratioErrors returns, for each detection, how far its shape is from the
// deck's in mm of one side's length; nil where ratios tell nothing.
func ratioErrors(quads []plane.Quad, wMM float64) []float64 {
	n := len(quads)
	if n < ratioLeast {
		return nil
	}
	ratio, size := make([]float64, n), make([]float64, n)
	cx, cy := make([]float64, n), make([]float64, n)
	for i, q := range quads {
		w := q[0].Sub(q[1]).Norm() + q[2].Sub(q[3]).Norm()
		h := q[1].Sub(q[2]).Norm() + q[3].Sub(q[0]).Norm()
		if !(w > 0) || !(h > 0) {
			return nil
		}
		ratio[i], size[i] = math.Log(h/w), math.Log(w*h)/2
		c := q.Centre()
		cx[i], cy[i] = c.X, c.Y
	}
	size = lessDrift(size, cx, cy)
	allowed := 0.0
	if robustSigma(size, 0) > steadyScale {
		allowed = leans
	}
	out := lessDrift(ratio, cx, cy)
	for i := range out {
		// A relative error of a ratio is that of the shorter side at least.
		out[i] = math.Max(0, math.Abs(out[i])-allowed) * wMM
	}
	return out
}

// lessDrift takes the median off v and, where there are enough of them, the
// plane in (x, y) that a robust fit finds (Beaton & Tukey's biweight).
func lessDrift(v, x, y []float64) []float64 {
	n := len(v)
	out := make([]float64, n)
	m := medianOf(v)
	for i := range v {
		out[i] = v[i] - m
	}
	const enough = 9 // three for each number that is fitted
	if n < enough {
		return out
	}
	mx, my := medianOf(x), medianOf(y)
	sx, sy := math.Max(robustSigma(x, mx), 1), math.Max(robustSigma(y, my), 1)
	var c [3]float64
	at := func(i int) [3]float64 {
		// Places far from the others must not steer the plane.
		return [3]float64{1, clamp((x[i]-mx)/sx, -3, 3), clamp((y[i]-my)/sy, -3, 3)}
	}
	rest := append([]float64(nil), out...)
	for range 5 {
		scale := math.Max(robustSigma(rest, 0), 1e-5)
		a := [9]float64{0: 1e-9, 4: 1, 8: 1} // a prior of one sleeve's worth of no drift
		var b [3]float64
		for i := range out {
			z := rest[i] / (4.7 * scale)
			if z = 1 - z*z; z <= 0 {
				continue
			}
			p := at(i)
			for j := range p {
				for k := 0; k <= j; k++ {
					a[3*j+k] += z * z * p[j] * p[k]
				}
				b[j] += z * z * p[j] * out[i]
			}
		}
		if !solveSPD(a[:], b[:]) {
			return out
		}
		c = b
		for i := range rest {
			p := at(i)
			rest[i] = out[i] - c[0]*p[0] - c[1]*p[1] - c[2]*p[2]
		}
	}
	return rest
}

// dropUnplaced takes out of the comparison what ratios say is lost, before it
// spoils the typical sleeve.
func (d *deck) dropUnplaced(in []Input, res *Result) {
	quads := make([]plane.Quad, len(d.plates))
	for i, p := range d.plates {
		quads[i] = in[p.input].Card.Corners
	}
	errs := ratioErrors(quads, math.Min(d.wMM, d.hMM))
	if errs == nil {
		return
	}
	kept := d.plates[:0]
	for i, p := range d.plates {
		p.ratioMM = errs[i]
		if p.ratioMM > ratioLostMM {
			res.Sleeves[p.input].Unusable = unplaced
			continue
		}
		kept = append(kept, p)
	}
	d.plates = kept
}

// dropAstray takes out the settled plates whose print does not lie on the
// typical sleeve's. It reports whether there were any.
func (d *deck) dropAstray(t *template, res *Result) (bool, error) {
	if !d.printed {
		return false, nil
	}
	astray := make([]bool, len(d.plates))
	err := d.parallel(len(d.plates), func(k int) error {
		agree, rest := d.printFit(t, k)
		astray[k] = agree < printAgrees && rest > printRest
		return nil
	})
	if err != nil {
		return false, err
	}
	n := d.w * d.h
	var kept []*plate
	for k, p := range d.plates {
		if astray[k] {
			res.Sleeves[p.input].Unusable = unplaced
			continue
		}
		// The reasons move along.
		copy(d.reasons[len(kept)*n:(len(kept)+1)*n], d.reason(k))
		kept = append(kept, p)
	}
	if len(kept) == len(d.plates) {
		return false, nil
	}
	d.plates, d.reasons = kept, d.reasons[:len(kept)*n]
	return true, nil
}

// printBlocks divides a sleeve's inside, each way: what is stretched agrees
// somewhere.
const printBlocks = 3

// printFit compares plate k's gradients with the template's, inside of the
// rim and block by block. agree is their squared correlation in the third
// worst of the nine blocks (one or two a large mark may cover) and rest the
// root mean square of what is left there, in codes over two pixels.
func (d *deck) printFit(t *template, k int) (agree, rest float64) {
	pix, reasons := d.view(k), d.reason(k)
	in := int((d.margin + rimDepthMM) * d.px)
	type sums struct{ vv, vt, tt, n float64 }
	var blocks [printBlocks * printBlocks]sums
	for y := in; y < d.h-in; y += 2 {
		for x := in; x < d.w-in; x += 2 {
			i := y*d.w + x
			if reasons[i] != reasonNone {
				continue
			}
			q := &blocks[(y-in)*printBlocks/(d.h-2*in)*printBlocks+(x-in)*printBlocks/(d.w-2*in)]
			for _, step := range [2]int{1, d.w} {
				// Green carries most of the lightness, and no subsampling.
				v := float64(pix[3*(i+step)+1]) - float64(pix[3*(i-step)+1])
				g := float64(t.code[1][i+step] - t.code[1][i-step])
				q.vv, q.vt, q.tt, q.n = q.vv+v*v, q.vt+v*g, q.tt+g*g, q.n+1
			}
		}
	}
	type fit struct{ agree, rest float64 }
	fits := make([]fit, len(blocks))
	for j, q := range blocks {
		if fits[j] = (fit{1, 0}); q.vv > 0 && q.tt > 0 {
			a := q.vt * q.vt / (q.vv * q.tt)
			// A block without a print has nothing to agree in.
			if r := math.Sqrt(q.vv * (1 - a) / q.n); r > printRest {
				fits[j] = fit{a, r}
			}
		}
	}
	slices.SortFunc(fits, func(a, b fit) int { return cmp.Compare(a.agree, b.agree) })
	return fits[2].agree, fits[2].rest
}
