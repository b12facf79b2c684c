// Package record is what fairdeck stores and exchanges: versioned types and
// their JSON Schemas.
//
//	check.Run ──▶ Check ──Encode──▶ check.json ──Decode──▶ Check
//	                │                    │
//	                ├──▶ report, CLI     └── schema/check-v1.json tells other
//	                └──▶ station, store      programs what to expect
//
// Whatever a judge is shown, on paper, on a page or in a terminal, is drawn
// from one [Check]; nobody works a result out a second time.
//
// The schema's name in a file ("check/v1") is a promise: within v1 keys are
// added, never renamed, removed or given another meaning, and a file written
// by an older fairdeck is read by a newer one (testdata keeps such files). A
// change that breaks the promise is a v2 beside it.
package record

import (
	"time"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// SchemaCheck names the version of [Check] that is written.
const SchemaCheck = "check/v1"

// Check is one inspection of a deck's sleeves. A whole deck that was given in
// parts (main, side and extra deck) is one check: its sleeves stand in the
// order of the parts and are numbered through, so that a number means one
// sleeve; each knows its part and its place there. See [Check.Split].
type Check struct {
	Schema    string     `json:"schema"`  // SchemaCheck
	Tool      Tool       `json:"tool"`    // what made it
	Created   time.Time  `json:"created"` // when the inspection began
	Verdict   Verdict    `json:"verdict"`
	Parts     []Part     `json:"parts,omitempty"`     // main, side, extra; absent: one deck without parts
	Relations []Relation `json:"relations,omitempty"` // between usual sleeves of parts that were compared and differ
	Told      *Told      `json:"told,omitempty"`      // what a person answered; absent: nothing
	Settings  Settings   `json:"settings"`
	Layout    Layout     `json:"layout"`
	Profile   *Profile   `json:"profile"`            // null: the station was not calibrated
	Capture   *Capture   `json:"capture,omitempty"`  // absent: pictures were given, not a stream
	Sources   []Source   `json:"sources"`            // pictures, in order; of a stream, one for each sighting
	Sleeves   []Sleeve   `json:"sleeves"`            // in the deck's order, top first
	Groups    []Group    `json:"groups"`             // largest first; empty when too few to compare
	Faces     []Face     `json:"faces,omitempty"`    // identities that were learned; absent: no face was seen
	Order     *Order     `json:"order,omitempty"`    // of the deck; absent: no face was seen
	List      *DeckList  `json:"list,omitempty"`     // that the deck was compared with; absent: none was given
	Patterns  *Patterns  `json:"patterns,omitempty"` // marks and faces; absent: not both were seen
	Problems  []Problem  `json:"problems"`
	Warnings  []Warning  `json:"warnings"`
	Limits    Limits     `json:"limits"`
	Timings   Timings    `json:"timings"`
	Ruling    *Ruling    `json:"ruling,omitempty"` // absent: no rule book was chosen
}

// Tool is the provenance of a check.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // commit, where the build recorded it
	OpenCV   string `json:"opencv"`
	Go       string `json:"go"`
}

// Level is the verdict in one word.
type Level string

// The levels.
const (
	NothingToSee  Level = "nothing-to-see"  // every sleeve was seen and none can be told from the rest
	Flagged       Level = "flagged"         // at least one can
	Incomplete    Level = "incomplete"      // none of those seen, and some were not seen
	NotGoodEnough Level = "not-good-enough" // the pictures do not allow a judgement
)

// Verdict is the answer to the judge.
type Verdict struct {
	Level Level     `json:"level"`
	Lines [3]string `json:"lines"` // three sentences: what, which, and how far to trust it
	Count Count     `json:"count"`
}

// Count is the verdict in numbers of sleeves.
type Count struct {
	Sleeves    int `json:"sleeves"`     // places in the deck: seen or not
	Inspected  int `json:"inspected"`   // compared with the deck
	Flagged    int `json:"flagged"`     // can be told from the rest by a person
	Obvious    int `json:"obvious"`     // of those, by an obvious mark
	Turned     int `json:"turned"`      // lie the other way round
	OtherGroup int `json:"other_group"` // belong to another batch or design that a person can tell
	CameraOnly int `json:"camera_only"` // not flagged, with marks that only the camera sees
}

