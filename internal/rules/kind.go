package rules

// Kind names a kind of finding. The names are part of every stored record and
// never change.
type Kind string

// The kinds of findings.
const (
	// MarkIsolated: a sleeve or card back can be told apart; the cards inside
	// share no feature.
	MarkIsolated Kind = "mark.isolated"
	// MarkPattern: the marked cards share a feature (same card, same class,
	// same zone of the deck list).
	MarkPattern Kind = "mark.pattern"
	// MarkObvious: a mark that is seen at playing distance.
	MarkObvious Kind = "mark.obvious"
	// OrientationMixed: some cards lie upside-down, or the openings of the
	// sleeves point different ways.
	OrientationMixed Kind = "orientation.mixed"
	// IntentQuestion: several independent signals agree. It asks for the head
	// judge and says nothing about anybody's intent.
	IntentQuestion Kind = "intent.question"
	// SleeveMixed: sleeves of another brand, batch, size, colour or finish.
	SleeveMixed Kind = "sleeve.mixed"
	// SleeveWorn: sleeves too dirty or too damaged.
	SleeveWorn Kind = "sleeve.worn"
	// SleeveLayers: three or more layers, or not the same number on every card.
	SleeveLayers Kind = "sleeve.layers"
	// SleeveOverprint: an outer clear sleeve with opaque print, or print that
	// hides what is on the card.
	SleeveOverprint Kind = "sleeve.overprint"
	// SleeveInsert: something other than the card is in the sleeve.
	SleeveInsert Kind = "sleeve.insert"
	// SleeveTransparent: the back is not covered although it must be.
	SleeveTransparent Kind = "sleeve.transparent"
	// EdgeDistinct: a card can be told from the side of the deck.
	EdgeDistinct Kind = "edge.distinct"
	// CardProcessed: something is stuck or drawn on a card (stickers, film).
	CardProcessed Kind = "card.processed"
	// DeckCount: the number of cards in a part of the deck is not allowed.
	DeckCount Kind = "deck.count"
	// DeckList: the cards differ from the registered list.
	DeckList Kind = "deck.list"
	// DeckCopies: more copies of a card than allowed.
	DeckCopies Kind = "deck.copies"
	// OrderInsufficient: the order is not random enough.
	OrderInsufficient Kind = "order.insufficient"
	// OrderArranged: cards were spread or clumped before shuffling.
	OrderArranged Kind = "order.arranged"
	// OrderStacked: opening cards enriched beyond chance.
	OrderStacked Kind = "order.stacked"
	// ShuffleFaceUp: card faces can be seen while shuffling.
	ShuffleFaceUp Kind = "shuffle.faceup"
	// ShuffleSlow: shuffling or searching takes too long.
	ShuffleSlow Kind = "shuffle.slow"
)

// Kinds lists every kind, in the order in which a report shows them.
func Kinds() []Kind {
	return []Kind{
		MarkIsolated, MarkPattern, MarkObvious, OrientationMixed, IntentQuestion,
		SleeveMixed, SleeveWorn, SleeveLayers, SleeveOverprint, SleeveInsert, SleeveTransparent,
		EdgeDistinct, CardProcessed,
		DeckCount, DeckList, DeckCopies,
		OrderInsufficient, OrderArranged, OrderStacked, ShuffleFaceUp, ShuffleSlow,
	}
}

// IsAppearance reports whether the kind is about what can be told apart by
// looking, so that a finding must say how visible it is before a penalty can
// be suggested.
func (k Kind) IsAppearance() bool {
	switch k {
	case MarkIsolated, MarkPattern, MarkObvious, OrientationMixed, SleeveMixed, SleeveWorn, EdgeDistinct:
		return true
	}
	return false
}

// IsHeadJudge reports whether the kind does nothing but call the head judge:
// no book may suggest a penalty for it.
func (k Kind) IsHeadJudge() bool { return k == IntentQuestion || k == OrderStacked }

// facts lists the facts a book may make a mapping of this kind depend on.
func (k Kind) facts() []Fact {
	switch k {
	case MarkIsolated, MarkPattern, SleeveWorn:
		return []Fact{FactVisibility}
	case MarkObvious:
		return []Fact{FactShared}
	case OrientationMixed:
		return []Fact{FactVisibility, FactShared, FactOrdered}
	case SleeveMixed:
		return []Fact{FactVisibility, FactShared, FactPart}
	case EdgeDistinct:
		return []Fact{FactVisibility, FactShared}
	case SleeveLayers:
		return []Fact{FactLayers}
	case SleeveTransparent:
		return []Fact{FactLanguages}
	case DeckCount:
		return []Fact{FactPart, FactCount, FactList}
	case DeckList:
		return []Fact{FactList, FactDeck}
	case DeckCopies:
		return []Fact{FactList}
	case OrderArranged:
		return []Fact{FactPersisted}
	}
	return nil
}

// domain lists the values a fact of this kind can have. It is the fact's own
// domain except where the kind itself rules a value out.
func (k Kind) domain(f Fact) []string {
	switch {
	case k == DeckList && f == FactList:
		return []string{string(ListRight), string(ListWrong)} // without a list nothing can differ from it
	case k == DeckCount && f == FactPart:
		return []string{string(MainDeck), string(SideDeck), string(ExtraDeck)}
	}
	return f.domain()
}

func knownKind(k Kind) bool {
	for _, known := range Kinds() {
		if k == known {
			return true
		}
	}
	return false
}
