package ruling

import (
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/wording"
)

// Sheet is what a rule book says about a check.
type Sheet struct {
	Book   *rules.Book
	Level  rules.Level
	Advice []rules.Advice
	// Places are the sleeves each advice is about, by their number in the check.
	Places [][]int

	check     *record.Check   // nil: there is none
	languages rules.Languages // of the cards, as told
	unruled   []rules.Part    // whose number of cards the book leaves open
	apart     [][2]rules.Part // must be alike and were not compared
}

// Make looks up every finding of a check, and in a whole deck what the book
// says of its parts. The level matters for books that have levels; then a
// missing one is rules.ErrLevel.
func Make(c *record.Check, book *rules.Book, level rules.Level, known Known) (*Sheet, error) {
	s := &Sheet{Book: book, Level: level, check: c}
	findings := append(s.whole(c), s.faces(c, known)...)
	return s, s.add(append(Findings(c, known), findings...))
}

// Of looks up given findings that rest on no check.
func Of(findings []rules.Finding, book *rules.Book, level rules.Level) (*Sheet, error) {
	s := &Sheet{Book: book, Level: level}
	return s, s.add(findings)
}

func (s *Sheet) add(findings []rules.Finding) error {
	for _, f := range findings {
		a, err := s.Book.Advise(f, s.Level)
		if err != nil {
			return err
		}
		s.Advice = append(s.Advice, a)
		s.Places = append(s.Places, places(s.check, f))
	}
	return nil
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
	if s.asksLanguages() && !slices.Contains(list, rules.FactLanguages) {
		list = append(list, rules.FactLanguages)
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
	lines = append(lines, s.remarks(p)...)
	if len(s.Advice) == 0 && len(s.Asks()) == 0 {
		return append(lines, p.Text("ruling.none", nil), p.Text("ruling.decides", nil))
	}
	if asks := s.Asks(); len(asks) > 0 {
		lines = append(lines, p.Text("ruling.ask", nil)+":")
		for _, f := range asks {
			lines = append(lines, "  - "+p.Text("ask."+string(f), nil))
		}
	}
	if len(s.Advice) == 0 {
		lines = append(lines, p.Text("ruling.none", nil))
	}
	for _, e := range s.entries() {
		first := e.advice[0]
		lines = append(lines, "", s.heading(p, first))
		if len(s.Places[first]) == 0 { // the sleeves' places say it otherwise
			for _, e := range s.Advice[first].Finding.Evidence {
				lines = append(lines, "  "+labelled(p, p.Text("ruling.evidence", nil), wording.Said(p, e.Note)))
			}
		}
		for _, r := range s.readings(p, e) {
			lines = append(lines, s.outcome(p, r)...)
		}
	}
	lines = append(lines, "")
	for _, c := range s.discretion() {
		lines = append(lines, labelled(p, p.Text("ruling.see", nil)+" "+c.Number, c.Text.In(p.Language())))
	}
	return append(lines, p.Text("ruling.decides", nil))
}

// discretion are the clauses that let a judge lighten or aggravate what any
// of the outcomes suggests. They are the same for all and are told once.
func (s *Sheet) discretion() (list []rules.Clause) {
	for _, a := range s.Advice {
		for _, o := range a.Outcomes {
			for _, c := range o.Discretion {
				if !slices.ContainsFunc(list, func(k rules.Clause) bool { return k.ID == c.ID }) {
					list = append(list, c)
				}
			}
		}
	}
	return list
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
		line = labelled(p, line, p.Text("receipt.sleeve-places", locale.Args{"places": placesText(s.spots(s.Places[i]))}))
	}
	return line
}

// labelled is "label: text", with the language's own colon.
func labelled(p locale.Printer, label, text string) string {
	return p.Text("ruling.label", locale.Args{"label": label, "text": text})
}

func (s *Sheet) outcome(p locale.Printer, r reading) []string {
	a, o := r.advice, r.outcome
	lang := p.Language()
	var lines []string
	add := func(label, text string) { lines = append(lines, "  "+labelled(p, label, text)) }
	if r.given != "" {
		lines = append(lines, "  "+p.Text("ruling.if", locale.Args{"answers": r.given}))
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
	for _, c := range o.See {
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
