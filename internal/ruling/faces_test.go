package ruling_test

import (
	"slices"
	"testing"

	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"
)

// read is a check of four sleeves with their faces: two copies each of A and B,
// the copies of A marked.
func read() *record.Check {
	c := &record.Check{Schema: record.SchemaCheck, Verdict: record.Verdict{Count: record.Count{Sleeves: 4, Inspected: 4}}}
	o := &record.Order{By: record.OrderOnePass}
	for i := range 4 {
		s := record.Sleeve{Sleeve: i + 1}
		if i%2 == 0 {
			s.Visibility = "visible"
			s.Marks = []record.Mark{{Kind: "nick", Visibility: "visible"}}
		}
		c.Sleeves = append(c.Sleeves, s)
		o.Cards = append(o.Cards, record.Placed{Place: i + 1, Face: []string{"F1", "F2"}[i%2], Confidence: 1, Sleeve: i + 1})
	}
	c.Order = o
	c.Faces = []record.Face{{Face: "F1", Name: "A", Places: []int{1, 3}}, {Face: "F2", Name: "B", Places: []int{2, 4}}}
	c.List = &record.DeckList{File: "list.txt", Cards: 5, Matched: true, Lines: []record.ListLine{{Name: "A", Count: 3, Seen: 2}, {Name: "B", Count: 2, Seen: 2}}}
	c.Patterns = &record.Patterns{MaxChance: 0.01, Facts: []record.PatternFact{
		{Trait: "nick", Feature: "face", Value: "A", Sleeves: []int{1, 3}, Shared: true, Sentence: "All 2 copies of A.", Odds: "1 in 100"},
		{Trait: "nick", Feature: "height", Value: "top", Sleeves: []int{1, 3}, Shared: true, Sentence: "Nearer the top.", Odds: "1 in 100"},
	}}
	return c
}

func kinds(s *ruling.Sheet, k rules.Kind) (n int) {
	for _, a := range s.Advice {
		if a.Finding.Kind == k {
			n++
		}
	}
	return n
}

// TestFacesUnderABook: what was read of the cards is told under the book's
// clauses, and waits for a person.
func TestFacesUnderABook(t *testing.T) {
	shelf, err := rules.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	book, err := shelf.Book("bushiroad-floor")
	if err != nil {
		t.Fatal(err)
	}
	c := read()
	s, err := ruling.Make(c, book, 1, ruling.Known{Part: rules.MainDeck})
	if err != nil {
		t.Fatal(err)
	}
	// This book leaves the number of cards to the game.
	if kinds(s, rules.DeckList) != 1 || kinds(s, rules.DeckCount) != 0 || kinds(s, rules.DeckCopies) != 0 {
		t.Errorf("list %d, count %d, copies %d findings", kinds(s, rules.DeckList), kinds(s, rules.DeckCount), kinds(s, rules.DeckCopies))
	}
	i := slices.IndexFunc(s.Advice, func(a rules.Advice) bool {
		return slices.ContainsFunc(a.Finding.Evidence, func(e rules.Evidence) bool { return e.Ref == "patterns/facts/0" })
	})
	if i < 0 || s.Advice[i].Finding.Kind != rules.MarkPattern || !slices.Equal(s.Places[i], []int{1, 3}) {
		t.Errorf("the shared nick is not told: %+v", s.Advice)
	}
	for _, a := range s.Advice {
		for _, e := range a.Finding.Evidence {
			if e.Ref == "patterns/facts/1" {
				t.Error("a place in the deck was told as a feature of cards")
			}
		}
		if k := a.Finding.Kind; (k == rules.DeckList || k == rules.DeckCount) && !a.Finding.Provisional {
			t.Errorf("%s does not wait for a person", k)
		}
	}
	other, err := shelf.Book("konami-asia-2008")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = ruling.Make(c, other, 0, ruling.Known{Part: rules.MainDeck}); err != nil || kinds(s, rules.DeckCount) != 1 {
		t.Errorf("%v; four cards in a main deck are %d findings", err, kinds(s, rules.DeckCount))
	}
	// Where numbers agree, or a reading is in doubt, the list gives no finding.
	c.List.Lines[0].Doubt = 1
	if s, err = ruling.Make(c, book, 1, ruling.Known{}); err != nil || kinds(s, rules.DeckList) != 0 || kinds(s, rules.DeckCount) != 0 {
		t.Errorf("%v, %d findings of the list in doubt", err, kinds(s, rules.DeckList))
	}
}
