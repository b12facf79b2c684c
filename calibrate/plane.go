package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Plane is the table's plane as the camera sees it.
type Plane struct {
	Evidence
	From string `json:"from"` // board or card

	// ToFrame maps millimetres on the plane (x right, y down; origin at the
	// board's first inner corner, or the card's top-left) to pixels of the
	// undistorted frame.
	ToFrame plane.Homography `json:"to_frame"`

	// PxPerMM is the scale in the middle of the frame and PxPerMMSigma its
	// standard uncertainty; LeastPxPerMM and MostPxPerMM are the extremes over
	// the frame.
	PxPerMM      float64 `json:"px_per_mm"`
	PxPerMMSigma float64 `json:"px_per_mm_sigma"`
	LeastPxPerMM float64 `json:"least_px_per_mm"`
	MostPxPerMM  float64 `json:"most_px_per_mm"`

	// TiltDeg is the angle between the camera's axis and the plane's normal.
	// RightDeg and BottomDeg are its parts: positive when the right side, the
	// bottom of the picture is nearer. DistanceMM is from the lens to the
	// plane along the axis. All are 0 without a lens.
	TiltDeg    float64 `json:"tilt_deg,omitempty"`
	RightDeg   float64 `json:"right_deg,omitempty"`
	BottomDeg  float64 `json:"bottom_deg,omitempty"`
	DistanceMM float64 `json:"distance_mm,omitempty"`

	RMSPx  float64 `json:"rms_px"`            // of the board's corners; 0 from a card
	BlurPx float64 `json:"blur_px,omitempty"` // standard deviation of edges; 0 not known
}

func (p *Plane) valid() error {
	if p == nil {
		return nil
	}
	if !within(p.PxPerMM, 0.1, 1000) || !within(p.LeastPxPerMM, 0, p.PxPerMM*(1+1e-9)) || !within(p.MostPxPerMM, p.PxPerMM*(1-1e-9), 10000) {
		return fmt.Errorf("a plane of %g px/mm (%g to %g)", p.PxPerMM, p.LeastPxPerMM, p.MostPxPerMM)
	}
	if !within(p.TiltDeg, 0, 90) || !within(p.PxPerMMSigma, 0, p.PxPerMM) || !within(p.RMSPx, 0, 1000) || !within(p.BlurPx, 0, 1000) || !within(p.DistanceMM, 0, 1e6) {
		return errors.New("a plane with a tilt, uncertainty, blur or distance that cannot be")
	}
	if _, err := p.ToFrame.Inverse(); err != nil {
		return fmt.Errorf("a plane that is seen edge-on: %w", err)
	}
	return nil
}

// PlaneOptions of a plane calibration; the zero value seeks fairdeck's board.
type PlaneOptions struct {
	Board Board // zero: [DefaultBoard]

	// Card, when it has a size, is what lies on the table instead of a board:
	// its true outer size in mm.
	Card card.Size

	Lens plane.Lens // of the profile; zero: straight
}

// PlaneCalibration averages the plane over frames of one scene: the board or
// card lies still on the table, the camera stands still.
type PlaneCalibration struct {
	opt           PlaneOptions
	width, height int
	planes        []Plane
	corners       [][]plane.Point
	light         [][3]float64
	rejected      []Rejected
}

// NewPlane begins a plane calibration.
func NewPlane(o PlaneOptions) (*PlaneCalibration, error) {
	o.Board = o.Board.withDefaults()
	if err := o.Board.valid(); err != nil {
		return nil, err
	}
	if o.Card != (card.Size{}) && !(within(o.Card.WidthMM, 20, 300) && within(o.Card.HeightMM, 20, 300)) {
		return nil, fmt.Errorf("a card of %g x %g mm", o.Card.WidthMM, o.Card.HeightMM)
	}
	return &PlaneCalibration{opt: o}, nil
}

// PlaneFeedback is what one frame brought.
type PlaneFeedback struct {
	Rejected *Rejected // why the frame was not used; nil: it was
	Plane    *Plane    // what this frame alone says
	Corners  []plane.Point
}

