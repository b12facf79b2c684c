package randomness

import (
	"math"

	"fairdeck/randomness/theory"
	"github.com/montanaflynn/stats"
)

// EValue turns a valid p-value into evidence that can be multiplied over independent looks: the
// average of the calibrators k p^(k-1) over k in 0..1,
//
//	e = (1 - p + p ln p) / (p ln^2 p)
//
// (Vovk and Wang, "E-values: calibration, combination and applications", Annals of Statistics 49,
// 2021). Its mean over fair shuffles is at most 1, so a product of 1,000 or more happens to a fair
// player at most once in 1,000 histories, whenever one chooses to stop looking.
func EValue(p float64) float64 {
	switch {
	case p >= 1:
		return .5 // the limit
	case p <= 0:
		return math.Inf(1)
	}
	l := math.Log(p)
	if l > -1e-4 { // the formula cancels near p = 1; its expansion is 1/2 + (1-p)/6
		return .5 + (1-p)/6
	}
	return (1 - p + p*l) / (p * l * l)
}

// riffleEvidence averages the exact likelihood ratios of one to six riffles for n distinct cards
// with r rising sequences.
func riffleEvidence(n, r int) float64 {
	sum := 0.0
	const most = 6
	for k := 1; k <= most; k++ {
		sum += math.Exp(theory.LogLR(n, r, float64(int(1)<<k)))
	}
	return sum / most
}

// Evidence adds up the shuffles of one player.
type Evidence struct {
	Values  []float64 `json:"e_values"` // one per shuffle
	Product float64   `json:"product"`
	// P is the anytime-valid p-value: 1 over the largest running product.
	P     float64 `json:"p"`
	Level Level   `json:"level"`
}

// Combine multiplies e-values in their order in time.
func (o Options) Combine(values []float64) Evidence {
	e := Evidence{Values: values, Product: 1, P: 1}
	for _, v := range values {
		e.Product = min(e.Product*v, math.MaxFloat64) // a hundred bad shuffles multiply beyond what JSON can hold
		e.P = min(e.P, 1/e.Product)
	}
	e.Level = o.level(e.P)
	if len(values) == 0 {
		e.Level = Undecided
	}
	return e
}

// meanSD of whole numbers.
func meanSD(v []int) (mean, sd float64) {
	d := stats.LoadRawData(v)
	mean, err := d.Mean()
	if err != nil {
		return 0, 0
	}
	if sd, err = d.StandardDeviation(); err != nil {
		return mean, 0
	}
	return mean, sd
}
