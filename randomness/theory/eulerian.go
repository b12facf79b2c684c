package theory

import "math/big"

// Eulerian returns the Eulerian numbers A(n, 0) .. A(n, n-1): A(n, j) permutations of n things have
// exactly j descents, which is j+1 rising sequences of the inverse. They follow A(n, j) = (j+1)
// A(n-1, j) + (n-j) A(n-1, j-1). For n < 1 the result is empty.
func Eulerian(n int) []*big.Int {
	if n < 1 {
		return nil
	}
	row := []*big.Int{big.NewInt(1)}
	for m := 2; m <= n; m++ {
		next := make([]*big.Int, m)
		for j := range next {
			v := new(big.Int)
			if j < m-1 {
				v.Mul(big.NewInt(int64(j+1)), row[j])
			}
			if j > 0 {
				v.Add(v, new(big.Int).Mul(big.NewInt(int64(m-j)), row[j-1]))
			}
			next[j] = v
		}
		row = next
	}
	return row
}

// factorial returns n! exactly.
func factorial(n int) *big.Int {
	if n < 2 {
		return big.NewInt(1)
	}
	return new(big.Int).MulRange(1, int64(n))
}

// ratio returns a/b as the nearest float64.
func ratio(a, b *big.Int) float64 {
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	return f
}
