package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
)

// PartInput is a part of a whole deck.
type PartInput struct {
	Part     string   // main, side or extra
	Patterns []string // files, folders, globs
	Cards    int      // as a person counted them; 0: nobody did
}

// deckPart is a part as it is worked on. A deck without parts is one of them,
// without a name.
type deckPart struct {
	part   string
	offset int // places of the parts before it
	number int // its own places, seen or not
	places []place
	layout record.Layout
	cards  record.Cards

	usual     int  // index of its largest group in the comparison's result, -1: none
	strange   bool // most of its sleeves are marked there: not of that look
	sleeves   []record.Sleeve
	pictures  []record.Pictures
	groups    []record.Group
	consensus []*frame.Image
	limits    record.Limits
	with      []string // parts it was compared with
}

// readParts reads the pictures of every part and gives the cards their places.
func readParts(ctx context.Context, o Options, c draft) ([]*deckPart, error) {
	inputs := o.Parts
	if len(inputs) == 0 {
		inputs = []PartInput{{Patterns: o.Patterns}}
	}
	var parts []*deckPart
	offset := 0
	for _, in := range inputs {
		c.part = in.Part
		from := len(c.Problems)
		files, err := camera.Open(ctx, in.Patterns...)
		if err != nil {
			return nil, err
		}
		for _, p := range files.Problems {
			c.problem(inputProblem(p))
		}
		for _, n := range files.Notes {
			c.warn("input", n.Path, n.Text)
		}
		pics, err := look(ctx, files, o, c)
		if err != nil {
			return nil, err
		}
		p := &deckPart{part: in.Part, offset: offset, places: arrange(pics, o, c)}
		p.number, p.layout = c.Verdict.Count.Sleeves, c.Layout
		p.cards = countCards(pics, p, c.Problems[from:])
		if in.Cards > 0 {
			p.cards = record.Cards{Min: in.Cards, Max: in.Cards, By: record.CountedByPerson}
		}
		for k := range c.Problems[from:] {
			if q := &c.Problems[from+k]; q.Sleeve != 0 {
				q.Sleeve += offset
			}
		}
		offset += p.number
		parts = append(parts, p)
	}
	c.part = ""
	c.Verdict.Count.Sleeves = offset
	if len(parts) > 1 {
		c.Layout = joinLayouts(parts)
		sameInParts(c, parts)
	}
	return parts, nil
}

// countCards is how many cards a part holds, as far as its pictures tell. A
// picture that shows none, or cannot be read, may hold one (in a grid as many
// as the fullest picture); a card that cannot be compared may be none; further
// cards in view may belong to the deck.
func countCards(pics []picture, p *deckPart, problems []record.Problem) record.Cards {
	n := record.Cards{Min: p.number, Max: p.number, By: record.CountedByPictures}
	fullest := 1
	for i := range pics {
		fullest = max(fullest, len(pics[i].cards))
	}
	for i := range p.places {
		if p.places[i].unusable != "" {
			n.Min--
		}
	}
	for i := range pics {
		q := &pics[i]
		if q.twin >= 0 || q.err == nil && len(q.cards) > 0 {
			continue
		}
		// In a row of single cards the place was counted already.
		if counted := slices.ContainsFunc(problems, func(r record.Problem) bool { return r.File == q.path && r.Sleeve != 0 }); counted {
			n.Min--
		} else {
			n.Max += fullest
		}
	}
	for _, r := range problems {
		if r.Code != "extra-cards" {
			continue
		}
		if i := slices.IndexFunc(pics, func(q picture) bool { return q.path == r.File }); i >= 0 {
			n.Max += len(pics[i].cards) - 1
		}
	}
	n.Min = max(0, n.Min)
	return n
}

func joinLayouts(parts []*deckPart) record.Layout {
	l := record.Layout{Kind: parts[0].layout.Kind, By: parts[0].layout.By, Text: "Each part of the deck was laid out by itself."}
	for _, p := range parts[1:] {
		if p.layout.Kind != l.Kind {
			l.Kind = "mixed"
		}
		if p.layout.By != l.By {
			l.By = "geometry"
		}
	}
	return l
}

// sameInParts warns of pictures that were given for two parts: one sleeve
// cannot lie in both, so neither number of cards is sure.
func sameInParts(c draft, parts []*deckPart) {
	first := map[string]*record.Source{}
	doubtful := map[string]int{}
	for i := range c.Sources {
		s := &c.Sources[i]
		f := first[s.SHA256]
		if f == nil {
			first[s.SHA256] = s
			continue
		}
		if f.Part == s.Part {
			continue
		}
		c.part = s.Part
		c.warn("same-picture", s.File, fmt.Sprintf("byte for byte the same picture as %s of the %s deck: used in both parts, so that their numbers of cards are not sure", f.File, f.Part))
		doubtful[f.Part] += f.Cards
		doubtful[s.Part] += s.Cards
	}
	for _, p := range parts {
		if p.cards.By == record.CountedByPictures {
			p.cards.Min = max(0, p.cards.Min-doubtful[p.part])
		}
	}
}

