package rules

import (
	"slices"

	"fairdeck/internal/locale"
)

// Schema is the version of the rule books' format.
const Schema = "rulebook/v1"

// Book is one tournament rule book: what Read made of a TOML file. Treat it as
// read-only.
type Book struct {
	Schema   string          `toml:"schema"`
	ID       string          `toml:"id"`       // stable, lower case: "cnc-2011"
	Edition  string          `toml:"edition"`  // as the book dates itself
	Original locale.Language `toml:"original"` // language of the quotes
	Name     locale.Text     `toml:"name"`
	Source   string          `toml:"source"` // where the text comes from, for a reader

	Levels        []LevelInfo    `toml:"levels"` // empty: the book knows no levels
	Scale         []Penalty      `toml:"scale"`  // lightest first
	Clauses       []Clause       `toml:"clauses"`
	Remedies      []Remedy       `toml:"remedies"` // of this book, besides the common ones
	Notes         []Note         `toml:"notes"`
	Discretion    []string       `toml:"discretion"` // clauses that let a judge lighten or aggravate
	Parts         []PartRule     `toml:"parts"`
	Copies        *CopyRule      `toml:"copies"`
	Sleeves       SleeveRule     `toml:"sleeves"`
	Times         []TimeRule     `toml:"times"`
	Mappings      []Mapping      `toml:"mappings"`
	Accumulations []Accumulation `toml:"accumulations"`

	// SHA256 is the digest of the file's bytes, in hex; records carry it so
	// that it shows under which text a finding was read.
	SHA256 string `toml:"-"`
	// Origin is "built in", or the path of the file an organiser supplied.
	Origin string `toml:"-"`
}

// Level is a tournament level as the book numbers it. 0 means "not stated".
type Level int

// LevelInfo describes one tournament level.
type LevelInfo struct {
	ID   Level       `toml:"id"`
	Name locale.Text `toml:"name"`
}

// Penalty is one step of the book's scale.
type Penalty struct {
	ID       string      `toml:"id"`
	Original string      `toml:"original"` // the book's own word
	Name     locale.Text `toml:"name"`
	Clause   string      `toml:"clause"`   // where the book defines it; may be empty
	GivenBy  Role        `toml:"given_by"` // who gives it; empty = any judge
	ReportTo Office      `toml:"report_to"`
	// SignOffs is how many judges must agree, counting the one who decides; 0
	// and 1 both mean that one is enough. SignOffClause says where.
	SignOffs      int    `toml:"sign_offs"`
	SignOffClause string `toml:"sign_off_clause"`
}

// Role is an office in the tournament.
type Role string

// The roles.
const (
	Judge     Role = "judge"
	HeadJudge Role = "head-judge"
	Organiser Role = "organiser"
)

// Office is whom a penalty is reported to.
type Office string

// The offices.
const (
	ToHeadJudge Office = "head-judge"
	ToPublisher Office = "publisher"
)

// Clause is one place of the book.
type Clause struct {
	ID     string `toml:"id"`
	Number string `toml:"number"` // as the book counts, so that a judge finds it
	// Quote is a short phrase of the original, letter by letter.
	Quote string      `toml:"quote"`
	Text  locale.Text `toml:"text"` // a rendering, not a translation with authority
	// Category groups clauses whose penalties add up (bushiroad: the heading
	// 5.x). Empty where the book adds up nothing by category.
	Category string `toml:"category"`
	// Intent marks a clause about deliberate acts. It can only be cited as
	// information or under a Condition.
	Intent bool `toml:"intent"`
}

// Remedy is what puts a finding right.
type Remedy struct {
	ID   string      `toml:"id"`
	Text locale.Text `toml:"text"`
}

// Note is something a judge should know beside an outcome.
type Note struct {
	ID   string      `toml:"id"`
	Text locale.Text `toml:"text"`
}

// Action says what the book wants besides, or instead of, a penalty.
type Action string

