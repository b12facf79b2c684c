package check

import (
	"context"
	"math"

	"fairdeck/internal/record"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// One camera looks at one deck: from card to card the outline keeps its size,
// but for the pile that grows towards the camera (a tenth of a percent for
// each card). An outline of another size is not the card's: part of a card
// below it, or of its inner frame, was taken for its edge. What would be
// found along such an edge is not on the sleeve.

// unusableMisfit is said of such a card.
const unusableMisfit = "its edge was not found where it is"

const (
	// fitTolerance is of the outline's length scale, as a logarithm. The
	// corners are known to a pixel or so, 0.3% of a small card; neighbouring
	// piles differ in height by some cards; the inner frame of a sleeve is 3%
	// smaller, and a card that juts out below adds more.
	fitTolerance = 0.02

	// fitLast is how many cards before speak for the next, on both sides in
	// the end; fitLeast is how many it takes to outvote one.
	fitLast, fitLeast = 5, 3
)

// root is the outline's length scale in pixels.
func (t *dealt) root() float64 { return areaScale(t.Corners, 1) }

// roots are those of the usable sightings with indices from..to-1.
func (d *Deal) roots(from, to int) []float64 {
	var out []float64
	for i := max(0, from); i < to; i++ {
		if t := &d.seen[i]; t.crop != nil {
			out = append(out, t.root())
		}
	}
	return out
}

// around are those of the neighbours of a deck's i-th card.
func (d *Deal) around(numbers []int, i int) []float64 {
	var out []float64
	for k := max(0, i-fitLast); k <= i+fitLast && k < len(numbers); k++ {
		if k != i {
			out = append(out, d.seen[numbers[k]-1].root())
		}
	}
	return out
}

func misfits(root float64, others []float64) bool {
	return math.Abs(math.Log(root/median(others))) > fitTolerance
}

// refit searches the card once more, now that its scale is known: root is the
// outline's length scale in pixels of the frame, toImage leads from there to
// the pixels of img. It reports whether an outline that fits was found.
func (t *dealt) refit(img *frame.Image, toImage plane.Homography, root float64) bool {
	back, err := toImage.Inverse()
	if err != nil {
		return false
	}
	at := toImage.ApplyQuad(t.Corners)
	// How much larger a pixel of the frame is in img.
	scale := areaScale(at, 1) / t.root()
	// A picture that the finder cannot take has been taken once: no fault is
	// hidden here that does not show by the card's being refused.
	res, err := card.Find(context.Background(), img, card.Options{
		Size: t.Size, PxPerMM: scale * root / math.Sqrt(t.Size.WidthMM*t.Size.HeightMM),
	})
	if err != nil {
		return false
	}
	for _, c := range res.Cards {
		near := c.Corners.Centre().Sub(at.Centre()).Norm() < 0.2*areaScale(at, 1)
		if c.Unusable != "" || !near {
			continue
		}
		c.Corners = back.ApplyQuad(c.Corners)
		if misfits(areaScale(c.Corners, 1), []float64{root}) {
			continue
		}
		for i := range c.SigmaPx {
			c.SigmaPx[i] /= scale
		}
		c.PxPerMM /= scale
		t.Detection = c
		return true
	}
	return false
}

// tellMisfits says which cards' outlines do not fit the others.
func tellMisfits(c draft, places []place) {
	for i := range places {
		if pl := &places[i]; pl.unusable != "" {
			c.problem(record.Problem{
				Code: "card-unusable", File: pl.file, Sleeve: pl.number,
				Text: "the card cannot be compared: " + pl.unusable, Remedy: "show this card alone on the bare table",
			})
		}
	}
}
