// Package report draws a check for people: one HTML file that needs nothing
// else, for a judge at a noisy table, on paper and on a phone, in English,
// simplified and traditional Chinese and Japanese; and a table for
// spreadsheets.
//
//	record.Check ──wording──▶ sentences ───┐
//	ruling.Sheet ──View──▶ rule section ───┼─▶ page ──html/template──▶ report.html
//	record.Evidence ──pictures──▶ JPEG ────┘
//	record.Check ──Table──▶ sleeves.csv
//
// The page has no script and fetches nothing: pictures are data: addresses,
// fonts are the reader's own, and a content security policy in the file
// forbids everything else, so that a hostile file name can at most look odd.
// Every statement on it is one of the check or of the rule book; the report
// works nothing out by itself, and says what was seen, never why somebody did
// it.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/ruling"
	"fairdeck/internal/wording"
	"fairdeck/vision/frame"
)

//go:embed page.html
var pageHTML string

//go:embed rules.html
var rulesHTML string

//go:embed faces.html
var facesHTML string

//go:embed style.css
var styleCSS string

// Options of a report; the zero value is a report in English without rules.
type Options struct {
	Print locale.Printer // zero: English
	Sheet *ruling.Sheet  // nil: no rule book was chosen
}

// printer is the given one, or English.
func (o Options) printer() (locale.Printer, error) {
	if o.Print.Language() != "" {
		return o.Print, nil
	}
	texts, err := locale.Load()
	if err != nil {
		return locale.Printer{}, err
	}
	return texts.For(locale.English), nil
}

// HTML writes the report. evidence may be nil, or lack pictures: the page
// then says so in their place.
func HTML(w io.Writer, c *record.Check, evidence *record.Evidence, o Options) error {
	print, err := o.printer()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	t, err := template.New("page").Funcs(functions(print)).Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := t.New("rules.html").Parse(rulesHTML); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := t.New("faces.html").Parse(facesHTML); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p, err := newPage(c, evidence, print)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var fronts []*frame.Image
	if evidence != nil {
		fronts = evidence.Faces
	}
	if p.Faces, err = newFacesSection(c, fronts, print); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if o.Sheet != nil {
		v := o.Sheet.View(print)
		p.Rules = &v
	}
	// A page that fails half way is not written at all.
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// clauseList is a list of clauses in a book's own language.
type clauseList struct {
	Original locale.Language
	List     []ruling.ViewClause
}

// functions are what templates call: {{t "key" "name" value ...}} is a text of
// the catalogues.
func functions(p locale.Printer) template.FuncMap {
	return template.FuncMap{
		"t": func(key string, pairs ...any) (string, error) {
			if !p.Has(key) || len(pairs)%2 != 0 {
				return "", fmt.Errorf("text %q", key)
			}
			args := locale.Args{}
			for i := 0; i < len(pairs); i += 2 {
				args[fmt.Sprint(pairs[i])] = fmt.Sprint(pairs[i+1])
			}
			return p.Text(key, args), nil
		},
		"mm": wording.MM,
		"clauses": func(original locale.Language, list []ruling.ViewClause) clauseList {
			return clauseList{original, list}
		},
	}
}
