package main

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// deckAnswers are what a person says about a whole deck. Nothing of it is
// guessed: what is not given is asked in the report.
type deckAnswers struct {
	languages string
	list      string
	limits    []string
	clear     []string
}

// AddFlags declares the flags.
func (o *deckAnswers) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.languages, "languages", "", "are the cards in one or several languages: one or several (default: asked in the report)")
	f.StringVar(&o.list, "list", "", "the registered deck list: none, right (keeps the rules) or wrong (default: asked)")
	f.StringSliceVar(&o.limits, "allow", nil, "numbers of cards that the organiser allows, such as main=50-50; before the book's own")
	f.StringSliceVar(&o.clear, "clear", nil, "parts whose sleeves show the backs of the cards: main, side, extra")
}

// told checks the answers; nil when nothing was answered.
func (o *deckAnswers) told() (*record.Told, error) {
	for _, a := range []struct {
		flag, value string
		fact        rules.Fact
	}{{"--languages", o.languages, rules.FactLanguages}, {"--list", o.list, rules.FactList}} {
		if a.value != "" && !slices.Contains(a.fact.Values(), a.value) {
			return nil, usagef("%s %q: want %s", a.flag, a.value, strings.Join(a.fact.Values(), ", "))
		}
	}
	t := &record.Told{Languages: o.languages, List: o.list}
	for _, part := range o.clear {
		if indexOfPart(part) < 0 {
			return nil, usagef("--clear %q: want main, side or extra", part)
		}
		if !slices.Contains(t.Clear, part) {
			t.Clear = append(t.Clear, part)
		}
	}
	for _, text := range o.limits {
		part, lo, hi, ok := partNumbers(text)
		if !ok || !strings.Contains(text, "-") {
			return nil, usagef("--allow %q: want PART=MIN-MAX such as main=50-50", text)
		}
		if slices.ContainsFunc(t.Allowed, func(a record.Allowed) bool { return a.Part == part }) {
			return nil, usagef("--allow %s: the %s deck was given limits already; give them once", text, part)
		}
		t.Allowed = append(t.Allowed, record.Allowed{Part: part, Min: lo, Max: hi})
	}
	if o.languages == "" && o.list == "" && len(t.Clear)+len(t.Allowed) == 0 {
		return nil, nil
	}
	return t, nil
}

// amend puts newer answers in the place of those that a check holds.
func amend(old, newer *record.Told) *record.Told {
	if old == nil || newer == nil {
		return cmp.Or(newer, old)
	}
	t := *old
	t.Languages, t.List = cmp.Or(newer.Languages, old.Languages), cmp.Or(newer.List, old.List)
	if len(newer.Clear) > 0 {
		t.Clear = newer.Clear
	}
	if len(newer.Allowed) > 0 {
		t.Allowed = newer.Allowed
	}
	return &t
}

// partNumbers reads PART=MIN-MAX, or PART=N.
func partNumbers(text string) (part string, lo, hi int, ok bool) {
	part, numbers, found := strings.Cut(text, "=")
	low, high, ranged := strings.Cut(numbers, "-")
	if !ranged {
		high = low
	}
	l, err1 := strconv.ParseUint(low, 10, 16)
	h, err2 := strconv.ParseUint(high, 10, 16)
	return part, int(l), int(h), found && err1 == nil && err2 == nil && l <= h && indexOfPart(part) >= 0
}

func deckParts() []rules.Part { return []rules.Part{rules.MainDeck, rules.SideDeck, rules.ExtraDeck} }

func indexOfPart(name string) int {
	return slices.Index(deckParts(), rules.Part(name))
}

// handCounts are numbers of cards that a person counted.
type handCounts struct{ counts []string }

func (o *handCounts) addCounts(f *pflag.FlagSet) {
	f.StringSliceVar(&o.counts, "count", nil, "cards of a part as counted by hand, such as main=40 (default: as the pictures show, which leads to no penalty)")
}

// each calls use with every count; use returns whether there is such a part.
func (o *handCounts) each(use func(part string, n int) bool) error {
	given := map[string]bool{}
	for _, text := range o.counts {
		part, n, hi, ok := partNumbers(text)
		if !ok || n != hi || n == 0 {
			return usagef("--count %q: want PART=N such as main=40", text)
		}
		if given[part] {
			return usagef("--count %s: the %s deck was given a number already; give it once", text, part)
		}
		given[part] = true
		if !use(part, n) {
			return usagef("--count %s: there are no pictures of the %s deck; inspect it as a part, with --%s", text, part, part)
		}
	}
	return nil
}

// wholeDeck are the flags of inspect that give a deck in parts.
type wholeDeck struct {
	sources map[rules.Part]*[]string
	handCounts
	deckAnswers
}

// AddFlags declares the flags.
func (o *wholeDeck) AddFlags(f *pflag.FlagSet) {
	o.sources = map[rules.Part]*[]string{}
	for _, p := range deckParts() {
		o.sources[p] = f.StringArray(string(p), nil, "pictures of the "+string(p)+" deck: a file, a folder or a pattern; may be given again")
	}
	o.addCounts(f)
	o.deckAnswers.AddFlags(f)
}

// parts says which pictures show which part, main first; none when the deck
// was given without parts. Pictures without a part are the main deck's as soon
// as anything is said about parts.
func (o *wholeDeck) parts(args []string) ([]check.PartInput, error) {
	if o.sources == nil { // a command without these flags
		return nil, nil
	}
	var list []check.PartInput
	for _, p := range deckParts() {
		patterns := *o.sources[p]
		if p == rules.MainDeck && len(args) > 0 {
			if len(patterns) > 0 {
				return nil, usagef("pictures stand without a part (%s) and the main deck has --main; give the part of each", args[0])
			}
			patterns = args
		}
		if len(patterns) > 0 {
			list = append(list, check.PartInput{Part: string(p), Patterns: patterns})
		}
	}
	told, err := o.told()
	if err != nil {
		return nil, err
	}
	given := func(part string) int {
		return slices.IndexFunc(list, func(in check.PartInput) bool { return in.Part == part })
	}
	err = o.each(func(part string, n int) bool {
		i := given(part)
		if i >= 0 {
			list[i].Cards = n
		}
		return i >= 0
	})
	if err != nil {
		return nil, err
	}
	if told != nil {
		for _, part := range told.Clear {
			if given(part) < 0 {
				return nil, usagef("--clear %s: there are no pictures of the %s deck (--%s)", part, part, part)
			}
		}
	}
	if len(list) == 1 && len(args) > 0 && told == nil && len(o.counts) == 0 {
		return nil, nil
	}
	return list, nil
}

// givesParts reports whether any part has pictures of its own.
func (o *wholeDeck) givesParts() bool {
	for _, p := range deckParts() {
		if len(*o.sources[p]) > 0 {
			return true
		}
	}
	return false
}

// somePictures refuses a command line without pictures.
func somePictures(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("which pictures? Give files, folders or patterns")
	}
	return nil
}
