package rules

import (
	"fmt"
	"slices"
	"time"
)

// CardCount is how many cards a part holds. A deal may leave doubt (two cards
// that stuck together), so it is a range; Min = Max when there is none.
type CardCount struct {
	Part     Part
	Min, Max int
	Ref      string // where in the check it was counted
	// Provisional: counted in pictures, where cards can hide or be missing. A
	// finding then asks for a person's count before any penalty.
	Provisional bool
}

// Limits are the numbers of cards a part may hold, both ends included.
type Limits struct{ Min, Max int }

// CountLimits returns how many cards a part may hold. Where the book leaves
// that to the game, ok is false and the organiser's numbers are needed.
func (b *Book) CountLimits(p Part) (l Limits, clause Clause, ok bool) {
	rule, found := find(b.Parts, func(r PartRule) bool { return r.Part == p })
	if !found {
		return Limits{}, Clause{}, false
	}
	clause, _ = b.Clause(rule.Clause)
	return Limits{rule.Min, rule.Max}, clause, !rule.ByGame
}

// CheckCounts compares counted parts with what is allowed. Stated holds the
// organiser's limits; they take precedence over the book's. list is the state
// of the registered deck list, if known.
//
// A finding is made only when every number in the counted range is outside
// the limits. Parts without any known limits are returned in unruled, so that
// a caller can say that they were not checked.
func (b *Book) CheckCounts(counted []CardCount, stated map[Part]Limits, list List) (findings []Finding, unruled []Part) {
	for _, c := range counted {
		limits, byOrganiser := stated[c.Part]
		if !byOrganiser {
			var ok bool
			if limits, _, ok = b.CountLimits(c.Part); !ok {
				unruled = append(unruled, c.Part)
				continue
			}
		}
		f := Finding{Kind: DeckCount, Facts: Facts{Part: c.Part, List: list}, Provisional: c.Provisional}
		switch {
		case c.Max < limits.Min:
			f.Facts.Count = TooFew
		case c.Min > limits.Max:
			f.Facts.Count = TooMany
		default:
			continue
		}
		note := fmt.Sprintf("the %s deck holds %s cards, %d to %d are allowed", c.Part, rangeText(c.Min, c.Max), limits.Min, limits.Max)
		if c.Provisional {
			note = fmt.Sprintf("the pictures of the %s deck show %s cards, %d to %d are allowed", c.Part, rangeText(c.Min, c.Max), limits.Min, limits.Max)
		}
		f.Evidence = []Evidence{{Ref: c.Ref, Note: note}}
		findings = append(findings, f)
	}
	return findings, unruled
}

func rangeText(lo, hi int) string {
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d–%d", lo, hi)
}

// FaceCount is how many copies of one card a part holds.
type FaceCount struct {
	Face   string // identity of the card within the check
	Part   Part
	Copies int // seen with certainty; doubtful copies are not counted
	Ref    string
}

// CheckCopies finds cards of which the deck holds more copies than allowed,
// adding up the parts that the book counts together. Stated holds limits of
// the organiser's list (forbidden = 0, limited = 1, semi-limited = 2) by face.
//
// Without a rule in the book and without a stated limit a face is not judged:
// ruled then is false.
func (b *Book) CheckCopies(counts []FaceCount, stated map[string]int, list List) (findings []Finding, ruled bool) {
	type sum struct {
		n    int
		refs []Evidence
	}
	sums := map[string]*sum{}
	for _, c := range counts {
		if b.Copies != nil && len(b.Copies.Across) > 0 && !slices.Contains(b.Copies.Across, c.Part) {
			continue
		}
		s := sums[c.Face]
		if s == nil {
			s = &sum{}
			sums[c.Face] = s
		}
		s.n += c.Copies
		s.refs = append(s.refs, Evidence{Ref: c.Ref, Note: fmt.Sprintf("%d copies in the %s deck", c.Copies, c.Part)})
	}
	faces := make([]string, 0, len(sums))
	for face := range sums {
		faces = append(faces, face)
	}
	slices.Sort(faces)
	for _, face := range faces {
		limit, ok := stated[face]
		if b.Copies != nil && (!ok || b.Copies.Max < limit) {
			limit, ok = b.Copies.Max, true
		}
		if ok && sums[face].n > limit {
			findings = append(findings, Finding{Kind: DeckCopies, Facts: Facts{List: list}, Evidence: sums[face].refs})
		}
	}
	return findings, b.Copies != nil || len(stated) > 0
}

