package record

import "fairdeck/vision/plane"

// Face is a card identity that the deck itself taught: no card database was
// asked. Its copies look alike in every place that was seen of them.
type Face struct {
	Face    string `json:"face"`               // id in this check: F1, F2 ... by first place in the order
	Name    string `json:"name,omitempty"`     // as given by a person, a list or a picture; absent: nobody said
	NamedBy string `json:"named_by,omitempty"` // BySettledPerson, ByReference or ByList
	Class   string `json:"class,omitempty"`    // trigger, monster, land ...
	ClassBy string `json:"class_by,omitempty"` // ByList, BySettledPerson, or BySuggestion (the frame's colour; nothing rests on it)
	Places  []int  `json:"places"`             // in the order, ascending
	Foil    []int  `json:"foil,omitempty"`     // of those, which shine as foil does: the same face in another printing
	Picture string `json:"picture,omitempty"`  // file of its clearest sighting
}

// Who said what a face is, or settled a reading.
const (
	BySettledPerson = "person"
	ByReference     = "reference" // a folder of pictures whose file names are card names
	ByList          = "list"
	BySuggestion    = "suggestion"
)

// Order is the sequence of faces, top of the deck first.
type Order struct {
	By    string   `json:"by"` // how it was read: OrderOnePass, OrderFaces, OrderTwoPasses
	Cards []Placed `json:"cards"`
	// Questions are readings that were left to a person; empty: none.
	Questions []FaceQuestion `json:"questions"`
}

// How an order was read.
const (
	OrderOnePass   = "one-pass"   // back and face of each card in one deal
	OrderFaces     = "faces"      // faces only
	OrderTwoPasses = "two-passes" // backs, then faces
)

// Placed is one place of an order.
type Placed struct {
	Place      int     `json:"place"`                // 1 = top
	Face       string  `json:"face,omitempty"`       // absent: a gap
	Confidence float64 `json:"confidence"`           // that the face is right, 0 to 1; 0 in a gap
	RunnerUp   string  `json:"runner_up,omitempty"`  // the next likely face
	Margin     float64 `json:"margin"`               // natural logarithm of the odds against it; 0: there is none
	TurnedDeg  *int    `json:"turned_deg"`           // against most of its deck's cards: 0 or 180; null: not known
	Sleeve     int     `json:"sleeve,omitempty"`     // the back of the same card; absent: not seen, or not paired
	Gap        string  `json:"gap,omitempty"`        // why no face is known here
	SettledBy  string  `json:"settled_by,omitempty"` // BySettledPerson: a person said which face it is
	File       string  `json:"file,omitempty"`       // its picture
}

// FaceQuestion is a reading that is not safe enough to be taken as it is. The
// answer is a person's; until then both cards keep what is likelier.
type FaceQuestion struct {
	ID     string      `json:"id"`               // what an answer refers to
	Places [2]int      `json:"places"`           // two places of the order: are they copies of one card?
	Same   float64     `json:"same"`             // probability that they are
	AtMM   plane.Point `json:"at_mm"`            // where they differ most, from the card's top-left corner
	Answer string      `json:"answer,omitempty"` // AnswerSame or AnswerDifferent, by a person; absent: open
}

// The answers to a FaceQuestion.
const (
	AnswerSame      = "same"
	AnswerDifferent = "different"
)

// DeckList is a list that the deck was compared with.
type DeckList struct {
	File  string     `json:"file"`
	Cards int        `json:"cards"` // in the list
	Lines []ListLine `json:"lines"`
	// Matched is true when every face has a name, so that numbers of copies
	// can be compared name by name.
	Matched bool `json:"matched"`
}

// ListLine is a card of the list.
type ListLine struct {
	Name  string `json:"name"`
	Class string `json:"class,omitempty"`
	Part  string `json:"part,omitempty"` // main, side, extra
	Count int    `json:"count"`          // listed
	Seen  int    `json:"seen"`           // with certainty; -1: not compared
	Doubt int    `json:"doubt"`          // further ones whose reading is not certain
}

// Patterns is what marks have to do with faces: counts and exact chances. A
// small chance is a fact about the deck, never about a person.
type Patterns struct {
	MaxChance float64       `json:"max_chance"` // up to which a fact counts as shared
	Asked     int           `json:"asked"`      // questions that the chances allow for
	Facts     []PatternFact `json:"facts"`      // least likely first
	Notes     []string      `json:"notes"`      // what could not be asked
}

// PatternFact is how a trait of sleeves and one value of a feature of cards go
// together.
type PatternFact struct {
	Trait    string       `json:"trait"`           // kind of the marks, or turned, any mark, batch ...
	AtMM     *plane.Point `json:"at_mm,omitempty"` // the place that the marks share
	Sleeves  []int        `json:"sleeves"`         // that have the trait
	Feature  string       `json:"feature"`         // face, class, zone, orientation, height, neighbours
	Value    string       `json:"value"`           // which face, class ...
	Cards    int          `json:"cards"`           // with a known feature
	Of       int          `json:"of"`              // of them, with the value
	Bearers  int          `json:"bearers"`         // of them, with the trait
	Both     int          `json:"both"`
	P        float64      `json:"p"`              // of this value alone, one-sided, exact
	Chance   float64      `json:"chance"`         // that anything asked answers as strongly
	Odds     string       `json:"odds"`           // the chance in words
	Shared   bool         `json:"shared"`         // chance at most MaxChance
	Seen     string       `json:"seen,omitempty"` // visibility of the weakest of the marks: camera-only, visible, obvious
	Sentence string       `json:"sentence"`
}

// normaliseFaces makes empty lists of missing ones.
func (c *Check) normaliseFaces() {
	for i := range c.Faces {
		list(&c.Faces[i].Places)
	}
	if o := c.Order; o != nil {
		list(&o.Cards)
		list(&o.Questions)
	}
	if l := c.List; l != nil {
		list(&l.Lines)
	}
	if p := c.Patterns; p != nil {
		list(&p.Facts)
		list(&p.Notes)
		for i := range p.Facts {
			list(&p.Facts[i].Sleeves)
		}
	}
}

// FaceOf is the face with an id; nil: there is none.
func (c *Check) FaceOf(id string) *Face {
	for i := range c.Faces {
		if c.Faces[i].Face == id {
			return &c.Faces[i]
		}
	}
	return nil
}

// Called is what a person calls the face: its name, else its id.
func (f *Face) Called() string {
	if f.Name != "" {
		return f.Name
	}
	return f.Face
}
