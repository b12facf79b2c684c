package ledger

import (
	"slices"

	"fairdeck/internal/rules"
)

// Status says whether a penalty counts.
type Status string

// The states.
const (
	InForce   Status = "in-force"
	Pending   Status = "pending" // further judges must agree
	Withdrawn Status = "withdrawn"
)

// State is what has become of a penalty after its corrections and sign-offs.
type State struct {
	Seq    int   // of the penalty
	First  Entry // the penalty as it was entered
	Entry  Entry // the penalty as it now reads: its own entry or the last correction
	Status Status
	// Agreed lists who agrees with it as it now reads, the one who decided first.
	Agreed []string
	// Needs is how many judges must agree in all.
	Needs int
}

// State returns what has become of the penalty with this number; ok is false
// when the entry is not a penalty.
func (l *Ledger) State(seq int) (s State, ok bool) {
	if seq < 1 || seq > len(l.entries) || l.entries[seq-1].Type != Penalty {
		return State{}, false
	}
	return l.state(seq), true
}

func (l *Ledger) state(seq int) State {
	first := l.entries[seq-1]
	s := State{Seq: seq, First: first.clone(), Entry: first.clone(), Agreed: []string{first.DecidedBy}}
	for _, e := range l.entries[seq:] {
		switch {
		case e.Refers != seq:
		case e.Type == Correction:
			s.Entry = e.clone()
			s.Agreed = []string{e.DecidedBy} // earlier judges agreed with something else
		case e.Type == SignOff:
			s.Agreed = append(s.Agreed, e.DecidedBy)
		}
	}
	s.Needs = 1
	if p, _, ok := l.book.Penalty(s.Entry.Penalty); ok && p.SignOffs > 1 {
		s.Needs = p.SignOffs
	}
	switch {
	case s.Entry.Penalty == "":
		s.Status = Withdrawn
	case len(s.Agreed) < s.Needs:
		s.Status = Pending
	default:
		s.Status = InForce
	}
	return s
}

// Standing is where a player stands.
type Standing struct {
	Player    string
	Penalties []State // every penalty entered, oldest first, whatever its status
	Tallies   []Tally
}

// Tally is one sum that the book keeps.
type Tally struct {
	Rule rules.Accumulation
	Key  string // the category, or the number of the clause; "" for the whole tournament
	Sum  int    // weight of the penalties in force
	Of   []int  // their numbers

	// Outstanding is how many penalties a binding rule makes due and that no
	// entry has carried out. It says nothing for rules that only let a judge
	// raise.
	Outstanding int
	// MayRaise: the rule lets a judge raise the latest of these penalties.
	MayRaise bool
	// To is what is due or what it may be raised to; nil when neither is so.
	To *rules.Range
	// TipsNext lists the penalties of which one more would reach the threshold
	// (again).
	TipsNext []string
}

// Standing adds up what is in force against a player.
//
// A binding rule counts on after it has been reached: with a threshold of 4,
// a sum of 8 makes two penalties due. The cnc book says "two warnings or four
// cautions are one game loss" and leaves open whether a new count begins, which
// comes to the same.
func (l *Ledger) Standing(player string) Standing {
	st := Standing{Player: player}
	for _, e := range l.entries {
		if e.Type == Penalty && e.Player == player {
			st.Penalties = append(st.Penalties, l.state(e.Seq))
		}
	}
	for _, rule := range l.book.Accumulations {
		st.Tallies = append(st.Tallies, l.tallies(rule, st.Penalties)...)
	}
	return st
}

// Preview is the Standing as it would be with one more entry, which is not
// added. Judges see what it would tip over before they decide.
func (l *Ledger) Preview(e Entry) (Standing, error) {
	after := &Ledger{tournament: l.tournament, book: l.book, entries: l.entries[:len(l.entries):len(l.entries)]}
	taken, err := after.Append(e)
	if err != nil {
		return Standing{}, err
	}
	return after.Standing(taken.Player), nil
}

