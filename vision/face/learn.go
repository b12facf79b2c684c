package face

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// Sighting is one card's front as it was seen once.
type Sighting struct {
	// Views are frames of it, the best first; several vote. None: the card
	// was there and not seen, which leaves a gap.
	Views []View
}

// Options of Learn; the zero value is the default.
type Options struct {
	// Sure is the probability from which a reading needs no person; 0: 0.99.
	Sure float64

	// Answers are a person's, from the questions of an earlier result.
	Answers []Answer

	// Progress, when set, hears how many of the comparisons are done.
	Progress func(done, total int)
}

// Answer settles whether two sightings are copies of one face.
type Answer struct {
	A, B int // indices of sightings
	Same bool
}

// Face is an identity that was learned.
type Face struct {
	Sightings []int // indices, ascending
	Best      int   // the clearest of them
	Foil      []int // of Sightings, those that shine as foil does
}

// Reading is what was learned of one sighting.
type Reading struct {
	Face       int     // index into Result.Faces; -1: not read
	Confidence float64 // that the face is right, 0 to 1
	RunnerUp   int     // the next likely face, -1: there is none like it
	Margin     float64 // natural logarithm of the odds against the runner-up
	Turned     int     // 0 or 180 against most of the deck, -1: not known
	Settled    bool    // a person decided
	Unread     string  // why Face is -1
}

// Question is for a person: are two sightings copies of one face?
type Question struct {
	A, B int
	Same float64     // probability that they are
	At   plane.Point // mm from the card's top-left corner: where they differ most
}

// Result of Learn.
type Result struct {
	Faces     []Face // by their first sighting
	Readings  []Reading
	Questions []Question
	Compared  int // pairs that were looked at closely
}

// MaxSightings is how many cards are compared at most: every pair has its
// turn, and a deck with side and extra deck holds some hundred.
const MaxSightings = 400

var errMany = errors.New("too many cards for one deck")

// Learn finds the identities in a deck. An error means that ctx ended or that
// the input makes no sense; pictures that cannot be read are gaps.
func Learn(ctx context.Context, seen []Sighting, o Options) (*Result, error) {
	if len(seen) > MaxSightings {
		return nil, fmt.Errorf("face: %d cards, at most %d are compared: %w", len(seen), MaxSightings, errMany)
	}
	if o.Sure == 0 {
		o.Sure = 0.99
	}
	if !(o.Sure > 0.5 && o.Sure < 1) {
		return nil, fmt.Errorf("face: sure from a probability of %v on makes no sense; want more than a half and less than 1", o.Sure)
	}
	for _, a := range o.Answers {
		if a.A < 0 || a.B < 0 || a.A >= len(seen) || a.B >= len(seen) || a.A == a.B {
			return nil, fmt.Errorf("face: an answer on cards %d and %d of %d", a.A+1, a.B+1, len(seen))
		}
	}
	l := &learner{o: o, r: &Result{Readings: make([]Reading, len(seen))}}
	if err := l.prepare(ctx, seen); err != nil {
		return nil, err
	}
	l.orient()
	if err := l.comparePairs(ctx); err != nil {
		return nil, err
	}
	l.cluster()
	if err := l.settle(ctx); err != nil {
		return nil, err
	}
	l.name()
	return l.r, nil
}

type learner struct {
	o     Options
	r     *Result
	cards []*card // nil: not read
	flip  []bool  // the card was turned to lie as the others do
	known []bool  // whether that is known
	like  [][2][]float32
	pairs map[[2]int]*pair
	group []int // of each card, -1: not read
}

