package rules

import (
	"slices"
	"testing"
)

// TestNotesWhereTheBookLeavesAGap: where a suggestion reads more into a book
// than it says, a note must tell so.
func TestNotesWhereTheBookLeavesAGap(t *testing.T) {
	for _, c := range []struct {
		book  string
		f     Finding
		level Level
		note  string
	}{
		{"cnc-2011", found(MarkIsolated, obvious), 0, "between-clauses"}, // obvious, and not known to be deliberate
		{"cnc-2011", found(SleeveMixed, Facts{Visibility: Obvious, Part: MainDeck, Shared: No}), 0, "between-clauses"},
		{"cnc-2011", found(MarkObvious, obvious), 0, "obvious-if-deliberate"},
		{"cnc-2011", found(DeckCount, Facts{Part: MainDeck, Count: TooFew}), 0, "lost-cards"},
		{"konami-asia-2008", found(ShuffleSlow, Facts{}), 0, "or-higher"},
		{"bushiroad-floor", found(ShuffleSlow, Facts{}), 2, "slow-or-slower"},
		{"bushiroad-floor", found(SleeveWorn, visible), 1, "shop-events"},
		{"bushiroad-floor", found(OrderArranged, Facts{Persisted: No}), 1, "not-repeated"},
	} {
		a, err := book(t, c.book).Advise(c.f, c.level)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(a.Outcomes[0].Notes, func(n Note) bool { return n.ID == c.note }) {
			t.Errorf("%s, %s: note %s is missing", c.book, c.f.Kind, c.note)
		}
	}
	// And the obvious mark still leads to no more than the lighter clause.
	a, err := book(t, "cnc-2011").Advise(found(MarkIsolated, obvious), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Outcomes[0].Suggested; got.To.ID != "caution" {
		t.Errorf("suggests up to %s", got.To.ID)
	}
}