// tallies makes one tally for each key that occurs.
func (l *Ledger) tallies(rule rules.Accumulation, penalties []State) []Tally {
	var keys []string
	byKey := map[string]*Tally{}
	carriedOut := map[string]int{}
	for _, s := range penalties {
		if s.Status != InForce {
			continue
		}
		if s.Entry.Follows != "" { // it results from sums and is not added to any
			if s.Entry.Follows == rule.ID {
				carriedOut[l.followsKey(rule, s)]++
			}
			continue
		}
		w := rule.Weights[s.Entry.Penalty]
		key, counts := l.key(rule.By, s.Entry)
		if w == 0 || !counts {
			continue
		}
		t := byKey[key]
		if t == nil {
			t = &Tally{Rule: rule, Key: key}
			byKey[key] = t
			keys = append(keys, key)
		}
		t.Sum += w
		t.Of = append(t.Of, s.Seq)
	}
	if rule.By == rules.ByTournament && len(keys) == 0 { // "nothing so far" is an answer too
		keys, byKey[""] = []string{""}, &Tally{Rule: rule}
	}
	list := make([]Tally, 0, len(keys))
	for _, key := range keys {
		t := byKey[key]
		l.close(t, carriedOut[key])
		list = append(list, *t)
	}
	return list
}

// close draws the conclusions of a tally.
func (l *Ledger) close(t *Tally, carriedOut int) {
	rule := t.Rule
	if rule.Binding {
		t.Outstanding = max(0, t.Sum/rule.Threshold-carriedOut)
	} else {
		t.MayRaise = t.Sum >= rule.Threshold
	}
	if t.Outstanding > 0 || t.MayRaise {
		t.To = l.reached(t)
	}
	for _, p := range l.book.Scale { // in the order of the scale
		w := rule.Weights[p.ID]
		if w == 0 {
			continue
		}
		if rest := t.Sum % rule.Threshold; rule.Binding && rest+w >= rule.Threshold || !rule.Binding && t.Sum+w >= rule.Threshold {
			t.TipsNext = append(t.TipsNext, p.ID)
		}
	}
}

// reached returns what the rule leads to.
func (l *Ledger) reached(t *Tally) *rules.Range {
	if !t.Rule.Raise {
		to := t.Rule.To
		if to == "" {
			to = t.Rule.From
		}
		from, _, _ := l.book.Penalty(t.Rule.From)
		upper, _, _ := l.book.Penalty(to)
		return &rules.Range{From: from, To: upper}
	}
	last := l.state(t.Of[len(t.Of)-1]).Entry.Penalty
	_, place, ok := l.book.Penalty(last)
	if !ok || place+1 >= len(l.book.Scale) {
		return nil // nothing is above the heaviest
	}
	up := l.book.Scale[place+1]
	return &rules.Range{From: up, To: up}
}

// key is what a penalty is added up under; counts is false for clauses
// without a category in a rule by category, and for those that the book has
// no longer.
func (l *Ledger) key(by rules.Scope, e Entry) (key string, counts bool) {
	switch by {
	case rules.ByClause:
		// By the book's number: one rule may be quoted in several places.
		c, ok := l.book.Clause(e.Clause)
		return c.Number, ok
	case rules.ByCategory:
		c, ok := l.book.Clause(e.Clause)
		return c.Category, ok && c.Category != ""
	}
	return "", true
}

// followsKey finds which tally a carried-out penalty belongs to: the one its
// clause names, or the whole tournament.
func (l *Ledger) followsKey(rule rules.Accumulation, s State) string {
	if rule.By == rules.ByTournament {
		return ""
	}
	key, _ := l.key(rule.By, s.Entry)
	return key
}

// InForce lists a player's penalties that count, oldest first.
func (s Standing) InForce() []State {
	return slices.DeleteFunc(slices.Clone(s.Penalties), func(p State) bool { return p.Status != InForce })
}
