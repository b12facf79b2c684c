package visiontest

import (
	"fmt"

	"fairdeck/vision/plane"
)

// Deck says what to render. The zero value is a deck of 60 plain matte blue
// sleeves on white paper, one in each frame of a 1280 x 720 camera, without
// marks. In every field 0 (or "") asks for the default; where none at all is
// also sensible, a negative number asks for that.
type Deck struct {
	Name string
	// Seed fixes everything random. Equal decks give equal bytes.
	Seed  uint64
	Cards int // 0 means 60, unless there are Empty frames

	Sleeve Sleeve
	Camera Camera
	Table  Table
	Light  Light
	Sensor Sensor
	Layout Layout
	Traces Traces

	// Marks, Turned, Batches and Odd are the differences to be found; cards
	// count from 0.
	Marks   []Mark
	Turned  []int // lie turned by 180 degrees
	Batches []Batch
	Odd     []Odd
	// Cut cards lie across the frame's border (not in grids).
	Cut []int
	// Fronts, if given, are printed on the cards: stills then show the cards
	// face up; a [Deal] shows them where cards are dealt face up. Foils are
	// printed plain here, see [FaceStation].
	Fronts *FaceDeck
	// Empty frames without a card follow the others.
	Empty int
	// Aliens are things on the table that are not cards.
	Aliens []Alien
	// Hands are the frames into which a hand throws its shadow.
	Hands []int

	frontsInDeal bool // the cards lie face down, and are turned over while dealt
}

// Layout says how cards lie in the frames. The zero value is one card a frame.
type Layout struct {
	// Rows and Cols of a grid; both 0 means one card a frame.
	Rows, Cols int
	// GapMM is between the sleeves of a grid; 0 means 6, negative touching.
	GapMM float64
	// ShiftMM and TurnDeg are the spreads (sigma) of position and angle; 0
	// means 6 and 4, in grids 0.6 and 0.8, negative none. Touching cards are
	// not shifted.
	ShiftMM, TurnDeg float64
	// AngleDeg turns all cards (90 lays them across).
	AngleDeg float64
}

func (l Layout) perFrame() int { return max(1, l.Rows) * max(1, l.Cols) }
func (l Layout) grid() bool    { return l.Rows > 0 || l.Cols > 0 }

func (l Layout) withDefaults() Layout {
	shift, turn := 6.0, 4.0
	if l.grid() {
		l.Rows, l.Cols = max(1, l.Rows), max(1, l.Cols)
		shift, turn = 0.6, 0.8
	}
	if l.GapMM < 0 {
		// Touching sleeves keep their place; turned ones would overlap.
		shift, turn = 0, 0
	}
	l.GapMM = defaulted(l.GapMM, 6)
	l.ShiftMM, l.TurnDeg = defaulted(l.ShiftMM, shift), defaulted(l.TurnDeg, turn)
	return l
}

// Batch is a group of sleeves from another production. The first is called
// "B", the next "C" and so on; all other cards are "A".
type Batch struct {
	Cards []int
	// DeltaL, DeltaA and DeltaB shift the colour in CIELAB.
	DeltaL, DeltaA, DeltaB float64
	// Finish, if given, replaces the deck's.
	Finish Finish
}

// Odd is a group of sleeves that differ as a whole; truth lists it as a mark
// of the whole sleeve (other_size, print_offset, other_design, overall_wear).
type Odd struct {
	Cards []int
	// AddMM makes the sleeve wider and higher.
	AddMM plane.Point
	// PrintMM shifts the print against the outline.
	PrintMM plane.Point
	// Design, if given, replaces the deck's sleeve.
	Design *Sleeve
	// Wear multiplies the traces of use: 4 is a sleeve played four times as
	// long as the others. 0 means 1.
	Wear float64
}

// Traces are the harmless traces of use on every sleeve, as mean counts. They
// carry no mark in the truth.
type Traces struct {
	Dust      float64 // specks of 0.05 to 0.15 mm; 0 means 12, negative none
	Hairlines float64 // scratches of 0.02 to 0.05 mm; 0 means 5, negative none
	Smudges   float64 // greasy spots of 6 to 18 mm; 0 means 1, negative none
	Fluff     float64 // fibres of 1 to 4 mm; 0 means 0.3, negative none
}

