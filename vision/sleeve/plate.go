package sleeve

import (
	"context"
	"fmt"
	"sync"

	"fairdeck/vision/card"
	"fairdeck/vision/colour"
)

// deck is the working state of one inspection. All views have one size, so a
// pixel is the same place on every sleeve, up to registration.
type deck struct {
	ctx      context.Context
	opt      Options
	w, h     int     // px
	px       float64 // per mm
	source   float64 // px/mm that the frames really had: the smallest of the views
	margin   float64 // mm
	wMM      float64 // of the sleeve
	hMM      float64
	printed  bool       // there is a print to register by
	plates   []*plate   // usable sleeves, in input order
	radius   float64    // mm: rounding of the corners
	table    [3]float64 // typical code of the table, B G R
	tableRim [4]float64 // mm: see tableRims
	mu       sync.Mutex // Progress
	scratch  scratch
	views    lender[byte] // memory of a view each
	reasons  []byte       // one byte per pixel and plate: why it is not inspected
}

// plate is one usable sleeve.
type plate struct {
	misplaced bool // see findMisplaced
	sides     [4]sideState
	steady    [4]bool    // sides whose step is as strong as the deck's, see sideContrast
	doubted   [4]bool    // sides whose outline is not sure; see judgeSides
	sigmaMM   [4]float64 // standard uncertainty that the finder states for the corners
	ratioMM   float64    // see ratioErrors
	input     int        // index into the inputs
	view      *card.View
	outer     outer  // see measureOuter
	pix       []byte // the view, BGR, turned, exposure-corrected, later registered; see load
	turned    bool
	warp      *warp
	light     *lightField
	thumb     *thumb
	lab       colour.Lab // tone after gain
	hue       [3]float64 // see hueShift
	batch     int        // index into the deck's batches
	tone      [3]float64 // median linear light of the inner part, R G B, before gain
	gain      [3]float64 // linear light, R G B: takes the view to the deck's exposure
}

// stride is the number of bytes of one view.
func (d *deck) stride() int { return 3 * d.w * d.h }

// view returns the pixels of plate k.
func (d *deck) view(k int) []byte { return d.plates[k].pix }

// viewFault says why a view cannot be used at all; empty when it can.
func viewFault(in Input) string {
	v := in.View
	switch {
	case in.Card.Unusable != "":
		return in.Card.Unusable
	case v == nil || v.Image.Empty():
		return "there is no picture of this sleeve"
	case !v.Image.Valid():
		return fmt.Sprintf("the picture is %d x %d pixels but holds %d bytes", v.Image.Width, v.Image.Height, len(v.Image.Pix))
	case !(v.PxPerMM > 0) || !(v.WidthMM > 0) || !(v.HeightMM > 0) || !(v.MarginMM >= 0):
		return "the view states no scale or size"
	}
	w, h := (v.WidthMM+2*v.MarginMM)*v.PxPerMM, (v.HeightMM+2*v.MarginMM)*v.PxPerMM
	if dw, dh := float64(v.Image.Width)-w, float64(v.Image.Height)-h; dw < -1 || dw > 2 || dh < -1 || dh > 2 {
		return fmt.Sprintf("the view is %d x %d pixels where its size and scale ask for %.0f x %.0f", v.Image.Width, v.Image.Height, w, h)
	}
	if w < minSidePx || h < minSidePx {
		return fmt.Sprintf("the view is %d x %d pixels: too small to compare", v.Image.Width, v.Image.Height)
	}
	return ""
}

// minSidePx is the least side of a view: 1 px/mm on a card, where nothing
// below several millimetres could be told anyway.
const minSidePx = 50

// reason returns the pixels of plate k that cannot be inspected: zero where
// they can.
func (d *deck) reason(k int) []byte {
	n := d.w * d.h
	return d.reasons[k*n : (k+1)*n : (k+1)*n]
}
