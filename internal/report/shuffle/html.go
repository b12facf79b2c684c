package shuffle

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"fairdeck/randomness"
)

//go:embed page.gohtml
var pageText string

// page is parsed once per call: reports are rare, and nothing global is left to change.
func page(set Settings) (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"p":       formatP,
		"levelOf": func(l randomness.Level) string { return string(l) },
		"odds":    func(p float64) string { return randomness.Odds(p, set.Draws) },
		"number":  func(v float64) string { return fmt.Sprintf("%.3g", v) },
		"percent": func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) },
		"add1":    func(i int) int { return i + 1 },
	}).Parse(pageText)
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
	Title   string
	V       randomness.Verdict
	Dots    template.HTML
	Strands bool
	Strip   template.HTML
	Legend  []Legend
	Laws    []law
	Curve   template.HTML
	Inputs  Inputs
	Set     Settings
}

type law struct {
	Text    string
	Picture template.HTML
	Note    string
}

type document struct {
	Title  string
	Scores []scorePage
	Series *randomness.SeriesVerdict
	Power  []randomness.Power
	Curve  template.HTML
	Set    Settings
	Inputs Inputs
}

// WriteHTML writes the document as one page that needs nothing else: no script, no font, no picture
// from anywhere.
func (d Document) WriteHTML(w io.Writer) error {
	t, err := page(d.Settings)
	if err != nil {
		return fmt.Errorf("shuffle report: %w", err)
	}
	doc := document{Title: "Shuffle report", Set: d.Settings, Inputs: d.Inputs, Series: d.Series}
	if d.Verdict != nil {
		s := d.score("", *d.Verdict)
		if len(d.Power) > 0 {
			s.Curve = powerPlot(d.Power)
		}
		doc.Scores = append(doc.Scores, s)
	} else if len(d.Power) > 0 {
		doc.Title = "Shuffle power"
		doc.Power = d.Power
		doc.Curve = powerPlot(d.Power)
	}
	if d.Series != nil {
		doc.Title = "Shuffle report: several shuffles of one deck"
		for i, v := range d.Series.Steps {
			doc.Scores = append(doc.Scores, d.score(fmt.Sprintf("Shuffle %d", i+1), v))
		}
	}
	if err := t.Execute(w, doc); err != nil {
		return fmt.Errorf("shuffle report: %w", err)
	}
	return nil
}

func (d Document) score(title string, v randomness.Verdict) scorePage {
	s := scorePage{Title: title, V: v, Inputs: d.Inputs, Set: d.Settings}
	if p := v.Plots; p != nil {
		if len(p.Dots) > 0 {
			s.Dots = dotPlot(p)
			s.Strands = true
		}
		if len(p.Class) > 0 || len(p.Dots) == 0 {
			s.Strip, s.Legend = strip(p)
		}
	}
	var even *randomness.Count
	for _, c := range v.Counts {
		if c.Kind == "even" { // the picture of "clump" is the same
			even = &c
			continue
		}
		side, word := c, "this many or more"
		if !c.High {
			word = "this few or fewer"
		}
		if c.Kind == "clump" && even != nil {
			if word = "this far or farther"; c.Observed < c.Median {
				side, word = *even, "this close or closer"
			}
		}
		note := fmt.Sprintf("Fair shuffles: about %s; %s %s.", countValue(c, c.Median), word, side.Odds(c.Observed))
		s.Laws = append(s.Laws, law{strings.ToUpper(c.Text[:1]) + c.Text[1:], lawPlot(c), note})
	}
	return s
}