func (t Traces) withDefaults() Traces {
	return Traces{defaulted(t.Dust, 12), defaulted(t.Hairlines, 5), defaulted(t.Smudges, 1), defaulted(t.Fluff, 0.3)}
}

// maxPixels keeps a mistyped size from filling the memory: twice the largest
// camera of the field.
const maxPixels = 24_000_000

func (d Deck) withDefaults() (Deck, error) {
	if d.Cards == 0 && d.Empty == 0 {
		d.Cards = 60
	}
	if d.Name == "" {
		d.Name = fmt.Sprintf("synthetic_%d", d.Seed)
	}
	d.Sleeve = d.Sleeve.withDefaults()
	d.Layout = d.Layout.withDefaults()
	d.Light = d.Light.withDefaults()
	d.Sensor = d.Sensor.withDefaults()
	d.Table = d.Table.withDefaults()
	d.Traces = d.Traces.withDefaults()
	c := &d.Camera
	if c.WidthPx == 0 && c.HeightPx == 0 {
		c.WidthPx, c.HeightPx = 1280, 720
	}
	outer := 0.0
	if d.Sleeve.OuterClear {
		outer = 2 * outerBorderMM
	}
	if c.DistanceMM == 0 {
		c.DistanceMM = 400
		if d.Layout.grid() {
			c.DistanceMM = 700
		}
	}
	if c.PxPerMM == 0 {
		// 5.8 px/mm x 91 mm is 73% of 720 rows; a grid fills 88%.
		c.PxPerMM = 5.8 * float64(c.HeightPx) / 720
		if d.Layout.grid() {
			w := float64(d.Layout.Cols)*(d.Sleeve.WidthMM+outer+d.Layout.GapMM) - d.Layout.GapMM
			h := float64(d.Layout.Rows)*(d.Sleeve.HeightMM+outer+d.Layout.GapMM) - d.Layout.GapMM
			c.PxPerMM = 0.88 * min(float64(c.WidthPx)/w, float64(c.HeightPx)/h)
		}
	}
	switch {
	case d.Cards < 0 || d.Empty < 0:
		return d, fmt.Errorf("visiontest: %d cards and %d empty frames", d.Cards, d.Empty)
	case c.WidthPx < 16 || c.HeightPx < 16 || c.WidthPx*c.HeightPx > maxPixels:
		return d, fmt.Errorf("visiontest: a picture of %d x %d pixels", c.WidthPx, c.HeightPx)
	case c.TiltDeg < 0 || c.TiltDeg > 45:
		return d, fmt.Errorf("visiontest: a tilt of %g degrees (0 to 45)", c.TiltDeg)
	case d.Sleeve.WidthMM < 10 || d.Sleeve.HeightMM < 10 || d.Sleeve.WidthMM > 300 || d.Sleeve.HeightMM > 300:
		return d, fmt.Errorf("visiontest: a sleeve of %g x %g mm (10 to 300)", d.Sleeve.WidthMM, d.Sleeve.HeightMM)
	}
	if f := d.Fronts; f != nil && (len(f.Of) != d.Cards || len(f.Turned) != d.Cards) {
		return d, fmt.Errorf("visiontest: %d faces and %d turns for %d cards", len(f.Of), len(f.Turned), d.Cards)
	}
	check := func(what string, cards []int) error {
		for _, i := range cards {
			if i < 0 || i >= d.Cards {
				return fmt.Errorf("visiontest: %s name card %d of %d", what, i, d.Cards)
			}
		}
		return nil
	}
	groups := []struct {
		what  string
		cards []int
	}{{"turned", d.Turned}, {"cut", d.Cut}}
	for _, b := range d.Batches {
		groups = append(groups, struct {
			what  string
			cards []int
		}{"batches", b.Cards})
	}
	for _, m := range d.Marks {
		groups = append(groups, struct {
			what  string
			cards []int
		}{"marks", m.Cards})
	}
	for _, o := range d.Odd {
		groups = append(groups, struct {
			what  string
			cards []int
		}{"odd sleeves", o.Cards})
	}
	for _, g := range groups {
		if err := check(g.what, g.cards); err != nil {
			return d, err
		}
	}
	return d, nil
}
