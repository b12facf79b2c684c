package sleeve

import (
	"math"
	"math/bits"
	"slices"
)

// madToSigma turns a median absolute deviation into a standard deviation of
// a normal distribution: 1/Phi^-1(3/4).
const madToSigma = 1.4826022185056018

// median returns the middle of v (mean of the middle two), reordering v.
// Zero for no values.
func median(v []float64) float64 {
	n := len(v)
	if n == 0 {
		return 0
	}
	selectRank(v, n/2)
	if n%2 != 0 {
		return v[n/2]
	}
	return (slices.Max(v[:n/2]) + v[n/2]) / 2
}

// selectRank reorders v so that v[k] is what it would be if v were sorted,
// with nothing larger before it and nothing smaller behind (Hoare 1961,
// Algorithm 65). A deck asks for hundreds of thousands of medians, and
// sorting does several times the work.
func selectRank(v []float64, k int) {
	// Ranges that keep shrinking badly are sorted instead.
	for rounds := 4 * bits.Len(uint(len(v))); len(v) > 12 && rounds > 0; rounds-- {
		mid, last := len(v)/2, len(v)-1
		if v[mid] < v[0] {
			v[0], v[mid] = v[mid], v[0]
		}
		if v[last] < v[0] {
			v[0], v[last] = v[last], v[0]
		}
		if v[last] < v[mid] {
			v[mid], v[last] = v[last], v[mid]
		}
		pivot := v[mid]
		i, j := 0, last
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for pivot < v[j] {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return
		}
	}
	slices.Sort(v)
}

// medianOf is median on a copy.
func medianOf(v []float64) float64 { return median(slices.Clone(v)) }

// robustSigma is the scaled median absolute deviation about centre.
func robustSigma(v []float64, centre float64) float64 {
	d := make([]float64, len(v))
	for i, x := range v {
		d[i] = math.Abs(x - centre)
	}
	return madToSigma * median(d)
}

// quantileSorted reads a quantile 0 to 1 of sorted values, linear between
// neighbours.
func quantileSorted(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	x := q * float64(len(v)-1)
	i := int(x)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	f := x - float64(i)
	return v[i]*(1-f) + v[i+1]*f
}

// clamp limits x to lo..hi.
func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
