package sleeve

import (
	"math"
	"slices"
)

// How strong must a peak be to count? The deck answers: on every sleeve the
// largest peaks of a filter are what clean material does, dust, hairlines and
// grain included, except on the few sleeves (or the half of them) that carry
// marks. By Renyi's representation and the theory of extremes, the expected
// number of peaks above x on one clean sleeve falls like a generalised Pareto
// tail,
//
//	rate(x) = R (1 + xi (x - xR)/beta)^(-1/xi)       (x: squared response)
//
// whose location xR, scale beta and shape xi are read off the medians, over
// the sleeves, of the R largest peaks: the median of the j-th largest lies
// where the rate is j - 1/3. Medians are not moved by the marked sleeves, up
// to half of the deck. (Pickands 1975; Coles 2001, An Introduction to
// Statistical Modeling of Extreme Values, ch. 3.5 and 4.)

// tailRanks is R: how many of a sleeve's largest peaks are used.
const tailRanks = 24

// tail is the clean deck's rate of peaks, per sleeve, of one filter.
type tail struct {
	x0, r0   float64 // the rate is r0 at x0
	beta, xi float64
	ok       bool
}

// minRanks is the least number of ranks that a tail is fitted to.
const minRanks = 5

// fitTail fits the tail to each sleeve's largest peaks (squared responses,
// descending). minBeta is the slope that ideal noise has: the deck may be
// rougher than ideal, never smoother.
func fitTail(top [][]float64, minBeta float64) tail {
	// Coarse filters have few peaks: the ranks that most sleeves have are used.
	var med []float64
	for j := range tailRanks {
		var v []float64
		for _, t := range top {
			if j < len(t) {
				v = append(v, t[j])
			}
		}
		if 4*len(v) < 3*len(top) {
			break
		}
		// Sleeves without a j-th peak have it at zero.
		for len(v) < len(top) {
			v = append(v, 0)
		}
		med = append(med, median(v))
	}
	ranks := len(med)
	if ranks < minRanks {
		return tail{}
	}
	t := tail{x0: med[ranks-1], r0: rankRate(ranks - 1), beta: minBeta, ok: true}
	r0 := t.r0
	best := math.Inf(1)
	// One-dimensional search over the shape; the scale is linear given it.
	// Negative shapes (a finite end point) are not believed, and beyond 0.4
	// the deck is too dirty to extrapolate. A heavy tail must show beyond the
	// medians' own scatter: the j-th largest varies by beta^2/j, a median of
	// n of them by pi/2n times that, and neighbouring ranks move together.
	n := float64(len(top))
	for xi := 0.0; xi <= 0.4001; xi += 0.02 {
		var num, den float64
		for j := range ranks - 1 {
			g, w := gpd(rankRate(j)/r0, xi), float64(j+1)
			num += w * g * (med[j] - t.x0)
			den += w * g * g
		}
		beta := math.Max(num/den, minBeta)
		loss := sq(xi / tailShapePrior)
		for j := range ranks - 1 {
			e := (med[j] - t.x0 - beta*gpd(rankRate(j)/r0, xi)) / beta
			loss += e * e * float64(j+1) * n / (math.Pi / 2) / tailRanksTogether
		}
		if loss < best {
			best, t.beta, t.xi = loss, beta, xi
		}
	}
	return t
}

const (
	// tailShapePrior: squared responses of clean material seen so far have
	// shapes of 0 to 0.15.
	tailShapePrior = 0.1
	// tailRanksTogether is how many neighbouring ranks carry one piece of
	// information.
	tailRanksTogether = 6
)

// rankRate is the rate at the median of the (j+1)-th largest of a Poisson
// process: the median of a gamma distribution of shape j+1, nearly j + 2/3.
func rankRate(j int) float64 {
	if j == 0 {
		return math.Ln2
	}
	return float64(j) + 2.0/3
}

// gpd is ((share)^-xi - 1)/xi, or -log share for xi = 0.
func gpd(share, xi float64) float64 {
	l := -math.Log(share)
	if xi == 0 {
		return l
	}
	return math.Expm1(xi*l) / xi
}

// rate is the expected number of peaks above x on one clean sleeve.
func (t tail) rate(x float64) float64 {
	r0 := t.r0
	y := (x - t.x0) / t.beta
	if y <= 0 {
		return r0
	}
	if t.xi == 0 {
		return r0 * math.Exp(-y)
	}
	return r0 * math.Pow(1+t.xi*y, -1/t.xi)
}

// threshold is where the rate has fallen to the given value.
func (t tail) threshold(rate float64) float64 {
	return t.x0 + t.beta*gpd(rate/t.r0, t.xi)
}

// largest returns the n largest values, descending, of peaks that keep the
// given distance from stronger ones.
func largest(peaks []peak, n int, apart float64) []float64 {
	s := slices.Clone(peaks)
	slices.SortFunc(s, func(a, b peak) int {
		switch {
		case a.score != b.score:
			if a.score > b.score {
				return -1
			}
			return 1
		case a.y != b.y:
			return a.y - b.y
		}
		return a.x - b.x
	})
	var kept []peak
	for _, p := range s {
		free := true
		for _, q := range kept {
			if math.Hypot(float64(p.x-q.x), float64(p.y-q.y)) < apart {
				free = false
				break
			}
		}
		if free {
			if kept = append(kept, p); len(kept) == n {
				break
			}
		}
	}
	out := make([]float64, len(kept))
	for i, p := range kept {
		out[i] = p.score
	}
	return out
}