// The actions.
const (
	// ActionNone: the suggested penalty and the remedy say it all.
	ActionNone Action = ""
	// ActionHeadJudge: call the head judge; nothing is suggested.
	ActionHeadJudge Action = "call-head-judge"
	// ActionMayForbid: the judge may forbid the sleeve.
	ActionMayForbid Action = "may-forbid"
	// ActionProhibited: the book prohibits it and names no penalty.
	ActionProhibited Action = "prohibited"
	// ActionJudge: the book asks for it but names no penalty.
	ActionJudge Action = "judge-decides"
	// ActionUnmentioned: the book has no clause about it.
	ActionUnmentioned Action = "unmentioned"
	// ActionAllowed: the book allows it.
	ActionAllowed Action = "allowed"
)

// Condition is something only a judge can find; a suggestion that carries one
// holds only then.
type Condition string

// ConditionDeliberate: the book names the penalty for deliberate acts.
const ConditionDeliberate Condition = "judge-finds-deliberate"

// Mapping connects a kind of finding, under given facts, to the book.
type Mapping struct {
	Finding  Kind      `toml:"finding"`
	When     Case      `toml:"when"`
	Clauses  []string  `toml:"clauses"`
	Suggest  []Suggest `toml:"suggest"`
	If       Condition `toml:"if"` // holds for every suggestion of the mapping
	Action   Action    `toml:"action"`
	Named    []string  `toml:"named"`    // penalties the book names for intent: information only
	See      []string  `toml:"see"`      // clauses shown as information
	Remedies []string  `toml:"remedies"` // in the order of doing
	Notes    []string  `toml:"notes"`
}

// Suggest is the range of penalties for some tournament levels.
type Suggest struct {
	Levels []Level `toml:"levels"` // empty: every level
	From   string  `toml:"from"`
	To     string  `toml:"to"` // empty: the same as From
}

// Case limits a mapping to some values of the facts. An empty list means that
// the fact does not matter.
type Case struct {
	Visibility []string `toml:"visibility"`
	Shared     []string `toml:"shared"`
	Part       []string `toml:"part"`
	Count      []string `toml:"count"`
	List       []string `toml:"list"`
	Deck       []string `toml:"deck"`
	Ordered    []string `toml:"ordered"`
	Persisted  []string `toml:"persisted"`
	Languages  []string `toml:"languages"`
	Layers     []string `toml:"layers"`
}

func (c Case) values(f Fact) []string {
	switch f {
	case FactVisibility:
		return c.Visibility
	case FactShared:
		return c.Shared
	case FactPart:
		return c.Part
	case FactCount:
		return c.Count
	case FactList:
		return c.List
	case FactDeck:
		return c.Deck
	case FactOrdered:
		return c.Ordered
	case FactPersisted:
		return c.Persisted
	case FactLanguages:
		return c.Languages
	case FactLayers:
		return c.Layers
	}
	return nil
}

// holds reports whether the case covers these facts; all facts it names must
// be known.
func (c Case) holds(f Facts) bool {
	for _, name := range AllFacts() {
		if want := c.values(name); len(want) > 0 && !slices.Contains(want, f.Value(name)) {
			return false
		}
	}
	return true
}

// Clause returns the clause with this ID.
func (b *Book) Clause(id string) (Clause, bool) {
	return find(b.Clauses, func(c Clause) bool { return c.ID == id })
}

// Penalty returns the step of the scale with this ID and its place on the
// scale, 0 = lightest.
func (b *Book) Penalty(id string) (Penalty, int, bool) {
	i := slices.IndexFunc(b.Scale, func(p Penalty) bool { return p.ID == id })
	if i < 0 {
		return Penalty{}, -1, false
	}
	return b.Scale[i], i, true
}

// HasLevel reports whether the book knows a tournament level. A book without
// levels takes any.
func (b *Book) HasLevel(l Level) bool {
	return len(b.Levels) == 0 || slices.ContainsFunc(b.Levels, func(i LevelInfo) bool { return i.ID == l })
}

func find[T any](list []T, is func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	var zero T
	return zero, false
}
