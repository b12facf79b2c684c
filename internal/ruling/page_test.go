package ruling

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/internal/rules"
)

func TestPage(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
		s, err := Make(deck(), book(t, id), 2, Known{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range locale.Languages() {
			var b bytes.Buffer
			if err := s.WriteHTML(&b, cat.For(l)); err != nil {
				t.Fatal(err)
			}
			text := html.UnescapeString(b.String())
			for _, a := range s.Advice {
				for _, o := range a.Outcomes {
					for _, c := range o.Clauses {
						if !strings.Contains(text, `<dt lang="`+string(s.Book.Original)+`">`+c.Number) || !strings.Contains(text, c.Quote) || !strings.Contains(text, c.Text.In(l)) {
							t.Errorf("%s in %s lacks clause %s, its original or its rendering", id, l, c.Number)
						}
					}
					for _, r := range o.Remedies {
						if !strings.Contains(text, r.Text.In(l)) {
							t.Errorf("%s in %s lacks remedy %s", id, l, r.ID)
						}
					}
				}
			}
			for _, bad := range []string{"ruling.", "finding.", "ask.", "answer.", "withheld.", "{{"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s in %s shows %q", id, l, bad)
				}
			}
		}
	}
}

// TestPageAndLinesAgree: what the terminal suggests, the page suggests.
func TestPageAndLinesAgree(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := cat.For(locale.English)
	s, err := Make(deck(), book(t, "bushiroad-floor"), 1, Known{Part: rules.MainDeck})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(s.Lines(p), "\n")
	n := 0
	for _, f := range s.View(p).Findings {
		for _, o := range f.Outcomes {
			if o.Suggested != "" {
				n++
				if !strings.Contains(lines, p.Text("ruling.suggested", nil)+": "+o.Suggested) {
					t.Errorf("the page suggests %q, the terminal does not", o.Suggested)
				}
			}
		}
	}
	if n == 0 || n != strings.Count(lines, p.Text("ruling.suggested", nil)+": ") {
		t.Errorf("%d suggestions on the page, others in the terminal:\n%s", n, lines)
	}
}
