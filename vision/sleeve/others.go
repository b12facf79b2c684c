package sleeve

import (
	"math"
	"slices"
)

// A mark is what one sleeve has and the others have not. Where a gloss rim
// mirrors a lamp, a weld lies a little differently on each sleeve, or a clear
// border shows the table, the strongest of many alike stands out in its tail
// and is still no mark: the others have the same in a lesser degree. So the
// mark's own picture is looked for at the same place on every sleeve of its
// batch. Two populations, those that have it and those that have not, are
// marks; one population that trails off is not.

const (
	// othersRank: that many others may have it before it is no single mark.
	othersRank = 2
	// othersShare of the mark's strength is its like in a lesser degree. A
	// listed mark stands at eight sigma and more: nearly a third of that is
	// what the second largest of sixty seldom shows by noise.
	othersShare = 0.3
	// othersDeck is the least batch that tells.
	othersDeck = 8
)

// othersToo reports whether other sleeves have the like of a mark in a lesser
// degree. seen is what the mark would be called; what accuses nobody is not
// asked for.
func (d *deck) othersToo(b *filterBank, k int, r *region, seen Visibility) bool {
	if seen.Rank() < Visible.Rank() {
		return false
	}
	mid := b.mids[d.plates[k].batch]
	pixels := d.around(r, 1)
	own := make([]float64, 3*len(pixels))
	residual := func(k, j int) float64 {
		at := 3*pixels[j/3] + j%3
		return (float64(d.view(k)[at]) - float64(mid[at])/256) * float64(b.inv[j%3][pixels[j/3]])
	}
	norm := 0.0
	for j := range own {
		own[j] = clamp(residual(k, j), -40, 40)
		norm += own[j] * own[j]
	}
	if norm == 0 {
		return false
	}
	var shares []float64
	for q, p := range d.plates {
		if p.batch != d.plates[k].batch {
			continue
		}
		dot := 0.0
		reasons := d.reason(q)
		for j, v := range own {
			if reasons[pixels[j/3]] == reasonNone {
				dot += v * clamp(residual(q, j), -40, 40)
			}
		}
		shares = append(shares, dot/norm)
	}
	if len(shares) < othersDeck {
		return false
	}
	size := make([]float64, len(shares))
	for i, v := range shares {
		size[i] = math.Abs(v)
	}
	slices.Sort(size)
	// The mark itself is among them.
	if size[len(size)-1-othersRank] < othersShare {
		return false
	}
	cut := cutLine(shares, 0.05)
	return cut.count == 0 || cut.separation < splitLimit(len(shares), cut.count, 1)
}
