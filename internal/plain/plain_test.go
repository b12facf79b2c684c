package plain

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are names that somebody might enter for a player, a deck or a file.
var hostile = []string{
	"", "Ada", "李小龍", "=HYPERLINK(\"http://x\")", "+1", "-1+1", "@SUM(A1)", " =1", "＝1", "|calc",
	"<script>alert(1)</script>", "\u202egnp.exe", "a\u2066b", "line\nbreak\r\n", "tab\there", "nul\x00", "\xff\xfe", "../../etc/passwd",
	`C:\Windows`, "CON", "lpt1.txt", ".hidden", "-rf", strings.Repeat("長", 10000), "a\u2028b", "\U000e0041tag", "\x1b[2J",
}

func TestLine(t *testing.T) {
	for _, s := range hostile {
		got := Line(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Line(%q) = %q still acts", s, got)
		}
		if n := utf8.RuneCountInString(got); n > 9*maxLine { // \u{e0041} is the longest escape
			t.Errorf("Line gives %d characters", n)
		}
	}
	for s, want := range map[string]string{"Ada": "Ada", "李小龍": "李小龍", "a\nb": `a\u{a}b`, "\u202ex": `\u{202e}x`, "\xff": `\xff`} {
		if got := Line(s); got != want {
			t.Errorf("Line(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for _, s := range hostile {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if err := w.Write([]string{Cell(s), "next"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
			t.Fatalf("Cell(%q) does not survive CSV: %v %v", s, rows, err)
		}
		if got := strings.TrimSpace(rows[0][0]); got != "" && strings.ContainsAny(got[:1], "=+-@|") {
			t.Errorf("Cell(%q) = %q is a formula", s, got)
		}
	}
	if got := Cell(strings.Repeat("x", 10000)); len(got) != 10000 {
		t.Error("Cell cut a text")
	}
}

func TestFileName(t *testing.T) {
	for _, s := range hostile {
		got := FileName(s)
		if got == "" || len(got) > maxFileName+1 || filepath.Base(got) != got || strings.ContainsAny(got, `/\:<>"|?*`) || strings.HasPrefix(got, ".") || strings.HasPrefix(got, "-") {
			t.Errorf("FileName(%q) = %q", s, got)
		}
	}
	for s, want := range map[string]string{"CON": "_CON", "lpt1.txt": "_lpt1.txt", "李 小龍": "李-小龍", "../../etc/passwd": "etc-passwd", "": "unnamed"} {
		if got := FileName(s); got != want {
			t.Errorf("FileName(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l := Line(s); !utf8.ValidString(l) || strings.ContainsFunc(l, hidden) {
			t.Errorf("Line: %q", l)
		}
		if c := Cell(s); strings.ContainsFunc(c, hidden) || (c != "" && strings.ContainsAny(c[:1], "=+-@|")) {
			t.Errorf("Cell: %q", c)
		}
		if n := FileName(s); n == "" || strings.ContainsAny(n, "/\\\x00") || strings.HasPrefix(n, ".") {
			t.Errorf("FileName: %q", n)
		}
	})
}
