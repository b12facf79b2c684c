package ruling

import (
	"fmt"
	"strings"

	"fairdeck/internal/record"
	"fairdeck/internal/rules"
)

// Known is what a person told the station about the deck; empty fields are
// not known, and will be asked.
type Known struct {
	Part   rules.Part // which part of the deck the check is of
	Shared rules.Answer
}

// Findings draws the rule-level findings from a check of sleeve backs, in the
// order in which a sheet shows them: what a person sees first. In a whole deck
// each part has findings of its own.
//
// A sleeve that could not be inspected leads to none.
func Findings(c *record.Check, known Known) []rules.Finding {
	if len(c.Parts) == 0 {
		return partFindings(c, "", known)
	}
	var list []rules.Finding
	for _, p := range c.Parts {
		known.Part = rules.Part(p.Part)
		list = append(list, partFindings(c, p.Part, known)...)
	}
	return list
}

// partFindings are those of the sleeves of one part.
func partFindings(c *record.Check, part string, known Known) []rules.Finding {
	marks := byVisibility(c, part)
	var list []rules.Finding
	if seen := marks[rules.Obvious]; len(seen) > 0 {
		list = append(list, rules.Finding{Kind: rules.MarkObvious, Facts: rules.Facts{Visibility: rules.Obvious, Shared: known.Shared, Part: known.Part}, Evidence: seen})
	}
	for _, v := range []rules.Visibility{rules.Obvious, rules.Visible, rules.CameraOnly} {
		if len(marks[v]) == 0 {
			continue
		}
		kinds := []rules.Kind{rules.MarkIsolated, rules.MarkPattern}
		switch {
		case known.Shared == rules.Yes:
			kinds = kinds[1:]
		case known.Shared == rules.No, v == rules.CameraOnly: // nothing hangs on it for what nobody sees
			kinds = kinds[:1]
		}
		for _, k := range kinds {
			list = append(list, rules.Finding{Kind: k, Facts: rules.Facts{Visibility: v, Part: known.Part}, Evidence: marks[v]})
		}
	}
	if turned := turned(c, part); len(turned) > 0 {
		// A person who looks at the backs sees that a card lies the other way;
		// that is what the flag says.
		list = append(list, rules.Finding{Kind: rules.OrientationMixed, Facts: rules.Facts{Visibility: rules.Visible, Shared: known.Shared, Part: known.Part}, Evidence: turned})
	}
	return append(list, mixed(c, part, known)...)
}

// byVisibility lists the sleeves with marks by the visibility of their
// strongest.
func byVisibility(c *record.Check, part string) map[rules.Visibility][]rules.Evidence {
	out := map[rules.Visibility][]rules.Evidence{}
	for i, s := range c.Sleeves {
		if s.Part != part || len(s.Marks) == 0 || s.Unusable != "" {
			continue
		}
		v := rules.Visibility(s.Visibility)
		m := s.Marks[0]
		out[v] = append(out[v], rules.Evidence{
			Ref:  fmt.Sprintf("sleeves/%d", i),
			Note: fmt.Sprintf("sleeve %d: %s, %.1f mm, ΔE %.1f", place(c, &s), strings.ReplaceAll(m.Kind, "_", " "), m.LengthMM, m.MeanDeltaE),
		})
	}
	return out
}

// place is a sleeve's number in its part.
func place(c *record.Check, s *record.Sleeve) int {
	_, n := c.Spot(s.Sleeve)
	return n
}

func turned(c *record.Check, part string) []rules.Evidence {
	var list []rules.Evidence
	for i, s := range c.Sleeves {
		if s.Part != part {
			continue
		}
		for _, f := range s.Flags {
			if f == record.FlagTurned {
				list = append(list, rules.Evidence{Ref: fmt.Sprintf("sleeves/%d", i), Note: fmt.Sprintf("sleeve %d lies the other way round", place(c, &s))})
			}
		}
	}
	return list
}

// mixed makes one finding of each smaller group that was compared with the
// largest.
func mixed(c *record.Check, part string, known Known) []rules.Finding {
	var list []rules.Finding
	usual := ""
	for i, g := range c.Groups {
		if g.Part != part {
			continue
		}
		if usual == "" {
			usual = g.Name
			continue
		}
		if g.Visibility == "" {
			continue
		}
		f := rules.Finding{Kind: rules.SleeveMixed, Facts: rules.Facts{Visibility: rules.Visibility(g.Visibility), Shared: known.Shared, Part: known.Part}}
		f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("groups/%d", i), Note: differs(g.What, g.DeltaE, g.Name, usual)})
		for j, s := range c.Sleeves {
			if s.Part == part && s.Group == g.Name {
				f.Evidence = append(f.Evidence, rules.Evidence{Ref: fmt.Sprintf("sleeves/%d", j), Note: fmt.Sprintf("sleeve %d is of group %s", place(c, &s), g.Name)})
			}
		}
		list = append(list, f)
	}
	return list
}

// differs says in what two groups of sleeves differ.
func differs(what string, deltaE float64, group, from string) string {
	if what == "" {
		what = "look"
	}
	return fmt.Sprintf("group %s differs in %s, ΔE %.1f from group %s", group, what, deltaE, from)
}
