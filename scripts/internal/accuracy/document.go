package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// document is Markdown in the making.
type document struct{ b strings.Builder }

func (d *document) para(format string, args ...any) {
	fmt.Fprintf(&d.b, format+"\n\n", args...)
}

// table writes rows under their heads; the first column is text, the others
// numbers.
func (d *document) table(heads []string, rows [][]string) {
	if len(rows) == 0 {
		d.para("(nothing was measured)")
		return
	}
	line := func(cells []string) {
		d.b.WriteString("|")
		for i := range heads {
			c := ""
			if i < len(cells) {
				c = strings.ReplaceAll(cells[i], "|", `\|`)
			}
			d.b.WriteString(" " + c + " |")
		}
		d.b.WriteString("\n")
	}
	line(heads)
	marks := make([]string, len(heads))
	for i := range marks {
		marks[i] = "---:"
	}
	marks[0] = "---"
	line(marks)
	for _, r := range rows {
		line(r)
	}
	d.b.WriteString("\n")
}

// writeFile replaces a file as a whole, so that a reader never sees half.
func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".part"
	if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