// stillPx is how far the corners may move between frames of a scene that
// stands still.
const stillPx = 1.0

// Add measures one frame.
func (c *PlaneCalibration) Add(ctx context.Context, name string, img *frame.Image) (PlaneFeedback, error) {
	f, err := c.look(ctx, img)
	var r *Rejected
	switch {
	case errors.As(err, &r):
	case err != nil:
		return PlaneFeedback{}, err
	default:
		r = c.moved(f.Corners, img)
	}
	if r != nil {
		r.Name = name
		c.rejected = append(c.rejected, *r)
		return PlaneFeedback{Rejected: r}, nil
	}
	c.width, c.height = img.Width, img.Height
	c.planes = append(c.planes, *f.Plane)
	c.corners = append(c.corners, f.Corners)
	if c.opt.Card == (card.Size{}) {
		c.light = append(c.light, whiteOfBoard(img, c.opt.Board, f.Corners))
	}
	return f, nil
}

func (c *PlaneCalibration) moved(corners []plane.Point, img *frame.Image) *Rejected {
	if len(c.corners) == 0 {
		return nil
	}
	if img.Width != c.width || img.Height != c.height {
		return &Rejected{Reason: FrameSize, Text: fmt.Sprintf("%d x %d pixels, the others have %d x %d", img.Width, img.Height, c.width, c.height), Remedy: "take all pictures with the camera at one resolution"}
	}
	first := c.corners[0]
	far := 0.0
	for i := range first {
		far = max(far, first[i].Sub(corners[i]).Norm())
	}
	if far > stillPx {
		return &Rejected{Reason: Outlier, Text: fmt.Sprintf("it lies %.1f px from where the first picture shows it", far), Remedy: "leave the board or card and the camera still, or calibrate the plane from one picture"}
	}
	return nil
}

func (c *PlaneCalibration) look(ctx context.Context, img *frame.Image) (PlaneFeedback, error) {
	if c.opt.Card == (card.Size{}) {
		v, err := FindBoard(img, c.opt.Board)
		if err != nil {
			return PlaneFeedback{}, err
		}
		p, err := planeOfBoard(v, c.opt.Board, c.opt.Lens, img.Width, img.Height)
		return PlaneFeedback{Plane: p, Corners: v.Corners}, err
	}
	return c.lookForCard(ctx, img)
}

// planeOfBoard fits the plane to all corners of a board.
func planeOfBoard(v *View, b Board, lens plane.Lens, width, height int) (*Plane, error) {
	ideal := undistort(v.Corners, lens)
	mm := b.corners()
	h, err := fitHomography(mm, ideal)
	if err != nil {
		return nil, &Rejected{Reason: NoBoard, Text: "what was found is not flat", Remedy: "lay the board flat on the table"}
	}
	p := &Plane{From: "board", ToFrame: h}
	if !math.IsNaN(v.BlurPx) {
		p.BlurPx = v.BlurPx
	}
	sum := 0.0
	for i := range mm {
		d := h.Apply(mm[i]).Sub(ideal[i])
		sum += d.Dot(d)
	}
	p.RMSPx = math.Sqrt(sum / float64(len(mm)))
	if err := p.describe(lens, width, height); err != nil {
		return nil, err
	}
	// Independent corner errors: a length over the board is off by sqrt 2 of
	// them, the mean over all rows by a part of that; and the residuals are
	// not quite independent (a bent board), so one row counts as all.
	length := b.outline(ideal).Sides()
	p.PxPerMMSigma = p.PxPerMM * math.Sqrt2 * p.RMSPx / max(1, (length[0]+length[2])/2) / math.Sqrt(float64(min(b.Columns, b.Rows)))
	return p, nil
}

