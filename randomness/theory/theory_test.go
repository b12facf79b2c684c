package theory

import (
	"math"
	"testing"
)

// permutations calls f with every permutation of n things; f must not keep the slice.
func permutations(n int, f func([]int)) {
	p := make([]int, n)
	used := make([]bool, n)
	var rec func(i int)
	rec = func(i int) {
		if i == n {
			f(p)
			return
		}
		for v := range n {
			if !used[v] {
				used[v], p[i] = true, v
				rec(i + 1)
				used[v] = false
			}
		}
	}
	rec(0)
}

// shuffles calls f with the result of every way an a-shuffle of n cards can go, each equally
// likely: every place of the new order gets a digit below a, and the old order is read off digit by
// digit. pos is reused.
func shuffles(n, a int, f func(pos []int)) {
	digits := make([]int, n)
	pos := make([]int, n)
	for {
		i := 0
		for d := range a {
			for p, v := range digits {
				if v == d {
					pos[i] = p
					i++
				}
			}
		}
		f(pos)
		j := 0
		for ; j < n; j++ {
			if digits[j]++; digits[j] < a {
				break
			}
			digits[j] = 0
		}
		if j == n {
			return
		}
	}
}

func key(pos []int) (k int) {
	for _, p := range pos {
		k = k*8 + p
	}
	return k
}

// Bayer and Diaconis 1992, table 1, as printed.
func TestPublishedTotalVariation(t *testing.T) {
	for k, want := range []float64{1, 1, 1, 1, .924, .614, .334, .167, .085, .043} {
		if got := law(t, 52, k+1).TotalVariation(); math.Abs(got-want) > .0005001 {
			t.Errorf("52 cards, %d riffles: total variation %.4f, published %.3f", k+1, got, want)
		}
	}
}

// Trefethen and Trefethen 2000: 173.58 and 121.58 bits of 52 cards' order left after one and two riffles.
func TestPublishedBits(t *testing.T) {
	for k, want := range []float64{173.58, 121.58} {
		if got := law(t, 52, k+1).Bits(); math.Abs(got-want) > .005 {
			t.Errorf("%d riffles: %.3f bits, published %.2f", k+1, got, want)
		}
	}
}

func TestRiffleLawByEnumeration(t *testing.T) {
	for _, c := range []struct{ n, k int }{{3, 1}, {4, 1}, {5, 1}, {4, 2}, {5, 2}} {
		a := 1 << c.k
		seen, total := map[int]float64{}, 0.0
		shuffles(c.n, a, func(pos []int) { seen[RisingSequences(pos)]++; total++ })
		l := law(t, c.n, c.k)
		for r := 1; r <= c.n; r++ {
			if math.Abs(l.P(r)-seen[r]/total) > 1e-12 {
				t.Errorf("n=%d k=%d: P(R=%d) = %v, enumeration %v", c.n, c.k, r, l.P(r), seen[r]/total)
			}
			if exact, quick := l.LogLR(r), LogLR(c.n, r, float64(a)); math.Abs(exact-quick) > 1e-9 && !(math.IsInf(exact, -1) && math.IsInf(quick, -1)) {
				t.Errorf("n=%d k=%d r=%d: log ratio %v exact, %v quick", c.n, c.k, r, exact, quick)
			}
		}
	}
}

func TestRiffleThenCutByEnumeration(t *testing.T) {
	const n = 5
	for _, a := range []int{2, 3, 4} {
		seen, total := map[int]float64{}, 0.0
		shuffles(n, a, func(pos []int) {
			cut := make([]int, n)
			for c := range n {
				for i, p := range pos {
					cut[i] = (p + c) % n
				}
				seen[key(cut)]++
				total++
			}
		})
		permutations(n, func(pos []int) {
			got := math.Exp(LogLRRiffleThenCut(pos, float64(a))) / 120
			if want := seen[key(pos)] / total; math.Abs(got-want) > 1e-12 {
				t.Errorf("a=%d pos=%v: probability %v, enumeration %v", a, pos, got, want)
			}
		})
	}
}

func TestGroupedByEnumeration(t *testing.T) {
	counts := []int{2, 1, 3}
	face := []int{0, 0, 1, 2, 2, 2}
	g, err := NewGrouped(counts)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []int{2, 3, 4} {
		seen, total := map[int]float64{}, 0.0
		spell := func(pos []int) (k int) {
			var e [6]int
			for i, p := range pos {
				e[p] = face[i]
			}
			return key(e[:])
		}
		shuffles(6, a, func(pos []int) { seen[spell(pos)]++; total++ })
		permutations(6, func(pos []int) {
			places := make([][]int, 3)
			e := make([]int, 6)
			for i, p := range pos {
				e[p] = face[i]
			}
			for p, f := range e {
				places[f] = append(places[f], p)
			}
			l, err := g.LogLR(places, float64(a))
			if err != nil {
				t.Fatal(err)
			}
			got := math.Exp(l) * 2 * 6 / 720 // 2! 1! 3! / 6! is the uniform probability of one order
			if want := seen[spell(pos)] / total; math.Abs(got-want) > 1e-12 {
				t.Fatalf("a=%d order %v: probability %v, enumeration %v", a, e, got, want)
			}
		})
	}
}

func TestKeptNeighboursByEnumeration(t *testing.T) {
	for n := 1; n <= 7; n++ {
		seen, total := make([]float64, n), 0.0
		permutations(n, func(pos []int) {
			k := 0
			for i := 1; i < n; i++ {
				if pos[i] == pos[i-1]+1 {
					k++
				}
			}
			seen[k]++
			total++
		})
		for k, p := range KeptNeighbours(n) {
			if math.Abs(p-seen[k]/total) > 1e-12 {
				t.Errorf("n=%d: P(K=%d) = %v, enumeration %v", n, k, p, seen[k]/total)
			}
		}
	}
}

func TestEstimateRiffles(t *testing.T) {
	for _, c := range []struct{ n, r, best int }{{52, 1, 0}, {52, 2, 1}, {52, 4, 2}, {52, 8, 3}, {52, 14, 4}, {52, 27, MaxEstimate}, {60, 52, MaxEstimate}} {
		est, err := EstimateRiffles(c.n, c.r, .95)
		if err != nil {
			t.Fatal(err)
		}
		if est.Best != c.best || est.Low > c.best || est.High < c.best {
			t.Errorf("%d cards, R = %d: estimate %+v, want %d", c.n, c.r, est, c.best)
		}
	}
	if _, err := EstimateRiffles(52, 53, .95); err == nil {
		t.Error("53 rising sequences of 52 cards were accepted")
	}
}

func TestLawsRefuseNonsense(t *testing.T) {
	if _, err := AfterRiffles(0, 3); err == nil {
		t.Error("no cards accepted")
	}
	if _, err := AfterRiffles(52, 41); err == nil {
		t.Error("41 riffles accepted")
	}
	if _, err := Uniform(0); err == nil {
		t.Error("no cards accepted")
	}
	if _, err := NewGrouped([]int{4, 0}); err == nil {
		t.Error("a face without copies accepted")
	}
	if Runs(3, 4) != nil || SquaredGaps(3, 4) != nil || Hypergeometric(5, 6, 2) != nil {
		t.Error("more marked cards than cards accepted")
	}
}
