package battery

import (
	"errors"
	"fmt"
	"slices"
)

// MaxCards is the largest deck the battery takes: places and codes are bytes, and one code is kept
// for unread cards.
const MaxCards = 250

// Unread is the code of a card that was not read, before or after.
const Unread = 255

// NoClass is the class of a face that belongs to none.
const NoClass = 255

// ErrTooFew is returned for decks in which no statistic can say anything.
var ErrTooFew = errors.New("too few cards to compare")

// Spec is a deck in codes. Faces are numbered from 0; Unread stands for a card that was not read.
type Spec struct {
	Before   []uint8 // the order before, top first; nil when only one order is known
	Readings []uint8 // the faces read after, in any order; the same length as Before when that is given
	Class    []uint8 // the class of each face, or NoClass; nil when there are no classes
}

// validate returns the number of faces.
func (s Spec) validate() (faces int, err error) {
	n := len(s.Readings)
	if n < 2 {
		return 0, fmt.Errorf("%d cards: %w", n, ErrTooFew)
	}
	if n > MaxCards {
		return 0, fmt.Errorf("%d cards: at most %d can be scored", n, MaxCards)
	}
	if s.Before != nil && len(s.Before) != n {
		return 0, fmt.Errorf("%d cards before, %d after", len(s.Before), n)
	}
	for _, c := range slices.Concat(s.Before, s.Readings) {
		if c == Unread {
			continue
		}
		if c >= MaxCards {
			return 0, fmt.Errorf("face code %d: codes run from 0 to %d", c, MaxCards-1)
		}
		faces = max(faces, int(c)+1)
	}
	if s.Class != nil && len(s.Class) < faces {
		return 0, fmt.Errorf("%d classes for %d faces", len(s.Class), faces)
	}
	return faces, nil
}

// Battery holds the tables for one Spec. It is safe for concurrent use; each goroutine needs its
// own Scratch.
type Battery struct {
	spec     Spec
	n        int
	faces    int // codes 0..faces-1; internally the code faces means unread
	before   []uint8
	readings []uint8
	active   [NumStats]bool
	distinct bool // no face twice, before or after

	// Reading errors: the faces of cards before that no reading shows, and the readings that stand
	// in their place.
	beforeCount []int
	short       []int
	surplus     []uint8

	order   orderTables
	stride  strideTables
	arrange arrangeTables

	identity identityTables
	scale    float64 // fixed point steps per nat
}

// New prepares the tables for a deck.
func New(spec Spec) (*Battery, error) {
	faces, err := spec.validate()
	if err != nil {
		return nil, err
	}
	b := &Battery{spec: spec, n: len(spec.Readings), faces: faces}
	recode := func(x []uint8) []uint8 {
		y := slices.Clone(x)
		for i := range y {
			if y[i] == Unread {
				y[i] = uint8(faces)
			}
		}
		return y
	}
	b.readings = recode(spec.Readings)
	slices.Sort(b.readings)
	// Sums of up to three steps per card, each at most ln(n) or so, must stay below 2^16.
	b.scale = min(100, 3000/float64(b.n))
	if spec.Before != nil {
		b.before = recode(spec.Before)
		b.distinct = atMostOnce(b.before, faces) && atMostOnce(b.readings, faces)
		b.countErrors()
		b.buildOrder()
		b.buildStride()
		b.buildIdentity()
	}
	b.buildArrangement()
	b.activate()
	if b.active == ([NumStats]bool{}) {
		return nil, fmt.Errorf("%d cards with %d faces: %w", b.n, faces, ErrTooFew)
	}
	return b, nil
}

// countErrors compares the readings with the cards before.
func (b *Battery) countErrors() {
	w := b.faces + 1
	after := make([]int, w)
	b.beforeCount = make([]int, w)
	for i := range b.n {
		b.beforeCount[b.before[i]]++
		after[b.readings[i]]++
	}
	for c := range w {
		for j := b.beforeCount[c]; j < after[c]; j++ {
			b.surplus = append(b.surplus, uint8(c))
		}
		for j := after[c]; j < b.beforeCount[c]; j++ {
			b.short = append(b.short, c)
		}
	}
}

func atMostOnce(x []uint8, faces int) bool {
	seen := make([]bool, faces+1)
	for _, c := range x {
		if int(c) < faces && seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// N is the number of cards.
func (b *Battery) N() int { return b.n }

// Distinct tells whether every face occurs at most once.
func (b *Battery) Distinct() bool { return b.distinct }

// Active tells whether a statistic can say anything about this deck.
func (b *Battery) Active(s Stat) bool { return b.active[s] }

// activate switches on what this deck allows.
func (b *Battery) activate() {
	if b.before != nil && b.order.readable >= 4 && b.order.varied {
		for s := Rising; s <= Near; s++ {
			b.active[s] = true
		}
		b.active[KeptLight] = !b.distinct
	}
	if len(b.arrange.classes) > 0 {
		for s := ClassEven; s <= ClassEnds; s++ {
			b.active[s] = true
		}
	}
	if b.arrange.copies {
		for s := CopyTouch; s <= CopyClump; s++ {
			b.active[s] = true
		}
	}
}
