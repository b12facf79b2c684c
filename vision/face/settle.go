package face

import (
	"context"
	"math"
	"slices"
)

// member is how a card compares with a group's common picture.
type member struct {
	group int
	same  float64
	pair  pair
}

// settle looks at every card beside the common pictures of its own face and of
// the faces that resemble it, moves it where another fits better, and says how
// sure that is. A card whose difference lies under a reflection fits two faces
// equally well, and is asked about.
func (l *learner) settle(ctx context.Context) error {
	for range 2 { // a card that moves changes two common pictures
		moved, err := l.look(ctx)
		if err != nil {
			return err
		}
		if !moved {
			break
		}
	}
	return nil
}

// groups lists the members of every group, by its number.
func (l *learner) groups() map[int][]int {
	g := map[int][]int{}
	for i, k := range l.group {
		if k >= 0 {
			g[k] = append(g[k], i)
		}
	}
	return g
}

// rivals are, for each group, the others with the same picture.
func (l *learner) rivals() map[int][]int {
	out := map[int][]int{}
	for ij, p := range l.pairs {
		a, b := l.group[ij[0]], l.group[ij[1]]
		if a < 0 || b < 0 || a == b || p.same <= -sureLog {
			continue
		}
		if !slices.Contains(out[a], b) {
			out[a] = append(out[a], b)
		}
		if !slices.Contains(out[b], a) {
			out[b] = append(out[b], a)
		}
	}
	for k := range out {
		slices.Sort(out[k])
	}
	return out
}

