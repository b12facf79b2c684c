// Package sleeve compares the backs of a deck with each other and tells which
// can be told from the rest. There is no golden template: the deck is its own
// reference.
//
//	[]Input (views)
//	   │ exposure    drift of exposure and white balance, from the table around (exposure.go)
//	   │ orient      which lie turned by half a turn (turned.go)
//	   │ designs     other designs altogether are compared among themselves (designs.go)
//	   ▼
//	 settle          outline and print registered apart (coarse.go, outline.go, align.go), slow light
//	   │             taken off (light.go), the rest of misfit, focus and contrast matched (match.go),
//	   │             weld and frame straightened (rim.go)
//	   ▼
//	 consensus       median and shortest half down the deck at every pixel (consensus.go)
//	   │ sides       which outlines are where they were found (sides.go, decksides.go);
//	   │             bands along wrong ones are left out (misplaced.go)
//	   │ batches     two populations? colour, lightness, print offset (groups.go, split.go)
//	   ▼
//	 noise           what clean sleeves scatter, by place, print edge and veil (noise.go, detect.go)
//	   │ filters     spots of all sizes (pyramid.go), lines of all directions (lines.go),
//	   │             stretches of the rim (rimscan.go)
//	   │ tails       how strong a peak a clean deck shows anywhere (tail.go)
//	   ▼
//	 marks           outline, size, ΔE (marks.go), kind (kind.go), debris (debris.go, hairlines.go),
//	   │             what a player sees of it (visibility.go); nobody is accused where
//	   │             too many outlines were lost (lost.go)
//	   ▼
//	 Result
//
// Two thresholds share the work. A mark is listed when a clean deck would show
// half of such a peak on the average; it may be called visible or obvious only
// when the chance of that is below [Options.FalseAlarmRate] and it is strong
// and large enough for a player's eye. What could as well be a fibre, a speck
// of dust, a greasy spot or a reflection is never called visible, nor is what
// lies at an outline that may be elsewhere.
package sleeve

