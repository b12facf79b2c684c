package report

import (
	"fmt"
	"strings"

	"fairdeck/internal/record"
	"fairdeck/vision/colour"
)

// kindWords are the kinds of marks as a judge would call them.
var kindWords = map[string]string{
	"pen_dot":     "dot",
	"scratch":     "scratch or line",
	"dent":        "dent",
	"crease":      "crease",
	"stain":       "stain",
	"worn_corner": "worn corner",
	"edge_wear":   "worn edge",
	"nick":        "nick in the rim",
	"unclear":     "difference",
}

// kindName is the kind in words; a kind that this report does not know yet is
// shown as it is written. Below one half the kind is a guess and said to be.
func kindName(m *record.Mark) string {
	w, ok := kindWords[m.Kind]
	if !ok {
		w = strings.ReplaceAll(m.Kind, "_", " ")
	}
	if m.KindConfidence < 0.5 && m.Kind != "unclear" {
		w = "perhaps a " + w
	}
	return w
}

// mm is a length with as many digits as it is worth.
func mm(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.1f mm", v)
	}
	return fmt.Sprintf("%.0f mm", v)
}

// sizeWords is "1.5 mm" for what is about round, else "20 mm long, 0.3 mm
// wide".
func sizeWords(m *record.Mark) string {
	if m.LengthMM > 2*m.WidthMM && m.WidthMM > 0 {
		return fmt.Sprintf("%s long, %s wide", mm(m.LengthMM), mm(m.WidthMM))
	}
	return mm(m.LengthMM)
}

// placeWords is where a mark lies on the upright sleeve.
func placeWords(m *record.Mark) string {
	return fmt.Sprintf("%.0f mm from the left and %.0f mm from the top", max(0, m.CentreMM.X), max(0, m.CentreMM.Y))
}

// seenWords is a visibility as a sentence's end.
func seenWords(visibility string) string {
	switch visibility {
	case "obvious":
		return "a player sees it at once"
	case "visible":
		return "a player sees it at playing distance"
	case "camera-only":
		return "only the camera sees it"
	}
	return visibility
}

// rateWords is "1 clean deck in 100".
func rateWords(rate float64) string {
	if rate <= 0 {
		return "no clean deck"
	}
	return fmt.Sprintf("1 clean deck in %.0f", 1/rate)
}

// sizeOf is the sleeves' size and where it comes from.
func sizeOf(c *record.Check) string {
	if s := c.Settings.Size; s != nil {
		return fmt.Sprintf("%g × %g mm, as given", s.WidthMM, s.HeightMM)
	}
	count, best := map[record.Size]int{}, record.Size{}
	for i := range c.Sleeves {
		s := c.Sleeves[i].Size
		if count[s]++; count[s] > count[best] {
			best = s
		}
	}
	if best.WidthMM == 0 {
		return "not known"
	}
	name := ""
	if best.Name != "" {
		name = best.Name + ", "
	}
	return fmt.Sprintf("%s%g × %g mm, estimated from the shape", name, best.WidthMM, best.HeightMM)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// swatch is a CIELAB colour as a CSS colour, as near as a screen can show it.
func swatch(c colour.Lab) string {
	r, g, b := c.ToLinear()
	return fmt.Sprintf("#%02x%02x%02x", uint8(colour.Encode(r)+0.5), uint8(colour.Encode(g)+0.5), uint8(colour.Encode(b)+0.5))
}
