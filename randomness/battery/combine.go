package battery

// Family is one of the two verdicts.
type Family int

const (
	// Memory: does the order remember the order before?
	Memory Family = iota
	// Arrangement: are classes and copies spread as in a random order?
	Arrangement
	// NumFamilies is the number of verdicts.
	NumFamilies
)

// Family is the verdict a statistic belongs to.
func (s Stat) Family() Family {
	if s.Order() {
		return Memory
	}
	return Arrangement
}

// Weights say how much of the level each statistic and each verdict may spend. The score of a
// verdict is the weighted harmonic mean of its p-values (Wilson 2019), that is the sum of weight/p;
// the overall score is the larger of weight/p over the verdicts. Both are calibrated on the null
// table, so weights shift power between alternatives and never touch the error rate.
type Weights struct {
	Stat   [NumStats]float64
	Family [NumFamilies]float64
}

// DefaultWeights depend on whether copies exist: with distinct cards the number of rising sequences
// is all there is to know about riffles and most other statistics have power to spare; with copies
// the evidence is spread. They were chosen on simulations with their own seeds; docs/RANDOMNESS.md
// shows what each one buys.
func DefaultWeights(distinct bool) Weights {
	var w Weights
	if distinct {
		w.Stat = [NumStats]float64{
			Rising: .62, Sticky: .12, CyclicFew: .05, CyclicMany: .02, Kept: .05, Turned: .02,
			Stride: .02, StrideWide: .04, Block: .02, Ends: .03, Near: .01,
		}
		w.Family = [NumFamilies]float64{.72, .28}
	} else {
		w.Stat = [NumStats]float64{
			Rising: .34, Sticky: .18, CyclicFew: .03, CyclicMany: .02, Kept: .07, KeptLight: .02, Turned: .02,
			Stride: .03, StrideWide: .20, Block: .02, Ends: .06, Near: .01,
		}
		w.Family = [NumFamilies]float64{.70, .30}
	}
	for s, v := range map[Stat]float64{
		ClassEven: .14, ClassClump: .22, GapEven: .02, GapClump: .05, RunsFew: .02, RunsMany: .02, ClassEnds: .43,
		CopyTouch: .04, CopyEven: .04, CopyClump: .04,
	} {
		w.Stat[s] = v
	}
	return w
}

// restrict drops what a deck does not allow and lets the rest share its part.
func (w Weights) restrict(b *Battery) Weights {
	var sum [NumFamilies]float64
	for s := range NumStats {
		if !b.active[s] {
			w.Stat[s] = 0
		}
		sum[s.Family()] += w.Stat[s]
	}
	total := 0.0
	for f := range NumFamilies {
		if sum[f] == 0 {
			w.Family[f] = 0
		}
		total += w.Family[f]
	}
	for s := range NumStats {
		if sum[s.Family()] > 0 {
			w.Stat[s] /= sum[s.Family()]
		}
	}
	for f := range NumFamilies {
		if total > 0 {
			w.Family[f] /= total
		}
	}
	return w
}
