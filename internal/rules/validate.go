package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fairdeck/internal/locale"
)

// problem is one thing wrong with a book; near is a word to find its line by.
type problem struct{ item, text, near string }

type checker struct {
	b        *Book
	problems []problem
}

func (c *checker) add(item, near, format string, args ...any) {
	c.problems = append(c.problems, problem{item, fmt.Sprintf(format, args...), near})
}

// idShape keeps IDs fit for file names, URLs and command lines.
var idShape = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

func (b *Book) check() []problem {
	c := &checker{b: b}
	c.head()
	c.scale()
	c.clauses()
	c.texts()
	c.deckRules()
	c.accumulations()
	for _, m := range b.Mappings {
		c.mapping(m)
	}
	if len(c.problems) == 0 { // coverage means nothing while mappings are broken
		for _, k := range Kinds() {
			c.coverage(k)
		}
	}
	return c.problems
}

func (c *checker) head() {
	b := c.b
	if b.Schema != Schema {
		c.add("", "", "schema is %q, this release reads %q", b.Schema, Schema)
	}
	if !idShape.MatchString(b.ID) {
		c.add("", b.ID, "id %q must be lower-case letters, digits, dots and dashes", b.ID)
	}
	if !slices.Contains(locale.Languages(), b.Original) {
		c.add("", "", "original %q is not a language fairdeck knows", b.Original)
	}
	if b.Source == "" {
		c.add("", "", "source is missing: say where the text comes from")
	}
	c.text("name", "", b.Name)
	seen := map[Level]bool{}
	for _, l := range b.Levels {
		if l.ID < 1 || seen[l.ID] {
			c.add("levels", "", "level %d is not positive or stands twice", l.ID)
		}
		seen[l.ID] = true
		c.text(fmt.Sprintf("level %d", l.ID), "", l.Name)
	}
}

func (c *checker) scale() {
	if len(c.b.Scale) == 0 {
		c.add("scale", "", "the book has no penalty scale")
	}
	seen := map[string]bool{}
	for _, p := range c.b.Scale {
		item := "penalty " + p.ID
		c.id(item, p.ID, seen)
		c.text(item, p.ID, p.Name)
		if p.Original == "" {
			c.add(item, p.ID, "original is missing: the book's own word")
		}
		c.clauseRef(item, p.Clause, true)
		c.clauseRef(item, p.SignOffClause, true)
		if !slices.Contains([]Role{"", Judge, HeadJudge, Organiser}, p.GivenBy) {
			c.add(item, string(p.GivenBy), "given_by %q is not a role", p.GivenBy)
		}
		if !slices.Contains([]Office{"", ToHeadJudge, ToPublisher}, p.ReportTo) {
			c.add(item, string(p.ReportTo), "report_to %q is not an office", p.ReportTo)
		}
		if p.SignOffs < 0 || p.SignOffs > 9 {
			c.add(item, p.ID, "sign_offs %d is not a number of judges", p.SignOffs)
		}
	}
}

func (c *checker) clauses() {
	seen := map[string]bool{}
	for _, cl := range c.b.Clauses {
		item := "clause " + cl.ID
		c.id(item, cl.ID, seen)
		c.text(item, cl.ID, cl.Text)
		if cl.Number == "" || cl.Quote == "" {
			c.add(item, cl.ID, "number and quote must both be given, so that a judge finds the place")
		}
		if n := len([]rune(cl.Quote)); n > 80 {
			c.add(item, cl.ID, "the quote has %d characters; quote a short phrase (up to 80)", n)
		}
	}
	for _, d := range c.b.Discretion {
		c.clauseRef("discretion", d, false)
	}
}

func (c *checker) texts() {
	seen := map[string]bool{}
	for _, r := range c.b.Remedies {
		c.id("remedy "+r.ID, r.ID, seen)
		c.text("remedy "+r.ID, r.ID, r.Text)
	}
	seen = map[string]bool{}
	for _, n := range c.b.Notes {
		c.id("note "+n.ID, n.ID, seen)
		c.text("note "+n.ID, n.ID, n.Text)
	}
}

