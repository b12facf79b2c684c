package edge

import (
	"errors"
	"fmt"

	"fairdeck/vision/colour"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// ErrPicture is wrapped by the error of a picture that holds no pixels or
// has none that can be walked: the caller's mistake, not the deck's.
var ErrPicture = errors.New("the picture has no pixels")

// Face says which side of the deck a picture shows.
type Face string

// The sides of a deck.
const (
	AnySide   Face = ""      // not stated
	LongSide  Face = "long"  // 91 mm
	ShortSide Face = "short" // 66 mm, open or closed

	// The same when the judge knows which.
	ShortOpen   Face = "short-open"
	ShortClosed Face = "short-closed"
)

// short reports whether a short side is stated.
func (f Face) short() bool { return f == ShortSide || f == ShortOpen || f == ShortClosed }

// Options of [Inspect]; the zero value is the default.
type Options struct {
	// Side that the picture shows; it gives the scale. Not stated: the scale
	// is known to a factor only, see [Side.PxPerMMSigma].
	Side Face

	// PxPerMM at the deck's side, when the station knows it. Zero: from the
	// deck's own width.
	PxPerMM float64

	// WidthMM and HeightMM of a sleeve. Zero: 66 and 91, the size of sleeves
	// for the standard card of 63 x 88 mm.
	WidthMM, HeightMM float64

	// FocalPx is the camera's focal length; it gives the camera's distance
	// and with it protrusion in mm. Zero: 1.2 times the picture's longer
	// side, right within a factor of two for phones and USB cameras.
	FocalPx float64

	// FalseAlarmRate is the share of clean sides that may have any layer
	// called visible: the family-wise error rate. Zero: 0.01.
	FalseAlarmRate float64

	// Confidence that the stated count must have: a single number is stated
	// where it alone reaches this, an interval otherwise. Zero: 0.99.
	Confidence float64

	// Standing is true for a deck that stands on its side: its layers run
	// from left to right and their lines stand upright. Unset, both ways are
	// tried and the clearer one is taken.
	Standing *bool

	// Workers is how many goroutines may run at once. Zero: all cores.
	Workers int
}

// RefusalCode says why a side was not counted, for programs.
type RefusalCode string

// The reasons for a refusal.
const (
	NoStack   RefusalCode = "no_stack"   // nothing layered in the picture
	CutOff    RefusalCode = "cut_off"    // the stack leaves the picture
	TooCoarse RefusalCode = "too_coarse" // fewer than 3 px per layer
	Blurred   RefusalCode = "blurred"    // layers without contrast
	NoPeriod  RefusalCode = "no_period"  // what is seen does not repeat
	Undecided RefusalCode = "undecided"  // the alternatives are too many
	TooFew    RefusalCode = "too_few"    // fewer than 4 layers
	TooSmall  RefusalCode = "too_small"  // picture below 64 px
)

// Refusal is an honest "not counted", with the remedy in Text.
type Refusal struct {
	Code RefusalCode `json:"code"`
	Text string      `json:"text"`
}

// Count is the number of layers: sleeved cards.
type Count struct {
	// Low to High hold the true number with Confidence; Best is the likeliest.
	// Low == High is an exact count. All are zero in a refusal.
	Low        int     `json:"low"`
	High       int     `json:"high"`
	Best       int     `json:"best"`
	Confidence float64 `json:"confidence"` // 0 to 1, that Low..High holds the truth

	// Votes are the counts of separate parts of the side, left to right; they
	// are looked at apart, to see that they agree.
	Votes []int `json:"votes,omitempty"`

	Refused *Refusal `json:"refused,omitempty"`
}

// Exact reports whether a single number is stated.
func (c Count) Exact() bool { return c.Refused == nil && c.Low == c.High && c.Low > 0 }

// String is the count as it is said: "60", "58-61" or "not counted".
func (c Count) String() string {
	switch {
	case c.Refused != nil:
		return "not counted"
	case c.Low == c.High:
		return fmt.Sprint(c.Low)
	}
	return fmt.Sprintf("%d-%d", c.Low, c.High)
}

// Layer is one sleeved card at the side, in mm where the scale is known.
type Layer struct {
	Number       int     `json:"number"` // from the top, 1 is the uppermost
	FromTopMM    float64 `json:"from_top_mm"`
	ThicknessMM  float64 `json:"thickness_mm"` // from this layer's line to the next
	GapMM        float64 `json:"gap_mm"`       // room to the next layer beyond the stack's own, 0 or more
	WarpMM       float64 `json:"warp_mm"`      // ends against middle, beyond the neighbours' own; positive: ends down
	ProtrusionMM float64 `json:"protrusion_mm"`
	// ProtrusionSigma is the standard uncertainty of ProtrusionMM in mm, the
	// unknown camera height included.
	ProtrusionSigma float64    `json:"protrusion_sigma_mm"`
	Colour          colour.Lab `json:"colour"`
	DeltaE          float64    `json:"delta_e"`              // CIEDE2000 from the stack's running median
	LightnessD      float64    `json:"lightness_difference"` // L* from the running median
	Lines           int        `json:"lines"`                // bright lines in the layer: 1 closed, more where film edges or two sleeves show

	// LinePx runs along the layer's bright line in the picture, left to right.
	LinePx []plane.Point `json:"line_px"`

	hueDeltaE float64 // what of DeltaE is left at equal lightness
	shaded    bool    // dark by the shadow of a sheet above
	shadow    float64 // ΔE of the shadow that this sheet throws, 0 for none

	// score holds the unit-free evidence per kind, for the outlier test.
	score scores
}

// Kind names how a layer stands out.
type Kind string

// The kinds of outlier.
const (
	Protrudes   Kind = "protrusion"
	OtherColour Kind = "colour"
	Warped      Kind = "warp"
	Gap         Kind = "gap"
)

// Outlier is a layer that can be told from the rest of its side.
type Outlier struct {
	Layer      int               `json:"layer"` // Number of the layer
	Kind       Kind              `json:"kind"`
	Amount     float64           `json:"amount"`  // mm, or ΔE2000 for colour
	Unit       string            `json:"unit"`    // "mm" or "ΔE"
	Sigma      float64           `json:"sigma"`   // strength against the stack's own spread, standard deviations
	PValue     float64           `json:"p_value"` // chance that a clean side shows one as strong anywhere
	Visibility sleeve.Visibility `json:"visibility"`
	Text       string            `json:"text"`
}

// Side is what was seen of one side of a squared deck.
type Side struct {
	Name     string `json:"name,omitempty"` // the file, for messages
	Face     Face   `json:"side,omitempty"`
	Open     bool   `json:"open"` // the layers show more than one line each
	Standing bool   `json:"standing"`
	// OpenProbability is how surely the side is an open one, 0 to 1.
	OpenProbability float64 `json:"open_probability"`

	Count    Count     `json:"count"`
	Layers   []Layer   `json:"layers"`
	Outliers []Outlier `json:"outliers"`

	PxPerLayer float64 `json:"px_per_layer"`
	// PxPerMM at the side with its standard uncertainty; 0 where unknown.
	PxPerMM      float64 `json:"px_per_mm"`
	PxPerMMSigma float64 `json:"px_per_mm_sigma"`

	// Regularity is the share of the layers' light and dark that one typical
	// layer explains, 0 to 1.
	Regularity float64 `json:"regularity"`

	// Outline of the stack in the picture: top-left, top-right, bottom-right,
	// bottom-left.
	Outline plane.Quad `json:"outline"`

	Warnings []sleeve.Warning `json:"warnings"`

	// rows are the lines' rows in the middle of the side, px.
	rows []float64
}
