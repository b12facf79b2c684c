package pattern

import "math/big"

// Two questions about places, both exact and conditional on how many of the n
// known places bear the trait: do the bearers lie higher or lower in the deck
// than others (Mann, Whitney, "On a test of whether one of two random
// variables is stochastically larger than the other", Ann. Math. Stat. 18,
// 1947), and do they lie together or spread out (number of runs: Wald,
// Wolfowitz, "On a test whether two samples are from the same population",
// Ann. Math. Stat. 11, 1940).

// rankSums[s] is the share of the ways to choose m of the places 1..n that
// have the sum of places s + m(m+1)/2. The law is symmetric. Shares are sums
// and products of positive numbers, so that they hold to some 12 digits.
func rankSums(n, m int) []float64 {
	top := m * (n - m)
	w := make([][]float64, m+1) // w[k][s]: k places chosen so far
	for k := range w {
		w[k] = make([]float64, top+1)
	}
	w[0][0] = 1
	for place := 1; place <= n; place++ {
		for k := min(m, place); k >= 1; k-- {
			// As the k-th chosen, this place adds place-k to the reduced sum.
			add := place - k
			if add > n-m {
				continue
			}
			for s := top; s >= add; s-- {
				w[k][s] += w[k-1][s-add]
			}
		}
	}
	total := 0.0
	for _, v := range w[m] {
		total += v
	}
	for s := range w[m] {
		w[m][s] /= total
	}
	return w[m]
}

// runWays[r] is the number of arrangements of m bearers among n places with r
// runs of bearers: C(m-1, r-1) ways to part the bearers, C(n-m+1, r) gaps.
func runWays(n, m int) []*big.Int {
	out := make([]*big.Int, m+1)
	for r := range out {
		out[r] = new(big.Int)
		if r > 0 {
			out[r].Mul(choose(m-1, r-1), choose(n-m+1, r))
		}
	}
	return out
}

// twoSided gives the ways at or beyond x at its own end of the distribution,
// which end that is, and the ways in which either end is as unlikely.
func twoSided(ways []*big.Int, x int) (tail *big.Int, low bool, either *big.Int) {
	lower, upper := new(big.Int), new(big.Int)
	for s, w := range ways {
		if s <= x {
			lower.Add(lower, w)
		}
		if s >= x {
			upper.Add(upper, w)
		}
	}
	low = lower.Cmp(upper) <= 0
	tail = upper
	if low {
		tail = lower
	}
	either = new(big.Int)
	sum := new(big.Int)
	last := new(big.Int)
	for s := 0; s < len(ways); s++ {
		if sum.Add(sum, ways[s]); sum.Cmp(tail) > 0 {
			break
		}
		last.Set(sum)
	}
	either.Add(either, last)
	sum.SetInt64(0)
	last.SetInt64(0)
	for s := len(ways) - 1; s >= 0; s-- {
		if sum.Add(sum, ways[s]); sum.Cmp(tail) > 0 {
			break
		}
		last.Set(sum)
	}
	return tail, low, either.Add(either, last)
}
