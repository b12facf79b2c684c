package sleeve

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// The outer size of each sleeve, measured in the frame. A view has the nominal
// size whatever the sleeve's: its size is in the corners that it was made
// from, put right by the outline's registration, and in the frame's pixels.
//
//	corners ──▶ width and height in px, by the middles of the sides
//	        ──▶ aspect  log(width/height)      what height over the table leaves alone
//	            skew    angle between the two
//	            scale   log(width x height)/2  what a pile changes with every card
//	        ──▶ less what place and direction in the frame explain (tilt, lens, pile)
//	        ──▶ mm against the deck's usual sleeve
//
// A tilted camera and a bent lens make width and height smooth functions of
// the place and, by foreshortening, of twice the direction; both are fitted to
// the deck itself, robustly, so that no calibration is needed: all sleeves but
// a few have one size. A card of a pile lies nearer to the camera than the one
// before, by a constant step: the scale has a term for the order too. What is
// left of the scale may still be height (a bent card, a second pile); see
// [scaleTrust].

// outer is the outer size of one plate.
type outer struct {
	known              bool
	aspect, skew, size float64    // logarithms and radians, in the frame
	taper              [2]float64 // logarithms: top over bottom, left over right

	at    plane.Point // middle, px of the frame
	dir   float64     // direction of the width, radians
	order float64     // place in the deck, 0 to 1

	// After fitting, in mm: differences from the deck's usual sleeve.
	aspectMM, skewMM, scaleMM float64
	sigmaMM                   float64 // standard uncertainty of aspectMM
	guess                     float64 // how much wider the uncertainty is for the sleeve's place being like no other's, from 1
}

// Width and height differences in mm that belong to aspect and scale.
func (o *outer) differenceMM(wMM, hMM float64) (dw, dh float64) {
	side := math.Sqrt(wMM * hMM)
	return wMM * (o.scaleMM + o.aspectMM/2) / side, hMM * (o.scaleMM - o.aspectMM/2) / side
}

// minOuter is the least number of sleeves that a usual size can be told from.
const minOuter = minSplit

// measureOuter fills plate.outer. The plates must be registered and their
// sides judged.
func (d *deck) measureOuter() {
	_ = d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		p.outer = d.outerOf(p)
		p.outer.order = float64(k) / float64(max(1, len(d.plates)-1))
		if p.misplaced || !p.outer.known {
			p.outer.known = false
			return nil
		}
		p.outer.known = p.sidesAgree()
		return nil
	})
	d.refuseTapered()
	all := d.knownOuters()
	if len(all) < minOuter {
		for _, o := range all {
			o.known = false
		}
		return
	}
	side := math.Sqrt(d.wMM * d.hMM)
	terms := placeTerms(all)
	for _, q := range []struct {
		value func(o *outer) *float64
		out   func(o *outer) *float64
		pile  bool
	}{
		{func(o *outer) *float64 { return &o.aspect }, func(o *outer) *float64 { return &o.aspectMM }, false},
		{func(o *outer) *float64 { return &o.skew }, func(o *outer) *float64 { return &o.skewMM }, false},
		{func(o *outer) *float64 { return &o.size }, func(o *outer) *float64 { return &o.scaleMM }, true},
	} {
		v := make([]float64, len(all))
		x := make([][]float64, len(all))
		for i, o := range all {
			v[i] = *q.value(o)
			x[i] = terms[i]
			if q.pile {
				u := 2*o.order - 1
				x[i] = append(append([]float64(nil), terms[i]...), u, u*u)
			}
		}
		rest, scale, guess := smoothRest(x, v)
		for i, o := range all {
			*q.out(o) = rest[i] * side
			o.guess = math.Max(o.guess, guess[i])
			if !q.pile {
				o.sigmaMM = math.Max(o.sigmaMM, math.Max(scale*guess[i]*side, outerFloorMM))
			}
		}
	}
}

// knownOuters are those that can be compared.
func (d *deck) knownOuters() (all []*outer) {
	for _, p := range d.plates {
		if p.outer.known {
			all = append(all, &p.outer)
		}
	}
	return all
}

