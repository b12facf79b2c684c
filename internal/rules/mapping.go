package rules

import (
	"fmt"
	"slices"
	"strings"
)

// mapping checks one mapping by itself: that it refers to what exists, and
// that it does not make the product assert intent.
func (c *checker) mapping(m Mapping) {
	item := "mapping " + string(m.Finding)
	if !knownKind(m.Finding) {
		c.add(item, string(m.Finding), "no such kind of finding")
		return
	}
	for _, f := range AllFacts() {
		values := m.When.values(f)
		if len(values) > 0 && !slices.Contains(m.Finding.facts(), f) {
			c.add(item, "", "cannot depend on %s", f)
			continue
		}
		for _, v := range values {
			if !slices.Contains(m.Finding.domain(f), v) {
				c.add(item, v, "%s %q is not one of %s", f, v, strings.Join(m.Finding.domain(f), ", "))
			}
		}
	}
	aboutIntent := false
	for _, id := range m.Clauses {
		c.clauseRef(item, id, false)
		if cl, ok := c.b.Clause(id); ok && cl.Intent {
			aboutIntent = true
		}
	}
	for _, id := range m.See {
		c.clauseRef(item, id, false)
	}
	for _, id := range m.Named {
		c.penaltyRef(item, id)
	}
	for _, id := range m.Remedies {
		if _, ok := find(c.b.Remedies, func(r Remedy) bool { return r.ID == id }); !ok {
			c.add(item, id, "no remedy %q, neither in this book nor among the common ones", id)
		}
	}
	for _, id := range m.Notes {
		if _, ok := find(c.b.Notes, func(n Note) bool { return n.ID == id }); !ok {
			c.add(item, id, "no note %q", id)
		}
	}
	c.outcome(item, m, aboutIntent)
	c.suggestions(item, m)
}

// outcome checks that clause, suggestion, action and condition fit together.
func (c *checker) outcome(item string, m Mapping, aboutIntent bool) {
	actions := []Action{ActionNone, ActionHeadJudge, ActionMayForbid, ActionProhibited, ActionJudge, ActionUnmentioned, ActionAllowed}
	if !slices.Contains(actions, m.Action) {
		c.add(item, string(m.Action), "action %q is not known", m.Action)
	}
	if m.If != "" && m.If != ConditionDeliberate {
		c.add(item, string(m.If), "condition %q is not known", m.If)
	}
	if m.If != "" && len(m.Suggest) == 0 {
		c.add(item, string(m.If), "a condition without a suggestion")
	}
	if len(m.Suggest) == 0 && m.Action == ActionNone {
		c.add(item, "", "neither suggests a penalty nor says what else the book wants (action)")
	}
	if len(m.Clauses) == 0 && m.Action != ActionUnmentioned {
		c.add(item, "", "names no clause")
	}
	if len(m.Suggest) > 0 && slices.Contains([]Action{ActionUnmentioned, ActionAllowed, ActionHeadJudge}, m.Action) {
		c.add(item, string(m.Action), "action %s and a suggested penalty exclude each other", m.Action)
	}
	if m.Finding.IsHeadJudge() && m.Action != ActionHeadJudge {
		c.add(item, "", "this finding only calls the head judge: action = %q and nothing suggested", ActionHeadJudge)
	}
	if aboutIntent && m.Action != ActionHeadJudge && m.If != ConditionDeliberate {
		c.add(item, "", "rests on a clause about intent, which fairdeck never asserts: cite it under see, or set if = %q", ConditionDeliberate)
	}
}

func (c *checker) suggestions(item string, m Mapping) {
	covered := map[Level]int{}
	for _, s := range m.Suggest {
		c.penaltyRange(item, s.From, s.To)
		if len(s.Levels) > 0 && len(c.b.Levels) == 0 {
			c.add(item, "", "this book knows no levels")
		}
		for _, l := range c.levelsOf(s) {
			if !c.b.HasLevel(l) {
				c.add(item, "", "level %d is not a level of this book", l)
			}
			covered[l]++
		}
	}
	if len(m.Suggest) == 0 {
		return
	}
	for _, l := range c.allLevels() {
		if covered[l] != 1 {
			c.add(item, "", "level %d has %d suggestions instead of one", l, covered[l])
		}
	}
}

func (c *checker) levelsOf(s Suggest) []Level {
	if len(s.Levels) > 0 {
		return s.Levels
	}
	return c.allLevels()
}

// allLevels lists the levels; a book without levels has the one level 0.
func (c *checker) allLevels() []Level {
	if len(c.b.Levels) == 0 {
		return []Level{0}
	}
	var all []Level
	for _, l := range c.b.Levels {
		all = append(all, l.ID)
	}
	return all
}

// coverage checks that for every combination of the facts a kind can have,
// exactly one mapping holds. The combinations are few (at most 2x2x4), so all
// are tried.
func (c *checker) coverage(k Kind) {
	item := "mapping " + string(k)
	if len(c.b.mappings(k)) == 0 {
		c.add(item, "", "missing: map it, or say action = %q", ActionUnmentioned)
		return
	}
	for _, f := range combinations(k, k.facts(), Facts{}) {
		var n int
		for _, m := range c.b.mappings(k) {
			if m.When.holds(f) {
				n++
			}
		}
		if n != 1 {
			c.add(item, "", "%d mappings hold when %s; exactly one must", n, describe(k, f))
			return // one example is enough to find it
		}
	}
}

// combinations lists all ways to fill in the named facts.
func combinations(k Kind, names []Fact, base Facts) []Facts {
	if len(names) == 0 {
		return []Facts{base}
	}
	var all []Facts
	for _, v := range k.domain(names[0]) {
		all = append(all, combinations(k, names[1:], base.with(names[0], v))...)
	}
	return all
}

func describe(k Kind, f Facts) string {
	var parts []string
	for _, name := range k.facts() {
		parts = append(parts, fmt.Sprintf("%s = %s", name, f.Value(name)))
	}
	if len(parts) == 0 {
		return "it is found"
	}
	return strings.Join(parts, ", ")
}

func (b *Book) mappings(k Kind) []Mapping {
	var of []Mapping
	for _, m := range b.Mappings {
		if m.Finding == k {
			of = append(of, m)
		}
	}
	return of
}
