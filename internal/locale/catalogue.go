package locale

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed catalogues/*.toml
var files embed.FS

// Catalogues are the texts of all languages.
type Catalogues struct {
	of   map[Language]catalogue
	said []statement // of the English texts
}

type catalogue struct {
	Text   map[string]string `toml:"text"`
	Plural map[string]forms  `toml:"plural"`
}

// forms are the CLDR cardinal categories that fairdeck's languages have.
type forms struct {
	One   string `toml:"one"`
	Other string `toml:"other"`
}

// Load reads the built-in catalogues. It is cheap enough to do once for each
// command.
func Load() (*Catalogues, error) {
	c := &Catalogues{of: map[Language]catalogue{}}
	for _, l := range Languages() {
		name := "catalogues/" + string(l) + ".toml"
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("locale: %w", err)
		}
		var one catalogue
		if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&one); err != nil {
			return nil, fmt.Errorf("locale: %s: %w", name, err)
		}
		c.of[l] = one
	}
	c.said = statements(c.of[English].Text)
	return c, nil
}

// Keys lists the keys of a language, sorted; those of plural texts too.
func (c *Catalogues) Keys(l Language) []string {
	keys := slices.Collect(maps.Keys(c.of[l].Text))
	keys = slices.AppendSeq(keys, maps.Keys(c.of[l].Plural))
	slices.Sort(keys)
	return keys
}

// For returns the printer of a language.
func (c *Catalogues) For(l Language) Printer { return Printer{c, l} }

// Printer gives texts in one language.
type Printer struct {
	c    *Catalogues
	lang Language
}

// Args fill in a text's names.
type Args map[string]string

// Language is the language it prints in.
func (p Printer) Language() Language { return p.lang }

// Text returns the text of a key with its names filled in. A key that the
// language lacks gives English, and a key that nobody knows gives itself: a
// report with one odd word is better than none.
func (p Printer) Text(key string, args Args) string {
	for _, l := range []Language{p.lang, English} {
		if t, ok := p.c.of[l].Text[key]; ok {
			return fill(t, args)
		}
	}
	return key
}

// Has reports whether the language itself has the key.
func (p Printer) Has(key string) bool {
	_, text := p.c.of[p.lang].Text[key]
	_, number := p.c.of[p.lang].Plural[key]
	return text || number
}

// Count returns the text of a key for a number of things; {n} is the number.
func (p Printer) Count(key string, n int, args Args) string {
	all := maps.Clone(args)
	if all == nil {
		all = Args{}
	}
	all["n"] = strconv.Itoa(n)
	for _, l := range []Language{p.lang, English} {
		f, ok := p.c.of[l].Plural[key]
		if !ok {
			continue
		}
		t := f.Other
		if f.One != "" && plural.Cardinal.MatchPlural(language.Make(string(l)), n, 0, 0, 0, 0) == plural.One {
			t = f.One
		}
		return fill(t, all)
	}
	return key
}

// fill replaces {name} in one pass, so that a value with braces stays as it
// is.
func fill(text string, args Args) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if v, known := args[name]; closed && known {
			b.WriteString(v)
			text = after
			continue
		}
		b.WriteByte('{')
		text = rest
	}
}