// compare inspects the parts, those that must be alike as one deck, and writes
// what was found into the check.
func compare(ctx context.Context, parts []*deckPart, o Options, c draft, english locale.Printer) (*record.Evidence, error) {
	sets := alike(parts, o.Alike)
	// The promised rate is that of the whole deck: each comparison may use its
	// share of it (Bonferroni's inequality).
	o.FalseAlarmRate /= float64(len(sets))
	e := &record.Evidence{}
	first := 0
	for _, set := range sets {
		var places []place
		for _, p := range set {
			places = append(places, p.places...)
		}
		start := time.Now()
		inputs, err := rectify(ctx, places, geometry(places, o), o)
		if err != nil {
			return nil, err
		}
		c.Timings.Inspect += time.Since(start).Seconds()
		at := 0
		for _, p := range set { // rectifying turned corners and dropped crops
			at += copy(p.places, places[at:])
		}
		res, err := inspect(ctx, inputs, len(set) == 1, o, c)
		if err != nil {
			return nil, err
		}
		looks := [][]*deckPart{set}
		if res != nil && len(set) > 1 {
			looks = sameLook(set, res)
			relate(c, set, looks, res)
		}
		for _, same := range looks {
			if len(looks) > 1 {
				// Sleeves of another look are no reference for these.
				one := o
				one.FalseAlarmRate /= float64(len(looks))
				if res, err = inspect(ctx, inputsOf(same, set, inputs), true, one, c); err != nil {
					return nil, err
				}
			}
			conclude(c, same, res, first)
			if res != nil {
				e.PxPerMM, e.MarginMM = res.PxPerMM, res.MarginMM
				first += len(res.Groups)
			}
		}
	}
	nameRelations(c, parts)
	for _, p := range parts {
		c.Sleeves = append(c.Sleeves, p.sleeves...)
		c.Groups = append(c.Groups, p.groups...)
		e.Sleeves = append(e.Sleeves, p.pictures...)
		e.Consensus = append(e.Consensus, p.consensus...)
	}
	for _, p := range parts {
		c.part = p.part
		tellUnusable(c, p)
	}
	if parts[0].part == "" {
		c.Limits = parts[0].limits
		judge(c.Check, english)
	} else {
		judgeWhole(c.Check, parts, english)
	}
	return e, nil
}

