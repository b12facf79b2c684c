package theory

import (
	"fmt"
	"math"
	"math/big"
)

// maxRiffles bounds k: 2^k must stay an int64 with room for the deck, and beyond 40 riffles no deck
// of this world is distinguishable from a random one.
const maxRiffles = 40

// Riffles is the exact law of the number of rising sequences R of n distinct cards after k GSR
// riffles; Uniform gives the limit.
type Riffles struct {
	N, K   int        // cards, riffles; K = -1 for the uniform law
	count  []*big.Int // count[r-1] permutations have r rising sequences
	weight []*big.Int // probability of one permutation with r rising sequences, times total
	total  *big.Int
}

// AfterRiffles returns the law of R for n cards after k GSR riffles. One permutation with r rising
// sequences has probability C(2^k + n - r, n) / 2^(kn) (Bayer and Diaconis 1992, theorem 1). n must
// be positive and k in 0..40.
func AfterRiffles(n, k int) (*Riffles, error) {
	if n < 1 || k < 0 || k > maxRiffles {
		return nil, fmt.Errorf("riffle law of %d cards after %d riffles: need at least one card and 0 to %d riffles", n, k, maxRiffles)
	}
	l := &Riffles{N: n, K: k, count: Eulerian(n), weight: make([]*big.Int, n)}
	a := int64(1) << k
	for r := 1; r <= n; r++ {
		l.weight[r-1] = new(big.Int)
		if a >= int64(r) {
			l.weight[r-1].Binomial(a+int64(n-r), int64(n))
		}
	}
	l.total = new(big.Int).Lsh(big.NewInt(1), uint(k*n))
	return l, nil
}

// Uniform returns the law of R for n cards in a uniformly random order. n must be positive.
func Uniform(n int) (*Riffles, error) {
	if n < 1 {
		return nil, fmt.Errorf("uniform law of %d cards: need at least one card", n)
	}
	l := &Riffles{N: n, K: -1, count: Eulerian(n), weight: make([]*big.Int, n), total: factorial(n)}
	for r := range l.weight {
		l.weight[r] = big.NewInt(1)
	}
	return l, nil
}

// mass is P(R = r) times l.total.
func (l *Riffles) mass(r int) *big.Int {
	return new(big.Int).Mul(l.count[r-1], l.weight[r-1])
}

// P is the probability of exactly r rising sequences.
func (l *Riffles) P(r int) float64 {
	if r < 1 || r > l.N {
		return 0
	}
	return ratio(l.mass(r), l.total)
}

// AtMost is the probability of r rising sequences or fewer.
func (l *Riffles) AtMost(r int) float64 {
	sum := new(big.Int)
	for i := 1; i <= min(r, l.N); i++ {
		sum.Add(sum, l.mass(i))
	}
	return ratio(sum, l.total)
}

// MeanSD returns the mean and the standard deviation of R.
func (l *Riffles) MeanSD() (mean, sd float64) {
	first, second := new(big.Int), new(big.Int)
	for r := 1; r <= l.N; r++ {
		m := l.mass(r)
		m.Mul(m, big.NewInt(int64(r)))
		first.Add(first, m)
		second.Add(second, new(big.Int).Mul(m, big.NewInt(int64(r))))
	}
	// The variance is taken in rationals: its two terms agree in all but the last digits when k is small.
	mu := new(big.Rat).SetFrac(first, l.total)
	v := new(big.Rat).SetFrac(second, l.total)
	v.Sub(v, new(big.Rat).Mul(mu, mu))
	mean, _ = mu.Float64()
	variance, _ := v.Float64()
	return mean, math.Sqrt(variance)
}

// TotalVariation is the total variation distance to the uniform law, 0..1: the largest difference
// between the chances of any event after the k riffles and in a perfectly mixed deck (Bayer and
// Diaconis 1992, table 1).
func (l *Riffles) TotalVariation() float64 {
	fact := factorial(l.N)
	sum := new(big.Int)
	for r := 1; r <= l.N; r++ {
		d := new(big.Int).Mul(l.weight[r-1], fact)
		d.Sub(d, l.total)
		d.Abs(d)
		sum.Add(sum, d.Mul(d, l.count[r-1]))
	}
	den := new(big.Int).Mul(l.total, fact)
	return ratio(sum, den.Lsh(den, 1))
}

