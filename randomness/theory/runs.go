package theory

import "math/big"

// Runs is the exact law of the number of runs (maximal stretches of one class) in a random order of
// m cards of one class and n-m of the other (Wald and Wolfowitz 1940). The slice holds P(runs = 0)
// .. P(runs = n).
func Runs(n, m int) []float64 {
	if n < 1 || m < 0 || m > n {
		return nil
	}
	out := make([]float64, n+1)
	if m == 0 || m == n {
		out[1] = 1
		return out
	}
	total := binomial(n, m)
	for r := 2; r <= n; r++ {
		// r runs: the first class has ceil or floor of r/2 of them, starting with either class
		hi, lo := (r+1)/2, r/2
		ways := new(big.Int).Mul(binomial(m-1, hi-1), binomial(n-m-1, lo-1))
		ways.Add(ways, new(big.Int).Mul(binomial(m-1, lo-1), binomial(n-m-1, hi-1)))
		out[r] = ratio(ways, total)
	}
	return out
}

func binomial(n, k int) *big.Int {
	if k < 0 || n < 0 || k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

// LowCritical returns the largest value c with P(X <= c) <= alpha, or -1 when there is none.
func LowCritical(p []float64, alpha float64) int {
	sum, c := 0.0, -1
	for i, v := range p {
		if sum += v; sum > alpha {
			break
		}
		c = i
	}
	return c
}

// HighCritical returns the smallest value c with P(X >= c) <= alpha, or len(p) when there is none.
func HighCritical(p []float64, alpha float64) int {
	sum, c := 0.0, len(p)
	for i := len(p) - 1; i >= 0; i-- {
		if sum += p[i]; sum > alpha {
			break
		}
		c = i
	}
	return c
}

// MeanVariance of a law given by its probabilities from 0.
func MeanVariance(p []float64) (mean, variance float64) {
	for i, v := range p {
		mean += float64(i) * v
	}
	for i, v := range p {
		d := float64(i) - mean
		variance += d * d * v
	}
	return mean, variance
}