// mostTaperMM: sleeves are cut and welded with parallel sides to a tenth or
// two. What tapers by more has a side that was not found where it is.
const mostTaperMM = 0.4

// refuseTapered takes out the outlines whose opposite sides differ in length.
func (d *deck) refuseTapered() {
	all := d.knownOuters()
	if len(all) < minOuter {
		return
	}
	terms := placeTerms(all)
	for i, o := range all {
		// Perspective makes a taper along the tilt, so of the direction itself.
		s, c := math.Sincos(o.dir)
		terms[i] = append(terms[i][:len(terms[i]):len(terms[i])], c, s)
	}
	for side, length := range [2]float64{d.wMM, d.hMM} {
		v := make([]float64, len(all))
		for i, o := range all {
			v[i] = o.taper[side]
		}
		rest, _, _ := smoothRest(terms, v)
		for i, o := range all {
			if math.Abs(rest[i])*length > mostTaperMM {
				o.known = false
			}
		}
	}
}

// outerFloorMM: two sides, each of them placed to a tenth of a pixel of a
// camera of 5 px/mm, whatever the deck's own scatter says.
const outerFloorMM = 0.03

// outerOf measures one plate in its frame.
func (d *deck) outerOf(p *plate) (o outer) {
	if p.warp == nil {
		return o
	}
	// The sides as registered, in mm of the view, as lines through their ends.
	f := &p.warp.outline
	shift := func(s int, t float64) float64 { return f[s].at(t) / d.px }
	top := [2]plane.Point{{X: 0, Y: shift(sideTop, -1)}, {X: d.wMM, Y: shift(sideTop, 1)}}
	bottom := [2]plane.Point{{X: 0, Y: d.hMM + shift(sideBottom, -1)}, {X: d.wMM, Y: d.hMM + shift(sideBottom, 1)}}
	left := [2]plane.Point{{X: shift(sideLeft, -1), Y: 0}, {X: shift(sideLeft, 1), Y: d.hMM}}
	right := [2]plane.Point{{X: d.wMM + shift(sideRight, -1), Y: 0}, {X: d.wMM + shift(sideRight, 1), Y: d.hMM}}
	q := plane.Quad{meet(top, left), meet(top, right), meet(bottom, right), meet(bottom, left)}
	for i := range q {
		if p.turned {
			q[i] = plane.Point{X: d.wMM - q[i].X, Y: d.hMM - q[i].Y}
		}
		q[i] = p.view.ToFrame.Apply(q[i])
	}
	across := q[1].Add(q[2]).Sub(q[0]).Sub(q[3]).Mul(0.5)
	down := q[2].Add(q[3]).Sub(q[0]).Sub(q[1]).Mul(0.5)
	w, h := across.Norm(), down.Norm()
	if !(w > 1 && h > 1) || math.IsInf(w, 0) || math.IsInf(h, 0) {
		return o
	}
	o.known = true
	o.aspect = math.Log(w/h) - math.Log(d.wMM/d.hMM)
	o.size = math.Log(w*h/(d.wMM*d.hMM)) / 2
	o.taper = [2]float64{
		math.Log(q[1].Sub(q[0]).Norm() / q[2].Sub(q[3]).Norm()),
		math.Log(q[3].Sub(q[0]).Norm() / q[2].Sub(q[1]).Norm()),
	}
	for _, t := range o.taper {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return outer{}
		}
	}
	o.skew = math.Asin(clamp(across.Dot(down)/(w*h), -1, 1))
	o.at = q.Centre()
	o.dir = math.Atan2(across.Y, across.X)
	return o
}

// meet is where two lines cross, each given by two points.
func meet(a, b [2]plane.Point) plane.Point {
	u, v, w := a[1].Sub(a[0]), b[1].Sub(b[0]), b[0].Sub(a[0])
	den := u.X*v.Y - u.Y*v.X
	if den == 0 {
		return a[0]
	}
	return a[0].Add(u.Mul((w.X*v.Y - w.Y*v.X) / den))
}

