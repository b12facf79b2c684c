package theory

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"fairdeck/internal/shufflestudy/reference"
)

// sameDigits compares a value with a printed figure to every digit that is printed.
func sameDigits(t *testing.T, what string, row reference.Row, col string, got float64) {
	t.Helper()
	digits := row.Digits(col)
	if s := strconv.FormatFloat(got, 'f', digits, 64); s != row[col] {
		// A figure that lies within rounding error of the half-way point may fall to either side.
		if math.Abs(got-row.F(t, col)) > 0.5000001*math.Pow(10, -float64(digits)) {
			t.Errorf("%s: %s = %s, the table says %s", what, col, s, row[col])
		}
	}
}

func law(t *testing.T, n, k int) *Riffles {
	t.Helper()
	l, err := AfterRiffles(n, k)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestReferenceTotalVariation(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "tv_exact.csv") {
		n, k := row.I(t, "n"), row.I(t, "k")
		l := law(t, n, k)
		what := fmt.Sprintf("n=%d k=%d", n, k)
		sameDigits(t, what, row, "tv", l.TotalVariation())
		sameDigits(t, what, row, "separation", l.Separation())
		sameDigits(t, what, row, "kl_bits", l.Bits())
		mean, sd := l.MeanSD()
		sameDigits(t, what, row, "mean_R", mean)
		sameDigits(t, what, row, "sd_R", sd)
	}
}

func TestReferenceOptimalPower(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "power_optimal_distinct.csv") {
		n, k := row.I(t, "n"), row.I(t, "k")
		null, err := Uniform(n)
		if err != nil {
			t.Fatal(err)
		}
		test, err := OptimalTest(null, row.F(t, "alpha"))
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("n=%d k=%d alpha=%s", n, k, row["alpha"])
		if test.RejectAtMost != row.I(t, "crit_R_le") {
			t.Errorf("%s: rejects R <= %d, the table says %s", what, test.RejectAtMost, row["crit_R_le"])
		}
		sameDigits(t, what, row, "size_nonrandomised", test.Size)
		sameDigits(t, what, row, "gamma_at_crit_plus1", test.Gamma)
		plain, exact := test.Power(law(t, n, k))
		sameDigits(t, what, row, "power_nonrandomised", plain)
		sameDigits(t, what, row, "power_randomised_exact_level", exact)
	}
}

func TestReferenceCompositeNull(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "critical_R_composite_null.csv") {
		n, k0 := row.I(t, "n"), row.I(t, "null_riffles")
		test, err := OptimalTest(law(t, n, k0), row.F(t, "alpha"))
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("n=%d null=%d alpha=%s", n, k0, row["alpha"])
		if test.RejectAtMost != row.I(t, "reject_if_R_le") {
			t.Errorf("%s: rejects R <= %d, the table says %s", what, test.RejectAtMost, row["reject_if_R_le"])
		}
		sameDigits(t, what, row, "size_at_null", test.Size)
		u, err := Uniform(n)
		if err != nil {
			t.Fatal(err)
		}
		sameDigits(t, what, row, "size_at_uniform", u.AtMost(test.RejectAtMost))
		for k := 3; k <= 6; k++ {
			plain, _ := test.Power(law(t, n, k))
			sameDigits(t, what, row, fmt.Sprintf("power_k%d", k), plain)
		}
	}
}

func TestReferenceNeighbours(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "null_preserved_neighbours.csv") {
		p := KeptNeighbours(row.I(t, "n"))
		k := row.I(t, "k")
		what := fmt.Sprintf("n=%s k=%d", row["n"], k)
		sameDigits(t, what, row, "P(K=k)", p[k])
		sameDigits(t, what, row, "P(K>=k)", AtLeast(p, k))
	}
}

func TestReferenceRuns(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "null_runs_exact.csv") {
		p := Runs(row.I(t, "n"), row.I(t, "m"))
		what := fmt.Sprintf("n=%s m=%s", row["n"], row["m"])
		mean, _ := MeanVariance(p)
		sameDigits(t, what, row, "mean_runs", mean)
		critical(t, what, row, p, "low_crit_.01", "high_crit_.01", "low_crit_.001", "high_crit_.001")
	}
}

func TestReferenceSquaredGaps(t *testing.T) {
	for _, row := range reference.Table(t, "stats", "null_gap_sumsq_exact.csv") {
		p := SquaredGaps(row.I(t, "n"), row.I(t, "m"))
		what := fmt.Sprintf("n=%s m=%s", row["n"], row["m"])
		mean, variance := MeanVariance(p)
		sameDigits(t, what, row, "mean", mean)
		sameDigits(t, what, row, "sd", math.Sqrt(variance))
		least := 0
		for p[least] == 0 {
			least++
		}
		if least != row.I(t, "min_possible") {
			t.Errorf("%s: smallest sum %d, the table says %s", what, least, row["min_possible"])
		}
		critical(t, what, row, p, "even_crit_.01", "clump_crit_.01", "even_crit_.001", "clump_crit_.001")
	}
}

func critical(t *testing.T, what string, row reference.Row, p []float64, low01, high01, low001, high001 string) {
	t.Helper()
	low := func(alpha float64, col string) {
		c := LowCritical(p, alpha)
		if c != row.I(t, col) {
			t.Errorf("%s: %s = %d, the table says %s", what, col, c, row[col])
		}
	}
	high := func(alpha float64, col string) {
		c := HighCritical(p, alpha)
		if c != row.I(t, col) {
			t.Errorf("%s: %s = %d, the table says %s", what, col, c, row[col])
		}
	}
	low(.01, low01)
	low(.001, low001)
	high(.01, high01)
	high(.001, high001)
}
