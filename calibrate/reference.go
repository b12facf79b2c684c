package calibrate

import (
	"errors"
	"fmt"
	"math"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Reference is how the station's board looked when all was well; a later look
// is compared with it. It is kept when the plane is calibrated with a board.
type Reference struct {
	Evidence
	Board      Board      `json:"board"`
	BlurPx     float64    `json:"blur_px"`    // standard deviation of the squares' edges; 0 not known
	PxPerMM    float64    `json:"px_per_mm"`  // in the middle of the frame
	RightDeg   float64    `json:"right_deg"`  // tilt; 0 without a lens
	BottomDeg  float64    `json:"bottom_deg"` //
	White      [3]float64 `json:"white"`      // linear red, green and blue of the white squares, brought to the frame's middle by the flat field
	FlatInside bool       `json:"flat_inside"`
}

func (r *Reference) valid() error {
	if r == nil {
		return nil
	}
	if err := r.Board.valid(); err != nil {
		return err
	}
	if !within(r.BlurPx, 0, 1000) || !within(r.PxPerMM, 0.1, 1000) {
		return errors.New("a reference with a blur or scale that cannot be")
	}
	for _, w := range r.White {
		if !within(w, 0, 4) {
			return fmt.Errorf("a reference with white at %g", w)
		}
	}
	return nil
}

// whiteOfBoard is the mean linear light of the white squares between the inner
// corners.
func whiteOfBoard(img *frame.Image, b Board, c []plane.Point) [3]float64 {
	white, _ := whiteSquares(img, b, c, nil)
	return white
}

// whiteSquares is the mean linear light of the white squares, divided by the
// flat field where a profile has one, and the share of their pixels that are
// saturated.
func whiteSquares(img *frame.Image, b Board, c []plane.Point, p *Profile) (white [3]float64, clipped float64) {
	// Which of the two colours of squares is white shows in the sums.
	var sum [2][3]float64
	var n, over [2]float64
	for r := range b.Rows - 1 {
		for k := range b.Columns - 1 {
			q := plane.Quad{c[r*b.Columns+k], c[r*b.Columns+k+1], c[(r+1)*b.Columns+k+1], c[(r+1)*b.Columns+k]}
			h, err := plane.QuadToQuad(plane.Rect(0, 0, 1, 1), q)
			if err != nil {
				continue
			}
			// The middle, clear of the blur of the edges.
			for _, v := range []float64{0.3, 0.4, 0.5, 0.6, 0.7} {
				for _, u := range []float64{0.3, 0.4, 0.5, 0.6, 0.7} {
					at := h.Apply(plane.Point{X: u, Y: v})
					rgb, ok := linearAt(img, at)
					if !ok {
						continue
					}
					if max(rgb[0], rgb[1], rgb[2]) >= colour.Linear(clippedCode) {
						over[(r+k)&1]++
					}
					light := [3]float64{1, 1, 1}
					if p != nil {
						light = p.LightAt(at)
					}
					for ch := range rgb {
						sum[(r+k)&1][ch] += rgb[ch] / light[ch]
					}
					n[(r+k)&1]++
				}
			}
		}
	}
	w := 0
	if n[1] > 0 && (n[0] == 0 || sum[1][1]/n[1] > sum[0][1]/n[0]) {
		w = 1
	}
	for ch := range white {
		white[ch] = sum[w][ch] / max(1, n[w])
	}
	return white, over[w] / max(1, n[w])
}

// SetReference keeps how the board looks now. It fails when the board is not
// seen.
func (p *Profile) SetReference(img *frame.Image, b Board, e Evidence) error {
	b = b.withDefaults()
	v, err := FindBoard(img, b)
	if err != nil {
		return err
	}
	pl, err := planeOfBoard(v, b, p.Lens, img.Width, img.Height)
	if err != nil {
		return err
	}
	r := &Reference{Evidence: e, Board: b, PxPerMM: pl.PxPerMM, RightDeg: pl.RightDeg, BottomDeg: pl.BottomDeg, FlatInside: p.Flat != nil}
	if !math.IsNaN(v.BlurPx) {
		r.BlurPx = v.BlurPx
	}
	var clipped float64
	if r.White, clipped = whiteSquares(img, b, v.Corners, p); clipped > 0.05 {
		return &Rejected{Reason: Overexposed, Text: fmt.Sprintf("%.0f %% of the board's white is saturated", 100*clipped), Remedy: "expose less, until white paper is light grey in the picture"}
	}
	p.Reference = r
	return nil
}
