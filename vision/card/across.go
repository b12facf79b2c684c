package card

import (
	"math"
	"slices"
)

// across is the mean profile across a side, in logarithms of linear light:
// there a shadow is a shift that is equal in all channels, and the edge of a
// black sleeve in its own dark shadow is as plain as that of a white one.
type across struct {
	y       [3][]float64
	lo      float64 // outward offset of the first sample, px
	step    float64
	pxPerMM float64
}

// darkLight is added before the logarithm: the light of code 20 of 255, below
// which cameras and JPEG leave little.
const darkLight = 0.006

// meanAcross reads the profile along a curve that is shifted outward by shift
// in the middle; offsets of the result are those of the unshifted one.
func (sm *sampler) meanAcross(c *sideCurve, lo, hi, step, shift, pxPerMM float64) across {
	a := across{lo: lo + shift, step: step, pxPerMM: pxPerMM}
	profiles, _ := sm.bins(c, 14, lo, hi, step, 3)
	if len(profiles) == 0 {
		return a
	}
	k := len(profiles[0]) / 3
	m := typical(profiles, k)
	for ch := range a.y {
		a.y[ch] = m[ch*k : (ch+1)*k]
		for i, v := range a.y[ch] {
			a.y[ch][i] = math.Log(v + darkLight)
		}
	}
	return a
}

func (a *across) empty() bool { return len(a.y[0]) == 0 }

func (a *across) index(x float64) int {
	return min(len(a.y[0])-1, max(0, int(math.Round((x-a.lo)/a.step))))
}

// mean averages between two outward offsets.
func (a *across) mean(from, to float64) [3]float64 {
	i, j := a.index(from), a.index(to)
	j = max(i, j)
	var m [3]float64
	for ch := range m {
		for _, v := range a.y[ch][i : j+1] {
			m[ch] += v
		}
		m[ch] /= float64(j - i + 1)
	}
	return m
}

// slope is the height of the step at sample i over two pixels.
func (a *across) slope(i, half int) float64 {
	e := 0.0
	k := len(a.y[0])
	for ch := range a.y {
		d := a.y[ch][min(k-1, i+half)] - a.y[ch][max(0, i-half)]
		e += d * d
	}
	return math.Sqrt(e)
}

// leastStep is a step that a person would not see, as a ratio of light.
const leastStep = 0.02

// peaks lists the offsets between from and to at which the profile has a step,
// highest first.
func (a *across) peaks(from, to float64) []float64 {
	if a.empty() {
		return nil
	}
	half := max(1, int(math.Round(1/a.step)))
	type peak struct{ at, height float64 }
	var list []peak
	for i := a.index(from); i <= a.index(to); i++ {
		if i < half+1 || i >= len(a.y[0])-half-1 {
			continue
		}
		l, m, r := a.slope(i-1, half), a.slope(i, half), a.slope(i+1, half)
		if m < leastStep || m < l || m <= r {
			continue
		}
		at := a.lo + float64(i)*a.step
		if d := l - 2*m + r; d < 0 {
			at += a.step * 0.5 * (l - r) / d
		}
		list = append(list, peak{at, m})
	}
	slices.SortFunc(list, func(p, q peak) int { return compare(q.height, p.height) })
	out := make([]float64, len(list))
	for i, p := range list {
		out[i] = p.at
	}
	return out
}

// apart splits the difference of two colours, in logarithms of light, into
// that of lightness (mean) and that of colour (what is left).
func apart(a, b [3]float64) (light, hue float64) {
	var d [3]float64
	for ch := range d {
		d[ch] = a[ch] - b[ch]
		light += d[ch] / 3
	}
	for ch := range d {
		hue += (d[ch] - light) * (d[ch] - light)
	}
	return light, math.Sqrt(hue)
}
