package card

import (
	"fmt"
	"math"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// RectifyOptions says how a card is rectified. All views of one deck share
// them, so that equal pixels are equal places on every sleeve.
type RectifyOptions struct {
	Size     Size    // what the corners are mapped to; zero: the detection's own
	PxPerMM  float64 // of the view; zero: the frame's own resolution at the card, rounded up
	MarginMM float64 // table shown around the card; zero: none
}

// maxViewPx bounds a view's side: 100 mm at 200 px/mm, a macro lens.
const maxViewPx = 20000

// Rectify warps the card to a view (bicubic). It fails when the corners do
// not fix a plane or the view would be empty or absurdly large.
func Rectify(img *frame.Image, d Detection, o RectifyOptions) (*View, error) {
	size := o.Size
	if size.WidthMM == 0 {
		size = d.Size
	}
	card := plane.Rect(0, 0, size.WidthMM, size.HeightMM)
	toFrame, err := plane.QuadToQuad(card, d.Corners)
	if err != nil {
		return nil, fmt.Errorf("rectify: %w", err)
	}
	source := toFrame.Scale(card.Centre())
	v := &View{
		PxPerMM: o.PxPerMM, WidthMM: size.WidthMM, HeightMM: size.HeightMM, MarginMM: o.MarginMM,
		ToFrame: toFrame, SourcePxPerMM: source,
	}
	if v.PxPerMM == 0 {
		v.PxPerMM = math.Ceil(source)
	}
	w := math.Ceil((v.WidthMM + 2*v.MarginMM) * v.PxPerMM)
	h := math.Ceil((v.HeightMM + 2*v.MarginMM) * v.PxPerMM)
	if !(w >= 1 && h >= 1 && w <= maxViewPx && h <= maxViewPx) {
		return nil, fmt.Errorf("rectify: a view of %g x %g pixels cannot be made", w, h)
	}

	// View pixels to mm, then to frame pixels.
	a, b := 1/v.PxPerMM, 0.5/v.PxPerMM-v.MarginMM
	warp := toFrame.Mul(plane.Homography{a, 0, b, 0, a, b, 0, 0, 1})

	if v.Image, err = cv.WarpPlane(img, warp, int(w), int(h)); err != nil {
		return nil, fmt.Errorf("rectify: %w", err)
	}
	return v, nil
}