func (c *checker) deckRules() {
	b := c.b
	seenPart := map[Part]bool{}
	for _, p := range b.Parts {
		item := "part " + string(p.Part)
		c.part(item, p.Part)
		if seenPart[p.Part] {
			c.add(item, "", "stands twice")
		}
		seenPart[p.Part] = true
		c.clauseRef(item, p.Clause, false)
		if p.Min < 0 || p.Max < p.Min || p.Max > 1000 {
			c.add(item, "", "%d to %d cards is not a range", p.Min, p.Max)
		}
		if p.ByGame && (p.Min != 0 || p.Max != 0) {
			c.add(item, "", "by_game and numbers exclude each other")
		}
	}
	if cp := b.Copies; cp != nil {
		if cp.Max < 1 {
			c.add("copies", "", "max must be at least 1")
		}
		for _, p := range cp.Across {
			c.part("copies", p)
		}
		c.clauseRef("copies", cp.Clause, false)
	}
	seenPart = map[Part]bool{}
	for _, g := range b.Sleeves.Groups {
		for _, p := range g {
			c.part("sleeves", p)
			if seenPart[p] {
				c.add("sleeves", "", "part %s stands in two groups", p)
			}
			seenPart[p] = true
		}
	}
	for _, o := range []Opaque{b.Sleeves.Opaque, b.Sleeves.Required} {
		if !slices.Contains([]Opaque{Always, SeveralOnly, ByOrganiser, Never}, o) {
			c.add("sleeves", string(o), "%q is not one of always, several-languages, organiser, never", o)
		}
	}
	c.clauseRef("sleeves", b.Sleeves.Clause, false)
	if b.Sleeves.MaxLayers < 0 {
		c.add("sleeves", "", "max_layers is negative")
	}
	seen := map[string]bool{}
	for _, t := range b.Times {
		item := "time " + t.ID
		c.id(item, t.ID, seen)
		if !slices.Contains([]string{TimeMatch, TimeBetweenGames, TimeThinking, TimeShuffle}, t.ID) {
			c.add(item, t.ID, "is not a time fairdeck uses")
		}
		if t.Seconds < 0 || t.Seconds > 24*3600 {
			c.add(item, t.ID, "%d seconds is not a time limit", t.Seconds)
		}
		c.clauseRef(item, t.Clause, false)
	}
}

func (c *checker) accumulations() {
	seen := map[string]bool{}
	for _, a := range c.b.Accumulations {
		item := "accumulation " + a.ID
		c.id(item, a.ID, seen)
		if !slices.Contains([]Scope{ByTournament, ByCategory, ByClause}, a.By) {
			c.add(item, string(a.By), "by %q is not tournament, category or clause", a.By)
		}
		if len(a.Weights) == 0 || a.Threshold < 1 {
			c.add(item, a.ID, "weights and a threshold of at least 1 are needed")
		}
		for id, w := range a.Weights {
			c.penaltyRef(item, id)
			if w < 1 {
				c.add(item, a.ID, "weight %d of %s is not positive", w, id)
			}
		}
		if a.Raise == (a.From != "") {
			c.add(item, a.ID, "give either from (and to) or raise = true")
		}
		if a.From != "" {
			c.penaltyRange(item, a.From, a.To)
		}
		c.clauseRef(item, a.Clause, false)
	}
}

func (c *checker) id(item, id string, seen map[string]bool) {
	if !idShape.MatchString(id) {
		c.add(item, id, "id %q must be lower-case letters, digits, dots and dashes", id)
	}
	if seen[id] {
		c.add(item, id, "stands twice")
	}
	seen[id] = true
}

func (c *checker) text(item, near string, t locale.Text) {
	if m := t.Missing(); len(m) > 0 {
		names := make([]string, len(m))
		for i, l := range m {
			names[i] = string(l)
		}
		c.add(item, near, "no text in %s", strings.Join(names, ", "))
	}
}

func (c *checker) part(item string, p Part) {
	if !slices.Contains([]Part{MainDeck, SideDeck, ExtraDeck}, p) {
		c.add(item, string(p), "%q is not main, side or extra", p)
	}
}

func (c *checker) clauseRef(item, id string, mayBeEmpty bool) {
	if id == "" && mayBeEmpty {
		return
	}
	if _, ok := c.b.Clause(id); !ok {
		c.add(item, id, "no clause %q in this book", id)
	}
}

func (c *checker) penaltyRef(item, id string) int {
	_, place, ok := c.b.Penalty(id)
	if !ok {
		c.add(item, id, "no penalty %q on this book's scale", id)
	}
	return place
}

func (c *checker) penaltyRange(item, from, to string) {
	low := c.penaltyRef(item, from)
	if to == "" {
		return
	}
	if high := c.penaltyRef(item, to); low >= 0 && high >= 0 && high < low {
		c.add(item, "", "the range from %s to %s runs downward", from, to)
	}
}
