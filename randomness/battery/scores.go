package battery

// scores is the upper tail of a combined score over the draws. A score is binned by the leading
// bits of its floating point form, a relative step of 2^-12: any monotone function of a score is as
// good a score, and a histogram needs no sorting.
type scores struct {
	low   int
	count []uint32 // draws in this bin or above
}

// bin of a positive score.
func bin(v float32) int { return int(float32bits(v) >> 11) }

func newScores(v []float32) scores {
	lo, hi := bin(v[0]), bin(v[0])
	for _, x := range v {
		b := bin(x)
		lo, hi = min(lo, b), max(hi, b)
	}
	s := scores{low: lo, count: make([]uint32, hi-lo+1)}
	for _, x := range v {
		s.count[bin(x)-lo]++
	}
	for i := len(s.count) - 2; i >= 0; i-- {
		s.count[i] += s.count[i+1]
	}
	return s
}

// atLeast is the number of draws in the bin of v or above.
func (s scores) atLeast(v float32) int {
	i := bin(v) - s.low
	switch {
	case len(s.count) == 0 || i >= len(s.count):
		return 0
	case i < 0:
		return int(s.count[0])
	}
	return int(s.count[i])
}
