package check

import (
	"fmt"

	"fairdeck/internal/record"
	"fairdeck/vision/pattern"
	"fairdeck/vision/plane"
)

// findPatterns asks whether what a player sees on the sleeves goes together
// with what the cards are. Marks that only a camera sees take no part: they are
// no sign to anybody. Faces that were not read with certainty count as not known.
func findPatterns(c draft) error {
	if c.Order == nil || len(c.Sleeves) == 0 {
		return nil
	}
	at := map[int]*record.Sleeve{}
	for i := range c.Sleeves {
		at[c.Sleeves[i].Sleeve] = &c.Sleeves[i]
	}
	usual := ""
	if len(c.Groups) > 0 {
		usual = c.Groups[0].Name
	}
	var cards []pattern.Card
	var sleeves []int
	for _, p := range c.Order.Cards {
		s := at[p.Sleeve]
		if p.Sleeve == 0 || s == nil || s.Unusable != "" {
			continue
		}
		card := pattern.Card{Place: p.Place}
		if f := c.FaceOf(p.Face); f != nil && p.Confidence >= 0.99 {
			card.Face = f.Called()
			if f.ClassBy != record.BySuggestion {
				card.Class = f.Class
			}
			if c.List != nil && f.Name != "" {
				card.Zone = zoneOf(c.List, f.Name)
			}
		}
		if s.TurnedDeg != nil {
			if card.Orientation = pattern.Upright; *s.TurnedDeg == 180 {
				card.Orientation = pattern.Turned
			}
		}
		for _, m := range s.Marks {
			if m.Visibility != "visible" && m.Visibility != "obvious" {
				continue
			}
			card.Marks = append(card.Marks, pattern.Mark{
				Kind: m.Kind, XMM: m.CentreMM.X, YMM: m.CentreMM.Y,
				WidthMM: max(0, m.MaxMM.X-m.MinMM.X), HeightMM: max(0, m.MaxMM.Y-m.MinMM.Y),
			})
		}
		if s.Group != "" && s.Group != usual && hasFlag(s, record.FlagGroup) {
			card.Traits = append(card.Traits, "group "+s.Group)
		}
		cards, sleeves = append(cards, card), append(sleeves, p.Sleeve)
	}
	if len(cards) == 0 {
		return nil
	}
	res, err := pattern.Find(cards, pattern.Options{})
	if err != nil {
		c.warn("patterns", "", fmt.Sprintf("marks and faces were not compared: %v", err))
		return nil
	}
	out := &record.Patterns{MaxChance: res.MaxChance, Asked: res.Questions, Notes: res.Notes}
	for _, f := range res.Facts {
		t := res.Traits[f.Trait]
		r := record.PatternFact{
			Trait: t.Kind, Feature: string(f.Feature), Value: f.Value, Cards: f.Cards, Of: f.Of, Bearers: f.Bearers, Both: f.Both,
			P: unit(f.P), Chance: unit(f.Chance), Odds: pattern.Odds(f.Chance), Shared: f.Shared, Sentence: res.Sentence(f),
		}
		if t.HasPlace {
			r.AtMM = &plane.Point{X: finite(t.XMM), Y: finite(t.YMM)}
		}
		for _, k := range t.Cards {
			r.Sleeves = append(r.Sleeves, sleeves[k])
		}
		out.Facts = append(out.Facts, r)
	}
	c.Patterns = out
	return nil
}

func unit(v float64) float64 { return min(max(finite(v), 0), 1) }

func hasFlag(s *record.Sleeve, f record.Flag) bool {
	for _, x := range s.Flags {
		if x == f {
			return true
		}
	}
	return false
}

// zoneOf is the part of the list that a card is of; empty when it is in
// several, where no picture tells which copy is which.
func zoneOf(l *record.DeckList, name string) string {
	zone := ""
	for _, x := range l.Lines {
		if x.Name != name || x.Count == 0 {
			continue
		}
		if zone != "" {
			return ""
		}
		zone = x.Part
	}
	return zone
}
