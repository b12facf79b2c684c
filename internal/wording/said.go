package wording

import (
	"unicode"
	"unicode/utf8"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
)

// Problem is what could not be used and what to do about it. Words that the
// catalogues do not know are named by the problem's code, with the English
// original beside it.
func Problem(p locale.Printer, pr *record.Problem) (text, remedy string) {
	key := "problem." + pr.Code
	if !p.Has(key) {
		key = "problem.other"
	}
	text = said(p, pr.Text, p.Text(key, nil))
	if remedy, known := p.Said(pr.Remedy); known {
		return text, sentence(remedy)
	}
	return text, sentence(pr.Remedy)
}

// Warning is something the reader must know.
func Warning(p locale.Printer, w *record.Warning) string {
	return said(p, w.Text, p.Text("warning.other", nil))
}

// Said is any other statement of the measuring parts; one that the catalogues
// do not know stays English.
func Said(p locale.Printer, english string) string {
	text, _ := p.Said(english)
	return sentence(text)
}

// sentence bounds a statement with names from outside in it: a list of sixty
// places and a remedy stay whole, a name of ten thousand characters does not.
func sentence(s string) string { return plain.Text(s, 1000) }

func said(p locale.Printer, english, fallback string) string {
	if text, known := p.Said(english); known {
		return sentence(text)
	}
	return p.Text("report.foreign", locale.Args{"known": fallback, "original": sentence(english)})
}

// Title is a name as a heading begins with it.
func Title(s string) string { return upperFirst(s) }

// upperFirst begins a sentence; scripts without capitals stay as they are.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Places writes places in the deck, ascending: "1, 4–9 and 12".
func Places(p locale.Printer, places []int) string { return p.List(record.Runs(places)) }
