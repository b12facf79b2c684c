package check

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fairdeck/internal/record"
	"fairdeck/vision/frame"
)

// Whole is a whole deck check: sleeves, order, and what they have to do with
// each other.
type Whole struct {
	Dealt
	// Faces are the fronts of the cards, one for each place of the order; nil
	// where none was seen.
	Faces []*frame.Image
}

// OnePass checks backs and faces that were dealt in one pass. Where one of the
// zones saw nothing, the check is of the other alone, and says so.
func (t *Table) OnePass(ctx context.Context, pass *record.Capture, f FaceOptions) (*Whole, error) {
	for _, z := range t.zones {
		z.dropSpecks()
	}
	back, face := t.backAndFace()
	if back == nil {
		faced, err := t.Order(ctx, pass, f)
		if err != nil {
			return nil, err
		}
		return &Whole{Dealt{Check: faced.Check, Evidence: &record.Evidence{}}, faced.Faces}, nil
	}
	var numbers []int
	pass.Again = 0
	for i, r := range back.reason {
		if r == "" {
			numbers = append(numbers, i+1)
		} else {
			pass.Again++
		}
	}
	pass.Sightings = len(numbers)
	dealt, err := back.deal.Check(ctx, numbers, pass)
	if err != nil {
		return nil, err
	}
	if face == nil {
		return &Whole{*dealt, nil}, nil
	}
	c := draft{Check: dealt.Check}
	// Backs that could not be used were there all the same.
	pairs := pairTimes(back.start, face.start)
	sleeveOf := map[int]int{} // sighting of the back to sleeve
	for s, n := range numbers {
		sleeveOf[n-1] = s + 1
	}
	var fronts []*front
	seen := face.fronts()
	for _, p := range pairs {
		fr := &front{unread: "this card's face was not seen: two may have been dealt as one"}
		if p.face >= 0 {
			fr = seen[p.face]
		}
		if p.back >= 0 {
			fr.sleeve = sleeveOf[p.back]
		}
		fronts = append(fronts, fr)
	}
	for i, fr := range fronts {
		if fr.place != nil {
			fr.file = FaceFile(i + 1)
			fr.place.file = fr.file
		}
	}
	tellPairs(c, pairs)
	out, err := joinFaces(ctx, dealt, fronts, record.OrderOnePass, t.o, f)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// joinFaces reads the fronts and adds order and patterns to a check of backs.
func joinFaces(ctx context.Context, dealt *Dealt, fronts []*front, by string, o Options, f FaceOptions) (*Whole, error) {
	start := time.Now()
	c := draft{Check: dealt.Check}
	faced, err := learnOrder(ctx, fronts, o, f, c)
	if err != nil {
		return nil, err
	}
	c.Order.By = by
	if err := findPatterns(c); err != nil {
		return nil, err
	}
	c.Timings.Total = finite(c.Timings.Total + time.Since(start).Seconds())
	c.Normalise()
	return &Whole{*dealt, faced.Faces}, nil
}

// pairing is one card of a one-pass deal: indices of the sightings of its back
// and of its face, -1: not seen.
type pairing struct{ back, face int }

// missCost is what a card seen on one side only costs, in periods of the deal:
// dearer than a pair that is a third of a period early or late, cheaper than
// one that is a whole period off, which would give marks to the wrong cards.
const missCost = 0.45

// pairTimes says which back and which face are of one card, by their times
// alone. The back of a card comes to sight when the card above it is lifted, its
// face one period later, when it is put down itself. Marks and faces go to the
// same card only where that fits; dynamic programming finds the dearest way not
// to take (Needleman & Wunsch, "A general method applicable to the search for
// similarities", 1970).
func pairTimes(back, face []time.Duration) []pairing {
	period := medianGap(face)
	if p := medianGap(back); period == 0 || p > 0 && p < period {
		period = p
	}
	if period == 0 {
		period = time.Second
	}
	n, m := len(back), len(face)
	cost := make([][]float64, n+1)
	for i := range cost {
		cost[i] = make([]float64, m+1)
	}
	match := func(i, j int) float64 {
		lag := float64(face[j]-back[i]) / float64(period)
		if lag <= 0.05 {
			return math.Inf(1) // a face before its back
		}
		if i == 0 {
			// The deck lay there before the deal began; after the next card was
			// taken it is too late.
			return max(0.1, lag-1.2)
		}
		return math.Abs(lag - 1)
	}
	for i := n; i >= 0; i-- {
		for j := m; j >= 0; j-- {
			if i == n && j == m {
				continue
			}
			best := math.Inf(1)
			if i < n {
				best = min(best, cost[i+1][j]+missCost)
			}
			if j < m {
				best = min(best, cost[i][j+1]+missCost)
			}
			if i < n && j < m {
				best = min(best, cost[i+1][j+1]+match(i, j))
			}
			cost[i][j] = best
		}
	}
	var out []pairing
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && cost[i][j] == cost[i+1][j+1]+match(i, j):
			out = append(out, pairing{i, j})
			i++
			j++
		case i < n && cost[i][j] == cost[i+1][j]+missCost:
			out = append(out, pairing{i, -1})
			i++
		default:
			out = append(out, pairing{-1, j})
			j++
		}
	}
	return out
}

func medianGap(t []time.Duration) time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(t); i++ {
		gaps = append(gaps, t[i]-t[i-1])
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// tellPairs says which cards were seen on one side only.
func tellPairs(c draft, pairs []pairing) {
	var noFace, noBack []int
	for i, p := range pairs {
		switch {
		case p.face < 0:
			noFace = append(noFace, i+1)
		case p.back < 0:
			noBack = append(noBack, i+1)
		}
	}
	if len(noFace) > 0 {
		c.problem(record.Problem{Code: "face-missed", Text: fmt.Sprintf("backs without a face, at places %s of the order: cards may have been dealt as one", record.PlacesText(noFace)), Remedy: "look at these cards, or deal the deck again"})
	}
	if len(noBack) > 0 {
		c.problem(record.Problem{Code: "back-missed", Text: fmt.Sprintf("faces without a back, at places %s of the order: their sleeves were not inspected", record.PlacesText(noBack)), Remedy: "look at these sleeves, or deal the deck again"})
	}
}
