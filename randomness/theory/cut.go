package theory

import "math"

// CyclicDescents counts the places i (cyclically, the last followed by the first) where pos falls.
// It does not change when the deck is cut. Under a uniformly random order its mean is n/2 and its
// variance n/12.
func CyclicDescents(pos []int) int {
	n := len(pos)
	if n < 2 {
		return 0
	}
	d := 0
	for i := range pos {
		if pos[i] > pos[(i+1)%n] {
			d++
		}
	}
	return d
}

// LogLRRiffleThenCut is the log likelihood ratio against a uniformly random order of a GSR
// a-shuffle (a = 2^k) followed by a cut at a uniformly random place, which is what a player's
// shuffle and the opponent's cut leave:
//
//	P = C(a+n-cd-1, n-1) (a+n-cd-g) / (n a^n),  g = (pos[last] - pos[first]) mod n, cd = cyclic descents.
//
// Derived for this project and checked by enumerating all shuffles of five cards (see the tests).
func LogLRRiffleThenCut(pos []int, a float64) float64 {
	n := len(pos)
	if n < 2 {
		return 0
	}
	cd := CyclicDescents(pos)
	g := ((pos[n-1]-pos[0])%n + n) % n
	// log C(a+n-cd-1, n-1): zero ways when a < cd
	if a < float64(cd) || a+float64(n-cd-g) <= 0 {
		return math.Inf(-1)
	}
	top := a + float64(n-cd-1)
	sum := 0.0
	for j := 0; j < n-1; j++ {
		v := top - float64(j)
		if v <= 0 {
			return math.Inf(-1)
		}
		sum += math.Log(v)
	}
	lgN, _ := math.Lgamma(float64(n + 1))
	lgN1, _ := math.Lgamma(float64(n))
	return sum - lgN1 + math.Log(a+float64(n-cd-g)) - math.Log(float64(n)) - float64(n)*math.Log(a) + lgN
}
