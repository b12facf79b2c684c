package score

import (
	"maps"
	"math"
	"slices"
)

// groupErrors counts the sleeves that lie in the wrong group under the best
// one-to-one naming of the observed groups by the true ones. Groups without a
// partner are wrong as a whole.
func groupErrors(pairs [][2]string) int {
	together := map[[2]string]int{}
	truths, seens := map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		together[p]++
		truths[p[0]], seens[p[1]] = true, true
	}
	rows, cols := slices.Sorted(maps.Keys(truths)), slices.Sorted(maps.Keys(seens))
	n := max(len(rows), len(cols))
	gain := make([][]float64, n)
	for i := range gain {
		gain[i] = make([]float64, n)
		for j := range gain[i] {
			if i < len(rows) && j < len(cols) {
				gain[i][j] = float64(together[[2]string{rows[i], cols[j]}])
			}
		}
	}
	return len(pairs) - int(assign(gain))
}

// assign returns the largest total gain of giving every row its own column
// (Kuhn 1955, the Hungarian method in its O(n^3) form with potentials).
func assign(gain [][]float64) float64 {
	n := len(gain)
	rowPotential, colPotential := make([]float64, n+1), make([]float64, n+1)
	rowOf := make([]int, n+1) // column j (from 1) belongs to row rowOf[j]
	for i := 1; i <= n; i++ {
		rowOf[0] = i
		least := make([]float64, n+1)
		came := make([]int, n+1)
		done := make([]bool, n+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		j0 := 0
		for rowOf[j0] != 0 {
			done[j0] = true
			delta, j1 := math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if done[j] {
					continue
				}
				r := rowOf[j0]
				if c := -gain[r-1][j-1] - rowPotential[r] - colPotential[j]; c < least[j] {
					least[j], came[j] = c, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					rowPotential[rowOf[j]] += delta
					colPotential[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			rowOf[j0] = rowOf[came[j0]]
			j0 = came[j0]
		}
	}
	total := 0.0
	for j := 1; j <= n; j++ {
		total += gain[rowOf[j]-1][j-1]
	}
	return total
}
