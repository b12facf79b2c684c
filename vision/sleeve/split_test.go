package sleeve

import (
	"math"
	"math/rand/v2"
	"testing"
)

// One population must not be split, whatever its shape.
func TestOnePopulationIsNotSplit(t *testing.T) {
	shapes := map[string]func(r *rand.Rand) float64{
		"normal":  func(r *rand.Rand) float64 { return r.NormFloat64() },
		"uniform": func(r *rand.Rand) float64 { return r.Float64() },
		"skewed":  func(r *rand.Rand) float64 { return math.Exp(0.4 * r.NormFloat64()) },
		"heavy": func(r *rand.Rand) float64 { // Student's t, 6 degrees of freedom
			s := 0.0
			for range 6 {
				s += sq(r.NormFloat64())
			}
			return r.NormFloat64() / math.Sqrt(s/6)
		},
	}
	for name, draw := range shapes {
		r := rand.New(rand.NewPCG(11, 5))
		for _, n := range []int{5, 8, 10, 20, 40, 60, 100} {
			for _, dim := range []int{1, 2, 3, 4} {
				const decks = 400
				wrong := 0
				for range decks {
					x := make([][]float64, n)
					for i := range x {
						x[i] = make([]float64, dim)
						for j := range x[i] {
							x[i][j] = draw(r)
						}
					}
					if _, ok := bestSplit(x, make([]float64, dim), nil); ok {
						wrong++
					}
				}
				// 1 in 1000 expected at most; 4 of 400 has a chance of 1e-3 then.
				if wrong > 3 {
					t.Errorf("%s, %d sleeves, %d features: %d of %d decks split", name, n, dim, wrong, decks)
				}
			}
		}
	}
}

func TestTwoPopulationsAreSplitExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{20, 40, 60, 100} {
		for _, k := range []int{3, 6, n / 3, n / 2} {
			for _, dim := range []int{1, 2, 3} {
				x := make([][]float64, n)
				for i := range x {
					x[i] = make([]float64, dim)
					for j := range x[i] {
						x[i][j] = r.NormFloat64()
					}
					if i%(n/k) == 0 && i/(n/k) < k {
						x[i][0] += 11
					}
				}
				s, ok := bestSplit(x, make([]float64, dim), nil)
				if !ok {
					t.Errorf("%d of %d in %d dimensions: not seen", k, n, dim)
					continue
				}
				odd := x[0][0] > 5 && s.second[0] || x[0][0] <= 5 && !s.second[0]
				for i := range x {
					if (x[i][0] > 5) != (s.second[i] == odd) {
						t.Errorf("%d of %d in %d dimensions: sleeve %d on the wrong side", k, n, dim, i)
					}
				}
			}
		}
	}
}
