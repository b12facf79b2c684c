package report

import (
	"fmt"
	"strings"
	"time"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/wording"
	"fairdeck/vision/colour"
)

// fact is a line of the page's foot.
type fact struct{ Name, Text string }

// facts say how the check was made and how far it goes.
func facts(c *record.Check, p locale.Printer) []fact {
	sure := p.Text("report.rate", locale.Args{"rate": wording.Rate(p, c.Settings.FalseAlarmRate)})
	if mm := c.Limits.SmallestMarkMM; mm > 0 {
		sure = p.Sentences(sure, p.Text("report.smallest", locale.Args{"mm": fmt.Sprintf("%.1f", mm)}))
	}
	n := fmt.Sprint(len(c.Sources))
	read := p.Text("report.read", locale.Args{"n": n})
	if v := c.Limits.PxPerMM; v > 0 {
		read = p.Text("report.read-at", locale.Args{"n": n, "px": fmt.Sprintf("%.0f", v)})
	}
	if c.Layout.Text != "" {
		read = p.Sentences(read, wording.Said(p, c.Layout.Text))
	}
	calibration := p.Text("report.no-calibration", nil)
	if c.Profile != nil {
		calibration = plain.Line(c.Profile.Name)
	}
	tool := c.Tool.Name + " " + c.Tool.Version
	if c.Tool.Revision != "" {
		tool = p.Text("report.tool", locale.Args{"name": c.Tool.Name, "version": c.Tool.Version, "revision": c.Tool.Revision})
	}
	list := []fact{
		{p.Text("report.how-sure", nil), sure},
		{p.Text("report.seen-from", nil), p.Text("report.distance", locale.Args{"mm": fmt.Sprintf("%.0f", c.Settings.ViewingDistanceMM)})},
		{p.Text("report.pictures", nil), read},
		{p.Text("report.size", nil), wording.SleeveSize(p, c)},
		{p.Text("report.calibration", nil), calibration},
		{p.Text("report.made-by", nil), p.Text("report.made", locale.Args{"tool": tool, "opencv": c.Tool.OpenCV, "s": fmt.Sprintf("%.1f", c.Timings.Total)})},
	}
	if c.Capture != nil {
		list = append(list, fact{p.Text("report.pass", nil), passText(c.Capture, p)})
	}
	return list
}

// passText says what was seen of a source, and where it can be seen again.
func passText(c *record.Capture, p locale.Printer) string {
	text := p.Text("report.pass-seen", locale.Args{
		"source": plain.Line(c.Source.Name), "frames": fmt.Sprint(c.Frames), "dropped": fmt.Sprint(c.Dropped), "cards": fmt.Sprint(c.Sightings),
		"s": fmt.Sprintf("%.0f", c.DurationS),
	})
	if c.Recording == nil {
		return p.Sentences(text, p.Text("report.pass-unrecorded", nil))
	}
	return p.Sentences(text, p.Text("report.pass-recorded", locale.Args{"id": plain.Line(c.Recording.ID)}))
}

// when is a time: as English writes it, else in numbers, so that no day is
// mistaken for a month.
func when(t time.Time, l locale.Language) string {
	if l == locale.English {
		return t.Format("2 January 2006, 15:04 MST")
	}
	return t.Format("2006-01-02 15:04 MST")
}

// reasons are why parts were not inspected, as a list.
func reasons(p locale.Printer, list []string) string {
	var words []string
	for _, r := range list {
		words = append(words, wording.Reason(p, r))
	}
	return strings.Join(words, ", ")
}

// swatch is a CIELAB colour as a CSS colour, as near as a screen can show it.
func swatch(c colour.Lab) string {
	r, g, b := c.ToLinear()
	return fmt.Sprintf("#%02x%02x%02x", uint8(colour.Encode(r)+0.5), uint8(colour.Encode(g)+0.5), uint8(colour.Encode(b)+0.5))
}
