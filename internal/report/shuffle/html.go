package shuffle

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/randomness"
)

//go:embed page.html
var pageText string

// words renders what a page says in the reader's language.
type words struct{ locale.Printer }

// said is a statement of the randomness package.
func (w words) said(english string) string {
	text, _ := w.Said(english)
	return plain.Text(text, 1000)
}

func (w words) level(l randomness.Level) string {
	if key := "shuffle.level." + string(l); w.Has(key) {
		return w.Text(key, nil)
	}
	return plain.Line(string(l))
}

// sentence is a verdict's: it is made of the first finding's and its own.
func (w words) sentence(v randomness.Verdict) string {
	rest, text := v.Sentence, ""
	add := func(s string) {
		if text != "" {
			s = w.Sentences(text, s)
		}
		text = s
	}
	if len(v.Findings) > 0 {
		f := v.Findings[0]
		if own, ok := strings.CutPrefix(rest, f.Sentence+" It looks like "+f.Looks+". "); ok {
			add(w.said(f.Sentence))
			add(w.Text("shuffle.looks-like", locale.Args{"looks": w.said(f.Looks)}))
			rest = own
		}
	}
	const depending = " Depending on"
	if i := strings.Index(rest, depending); i > 0 {
		add(w.said(rest[:i]))
		rest = rest[i+1:]
	}
	add(w.said(rest))
	return text
}

// page is parsed once per call: reports are rare, and nothing global is left to change.
func page(set Settings, w words) (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"p":       formatP,
		"levelOf": func(l randomness.Level) string { return string(l) },
		"level":   w.level,
		"said":    w.said,
		"odds":    func(p float64) string { return randomness.Odds(p, set.Draws) },
		"number":  func(v float64) string { return fmt.Sprintf("%.3g", v) },
		"percent": func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) },
		"add1":    func(i int) int { return i + 1 },
		"t": func(key string, pairs ...any) (string, error) {
			if !w.Has(key) || len(pairs)%2 != 0 {
				return "", fmt.Errorf("text %q", key)
			}
			args := locale.Args{}
			for i := 0; i < len(pairs); i += 2 {
				args[fmt.Sprint(pairs[i])] = fmt.Sprint(pairs[i+1])
			}
			return w.Text(key, args), nil
		},
	}).Parse(pageText)
}

// capital begins a heading; scripts without capitals stay as they are.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func formatP(v float64) string {
	switch {
	case v >= .1:
		return fmt.Sprintf("%.2f", v)
	case v >= .001:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.1e", v)
}

// scorePage is what the template shows for one verdict.
type scorePage struct {
	Title    string
	Sentence string
	V        randomness.Verdict
	Dots     template.HTML
	Strands  bool
	Strip    template.HTML
	Legend   []Legend
	Laws     []law
	Curve    template.HTML
	Inputs   Inputs
	Set      Settings
}

type law struct {
	Text    string
	Picture template.HTML
	Note    string
}

type document struct {
	Lang   locale.Language
	Fonts  template.CSS
	Given  []string // the inputs, named
	Title  string
	Scores []scorePage
	Series *randomness.SeriesVerdict
	Power  []randomness.Power
	Curve  template.HTML
	Set    Settings
	Inputs Inputs
}

// WriteHTML writes the document as one page that needs nothing else: no script, no font, no picture
// from anywhere. The zero printer is English.
func (d Document) WriteHTML(out io.Writer, print locale.Printer) error {
	if print.Language() == "" {
		texts, err := locale.Load()
		if err != nil {
			return fmt.Errorf("shuffle report: %w", err)
		}
		print = texts.For(locale.English)
	}
	w := words{print}
	t, err := page(d.Settings, w)
	if err != nil {
		return fmt.Errorf("shuffle report: %w", err)
	}
	doc := document{
		Lang: print.Language(), Fonts: template.CSS(locale.FontCSS()), Title: w.Text("shuffle.title", nil),
		Set: d.Settings, Given: d.Inputs.named(w), Series: d.Series,
	}
	if d.Verdict != nil {
		s := d.score(w, "", *d.Verdict)
		if len(d.Power) > 0 {
			s.Curve = powerPlot(d.Power, w)
		}
		doc.Scores = append(doc.Scores, s)
	} else if len(d.Power) > 0 {
		doc.Title = w.Text("shuffle.title-power", nil)
		doc.Power = d.Power
		doc.Curve = powerPlot(d.Power, w)
	}
	if d.Series != nil {
		doc.Title = w.Text("shuffle.title-series", nil)
		for i, v := range d.Series.Steps {
			doc.Scores = append(doc.Scores, d.score(w, w.Text("shuffle.nth", locale.Args{"n": strconv.Itoa(i + 1)}), v))
		}
	}
	if err := t.Execute(out, doc); err != nil {
		return fmt.Errorf("shuffle report: %w", err)
	}
	return nil
}

// named lists the inputs that were given.
func (in Inputs) named(w words) (list []string) {
	for _, f := range []struct{ name, value string }{{"before", in.Before}, {"after", in.After}, {"series", in.Series}, {"classes", in.Classes}, {"deck", in.Deck}} {
		if f.value != "" {
			list = append(list, w.Stop(w.Text("ruling.label", locale.Args{"label": w.Text("shuffle.input."+f.name, nil), "text": plain.Line(f.value)})))
		}
	}
	return list
}

func (d Document) score(w words, title string, v randomness.Verdict) scorePage {
	s := scorePage{Title: title, Sentence: w.sentence(v), V: v, Inputs: d.Inputs, Set: d.Settings}
	if p := v.Plots; p != nil {
		if len(p.Dots) > 0 {
			s.Dots = dotPlot(p, w)
			s.Strands = true
		}
		if len(p.Class) > 0 || len(p.Dots) == 0 {
			s.Strip, s.Legend = strip(p, w)
		}
	}
	var even *randomness.Count
	for _, c := range v.Counts {
		if c.Kind == "even" { // the picture of "clump" is the same
			even = &c
			continue
		}
		side, key := c, "shuffle.many"
		if !c.High {
			key = "shuffle.few"
		}
		if c.Kind == "clump" && even != nil {
			if key = "shuffle.far"; c.Observed < c.Median {
				key, side = "shuffle.close", *even
			}
		}
		odds := w.Text(key, locale.Args{"odds": w.said(side.Odds(c.Observed))})
		note := w.Text("shuffle.law", locale.Args{"n": countValue(c, c.Median), "odds": odds})
		s.Laws = append(s.Laws, law{capital(w.said(c.Text)), lawPlot(c, w), note})
	}
	return s
}
