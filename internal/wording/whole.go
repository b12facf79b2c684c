package wording

import (
	"slices"
	"strconv"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
)

// Part is a part of the deck as a reader calls it: "side deck".
func Part(p locale.Printer, part string) string {
	return known(p, "answer.part."+part, part)
}

// Sleeve names a sleeve by the number that the check gives it: "Sleeve 3", in
// a whole deck "Side deck, sleeve 3".
func Sleeve(p locale.Printer, c *record.Check, n int) string {
	part, place := c.Spot(n)
	args := locale.Args{"n": strconv.Itoa(place)}
	if part == "" {
		return p.Text("report.sleeve-n", args)
	}
	args["part"] = Part(p, part)
	return upperFirst(p.Text("part.sleeve", args))
}

// InPart puts the name of a part before a text about it; the text alone where
// there is none.
func InPart(p locale.Printer, part, text string) string {
	if part == "" {
		return text
	}
	return p.Text("ruling.label", locale.Args{"label": upperFirst(Part(p, part)), "text": text})
}

// WholeLevel is the verdict on a whole deck, from the verdicts on its parts,
// how they differ, and what the rule book says of their numbers of cards.
func WholeLevel(c *record.Check) record.Level {
	any := func(l record.Level) bool {
		return slices.ContainsFunc(c.Parts, func(p record.Part) bool { return p.Level == l })
	}
	switch {
	case any(record.Flagged), slices.ContainsFunc(c.Relations, seenByPlayer), len(wrongCounts(c)) > 0:
		return record.Flagged
	case !any(record.NothingToSee) && !any(record.Incomplete):
		return record.NotGoodEnough
	case any(record.Incomplete), any(record.NotGoodEnough):
		return record.Incomplete
	}
	return record.NothingToSee
}

func seenByPlayer(r record.Relation) bool {
	return r.Visibility == "visible" || r.Visibility == "obvious"
}

// wrongCounts are the findings about numbers of cards.
func wrongCounts(c *record.Check) (list []record.Finding) {
	if c.Ruling != nil {
		for _, f := range c.Ruling.Findings {
			if f.Kind == "deck.count" {
				list = append(list, f)
			}
		}
	}
	return list
}

// Relation says how the usual sleeves of two parts differ.
func Relation(p locale.Printer, r *record.Relation) string {
	return p.Text("part.differs", locale.Args{
		"part": Part(p, r.Parts[1]), "other": Part(p, r.Parts[0]), "what": What(p, r.What), "seen": Seen(p, r.Visibility),
	})
}

// Cards is how many cards a part holds: "39 cards", "38 to 40 cards".
func Cards(p locale.Printer, n record.Cards) string {
	if n.Min == n.Max {
		return p.Count("count.cards", n.Max, nil)
	}
	return p.Count("count.cards-range", n.Max, locale.Args{"least": strconv.Itoa(n.Min)})
}

// whole makes the three sentences about a deck in parts.
func whole(c *record.Check, p locale.Printer) [3]string {
	n := &c.Verdict.Count
	unseen := n.Sleeves - n.Inspected
	lines := [3]string{"", wholeWhich(c, p), ""}
	switch c.Verdict.Level {
	case record.Flagged:
		switch {
		case n.Flagged > 0:
			lines[0] = p.Count("verdict.told-apart", n.Sleeves, locale.Args{"flagged": strconv.Itoa(n.Flagged)})
		case slices.ContainsFunc(c.Relations, seenByPlayer):
			lines[0] = p.Text("verdict.parts-differ", nil)
		default:
			lines[0] = p.Text("verdict.cards-differ", nil)
		}
		lines[2] = p.Sentences(seen(c, p, unseen), p.Text("verdict.judge-decides", nil))
	case record.NotGoodEnough:
		lines[0] = p.Text("verdict.no-part", nil)
		lines[2] = p.Text("verdict.again-pictures", nil)
	case record.Incomplete:
		lines[0] = p.Count("verdict.parts-unfinished", n.Inspected, nil)
		lines[2] = p.Text("verdict.again-pictures", nil)
	default:
		lines[0] = p.Count("verdict.nothing", n.Sleeves, nil)
		lines[2] = seen(c, p, unseen)
	}
	return lines
}

// wholeWhich says of each part what is to be seen on it, then how the parts
// differ and which numbers of cards do not fit.
func wholeWhich(c *record.Check, p locale.Printer) string {
	text := ""
	add := func(s string) {
		if text != "" {
			s = p.Sentences(text, s)
		}
		text = s
	}
	for i, v := range c.Split() {
		line := ""
		switch v.Verdict.Level {
		case record.NothingToSee:
			line = p.Stop(p.Text("part.nothing", nil))
		case record.Flagged:
			line = Lines(v, p)[1]
		default: // what is missing; why stands with the part
			line = Lines(v, p)[0]
		}
		add(InPart(p, c.Parts[i].Part, line))
	}
	for i := range c.Relations {
		if r := &c.Relations[i]; seenByPlayer(*r) {
			add(upperFirst(p.Stop(Relation(p, r))))
		}
	}
	for _, f := range wrongCounts(c) {
		for _, e := range f.Evidence {
			add(upperFirst(p.Stop(Said(p, e.Note))))
		}
	}
	return text
}
