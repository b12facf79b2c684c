package visiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"fairdeck/vision/plane"
)

// NotStated stands for a number that a truth file does not give.
const NotStated = -1

// Severities of a mark, from what nobody sees to what everybody sees. Severe
// and milder words compare by [SeverityRank].
const (
	Invisible  = "invisible"
	CameraOnly = "camera-only"
	Visible    = "visible"
	Obvious    = "obvious"
)

// SeverityRank returns 0 for invisible to 3 for obvious, and [NotStated] for
// any other word.
func SeverityRank(severity string) int {
	for i, s := range []string{Invisible, CameraOnly, Visible, Obvious} {
		if s == severity {
			return i
		}
	}
	return NotStated
}

// Truth is what is really on the pictures of one deck: the content of its
// truth.json.
type Truth struct {
	Deck       string        `json:"deck,omitempty"`
	Convention string        `json:"convention,omitempty"`
	Cameras    []TruthCamera `json:"cameras,omitempty"`
	Frames     []TruthFrame  `json:"frames"`
	// SleeveNominalMM is width and height, nil when not stated.
	SleeveNominalMM *Pair  `json:"sleeve_nominal_mm,omitempty"`
	Table           string `json:"table,omitempty"`
	// Seed makes the deck again (decks of this package only).
	Seed uint64 `json:"seed,omitempty"`
}

// TruthCamera is a pinhole camera with Brown distortion. World: X right and Y
// up as the camera sees the table, Z towards the camera, millimetres.
type TruthCamera struct {
	WidthPx    int          `json:"width,omitempty"`
	HeightPx   int          `json:"height,omitempty"`
	FocalPx    float64      `json:"focal_px,omitempty"`
	K          [][3]float64 `json:"K,omitempty"`
	Distortion []float64    `json:"dist_k1k2p1p2,omitempty"`
	Rotation   [][3]float64 `json:"R_world_to_cam,omitempty"`
	Shift      []float64    `json:"t_world_to_cam,omitempty"`
	Position   []float64    `json:"camera_position_mm,omitempty"`
	DistanceMM float64      `json:"distance_to_card_plane_mm,omitempty"`
	MMPerPx    float64      `json:"mm_per_px,omitempty"`
}

// Lens returns the camera's lens, or false when the truth does not state it.
func (c TruthCamera) Lens() (plane.Lens, bool) {
	if len(c.K) != 3 || len(c.Distortion) < 4 {
		return plane.Lens{}, false
	}
	return plane.Lens{FocalXPx: c.K[0][0], FocalYPx: c.K[1][1], CentreXPx: c.K[0][2], CentreYPx: c.K[1][2],
		K1: c.Distortion[0], K2: c.Distortion[1], P1: c.Distortion[2], P2: c.Distortion[3]}, true
}

// TruthFrame is one picture.
type TruthFrame struct {
	// File is the picture's name inside the deck's folder (a local path).
	File        string `json:"file"`
	Camera      int    `json:"camera"`
	JPEGQuality int    `json:"jpeg_quality,omitempty"`
	// Drift says how this frame differs from the deck's mean settings.
	Drift *Drift `json:"drift,omitempty"`
	// LayoutRowsCols is given for grids only.
	LayoutRowsCols []int       `json:"layout_rows_cols,omitempty"`
	Cards          []TruthCard `json:"cards,omitempty"`
	// Aliens names things on the table that are not cards.
	Aliens []TruthAlien `json:"aliens,omitempty"`
}

// Drift is the camera's wandering from frame to frame; 1 means none.
type Drift struct {
	Exposure    float64 `json:"exposure"`
	RedGain     float64 `json:"wb_r"`
	BlueGain    float64 `json:"wb_b"`
	BlurSigmaPx float64 `json:"blur_sigma_px"`
}

// TruthAlien is a thing on the table that is not a card.
type TruthAlien struct {
	Kind    string `json:"kind"`
	Corners []Pair `json:"corners,omitempty"`
}

