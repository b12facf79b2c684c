// Package card finds the cards in a frame and rectifies each to millimetres.
//
//	frame.Image ──Find──▶ []Detection (four sub-pixel corners, or a reason why not)
//	                          │
//	                          └─Rectify──▶ View: the sleeve seen straight from above, in mm
//
// A card here is whatever lies on the table with a card's shape: a sleeve
// with a card in it, or a bare card. Its corners are the virtual ones, where
// the straight sides would meet if the corners were not rounded.
//
// Find works from coarse to fine:
//
//	level     the frame at 640 px: colour gradient without a sign, thinned     level.go
//	segment   straight edges of equal direction, as LSD                        segment.go
//	line      collinear segments with their gaps                               line.go
//	propose   four lines, or three, with a card's shape                        propose.go, pose.go
//	weigh     what the pixels say along each side, beyond chance               weigh.go
//	choose    the set of one size that explains most of the frame,             choose.go,
//	          none of which has the table between its sides                   split.go
//	settle    which of the parallel lines is the side: seam, frame,            settle.go, rival.go,
//	          edge, neighbour, shadow; four sides and all cards together,      across.go, judge.go,
//	          and how likely another line is                                   field.go
//	finish    blurred steps in linear light, a robust curve for each side      refine.go, step.go, curve.go
//	contact   where the card ends and its contact shadow begins                contact.go
//	complete  a second look at grids, with the size then known                 grid.go
//	typical   the size of a deck's cards, to look again at those that differ   typical.go
//
// An edge is looked for in linear light, since in gamma-encoded pixels a light
// sleeve on a dark table looks larger than it is.
package card

import (
	"errors"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Size is the nominal outer size of a card or sleeve.
type Size struct {
	Name     string  `json:"name,omitempty"`
	WidthMM  float64 `json:"width_mm"`
	HeightMM float64 `json:"height_mm"`
}

// KnownSizes are the sizes that Find tells apart when none is given, most
// usual first: the outer sizes of sleeves, then of bare cards.
func KnownSizes() []Size {
	return []Size{
		{Name: "standard sleeve", WidthMM: 66, HeightMM: 91},
		{Name: "japanese sleeve", WidthMM: 62, HeightMM: 89},
		{Name: "standard card", WidthMM: 63, HeightMM: 88},
		{Name: "japanese card", WidthMM: 59, HeightMM: 86},
	}
}

// Detection is one card found in a frame.
type Detection struct {
	// Corners are the virtual outer corners in frame pixels, clockwise, such
	// that Corners[0] to Corners[1] is a short side: the card's own top-left,
	// top-right, bottom-right, bottom-left up to a half turn.
	Corners plane.Quad `json:"corners"`

	// SigmaPx is the standard uncertainty of each corner in pixels: that of the
	// fits of its two sides, and of the choice of their lines. Another line
	// that may be the edge counts by its probability and how far off it is, 4
	// px at the most; so 1 px and more says that the outline may be that of
	// something else, such as an inner sleeve or a shadow, and that the card's
	// shape should not be judged by it.
	SigmaPx [4]float64 `json:"sigma_px"`

	// Size is the size given, or the known size that fits best. Without a
	// profile it also sets the scale.
	Size Size `json:"size"`

	// PxPerMM is the frame's resolution at the card's centre.
	PxPerMM float64 `json:"px_per_mm"`

	// Confidence is 0 to 1: how sure Find is that this is a card.
	Confidence float64 `json:"confidence"`

	// Unusable says why the card cannot be inspected, such as "cut by the
	// frame"; empty when it can.
	Unusable string `json:"unusable,omitempty"`
}

// View is a card seen straight from above.
type View struct {
	// Image covers the card and MarginMM of table on every side:
	// (WidthMM+2*MarginMM)*PxPerMM pixels wide, likewise high, rounded up.
	Image *frame.Image

	PxPerMM  float64 // of Image
	WidthMM  float64 // of the card in Image: the size the corners were mapped to
	HeightMM float64
	MarginMM float64

	// ToFrame maps card millimetres (origin at the top-left corner) to frame
	// pixels (of the undistorted frame where a lens was given).
	ToFrame plane.Homography

	// SourcePxPerMM is the resolution that the frame really had at the
	// card's centre; PxPerMM above it adds no detail.
	SourcePxPerMM float64
}

// At converts a place on the card in mm to a pixel of Image.
func (v *View) At(mm plane.Point) plane.Point {
	// The centre of pixel 0 lies half a pixel inside the margin's edge.
	return plane.Point{X: (mm.X+v.MarginMM)*v.PxPerMM - 0.5, Y: (mm.Y+v.MarginMM)*v.PxPerMM - 0.5}
}

// MM converts a pixel of Image to a place on the card in mm.
func (v *View) MM(px plane.Point) plane.Point {
	return plane.Point{X: (px.X+0.5)/v.PxPerMM - v.MarginMM, Y: (px.Y+0.5)/v.PxPerMM - v.MarginMM}
}

var errEmpty = errors.New("the picture has no pixels, or not as many as its size says")
