package theory

import "fmt"

// Test is the most powerful test of "uniformly random" (or of "at least so many riffles") against
// fewer riffles: it rejects small numbers of rising sequences. The likelihood ratio falls in r for
// every k, so it is uniformly most powerful.
type Test struct {
	N     int
	Alpha float64
	// RejectAtMost is the largest r that is rejected outright; 0 when none is.
	RejectAtMost int
	// Size is the false-alarm rate of rejecting r <= RejectAtMost, at most Alpha.
	Size float64
	// Gamma is the probability with which RejectAtMost+1 would have to be rejected to use up Alpha exactly.
	Gamma float64
}

// OptimalTest finds the test of level alpha under the given null law.
func OptimalTest(null *Riffles, alpha float64) (Test, error) {
	if alpha <= 0 || alpha >= 1 {
		return Test{}, fmt.Errorf("level %v: must lie between 0 and 1", alpha)
	}
	t := Test{N: null.N, Alpha: alpha}
	for r := 1; r <= null.N; r++ {
		c := null.AtMost(r)
		if c > alpha {
			t.Gamma = (alpha - t.Size) / null.P(r)
			break
		}
		t.RejectAtMost, t.Size = r, c
	}
	return t, nil
}

// Power is the chance that the test rejects under the alternative, without and with the randomised
// rejection of RejectAtMost+1 that makes its level exact. The second is the most any test of this
// level can reach (Neyman and Pearson).
func (t Test) Power(alt *Riffles) (plain, exactLevel float64) {
	plain = alt.AtMost(t.RejectAtMost)
	return plain, plain + t.Gamma*alt.P(t.RejectAtMost+1)
}