// TruthCard is one sleeve in one picture.
type TruthCard struct {
	// Index is the card's number in the deck from 0, or NotStated.
	Index int `json:"index"`
	// Corners are the sleeve's outer corners in pixels as if not rounded: TL
	// TR BR BL in the sleeve's own frame. Empty when not stated, else four.
	Corners []Pair `json:"corners,omitempty"`
	// Orientation is 0, 180 or NotStated.
	Orientation int `json:"orientation"`
	// SleeveBatch is "A" for the main batch, "" when not stated.
	SleeveBatch    string    `json:"sleeve_batch,omitempty"`
	Face           string    `json:"face,omitempty"`
	SizeMM         *Pair     `json:"size_mm,omitempty"`
	CornerRadiusMM float64   `json:"corner_radius_mm,omitempty"`
	RotationDeg    float64   `json:"rotation_deg,omitempty"`
	BowMM          []float64 `json:"bow_mm,omitempty"`
	CentreMM       *Pair     `json:"centre_mm,omitempty"`
	PrintOffsetMM  *Pair     `json:"print_offset_mm,omitempty"`
	// Cut says that the frame's border cuts the sleeve.
	Cut   bool        `json:"cut,omitempty"`
	Marks []TruthMark `json:"marks"`
}

// Quad returns the corners, or false when they are not stated.
func (c TruthCard) Quad() (plane.Quad, bool) {
	if len(c.Corners) != 4 {
		return plane.Quad{}, false
	}
	var q plane.Quad
	for i, p := range c.Corners {
		q[i] = plane.Point{X: p[0], Y: p[1]}
	}
	return q, true
}

// TruthMark is one difference of one sleeve.
type TruthMark struct {
	ID   string `json:"id,omitempty"`
	Kind string `json:"kind"`
	// WhereMM is the centre from TL in the sleeve's own frame, nil when not
	// stated. SizeMM is the diameter or length.
	WhereMM  *Pair   `json:"where_mm,omitempty"`
	SizeMM   float64 `json:"size_mm,omitempty"`
	Severity string  `json:"severity,omitempty"`
	// LineMM are the points of a scratch, crease or worn edge.
	LineMM []Pair `json:"line_mm,omitempty"`
	Corner string `json:"corner,omitempty"`
	// WholeSleeve is set for print_offset, other_size, other_design and
	// overall_wear, which have no place.
	WholeSleeve bool      `json:"whole_sleeve,omitempty"`
	ImageXY     *Pair     `json:"image_xy,omitempty"`
	Measured    *Measured `json:"measured,omitempty"`
}

// Measured is what the noise-free picture of a clean sleeve shows of a mark.
type Measured struct {
	// PeakDeltaE and MeanDeltaE are CIEDE2000 over the pixels that differ by
	// more than 2 between the renders with and without the mark, through the
	// deck's own camera; AreaPx counts them.
	PeakDeltaE float64 `json:"peak_dE,omitempty"`
	MeanDeltaE float64 `json:"mean_dE,omitempty"`
	AreaPx     int     `json:"area_px,omitempty"`
	// SeenDeltaE and SeenMM are what [Seen] finds at playing distance.
	SeenDeltaE float64 `json:"seen_dE,omitempty"`
	SeenMM     float64 `json:"seen_dE_mm,omitempty"`
	// MissingMM2 is the area that a nick takes away.
	MissingMM2 float64 `json:"missing_mm2,omitempty"`
}

// Pair is [x, y] in JSON.
type Pair [2]float64

// Point returns the pair as a point.
func (p Pair) Point() plane.Point { return plane.Point{X: p[0], Y: p[1]} }

// UnmarshalJSON takes exactly two numbers no larger than 1e6, far beyond any
// picture, so that later arithmetic stays finite.
func (p *Pair) UnmarshalJSON(data []byte) error {
	var v []float64
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if len(v) != 2 {
		return fmt.Errorf("%d numbers where [x, y] is expected", len(v))
	}
	for _, f := range v {
		if math.Abs(f) > 1e6 {
			return fmt.Errorf("coordinate %g is out of range", f)
		}
	}
	*p = Pair{v[0], v[1]}
	return nil
}

type plainCard TruthCard

// UnmarshalJSON leaves what is not stated at NotStated.
func (c *TruthCard) UnmarshalJSON(data []byte) error {
	p := plainCard{Index: NotStated, Orientation: NotStated}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*c = TruthCard(p)
	return nil
}

