package report

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func catalogues(t *testing.T) *locale.Catalogues {
	t.Helper()
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sheet(t *testing.T, c *record.Check, id string) *ruling.Sheet {
	t.Helper()
	shelf, err := rules.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := shelf.Book(id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ruling.Make(c, b, 2, ruling.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func renderIn(t *testing.T, c *record.Check, e *record.Evidence, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, c, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seenText are the words that a reader sees or has read out, without those in
// another language than the page's.
func seenText(t *testing.T, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	var walk func(n *html.Node, inner bool)
	walk = func(n *html.Node, inner bool) {
		if n.DataAtom == atom.Style {
			return
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "lang" && inner:
				return
			case a.Key == "alt" || a.Key == "aria-label":
				list = append(list, a.Val)
			}
		}
		if s := strings.TrimSpace(n.Data); n.Type == html.TextNode && s != "" {
			list = append(list, s)
		}
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			walk(k, inner || n.DataAtom == atom.Body)
		}
	}
	walk(doc, false)
	return list
}

// international is what a page shows as it is in every language: names, units, what
// comes from outside.
var international = regexp.MustCompile(`fairdeck|OpenCV|check\.json|UTC|ΔE|deck|script|alert|onerror|jpg|[Ss]omething new|\bmm\b|\bx\b|[AB]`)

// TestNoEnglishLeft: in another language no word of the page is English.
func TestNoEnglishLeft(t *testing.T) {
	c, e := deck()
	// What the measuring parts say, and not words of the fixture's own.
	c.Warnings[0].Text = "transparency is ignored"
	c.Layout.Text = "The picture shows 8 cards: all are taken for the deck, in reading order."
	for i := range c.Problems {
		c.Problems[i].Remedy = "take this picture again"
	}
	texts := catalogues(t)
	letters := regexp.MustCompile(`[A-Za-z]{2,}`)
	for _, l := range locale.Languages() {
		page := renderIn(t, c, e, Options{Print: texts.For(l), Sheet: sheet(t, c, "cnc-2011")})
		if !strings.Contains(page, `<html lang="`+string(l)+`">`) || !strings.Contains(page, l.Fonts()) {
			t.Errorf("%s: the page does not say its language or has not its fonts", l)
		}
		for _, s := range seenText(t, page) {
			if strings.ContainsAny(s, "{}") || regexp.MustCompile(`\b(report|verdict|kind|seen|said|strip|badge|ruling|finding)\.[a-z]`).MatchString(s) {
				t.Errorf("%s: %q shows a key or a name that was not filled in", l, s)
			}
			if l == locale.English {
				continue
			}
			if w := letters.FindString(international.ReplaceAllString(s, " ")); w != "" && !strings.Contains(s, "CNC") {
				t.Errorf("%s: %q has the English word %q", l, s, w)
			}
		}
	}
}

// TestPageHolds goes through the rules of every page, in every language and
// with every book: anchors, no script, the judge decides, never intent.
func TestPageHolds(t *testing.T) {
	c, e := deck()
	texts := catalogues(t)
	accusing := map[locale.Language][]string{
		locale.English:            {"cheat", "guilty", "fraud"},
		locale.SimplifiedChinese:  {"作弊者", "欺诈", "有罪"},
		locale.TraditionalChinese: {"作弊者", "欺詐", "有罪"},
		locale.Japanese:           {"イカサマ", "詐欺", "有罪"},
	}
	for _, l := range locale.Languages() {
		for _, book := range []string{"", "cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
			o := Options{Print: texts.For(l)}
			if book != "" {
				o.Sheet = sheet(t, c, book)
			}
			page := renderIn(t, c, e, o)
			if err := inert(page); err != "" {
				t.Errorf("%s, %s: %s", l, book, err)
			}
			if !strings.Contains(page, o.Print.Text("verdict.judge-decides", nil)) {
				t.Errorf("%s, %s: the page does not say that the judge decides", l, book)
			}
			for _, word := range accusing[l] {
				if strings.Contains(strings.ToLower(page), word) {
					t.Errorf("%s, %s: the page says %q", l, book, word)
				}
			}
			if (book == "") != strings.Contains(page, html.EscapeString(o.Print.Text("report.foot-no-book", nil))) {
				t.Errorf("%s, %s: whether a book was chosen is told wrongly", l, book)
			}
		}
	}
}

// TestRuleSection: clause number, original phrase and rendering stand side by
// side, with the suggestion or "none suggested", and what only the camera
// sees cites nothing.
func TestRuleSection(t *testing.T) {
	c, e := deck()
	texts := catalogues(t)
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
		s := sheet(t, c, id)
		for _, l := range locale.Languages() {
			p := texts.For(l)
			doc, err := html.Parse(strings.NewReader(renderIn(t, c, e, Options{Print: p, Sheet: s})))
			if err != nil {
				t.Fatal(err)
			}
			var sections []*html.Node
			for n := range doc.Descendants() {
				if n.DataAtom == atom.Section && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "class" && a.Val == "card rule" }) {
					sections = append(sections, n)
				}
			}
			view := s.View(p)
			if len(sections) != len(view.Findings) || len(sections) == 0 {
				t.Fatalf("%s in %s: %d sections for %d findings", id, l, len(sections), len(view.Findings))
			}
			cameraOnly := 0
			for i, f := range view.Findings {
				text := textOf(sections[i])
				for _, o := range f.Outcomes {
					for _, k := range o.Clauses {
						if !strings.Contains(text, k.Number) || !strings.Contains(text, k.Quote) || !strings.Contains(text, k.Text) {
							t.Errorf("%s in %s: clause %s lacks its number, original or rendering", id, l, k.Number)
						}
					}
					if o.Suggested != "" && !strings.Contains(text, o.Suggested) {
						t.Errorf("%s in %s: %q is not shown", id, l, o.Suggested)
					}
					for _, r := range o.Remedies {
						if !strings.Contains(text, r) {
							t.Errorf("%s in %s: remedy %q is not shown", id, l, r)
						}
					}
				}
				if f.Withheld == rules.WithheldCameraOnly {
					cameraOnly++
					for n := range sections[i].Descendants() {
						if n.DataAtom == atom.Table || n.DataAtom == atom.Q {
							t.Errorf("%s in %s: a clause is cited for what only the camera sees", id, l)
						}
					}
					if !strings.Contains(text, p.Text("withheld.camera-only", nil)) {
						t.Errorf("%s in %s: why nothing is suggested is not said", id, l)
					}
				}
			}
			if cameraOnly == 0 {
				t.Errorf("%s in %s: no camera-only finding was looked at", id, l)
			}
		}
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for k := range n.Descendants() {
		if k.Type == html.TextNode {
			b.WriteString(k.Data)
		}
	}
	return b.String()
}

// inert says what on a page could act, or nothing.
func inert(page string) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	for _, r := range "\u202e\u2066\u2028\ufeff\x00\x1b" {
		if strings.ContainsRune(page, r) {
			return "a character that acts is on the page: " + string(r)
		}
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "object", "embed", "link", "form", "base", "foreignobject", "b1":
			return "the page has a <" + n.Data + ">"
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(strings.ToLower(a.Key), "on") {
				return "the page has a handler " + a.Key
			}
			if (a.Key == "src" || a.Key == "href") && !strings.HasPrefix(a.Val, "data:image/jpeg;base64,") && !strings.HasPrefix(a.Val, "#") {
				return "the page leads to " + a.Val[:min(60, len(a.Val))]
			}
		}
	}
	return ""
}

