package report

import (
	"fmt"
	"strconv"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/vision/frame"
)

// facesSection shows order, faces, list and patterns; a page without an order
// has none.
type facesSection struct {
	Lead, Sure string
	Strip      []thumb
	Faces      []faceRow
	List       []listRow
	Patterns   bool // they were asked for
	Facts      []patternRow
}

// faceRow is one face.
type faceRow struct {
	Name, Class, Places string
	Copies              int
}

// listRow is one card of the list, and how many were seen.
type listRow struct {
	Name, Part  string
	Count, Seen string
	Differs     bool
}

// patternRow is one fact.
type patternRow struct {
	Sign, With, Count, Chance string
	Shared                    bool
}

// mostFacts are shown; the file holds all of them.
const mostFacts = 12

func newFacesSection(c *record.Check, faces []*frame.Image, p locale.Printer) (*facesSection, error) {
	o := c.Order
	if o == nil {
		return nil, nil
	}
	gaps, open := 0, 0
	s := &facesSection{}
	for i, x := range o.Cards {
		t := thumb{Number: x.Place, Class: "none"}
		if f := c.FaceOf(x.Face); f != nil {
			t.Word = plain.Line(f.Called())
			t.Label = t.Word
			if x.Confidence < 0.99 && x.SettledBy == "" {
				t.Class, t.Word = "visible", t.Word+" ?"
			}
		} else {
			gaps++
			t.Class, t.Word = "missing", p.Text("report.gap", nil)
			t.Label = t.Word
		}
		if i < len(faces) && faces[i] != nil {
			var err error
			if t.Picture, err = dataURI(fit(faces[i], thumbPx), 70); err != nil {
				return nil, err
			}
		}
		s.Strip = append(s.Strip, t)
	}
	for _, q := range o.Questions {
		if q.Answer == "" {
			open++
		}
	}
	n := func(v int) string { return strconv.Itoa(v) }
	s.Lead = p.Text("report.faces-lead", locale.Args{"n": n(len(o.Cards)), "faces": n(len(c.Faces))})
	s.Sure = p.Text("report.faces-sure", locale.Args{"open": n(open), "gaps": n(gaps)})
	for i := range c.Faces {
		f := &c.Faces[i]
		class := plain.Line(f.Class)
		if class != "" && f.ClassBy == record.BySuggestion {
			class += " ?"
		}
		s.Faces = append(s.Faces, faceRow{Name: plain.Line(f.Called()), Class: class, Places: p.List(record.Runs(f.Places)), Copies: len(f.Places)})
	}
	if l := c.List; l != nil {
		for _, x := range l.Lines {
			r := listRow{Name: plain.Line(x.Name), Count: n(x.Count), Seen: "–"}
			if x.Part != "" {
				r.Part = p.Text("answer.part."+x.Part, nil)
			}
			if x.Seen >= 0 {
				if r.Seen = n(x.Seen); x.Doubt > 0 {
					r.Seen += fmt.Sprintf(" (+%d ?)", x.Doubt)
				}
				r.Differs = x.Count != x.Seen+x.Doubt
			}
			s.List = append(s.List, r)
		}
	}
	if c.Patterns != nil {
		s.Patterns = true
		for i := range c.Patterns.Facts {
			if f := &c.Patterns.Facts[i]; len(s.Facts) < mostFacts && (f.Shared || i < 3) {
				s.Facts = append(s.Facts, newPatternRow(f, p))
			}
		}
	}
	return s, nil
}

func newPatternRow(f *record.PatternFact, p locale.Printer) patternRow {
	r := patternRow{Shared: f.Shared, Sign: plain.Line(f.Trait)}
	if key := "kind." + f.Trait; p.Has(key) {
		r.Sign = p.Text(key, nil)
	} else if key := "report.trait-" + f.Trait; p.Has(key) {
		r.Sign = p.Text(key, nil)
	} else if f.Trait == "any mark" {
		r.Sign = p.Text("report.trait-any", nil)
	}
	value := plain.Line(f.Value)
	if key := "report.value-" + f.Value; p.Has(key) && (f.Feature == "height" || f.Feature == "neighbours") {
		value = p.Text(key, nil)
	}
	r.With = p.Text("report.feature-"+f.Feature, locale.Args{"value": value})
	n := strconv.Itoa
	r.Count = p.Text("report.fact-count", locale.Args{"both": n(f.Both), "of": n(f.Of), "bearers": n(f.Bearers), "cards": n(f.Cards)})
	r.Chance, _ = p.Said(f.Odds)
	return r
}