// alike divides the parts into those that are compared as one deck, in the
// order of the parts.
func alike(parts []*deckPart, wanted [][]string) (sets [][]*deckPart) {
	done := map[*deckPart]bool{}
	for _, p := range parts {
		if done[p] {
			continue
		}
		set := []*deckPart{p}
		at := slices.IndexFunc(wanted, func(w []string) bool { return slices.Contains(w, p.part) })
		for _, q := range parts {
			if q != p && at >= 0 && slices.Contains(wanted[at], q.part) {
				set = append(set, q)
			}
		}
		for _, q := range set {
			done[q] = true
			for _, other := range set {
				if other != q {
					q.with = append(q.with, other.part)
				}
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// lookGroup is a group of a comparison, as one part sees it.
type lookGroup struct {
	index     int // in the comparison's result
	record    record.Group
	consensus *frame.Image
}

// groupsOf lists the groups that the inputs from..to-1 belong to, the part's
// own largest first, and how each differs from that one. first numbers the
// groups on through the comparisons of a check.
func groupsOf(res *sleeve.Result, from, to, first int) []lookGroup {
	if res == nil {
		return nil
	}
	type share struct{ index, n int }
	var shares []share
	for i := range res.Groups {
		n := 0
		for _, k := range res.Groups[i].Sleeves {
			if k >= from && k < to {
				n++
			}
		}
		if n > 0 {
			shares = append(shares, share{i, n})
		}
	}
	slices.SortStableFunc(shares, func(a, b share) int { return b.n - a.n })
	var list []lookGroup
	for i, s := range shares {
		g := &res.Groups[s.index]
		out := lookGroup{index: s.index, consensus: g.Consensus, record: record.Group{Name: sleeve.GroupName(first + s.index), Colour: colour.Lab{L: finite(g.Colour.L), A: finite(g.Colour.A), B: finite(g.Colour.B)}}}
		if i > 0 {
			out.record.DeltaE, out.record.Visibility, out.record.What = differ(&res.Groups[shares[0].index], g, shares[0].index)
			out.record.Shape = shapeOf(&res.Groups[shares[0].index], g, shares[0].index)
		}
		list = append(list, out)
	}
	return list
}

// shapeOf is how the outline and print of group b of a comparison differ from
// those of group a, its ai-th; nil where they do not, or where neither is the
// largest, which is what the comparison measured them against.
func shapeOf(a, b *sleeve.Group, ai int) *record.Shape {
	sign, s := 1.0, b.Shape
	if ai != 0 {
		if b.Visibility != "" || a.Shape == nil {
			return nil
		}
		sign, s = -1, a.Shape
	}
	if s == nil {
		return nil
	}
	return &record.Shape{
		WidthMM: finite(sign * s.WidthMM), HeightMM: finite(sign * s.HeightMM), SizeSigmaMM: finite(s.SizeSigmaMM),
		PrintRightMM: finite(sign * s.PrintRightMM), PrintDownMM: finite(sign * s.PrintDownMM), PrintSigmaMM: finite(s.PrintSigmaMM),
	}
}

// differ is how group b of a comparison differs from group a, its ai-th. The
// result says in what groups differ from the largest; between two others the
// colours are compared anew, and whether both are of one design is not known.
func differ(a, b *sleeve.Group, ai int) (deltaE float64, visibility, what string) {
	switch {
	case ai == 0: // as the comparison found it
		return finite(b.DeltaE), string(b.Visibility), b.What
	case b.Visibility == "": // b is the largest
		return finite(a.DeltaE), string(a.Visibility), a.What
	}
	if strings.Contains(a.What, "design") != strings.Contains(b.What, "design") {
		what = "design"
	}
	deltaE = colour.DeltaE2000(a.Colour, b.Colour)
	return finite(deltaE), string(sleeve.GroupVisibility(deltaE, what)), what
}

// used is how many of the part's sleeves were compared.
func (p *deckPart) used() (n int) {
	for i := range p.places {
		if p.places[i].unusable == "" {
			n++
		}
	}
	return n
}

// inputsOf picks the inputs of some parts of a comparison.
func inputsOf(parts, set []*deckPart, inputs []sleeve.Input) (list []sleeve.Input) {
	at := 0
	for _, p := range set {
		n := p.used()
		if slices.Contains(parts, p) {
			list = append(list, inputs[at:at+n]...)
		}
		at += n
	}
	return list
}

// sameLook divides the parts of a comparison by how their sleeves look: by
// their largest groups, and a part of which most sleeves are marked in the
// same comparison is of a look of its own, whatever group it was put into.
func sameLook(set []*deckPart, res *sleeve.Result) (looks [][]*deckPart) {
	at := 0
	for _, p := range set {
		n := p.used()
		p.usual, p.strange = -1, false
		marked := 0
		for k := at; k < at+n; k++ {
			if res.Sleeves[k].Visibility.Rank() >= sleeve.Visible.Rank() {
				marked++
			}
		}
		if groups := groupsOf(res, at, at+n, 0); len(groups) > 0 {
			p.usual = groups[0].index
		}
		p.strange = n > 1 && 2*marked > n
		at += n
	}
	for _, p := range set {
		if p.usual < 0 {
			continue // nothing of it was seen
		}
		i := slices.IndexFunc(looks, func(l []*deckPart) bool { return !p.strange && !l[0].strange && l[0].usual == p.usual })
		if i < 0 {
			looks = append(looks, []*deckPart{p})
			continue
		}
		looks[i] = append(looks[i], p)
	}
	if len(looks) < 2 {
		return [][]*deckPart{set}
	}
	for _, p := range set {
		if p.usual < 0 {
			looks[0] = append(looks[0], p)
		}
	}
	return looks
}

// relate compares the usual sleeves of the parts of one comparison with those
// of the first of them.
func relate(c draft, set []*deckPart, looks [][]*deckPart, res *sleeve.Result) {
	c.part = ""
	if len(looks) < 2 {
		return
	}
	look := func(p *deckPart) int {
		return slices.IndexFunc(looks, func(l []*deckPart) bool { return slices.Contains(l, p) })
	}
	base := set[slices.IndexFunc(set, func(p *deckPart) bool { return p.usual >= 0 })]
	for _, p := range set {
		if p.usual < 0 || look(p) == look(base) {
			continue
		}
		r := record.Relation{Parts: [2]string{base.part, p.part}}
		if p.usual != base.usual {
			r.DeltaE, r.Visibility, r.What = differ(&res.Groups[base.usual], &res.Groups[p.usual], base.usual)
		}
		if (p.strange || base.strange) && sleeve.Visibility(r.Visibility).Rank() < sleeve.Visible.Rank() {
			// Most sleeves of a part have something that a player sees and that
			// those of the other lack; what it is, nobody has said.
			r.Visibility = string(sleeve.Visible)
		}
		c.Relations = append(c.Relations, r)
		if !strings.Contains(r.What, "design") {
			c.warn("part-light", "", fmt.Sprintf("the %s deck and the %s deck were told apart by pictures that need not be of one light: lay a sleeve of each side by side before anything follows from it", base.part, p.part))
		}
	}
}

// nameRelations fills in the names of the groups that differ.
func nameRelations(c draft, parts []*deckPart) {
	for i := range c.Relations {
		r := &c.Relations[i]
		for k, name := range r.Parts {
			for _, p := range parts {
				if p.part == name && len(p.groups) > 0 {
					r.Groups[k] = p.groups[0].Name
				}
			}
		}
	}
}
