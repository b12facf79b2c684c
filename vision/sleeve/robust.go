package sleeve

import (
	"math"
	"slices"
)

// madToSigma turns a median absolute deviation into a standard deviation of
// a normal distribution: 1/Phi^-1(3/4).
const madToSigma = 1.4826022185056018

// median returns the middle of v (mean of the middle two), reordering v.
// Zero for no values.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
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
