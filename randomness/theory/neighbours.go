package theory

import "math/big"

// KeptNeighbours is the exact law of K, the number of cards that still lie directly on the card
// they lay on before, when n distinct cards are in a uniformly random order: C(n-1, k) (D(n-k) +
// D(n-k-1)) permutations keep k neighbours, D the derangement numbers (choose the kept pairs, glue
// them, and let no further pair be kept). The slice holds P(K = 0) .. P(K = n-1).
func KeptNeighbours(n int) []float64 {
	if n < 1 {
		return nil
	}
	der := make([]*big.Int, n+1) // derangements: D(m) = (m-1)(D(m-1)+D(m-2))
	der[0] = big.NewInt(1)
	if n >= 1 {
		der[1] = big.NewInt(0)
	}
	for m := 2; m <= n; m++ {
		s := new(big.Int).Add(der[m-1], der[m-2])
		der[m] = s.Mul(s, big.NewInt(int64(m-1)))
	}
	fact := factorial(n)
	out := make([]float64, n)
	for k := range out {
		ways := new(big.Int).Set(der[n-k])
		if n-k >= 1 {
			ways.Add(ways, der[n-k-1])
		}
		ways.Mul(ways, new(big.Int).Binomial(int64(n-1), int64(k)))
		out[k] = ratio(ways, fact)
	}
	return out
}

// AtLeast is the upper tail P(X >= k) of a law given by its probabilities from 0.
func AtLeast(p []float64, k int) float64 {
	sum := 0.0
	for i := len(p) - 1; i >= max(k, 0); i-- {
		sum += p[i]
	}
	return sum
}