// prepare makes the plates, at the most usual size.
func (l *learner) prepare(ctx context.Context, seen []Sighting) error {
	n := len(seen)
	l.cards, l.flip, l.known, l.group = make([]*card, n), make([]bool, n), make([]bool, n), make([]int, n)
	l.pairs = map[[2]int]*pair{}
	var wide, high []float64
	for i := range seen {
		for k := range seen[i].Views {
			v := &seen[i].Views[k]
			if v.Image == nil || v.Image.Width < 8 || v.Image.Height < 8 || len(v.Image.Pix) != 3*v.Image.Width*v.Image.Height ||
				!(v.PxPerMM > 0 && v.WidthMM > 4*rimMM && v.HeightMM > 4*rimMM && v.MarginMM >= 0 && v.WidthMM < 500 && v.HeightMM < 500) {
				return fmt.Errorf("face: view %d of card %d has no picture or no size", k+1, i+1)
			}
			wide, high = append(wide, v.WidthMM), append(high, v.HeightMM)
		}
	}
	if len(wide) == 0 {
		return nil
	}
	w, h := middle(wide), middle(high)
	for i := range seen {
		if err := ctx.Err(); err != nil {
			return err
		}
		var plates []*plate
		for k := range seen[i].Views {
			plates = append(plates, newPlate(&seen[i].Views[k], w, h))
		}
		if len(plates) > 0 {
			l.cards[i] = newCard(merged(plates))
		}
	}
	return nil
}

// merged lets several frames of one card vote.
func merged(plates []*plate) *plate {
	if len(plates) == 1 {
		return plates[0]
	}
	var cs []*card
	for _, p := range plates {
		cs = append(cs, newCard(p))
	}
	ms := make([]projective, len(cs))
	for k := 1; k < len(cs); k++ {
		var agree float64
		if ms[k], agree = register(cs[0].band, cs[k].band); agree < otherAgree {
			cs[k] = nil
		}
	}
	return template(cs, ms)
}

