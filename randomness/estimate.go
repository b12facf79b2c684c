package randomness

import (
	"context"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

const (
	estimateConfidence = .95
	// estimateDraws per number of riffles: the ends of the interval are 2.5% tails, known to about 0.7%.
	estimateDraws = 500
)

// estimateRiffles gives the number of average riffles that the order looks like: exact for distinct
// cards; for copies by simulating each number of riffles of this very deck and keeping those that
// put the tilted chain statistic into neither tail.
func (s *Scorer) estimateRiffles(ctx context.Context, b *battery.Battery, codes battery.Codes, rising, readable int) (*RiffleEstimate, error) {
	if b.Distinct() {
		e, err := theory.EstimateRiffles(readable, rising, estimateConfidence)
		if err != nil {
			return nil, err
		}
		return &RiffleEstimate{Best: e.Best, Low: e.Low, High: e.High, Confidence: e.Confidence, Most: theory.MaxEstimate, Unlike: e.Unlike, Method: "exact"}, nil
	}
	out := &RiffleEstimate{Low: -1, Confidence: estimateConfidence, Most: theory.MaxEstimate, Method: "simulated"}
	best, nearest := 0.0, 0
	for k := 0; k <= theory.MaxEstimate; k++ {
		draws := min(estimateDraws, s.opt.Draws)
		if k == 0 {
			draws = 1 // without gaps every draw is the order before itself
		}
		t, err := b.NewTable(ctx, battery.Null{Riffles: k, Uncut: true}, battery.DefaultWeights(false), battery.NullOptions{Draws: draws, Seed: s.opt.Seed + 1, Workers: s.opt.Workers})
		if err != nil {
			return nil, err
		}
		up, low := t.Tails(battery.Rising, codes)
		v := min(up, low)
		if v > best {
			best, out.Best = v, k
		}
		if up >= .5 { // so few riffles still leave at least as much of the old order as there is
			nearest = k
		}
		if k == theory.MaxEstimate && low <= (1-estimateConfidence)/2 {
			out.Unlike = true
		}
		if v > (1-estimateConfidence)/2 {
			if out.Low < 0 {
				out.Low = k
			}
			out.High = k
		}
	}
	if out.Low < 0 {
		if out.Unlike {
			nearest = theory.MaxEstimate
		}
		if best == 0 {
			out.Best = nearest
		}
		out.Low, out.High = out.Best, out.Best
	} else {
		out.Unlike = false
	}
	out.Low, out.High = min(out.Low, out.Best), max(out.High, out.Best)
	return out, nil
}
