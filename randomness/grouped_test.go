package randomness

import (
	"math"
	"slices"
	"testing"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/simulate"
)

// The exact evidence of a sorted deck is an e-value: over random decks its mean is 1.
func TestGroupedEvidenceHasMeanOne(t *testing.T) {
	var before []uint8
	for f := range 10 {
		for range 1 + f%4 {
			before = append(before, uint8(f))
		}
	}
	rng := simulate.NewRand(5, 1)
	const trials = 3000
	sum, square := 0.0, 0.0
	for range trials {
		after := slices.Clone(before)
		rng.Shuffle(len(after), func(i, j int) { after[i], after[j] = after[j], after[i] })
		g, places := groupedStart(before, after)
		if g == nil {
			t.Fatal("a sorted deck is not recognised")
		}
		_, e, err := groupedLikelihood(g, places)
		if err != nil {
			t.Fatal(err)
		}
		sum += e
		square += e * e
	}
	mean := sum / trials
	se := math.Sqrt((square/trials - mean*mean) / trials)
	// Small evidence is common and large evidence rare, so the mean is judged from above; below it
	// may miss rare large values.
	if mean > 1+4*se || mean < .5 {
		t.Errorf("mean evidence %.3f +- %.3f", mean, se)
	}
}

func TestGroupedStartIsRecognised(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []uint8
		want          bool
	}{
		"sorted":        {[]uint8{0, 0, 1, 2, 2}, []uint8{2, 0, 1, 0, 2}, true},
		"not together":  {[]uint8{0, 1, 0, 2, 2}, []uint8{2, 0, 1, 0, 2}, false},
		"distinct":      {[]uint8{0, 1, 2}, []uint8{2, 0, 1}, false},
		"unread before": {[]uint8{0, 0, battery.Unread}, []uint8{0, 0, 1}, false},
		"unread after":  {[]uint8{0, 0, 1}, []uint8{0, battery.Unread, 1}, false},
		"misread":       {[]uint8{0, 0, 1}, []uint8{0, 1, 1}, false},
	} {
		if g, _ := groupedStart(c.before, c.after); (g != nil) != c.want {
			t.Errorf("%s: recognised %v", name, g != nil)
		}
	}
}