// orient turns the cards so that they lie alike: each pair says by how much it
// is more alike straight than turned, and the signs that fit most pairs best
// are the leading eigenvector of that matrix (Singer, "Angular synchronization
// by eigenvectors", 2011, for the two-element group).
func (l *learner) orient() {
	n := len(l.cards)
	l.like = make([][2][]float32, n)
	for i := range l.like {
		l.like[i] = [2][]float32{make([]float32, n), make([]float32, n)}
	}
	for i := range n {
		for j := range i {
			if l.cards[i] == nil || l.cards[j] == nil {
				continue
			}
			s, t := alike(l.cards[i].plate, l.cards[j].plate)
			l.like[i][0][j], l.like[i][1][j] = float32(s), float32(t)
			l.like[j][0][i], l.like[j][1][i] = float32(s), float32(t)
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	for range 60 {
		y := make([]float64, n)
		norm := 0.0
		for i := range y {
			for j := range x {
				d := float64(l.like[i][0][j] - l.like[i][1][j])
				y[i] += d * math.Abs(d) * x[j] // little differences say little
			}
			y[i] += x[i] * 0.5 // keeps it from swinging
			norm = max(norm, math.Abs(y[i]))
		}
		if norm == 0 {
			break
		}
		for i := range y {
			x[i] = y[i] / norm
		}
	}
	sum := 0.0
	for i, v := range x {
		if l.cards[i] != nil {
			sum += math.Copysign(1, v)
		}
	}
	for i, v := range x {
		if l.cards[i] == nil {
			continue
		}
		// A card that is alike both ways, or unlike all others, tells nothing.
		l.known[i] = math.Abs(v) > 0.02 && n > 1
		if l.flip[i] = l.known[i] && v*math.Copysign(1, sum) < 0; l.flip[i] {
			l.cards[i] = newCard(l.cards[i].plate.turned())
		}
	}
}

// likeness of two cards as they lie now.
func (l *learner) likeness(i, j int) (straight, turned float64) {
	k := 0
	if l.flip[i] != l.flip[j] {
		k = 1
	}
	return float64(l.like[i][k][j]), float64(l.like[i][1-k][j])
}

const (
	// leastLike is the likeness of thumbs below which a pair is not looked at
	// closely: copies stay above 0.7 under the worst light of the synthetic
	// station, foils above 0.6.
	leastLike = 0.5
	// nearest is how many others each card is compared with at most, the most
	// alike first: in a deck of one art alone all pairs would take too long,
	// and the faces' common pictures compare the rest.
	nearest = 12
)

// comparePairs looks closely at pairs that may be copies.
func (l *learner) comparePairs(ctx context.Context) error {
	type cand struct {
		i, j int
		like float64
	}
	n := len(l.cards)
	wanted := map[[2]int]bool{}
	for i := range n {
		var cs []cand
		for j := range n {
			if i == j || l.cards[i] == nil || l.cards[j] == nil {
				continue
			}
			if s, t := l.likeness(i, j); max(s, t) >= leastLike {
				cs = append(cs, cand{i, j, max(s, t)})
			}
		}
		slices.SortStableFunc(cs, func(a, b cand) int { return cmp.Compare(b.like, a.like) })
		for _, c := range cs[:min(len(cs), nearest)] {
			wanted[[2]int{min(c.i, c.j), max(c.i, c.j)}] = true
		}
	}
	for _, a := range l.o.Answers {
		wanted[[2]int{min(a.A, a.B), max(a.A, a.B)}] = true
	}
	list := make([][2]int, 0, len(wanted))
	for k := range wanted {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for k, ij := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := l.compare(ij[0], ij[1])
		l.pairs[ij] = &p
		if l.o.Progress != nil {
			l.o.Progress(k+1, len(list))
		}
	}
	for _, a := range l.o.Answers {
		p := l.pairs[[2]int{min(a.A, a.B), max(a.A, a.B)}]
		if p.same = -person; a.Same {
			p.same = person
		}
	}
	l.r.Compared = len(list)
	return nil
}

// person is the weight of a person's answer: more than any picture's.
const person = 10 * sureLog

// compare looks at two cards, turned against each other where that looks far
// more alike, or both ways where that cannot be told.
func (l *learner) compare(i, j int) pair {
	a, b := l.cards[i], l.cards[j]
	if a == nil || b == nil {
		return pair{done: true}
	}
	s, t := l.likeness(i, j)
	if t < s-0.15 {
		return compareBoth(a, b)
	}
	turned := compareBoth(a, newCard(b.plate.turned()))
	if t > s+0.15 {
		return turned
	}
	straight := compareBoth(a, b)
	if turned.same > straight.same {
		return turned
	}
	return straight
}

func (l *learner) pair(i, j int) *pair { return l.pairs[[2]int{min(i, j), max(i, j)}] }

// cluster joins cards from the surest pair on, by the mean of the odds between
// two groups.
func (l *learner) cluster() {
	n := len(l.cards)
	groups := map[int][]int{}
	for i := range n {
		if l.group[i] = -1; l.cards[i] != nil {
			l.group[i] = i
			groups[i] = []int{i}
		}
	}
	for {
		best, ba, bb := 0.0, -1, -1
		keys := make([]int, 0, len(groups))
		for k := range groups {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for x, ka := range keys {
			for _, kb := range keys[:x] {
				if m, ok := l.between(groups[ka], groups[kb]); ok && m > best {
					best, ba, bb = m, ka, kb
				}
			}
		}
		if ba < 0 {
			break
		}
		lo, hi := min(ba, bb), max(ba, bb)
		groups[lo] = append(groups[lo], groups[hi]...)
		delete(groups, hi)
	}
	for k, g := range groups {
		for _, i := range g {
			l.group[i] = k
		}
	}
}

// against is how much more a pair counts that speaks against two groups being
// one: a card whose name lies under a reflection is like two look-alikes, and
// must not make them one.
const against = 2

// between is the mean of the odds of all compared pairs between two groups.
func (l *learner) between(a, b []int) (mean float64, ok bool) {
	n := 0.0
	for _, i := range a {
		for _, j := range b {
			p := l.pair(i, j)
			if p == nil {
				continue
			}
			if p.same <= -person {
				return 0, false // nobody overrules a person
			}
			w := 1.0
			if p.same < 0 {
				w = against
			}
			mean += w * p.same
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return mean / n, true
}
