package ruling

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/rules"
)

//go:embed page.html
var pageHTML string

// View is a sheet as a page shows it; every text is in the reader's language
// except the quotes.
type View struct {
	Lang     locale.Language
	Fonts    template.CSS
	Original locale.Language // of the quotes
	Title    string
	Head     []string
	AskTitle string
	Ask      []string
	Findings []ViewFinding
	// Discretion are the clauses that let a judge lighten or aggravate any of
	// it; empty where there is nothing to suggest.
	Discretion []ViewClause
	Foot       []string
	Words      ViewWords

	print locale.Printer
}

// Label is "label: text" with the language's own colon.
func (v View) Label(label, text string) string { return labelled(v.print, label, text) }

// ViewWords are the headings.
type ViewWords struct{ Clauses, Suggested, Remedy, See, Evidence string }

// ViewFinding is one finding with what the book says about it.
type ViewFinding struct {
	Title    string
	Outcomes []ViewOutcome
	Evidence []string // measured facts
	Sleeves  bool     // the heading names sleeves, which a report shows; else the facts are all there is
	Withheld rules.Reason
}

// ViewOutcome is what the book says under one set of answers. Suggested is a
// range of penalties, "none suggested", or empty for what falls under no
// clause.
type ViewOutcome struct {
	If        string
	Clauses   []ViewClause
	Suggested string
	Says      []string // action, or why nothing is suggested
	Remedies  []string
	Notes     []string
	See       []ViewClause
}

// ViewClause is a clause: its number, its rendering and the original phrase.
type ViewClause struct{ Number, Text, Quote string }

// WriteHTML writes the sheet as a page of its own: for each finding the
// clauses with the original beside the rendering, what is suggested and what
// to do.
func (s *Sheet) WriteHTML(w io.Writer, p locale.Printer) error {
	t, err := template.New("ruling").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("ruling: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, s.View(p)); err != nil {
		return fmt.Errorf("ruling: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// View renders the sheet in a language.
func (s *Sheet) View(p locale.Printer) View {
	out := View{
		print: p, Lang: p.Language(), Fonts: template.CSS(locale.FontCSS()), Original: s.Book.Original, Title: p.Text("ruling.title", nil),
		Head:     []string{p.Text("ruling.book", locale.Args{"book": s.Book.Name.In(p.Language())})},
		AskTitle: p.Text("ruling.ask", nil),
		Foot:     []string{p.Text("ruling.decides", nil)},
		Words: ViewWords{
			Clauses: p.Text("ruling.clauses", nil), Suggested: p.Text("ruling.suggested", nil), Remedy: p.Text("ruling.remedy", nil),
			See: p.Text("ruling.see", nil), Evidence: p.Text("ruling.evidence", nil),
		},
	}
	if s.Book.Origin != "built in" {
		out.Head = append(out.Head, p.Text("ruling.changed-book", locale.Args{"file": plain.Line(s.Book.Origin)}))
	}
	if len(s.Book.Levels) > 0 {
		out.Head = append(out.Head, p.Text("ruling.level", locale.Args{"level": strconv.Itoa(int(s.Level))}))
	}
	out.Head = append(out.Head, s.remarks(p)...)
	for _, f := range s.Asks() {
		out.Ask = append(out.Ask, p.Text("ask."+string(f), nil))
	}
	if len(s.Advice) == 0 {
		out.Head = append(out.Head, p.Text("ruling.none", nil))
	}
	for _, e := range s.entries() {
		first := e.advice[0]
		f := ViewFinding{Title: s.heading(p, first), Evidence: said(p, s.Advice[first].Finding.Evidence), Sleeves: len(s.Places[first]) > 0, Withheld: s.Advice[first].Withheld}
		for _, r := range s.readings(p, e) {
			f.Outcomes = append(f.Outcomes, s.viewOutcome(p, r))
		}
		out.Findings = append(out.Findings, f)
	}
	out.Discretion = viewClauses(s.discretion(), p.Language())
	return out
}

func (s *Sheet) viewOutcome(p locale.Printer, r reading) ViewOutcome {
	a, o := r.advice, r.outcome
	lang := p.Language()
	out := ViewOutcome{Clauses: viewClauses(o.Clauses, lang), See: viewClauses(o.See, lang)}
	if r.given != "" {
		out.If = p.Text("ruling.if", locale.Args{"answers": r.given})
	}
	switch {
	case o.Suggested != nil:
		out.Suggested = Suggestion(p, o)
	case a.Withheld != "":
		out.Says = append(out.Says, p.Text("withheld."+string(a.Withheld), nil))
	default:
		out.Suggested = p.Text("ruling.none-suggested", nil)
	}
	if o.Action != rules.ActionNone {
		out.Says = append(out.Says, p.Text("action."+string(o.Action), nil))
	}
	for _, n := range o.Named {
		out.Says = append(out.Says, p.Text("ruling.named", locale.Args{"penalty": Penalty(p, n)}))
	}
	for _, r := range o.Remedies {
		out.Remedies = append(out.Remedies, r.Text.In(lang))
	}
	for _, n := range o.Notes {
		out.Notes = append(out.Notes, n.Text.In(lang))
	}
	return out
}

func viewClauses(list []rules.Clause, lang locale.Language) []ViewClause {
	var out []ViewClause
	for _, c := range list {
		out = append(out, ViewClause{c.Number, c.Text.In(lang), c.Quote})
	}
	return out
}