// PartSleeves is what was seen of the sleeves of one part.
type PartSleeves struct {
	Part Part
	// Look names sleeves that cannot be told apart by the same word. Empty:
	// the part was not inspected.
	Look string
	// Visibility says how well the difference between two looks is seen; it is
	// that of the comparison, so any part of a pair may carry it.
	Visibility Visibility
	Clear      Answer // the backs of the cards are not covered
	Layers     int    // sleeves on each card; 0 = not known
	Ref        string
}

// CheckSleeves compares the sleeves of the parts with each other as the book
// wants: parts of one group must look alike, others may differ. Differences
// within a part are found by the inspection of that part, not here.
// Languages must have been asked; unknown stays unknown.
func (b *Book) CheckSleeves(parts []PartSleeves, languages Languages) []Finding {
	var findings []Finding
	for _, group := range b.Sleeves.Groups {
		var seen []PartSleeves
		for _, p := range parts {
			if p.Look != "" && slices.Contains(group, p.Part) {
				seen = append(seen, p)
			}
		}
		if f, ok := differing(seen); ok {
			findings = append(findings, f)
		}
	}
	for _, p := range parts {
		if p.Clear == Yes && b.mayNeedCover(languages) {
			findings = append(findings, Finding{Kind: SleeveTransparent, Facts: Facts{Part: p.Part, Languages: languages}, Evidence: []Evidence{{Ref: p.Ref, Note: "the back of the card shows"}}})
		}
		if b.Sleeves.MaxLayers > 0 && p.Layers > b.Sleeves.MaxLayers {
			findings = append(findings, Finding{Kind: SleeveLayers, Facts: Facts{Part: p.Part, Layers: LayersMany}, Evidence: []Evidence{{Ref: p.Ref, Note: fmt.Sprintf("%d layers, %d allowed", p.Layers, b.Sleeves.MaxLayers)}}})
		}
	}
	return findings
}

// mayNeedCover reports whether uncovered backs are, or may be, against the book.
func (b *Book) mayNeedCover(l Languages) bool {
	switch b.Sleeves.Opaque {
	case Always:
		return true
	case SeveralOnly:
		return l != OneLanguage // unknown: the finding stands and asks
	}
	return false
}

// differing makes one finding of the parts of a group when not all look alike.
func differing(seen []PartSleeves) (Finding, bool) {
	f := Finding{Kind: SleeveMixed, Facts: Facts{Part: Across}}
	different := false
	for _, p := range seen {
		f.Evidence = append(f.Evidence, Evidence{Ref: p.Ref, Note: fmt.Sprintf("sleeves of the %s deck: %s", p.Part, p.Look)})
		different = different || p.Look != seen[0].Look
		// The stronger statement about the difference counts; every part may
		// have been compared with every other.
		if weight(p.Visibility) > weight(f.Facts.Visibility) {
			f.Facts.Visibility = p.Visibility
		}
	}
	return f, different
}

func weight(v Visibility) int {
	return slices.Index([]Visibility{"", CameraOnly, Visible, Obvious}, v)
}

// Relation says how the sleeves of two parts must relate.
type Relation string

// The relations.
const (
	MustMatch Relation = "must-match"
	MayDiffer Relation = "may-differ"
	NotRuled  Relation = "not-ruled"
)

// SleeveRelation says how the sleeves of two parts must relate; for a part
// with itself, whether it must be uniform.
func (b *Book) SleeveRelation(x, y Part) Relation {
	gx, gy := b.sleeveGroup(x), b.sleeveGroup(y)
	switch {
	case gx < 0 || gy < 0:
		return NotRuled
	case gx == gy:
		return MustMatch
	}
	return MayDiffer
}

func (b *Book) sleeveGroup(p Part) int {
	return slices.IndexFunc(b.Sleeves.Groups, func(g []Part) bool { return slices.Contains(g, p) })
}

// TimeLimit returns a time limit of the book. known is false when the book
// does not speak of it; a limit of 0 means that it gives no number.
func (b *Book) TimeLimit(id string) (limit time.Duration, clause Clause, known bool) {
	t, ok := find(b.Times, func(t TimeRule) bool { return t.ID == id })
	if !ok {
		return 0, Clause{}, false
	}
	clause, _ = b.Clause(t.Clause)
	return time.Duration(t.Seconds) * time.Second, clause, true
}

// CheckTime makes a finding when a shuffle or the pause between two games
// took longer than the book's number. Where it gives no number the judge
// decides, and there is no finding.
func (b *Book) CheckTime(id string, took time.Duration, ref string) (Finding, bool) {
	limit, _, known := b.TimeLimit(id)
	if !known || limit == 0 || took <= limit {
		return Finding{}, false
	}
	return Finding{Kind: ShuffleSlow, Evidence: []Evidence{{Ref: ref, Note: fmt.Sprintf("%s used, %s allowed", took.Round(time.Second), limit)}}}, true
}
