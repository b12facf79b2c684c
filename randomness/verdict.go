package randomness

import "fmt"

// Level is the short form of a verdict.
type Level string

// The levels. A level is advice: the judge decides.
const (
	// Sufficient: nothing that a fair shuffle would not show often enough.
	Sufficient Level = "sufficient"
	// Questionable: a fair shuffle looks like this at most once in 100 times (by default).
	Questionable Level = "questionable"
	// Insufficient: at most once in 1,000 times (by default).
	Insufficient Level = "insufficient"
	// Undecided: there is too little to look at.
	Undecided Level = "undecided"
)

// rank orders levels by severity.
func (l Level) rank() int {
	switch l {
	case Sufficient:
		return 1
	case Questionable:
		return 2
	case Insufficient:
		return 3
	}
	return 0
}

// NullResult is what one null law says.
type NullResult struct {
	Riffles     int     `json:"riffles"` // 0: uniformly random; else at least so many riffles and a cut
	Overall     float64 `json:"overall"`
	Memory      float64 `json:"memory"`      // does the order remember the order before? 1 without one
	Arrangement float64 `json:"arrangement"` // are classes and copies spread as chance would? 1 without classes and copies
	Draws       int     `json:"draws"`
}

// Range is how a verdict moves over the plausible completions of uncertain readings.
type Range struct {
	Completions int     `json:"completions"`
	LowP        float64 `json:"low_p"`  // 5% of completions have a smaller p
	HighP       float64 `json:"high_p"` // 5% have a larger one
	From        Level   `json:"from"`   // the mildest level among the completions
	To          Level   `json:"to"`     // the severest
}

// Warning is a reason to trust a result less.
type Warning struct {
	Kind string `json:"kind"` // stable word: few-cards, few-draws, few-faces, gaps, low-confidence, no-range, several-looks, no-before, no-classes, between-nulls, arrangement-only
	Text string `json:"text"`
}

// Finding is one thing that was seen.
type Finding struct {
	Kind     string  `json:"kind"`     // rising, kept, turned, stride, ends, near, even, clump, copies-together, copies-even
	Observed float64 `json:"observed"` // the count that the sentence names
	Fair     float64 `json:"fair"`     // its median after a fair shuffle
	OddsOne  float64 `json:"odds_one"` // a fair shuffle shows the threshold or more once in so many times
	P        float64 `json:"p"`        // calibrated p-value of the strongest statistic behind the finding, larger of the two nulls
	Effect   float64 `json:"effect"`   // (observed - mean)/sd of the count under fair shuffles
	Sentence string  `json:"sentence"`
	Looks    string  `json:"looks"` // what kind of shuffle would look so
}

// RiffleEstimate is the number of average (GSR) riffles an order looks like. Hands are neater than
// the model and repeat themselves, so it is an equivalent, never a count.
type RiffleEstimate struct {
	Best       int     `json:"best"`
	Low        int     `json:"low"`
	High       int     `json:"high"`
	Confidence float64 `json:"confidence"`
	Most       int     `json:"most"`             // High and Best equal to Most read "or more"
	Unlike     bool    `json:"unlike,omitempty"` // less of the old order than any number of riffles leaves
	Method     string  `json:"method"`           // exact; simulated for decks with copies, where Best is exact if the copies lay together before
}

// Verdict is the answer to one Request.
type Verdict struct {
	Level   Level        `json:"level"`
	P       float64      `json:"p"` // the larger p-value of the two nulls, times the number of looks
	Results []NullResult `json:"nulls"`
	Looks   int          `json:"looks"`
	Range   *Range       `json:"range,omitempty"`

	Sentence string    `json:"sentence"`
	Findings []Finding `json:"findings"`
	Warnings []Warning `json:"warnings"`

	Cards    int             `json:"cards"`
	Faces    int             `json:"faces"`
	Gaps     int             `json:"gaps"`
	Riffles  *RiffleEstimate `json:"riffle_equivalent,omitempty"`
	Effects  Effects         `json:"effects"`
	Evidence float64         `json:"e_value"` // valid under both nulls; values of one player's shuffles multiply
	// RiffleEvidence is the exact likelihood ratio of one to six riffles (equal weights) against a
	// uniformly random order, for distinct cards and for copies that lay together before; else 0.
	// It too is an e-value, against "uniformly random" alone.
	RiffleEvidence float64 `json:"riffle_evidence,omitempty"`

	Stats  map[string]float64 `json:"statistics"`          // p-value of every statistic of the battery, larger of the two nulls
	Counts []Count            `json:"counts"`              // plain counts with their laws
	Plots  *PlotData          `json:"plot_data,omitempty"` // what the report draws
}

// OneIn puts a probability as "once in N", with N rounded to two digits.
func OneIn(p float64) string {
	switch {
	case p > .95:
		return "nearly every time"
	case p > .4:
		return "about every second time"
	case p < rarest:
		return "less than once in a billion"
	}
	return "once in " + thousands(round2(1/p))
}

// rarest is the probability below which a number says no more to a person.
const rarest = 1e-9

// atMostOneIn puts a bound of a probability in the same words.
func atMostOneIn(p float64) string {
	if p < rarest {
		return OneIn(p)
	}
	return "at most " + OneIn(p)
}

// fewest draws like an order from which their share is an estimate rather than a bound.
const fewest = 5

// Odds puts a p-value from a null table of so many draws in words. Near the smallest values that a
// table can give, where hardly a draw looked like this, it is a bound and nothing more.
func Odds(p float64, draws int) string {
	if p*float64(draws+1) < fewest+.5 {
		return atMostOneIn(p)
	}
	return OneIn(p)
}

// round2 rounds to two significant digits.
func round2(v float64) int {
	f := 1.0
	for v/f >= 100 {
		f *= 10
	}
	return int(f) * int(v/f+.5)
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