func (c *PlaneCalibration) lookForCard(ctx context.Context, img *frame.Image) (PlaneFeedback, error) {
	res, err := card.Find(ctx, img, card.Options{Size: c.opt.Card, Lens: c.opt.Lens})
	if err != nil {
		return PlaneFeedback{}, err
	}
	cards := res.Usable()
	if len(cards) == 0 {
		r := &Rejected{Reason: NoCard, Text: "no card is seen", Remedy: "lay one card flat in the middle of the picture, on a table of another colour"}
		if len(res.Cards) > 0 {
			r.Reason, r.Text = Partial, "the card cannot be measured: "+res.Cards[0].Unusable
		}
		return PlaneFeedback{}, r
	}
	// The card nearest to the middle counts: the scale is asked for there.
	mid := plane.Point{X: float64(img.Width-1) / 2, Y: float64(img.Height-1) / 2}
	d := slices.MinFunc(cards, func(a, b card.Detection) int {
		return int(math.Copysign(1, a.Corners.Centre().Sub(mid).Norm()-b.Corners.Centre().Sub(mid).Norm()))
	})
	ideal := undistort(d.Corners[:], c.opt.Lens)
	rect := plane.Rect(0, 0, c.opt.Card.WidthMM, c.opt.Card.HeightMM)
	h, err := plane.QuadToQuad(rect, plane.Quad(ideal))
	if err != nil {
		return PlaneFeedback{}, &Rejected{Reason: NoCard, Text: "what was found is not flat", Remedy: "lay the card flat on the table"}
	}
	p := &Plane{From: "card", ToFrame: h}
	if err := p.describe(c.opt.Lens, img.Width, img.Height); err != nil {
		return PlaneFeedback{}, err
	}
	sides := plane.Quad(ideal).Sides()
	s := 0.0
	for _, v := range d.SigmaPx {
		s = max(s, v)
	}
	// A card alone does not tell a bow of its sides from the lens: its corners
	// are never trusted beyond a tenth of a pixel.
	p.PxPerMMSigma = p.PxPerMM * math.Sqrt2 * max(0.1, s) / ((sides[0] + sides[1] + sides[2] + sides[3]) / 4) / math.Sqrt2
	return PlaneFeedback{Plane: p, Corners: slices.Clone(d.Corners[:])}, nil
}

func undistort(points []plane.Point, lens plane.Lens) []plane.Point {
	out := make([]plane.Point, len(points))
	for i, p := range points {
		out[i] = lens.Undistort(p)
	}
	return out
}

// describe works out the scale and the tilt from ToFrame.
func (p *Plane) describe(lens plane.Lens, width, height int) error {
	back, err := p.ToFrame.Inverse()
	if err != nil {
		return &Rejected{Reason: NoBoard, Text: "the plane is seen edge-on", Remedy: "mount the camera above the table"}
	}
	at := func(x, y float64) float64 {
		return p.ToFrame.Scale(back.Apply(lens.Undistort(plane.Point{X: x, Y: y})))
	}
	w, h := float64(width-1), float64(height-1)
	p.PxPerMM = at(w/2, h/2)
	p.LeastPxPerMM, p.MostPxPerMM = p.PxPerMM, p.PxPerMM
	for _, q := range plane.Rect(0, 0, w, h) {
		s := at(q.X, q.Y)
		p.LeastPxPerMM, p.MostPxPerMM = min(p.LeastPxPerMM, s), max(p.MostPxPerMM, s)
	}
	if math.IsNaN(p.PxPerMM) || !(p.LeastPxPerMM > 0) || math.IsInf(p.MostPxPerMM, 0) {
		return &Rejected{Reason: NoBoard, Text: "the horizon of the plane lies in the picture", Remedy: "mount the camera above the table, looking down"}
	}
	if lens.None() {
		return nil
	}
	k := plane.Homography{1 / lens.FocalXPx, 0, -lens.CentreXPx / lens.FocalXPx, 0, 1 / lens.FocalYPx, -lens.CentreYPx / lens.FocalYPx, 0, 0, 1}
	m := rawMul(k, p.ToFrame)
	n := normalOf(m, 1)
	p.RightDeg = math.Atan2(n[0], n[2]) * 180 / math.Pi
	p.BottomDeg = math.Atan2(n[1], n[2]) * 180 / math.Pi
	p.TiltDeg = math.Acos(min(1, n[2])) * 180 / math.Pi
	// Both axes have unit length in space, which gives the scale of the third
	// column, the origin's place.
	s := (norm3([3]float64{m[0], m[3], m[6]}) + norm3([3]float64{m[1], m[4], m[7]})) / 2
	o := [3]float64{m[2] / s, m[5] / s, m[8] / s}
	along := n[0]*o[0] + n[1]*o[1] + n[2]*o[2]
	p.DistanceMM = math.Abs(along / n[2])
	return nil
}

