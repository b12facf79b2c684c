package ruling

import (
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
)

// Sheet is what a rule book says about a check.
type Sheet struct {
	Book   *rules.Book
	Level  rules.Level
	Advice []rules.Advice
	// Places are the sleeves each advice is about, counted from the top.
	Places [][]int
}

// Make looks up every finding of a check. The level matters for books that
// have levels; then a missing one is rules.ErrLevel.
func Make(c *record.Check, book *rules.Book, level rules.Level, known Known) (*Sheet, error) {
	return Of(c, Findings(c, known), book, level)
}

// Of looks up given findings, such as those of a whole deck. c is the check
// their evidence points into; nil when there is none.
func Of(c *record.Check, findings []rules.Finding, book *rules.Book, level rules.Level) (*Sheet, error) {
	s := &Sheet{Book: book, Level: level}
	for _, f := range findings {
		a, err := book.Advise(f, level)
		if err != nil {
			return nil, err
		}
		s.Advice = append(s.Advice, a)
		s.Places = append(s.Places, places(c, f))
	}
	return s, nil
}

// places reads the sleeves back out of a finding's evidence.
func places(c *record.Check, f rules.Finding) []int {
	if c == nil {
		return nil
	}
	var list []int
	for _, e := range f.Evidence {
		if n, ok := strings.CutPrefix(e.Ref, "sleeves/"); ok {
			if i, err := strconv.Atoi(n); err == nil && i < len(c.Sleeves) {
				list = append(list, c.Sleeves[i].Sleeve)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// placesText writes places with runs as "4–9", without a word of any language.
func placesText(places []int) string {
	var parts []string
	for i := 0; i < len(places); {
		j := i
		for j+1 < len(places) && places[j+1] == places[j]+1 {
			j++
		}
		text := strconv.Itoa(places[i])
		if j > i {
			text += "–" + strconv.Itoa(places[j])
		}
		parts = append(parts, text)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Asks reports whether something must be answered before the sheet is final,
// and lists the questions.
func (s *Sheet) Asks() []rules.Fact {
	var list []rules.Fact
	for _, f := range rules.AllFacts() {
		for _, a := range s.Advice {
			if slices.Contains(a.Ask, f) && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	if s.bothReadings() && !slices.Contains(list, rules.FactShared) {
		list = append(list, rules.FactShared)
	}
	return list
}

// bothReadings: the marks are on the sheet as isolated and as a pattern.
func (s *Sheet) bothReadings() bool {
	has := func(k rules.Kind) bool {
		return slices.ContainsFunc(s.Advice, func(a rules.Advice) bool { return a.Finding.Kind == k && a.Withheld == "" })
	}
	return has(rules.MarkIsolated) && has(rules.MarkPattern)
}

// Lines renders the sheet as plain text, one statement to a line, for a
// terminal or as the text of a report.
func (s *Sheet) Lines(p locale.Printer) []string {
	lines := []string{p.Text("ruling.title", nil), p.Text("ruling.book", locale.Args{"book": s.Book.Name.In(p.Language())})}
	if s.Book.Origin != "built in" {
		lines = append(lines, p.Text("ruling.changed-book", locale.Args{"file": plain.Line(s.Book.Origin)}))
	}
	if len(s.Book.Levels) > 0 {
		lines = append(lines, p.Text("ruling.level", locale.Args{"level": strconv.Itoa(int(s.Level))}))
	}
	if len(s.Advice) == 0 {
		return append(lines, p.Text("ruling.none", nil), p.Text("ruling.decides", nil))
	}
	if asks := s.Asks(); len(asks) > 0 {
		lines = append(lines, p.Text("ruling.ask", nil)+":")
		for _, f := range asks {
			lines = append(lines, "  - "+p.Text("ask."+string(f), nil))
		}
	}
	for i, a := range s.Advice {
		lines = append(lines, "", s.heading(p, i))
		if len(s.Places[i]) == 0 { // the sleeves' places say it otherwise
			for _, e := range a.Finding.Evidence {
				lines = append(lines, "  "+labelled(p, p.Text("ruling.evidence", nil), plain.Line(e.Note)))
			}
		}
		for _, o := range a.Outcomes {
			lines = append(lines, s.outcome(p, a, o)...)
		}
	}
	return append(lines, "", p.Text("ruling.decides", nil))
}

func (s *Sheet) heading(p locale.Printer, i int) string {
	return s.headingAs(p, s.Advice[i].Finding.Kind, i)
}

func (s *Sheet) headingAs(p locale.Printer, kind rules.Kind, i int) string {
	a := s.Advice[i]
	line := p.Text("finding."+string(kind), nil)
	if v := a.Finding.Facts.Visibility; v != "" {
		line = p.Text("ruling.seen-as", locale.Args{"finding": line, "visibility": p.Text("visibility."+string(v), nil)})
	}
	if part := a.Finding.Facts.Part; part != "" {
		line = p.Text("ruling.of-part", locale.Args{"finding": line, "part": p.Text("answer.part."+string(part), nil)})
	}
	if len(s.Places[i]) > 0 {
		line = labelled(p, line, p.Text("receipt.sleeve-places", locale.Args{"places": placesText(s.Places[i])}))
	}
	return line
}

// labelled is "label: text", with the language's own colon.
func labelled(p locale.Printer, label, text string) string {
	return p.Text("ruling.label", locale.Args{"label": label, "text": text})
}

func (s *Sheet) outcome(p locale.Printer, a rules.Advice, o rules.Outcome) []string {
	lang := p.Language()
	var lines []string
	add := func(label, text string) { lines = append(lines, "  "+labelled(p, label, text)) }
	if answers := s.answers(p, a, o); answers != "" {
		lines = append(lines, "  "+p.Text("ruling.if", locale.Args{"answers": answers}))
	}
	for _, c := range o.Clauses {
		add(p.Text("ruling.clauses", nil)+" "+c.Number, c.Text.In(lang)+" "+p.Text("ruling.quote", locale.Args{"quote": c.Quote}))
	}
	switch {
	case o.Suggested != nil:
		add(p.Text("ruling.suggested", nil), Suggestion(p, o))
	case a.Withheld != "":
		lines = append(lines, "  "+p.Text("withheld."+string(a.Withheld), nil))
	default:
		add(p.Text("ruling.suggested", nil), p.Text("ruling.none-suggested", nil))
	}
	if o.Action != rules.ActionNone {
		lines = append(lines, "  "+p.Text("action."+string(o.Action), nil))
	}
	for _, r := range o.Remedies {
		add(p.Text("ruling.remedy", nil), r.Text.In(lang))
	}
	for _, n := range o.Named {
		lines = append(lines, "  "+p.Text("ruling.named", locale.Args{"penalty": Penalty(p, n)}))
	}
	for _, c := range append(slices.Clone(o.See), o.Discretion...) {
		add(p.Text("ruling.see", nil)+" "+c.Number, c.Text.In(lang))
	}
	for _, n := range o.Notes {
		lines = append(lines, "  "+n.Text.In(lang))
	}
	return lines
}

// answers names what an outcome assumes: only the facts that are asked.
func (s *Sheet) answers(p locale.Printer, a rules.Advice, o rules.Outcome) string {
	var list []string
	for _, f := range a.Ask {
		var of []string
		for _, given := range o.Given {
			if t := p.Text("answer."+string(f)+"."+given.Value(f), nil); !slices.Contains(of, t) {
				of = append(of, t)
			}
		}
		list = append(list, strings.Join(of, " / "))
	}
	if s.bothReadings() && a.Withheld == "" {
		switch a.Finding.Kind {
		case rules.MarkIsolated:
			list = append(list, p.Text("answer.shared.no", nil))
		case rules.MarkPattern:
			list = append(list, p.Text("answer.shared.yes", nil))
		}
	}
	return strings.Join(list, ", ")
}

// Suggestion renders a suggested range with its condition.
func Suggestion(p locale.Printer, o rules.Outcome) string {
	text := Penalty(p, o.Suggested.From)
	if o.Suggested.To.ID != o.Suggested.From.ID {
		text = p.Text("ruling.range", locale.Args{"from": text, "to": Penalty(p, o.Suggested.To)})
	}
	if o.If != "" {
		text = p.Text("ruling.conditional", locale.Args{"penalty": text, "condition": p.Text("condition."+string(o.If), nil)})
	}
	return text
}

// Penalty renders a penalty with the book's own word.
func Penalty(p locale.Printer, pen rules.Penalty) string {
	name := pen.Name.In(p.Language())
	if name == pen.Original {
		return name
	}
	return name + " [" + pen.Original + "]"
}