// Settings are what the user asked for, defaults filled in.
type Settings struct {
	FalseAlarmRate    float64 `json:"false_alarm_rate"`    // share of clean decks with any sleeve flagged
	ViewingDistanceMM float64 `json:"viewing_distance_mm"` // playing distance, for visibility
	Size              *Size   `json:"size"`                // given size; null: estimated
	Layout            string  `json:"layout"`              // auto, one-per-frame, grid
}

// Size is the outer size of a sleeve.
type Size struct {
	Name     string  `json:"name,omitempty"`
	WidthMM  float64 `json:"width_mm"`
	HeightMM float64 `json:"height_mm"`
}

// Layout says how the cards lay in the pictures.
type Layout struct {
	Kind string `json:"kind"` // one-per-frame, grid or mixed
	By   string `json:"by"`   // user or geometry
	Text string `json:"text"` // what was decided and why
}

// Profile names the calibration that was used.
type Profile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Source is one picture that was read.
type Source struct {
	File     string `json:"file"`
	Part     string `json:"part,omitempty"` // of the deck, that it shows
	Format   string `json:"format"`
	WidthPx  int    `json:"width_px"` // upright
	HeightPx int    `json:"height_px"`
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"` // of the file, lower-case hex
	Cards    int    `json:"cards"`  // found in it
}

// Flag says why a sleeve can be told from the rest.
type Flag string

// The flags.
const (
	FlagMark   Flag = "mark"   // a mark that a person sees
	FlagTurned Flag = "turned" // lies the other way round
	FlagGroup  Flag = "group"  // belongs to a smaller group that a person can tell
)

// Sleeve is one card's back.
type Sleeve struct {
	Sleeve  int            `json:"sleeve"`          // place in the deck, 1 = top; in a whole deck counted on through the parts
	Part    string         `json:"part,omitempty"`  // main, side, extra
	Place   int            `json:"place,omitempty"` // in the part, 1 = top
	File    string         `json:"file"`            // the picture
	Card    int            `json:"card"`            // place in the picture in reading order, from 1
	Corners [4]plane.Point `json:"corners_px"`      // virtual corners in the upright picture, clockwise from the sleeve's own top-left
	SigmaPx [4]float64     `json:"sigma_px"`        // standard uncertainty of each
	Size    Size           `json:"size"`
	PxPerMM float64        `json:"px_per_mm"` // resolution of the picture at the card

	Flags      []Flag `json:"flags"` // empty: not flagged
	TurnedDeg  *int   `json:"turned_deg"`
	Group      string `json:"group,omitempty"`      // name of its group
	Visibility string `json:"visibility,omitempty"` // of its strongest mark
	Marks      []Mark `json:"marks"`                // strongest first

	NotInspected []Area  `json:"not_inspected"`
	Inspected    float64 `json:"inspected"` // share of the sleeve, 0 to 1

	// Unusable says why the sleeve as a whole could not be compared.
	Unusable string `json:"unusable,omitempty"`
}

// Flagged reports whether a person can tell the sleeve from the rest.
func (s *Sleeve) Flagged() bool { return len(s.Flags) > 0 }

// Mark is a place on a sleeve that differs from the deck's typical sleeve.
// Places are in mm from the top-left corner of the sleeve as the deck's
// majority lies (x right, y down).
type Mark struct {
	Kind           string      `json:"kind"`
	KindConfidence float64     `json:"kind_confidence"` // 0 to 1
	CentreMM       plane.Point `json:"centre_mm"`
	MinMM          plane.Point `json:"min_mm"` // bounding box
	MaxMM          plane.Point `json:"max_mm"`
	LengthMM       float64     `json:"length_mm"`
	WidthMM        float64     `json:"width_mm"`
	AreaMM2        float64     `json:"area_mm2"`
	PeakDeltaE     float64     `json:"peak_delta_e"` // CIEDE2000
	MeanDeltaE     float64     `json:"mean_delta_e"`
	DeltaESigma    float64     `json:"delta_e_sigma"` // standard uncertainty of the mean
	Visibility     string      `json:"visibility"`    // camera-only, visible, obvious
	PValue         float64     `json:"p_value"`       // chance that a clean deck shows one as strong anywhere
}

