package sleeve

import "math"

// belowLimit is the strongest evidence on a sleeve that was not enough to list
// a mark: log10(1 + 1/e), e being how many clean decks' worth of such
// responses are expected by chance. 0 when there is none.
func (d *deck) belowLimit(b *filterBank, s *scan) float64 {
	best := 0.0
	weigh := func(filter int, score float64) {
		if score >= b.limit[filter] || !b.tails[filter].ok {
			return
		}
		e := b.tails[filter].rate(score) * float64(len(d.plates)*b.filters())
		best = math.Max(best, math.Log10(1+1/math.Max(e, 1e-300)))
	}
	for l := range s.peaks {
		for _, p := range s.peaks[l] {
			weigh(b.blobFilter(l, p.dark), p.score)
		}
	}
	for l := range s.spots {
		for _, p := range s.spots[l] {
			if b.isSpot(p) {
				weigh(b.spotFilter(l, p.dark), p.score)
			}
		}
	}
	for l := range s.lines {
		for pol := range s.lines[l] {
			for _, seg := range s.lines[l][pol] {
				weigh(b.lineFilter(l, pol == 1), seg.score)
			}
		}
	}
	return best
}
