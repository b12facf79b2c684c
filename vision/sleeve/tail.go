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
//
// Some tens of peaks do not settle the shape, and a limit at a rate of one in
// ten thousand hangs on it. So no one shape is chosen. Each on a grid gets
// the weight that a prior and the medians' likelihood give it, and the rate
// at x is its mean over shapes, scales and locations: the predictive
// distribution, which is as wide as what is not known makes it (Coles 2001,
// ch. 9.1; the prior on the shape alone, since its maximum likelihood is
// erratic in small samples: Martins & Stedinger 2000, Water Resources
// Research 36, 737-744; a grid of weighted shapes instead of a maximum: Zhang
// & Stephens 2009, Technometrics 51, 316-325).

// tailRanks is R: how many of a sleeve's largest peaks are used.
const tailRanks = 24

// minRanks is the least number of ranks that a tail is fitted to.
const minRanks = 5

const (
	// Squared responses of Gaussian noise have the shape 0, divided by a local
	// scale that is itself measured up to 0.05, contrasts of dust that are
	// distributed lognormally 0.1 to 0.3. Finite end points (shapes below 0)
	// are not believed: over these ranks squared Gaussian noise looks as if it
	// ended, and believing it gives several times the rate asked for. The
	// price is a rate below the one asked for where tails are exponential.
	shapePriorMean, shapePriorSD = 0.05, 0.1
	shapeStep, shapeMost         = 0.02, 0.5
	// rankNugget is the error of a log rate that no number of sleeves takes
	// away: no deck is quite of one Pareto tail.
	rankNugget = 0.03
	// spreadMost bounds the variance of a log rate; beyond, the mean of its
	// lognormal is no estimate of anything.
	spreadMost = 4.0
)

// tail is the clean deck's rate of peaks, per sleeve, of one filter.
type tail struct {
	r0     float64 // the rate at the shapes' locations
	shapes []tailShape
	ok     bool
}

// tailShape is one shape of the grid: location and scale by generalised least
// squares, their covariance over beta squared, and the weight.
type tailShape struct {
	xi, x0, beta  float64
	v00, v01, v11 float64
	weight        float64
}

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
	precision, ok := rankPrecision(ranks, len(top))
	if !ok {
		return tail{}
	}
	t := tail{r0: rankRate(ranks - 1), ok: true}
	best := math.Inf(-1)
	for xi := 0.0; xi < shapeMost+shapeStep/2; xi += shapeStep {
		s, logWeight, ok := fitShape(med, precision, t.r0, xi, minBeta)
		if !ok {
			continue
		}
		s.weight = logWeight
		best = math.Max(best, logWeight)
		t.shapes = append(t.shapes, s)
	}
	sum := 0.0
	for i := range t.shapes {
		t.shapes[i].weight = math.Exp(t.shapes[i].weight - best)
		sum += t.shapes[i].weight
	}
	for i := range t.shapes {
		t.shapes[i].weight /= sum
	}
	t.ok = len(t.shapes) > 0 && sum > 0
	return t
}

// fitShape fits location and scale for one shape. A median scatters, in terms
// of the log rate there, by the precision given; in terms of x by beta times
// the derivative of the Pareto quantile.
func fitShape(med, precision []float64, r0, xi, minBeta float64) (s tailShape, logWeight float64, ok bool) {
	n := len(med)
	g, scale := make([]float64, n), make([]float64, n)
	logDet := 0.0
	for j := range med {
		share := rankRate(j) / r0
		g[j], scale[j] = gpd(share, xi), math.Pow(share, -xi)
		logDet += math.Log(scale[j])
	}
	// Normal equations of med = x0 + beta g.
	var m00, m01, m11, b0, b1 float64
	for i := range n {
		for j := range n {
			w := precision[i*n+j] / (scale[i] * scale[j])
			m00, m01, m11 = m00+w, m01+w*g[j], m11+w*g[i]*g[j]
			b0, b1 = b0+w*med[j], b1+w*g[i]*med[j]
		}
	}
	det := m00*m11 - m01*m01
	if !(det > 0) {
		return s, 0, false
	}
	s = tailShape{xi: xi, beta: (m00*b1 - m01*b0) / det, v00: m11 / det, v01: -m01 / det, v11: m00 / det}
	s.beta = math.Max(s.beta, minBeta)
	s.x0 = (b0 - m01*s.beta) / m00
	rss := 0.0
	for i := range n {
		ei := (med[i] - s.x0 - s.beta*g[i]) / scale[i]
		for j := range n {
			rss += precision[i*n+j] * ei * (med[j] - s.x0 - s.beta*g[j]) / scale[j]
		}
	}
	// The likelihood with location and scale integrated out (Laplace), the
	// scale under its usual prior 1/beta.
	logWeight = -float64(n-1)*math.Log(s.beta) - logDet - rss/(2*s.beta*s.beta) - math.Log(det)/2 - sq((xi-shapePriorMean)/shapePriorSD)/2
	return s, logWeight, true
}

// rankPrecision is the inverse covariance of the log rates at the medians,
// over n sleeves, of the largest peaks of each rank. The log of a gamma
// variable of shape j varies by trigamma(j), and those of one process by that
// of the larger; medians of pairs with correlation rho covary by asin(rho)/n
// instead of rho/n (the quadrant probability of a bivariate normal).
func rankPrecision(ranks, n int) ([]float64, bool) {
	cov, v := make([]float64, ranks*ranks), make([]float64, ranks)
	for i := range v {
		v[i] = trigamma(i + 1)
	}
	for i := range ranks {
		for j := range i + 1 {
			// v falls with the rank.
			cov[i*ranks+j] = math.Sqrt(v[i]*v[j]) * math.Asin(math.Sqrt(v[i]/v[j])) / float64(n)
		}
		cov[i*ranks+i] += rankNugget * rankNugget
	}
	inv, a, b := make([]float64, ranks*ranks), make([]float64, ranks*ranks), make([]float64, ranks)
	for c := range ranks {
		copy(a, cov)
		clear(b)
		b[c] = 1
		if !solveSPD(a, b) {
			return nil, false
		}
		for i, x := range b {
			inv[i*ranks+c] = x
		}
	}
	return inv, true
}

// trigamma of a whole number: pi^2/6 less the squares' reciprocals before it.
func trigamma(n int) float64 {
	v := math.Pi * math.Pi / 6
	for k := 1; k < n; k++ {
		v -= 1 / float64(k*k)
	}
	return v
}

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
	sum := 0.0
	for i := range t.shapes {
		s := &t.shapes[i]
		y := math.Max(0, (x-s.x0)/s.beta)
		u := 1 + s.xi*y
		l := -y
		if s.xi > 0 {
			l = -math.Log(u) / s.xi
		}
		v := (s.v00 + 2*y*s.v01 + y*y*s.v11) / (u * u)
		sum += s.weight * math.Exp(l+math.Min(v, spreadMost)/2)
	}
	// Below the location no tail is fitted.
	return t.r0 * math.Min(1, sum)
}

// threshold is where the rate has fallen to the given value.
func (t tail) threshold(rate float64) float64 {
	lo, hi := 0.0, 1.0
	for i := range t.shapes {
		hi = math.Max(hi, t.shapes[i].x0+t.shapes[i].beta)
	}
	for t.rate(hi) > rate && hi < 1e12 {
		lo, hi = hi, 2*hi
	}
	// 40 halvings leave less than a millionth of the limit.
	for range 40 {
		if m := (lo + hi) / 2; t.rate(m) > rate {
			lo = m
		} else {
			hi = m
		}
	}
	return hi
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
