package locale

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// saidPrefix begins the keys of the statements that the measuring parts make.
const saidPrefix = "said."

// statement recognises one English sentence by its catalogue text.
type statement struct {
	name    string // the key without its prefix
	pattern *regexp.Regexp
	fills   []string
	literal int // characters that are not filled in
}

// Said renders a statement of a measuring part in the printer's language.
//
// The measuring parts (vision, the check) state problems and remedies in
// English, and so they stand in check.json. A reader's language comes last:
// the English statement is recognised by its own catalogue text, what it
// filled in is read back, and the same text is filled in anew. That way a
// check of last year is read in every language, too, and vision knows none.
//
// ok is false for a statement that the catalogues do not know; the text is
// then the English one.
func (p Printer) Said(english string) (text string, ok bool) {
	if p.lang == English {
		return english, true
	}
	for _, s := range p.c.said {
		m := s.pattern.FindStringSubmatch(english)
		if m == nil {
			continue
		}
		args := Args{}
		for i, name := range s.fills {
			args[name] = p.part(name, m[i+1])
		}
		return p.Text("said."+s.name, args), true
	}
	return english, false
}

// moreNames ends a list that was cut short.
var moreNames = regexp.MustCompile(` and (\d+) more$`)

// word is a text of the language, or the original where it has none.
func (p Printer) word(key, original string) string {
	if p.Has(key) {
		return p.Text(key, nil)
	}
	return original
}

// part renders what a statement filled in: a statement itself, a part of the
// deck, a kind of mark, in what sleeves differ, numbers of sleeves, or a name
// from outside, which stays as it is.
func (p Printer) part(name, value string) string {
	switch name {
	case "reason", "remedy", "special", "kind", "clause", "odds", "estimate", "where":
		value, _ = p.Said(value)
	case "count", "rest": // "5 strands", "1 card was", "card was"
		if number, _, _ := strings.Cut(value, " "); strings.Trim(number, "0123456789") == "" {
			value = number
		} else {
			value = "1"
		}
	case "times", "low", "high":
		if least, ok := strings.CutSuffix(value, " or more"); ok {
			value = least + "+"
		}
	case "grade", "upto":
		value = p.word("shuffle.level."+value, value)
	case "places":
		value = moreNames.ReplaceAllString(value, " +$1")
		value = strings.ReplaceAll(value, " and ", ", ")
	case "part", "other":
		value = p.word("answer.part."+value, value)
	case "look":
		if group, ok := strings.CutPrefix(value, "group "); ok {
			value = p.Text("strip.group", Args{"group": group})
		} else {
			value, _ = p.Said(value)
		}
	case "mark":
		value = p.word("kind."+strings.ReplaceAll(value, " ", "_"), value)
	case "what":
		var words []string
		for w := range strings.SplitSeq(value, ", ") {
			words = append(words, p.word("what."+w, w))
		}
		value = p.List(words)
	case "files":
		value = moreNames.ReplaceAllString(value, " +$1")
	}
	return value
}

var fillName = regexp.MustCompile(`\{([a-z]+)\}`)

// statements compiles the English texts, the most literal first: where two
// texts fit, the one that leaves less open is meant.
func statements(texts map[string]string) []statement {
	var list []statement
	for key, text := range texts {
		name, ok := strings.CutPrefix(key, saidPrefix)
		if !ok {
			continue
		}
		s := statement{name: name}
		var b strings.Builder
		b.WriteString(`(?s)^`)
		at := 0
		for _, m := range fillName.FindAllStringSubmatchIndex(text, -1) {
			b.WriteString(regexp.QuoteMeta(text[at:m[0]]) + `(.+?)`)
			s.fills = append(s.fills, text[m[2]:m[3]])
			s.literal += m[0] - at
			at = m[1]
		}
		b.WriteString(regexp.QuoteMeta(text[at:]) + `$`)
		s.literal += len(text) - at
		s.pattern = regexp.MustCompile(b.String()) // quoted literals and groups: always valid
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.literal, a.literal), cmp.Compare(a.name, b.name))
	})
	return list
}
