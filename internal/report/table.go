package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/wording"
)

// byteOrderMark tells spreadsheets that the file is UTF-8; without it Excel
// reads the system's code page and spoils every Chinese or Japanese name.
const byteOrderMark = "\ufeff"

// columns are the table's headings, keys of the catalogues.
func columns(p locale.Printer) []string {
	return []string{
		p.Text("table.sleeve", nil), p.Text("table.file", nil), p.Text("table.status", nil), p.Text("table.inspected", nil),
		p.Text("table.group", nil), p.Text("table.turned", nil), p.Text("table.mark", nil), p.Text("table.kind", nil),
		p.Text("table.visibility", nil), p.Text("table.left", nil), p.Text("table.top", nil), p.Text("table.length", nil),
		p.Text("table.width", nil), p.Text("table.difference", nil), p.Text("table.uncertainty", nil), p.Text("table.unusable", nil),
	}
}

// Table writes the check as CSV for a spreadsheet (RFC 4180, UTF-8 with a byte
// order mark): one row for each mark, and one for each sleeve without marks,
// in the deck's order. Texts from outside never become formulas. Numbers have
// a decimal point, whatever the language. The table of a deck in parts begins
// with a column for the part, and its sleeves are numbered by their place in
// it. Of Options only Print is used.
func Table(w io.Writer, c *record.Check, o Options) error {
	p, err := o.printer()
	if err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	head := columns(p)
	if len(c.Parts) > 0 {
		head = append([]string{p.Text("table.part", nil)}, head...)
	}
	rows := [][]string{head}
	b := builder{c: c, print: p}
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		_, word := b.standing(s)
		turned := ""
		if s.TurnedDeg != nil {
			turned = strconv.Itoa(*s.TurnedDeg)
		}
		part, place := c.Spot(s.Sleeve)
		row := []string{strconv.Itoa(place), plain.Cell(s.File), plain.Cell(word), decimal(100*s.Inspected, 1), plain.Cell(s.Group), turned}
		if len(c.Parts) > 0 {
			row = append([]string{plain.Cell(wording.Part(p, part))}, row...)
		}
		if len(s.Marks) == 0 {
			rows = append(rows, append(row, "", "", "", "", "", "", "", "", "", plain.Cell(wording.Said(p, s.Unusable))))
		}
		for j := range s.Marks {
			m := &s.Marks[j]
			rows = append(rows, append(row[:len(row):len(row)],
				strconv.Itoa(j+1), plain.Cell(wording.Kind(p, m)), plain.Cell(wording.Visibility(p, m.Visibility)),
				decimal(m.CentreMM.X, 2), decimal(m.CentreMM.Y, 2), decimal(m.LengthMM, 2), decimal(m.WidthMM, 2),
				decimal(m.MeanDeltaE, 2), decimal(m.DeltaESigma, 2), plain.Cell(wording.Said(p, s.Unusable))))
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

func decimal(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