// placeTerms are the smooth functions of place and direction, in units of a
// card's length: a constant, tilt (first order in place), lens (second order)
// and foreshortening (twice the direction).
func placeTerms(all []*outer) [][]float64 {
	var x, y, size []float64
	for _, o := range all {
		x, y, size = append(x, o.at.X), append(y, o.at.Y), append(size, o.size)
	}
	mx, my := medianOf(x), medianOf(y)
	// o.size is the logarithm of px per mm; a card is about 90 mm long.
	unit := 90 * math.Exp(medianOf(size))
	out := make([][]float64, len(all))
	for i, o := range all {
		u, v := (o.at.X-mx)/unit, (o.at.Y-my)/unit
		s, c := math.Sincos(2 * o.dir)
		out[i] = []float64{1, u, v, c, s, u * u, u * v, v * v}
	}
	return tellingTerms(out)
}

// tellingTerms leaves out the terms that differ too little in a deck to make
// outerFloorMM of a difference on a card: few sleeves should not be fitted by
// more terms than they need.
func tellingTerms(x [][]float64) [][]float64 {
	const least = outerFloorMM / (termPrior * 75) // a card's mean side, mm
	var keep []int
	col := make([]float64, len(x))
	for j := range x[0] {
		for i := range x {
			col[i] = x[i][j]
		}
		if j == 0 || slices.Max(col)-slices.Min(col) > 4*least {
			keep = append(keep, j)
		}
	}
	out := make([][]float64, len(x))
	for i := range x {
		for _, j := range keep {
			out[i] = append(out[i], x[i][j])
		}
	}
	return out
}

// termPrior is the standard deviation that the coefficients of all terms but
// the constant have beforehand: over a card's length a tilt of 12 degrees at
// 400 mm changes scale by 5%, a lens of k1 = -0.2 by 2%.
const termPrior = 0.05

// smoothRest fits v by the terms x, robustly (Tukey's biweight, Beaton &
// Tukey 1974; ridge with [termPrior]) and returns what is left, its robust
// scatter, and by what that is to be multiplied where a sleeve's place is like
// no other's and the fit is a guess (leverage).
func smoothRest(x [][]float64, v []float64) (rest []float64, scale float64, guess []float64) {
	n, dim := len(v), len(x[0])
	rest, guess = make([]float64, n), make([]float64, n)
	w := make([]float64, n)
	middle := medianOf(v)
	for i := range v {
		rest[i], w[i], guess[i] = v[i]-middle, 1, 1
	}
	scale = math.Max(robustSigma(rest, 0), 1e-5)
	for range 10 {
		a := make([]float64, dim*dim)
		b := make([]float64, dim)
		for i := range v {
			if z := rest[i] / (6 * scale); z*z < 1 {
				w[i] = sq(1 - z*z)
			} else {
				w[i] = 0
			}
			for j := range dim {
				for k := 0; k <= j; k++ {
					a[j*dim+k] += w[i] * x[i][j] * x[i][k]
				}
				b[j] += w[i] * x[i][j] * (v[i] - middle)
			}
		}
		for j := range dim {
			a[j*dim+j] += 1e-9
			if j > 0 {
				a[j*dim+j] += sq(scale / termPrior)
			}
		}
		normal := append([]float64(nil), a...)
		if !solveSPD(normal, b) {
			break
		}
		for i := range v {
			rest[i] = v[i] - middle
			for j, c := range b {
				rest[i] -= c * x[i][j]
			}
		}
		scale = math.Max(robustSigma(rest, 0)*math.Sqrt(float64(n)/math.Max(1, float64(n-dim/2))), 1e-5)
		for i := range v {
			z := append([]float64(nil), x[i]...)
			m := append([]float64(nil), a...)
			lever := 1.0
			if solveSPD(m, z) {
				lever = 0
				for j, u := range z {
					lever += u * x[i][j]
				}
			}
			guess[i] = math.Sqrt(1 + math.Max(0, lever))
		}
	}
	return rest, scale, guess
}
