package sleeve

import (
	"fmt"
)

// A finder may take a shadow, the card's edge inside a clear sleeve or a line
// of the table for a side of the sleeve. Millimetres off, such a view shows
// the table where the others show the rim, all along one side. That is the
// finder's doing, not the player's: the band is left out and said to be.

const (
	// misplacedShare of a side's stations must show the table; wear and nicks
	// take less.
	misplacedShare = 0.35
	// misplacedLike: a station shows the table where its difference from the
	// consensus goes this share of the way to the table's colour.
	misplacedLike                  = 0.35
	misplacedFromMM, misplacedToMM = 0.4, 1.6
	// misplacedBandMM is left out along such a side, its neighbours' ends
	// included: the outline's warp reaches that far in.
	misplacedBandMM = 5.0
)

// findMisplaced sets plate.misplaced and masks the bands.
func (d *deck) findMisplaced(o *order) {
	_ = d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		for s := range 4 {
			// A ratio does not say which side is wrong, nor whether the sleeve
			// is cut otherwise; a side that looks like the deck's is where it
			// was found (by now, registered to the deck's).
			doubted := p.ratioMM > ratioRimMM && p.sides[s] != sideSure
			if doubted || p.sides[s] == sideWrong || d.showsTable(o, k, s) {
				p.misplaced, p.sides[s] = true, max(p.sides[s], sideUnsure)
				d.maskSide(k, s)
			}
		}
		return nil
	})
}

// showsTable reports whether most of the inner rim along a side of plate k
// has the table's colour.
func (d *deck) showsTable(o *order, k, s int) bool {
	pix := d.view(k)
	length := d.hMM
	if s == sideTop || s == sideBottom {
		length = d.wMM
	}
	like, n := 0, 0
	for a := outlineCornerMM; a < length-outlineCornerMM; a += 1 {
		var along, across float64
		for depth := misplacedFromMM; depth < misplacedToMM; depth += 0.5 / d.px {
			x, y := a, depth
			switch s {
			case sideRight:
				x, y = d.wMM-depth, a
			case sideBottom:
				x, y = a, d.hMM-depth
			case sideLeft:
				x, y = depth, a
			}
			i := int((y+d.margin)*d.px)*d.w + int((x+d.margin)*d.px)
			for c := range 3 {
				m := float64(o.mid[3*i+c]) / 256
				t := d.table[c] - m
				along += (float64(pix[3*i+c]) - m) * t
				across += t * t
			}
		}
		n++
		if along > misplacedLike*across && along > 0 {
			like++
		}
	}
	return n > 0 && float64(like) > misplacedShare*float64(n)
}

// maskSide leaves a side's band out of the inspection.
func (d *deck) maskSide(k, s int) {
	reasons := d.reason(k)
	for y := range d.h {
		for x := range d.w {
			p := d.placeMM(float64(x), float64(y))
			depth := [4]float64{sideTop: p.Y, sideRight: d.wMM - p.X, sideBottom: d.hMM - p.Y, sideLeft: p.X}[s]
			if depth < misplacedBandMM {
				reasons[y*d.w+x] = reasonOutline
			}
		}
	}
}

// warnMisplaced names the sleeves whose outline was not where it was found.
func (d *deck) warnMisplaced(res *Result) {
	var list []int
	for _, p := range d.plates {
		if p.misplaced {
			list = append(list, p.input+1)
		}
	}
	if len(list) > 0 {
		res.Warnings = append(res.Warnings, Warning{Code: "outline-misplaced", Text: fmt.Sprintf(
			"the edge of %d sleeves (%s) was not found where it is; along it they were not inspected: lay them clear of shadows and lines of the table, and show them again.", len(list), listOf(list))})
	}
}
