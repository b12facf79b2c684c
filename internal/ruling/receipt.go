package ruling

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/wording"
)

//go:embed receipt.html
var receiptHTML string

// Receipt is the one page that a player takes away: what was seen on the
// sleeves, what to replace and until when. It names no penalty, no card and
// no order, and shows nothing that only a camera sees.
type Receipt struct {
	Check      *record.Check
	Sheet      *Sheet
	Tournament string
	Player     string    // empty: not named
	Until      time.Time // zero: no time was set
	ID, Hash   string    // of the stored record; empty: not stored
}

type receiptPage struct {
	Lang   locale.Language
	Fonts  template.CSS
	Title  string
	Head   []string
	Seen   section
	Do     section
	Foot   []string
	Record string
}

type section struct {
	Title string
	Items []string
}

// WriteHTML writes the receipt in a language. Text from outside is escaped,
// and characters that would act are made visible.
func (r Receipt) WriteHTML(w io.Writer, p locale.Printer) error {
	t, err := template.New("receipt").Parse(receiptHTML)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r.page(p)); err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func (r Receipt) page(p locale.Printer) receiptPage {
	page := receiptPage{Lang: p.Language(), Fonts: template.CSS(locale.FontCSS()), Title: p.Text("receipt.title", nil)}
	line := func(key, name, value string) {
		if value != "" {
			page.Head = append(page.Head, p.Text(key, locale.Args{name: plain.Line(value)}))
		}
	}
	line("receipt.tournament", "name", r.Tournament)
	line("receipt.player", "name", r.Player)
	// Numbers and a zone: the same in every language, and no day is mistaken for a month.
	const when = "2006-01-02 15:04 -07:00"
	line("receipt.checked", "time", r.Check.Created.Format(when))
	page.Head = append(page.Head, p.Count("count.sleeves", r.Check.Verdict.Count.Inspected, nil))

	page.Seen.Title, page.Do.Title = p.Text("receipt.seen", nil), p.Text("receipt.replace", nil)
	seen, do := map[string]bool{}, map[string]bool{}
	for i, a := range r.Sheet.Advice {
		if a.Withheld == rules.WithheldCameraOnly || a.Finding.Kind.IsHeadJudge() {
			continue
		}
		kind := a.Finding.Kind
		switch kind {
		case rules.MarkObvious: // the same sleeves are listed as isolated or as a pattern
			continue
		case rules.MarkPattern: // that cards share something tells what is in the deck
			kind = rules.MarkIsolated
		}
		text := r.Sheet.headingAs(p, kind, i)
		switch {
		case a.Finding.Facts.Part == rules.Across && len(r.Check.Relations) > 0:
			var parts []string
			for i := range r.Check.Relations {
				parts = append(parts, wording.Relation(p, &r.Check.Relations[i]))
			}
			text = labelled(p, text, p.Clauses(parts))
		case kind == rules.DeckCount:
			text = labelled(p, text, p.Clauses(said(p, a.Finding.Evidence)))
		}
		add(&page.Seen, seen, text)
		if a.Withheld == rules.WithheldProvisional { // nothing is put right before it is sure
			add(&page.Do, do, p.Text("receipt.count-first", nil))
			continue
		}
		for _, o := range a.Outcomes {
			for _, rem := range o.Remedies {
				if rem.ID == "name-shared-feature" || rem.ID == "evidence" { // steps of the judge
					continue
				}
				add(&page.Do, do, rem.Text.In(p.Language()))
			}
		}
	}
	if len(page.Do.Items) == 0 {
		page.Do.Items = []string{p.Text("receipt.nothing", nil)}
	} else if !r.Until.IsZero() {
		page.Do.Items = append(page.Do.Items, p.Text("receipt.until", locale.Args{"time": r.Until.Format(when)}))
	}
	if r.Check.Verdict.Count.Inspected < r.Check.Verdict.Count.Sleeves {
		page.Foot = append(page.Foot, p.Text("receipt.incomplete", nil))
	}
	page.Foot = append(page.Foot, p.Text("receipt.not-a-penalty", nil), p.Text("ruling.decides", nil))
	if r.ID != "" {
		page.Record = p.Text("receipt.record", locale.Args{"id": r.ID, "hash": r.Hash})
	}
	return page
}

// said are the measured facts in the reader's language.
func said(p locale.Printer, evidence []rules.Evidence) (list []string) {
	for _, e := range evidence {
		list = append(list, wording.Said(p, e.Note))
	}
	return list
}

func add(s *section, done map[string]bool, text string) {
	if !done[text] {
		done[text] = true
		s.Items = append(s.Items, text)
	}
}
