package ruling

import (
	"slices"

	"fairdeck/internal/locale"
	"fairdeck/internal/rules"
)

// entry is what a reader sees as one finding. The same sleeves can be on a
// sheet three times: as marked, as sharing a feature, and as seen at playing
// distance. A reader needs them once, with what follows from each reading.
type entry struct {
	advice []int // of the sheet; the first gives the heading
}

// entries joins the readings of the same marks.
func (s *Sheet) entries() (list []entry) {
	for i, a := range s.Advice {
		at := -1
		if isMark(a.Finding.Kind) {
			at = slices.IndexFunc(list, func(e entry) bool { return s.sameMarks(e.advice[0], i) })
		}
		if at < 0 {
			list = append(list, entry{[]int{i}})
			continue
		}
		list[at].advice = append(list[at].advice, i)
	}
	// The heading is that of the marks themselves, not of how well they are
	// seen, which it names anyway.
	for k := range list {
		e := list[k].advice
		if len(e) > 1 && s.Advice[e[0]].Finding.Kind == rules.MarkObvious {
			list[k].advice = append(e[1:len(e):len(e)], e[0])
		}
	}
	return list
}

func isMark(k rules.Kind) bool {
	return k == rules.MarkIsolated || k == rules.MarkPattern || k == rules.MarkObvious
}

// sameMarks reports whether two pieces of advice rest on the same marks.
func (s *Sheet) sameMarks(i, j int) bool {
	a, b := s.Advice[i], s.Advice[j]
	return isMark(a.Finding.Kind) && isMark(b.Finding.Kind) && a.Withheld == b.Withheld &&
		a.Finding.Facts.Part == b.Finding.Facts.Part && a.Finding.Facts.Visibility == b.Finding.Facts.Visibility &&
		slices.Equal(a.Finding.Evidence, b.Finding.Evidence)
}

// reading is an outcome with the condition under which it is read.
type reading struct {
	advice  rules.Advice
	outcome rules.Outcome
	given   string // empty: in any case
}

// readings are the outcomes of an entry, each once.
func (s *Sheet) readings(p locale.Printer, e entry) (list []reading) {
	for _, i := range e.advice {
		a := s.Advice[i]
		for _, o := range a.Outcomes {
			if slices.ContainsFunc(list, func(r reading) bool { return a.Finding.Kind == rules.MarkObvious && sameOutcome(r.outcome, o) }) {
				continue
			}
			r := reading{advice: a, outcome: o, given: s.answers(p, a, o)}
			if r.given == "" && len(e.advice) > 1 && a.Finding.Kind == rules.MarkObvious {
				r.given = p.Text("finding."+string(a.Finding.Kind), nil)
			}
			list = append(list, r)
		}
	}
	return list
}

// sameOutcome reports whether a book says the same twice.
func sameOutcome(a, b rules.Outcome) bool {
	clause := func(x, y rules.Clause) bool { return x.ID == y.ID }
	remedy := func(x, y rules.Remedy) bool { return x.ID == y.ID }
	if !slices.EqualFunc(a.Clauses, b.Clauses, clause) || !slices.EqualFunc(a.See, b.See, clause) || !slices.EqualFunc(a.Remedies, b.Remedies, remedy) {
		return false
	}
	if (a.Suggested == nil) != (b.Suggested == nil) || a.If != b.If || a.Action != b.Action {
		return false
	}
	return a.Suggested == nil || a.Suggested.From.ID == b.Suggested.From.ID && a.Suggested.To.ID == b.Suggested.To.ID
}