// Separation is 1 minus the smallest ratio of an order's probability to 1/n!, 0..1. The least
// likely order is the reversal, n rising sequences.
func (l *Riffles) Separation() float64 {
	left := new(big.Int).Mul(l.weight[l.N-1], factorial(l.N))
	return ratio(new(big.Int).Sub(l.total, left), l.total)
}

// Bits is the Kullback-Leibler divergence to the uniform law in bits: the information about the old
// order that is left (Trefethen and Trefethen 2000).
func (l *Riffles) Bits() float64 {
	fact := factorial(l.N)
	sum := 0.0
	for r := 1; r <= l.N; r++ {
		if l.weight[r-1].Sign() == 0 {
			continue
		}
		sum += l.P(r) * (logOf(l.weight[r-1]) + logOf(fact) - logOf(l.total)) / math.Ln2
	}
	return sum
}

// LogLR is the natural logarithm of the likelihood ratio of one order with r rising sequences: its
// probability after the riffles over 1/n!. It is -Inf where the riffles cannot make r rising
// sequences.
func (l *Riffles) LogLR(r int) float64 {
	if r < 1 || r > l.N || l.weight[r-1].Sign() == 0 {
		return math.Inf(-1)
	}
	return logOf(l.weight[r-1]) + logOf(factorial(l.N)) - logOf(l.total)
}

// logOf is the natural logarithm of a positive big integer of any size.
func logOf(x *big.Int) float64 {
	mant := new(big.Float)
	exp := new(big.Float).SetInt(x).MantExp(mant)
	m, _ := mant.Float64()
	return math.Log(m) + float64(exp)*math.Ln2
}

// LogLR is the likelihood ratio, in natural logarithm, of an order of n distinct cards with r
// rising sequences after an a-shuffle (an a-handed riffle; a = 2^k for k riffles) against a
// uniformly random order: n! C(a+n-r, n)/a^n. It works in floating point and is meant for the
// inside of loops; Riffles.LogLR is its exact twin.
func LogLR(n, r int, a float64) float64 {
	if float64(r) > a {
		return math.Inf(-1)
	}
	// n! C(a+n-r, n) / a^n = prod_{j=1..n} (1 + (j-r)/a)
	sum := 0.0
	for j := 1; j <= n; j++ {
		sum += math.Log1p(float64(j-r) / a)
	}
	return sum
}

// RisingSequences counts the rising sequences of an order given by pos.
func RisingSequences(pos []int) int {
	if len(pos) == 0 {
		return 0
	}
	r := 1
	for i := 1; i < len(pos); i++ {
		if pos[i-1] > pos[i] {
			r++
		}
	}
	return r
}

// Estimate is the number of GSR riffles an order looks like.
type Estimate struct {
	Best       int // the most likely number of riffles, 0..MaxEstimate; MaxEstimate reads "that many or more"
	Low, High  int // every number in Low..High is compatible with the order at the stated confidence
	Confidence float64
	Unlike     bool // more rising sequences than any number of riffles leaves; Low and High are Best
}

// MaxEstimate is the largest number of riffles an Estimate names. Ten riffles of 100 cards are
// within 0.11 total variation of uniform; a larger number could never be told from it.
const MaxEstimate = 10

// EstimateRiffles gives the maximum-likelihood number of riffles behind r rising sequences of n
// distinct cards, and the interval of all numbers whose law does not put r into either tail of
// (1-confidence)/2.
func EstimateRiffles(n, r int, confidence float64) (Estimate, error) {
	if r < 1 || r > n {
		return Estimate{}, fmt.Errorf("%d rising sequences of %d cards: not possible", r, n)
	}
	est := Estimate{Low: -1, Confidence: confidence}
	tail := (1 - confidence) / 2
	best := math.Inf(-1)
	for k := 0; k <= MaxEstimate; k++ {
		law, err := AfterRiffles(n, k)
		if err != nil {
			return Estimate{}, err
		}
		if l := law.LogLR(r); l > best {
			best, est.Best = l, k
		}
		if law.AtMost(r) > tail && 1-law.AtMost(r-1) > tail {
			if est.Low < 0 {
				est.Low = k
			}
			est.High = k
		}
	}
	if est.Low < 0 { // r lies between the laws of two numbers of riffles, or beyond the last one
		est.Low, est.High, est.Unlike = est.Best, est.Best, est.Best == MaxEstimate
	}
	est.Low, est.High = min(est.Low, est.Best), max(est.High, est.Best)
	return est, nil
}
