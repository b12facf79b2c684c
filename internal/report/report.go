// Package report draws a check for people: one HTML file that needs nothing
// else, for a judge at a noisy table, on paper and on a phone.
//
//	record.Check ──words──▶ sentences ─┐
//	record.Evidence ──pictures──▶ JPEG ┴─▶ page ──html/template──▶ report.html
//
// The page has no script and fetches nothing: pictures are data: addresses,
// and a content security policy in the file forbids everything else, so that
// a hostile file name can at most look odd. Every statement on it is one of
// the check; the report works nothing out by itself, and says what was seen,
// never why somebody did it.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"fairdeck/internal/record"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

// HTML writes the report. evidence may be nil, or lack pictures: the page
// then says so in their place.
func HTML(w io.Writer, c *record.Check, evidence *record.Evidence) error {
	t, err := template.New("page").Funcs(template.FuncMap{"mm": mm, "places": record.PlacesText}).Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p, err := newPage(c, evidence)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	// A page that fails half way is not written at all.
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}
