package ruling

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
)

// wholeDeck is a clean check of a main, a side and an extra deck with so many
// cards, as a person counted them. differ names parts whose sleeves look
// different from the main deck's.
func wholeDeck(main, side, extra int, differ ...string) *record.Check {
	c := &record.Check{Schema: record.SchemaCheck}
	for i, n := range []int{main, side, extra} {
		part := []string{"main", "side", "extra"}[i]
		p := record.Part{Part: part, Level: record.NothingToSee, Count: record.Count{Sleeves: n, Inspected: n}, Cards: record.Cards{Min: n, Max: n, By: record.CountedByPerson}}
		for _, other := range []string{"main", "side", "extra"} {
			if other != part {
				p.ComparedWith = append(p.ComparedWith, other)
			}
		}
		name := "A"
		if slices.Contains(differ, part) {
			name = "B"
			c.Relations = append(c.Relations, record.Relation{Parts: [2]string{"main", part}, Groups: [2]string{"A", "B"}, DeltaE: 9.5, Visibility: "visible", What: "colour"})
		}
		c.Parts = append(c.Parts, p)
		c.Groups = append(c.Groups, record.Group{Name: name, Part: part})
	}
	return c
}

// advice returns the advice about one kind.
func advice(t *testing.T, c *record.Check, id string, level rules.Level, kind rules.Kind) (list []rules.Advice) {
	t.Helper()
	s, err := Make(c, book(t, id), level, Known{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Advice {
		if a.Finding.Kind == kind {
			list = append(list, a)
		}
	}
	return list
}

func suggested(a rules.Advice) string {
	o := a.Outcomes[0]
	switch {
	case o.Suggested == nil:
		return string(o.Action)
	case o.Suggested.From.ID == o.Suggested.To.ID:
		return o.Suggested.From.ID
	}
	return o.Suggested.From.ID + ".." + o.Suggested.To.ID
}

// TestSleeveRelations goes through every book and level: which parts may have
// other sleeves than the main deck.
func TestSleeveRelations(t *testing.T) {
	for _, tc := range []struct {
		book   string
		levels []rules.Level
		differ string // parts
		want   string // first clause and what follows; empty: no finding
	}{
		{"cnc-2011", []rules.Level{0}, "", ""},
		{"cnc-2011", []rules.Level{0}, "side", "sleeves caution"},
		{"cnc-2011", []rules.Level{0}, "extra", ""},
		{"cnc-2011", []rules.Level{0}, "side extra", "sleeves caution"},
		{"konami-asia-2008", []rules.Level{0}, "", ""},
		{"konami-asia-2008", []rules.Level{0}, "side", "1-6 prohibited"},
		{"konami-asia-2008", []rules.Level{0}, "extra", "1-6 prohibited"},
		{"konami-asia-2008", []rules.Level{0}, "side extra", "1-6 prohibited"},
		{"bushiroad-floor", []rules.Level{1, 2, 3}, "", ""},
		{"bushiroad-floor", []rules.Level{1, 2, 3}, "side", ""},
		{"bushiroad-floor", []rules.Level{1, 2, 3}, "extra", ""},
		{rules.Neutral, []rules.Level{0}, "side", "alike judge-decides"},
		{rules.Neutral, []rules.Level{0}, "extra", ""},
	} {
		for _, level := range tc.levels {
			name := fmt.Sprintf("%s level %d, other sleeves: %s", tc.book, level, tc.differ)
			list := advice(t, wholeDeck(40, 15, 10, strings.Fields(tc.differ)...), tc.book, level, rules.SleeveMixed)
			got := ""
			if len(list) == 1 {
				got = list[0].Outcomes[0].Clauses[0].ID + " " + suggested(list[0])
				if f := list[0].Finding.Facts; f.Part != rules.Across || f.Visibility != rules.Visible {
					t.Errorf("%s: facts %+v", name, f)
				}
			}
			if got != tc.want || len(list) > 1 {
				t.Errorf("%s: %q (%d findings), want %q", name, got, len(list), tc.want)
			}
		}
	}
}

// TestDeckCounts goes through every book and level: the numbers of cards.
func TestDeckCounts(t *testing.T) {
	fifty := &record.Told{Allowed: []record.Allowed{{Part: "main", Min: 50, Max: 50}}, List: "none"}
	for _, tc := range []struct {
		book              string
		level             rules.Level
		main, side, extra int
		told              *record.Told
		want              string // part:clause:what follows
	}{
		{"cnc-2011", 0, 40, 15, 30, nil, ""},
		{"cnc-2011", 0, 39, 15, 0, nil, "main:p3a-count:game-loss"},
		{"cnc-2011", 0, 61, 15, 0, nil, "main:cards:prohibited"},
		{"cnc-2011", 0, 40, 16, 0, nil, "side:cards:prohibited"},
		{"konami-asia-2008", 0, 60, 15, 15, nil, ""},
		{"konami-asia-2008", 0, 39, 15, 15, nil, "main:3-main:prohibited"},
		{"konami-asia-2008", 0, 40, 16, 16, nil, "side:3-extra-side:prohibited extra:3-extra-side:prohibited"},
		{"bushiroad-floor", 1, 49, 0, 0, nil, ""}, // the game's own number is not known
		{"bushiroad-floor", 1, 49, 0, 0, fifty, "main:5.1.1:warning..round-loss"},
		{"bushiroad-floor", 2, 49, 0, 0, fifty, "main:5.1.1:round-loss"},
		{"bushiroad-floor", 3, 51, 0, 0, fifty, "main:5.1.1:round-loss"},
		{"bushiroad-floor", 3, 50, 0, 0, fifty, ""},
		{rules.Neutral, 0, 49, 0, 0, fifty, "main:deck:judge-decides"},
	} {
		c := wholeDeck(tc.main, tc.side, tc.extra)
		c.Told = tc.told
		var got []string
		for _, a := range advice(t, c, tc.book, tc.level, rules.DeckCount) {
			got = append(got, fmt.Sprintf("%s:%s:%s", a.Finding.Facts.Part, a.Outcomes[0].Clauses[0].ID, suggested(a)))
		}
		name := fmt.Sprintf("%s level %d: %d/%d/%d", tc.book, tc.level, tc.main, tc.side, tc.extra)
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s: %q, want %q", name, text, tc.want)
		}
		// What the pictures alone show suggests nothing.
		for i := range c.Parts {
			c.Parts[i].Cards.By = record.CountedByPictures
		}
		for _, a := range advice(t, c, tc.book, tc.level, rules.DeckCount) {
			if a.Withheld != rules.WithheldProvisional || slices.ContainsFunc(a.Outcomes, func(o rules.Outcome) bool { return o.Suggested != nil }) {
				t.Errorf("%s, counted in pictures: withheld %q", name, a.Withheld)
			}
		}
		// A number that the pictures leave open is no finding.
		for i := range c.Parts {
			c.Parts[i].Cards.Min, c.Parts[i].Cards.Max = 0, 100
		}
		if list := advice(t, c, tc.book, tc.level, rules.DeckCount); len(list) != 0 {
			t.Errorf("%s: 0 to 100 cards give %v", name, list[0].Finding)
		}
	}
}

// TestNothingSeenIsNoCount: a folder without pictures says nothing about how
// many cards a part has; a person's count does.
func TestNothingSeenIsNoCount(t *testing.T) {
	c := wholeDeck(0, 10, 10)
	c.Parts[0].Cards.By = record.CountedByPictures
	if got := advice(t, c, "cnc-2011", 0, rules.DeckCount); len(got) != 0 {
		t.Errorf("a main deck without pictures: %v", got)
	}
	c.Parts[0].Cards = record.Cards{Min: 39, Max: 39, By: record.CountedByPerson}
	if got := advice(t, c, "cnc-2011", 0, rules.DeckCount); len(got) != 1 {
		t.Errorf("39 counted by hand: %v", got)
	}
}

// TestLanguagesAreAsked: where a book's demands hang on the languages of the
// cards, they are asked; nothing is guessed.
func TestLanguagesAreAsked(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		book      string
		languages string
		clear     bool
		asks      bool
		finding   string // what follows from clear sleeves
		cover     bool   // the demand is told
	}{
		{"cnc-2011", "", false, true, "", false},
		{"cnc-2011", "one", false, false, "", false},
		{"cnc-2011", "several", false, false, "", true},
		{"cnc-2011", "", true, true, "prohibited", false}, // with both answers
		{"cnc-2011", "one", true, false, "", false},
		{"cnc-2011", "several", true, false, "prohibited", true},
		{"konami-asia-2008", "", false, false, "", false},
		{"konami-asia-2008", "several", true, false, "prohibited", true},
		{"bushiroad-floor", "", false, false, "", false},
		{"bushiroad-floor", "several", true, false, "", false},
		{rules.Neutral, "", true, false, "", false},
	} {
		c := wholeDeck(50, 10, 10)
		c.Told = &record.Told{Languages: tc.languages}
		if tc.clear {
			c.Told.Clear = []string{"side"}
		}
		s, err := Make(c, book(t, tc.book), 1, Known{})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s, languages %q, clear %v", tc.book, tc.languages, tc.clear)
		if got := slices.Contains(s.Asks(), rules.FactLanguages); got != tc.asks {
			t.Errorf("%s: asks %v", name, s.Asks())
		}
		got := ""
		for _, a := range s.Advice {
			if a.Finding.Kind == rules.SleeveTransparent {
				if a.Finding.Facts.Part != rules.SideDeck {
					t.Errorf("%s: %+v", name, a.Finding)
				}
				if tc.languages == "" && tc.book == "cnc-2011" && len(a.Outcomes) != 2 {
					t.Errorf("%s: %d outcomes for two answers", name, len(a.Outcomes))
				}
				for _, o := range a.Outcomes {
					if o.Action == rules.ActionProhibited {
						got = string(o.Action)
					}
				}
			}
		}
		if got != tc.finding {
			t.Errorf("%s: %q, want %q", name, got, tc.finding)
		}
		p := cat.For(locale.English)
		if told := strings.Contains(strings.Join(s.remarks(p), "\n"), "sleeves that cover the backs"); told != tc.cover {
			t.Errorf("%s: %v", name, s.remarks(p))
		}
	}
}

