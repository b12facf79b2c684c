package theory

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// SquaredGaps is the exact law of the sum of squared gaps between the m marked cards of n in random
// order. The m+1 gaps run from the place before the top to the first marked card, from marked card
// to marked card, and from the last one to the place after the bottom; they add up to n+1. A small
// sum is an even spread (a weave), a large one a clump. The slice holds P(sum = 0) .. P(sum =
// largest).
//
// All compositions of n+1 into m+1 parts are equally likely; they are counted part by part. The
// counts exceed 2^53 for a 60-card deck, so they are kept as shares of the total; every step adds
// positive numbers, and the relative error stays near 1e-14.
func SquaredGaps(n, m int) []float64 {
	if n < 1 || m < 0 || m > n {
		return nil
	}
	parts, sum := m+1, n+1
	longest := sum - m // one gap takes all that the others leave
	top := longest*longest + m
	// ways[s*(top+1)+q]: ways to write s as the parts so far with squares adding up to q
	cur := make([]float64, (sum+1)*(top+1))
	next := make([]float64, (sum+1)*(top+1))
	cur[0] = 1
	for p := 1; p <= parts; p++ {
		clear(next)
		for s := p - 1; s <= sum-1; s++ {
			row := cur[s*(top+1) : (s+1)*(top+1)]
			for g := 1; g <= longest && s+g <= sum-(parts-p); g++ {
				dst := next[(s+g)*(top+1):]
				for q := s; q+g*g <= top; q++ { // squares of positive parts add up to at least their sum
					if row[q] != 0 {
						dst[q+g*g] += row[q]
					}
				}
			}
		}
		cur, next = next, cur
	}
	out := append([]float64(nil), cur[sum*(top+1):]...)
	total := 0.0
	for _, v := range out {
		total += v
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// Hypergeometric is the law of how many of m marked cards lie among the k cards on top of n in
// random order: P(X = 0) .. P(X = min(k, m)). gonum has no hypergeometric law; this is the quotient
// of three binomial coefficients, in logarithms.
func Hypergeometric(n, m, k int) []float64 {
	if n < 0 || m < 0 || m > n || k < 0 || k > n {
		return nil
	}
	out := make([]float64, min(k, m)+1)
	for x := range out {
		if k-x > n-m {
			continue
		}
		out[x] = math.Exp(logChoose(m, x) + logChoose(n-m, k-x) - logChoose(n, k))
	}
	return out
}

func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
