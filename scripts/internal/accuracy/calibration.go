package main

import (
	"fmt"
	"math"

	"fairdeck/internal/record"
	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/sleeve"
)

// A mark states the chance that a clean deck shows one as strong anywhere. If
// that were so, one clean deck in a hundred would have a mark of p <= 0.01.
// What clean decks really show says how far the figure is to be believed: it
// is read off the deck's own noise, and dust, fibres and wrong outlines are no
// noise.

// calibrationLimits are the p values that are counted.
func calibrationLimits() []float64 { return []float64{0.1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9} }

// calibration counts clean decks by the least p value of their marks.
type calibration struct{ listed, seen []metric.Share }

func newCalibration() *calibration {
	n := len(calibrationLimits())
	return &calibration{make([]metric.Share, n), make([]metric.Share, n)}
}

// add counts a deck: listed is the least p value of all its marks, seen of
// those called visible or obvious; infinite for none.
func (c *calibration) add(listed, seen float64) {
	for i, p := range calibrationLimits() {
		c.listed[i].Add(listed <= p)
		c.seen[i].Add(seen <= p)
	}
}

// leastP are the least p values of a result's marks.
func leastP(res *sleeve.Result) (listed, seen float64) {
	listed, seen = math.Inf(1), math.Inf(1)
	for _, s := range res.Sleeves {
		for _, m := range s.Marks {
			listed = math.Min(listed, m.PValue)
			if m.Visibility.Rank() >= sleeve.Visible.Rank() {
				seen = math.Min(seen, m.PValue)
			}
		}
	}
	return listed, seen
}

// leastPOf are those of a check's.
func leastPOf(k *record.Check) (listed, seen float64) {
	listed, seen = math.Inf(1), math.Inf(1)
	for i := range k.Sleeves {
		for _, m := range k.Sleeves[i].Marks {
			listed = math.Min(listed, m.PValue)
			if sleeve.Visibility(m.Visibility).Rank() >= sleeve.Visible.Rank() {
				seen = math.Min(seen, m.PValue)
			}
		}
	}
	return listed, seen
}

// table sets the stated chance beside what was seen, of both ways.
func (c *calibration) table(d *markdown.Document, given *calibration) {
	d.Para("What a mark's p value says, the chance that a clean deck shows one as strong anywhere, beside the share of these clean decks that do. " +
		"It is computed from the deck's own noise; dust, fibres and wrong outlines are stronger than noise, and what lists a mark does not yet accuse.")
	var rows [][]string
	for i, p := range calibrationLimits() {
		rows = append(rows, []string{fmt.Sprintf("%.0e", p), c.listed[i].String(), c.seen[i].String(), given.listed[i].String(), given.seen[i].String()})
	}
	d.Table([]string{"p at most", "decks with such a mark listed", "called visible", "true corners: listed", "called visible"}, rows)
}
