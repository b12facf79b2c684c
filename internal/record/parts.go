package record

import "slices"

// Part is a part of a whole deck with a verdict of its own.
type Part struct {
	Part  string    `json:"part"` // main, side or extra
	Level Level     `json:"level"`
	Lines [3]string `json:"lines"` // as in Verdict; places are those in the part
	Count Count     `json:"count"`
	Cards Cards     `json:"cards"`
	// ComparedWith are the parts whose sleeves were compared together with
	// these; empty: these were compared with each other only.
	ComparedWith []string `json:"compared_with"`
	Layout       Layout   `json:"layout"`
	Limits       Limits   `json:"limits"`
}

// Cards is how many cards a part holds.
type Cards struct {
	Min int    `json:"min"`
	Max int    `json:"max"` // more than Min where pictures leave it open
	By  string `json:"by"`  // CountedByPictures or CountedByPerson
}

// Who counted the cards.
const (
	CountedByPictures = "pictures"
	CountedByPerson   = "person"
)

// Relation is a difference between the usual sleeves of two parts that were
// compared with each other.
type Relation struct {
	Parts      [2]string `json:"parts"`
	Groups     [2]string `json:"groups"`  // names of the usual groups; empty: too few sleeves to be one
	DeltaE     float64   `json:"delta_e"` // between them, CIEDE2000
	Visibility string    `json:"visibility"`
	What       string    `json:"what"` // in what they differ; empty: not known
}

// Told is what a person answered about the deck. Nothing of it is guessed from
// pictures; what is absent is not known.
type Told struct {
	Languages string    `json:"languages,omitempty"` // of the cards: one, several
	List      string    `json:"list,omitempty"`      // the registered list: none, right, wrong
	Clear     []string  `json:"clear,omitempty"`     // parts whose sleeves show the backs of the cards
	Allowed   []Allowed `json:"allowed,omitempty"`   // numbers of cards that the organiser allows
}

// Allowed is a number of cards that the organiser allows, both ends included.
type Allowed struct {
	Part string `json:"part"`
	Min  int    `json:"min"`
	Max  int    `json:"max"`
}

// Spot is where a sleeve lies: its part, empty in a check without parts, and
// its place there. n is the number that the check gives it; places that no
// card was found for have one, too.
func (c *Check) Spot(n int) (part string, place int) {
	for i := range c.Parts {
		p := &c.Parts[i]
		if n <= p.Count.Sleeves {
			return p.Part, n
		}
		n -= p.Count.Sleeves
	}
	return "", n
}

// Split returns each part as if it were a check by itself, its sleeves
// numbered by their place in the part; the check itself when it has no parts.
// Groups are those of the part. The views share what they can with c and must
// not be changed.
func (c *Check) Split() []*Check {
	if len(c.Parts) == 0 {
		return []*Check{c}
	}
	var list []*Check
	for i := range c.Parts {
		p := &c.Parts[i]
		v := *c
		v.Parts, v.Relations, v.Ruling = nil, nil, nil
		v.Faces, v.Order, v.List, v.Patterns = nil, nil, nil, nil // of the whole deck
		v.Verdict = Verdict{Level: p.Level, Lines: p.Lines, Count: p.Count}
		v.Layout, v.Limits = p.Layout, p.Limits
		v.Sources = only(c.Sources, func(s *Source) bool { return s.Part == p.Part })
		v.Warnings = only(c.Warnings, func(w *Warning) bool { return w.Part == p.Part })
		v.Problems = only(c.Problems, func(q *Problem) bool { return q.Part == p.Part })
		for k := range v.Problems {
			if q := &v.Problems[k]; q.Sleeve != 0 {
				_, q.Sleeve = c.Spot(q.Sleeve)
			}
		}
		v.Sleeves = only(c.Sleeves, func(s *Sleeve) bool { return s.Part == p.Part })
		for k := range v.Sleeves {
			v.Sleeves[k].Sleeve = v.Sleeves[k].Place
		}
		v.Groups = only(c.Groups, func(g *Group) bool { return g.Part == p.Part })
		for k := range v.Groups {
			g := &v.Groups[k]
			g.Sleeves = slices.Clone(g.Sleeves)
			for j, n := range g.Sleeves {
				_, g.Sleeves[j] = c.Spot(n)
			}
		}
		list = append(list, &v)
	}
	return list
}

// Split returns the pictures of each part, in the order of [Check.Split].
func (e *Evidence) Split(c *Check) []*Evidence {
	if len(c.Parts) == 0 {
		return []*Evidence{e}
	}
	var list []*Evidence
	for i := range c.Parts {
		p := &c.Parts[i]
		v := &Evidence{PxPerMM: p.Limits.PxPerMM, MarginMM: e.MarginMM}
		for k := range c.Sleeves {
			if c.Sleeves[k].Part == p.Part && k < len(e.Sleeves) {
				v.Sleeves = append(v.Sleeves, e.Sleeves[k])
			}
		}
		for k := range c.Groups {
			if c.Groups[k].Part == p.Part && k < len(e.Consensus) {
				v.Consensus = append(v.Consensus, e.Consensus[k])
			}
		}
		list = append(list, v)
	}
	return list
}

// only copies the elements that belong.
func only[T any](list []T, belongs func(*T) bool) []T {
	out := []T{}
	for i := range list {
		if belongs(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}
