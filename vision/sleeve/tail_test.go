package sleeve

import (
	"math"
	"math/rand/v2"
	"testing"
)

// quantile of a law: the value that a share p of all peaks exceeds.
type law struct {
	name     string
	quantile func(p float64) float64
	finite   bool // it ends somewhere, which the tail does not believe
}

func laws() []law {
	normal := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(1-2*p) }
	return []law{
		{"exponential", func(p float64) float64 { return -2 * math.Log(p) }, false},
		{"squared Gaussian", func(p float64) float64 { return sq(normal(p / 2)) }, false},
		{"lognormal", func(p float64) float64 { return 10 * math.Exp(0.5*normal(p)) }, false},
		{"bounded", func(p float64) float64 { return 60 * (1 - math.Pow(p, 0.2)) }, true},
	}
}

// peaksOf draws the largest peaks of n sleeves with 400 peaks each (Renyi's
// representation: the shares exceeded by the largest are a Poisson process).
func peaksOf(r *rand.Rand, l law, n int) [][]float64 {
	const peaks = 400
	top := make([][]float64, n)
	for k := range top {
		gamma := 0.0
		for range tailRanks {
			gamma += r.ExpFloat64()
			top[k] = append(top[k], l.quantile(math.Min(gamma/peaks, 1)))
		}
	}
	return top
}

// TestTheFamilyWiseRateIsTheOneAsked: the share of clean decks with a peak
// beyond the limit for a rate is not above it, and in a full deck not a tenth of
// it where the law has no end. (The bounds are three binomial standard deviations.)
func TestTheFamilyWiseRateIsTheOneAsked(t *testing.T) {
	const trials = 600
	for _, l := range laws() {
		for _, n := range []int{12, 60} {
			r := rand.New(rand.NewPCG(uint64(n), 0x7a11))
			var beyond [2]int
			rates := [2]float64{0.01, 0.05}
			for range trials {
				top := peaksOf(r, l, n)
				tail := fitTail(top, 2)
				strongest := 0.0
				for _, v := range top {
					strongest = math.Max(strongest, v[0])
				}
				for i, rate := range rates {
					if strongest > tail.threshold(rate/float64(n)) {
						beyond[i]++
					}
				}
			}
			for i, rate := range rates {
				got := float64(beyond[i]) / trials
				slack := 3 * math.Sqrt(rate*(1-rate)/trials)
				t.Logf("%s, %d sleeves: %.4f of decks beyond the limit for %g", l.name, n, got, rate)
				if got > rate+slack {
					t.Errorf("%s, %d sleeves: %.3f of clean decks are beyond the limit for %g", l.name, n, got, rate)
				}
				// A limit that is never reached finds nothing either.
				if i == 1 && !l.finite && n == 60 && got < rate/10 {
					t.Errorf("%s, %d sleeves: only %.4f of clean decks are beyond the limit for %g", l.name, n, got, rate)
				}
			}
		}
	}
}
