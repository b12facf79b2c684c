package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// Cards of one deck before one camera have one size. The frame of a card alone
// does not say which of two parallel lines is its edge where both are about as
// likely: a clear outer sleeve's rim or the sleeve within, an edge or the rim of
// its shadow. The deck does:
//
//	[]Detection ──TypicalOf──▶ Typical ──Differs──▶ Find again with its SidesPx
//	                                                      │
//	      still differs: of another size, or not to be judged by its outline

// Typical is the size that the cards of a deck have in the frames of one camera.
type Typical struct {
	ShortPx, LongPx float64 // medians of the sides' lengths
	SpreadPx        float64 // robust standard deviation of both
	Cards           int     // of which it was learned
}

const (
	// typicalCards is the least number of cards that state a size.
	typicalCards = 5
	// typicalShare of the deck has to agree within the spread that is expected
	// of it, or there is no one size.
	typicalShare = 0.6
	// pileShare is by how much of its length a side changes as the deck is dealt:
	// a pile of 60 sleeves at 400 mm.
	pileShare = 0.004
	// mostSpread is the greatest part of a side by which outlines of one size
	// scatter: a pixel of 330. Decks that scatter more are of two sizes.
	mostSpread = 0.003
)

// TypicalOf learns the size that most of the usable cards of a deck have; false
// for too few cards, or when they do not agree.
func TypicalOf(deck []Detection) (Typical, bool) {
	var short, long []float64
	for i := range deck {
		if d := &deck[i]; d.Unusable == "" {
			s, l := sidesOf(d.Corners)
			short, long = append(short, s), append(long, l)
		}
	}
	if len(short) < typicalCards {
		return Typical{}, false
	}
	t := Typical{ShortPx: medianFloat(short), LongPx: medianFloat(long), Cards: len(short)}
	var off []float64
	for i := range short {
		off = append(off, math.Abs(short[i]-t.ShortPx), math.Abs(long[i]-t.LongPx))
	}
	t.SpreadPx = 1.4826 * medianFloat(off)
	agree := 0
	for i := range deck {
		if d := &deck[i]; d.Unusable == "" && !t.Differs(*d) {
			agree++
		}
	}
	return t, float64(agree) >= typicalShare*float64(len(short))
}

// SidesPx is for [Options]: what to expect of another frame.
func (t Typical) SidesPx() [2]float64 { return [2]float64{t.ShortPx, t.LongPx} }

// Differs reports whether a card's outline is of another size than the deck's
// by more than errors of its measurement explain: three of the deck's standard
// deviations and of those that a good outline has. (The card's own SigmaPx is
// left out: a doubtful outline is to be looked at again.)
func (t Typical) Differs(d Detection) bool {
	s, l := sidesOf(d.Corners)
	return t.off(s, t.ShortPx) || t.off(l, t.LongPx)
}

func (t Typical) off(side, typical float64) bool {
	spread := min(t.SpreadPx, mostSpread*typical)
	return math.Abs(side-typical) > 3*math.Hypot(spread, systematicPx)+pileShare*typical
}

// sidesOf is the mean lengths of the short and the long sides.
func sidesOf(q plane.Quad) (short, long float64) {
	s := q.Sides()
	return (s[0] + s[2]) / 2, (s[1] + s[3]) / 2
}

func medianFloat(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