func (l *learner) look(ctx context.Context) (moved bool, err error) {
	groups, rivals := l.groups(), l.rivals()
	common := map[int]*card{}
	for k, g := range groups {
		if len(rivals[k]) > 0 && len(g) >= fewest {
			common[k] = l.common(g, -1)
		} else {
			common[k] = l.cards[l.medoid(g)]
		}
	}
	l.r.Questions = nil
	next := slices.Clone(l.group)
	order := make([]int, 0, len(l.cards))
	for i := range l.cards {
		order = append(order, i)
	}
	for _, i := range order {
		rd := &l.r.Readings[i]
		*rd = Reading{Face: -1, RunnerUp: -1, Turned: -1}
		own := l.group[i]
		if own < 0 {
			rd.Unread = "the card's front was not seen"
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var ms []member
		if g := groups[own]; len(g) > 1 {
			ms = append(ms, l.member(i, own, g, rivals[own], nil))
		}
		for _, k := range rivals[own] {
			ms = append(ms, l.member(i, k, groups[k], rivals[own], common[k]))
		}
		l.judge(i, own, groups, ms, next)
	}
	for i := range next {
		moved = moved || next[i] != l.group[i]
	}
	l.group = next
	return moved, nil
}

// member compares card i with a group; with is the group's common picture, nil
// for the card's own group, whose picture must leave the card out.
func (l *learner) member(i, k int, g, rivals []int, with *card) member {
	m := member{group: k}
	if a, ok := l.answered(i, g); ok {
		m.same = a
		return m
	}
	var sum, n float64
	weak := false
	for _, j := range g {
		if p := l.pair(i, j); p != nil && j != i {
			sum += p.same
			n++
			weak = weak || p.same < 4
			if m.pair.done == false || p.same < m.pair.same {
				m.pair = *p
			}
		}
	}
	own := with == nil
	others := len(g)
	if own {
		others--
	}
	switch {
	case n > 0 && (others < fewest || own && len(rivals) == 0 && !weak):
		// Nothing to gain from a common picture.
		m.same = sum / n
		return m
	case own:
		with = l.common(g, i)
	}
	m.pair = compareBoth(with, l.cards[i])
	m.same = m.pair.same
	return m
}

// fewest is how many cards a common picture is made of at least: of two nobody
// can say which of them is right where they differ.
const fewest = 3

// answered is what a person said about card i and a group.
func (l *learner) answered(i int, g []int) (same float64, ok bool) {
	for _, a := range l.o.Answers {
		for _, j := range g {
			if a.A == i && a.B == j || a.B == i && a.A == j {
				ok = true
				if a.Same {
					return person, true
				}
				same = -person
			}
		}
	}
	return same, ok
}

// judge turns what card i is like into a reading. That it is a face of its own
// is as likely as a group that it is as much like as not.
func (l *learner) judge(i, own int, groups map[int][]int, ms []member, next []int) {
	rd := &l.r.Readings[i]
	best, second := -1, -1
	for k := range ms {
		switch {
		case best < 0 || ms[k].same > ms[best].same:
			best, second = k, best
		case second < 0 || ms[k].same > ms[second].same:
			second = k
		}
	}
	total := 1.0 // a face of its own
	for k := range ms {
		total += math.Exp(min(ms[k].same, 50))
	}
	settled := func(k int) bool { return math.Abs(ms[k].same) >= person }
	rd.Settled = slices.ContainsFunc(l.o.Answers, func(a Answer) bool { return a.A == i || a.B == i })
	alone := best < 0 || ms[best].same <= 0
	switch {
	case alone && len(groups[own]) > 1 && best >= 0:
		// Its pairs said it belongs here, the common picture does not: it stays
		// alone only if that is sure.
		rd.Confidence = 1 / total
		next[i] = l.fresh(i)
	case alone:
		rd.Confidence = 1 / total
	default:
		rd.Confidence = math.Exp(min(ms[best].same, 50)) / total
		next[i] = ms[best].group
	}
	rival := second
	if alone {
		rival = best
	}
	if rival >= 0 {
		rd.RunnerUp = ms[rival].group // a group until name gives it a face
		top := 0.0
		if !alone {
			top = ms[best].same
		}
		rd.Margin = min(top-ms[rival].same, person)
	}
	if rd.Confidence >= l.o.Sure || rd.Settled && (best < 0 || settled(best)) {
		return
	}
	// What is not sure is asked: against the rival if that is the doubt, else
	// against its own group.
	ask := best
	if !alone && rival >= 0 && ms[rival].same > 0 {
		ask = rival
	}
	if ask < 0 || settled(ask) {
		return
	}
	other := l.nearestOf(i, groups[ms[ask].group])
	if other < 0 {
		return
	}
	p := 1 / (1 + math.Exp(-ms[ask].same))
	if ask == rival && !alone {
		p = math.Exp(min(ms[ask].same, 50)) / total
	}
	l.r.Questions = append(l.r.Questions, Question{A: i, B: other, Same: p, At: ms[ask].pair.at})
}

// fresh is a group number of its own for card i.
func (l *learner) fresh(i int) int {
	for k := range l.group {
		if k != i && l.group[k] == i {
			return len(l.cards) + i
		}
	}
	return i
}

// nearestOf is the member of a group that is best to be laid beside card i.
func (l *learner) nearestOf(i int, g []int) int {
	best, seen := -1, -1.0
	for _, j := range g {
		if j == i {
			continue
		}
		s := 0.0
		if p := l.pair(i, j); p != nil {
			s = p.seen
		}
		if s > seen {
			best, seen = j, s
		}
	}
	return best
}

// medoid is the member that is most like the others.
func (l *learner) medoid(g []int) int {
	best, top := g[0], math.Inf(-1)
	for _, i := range g {
		s := 0.0
		for _, j := range g {
			if p := l.pair(i, j); p != nil && i != j {
				s += p.same + 5*p.seen
			}
		}
		if s > top {
			best, top = i, s
		}
	}
	return best
}

// mostCommon bounds how many copies make a common picture: beyond that noise
// is no longer what limits it.
const mostCommon = 6

// common is the common picture of a group without one card (-1: of all).
func (l *learner) common(g []int, without int) *card {
	var rest []int
	for _, i := range g {
		if i != without {
			rest = append(rest, i)
		}
	}
	if len(rest) == 1 {
		return l.cards[rest[0]]
	}
	first := l.medoid(rest)
	cs := []*card{l.cards[first]}
	ms := make([]projective, 1)
	for _, i := range rest {
		if i == first || len(cs) == mostCommon {
			continue
		}
		m, agree := register(cs[0].band, l.cards[i].band)
		if agree < otherAgree {
			continue
		}
		cs, ms = append(cs, l.cards[i]), append(ms, m)
	}
	return newCard(template(cs, ms))
}

// name makes faces of the groups, in the order of their first sighting.
func (l *learner) name() {
	at := map[int]int{}
	for i, k := range l.group {
		if k < 0 {
			continue
		}
		f, ok := at[k]
		if !ok {
			f = len(l.r.Faces)
			at[k] = f
			l.r.Faces = append(l.r.Faces, Face{})
		}
		face := &l.r.Faces[f]
		face.Sightings = append(face.Sightings, i)
		rd := &l.r.Readings[i]
		rd.Face = f
		if l.known[i] {
			rd.Turned = 0
			if l.flip[i] {
				rd.Turned = 180
			}
		}
	}
	for i := range l.r.Readings {
		rd := &l.r.Readings[i]
		if rd.RunnerUp < 0 {
			continue
		}
		f, ok := at[rd.RunnerUp]
		if !ok || f == rd.Face {
			rd.RunnerUp, rd.Margin = -1, 0 // its last member moved away
			continue
		}
		rd.RunnerUp = f
	}
	for f := range l.r.Faces {
		face := &l.r.Faces[f]
		face.Best = l.medoid(face.Sightings)
		face.Foil = l.foils(face.Sightings)
	}
}

// foilTint is the spread of slow colour differences, in hundredths of a
// logarithm, from which on two copies are of different print: white balance and
// coloured lamps stay below 4 over one card, a foil's rainbow makes 10 and more.
const foilTint = 7.0

// foils are the members of a group that shine as foil does: they differ in slow
// colours from all others, and other copies do not from each other. Of two that
// differ it is the more colourful.
func (l *learner) foils(g []int) (list []int) {
	if len(g) < 2 {
		return nil
	}
	of := func(i, j int) float64 {
		if p := l.pair(i, j); p != nil {
			return p.tint
		}
		return 0
	}
	if len(g) == 2 {
		if of(g[0], g[1]) < foilTint {
			return nil
		}
		if l.cards[g[0]].slowColour() > l.cards[g[1]].slowColour() {
			return g[:1:1]
		}
		return g[1:2:2]
	}
	// The plain ones are those that agree with somebody.
	for _, i := range g {
		least, n := math.Inf(1), 0
		for _, j := range g {
			if i != j && l.pair(i, j) != nil {
				least = min(least, of(i, j))
				n++
			}
		}
		if n > 0 && least >= foilTint {
			list = append(list, i)
		}
	}
	return list
}

// slowColour is the spread of the plate's colours over cells.
func (p *plate) slowColour() float64 {
	s := 0.0
	for _, c := range []plane32{p.red, p.blue} {
		m := boxMean(c, 6)
		var sum, sum2 float64
		for _, v := range m.v {
			sum += float64(v)
			sum2 += float64(v) * float64(v)
		}
		n := float64(len(m.v))
		s += sum2/n - sum*sum/(n*n)
	}
	return s
}
