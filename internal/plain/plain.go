// Package plain makes text from outside (names of players, decks, cards and
// files) harmless where it is shown: in a terminal line or log, in a
// spreadsheet's cell, as a file's name. It never changes what is stored.
//
//	text from outside ──▶ Line      one line; control and direction characters made visible
//	                 ├──▶ Cell      a spreadsheet takes it for text, not for a formula
//	                 └──▶ FileName  one path element on every system
//
// HTML needs none of this: html/template escapes by context. Bidirectional
// controls do pass through HTML escaping, so reports show names through Line.
// The list of those controls is that of "Trojan Source" (Boucher and Anderson,
// 2021, CVE-2021-42574).
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is how many characters of foreign text a line shows: a name is
// shorter, and ten thousand characters must not push a message off the screen.
const maxLine = 200

// Line returns text as one line: control characters, line separators and
// characters that change the direction of reading appear as \u{...}, invalid
// UTF-8 as \x.., and text longer than 200 characters is cut with an ellipsis.
func Line(s string) string { return Text(s, maxLine) }

// Text is Line with another length, in characters, for whole sentences that
// may hold foreign text.
func Text(s string, most int) string {
	var b strings.Builder
	n := 0
	for len(s) > 0 {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		s = s[show(&b, s):]
	}
	return b.String()
}

// show writes the first character of a text so that it does nothing, and
// returns its bytes.
func show(b *strings.Builder, s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		fmt.Fprintf(b, `\x%02x`, s[0])
	case hidden(r):
		fmt.Fprintf(b, `\u{%x}`, r)
	default:
		b.WriteRune(r)
	}
	return size
}

// hidden reports characters that act instead of showing.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false
}

// Cell returns text for a CSV cell: like Line but not cut, and with an
// apostrophe in front where a spreadsheet would see a formula (a first
// character among = + - @, also after spaces, and their full-width forms).
// Numbers of fairdeck itself are written without Cell.
func Cell(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		s = s[show(&b, s):]
	}
	cell := b.String()
	if first := strings.TrimLeftFunc(cell, unicode.IsSpace); first != "" {
		if r, _ := utf8.DecodeRuneInString(first); strings.ContainsRune("=+-@＝＋－＠|", r) {
			return "'" + cell
		}
	}
	return cell
}

// maxFileName keeps names below the 255 bytes that file systems allow, with
// room for an ending.
const maxFileName = 120

// reserved are the device names of Windows.
var reserved = " con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 "

// FileName returns text as one element of a path: letters, digits and "-_."
// stay (of every script), everything else becomes "-"; it never begins with a
// dot or a dash, is never empty ("unnamed") and never a device's name.
func FileName(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == utf8.RuneError:
			r = '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '.':
		default:
			r = '-'
		}
		if b.Len()+utf8.RuneLen(r) > maxFileName {
			break
		}
		b.WriteRune(r)
	}
	name := strings.TrimRight(strings.TrimLeft(b.String(), ".-"), ".-")
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch {
	case name == "":
		return "unnamed"
	case strings.Contains(reserved, " "+base+" "):
		return "_" + name
	}
	return name
}
