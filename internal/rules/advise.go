package rules

import (
	"errors"
	"fmt"
	"slices"
)

// ErrLevel is returned when a book needs a tournament level and was given
// none, or one it does not have.
var ErrLevel = errors.New("the rule book needs a tournament level")

// Advice is what a book says about one finding. It is information for a
// judge, who decides.
type Advice struct {
	Finding Finding
	Level   Level
	// Outcomes holds one entry when everything that matters is known, and one
	// for each different answer when something has to be asked first. It is
	// never empty.
	Outcomes []Outcome
	// Ask lists the facts that are not known and would change the outcome.
	Ask []Fact
	// Withheld says why no penalty is suggested although the book names one.
	Withheld Reason
}

// Reason is why a suggestion is withheld.
type Reason string

// The reasons.
const (
	// WithheldCameraOnly: a person does not see it, so nobody could have used
	// it. It is listed apart.
	WithheldCameraOnly Reason = "camera-only"
	// WithheldVisibility: how visible it is was not stated.
	WithheldVisibility Reason = "visibility-not-stated"
	// WithheldProvisional: a person has to confirm it first.
	WithheldProvisional Reason = "not-confirmed"
)

// Outcome is what the book says under given facts.
type Outcome struct {
	// Given holds the answers this outcome assumes to the facts in Advice.Ask;
	// a list because several answers may lead to the same outcome.
	Given []Facts

	Clauses   []Clause
	Suggested *Range    // nil: nothing is suggested
	If        Condition // the suggestion holds only if the judge finds this
	Action    Action
	Remedies  []Remedy
	Notes     []Note

	// Named and See are information: penalties the book names for deliberate
	// acts and clauses about them. Discretion lists the clauses that let a
	// judge lighten or aggravate.
	Named      []Penalty
	See        []Clause
	Discretion []Clause
}

// Range is a range on the book's scale, both ends included; From is the
// lighter end.
type Range struct{ From, To Penalty }

// Advise looks a finding up in the book for a tournament level. A book
// without levels ignores the level. What only a camera sees falls under no
// clause: its one outcome is empty.
//
// Errors: the finding is not valid, or ErrLevel.
func (b *Book) Advise(f Finding, level Level) (Advice, error) {
	if err := f.Validate(); err != nil {
		return Advice{}, err
	}
	if !b.HasLevel(level) {
		return Advice{}, fmt.Errorf("%w: %s has %s, not %d", ErrLevel, b.ID, b.levelList(), level)
	}
	a := Advice{Finding: f, Level: level}
	known := f.facts()
	switch {
	case known.Visibility == CameraOnly:
		a.Withheld = WithheldCameraOnly
		if !f.Kind.IsHeadJudge() { // that suggests nothing in any case
			// No clause is cited either: it would read as if one applied.
			a.Outcomes = []Outcome{{}}
			return a, nil
		}
		known.Visibility = ""
	case known.Visibility == "" && f.Kind.IsAppearance():
		a.Withheld = WithheldVisibility
	case f.Provisional:
		a.Withheld = WithheldProvisional
	}
	var unknown []Fact
	for _, name := range f.Kind.facts() {
		if known.Value(name) == "" {
			unknown = append(unknown, name)
		}
	}
	a.Outcomes, a.Ask = b.outcomes(f.Kind, known, unknown, level)
	if a.Withheld != "" {
		for i := range a.Outcomes {
			a.Outcomes[i].Suggested, a.Outcomes[i].If = nil, ""
		}
	}
	return a, nil
}

// outcomes lists the mappings that can hold under what is known, and the
// unknown facts that tell them apart.
func (b *Book) outcomes(k Kind, known Facts, unknown []Fact, level Level) ([]Outcome, []Fact) {
	all := combinations(k, unknown, known)
	chosen := make([]int, len(all)) // index of the mapping, by combination
	maps := b.mappings(k)
	var outcomes []Outcome
	at := map[int]int{} // mapping -> place in outcomes
	for i, f := range all {
		chosen[i] = slices.IndexFunc(maps, func(m Mapping) bool { return m.When.holds(f) })
		place, seen := at[chosen[i]]
		if !seen {
			place = len(outcomes)
			at[chosen[i]] = place
			outcomes = append(outcomes, b.outcome(maps[chosen[i]], level))
		}
		outcomes[place].Given = append(outcomes[place].Given, f)
	}
	if len(outcomes) == 1 {
		outcomes[0].Given = nil
		return outcomes, nil
	}
	var ask []Fact
	for _, name := range unknown {
		if matters(name, all, chosen) {
			ask = append(ask, name)
		}
	}
	return outcomes, ask
}

// matters reports whether changing only this fact changes the mapping.
func matters(name Fact, all []Facts, chosen []int) bool {
	for i := range all {
		for j := range all[:i] {
			if chosen[i] != chosen[j] && all[i].with(name, "") == all[j].with(name, "") {
				return true
			}
		}
	}
	return false
}

func (b *Book) outcome(m Mapping, level Level) Outcome {
	o := Outcome{If: m.If, Action: m.Action, Clauses: b.clausesOf(m.Clauses), See: b.clausesOf(m.See), Discretion: b.clausesOf(b.Discretion)}
	for _, id := range m.Named {
		p, _, _ := b.Penalty(id)
		o.Named = append(o.Named, p)
	}
	for _, id := range m.Remedies {
		r, _ := find(b.Remedies, func(r Remedy) bool { return r.ID == id })
		o.Remedies = append(o.Remedies, r)
	}
	for _, id := range m.Notes {
		n, _ := find(b.Notes, func(n Note) bool { return n.ID == id })
		o.Notes = append(o.Notes, n)
	}
	for _, s := range m.Suggest {
		if len(s.Levels) > 0 && !slices.Contains(s.Levels, level) {
			continue
		}
		to := s.To
		if to == "" {
			to = s.From
		}
		from, _, _ := b.Penalty(s.From)
		upper, _, _ := b.Penalty(to)
		o.Suggested = &Range{From: from, To: upper}
	}
	return o
}

func (b *Book) clausesOf(ids []string) []Clause {
	var list []Clause
	for _, id := range ids {
		c, _ := b.Clause(id)
		list = append(list, c)
	}
	return list
}

func (b *Book) levelList() string {
	s := "levels"
	for i, l := range b.Levels {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf(" %d", l.ID)
	}
	return s
}
