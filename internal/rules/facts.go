package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Visibility says what a person sees at playing distance, not what a camera
// can measure.
type Visibility string

// The visibilities, weakest first. The empty value means "not stated".
const (
	CameraOnly Visibility = "camera-only"
	Visible    Visibility = "visible"
	Obvious    Visibility = "obvious"
)

// Answer is yes, no, or (empty) not known.
type Answer string

// The answers.
const (
	Yes Answer = "yes"
	No  Answer = "no"
)

// AnswerOf turns a known truth into an Answer.
func AnswerOf(b bool) Answer {
	if b {
		return Yes
	}
	return No
}

// Part is a part of a whole deck.
type Part string

// The parts. Across means a relation between parts, such as sleeves of the
// side deck that differ from those of the main deck.
const (
	MainDeck  Part = "main"
	SideDeck  Part = "side"
	ExtraDeck Part = "extra"
	Across    Part = "across"
)

// Count says on which side of the allowed numbers a part of the deck is.
type Count string

// The counts.
const (
	TooFew  Count = "few"
	TooMany Count = "many"
)

// List is the state of the registered deck list.
type List string

// The list states: nobody had to register one; it keeps the construction
// rules; it does not (or cannot be read).
const (
	ListNone  List = "none"
	ListRight List = "right"
	ListWrong List = "wrong"
)

// Deck says whether the cards themselves keep the construction rules.
type Deck string

// The deck states.
const (
	DeckRight Deck = "right"
	DeckWrong Deck = "wrong"
)

// Layers says what is wrong with the layers of sleeves.
type Layers string

// The layer states: more than the book allows on one card; not the same
// number on every card.
const (
	LayersMany   Layers = "many"
	LayersUneven Layers = "uneven"
)

// Languages says in how many languages the deck's cards are printed. It is
// asked of the judge, never guessed from a picture.
type Languages string

// The answers to it.
const (
	OneLanguage      Languages = "one"
	SeveralLanguages Languages = "several"
)

// Facts are what a rule book's answer can depend on besides the kind of
// finding. The zero value of a field means that it is not known. There is no
// field for intent, and there must never be one.
type Facts struct {
	Visibility Visibility `json:"visibility,omitempty"`
	Shared     Answer     `json:"shared,omitempty"`    // the cards concerned share a feature
	Part       Part       `json:"part,omitempty"`      // where it was found
	Count      Count      `json:"count,omitempty"`     // too few or too many
	List       List       `json:"list,omitempty"`      // the registered deck list
	Deck       Deck       `json:"deck,omitempty"`      // the cards themselves
	Ordered    Answer     `json:"ordered,omitempty"`   // the cards belong to a stretch of the deck whose order is known
	Persisted  Answer     `json:"persisted,omitempty"` // the arrangement was still there after shuffling
	Languages  Languages  `json:"languages,omitempty"` // languages of the cards
	Layers     Layers     `json:"layers,omitempty"`    // layers of sleeves
}

// Fact names one field of Facts, as rule books do.
type Fact string

// The facts.
const (
	FactVisibility Fact = "visibility"
	FactShared     Fact = "shared"
	FactPart       Fact = "part"
	FactCount      Fact = "count"
	FactList       Fact = "list"
	FactDeck       Fact = "deck"
	FactOrdered    Fact = "ordered"
	FactPersisted  Fact = "persisted"
	FactLanguages  Fact = "languages"
	FactLayers     Fact = "layers"
)

// AllFacts lists the facts in a fixed order, in which questions are asked.
func AllFacts() []Fact {
	return []Fact{FactVisibility, FactShared, FactPart, FactCount, FactList, FactDeck, FactOrdered, FactPersisted, FactLanguages, FactLayers}
}

// domain lists the values of a fact that a mapping may name. Camera-only is
// not among them: no book can say anything about it.
func (f Fact) domain() []string {
	switch f {
	case FactVisibility:
		return []string{string(Visible), string(Obvious)}
	case FactShared, FactOrdered, FactPersisted:
		return []string{string(No), string(Yes)}
	case FactPart:
		return []string{string(MainDeck), string(SideDeck), string(ExtraDeck), string(Across)}
	case FactCount:
		return []string{string(TooFew), string(TooMany)}
	case FactList:
		return []string{string(ListNone), string(ListRight), string(ListWrong)}
	case FactDeck:
		return []string{string(DeckRight), string(DeckWrong)}
	case FactLanguages:
		return []string{string(OneLanguage), string(SeveralLanguages)}
	case FactLayers:
		return []string{string(LayersMany), string(LayersUneven)}
	}
	return nil
}

// Values lists the answers that a fact can have.
func (f Fact) Values() []string { return f.domain() }

// Value returns a fact by its name; empty when it is not known.
func (f Facts) Value(name Fact) string {
	switch name {
	case FactVisibility:
		return string(f.Visibility)
	case FactShared:
		return string(f.Shared)
	case FactPart:
		return string(f.Part)
	case FactCount:
		return string(f.Count)
	case FactList:
		return string(f.List)
	case FactDeck:
		return string(f.Deck)
	case FactOrdered:
		return string(f.Ordered)
	case FactPersisted:
		return string(f.Persisted)
	case FactLanguages:
		return string(f.Languages)
	case FactLayers:
		return string(f.Layers)
	}
	return ""
}

// with returns the facts with one of them set.
func (f Facts) with(name Fact, value string) Facts {
	switch name {
	case FactVisibility:
		f.Visibility = Visibility(value)
	case FactShared:
		f.Shared = Answer(value)
	case FactPart:
		f.Part = Part(value)
	case FactCount:
		f.Count = Count(value)
	case FactList:
		f.List = List(value)
	case FactDeck:
		f.Deck = Deck(value)
	case FactOrdered:
		f.Ordered = Answer(value)
	case FactPersisted:
		f.Persisted = Answer(value)
	case FactLanguages:
		f.Languages = Languages(value)
	case FactLayers:
		f.Layers = Layers(value)
	}
	return f
}

// check reports a value that does not exist.
func (f Facts) check() error {
	for _, name := range AllFacts() {
		v := f.Value(name)
		if v == "" || slices.Contains(name.domain(), v) || (name == FactVisibility && v == string(CameraOnly)) {
			continue
		}
		return fmt.Errorf("%s %q is not one of %s", name, v, strings.Join(name.domain(), ", "))
	}
	return nil
}
