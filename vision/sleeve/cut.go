package sleeve

import (
	"math"
)

// Another size or cut is a population of its own, as another colour is: the
// deck is asked for a split in aspect and skew, which no height over the table
// changes, and for one in scale, which it does. The split's limits (split.go)
// hold for the whole deck.

const (
	// leastCutMM: width against height, or skew, off by less than that is never
	// called another size. Sleeves of one box differ by a tenth.
	leastCutMM = 0.3

	// scaleTrust is what a scale must differ by where nothing but the scale
	// speaks: 1%, as four millimetres of height would do under a camera 400 mm
	// away. A bent card or a corner on another card reaches a half.
	scaleTrust = 0.01

	// leastScaleMM holds where the print confirms it: on a larger sleeve the
	// print keeps its size, on a nearer one it grows along.
	leastScaleMM = 0.4
	// printConfirms is the share of the difference that the print against the
	// outline must show.
	printConfirms = 0.5
)

// cutAspects are the ways in which outlines differ; none where too few sides
// were found surely.
func (d *deck) cutAspects() []aspect {
	known := 0
	for _, p := range d.plates {
		if p.outer.known {
			known++
		}
	}
	// The others count as usual; of many such the scatter would be a fiction.
	if known < minOuter || 5*known < 3*len(d.plates) {
		return nil
	}
	least := scaleTrust * math.Sqrt(d.wMM*d.hMM)
	if d.printed {
		least = leastScaleMM
	}
	const floor = outerFloorMM
	// Where the place is like no other's, the figure counts for less.
	var guesses []float64
	for _, o := range d.knownOuters() {
		guesses = append(guesses, o.guess)
	}
	usual := median(guesses)
	trust := func(o *outer) float64 { return usual / math.Max(usual, o.guess) }
	return []aspect{
		{name: "size", floor: []float64{floor, floor}, least: []float64{leastCutMM, leastCutMM}, at: func(p *plate) []float64 {
			return []float64{trust(&p.outer) * p.outer.aspectMM, trust(&p.outer) * p.outer.skewMM}
		}},
		{name: "size", floor: []float64{floor}, least: []float64{least}, confirm: d.printKeepsSize, at: func(p *plate) []float64 {
			return []float64{trust(&p.outer) * p.outer.scaleMM}
		}},
	}
}

// printKeepsSize reports whether the print says the same as the scale of two
// parts. Without a print there is nothing to ask.
func (d *deck) printKeepsSize(part []int, second []bool) bool {
	if !d.printed {
		return true
	}
	var scale, print [2][]float64
	for i, k := range part {
		if p := d.plates[k]; p.outer.known {
			g := one(second[i])
			scale[g] = append(scale[g], p.outer.scaleMM)
			print[g] = append(print[g], d.printSpareMM(p))
		}
	}
	if len(scale[0]) == 0 || len(scale[1]) == 0 {
		return false
	}
	a, b := median(scale[1])-median(scale[0]), median(print[1])-median(print[0])
	return a*b > 0 && math.Abs(b) >= printConfirms*math.Abs(a)
}

// printSpareMM is by how much the outline is larger than the print, against
// the deck's usual sleeve: the mean of width and height. The print's stretch
// is relative to the outline that the view was scaled to; its terms are px at
// the view's rim.
func (d *deck) printSpareMM(p *plate) float64 {
	a := &p.warp.affine
	w := -2 * a[1] / float64(d.w) * d.wMM
	h := -2 * a[5] / float64(d.h) * d.hMM
	return (w + h) / 2
}

// Differences of two parts' outlines, second less first, medians in mm.
func (d *deck) cutBetween(a, b []int) (dw, dh, sigma float64) {
	middle := func(part []int) (w, h float64, n int) {
		var ws, hs []float64
		for _, k := range part {
			if p := d.plates[k]; p.outer.known {
				x, y := p.outer.differenceMM(d.wMM, d.hMM)
				ws, hs = append(ws, x), append(hs, y)
				sigma = math.Max(sigma, p.outer.sigmaMM)
			}
		}
		return median(ws), median(hs), len(ws)
	}
	aw, ah, an := middle(a)
	bw, bh, bn := middle(b)
	if an == 0 || bn == 0 {
		return 0, 0, 0
	}
	return bw - aw, bh - ah, sigma * math.Sqrt(1/float64(an)+1/float64(bn))
}

// printBetween is how far the print of one part lies from where it lies on
// another, against the outline: mm to the right and down.
func (d *deck) printBetween(a, b []int) (dx, dy, sigma float64) {
	middle := func(part []int) (x, y, s float64) {
		var xs, ys []float64
		for _, k := range part {
			if p := d.plates[k]; p.warp != nil {
				xs, ys = append(xs, p.warp.affine[0]/d.px), append(ys, p.warp.affine[3]/d.px)
			}
		}
		x, y = medianOf(xs), medianOf(ys)
		s = math.Max(robustSigma(xs, x), robustSigma(ys, y))
		return x, y, math.Max(s, printFloorMM) / math.Sqrt(float64(max(1, len(xs))))
	}
	ax, ay, as := middle(a)
	bx, by, bs := middle(b)
	return bx - ax, by - ay, math.Hypot(as, bs)
}

// printFloorMM: a print is placed against an outline to two hundredths.
const printFloorMM = 0.02

// What is seen of a size: of a squared deck a sleeve that stands out by some
// tenths of a millimetre catches the light and a fingertip. Steps of 0.3 mm
// are felt by everyone as an edge (the thickness of three sheets of paper),
// those of 0.1 mm by few; a sleeve stands out to one or to both sides, so
// visible begins at 0.4 mm of width or height, and 1 mm is seen in the hand.
const (
	visibleSizeMM = 0.4
	obviousSizeMM = 1.0
)

// What is seen of a print: the eye compares the two borders beside it, which
// differ by twice the shift. Half a millimetre of shift makes borders of 3 mm
// 2.5 and 3.5; the threshold for unequal gaps side by side is a tenth or so of
// the gap for who looks for it, and several times that in passing.
const (
	visiblePrintMM = 0.5
	obviousPrintMM = 1.2
)

func graded(v, visible, obvious float64) Visibility {
	switch {
	case v >= obvious:
		return Obvious
	case v >= visible:
		return Visible
	}
	return CameraOnly
}
