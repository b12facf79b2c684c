package metric

import "math"

// bins covers the upper 16 bits of a float32: sign (always 0), exponent and 8
// bits of mantissa. For non-negative floats the bit pattern grows with the
// value, so a bin is an interval of scores and bins are in order.
const bins = 1 << 16

// Histogram counts scores, higher meaning more suspicious. The zero value is
// empty and ready.
type Histogram struct {
	count *[bins]int64
	total int64
}

// Add counts one score. Scores below zero and NaN count as 0.
func (h *Histogram) Add(score float32) {
	if h.count == nil {
		h.count = new([bins]int64)
	}
	h.count[bin(score)]++
	h.total++
}

// Merge adds all that other has counted.
func (h *Histogram) Merge(other *Histogram) {
	if other.count == nil {
		return
	}
	if h.count == nil {
		h.count = new([bins]int64)
	}
	for i, n := range other.count {
		h.count[i] += n
	}
	h.total += other.total
}

// N is the number of scores counted.
func (h *Histogram) N() int64 { return h.total }

func bin(score float32) int {
	if !(score > 0) { // NaN as well
		return 0
	}
	return int(math.Float32bits(score) >> 15)
}

func (h *Histogram) at(i int) int64 {
	if h.count == nil {
		return 0
	}
	return h.count[i]
}

// AUROC is the area under the receiver operating characteristic: the chance
// that a random marked score exceeds a random clean one, ties counting half
// (Mann & Whitney 1947; Hanley & McNeil 1982). NaN when one side is empty.
func AUROC(marked, clean *Histogram) float64 {
	if marked.total == 0 || clean.total == 0 {
		return math.NaN()
	}
	below, wins := int64(0), 0.0
	for i := range bins {
		m, c := marked.at(i), clean.at(i)
		wins += float64(m) * (float64(below) + float64(c)/2)
		below += c
	}
	return wins / float64(marked.total) / float64(clean.total)
}

// RecallAt is the share of marked scores above the lowest threshold that at
// most the given share of clean scores exceed. NaN when one side is empty.
func RecallAt(rate float64, marked, clean *Histogram) float64 {
	if marked.total == 0 || clean.total == 0 {
		return math.NaN()
	}
	allowed := int64(rate * float64(clean.total))
	var found, wrong int64
	for i := bins - 1; i >= 0; i-- {
		if wrong += clean.at(i); wrong > allowed {
			break
		}
		found += marked.at(i)
	}
	return float64(found) / float64(marked.total)
}
