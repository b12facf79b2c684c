package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"fairdeck/internal/testutil"
	"fairdeck/internal/ui"

	"golang.org/x/net/html"
)

// hostileTexts are names that somebody might give to a player, a tournament,
// a deck, a card or a file.
var hostileTexts = map[string]string{
	"markup":     `<img src=x onerror=alert(1)><script>alert(2)</script>`,
	"attribute":  `" onmouseover="alert(3)" x='y`,
	"formula":    `=HYPERLINK("http://example.invalid","x")`,
	"full width": `＝1+1`,
	"plus":       `+cmd|' /C calc'!A0`,
	"direction":  "a\u202egpj.exe\u2066",
	"lines":      "one\ntwo\r\x1b[31mthree\x07",
	"path":       "../../etc/passwd",
	"template":   "{{.}} {n} {places} %s %!d",
	"long":       strings.Repeat("長", 10_000),
	"tags":       "x\U000e0041\ufeff",
}

// fileName is a hostile text as a file's name, as far as a file can bear it.
func fileName(s string) string {
	s = strings.NewReplacer("/", "∕", "\x00", "").Replace(s)
	for len(s) > 200 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// TestHostileTexts gives hostile names to everything that takes one (files,
// folders, player, tournament, judge, reason, organiser's book folder, cards
// and classes of an order) and looks at everything that is written: HTML, CSV,
// JSON, file names, standard output and error.
func TestHostileTexts(t *testing.T) {
	demo := filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue")
	picture := func(n string) []byte {
		data, err := os.ReadFile(filepath.Join(demo, "back_"+n+".jpg"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	dir := t.TempDir()
	t.Chdir(dir)
	// One whole deck whose folders and files have all the names; a folder for
	// each would take minutes.
	main, side := fileName(hostileTexts["markup"]), fileName(hostileTexts["direction"])
	for _, d := range []string{main, side} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"markup", "attribute", "formula", "full width", "plus", "direction", "lines", "template", "long", "tags"}
	number := []string{"000", "002", "003", "004", "005", "006", "007", "010", "011", "012"}
	for i, key := range names {
		d := main
		if i >= 6 {
			d = side
		}
		if err := os.WriteFile(filepath.Join(d, fileName(hostileTexts[key])+".jpg"), picture(number[i]), 0o644); err != nil {
			t.Fatal(err)
		}
		// Beside each a file that is no picture, which is told by name.
		if err := os.WriteFile(filepath.Join(d, fileName(hostileTexts[key])+".txt"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if i == 3 { // and one that cannot be read as a picture
			if err := os.WriteFile(filepath.Join(d, "z"+fileName(hostileTexts[key])+".jpg"), []byte("\xff\xd8\xff"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	call := func(want int, args ...string) string {
		t.Helper()
		term := &ui.Fake{}
		if got := run(context.Background(), args, term); got != want {
			t.Fatalf("%q: exit code %d, want %d\n%s\n%s", args, got, want, term.Stdout(), term.Stderr())
		}
		for where, text := range map[string]string{"standard output": term.Stdout(), "standard error": term.Stderr()} {
			inertText(t, strings.Join(args[:2], " ")+" "+where, text)
		}
		return term.Stdout()
	}
	for _, lang := range []string{"en", "ja"} {
		out := "out-" + lang
		call(exitFlagged, "inspect", "--main", main, "--side", side, "--ruleset", "cnc-2011", "--lang", lang, "--csv", "--out", out)
		for _, page := range []string{"report.html", "ruling.html"} {
			inertPage(t, filepath.Join(out, page))
		}
		inertTable(t, filepath.Join(out, "sleeves.csv"))
		data, err := os.ReadFile(filepath.Join(out, "check.json"))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Error("check.json is not JSON")
		}
	}
	for key, text := range hostileTexts {
		short := text
		if r := []rune(text); len(r) > 900 { // more is refused, as it should be
			short = string(r[:900])
			call(exitFault, "evidence", "keep", "--data", "data", "--tournament", text, "out-en")
		}
		// A player who is called like a folder of the check is refused, so that
		// the name can be deleted for good later.
		player := short + "~"
		id := strings.TrimSpace(call(exitOK, "evidence", "keep", "--data", "data", "--tournament", short, "--player", player, "--id", "check-"+strings.ReplaceAll(key, " ", "-"), "out-en"))
		call(exitOK, "evidence", "list", "--data", "data", "--tournament", short)
		ledger := []string{"--data", "data", "--tournament", short, "--ruleset", "cnc-2011"}
		call(exitOK, append([]string{"ledger", "add", "--player", player, "--clause", "p6-faint", "--penalty", "caution", "--by", short, "--check", id}, ledger...)...)
		call(exitOK, append([]string{"ledger", "correct", "--by", short, "--reason", short, "1"}, ledger...)...)
		call(exitOK, append([]string{"ledger", "show"}, ledger...)...)
		table := "ledger-" + id + ".csv"
		call(exitOK, append([]string{"ledger", "export", "--csv", "--names", "-o", table}, ledger...)...)
		inertTable(t, table)
		receipt := "receipt-" + id + ".html"
		call(exitFlagged, "rules", "apply", "--ruleset", "cnc-2011", "--player", text, "--tournament", text, "--receipt", receipt, "out-en")
		inertPage(t, receipt)
		call(exitOK, "evidence", "export", "--data", "data", id)
		call(exitOK, "evidence", "verify", id+".evidence.zip")
		// A name that is no ID makes no path either.
		call(exitInput, "evidence", "export", "--data", "data", text)
	}
	// Cards and classes.
	var order, classes strings.Builder
	classes.WriteString("card,class\n")
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for _, key := range names {
		card := hostileTexts[key]
		if key == "direction" || key == "lines" || key == "tags" || key == "long" { // refused, and told without acting
			if err := os.WriteFile("refused.txt", []byte("a\nb\n"+card+"\nc\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if key == "direction" || key == "long" {
				call(exitInput, "shuffle", "score", "--order", "refused.txt", "--draws", "5000")
			}
			card = "card " + key
		}
		order.WriteString(card + "\n")
		classes.WriteString(quote(card) + "," + quote(hostileTexts[key][:4]) + "\n")
	}
	for name, text := range map[string]string{"order.txt": order.String(), "classes.csv": classes.String()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	term := &ui.Fake{}
	code := run(context.Background(), []string{"shuffle", "score", "--before", "order.txt", "--after", "order.txt", "--draws", "5000", "--html", "shuffle.html"}, term)
	if code != exitFlagged {
		t.Fatalf("shuffle: exit code %d: %s", code, term.Stderr())
	}
	inertText(t, "shuffle", term.Stdout()+term.Stderr())
	inertPage(t, "shuffle.html")
	// Whatever was written has a harmless name and lies in the folder.
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n := e.Name(); n != main && n != side && (strings.ContainsAny(n, "<>\"'\n\\:*?|") || strings.ContainsRune(n, '\u202e')) {
			t.Errorf("a file is called %q", n)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "etc")); err == nil {
		t.Error("a name became a path")
	}
}

// inertText: nothing moves the cursor, changes colours or the direction of
// reading, and no line is endless.
func inertText(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, r := range line {
			if r < ' ' && r != '\t' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f {
				t.Errorf("%s holds %U: %.80q", where, r, line)
				break
			}
		}
		if n := utf8.RuneCountInString(line); n > 4000 {
			t.Errorf("%s has a line of %d characters", where, n)
		}
	}
}

// inertPage: no script, no handler, no address outside the page, and no
// character that changes the direction of reading.
func inertPage(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch n.Type {
		case html.TextNode:
			if n.Parent != nil && n.Parent.Data != "style" {
				inertText(t, path, strings.ReplaceAll(n.Data, "\r", ""))
			}
		case html.ElementNode:
			switch n.Data {
			case "script", "iframe", "object", "embed", "link", "form", "base", "foreignobject":
				t.Errorf("%s has a <%s>", path, n.Data)
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				switch key := strings.ToLower(a.Key); {
				case strings.HasPrefix(key, "on"):
					t.Errorf("%s has a handler %s", path, key)
				case (key == "src" || key == "href") && !strings.HasPrefix(value, "data:image/") && !strings.HasPrefix(value, "#"):
					t.Errorf("%s points at %.60q", path, a.Val)
				case key == "alt" || key == "aria-label" || key == "title":
					inertText(t, path+" "+key, a.Val)
				}
			}
		}
	}
}

// inertTable: every row has the same cells, and none is a formula.
func inertTable(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(rows) < 2 {
		t.Errorf("%s has %d rows", path, len(rows))
	}
	for _, row := range rows {
		for _, cell := range row {
			first, _ := utf8.DecodeRuneInString(strings.TrimSpace(cell))
			number := strings.Trim(cell, "-0123456789.") == ""
			if strings.ContainsRune("=+@＝＋＠|", first) || first == '-' && !number || strings.ContainsAny(cell, "\r\n\x1b\u202e") {
				t.Errorf("%s: the cell %.60q acts", path, cell)
			}
		}
	}
}