// hostiles are names that try to act.
var hostiles = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style><b1>`, `{{.Check}}`, `{n}{file}{places}`, `%s%!d(MISSING)`,
	"=HYPERLINK(\"http://x\",\"y\")", "+1+1|cmd", "-2", "@SUM(A1)", "＝1", "\t=1", "gpj.\u202eexe", "a\u2066b\u2028c", "x\x00y\x1b[31mz", "\xff\xfe",
	strings.Repeat("長", 10000), strings.Repeat("x ", 5000), "../../etc/passwd", "blurred", "a: used once", "javascript:alert(1)",
}

// TestHostileText puts hostile names wherever a check has text from outside:
// in every language the page stays inert and short, and the table's cells
// are no formulas.
func TestHostileText(t *testing.T) {
	texts := catalogues(t)
	for _, name := range hostiles {
		c, _ := deck()
		for i := range c.Sleeves {
			c.Sleeves[i].File, c.Sources[i].File = name, name
		}
		c.Sleeves[1].Marks[0].Kind = name
		c.Sleeves[5].Group, c.Groups[1].Name, c.Groups[1].What = name, name, name
		c.Sleeves[4].NotInspected[0].Reason = name
		c.Sleeves[6].Unusable = "the view of " + name
		c.Profile = &record.Profile{Name: name}
		c.Layout.Text = name
		c.Problems = append(c.Problems,
			record.Problem{Code: name, File: name, Text: name, Remedy: name},
			record.Problem{Code: "input-no-pictures", File: name, Text: "a link to " + name + ", which is not there", Remedy: "perhaps you mean one of the folders in it: " + name})
		c.Warnings = append(c.Warnings, record.Warning{Code: "same-picture", File: name, Text: "byte for byte the same picture as " + name + ": used once"})
		c.Verdict.Lines[1] = name
		for _, l := range locale.Languages() {
			o := Options{Print: texts.For(l), Sheet: sheet(t, c, "bushiroad-floor")}
			page := renderIn(t, c, nil, o)
			if err := inert(page); err != "" {
				t.Errorf("%s, %.40q: %s", l, name, err)
			}
			if !utf8.ValidString(page) {
				t.Errorf("%s, %.40q: the page is not UTF-8", l, name)
			}
			// A name of 10,000 characters must not bury the report.
			if len(page) > 200_000 {
				t.Errorf("%s, %.40q: a page of %d bytes", l, name, len(page))
			}
			var b bytes.Buffer
			if err := Table(&b, c, o); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), byteOrderMark))).ReadAll()
			if err != nil {
				t.Fatalf("%s, %.40q: %v", l, name, err)
			}
			for _, row := range rows {
				for i, cell := range row {
					if strings.ContainsAny(cell, "\u202e\u2066\u2028\x00\x1b") || i != 9 && i != 10 && regexp.MustCompile(`^[\s]*[=+\-@＝＋－＠|]`).MatchString(cell) {
						t.Errorf("%s, %.40q: the cell %.60q acts", l, name, cell)
					}
				}
			}
		}
	}
}

// TestTable: a row for each mark and each sleeve without, the same number of
// cells in each, and the numbers of the check.
func TestTable(t *testing.T) {
	c, _ := deck()
	texts := catalogues(t)
	for _, l := range locale.Languages() {
		var b bytes.Buffer
		if err := Table(&b, c, Options{Print: texts.For(l)}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), byteOrderMark) || !strings.Contains(b.String(), "\r\n") {
			t.Errorf("%s: no byte order mark, or other line ends", l)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String()[len(byteOrderMark):])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1+8 { // seven sleeves, one of them with two marks
			t.Errorf("%s: %d rows", l, len(rows))
		}
		if got := rows[2][11]; got != "1.50" {
			t.Errorf("%s: the first mark is %s mm long", l, got)
		}
	}
	// The default is English.
	var b bytes.Buffer
	if err := Table(&b, c, Options{}); err != nil || !strings.Contains(b.String(), "Sleeve,File,") {
		t.Errorf("%v %q", err, b.String())
	}
}