// MarshalJSON omits what is not stated.
func (c TruthCard) MarshalJSON() ([]byte, error) {
	stated := func(v int) *int {
		if v == NotStated {
			return nil
		}
		return &v
	}
	if c.Marks == nil {
		c.Marks = []TruthMark{}
	}
	return json.Marshal(struct {
		Index       *int `json:"index,omitempty"`
		Orientation *int `json:"orientation,omitempty"`
		plainCard
	}{stated(c.Index), stated(c.Orientation), plainCard(c)})
}

// TruthError says which part of a truth file is wrong. Frame and Card count
// from 0 and are NotStated where the fault lies above them.
type TruthError struct {
	Frame, Card int
	Field       string
	Err         error
}

func (e *TruthError) Error() string {
	at := ""
	if e.Frame >= 0 {
		at += fmt.Sprintf(" frames[%d]", e.Frame)
	}
	if e.Card >= 0 {
		at += fmt.Sprintf(" cards[%d]", e.Card)
	}
	if e.Field != "" {
		at += " " + e.Field
	}
	if at == "" {
		return fmt.Sprintf("truth: %v", e.Err)
	}
	return fmt.Sprintf("truth:%s: %v", at, e.Err)
}

func (e *TruthError) Unwrap() error { return e.Err }

// ErrTruthTooLarge is returned for a truth file over 64 MiB; the largest real
// one, 200 sleeves of many marks, is below 1 MiB.
var ErrTruthTooLarge = errors.New("the file is larger than 64 MiB")

const maxTruthBytes = 64 << 20

// ReadTruth reads a truth.json. Unknown keys are ignored and missing ones
// left at "not stated" (see the fields). Every fault of the content is a
// [*TruthError].
func ReadTruth(r io.Reader) (*Truth, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTruthBytes+1))
	if err != nil {
		return nil, fmt.Errorf("truth: %w", err)
	}
	top := func(err error) error { return &TruthError{Frame: -1, Card: -1, Err: err} }
	if len(data) > maxTruthBytes {
		return nil, top(ErrTruthTooLarge)
	}
	t := new(Truth)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, top(err)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Truth) check() error {
	for f, fr := range t.Frames {
		fault := func(card int, field, format string, args ...any) error {
			return &TruthError{Frame: f, Card: card, Field: field, Err: fmt.Errorf(format, args...)}
		}
		if fr.File != "" && filepath.Clean(fr.File) == "." {
			return fault(-1, "file", "%q is the folder itself", fr.File)
		}
		if fr.File != "" && !filepath.IsLocal(fr.File) {
			// The name is joined to the deck's folder by those who read it.
			return fault(-1, "file", "%q leads out of the deck's folder", fr.File)
		}
		if fr.Camera < 0 || (len(t.Cameras) > 0 && fr.Camera >= len(t.Cameras)) {
			return fault(-1, "camera", "there is no camera %d", fr.Camera)
		}
		for i, c := range fr.Cards {
			switch {
			case c.Index < NotStated:
				return fault(i, "index", "%d is negative", c.Index)
			case len(c.Corners) != 0 && len(c.Corners) != 4:
				return fault(i, "corners", "%d corners where four are expected", len(c.Corners))
			case c.Orientation != 0 && c.Orientation != 180 && c.Orientation != NotStated:
				return fault(i, "orientation", "%d is neither 0 nor 180", c.Orientation)
			case c.SizeMM != nil && !(c.SizeMM[0] > 0 && c.SizeMM[1] > 0):
				return fault(i, "size_mm", "%v is no size", *c.SizeMM)
			}
			for _, m := range c.Marks {
				if m.Severity != "" && SeverityRank(m.Severity) == NotStated {
					return fault(i, "severity", "unknown word %q", m.Severity)
				}
				// The largest sleeves are 150 mm high; a mark without
				// bounds would be found wherever anything is.
				if m.SizeMM < 0 || m.SizeMM > 1000 {
					return fault(i, "size_mm", "%g mm is no size of a mark", m.SizeMM)
				}
			}
		}
	}
	return nil
}

// Write writes the truth as indented JSON.
func (t *Truth) Write(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(t); err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
