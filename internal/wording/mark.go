package wording

import (
	"fmt"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
)

// Kind is what a mark looks like; a kind that the catalogues do not know is
// shown as it is written. Below one half the kind is a guess and said to be.
func Kind(p locale.Printer, m *record.Mark) string {
	word := plain.Line(strings.ReplaceAll(m.Kind, "_", " "))
	if key := "kind." + m.Kind; p.Has(key) {
		word = p.Text(key, nil)
	}
	if m.KindConfidence < 0.5 && m.Kind != "unclear" {
		word = p.Text("kind.perhaps", locale.Args{"kind": word})
	}
	return word
}

// Mark is a mark's kind and size as a heading: "Dot, 1.5 mm".
func Mark(p locale.Printer, m *record.Mark) string {
	return upperFirst(p.Text("kind.size", locale.Args{"kind": Kind(p, m), "size": Size(p, m)}))
}

// MM is a length with as many digits as it is worth. The unit is written the
// same in every language.
func MM(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f mm", v)
	}
	return fmt.Sprintf("%.0f mm", v)
}

// Size is "1.5 mm" for what is about round, else "20 mm long, 0.3 mm wide".
func Size(p locale.Printer, m *record.Mark) string {
	if m.LengthMM > 2*m.WidthMM && m.WidthMM > 0 {
		return p.Text("size.long-wide", locale.Args{"length": MM(m.LengthMM), "width": MM(m.WidthMM)})
	}
	return MM(m.LengthMM)
}

// Place is where a mark lies on the upright sleeve.
func Place(p locale.Printer, m *record.Mark) string {
	return p.Text("place.from", locale.Args{
		"x": fmt.Sprintf("%.0f", max(0, m.CentreMM.X)), "y": fmt.Sprintf("%.0f", max(0, m.CentreMM.Y)),
	})
}

// Seen is a visibility as a sentence's end.
func Seen(p locale.Printer, visibility string) string {
	return known(p, "seen."+visibility, visibility)
}

// Visibility is a visibility as a word.
func Visibility(p locale.Printer, visibility string) string {
	return known(p, "visibility."+visibility, visibility)
}

// Reason is why a part of a sleeve was not inspected.
func Reason(p locale.Printer, reason string) string { return known(p, "reason."+reason, reason) }

// What is in what a group of sleeves differs, such as "colour, lightness".
func What(p locale.Printer, what string) string {
	if what == "" {
		what = "look"
	}
	var words []string
	for w := range strings.SplitSeq(what, ", ") {
		words = append(words, known(p, "what."+w, w))
	}
	return p.List(words)
}

// Shape is how a group's outline and print differ from the largest group's, in
// sentences; empty where they do not.
func Shape(p locale.Printer, g *record.Group) string {
	s := g.Shape
	if s == nil {
		return ""
	}
	mm := func(v float64) string { return fmt.Sprintf("%+.1f", v) }
	text := ""
	add := func(sentence string) {
		if text != "" {
			sentence = p.Sentences(text, sentence)
		}
		text = sentence
	}
	for what := range strings.SplitSeq(g.What, ", ") {
		switch what {
		case "size":
			add(p.Text("report.shape-size", locale.Args{"width": mm(s.WidthMM), "height": mm(s.HeightMM), "sigma": fmt.Sprintf("%.2f", s.SizeSigmaMM)}))
		case "print offset":
			add(p.Text("report.shape-print", locale.Args{"right": mm(s.PrintRightMM), "down": mm(s.PrintDownMM), "sigma": fmt.Sprintf("%.2f", s.PrintSigmaMM)}))
		}
	}
	return text
}

// known is a word of the catalogues, or the original where they lack it.
func known(p locale.Printer, key, original string) string {
	if p.Has(key) {
		return p.Text(key, nil)
	}
	return plain.Line(original)
}

// Rate is "1 clean deck in 100".
func Rate(p locale.Printer, rate float64) string {
	if rate <= 0 {
		return p.Text("rate.none", nil)
	}
	return p.Text("rate.one-in", locale.Args{"n": fmt.Sprintf("%.0f", 1/rate)})
}

// SleeveSize is the sleeves' size and where it comes from.
func SleeveSize(p locale.Printer, c *record.Check) string {
	size := func(s record.Size) string {
		return number(s.WidthMM) + " × " + number(s.HeightMM) + " mm"
	}
	if s := c.Settings.Size; s != nil {
		return p.Text("size.given", locale.Args{"size": size(*s)})
	}
	count, best := map[record.Size]int{}, record.Size{}
	for i := range c.Sleeves {
		s := c.Sleeves[i].Size
		if count[s]++; count[s] > count[best] {
			best = s
		}
	}
	if best.WidthMM == 0 {
		return p.Text("size.unknown", nil)
	}
	text := size(best)
	if best.Name != "" {
		text = p.Text("size.named", locale.Args{"name": Said(p, best.Name), "size": text})
	}
	return p.Text("size.estimated", locale.Args{"size": text})
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