// Area is a part of a sleeve that could not be inspected.
type Area struct {
	Reason   string      `json:"reason"`
	MinMM    plane.Point `json:"min_mm"`
	MaxMM    plane.Point `json:"max_mm"`
	Fraction float64     `json:"fraction"` // of the sleeve
}

// Group is a set of sleeves that look alike: a batch or a design. In a whole
// deck it belongs to one part, whose groups stand together, the largest first;
// groups of the same name in parts that were compared look alike.
type Group struct {
	Name       string     `json:"name"` // A is the largest of those compared together
	Part       string     `json:"part,omitempty"`
	Sleeves    []int      `json:"sleeves"`              // places in the deck
	Colour     colour.Lab `json:"colour"`               // median, CIELAB, corrected for light
	DeltaE     float64    `json:"delta_e"`              // from the first group (of the part), CIEDE2000
	Visibility string     `json:"visibility,omitempty"` // of that difference
	What       string     `json:"what,omitempty"`       // colour, lightness, finish, design, size, print offset
	Shape      *Shape     `json:"shape,omitempty"`      // of outline and print; absent: neither is in what
}

// Shape is how outline and print of a group's usual sleeve differ from the
// first group's, in mm with standard uncertainties.
type Shape struct {
	WidthMM      float64 `json:"width_mm"`  // wider (positive) or narrower
	HeightMM     float64 `json:"height_mm"` // higher or lower
	SizeSigmaMM  float64 `json:"size_sigma_mm"`
	PrintRightMM float64 `json:"print_right_mm"` // the print against the outline
	PrintDownMM  float64 `json:"print_down_mm"`
	PrintSigmaMM float64 `json:"print_sigma_mm"` // 0: there is no print
}

// Problem is input that could not be used.
type Problem struct {
	Code   string `json:"code"`             // stable, for programs
	Part   string `json:"part,omitempty"`   // of the deck
	File   string `json:"file,omitempty"`   // the file or folder
	Sleeve int    `json:"sleeve,omitempty"` // the place in the deck, where it is known
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

// Warning is something the reader must know.
type Warning struct {
	Code string `json:"code"`
	Part string `json:"part,omitempty"` // of the deck
	File string `json:"file,omitempty"`
	Text string `json:"text"`
}

// Limits say what this check could have seen.
type Limits struct {
	PxPerMM        float64 `json:"px_per_mm"`        // at which the sleeves were compared; 0 when none were
	SmallestMarkMM float64 `json:"smallest_mark_mm"` // smallest dot of ΔE 20 that would be found; 0: not known
}

// Timings are seconds; work on several cores is counted once for each.
type Timings struct {
	Total   float64 `json:"total_s"`   // by the clock
	Decode  float64 `json:"decode_s"`  // summed over pictures
	Find    float64 `json:"find_s"`    // summed over pictures
	Inspect float64 `json:"inspect_s"` // by the clock
}

// Evidence is the pictures behind a check. They are shown in reports and not
// stored in the record.
type Evidence struct {
	PxPerMM  float64
	MarginMM float64

	// Sleeves has one entry for each of Check.Sleeves.
	Sleeves []Pictures

	// Consensus is the typical sleeve of each of Check.Groups.
	Consensus []*frame.Image

	// Faces has the card's front for each place of Check.Order; nil where none
	// was seen.
	Faces []*frame.Image
}

// Pictures of one sleeve.
type Pictures struct {
	// View is the sleeve from above, as the majority lies, corrected for
	// light; nil when it could not be compared.
	View *frame.Image

	// DeltaE is the difference from the consensus in tenths (255: 25.5 and
	// more) for each pixel of View; nil when there is no mark.
	DeltaE []uint8
}