import (
	"fairdeck/vision/card"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Input is one sleeve back.
type Input struct {
	Name string // for messages: the file, or the place in the deck
	View *card.View
	Card card.Detection
}

// Options of Inspect; the zero value is the default.
type Options struct {
	// FalseAlarmRate is the share of clean decks that may have any sleeve
	// flagged visible or above: the family-wise error rate. Zero: 0.01.
	FalseAlarmRate float64

	// ViewingDistanceMM is the playing distance for visibility. Zero: 400.
	ViewingDistanceMM float64

	// Workers is how many sleeves are worked on at once. Zero: all cores.
	Workers int

	// KeepMaps gives every sleeve its DeltaE, not only those with marks.
	KeepMaps bool

	// Progress, when set, is called with the sleeves done so far, from any
	// goroutine, never at the same time.
	Progress func(done, total int)

	// TakeViews lets Inspect work in the pixels of the inputs' views, which
	// saves half of the memory. The views' pictures are nil afterwards.
	TakeViews bool

	// probe lets the package's own tests look at what was learned.
	probe func(d *deck, b *filterBank, scans []*scan)
}

// Visibility is what a person sees at playing distance.
type Visibility string

// The visibilities, weakest first.
const (
	CameraOnly Visibility = "camera-only"
	Visible    Visibility = "visible"
	Obvious    Visibility = "obvious"
)

// Rank orders visibilities: 0 none, 1 camera-only, 2 visible, 3 obvious.
func (v Visibility) Rank() int {
	switch v {
	case CameraOnly:
		return 1
	case Visible:
		return 2
	case Obvious:
		return 3
	}
	return 0
}

// Kind names what a mark is.
type Kind string

// The kinds of marks.
const (
	Unclear    Kind = "unclear"
	PenDot     Kind = "pen_dot"
	PenLine    Kind = "pen_line"
	Scratch    Kind = "scratch"
	Dent       Kind = "dent"
	Crease     Kind = "crease"
	Stain      Kind = "stain"
	WornCorner Kind = "worn_corner"
	EdgeWear   Kind = "edge_wear"
	Nick       Kind = "nick"
)

// Mark is a place on a sleeve that differs from the consensus. Places are in
// mm from the top-left corner of the sleeve as the deck's majority lies (x
// right, y down).
type Mark struct {
	Kind           Kind        `json:"kind"`
	KindConfidence float64     `json:"kind_confidence"` // 0 to 1
	CentreMM       plane.Point `json:"centre_mm"`
	MinMM          plane.Point `json:"min_mm"` // bounding box
	MaxMM          plane.Point `json:"max_mm"`
	LengthMM       float64     `json:"length_mm"` // longest extent
	WidthMM        float64     `json:"width_mm"`  // extent across it
	AreaMM2        float64     `json:"area_mm2"`
	PeakDeltaE     float64     `json:"peak_delta_e"`  // CIEDE2000 against the consensus
	MeanDeltaE     float64     `json:"mean_delta_e"`  // over the area
	DeltaESigma    float64     `json:"delta_e_sigma"` // standard uncertainty of MeanDeltaE
	Visibility     Visibility  `json:"visibility"`
	PValue         float64     `json:"p_value"` // chance that a clean deck shows one as strong anywhere

	perceived, perceivedPeak float64 // S-CIELAB contrasts, see visibility.go
	debris                   debris
	asSeen                   Visibility // what it would be if it were not debris
	lighter                  bool       // than the consensus, for the most part
	atEdge                   Visibility // what it would be at an outline that is sure; empty elsewhere
	slipped                  bool       // the print lies elsewhere there, see movedPrint
	acrossMM                 float64    // full extent across the longest, see shape.across
}

// Area is a part of a sleeve that could not be inspected.
type Area struct {
	Reason   string      `json:"reason"` // glare, shadow, outline (found in the wrong place) or covered
	MinMM    plane.Point `json:"min_mm"`
	MaxMM    plane.Point `json:"max_mm"`
	Fraction float64     `json:"fraction"` // of the sleeve, 0 to 1
}

// Sleeve is what was found about one input.
type Sleeve struct {
	// TurnedDeg is 0 or 180 against the deck's majority; OrientationKnown is
	// false where the design looks the same both ways.
	TurnedDeg        int  `json:"turned_deg"`
	OrientationKnown bool `json:"orientation_known"`

	// Group is the index of the group in Result.Groups that the sleeve
	// belongs to.
	Group int `json:"group"`

	Marks        []Mark     `json:"marks"`
	Visibility   Visibility `json:"visibility,omitempty"` // the strongest mark's; empty when there is none
	NotInspected []Area     `json:"not_inspected"`
	Inspected    float64    `json:"inspected"` // share of the sleeve, 0 to 1

	// Unusable says why the sleeve as a whole could not be compared.
	Unusable string `json:"unusable,omitempty"`

	// Aligned is the view as it was compared: turned to the majority and
	// registered, corrected for light. Nil when Unusable.
	Aligned *frame.Image `json:"-"`

	// DeltaE is the difference from the consensus in tenths of ΔE (255 = 25.5
	// and more) for each pixel of Aligned; nil when there is no mark, unless
	// Options.KeepMaps.
	DeltaE []uint8 `json:"-"`

	// BelowLimit ranks sleeves without a mark by the strongest evidence that
	// was not enough for one: 0 (none) and up, see belowLimit. It is for
	// measuring the method, not for judging a sleeve.
	BelowLimit float64 `json:"-"`
}

// Group is a set of sleeves that look alike: a batch or a design.
type Group struct {
	Name       string     `json:"name"`                 // A is the largest
	Sleeves    []int      `json:"sleeves"`              // indices of inputs
	Colour     colour.Lab `json:"colour"`               // median, corrected for light
	DeltaE     float64    `json:"delta_e"`              // from group A, CIEDE2000
	Visibility Visibility `json:"visibility,omitempty"` // of that difference; empty for A
	What       string     `json:"what,omitempty"`       // in what it differs: colour, lightness, print offset, size, design

	// Shape is how the outline and the print's place differ from group A's;
	// nil where neither is in What.
	Shape *Shape `json:"shape,omitempty"`

	// Consensus is the group's typical sleeve, same size as Aligned.
	Consensus *frame.Image `json:"-"`
}

// Warning is something the reader of a result must know.
type Warning struct {
	Code string `json:"code"` // stable, for programs
	Text string `json:"text"` // for people, with the remedy
}

// Result of a deck's inspection.
type Result struct {
	Sleeves        []Sleeve  `json:"sleeves"` // one per input, same order
	Groups         []Group   `json:"groups"`  // largest first; empty when too few to compare
	PxPerMM        float64   `json:"px_per_mm"`
	MarginMM       float64   `json:"margin_mm"` // of Aligned and Consensus
	FalseAlarmRate float64   `json:"false_alarm_rate"`
	SmallestMarkMM float64   `json:"smallest_mark_mm"` // size of the smallest dot of ΔE 20 that would be found
	Warnings       []Warning `json:"warnings"`
}
