package pattern

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// Orientation says which way round a sleeve lies.
type Orientation int

// The orientations.
const (
	OrientationUnknown Orientation = iota
	Upright
	Turned // by half a turn against the deck's majority
)

// Card is one card of a deck, as far as it is known. Empty strings and zero
// mean: not known.
type Card struct {
	Place       int    // in the deck, top = 1
	Face        string // identity; copies share it
	Class       string // trigger, land, monster, ...
	Zone        string // of the deck list: main, side, extra
	Orientation Orientation

	// Marks lie on the card's sleeve, in the sleeve's own frame.
	Marks []Mark

	// Traits are what the whole sleeve is that not every sleeve is, such as
	// "batch B" or "protrudes at the long side".
	Traits []string
}

// Mark is a place on a sleeve that differs from the deck's others.
type Mark struct {
	Kind              string  // "nick", "pen_dot", ...; "unclear" goes with every kind
	XMM, YMM          float64 // of its middle, from the sleeve's left upper corner
	WidthMM, HeightMM float64 // of its extent, at least 0
}

// Options of [Find]; the zero value is the default.
type Options struct {
	// ToleranceMM is how far apart the same mark may lie on two sleeves, beyond
	// half of the mark's own size; 0: 2 mm. Marks made by hand at "the same
	// corner" spread by about a millimetre, and the outline of a sleeve is known
	// to a few tenths.
	ToleranceMM float64

	// MaxChance is the chance up to which a fact counts as more than chance
	// allows; 0: 0.01.
	MaxChance float64
}

// Limits of the input: a deck with side and extra deck holds some 100 cards.
// The exact counts of places take time by the fourth power.
const (
	MaxCards  = 250
	MaxTraits = 200
)

// Feature is what a trait is compared with.
type Feature string

// The features.
const (
	ByFace        Feature = "face"
	ByClass       Feature = "class"
	ByZone        Feature = "zone"
	ByOrientation Feature = "orientation"
	ByHeight      Feature = "height" // nearer the top or the bottom of the deck
	ByNeighbours  Feature = "neighbours"
)

// Trait is a set of cards that have something in common which a player could
// see: the same mark, turned sleeves, a batch.
type Trait struct {
	Kind  string // of the marks, or the name of the trait
	Cards []int  // indices into the deck's cards, ascending

	// HasPlace is true for marks; then XMM and YMM are the middle of the
	// place they share.
	HasPlace bool
	XMM, YMM float64

	// Unlike is true for the set of all cards with any mark whatever.
	Unlike bool
}

// Any is the Kind of the trait "has a mark of any kind anywhere".
const Any = "any mark"

// TurnedTrait is the Kind of the trait of turned sleeves.
const TurnedTrait = "turned"

// Fact is how a trait and one value of a feature go together.
type Fact struct {
	Trait   int // index into Result.Traits
	Feature Feature
	Value   string // the face, class, zone; "top" or "bottom"; "together" or "spread"

	// Cards have a known feature; of them Of have the value and Bearers the
	// trait, Both of them have both.
	Cards, Of, Bearers, Both int

	// P is the one-sided exact probability of at least so many in Both, for
	// this value alone, when trait and feature have nothing to do with each
	// other. For height and neighbours it is that of the rank sum and of the
	// number of runs.
	P float64

	// Chance is the probability that anything that was asked about this deck
	// answers as strongly. See the package comment.
	Chance float64

	// Shared is true when Chance is at most Options.MaxChance.
	Shared bool
}

// Exact reports that every card with the value has the trait, and no other.
func (f Fact) Exact() bool { return f.Both == f.Of && f.Both == f.Bearers && f.Both > 0 }

// Result is what was found.
type Result struct {
	Traits []Trait

	// Facts hold, for every trait and feature, the value with the smallest
	// probability, and every other that counts as shared; least likely first.
	Facts []Fact

	Questions int // pairs of trait and family of features that were asked
	MaxChance float64

	// Notes say what could not be asked, and why.
	Notes []string
}

