package ruling

import (
	"fmt"

	"fairdeck/internal/record"
	"fairdeck/internal/rules"
)

// faces adds what the book says of cards that were read: copies beyond what it
// allows, numbers that are not those of the registered list, and marks that go
// together with faces more than chance allows. Cards were read from pictures:
// every finding waits for a person who has looked at them, and a chance is a note
// among the evidence, never the reason.
func (s *Sheet) faces(c *record.Check, known Known) (findings []rules.Finding) {
	if c.Order == nil {
		return nil
	}
	list := rules.List("")
	if c.Told != nil {
		list = rules.List(c.Told.List)
	}
	if known.Part != "" && known.Part != rules.Across && len(c.Parts) == 0 {
		n := len(c.Order.Cards)
		counts, unruled := s.Book.CheckCounts([]rules.CardCount{{Part: known.Part, Min: n, Max: n, Ref: "order", Provisional: true}}, nil, list)
		findings = append(findings, counts...)
		s.unruled = append(s.unruled, unruled...)
	}
	var copies []rules.FaceCount
	for i := range c.Faces {
		sure := 0
		for _, p := range c.Faces[i].Places {
			if c.Order.Cards[p-1].Confidence >= 0.99 {
				sure++
			}
		}
		copies = append(copies, rules.FaceCount{Face: c.Faces[i].Called(), Part: partOr(known.Part), Copies: sure, Ref: fmt.Sprintf("faces/%d", i)})
	}
	many, _ := s.Book.CheckCopies(copies, nil, list)
	for _, f := range many {
		f.Provisional = true
		findings = append(findings, f)
	}
	if l := c.List; l != nil && l.Matched && list != rules.ListNone {
		f := rules.Finding{Kind: rules.DeckList, Facts: rules.Facts{List: list, Part: known.Part}, Provisional: true}
		for i, x := range l.Lines {
			if x.Seen >= 0 && x.Doubt == 0 && x.Seen != x.Count {
				f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("list/lines/%d", i), Note: fmt.Sprintf("%s: %d in the list, %d seen", x.Name, x.Count, x.Seen)})
			}
		}
		if len(f.Evidence) > 0 {
			findings = append(findings, f)
		}
	}
	return append(findings, patterns(c, known)...)
}

// partOr is the part that was told; a deck of which nobody said so is the main
// deck for the copies that a book allows.
func partOr(p rules.Part) rules.Part {
	if p == "" || p == rules.Across {
		return rules.MainDeck
	}
	return p
}

// patterns are the marks that faces, classes or parts of the list share. What
// only a camera sees took no part in the comparison.
func patterns(c *record.Check, known Known) (findings []rules.Finding) {
	if c.Patterns == nil {
		return nil
	}
	index := map[int]int{}
	for i := range c.Sleeves {
		index[c.Sleeves[i].Sleeve] = i
	}
	for k, p := range c.Patterns.Facts {
		if !p.Shared || p.Feature != "face" && p.Feature != "class" && p.Feature != "zone" {
			continue
		}
		f := rules.Finding{Kind: rules.MarkPattern, Facts: rules.Facts{Visibility: rules.Visible, Shared: rules.Yes, Part: known.Part}}
		if p.Trait == "turned" {
			f.Kind = rules.OrientationMixed
		}
		f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("patterns/facts/%d", k), Note: p.Sentence})
		obvious := true
		for _, n := range p.Sleeves {
			i, ok := index[n]
			if !ok {
				continue
			}
			obvious = obvious && c.Sleeves[i].Visibility == string(rules.Obvious)
			f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("sleeves/%d", i), Note: fmt.Sprintf("sleeve %d is one of them", place(c, &c.Sleeves[i]))})
		}
		if obvious && p.Trait != "turned" {
			f.Facts.Visibility = rules.Obvious
		}
		findings = append(findings, f)
	}
	return findings
}
