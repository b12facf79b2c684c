package ruling

import (
	"fmt"
	"slices"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/wording"
)

// whole adds to a sheet what the book says of a deck in parts: the numbers of
// cards, and whether the sleeves of the parts go together. What could not be
// said is kept to be told.
func (s *Sheet) whole(c *record.Check) (findings []rules.Finding) {
	if len(c.Parts) == 0 {
		return nil
	}
	told := c.Told
	if told == nil {
		told = &record.Told{}
	}
	s.languages = rules.Languages(told.Languages)
	limits := map[rules.Part]rules.Limits{}
	for _, a := range told.Allowed {
		limits[rules.Part(a.Part)] = rules.Limits{Min: a.Min, Max: a.Max}
	}
	var counted []rules.CardCount
	var sleeves []rules.PartSleeves
	for i, p := range c.Parts {
		part := rules.Part(p.Part)
		ref := fmt.Sprintf("parts/%d", i)
		// Where no picture shows a card, nothing was counted: a wrong folder is
		// no deck without cards.
		if seen := p.Count.Sleeves > 0 || p.Cards.By == record.CountedByPerson; seen {
			counted = append(counted, rules.CardCount{
				Part: part, Min: p.Cards.Min, Max: p.Cards.Max, Ref: ref, Provisional: p.Cards.By != record.CountedByPerson,
			})
		}
		seen := rules.PartSleeves{Part: part, Ref: ref}
		if slices.Contains(told.Clear, p.Part) {
			seen.Clear = rules.Yes
		}
		if g := slices.IndexFunc(c.Groups, func(g record.Group) bool { return g.Part == p.Part }); g >= 0 {
			seen.Look = "group " + c.Groups[g].Name
		}
		for _, r := range c.Relations {
			if r.Parts[1] == p.Part {
				seen.Visibility = rules.Visibility(r.Visibility)
				if seen.Look == "" { // too few of them to be a group
					seen.Look = "of another kind"
				}
			}
		}
		sleeves = append(sleeves, seen)
	}
	var across []rules.Finding
	findings, s.unruled = s.Book.CheckCounts(counted, limits, rules.List(told.List))
	for _, f := range s.Book.CheckSleeves(comparable(s, c, sleeves), s.languages) {
		if f.Facts.Part == rules.Across {
			for i, r := range c.Relations {
				if r.Groups[0] != "" && r.Groups[1] != "" {
					f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("relations/%d", i), Note: differs(r.What, r.DeltaE, r.Groups[1], r.Groups[0])})
				}
			}
		}
		across = append(across, f)
	}
	return append(findings, across...)
}

// comparable keeps the look of those parts only that were compared with every
// other part whose sleeves the book wants alike, and notes the pairs that were
// not: groups of two comparisons have different names whatever they look like.
func comparable(s *Sheet, c *record.Check, sleeves []rules.PartSleeves) []rules.PartSleeves {
	for i := range sleeves {
		for j := range sleeves[:i] {
			if s.Book.SleeveRelation(sleeves[i].Part, sleeves[j].Part) != rules.MustMatch || slices.Contains(c.Parts[i].ComparedWith, c.Parts[j].Part) {
				continue
			}
			s.apart = append(s.apart, [2]rules.Part{sleeves[j].Part, sleeves[i].Part})
		}
	}
	for _, pair := range s.apart {
		// Only the later part is left out: the earlier may still be compared
		// with others.
		for i := range sleeves {
			if sleeves[i].Part == pair[1] {
				sleeves[i].Look = ""
			}
		}
	}
	return sleeves
}

// asksLanguages reports whether the book's demands hang on the languages of
// the cards, and nobody has said which they are.
func (s *Sheet) asksLanguages() bool {
	return s.check != nil && len(s.check.Parts) > 0 && s.languages == "" &&
		(s.Book.Sleeves.Opaque == rules.SeveralOnly || s.Book.Sleeves.Required == rules.SeveralOnly)
}

// remarks are what a sheet has to say besides its findings: what the book
// demands of this deck, and what was not looked at.
func (s *Sheet) remarks(p locale.Printer) (list []string) {
	if s.check == nil || len(s.check.Parts) == 0 {
		return nil
	}
	name := func(part rules.Part) string { return wording.Part(p, string(part)) }
	if s.languages == rules.SeveralLanguages && (s.Book.Sleeves.Opaque == rules.SeveralOnly || s.Book.Sleeves.Opaque == rules.Always) {
		clause, _ := s.Book.Clause(s.Book.Sleeves.Clause)
		list = append(list, p.Text("ruling.cover", locale.Args{"clause": clause.Number}))
	}
	for i, a := range s.check.Parts {
		for _, b := range s.check.Parts[:i] {
			key := "ruling.not-ruled"
			switch s.Book.SleeveRelation(rules.Part(a.Part), rules.Part(b.Part)) {
			case rules.MustMatch:
				key = "ruling.must-match"
			case rules.MayDiffer:
				key = "ruling.may-differ"
			}
			list = append(list, p.Text(key, locale.Args{"part": wording.Title(name(rules.Part(b.Part))), "other": name(rules.Part(a.Part))}))
		}
	}
	for _, pair := range s.apart {
		list = append(list, p.Text("ruling.not-compared", locale.Args{"part": wording.Title(name(pair[0])), "other": name(pair[1])}))
	}
	for _, part := range s.unruled {
		i := slices.IndexFunc(s.check.Parts, func(q record.Part) bool { return q.Part == string(part) })
		list = append(list, p.Text("ruling.count-open", locale.Args{"part": wording.Title(name(part)), "cards": wording.Cards(p, s.check.Parts[i].Cards)}))
	}
	return list
}

// Enter writes the sheet into the check. In a whole deck the verdict then
// names what the book says of its numbers of cards; english writes the
// record's sentences.
func (s *Sheet) Enter(c *record.Check, english locale.Printer) {
	c.Ruling = s.Record()
	if len(c.Parts) > 0 {
		c.Verdict.Level = wording.WholeLevel(c)
		c.Verdict.Lines = wording.Verdict(c, english)
	}
}

// spots are the sleeves' numbers in their part.
func (s *Sheet) spots(places []int) []int {
	if s.check == nil {
		return places
	}
	var list []int
	for _, n := range places {
		_, place := s.check.Spot(n)
		list = append(list, place)
	}
	return list
}
