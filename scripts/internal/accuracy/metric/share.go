package metric

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Share is k of n trials.
type Share struct{ K, N int }

// Add counts one trial.
func (s *Share) Add(hit bool) {
	s.N++
	if hit {
		s.K++
	}
}

// Plus returns the trials of both.
func (s Share) Plus(t Share) Share { return Share{s.K + t.K, s.N + t.N} }

// Rate is K/N, NaN without trials.
func (s Share) Rate() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return float64(s.K) / float64(s.N)
}

// Interval is the exact two-sided binomial interval of Clopper & Pearson 1934
// (Biometrika 26, 404-413) at the given confidence, such as 0.95: whatever the
// true rate, at least that share of such intervals hold it. Without trials it
// is 0 to 1.
func (s Share) Interval(confidence float64) (low, high float64) {
	low, high = 0, 1
	tail := (1 - confidence) / 2
	if s.K > 0 {
		low = distuv.Beta{Alpha: float64(s.K), Beta: float64(s.N - s.K + 1)}.Quantile(tail)
	}
	if s.K < s.N {
		high = distuv.Beta{Alpha: float64(s.K + 1), Beta: float64(s.N - s.K)}.Quantile(1 - tail)
	}
	return low, high
}

// String is "k/n (rate %)" or "–" without trials.
func (s Share) String() string {
	if s.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d (%s)", s.K, s.N, percent(s.Rate()))
}

// WithInterval adds the 95% interval.
func (s Share) WithInterval() string {
	if s.N == 0 {
		return "–"
	}
	low, high := s.Interval(0.95)
	return fmt.Sprintf("%d/%d = %s (95%%: %s to %s)", s.K, s.N, percent(s.Rate()), percent(low), percent(high))
}

// percent keeps one digit where it matters: near 0 and near 100.
func percent(v float64) string {
	p := 100 * v
	if (p > 0 && p < 10) || (p > 90 && p < 100) {
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}