// rawMul multiplies without normalising, which keeps the third row's scale.
func rawMul(a, b plane.Homography) (m plane.Homography) {
	for r := range 3 {
		for c := range 3 {
			m[3*r+c] = a[3*r]*b[c] + a[3*r+1]*b[3+c] + a[3*r+2]*b[6+c]
		}
	}
	return m
}

// Solve averages the frames. It fails when none was of use.
func (c *PlaneCalibration) Solve() (*Plane, error) {
	if len(c.planes) == 0 {
		if n := len(c.rejected); n > 0 {
			return nil, fmt.Errorf("no picture shows the plane: %w", &c.rejected[n-1])
		}
		return nil, errors.New("no picture of the table was given")
	}
	out := c.planes[0]
	n := float64(len(c.planes))
	if n > 1 {
		var mm, px []plane.Point
		grid := plane.Rect(0, 0, 100, 100)
		for _, p := range c.planes {
			for _, q := range grid {
				mm, px = append(mm, q), append(px, p.ToFrame.Apply(q))
			}
		}
		h, err := fitHomography(mm, px)
		if err != nil {
			return nil, err
		}
		out.ToFrame = h
		if err := out.describe(c.opt.Lens, c.width, c.height); err != nil {
			return nil, err
		}
		var scale, rms, blur []float64
		for _, p := range c.planes {
			scale, rms, blur = append(scale, p.PxPerMM), append(rms, p.RMSPx), append(blur, p.BlurPx)
		}
		out.RMSPx, out.BlurPx = mean(rms), mean(blur)
		out.PxPerMMSigma = max(out.PxPerMMSigma/math.Sqrt(n), spread(scale)/math.Sqrt(n))
	}
	if c.opt.Lens.None() {
		// What a webcam's lens bends over a frame.
		out.PxPerMMSigma = max(out.PxPerMMSigma, 0.01*out.PxPerMM)
	}
	out.Rejected = slices.Clone(c.rejected)
	out.warn(c.opt.Lens)
	return &out, nil
}

// spread is the standard deviation.
func spread(v []float64) float64 {
	m, s := mean(v), 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return math.Sqrt(s / max(1, float64(len(v)-1)))
}

// maxTiltDeg is the tilt that a station allows: beyond, the far side of a card
// has a tenth less resolution than the near one.
const maxTiltDeg = 15

func (p *Plane) warn(lens plane.Lens) {
	if lens.None() {
		p.Warnings = append(p.Warnings, "the lens is not calibrated: the tilt is not known, and the scale is exact where the board lay only")
	}
	if p.TiltDeg > maxTiltDeg {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the camera looks at the table %.0f degrees from straight down; mount it within %d", p.TiltDeg, maxTiltDeg))
	}
	if p.LeastPxPerMM < 0.85*p.MostPxPerMM {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the scale changes from %.2f to %.2f px/mm over the frame", p.LeastPxPerMM, p.MostPxPerMM))
	}
	if p.From == "board" && p.RMSPx > 0.5 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the corners are %.2f px from a plane: the board is bent, or the lens is not calibrated", p.RMSPx))
	}
}

// SetPlane puts the plane into the profile.
func (p *Profile) SetPlane(pl *Plane, widthPx, heightPx int, e Evidence) {
	p.WidthPx, p.HeightPx = widthPx, heightPx
	e.Rejected, e.Warnings = pl.Rejected, pl.Warnings
	pl.Evidence = e
	p.Plane, p.PxPerMM = pl, pl.PxPerMM
}
