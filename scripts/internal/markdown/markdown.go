// Package markdown writes the measured documents, docs/ACCURACY.md and
// docs/PERFORMANCE.md: paragraphs, tables and the line that says where the
// numbers were taken.
package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Document is Markdown in the making. The zero value is empty and ready.
type Document struct{ b strings.Builder }

// String is what was written so far.
func (d *Document) String() string { return d.b.String() }

// Raw adds text as it is.
func (d *Document) Raw(text string) { d.b.WriteString(text) }

// Para adds a paragraph.
func (d *Document) Para(format string, args ...any) {
	fmt.Fprintf(&d.b, format+"\n\n", args...)
}

// List adds one line for each item.
func (d *Document) List(items []string) {
	for _, s := range items {
		d.b.WriteString("- " + s + "\n")
	}
	if len(items) > 0 {
		d.b.WriteString("\n")
	}
}

// Table adds rows under their heads; the first column is text, the others
// numbers. Rows may be shorter than the heads.
func (d *Document) Table(heads []string, rows [][]string) {
	if len(rows) == 0 {
		d.Para("(nothing was measured)")
		return
	}
	line := func(cells []string) {
		d.b.WriteString("|")
		for i := range heads {
			c := ""
			if i < len(cells) {
				c = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cells[i])
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

// Target is a figure that was asked for.
type Target struct {
	Name, Limit, Measured string
	Met                   bool
}

// Targets adds the table of what was asked for and what was measured.
func (d *Document) Targets(targets []Target) {
	var rows [][]string
	for _, t := range targets {
		word := "**no**"
		if t.Met {
			word = "yes"
		}
		rows = append(rows, []string{t.Name, t.Limit, t.Measured, word})
	}
	d.Table([]string{"target", "limit", "measured", "met"}, rows)
}

// WriteFile replaces a file as a whole, so that a reader never sees half.
func WriteFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// Machine is one line on where this runs.
func Machine() string {
	name := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				name = strings.TrimSpace(v)
				break
			}
		}
	}
	return fmt.Sprintf("%d cores of %s, %s", runtime.NumCPU(), name, runtime.Version())
}