// Find gathers the traits of a deck and tests each against every feature. An
// error means an input out of range: not finite, negative sizes, more cards
// or traits than the limits.
func Find(cards []Card, o Options) (Result, error) {
	if o.ToleranceMM == 0 {
		o.ToleranceMM = 2
	}
	if o.MaxChance == 0 {
		o.MaxChance = 0.01
	}
	if err := validate(cards, o); err != nil {
		return Result{}, err
	}
	r := Result{MaxChance: o.MaxChance, Traits: gather(cards, o.ToleranceMM)}
	if len(r.Traits) > MaxTraits {
		return Result{}, fmt.Errorf("pattern: %d different marks on %d cards; at most %d are compared", len(r.Traits), len(cards), MaxTraits)
	}
	var qs []question
	for i := range r.Traits {
		qs = append(qs, questions(cards, r.Traits[i], i)...)
	}
	r.Questions = len(qs)
	r.Facts = answer(qs, o.MaxChance)
	r.Notes = notes(cards, r.Traits)
	return r, nil
}

func validate(cards []Card, o Options) error {
	if len(cards) > MaxCards {
		return fmt.Errorf("pattern: %d cards; at most %d", len(cards), MaxCards)
	}
	if !(o.ToleranceMM >= 0) || math.IsInf(o.ToleranceMM, 0) {
		return fmt.Errorf("pattern: tolerance %v mm is not a length", o.ToleranceMM)
	}
	if !(o.MaxChance > 0 && o.MaxChance < 1) {
		return fmt.Errorf("pattern: a chance of %v is not between 0 and 1", o.MaxChance)
	}
	places := map[int]int{}
	for i, c := range cards {
		if c.Place < 0 {
			return fmt.Errorf("pattern: card %d has place %d", i+1, c.Place)
		}
		if c.Place > 0 {
			if j, ok := places[c.Place]; ok {
				return fmt.Errorf("pattern: cards %d and %d have the same place %d in the deck", j+1, i+1, c.Place)
			}
			places[c.Place] = i
		}
		for _, m := range c.Marks {
			for _, v := range []float64{m.XMM, m.YMM, m.WidthMM, m.HeightMM} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("pattern: a mark of card %d has no finite place", i+1)
				}
			}
			if m.WidthMM < 0 || m.HeightMM < 0 {
				return fmt.Errorf("pattern: a mark of card %d has a negative size", i+1)
			}
		}
	}
	return nil
}

func notes(cards []Card, traits []Trait) []string {
	if len(traits) == 0 {
		return nil
	}
	missing := func(has func(Card) bool) int {
		n := 0
		for _, c := range cards {
			if !has(c) {
				n++
			}
		}
		return n
	}
	var out []string
	for _, q := range []struct {
		what string
		n    int
	}{
		{"face", missing(func(c Card) bool { return c.Face != "" })},
		{"class", missing(func(c Card) bool { return c.Class != "" })},
		{"place in the deck", missing(func(c Card) bool { return c.Place > 0 })},
	} {
		switch {
		case q.n == len(cards):
			out = append(out, fmt.Sprintf("No card's %s is known; nothing was compared with it.", q.what))
		case q.n > 0:
			out = append(out, fmt.Sprintf("The %s of %d of %d cards is not known; those were left out of the comparison with it.", q.what, q.n, len(cards)))
		}
	}
	return out
}

// sortFacts puts the least likely first, and otherwise keeps an order that
// does not depend on maps.
func sortFacts(fs []Fact) {
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := fs[i], fs[j]
		switch {
		case a.Chance != b.Chance:
			return a.Chance < b.Chance
		case a.P != b.P:
			return a.P < b.P
		case a.Trait != b.Trait:
			return a.Trait < b.Trait
		case a.Feature != b.Feature:
			return a.Feature < b.Feature
		default:
			return strings.Compare(a.Value, b.Value) < 0
		}
	})
}
