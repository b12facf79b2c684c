package randomness

import (
	"fmt"
	"maps"
	"slices"
)

// Gap is the face of a card that was not read; files write "?".
const Gap = ""

// Card is one place of an order.
type Card struct {
	Face string // what the card is, or Gap
	// Confidence is the chance that the reading is right, above 0 up to 1. The zero value, "not
	// stated", counts as 1.
	Confidence float64
	Line       int // line of the file the card was read from, 0 when it came from none
}

// sure is the confidence with its default.
func (c Card) sure() float64 {
	switch {
	case c.Face == Gap:
		return 0
	case c.Confidence <= 0 || c.Confidence > 1:
		return 1
	}
	return c.Confidence
}

// Order is the sequence of faces in a deck, top first.
type Order struct {
	Name  string // file or description, for messages
	Cards []Card
}

// NewOrder makes an order of certain readings from names, top first; "?" and "" are gaps.
func NewOrder(faces ...string) Order {
	o := Order{Cards: make([]Card, len(faces))}
	for i, f := range faces {
		if f != "?" {
			o.Cards[i].Face = f
		}
	}
	return o
}

// Len is the number of places.
func (o Order) Len() int { return len(o.Cards) }

// Gaps counts the cards that were not read.
func (o Order) Gaps() int {
	n := 0
	for _, c := range o.Cards {
		if c.Face == Gap {
			n++
		}
	}
	return n
}

// doubtful counts gaps and readings below full confidence.
func (o Order) doubtful() int {
	n := 0
	for _, c := range o.Cards {
		if c.sure() < 1 {
			n++
		}
	}
	return n
}

// expectedErrors is the number of wrong or missing readings that the confidences announce.
func (o Order) expectedErrors() float64 {
	sum := 0.0
	for _, c := range o.Cards {
		sum += 1 - c.sure()
	}
	return sum
}

// Deck is what the player registered: a multiset of faces, optionally with classes and in the order
// of the list.
type Deck struct {
	Name  string
	Lines []DeckLine // in the order of the deck list
}

// DeckLine is one line of a deck list.
type DeckLine struct {
	Count int
	Face  string
	Class string // for example "land", "trigger", "monster"; empty for none
	Line  int
}

// Len is the number of cards.
func (d Deck) Len() int {
	n := 0
	for _, l := range d.Lines {
		n += l.Count
	}
	return n
}

// Counts is the multiset of faces.
func (d Deck) Counts() map[string]int {
	m := map[string]int{}
	for _, l := range d.Lines {
		m[l.Face] += l.Count
	}
	return m
}

// Classes is the class of each face that has one.
func (d Deck) Classes() Classes {
	m := Classes{}
	for _, l := range d.Lines {
		if l.Class != "" {
			m[l.Face] = l.Class
		}
	}
	return m
}

// Order lays the deck out as the list names it: the first line's copies on top. A deck that was
// sorted by its list and never shuffled lies so.
func (d Deck) Order() Order {
	o := Order{Name: "the order of the deck list"}
	for _, l := range d.Lines {
		for range l.Count {
			o.Cards = append(o.Cards, Card{Face: l.Face})
		}
	}
	return o
}

// Sorted lays the deck out by class and name: the other order that a deck straight out of the box may have.
func (d Deck) Sorted() Order {
	o := d.Order()
	cl := d.Classes()
	slices.SortStableFunc(o.Cards, func(a, b Card) int {
		if x, y := cl[a.Face], cl[b.Face]; x != y {
			if x < y {
				return -1
			}
			return 1
		}
		switch {
		case a.Face < b.Face:
			return -1
		case a.Face > b.Face:
			return 1
		}
		return 0
	})
	o.Name = "the order by class and name"
	return o
}

// Classes maps faces to classes.
type Classes map[string]string

// Names lists the classes, sorted.
func (c Classes) Names() []string {
	seen := map[string]bool{}
	for _, v := range c {
		seen[v] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Pair is an order before a shuffle and the order after it.
type Pair struct{ Before, After Order }

// Check tells whether the two orders can belong to one deck: the same number of places, and the
// same cards up to gaps and doubtful readings. Otherwise the error is a *MismatchError.
func (p Pair) Check() error {
	missing, extra := surplus(p.Before, p.After), surplus(p.After, p.Before)
	wrong := 0
	for _, s := range extra {
		wrong += s.Count
	}
	lost := 0
	for _, s := range missing {
		lost += s.Count
	}
	// A surplus card after is explained by a gap before or a doubtful reading on either side; so is
	// a missing one.
	room := p.Before.doubtful() + p.After.doubtful()
	if p.Before.Len() != p.After.Len() || max(wrong, lost) > room {
		return &MismatchError{What: fmt.Sprintf("%s and %s", nameOr(p.Before, "before"), nameOr(p.After, "after")), Missing: missing, Extra: extra,
			Cards: [2]int{p.Before.Len(), p.After.Len()}}
	}
	return nil
}

func nameOr(o Order, s string) string {
	if o.Name != "" {
		return o.Name
	}
	return s
}

// Series is one deck over several shuffles: the order before the first, after it, after the second ...
type Series struct{ Orders []Order }

// Pairs gives the single steps.
func (s Series) Pairs() []Pair {
	var p []Pair
	for i := 1; i < len(s.Orders); i++ {
		p = append(p, Pair{s.Orders[i-1], s.Orders[i]})
	}
	return p
}

// checkDeck compares an order with the registered deck, as Pair.Check does.
func checkDeck(d Deck, o Order) error {
	return Pair{Before: Order{Name: nameOr(Order{Name: d.Name}, "the deck list"), Cards: d.Order().Cards}, After: o}.Check()
}