// TestPartsNotCompared: a check that was made under a book which lets parts
// differ says nothing about them under a book that does not; that is told.
func TestPartsNotCompared(t *testing.T) {
	c := wholeDeck(40, 15, 15)
	c.Parts[0].ComparedWith, c.Parts[1].ComparedWith, c.Parts[2].ComparedWith = []string{"side"}, []string{"main"}, nil
	c.Groups[2].Name = "B" // of another comparison: its name says nothing
	s, err := Make(c, book(t, "konami-asia-2008"), 0, Known{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Advice) != 0 {
		t.Errorf("findings about parts that nobody compared: %+v", s.Advice[0].Finding)
	}
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range locale.Languages() {
		p := cat.For(l)
		want := p.Text("ruling.not-compared", locale.Args{"part": p.Text("answer.part.main", nil), "other": p.Text("answer.part.extra", nil)})
		if l == locale.English {
			want = "Main deck and extra deck were not compared"
		}
		if text := strings.Join(s.Lines(p), "\n"); !strings.Contains(text, want) {
			t.Errorf("%s: not said:\n%s", l, text)
		}
	}
}

// TestWholeDeckIsTold: sheet, page and receipt name the part and the sleeve's
// place in it, in every language, with no word of English left.
func TestWholeDeckIsTold(t *testing.T) {
	c := wholeDeck(39, 15, 15, "side")
	for i := range c.Parts {
		c.Parts[i].Cards.By = record.CountedByPictures
	}
	c.Sleeves = []record.Sleeve{
		{Sleeve: 3, Part: "main", Place: 3, Visibility: "obvious", Flags: []record.Flag{record.FlagMark}, Marks: []record.Mark{{Kind: "pen_dot", Visibility: "obvious", LengthMM: 2, MeanDeltaE: 12}}},
		{Sleeve: 44, Part: "side", Place: 5, Visibility: "visible", Flags: []record.Flag{record.FlagMark}, Marks: []record.Mark{{Kind: "worn_corner", Visibility: "visible", LengthMM: 4, MeanDeltaE: 9}}},
	}
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Make(c, book(t, "cnc-2011"), 0, Known{Shared: rules.No})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Record(); !slices.ContainsFunc(r.Findings, func(f record.Finding) bool { return slices.Equal(f.Sleeves, []int{44}) && f.Part == "side" }) {
		t.Errorf("the record must name the sleeve by its number in the check: %+v", r.Findings)
	}
	english := []string{"sleeve", "deck", "group", "colour", "dot", "cards", "allowed", "pictures", "other"}
	for _, l := range locale.Languages() {
		p := cat.For(l)
		sheet := strings.Join(s.Lines(p), "\n")
		var page strings.Builder
		if err := s.WriteHTML(&page, p); err != nil {
			t.Fatal(err)
		}
		r := receipt(t, Receipt{Check: c, Sheet: s}, l)
		_, body, _ := strings.Cut(page.String(), "<body>")
		_, card, _ := strings.Cut(r, "<body>")
		for where, text := range map[string]string{"sheet": sheet, "page": body, "receipt": card} {
			if !strings.Contains(text, p.Text("answer.part.side", nil)) {
				t.Errorf("%s, %s: the part is not named", l, where)
			}
			if strings.Contains(text, "44") {
				t.Errorf("%s, %s: the number in the check is shown instead of the place in the part", l, where)
			}
			if !strings.Contains(text, "39") {
				t.Errorf("%s, %s: the number of cards is not told", l, where)
			}
			for _, w := range english {
				if l != locale.English && strings.Contains(strings.ReplaceAll(text, "fairdeck", ""), w) {
					t.Errorf("%s, %s: the English word %q in\n%s", l, where, w, text)
				}
			}
		}
		if !strings.Contains(card, p.Text("receipt.count-first", nil)) {
			t.Errorf("%s: the receipt does not ask for a count", l)
		}
	}
}

// TestEnter: a number of cards that does not fit shows in the verdict.
func TestEnter(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	c := wholeDeck(39, 15, 15)
	c.Verdict = record.Verdict{Level: record.NothingToSee, Count: record.Count{Sleeves: 69, Inspected: 69}}
	s, err := Make(c, book(t, "cnc-2011"), 0, Known{})
	if err != nil {
		t.Fatal(err)
	}
	s.Enter(c, cat.For(locale.English))
	if c.Verdict.Level != record.Flagged || !strings.Contains(c.Verdict.Lines[1], "The main deck holds 39 cards, 40 to 60 are allowed.") {
		t.Errorf("%+v", c.Verdict)
	}
	one := deck()
	before := one.Verdict
	if s, err = Make(one, book(t, "cnc-2011"), 0, Known{}); err != nil {
		t.Fatal(err)
	}
	if s.Enter(one, cat.For(locale.English)); one.Verdict != before || one.Ruling == nil {
		t.Error("the verdict on a deck without parts changed")
	}
}

// TestReadingsOnce: the same marks stand on a sheet once, with what follows
// from each reading; nothing that a book says is lost by it.
func TestReadingsOnce(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := cat.For(locale.English)
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
		s, err := Make(deck(), book(t, id), 1, Known{})
		if err != nil {
			t.Fatal(err)
		}
		view := s.View(p)
		titles := map[string]bool{}
		for _, f := range view.Findings {
			if titles[f.Title] {
				t.Errorf("%s: %q stands twice", id, f.Title)
			}
			titles[f.Title] = true
			given := map[string]bool{}
			for _, o := range f.Outcomes {
				if len(f.Outcomes) > 1 && (o.If == "" || given[o.If]) {
					t.Errorf("%s, %s: an outcome without a condition of its own: %q", id, f.Title, o.If)
				}
				given[o.If] = true
			}
		}
		if got, most := len(view.Findings), 6; got > most {
			t.Errorf("%s: %d findings, at most %d", id, got, most)
		}
		said := strings.Join(s.Lines(p), "\n")
		for _, a := range s.Advice {
			for _, o := range a.Outcomes {
				for _, c := range append(slices.Clone(o.Clauses), append(o.See, o.Discretion...)...) {
					if !strings.Contains(said, c.Number) {
						t.Errorf("%s: clause %s is lost", id, c.Number)
					}
				}
				if o.Suggested != nil && !strings.Contains(said, Suggestion(p, o)) {
					t.Errorf("%s: %s is lost", id, Suggestion(p, o))
				}
			}
		}
	}
}
