package check

import (
	"fmt"
	"slices"

	"fairdeck/internal/decklist"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/vision/face"
)

// nameFaces gives faces their names: from pictures that bear them, then from
// what a person typed, which outweighs. A face that two names claim has none,
// and the check says so.
func nameFaces(c draft, res *face.Result, cards int, refs []string, f FaceOptions) {
	for k, name := range refs {
		r := res.Readings[cards+k]
		if r.Face < 0 {
			continue
		}
		i := slices.IndexFunc(res.Faces[r.Face].Sightings, func(s int) bool { return s < cards })
		if i < 0 {
			continue // a card that the deck does not have
		}
		fc := c.FaceOf(c.Order.Cards[res.Faces[r.Face].Sightings[i]].Face)
		name = plain.Line(name)
		switch {
		case fc.Name != "" && fc.Name != name:
			c.warn("two-names", "", fmt.Sprintf("the pictures %q and %q both show the face at place %d: it got the first name", fc.Name, name, fc.Places[0]))
		case r.Confidence < 0.99:
			c.warn("name-unsure", "", fmt.Sprintf("the picture %q is not surely the face at place %d: it was not named by it", name, fc.Places[0]))
		default:
			fc.Name, fc.NamedBy = name, record.ByReference
		}
	}
	for _, n := range f.Names {
		if n.Place < 1 || n.Place > cards || c.Order.Cards[n.Place-1].Face == "" {
			c.warn("name-of-none", "", fmt.Sprintf("the name %q was given to place %d, where no face was read", plain.Line(n.Name), n.Place))
			continue
		}
		fc := c.FaceOf(c.Order.Cards[n.Place-1].Face)
		if fc.NamedBy == record.BySettledPerson && n.Name != "" && fc.Name != n.Name {
			c.warn("two-names", "", fmt.Sprintf("the face at place %d was given two names, %q and %q: it got the first", fc.Places[0], fc.Name, plain.Line(n.Name)))
			continue
		}
		if n.Name != "" {
			fc.Name, fc.NamedBy = plain.Line(n.Name), record.BySettledPerson
		}
		if n.Class != "" {
			fc.Class, fc.ClassBy = plain.Line(n.Class), record.BySettledPerson
		}
	}
	if f.List == nil {
		return
	}
	for i := range c.Faces {
		fc := &c.Faces[i]
		if class := f.List.Class(fc.Name); fc.Name != "" && class != "" && fc.Class == "" {
			fc.Class, fc.ClassBy = class, record.ByList
		}
	}
}

// compareList counts the copies of every card of the list. A copy counts with
// certainty when its reading does; names that the list lacks are lines of zero.
func compareList(c draft, l *decklist.List) {
	if l == nil {
		return
	}
	out := &record.DeckList{File: l.File, Cards: l.Cards(""), Matched: len(c.Faces) > 0}
	seen, doubt := map[string]int{}, map[string]int{}
	for i := range c.Faces {
		fc := &c.Faces[i]
		if fc.Name == "" {
			out.Matched = false
			continue
		}
		for _, p := range fc.Places {
			if q := &c.Order.Cards[p-1]; q.Confidence >= 0.99 {
				seen[fc.Name]++
			} else {
				doubt[fc.Name]++
			}
		}
	}
	for _, p := range c.Order.Cards {
		if p.Face == "" {
			out.Matched = false
		}
	}
	listed := map[string]bool{}
	for _, x := range l.Lines {
		line := record.ListLine{Name: x.Name, Class: x.Class, Part: x.Part, Count: x.Count, Seen: -1}
		// A card of main and side deck cannot be counted apart from one pile.
		if named := seen[x.Name]+doubt[x.Name] > 0 || out.Matched; named && !listed[x.Name] {
			line.Seen, line.Doubt = seen[x.Name], doubt[x.Name]
		}
		listed[x.Name] = true
		out.Lines = append(out.Lines, line)
	}
	for i := range c.Faces {
		if n := c.Faces[i].Name; n != "" && !listed[n] {
			listed[n] = true
			out.Lines = append(out.Lines, record.ListLine{Name: n, Count: 0, Seen: seen[n], Doubt: doubt[n]})
		}
	}
	c.List = out
}
