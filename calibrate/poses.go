package calibrate

import (
	"fmt"
	"math"

	"fairdeck/vision/plane"
)

// What boards a lens needs. More change the result little; fewer leave one of
// its numbers to chance.
const (
	wantBoards     = 10
	wantTiltDeg    = 12  // in each direction: perspective fixes the focal length
	wantNearness   = 1.3 // largest over smallest board
	cellCorners    = 6   // inner corners in a ninth of the frame that count as covered
	degenerateTilt = 5   // degrees; boards tilted less than this are all alike
)

// cellNames are the ninths of the frame, row by row.
func cellNames() [9]string {
	return [9]string{"top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"}
}

// Coverage says what the boards of a lens calibration show.
type Coverage struct {
	Boards  int    `json:"boards"`
	Corners [9]int `json:"corners"` // in each ninth of the frame, row by row

	// The largest tilt towards each side, degrees: that side of the board is
	// nearer to the camera.
	LeftDeg   float64 `json:"left_deg"`
	RightDeg  float64 `json:"right_deg"`
	TopDeg    float64 `json:"top_deg"`
	BottomDeg float64 `json:"bottom_deg"`

	// Nearness is the largest board's scale over the smallest's.
	Nearness float64 `json:"nearness"`
}

// Missing lists in words what boards to add, most needed first; empty when
// nothing is missing.
func (c Coverage) Missing() []string {
	var out []string
	for _, t := range []struct {
		deg  float64
		side string
	}{{c.LeftDeg, "left"}, {c.RightDeg, "right"}, {c.TopDeg, "top"}, {c.BottomDeg, "bottom"}} {
		if t.deg < wantTiltDeg {
			out = append(out, fmt.Sprintf("tilt the board by about 25 degrees, its %s side nearer to the camera", t.side))
		}
	}
	for i, n := range c.Corners {
		if n < cellCorners {
			out = append(out, "bring the board to the "+cellNames()[i]+" of the picture")
		}
	}
	if c.Boards > 0 && c.Nearness < wantNearness {
		out = append(out, "hold the board once nearer and once farther away")
	}
	if c.Boards < wantBoards {
		out = append(out, fmt.Sprintf("%d more pictures of the board", wantBoards-c.Boards))
	}
	return out
}

// tilt is the largest tilt in any direction.
func (c Coverage) tilt() float64 { return max(c.LeftDeg, c.RightDeg, c.TopDeg, c.BottomDeg) }

// coverage looks at the boards with a focal length of focal px; 0: guessed.
func coverage(views []*View, b Board, width, height int, focal float64) Coverage {
	c := Coverage{Boards: len(views)}
	if focal == 0 {
		focal = guessFocal(views, b, width, height)
	}
	near, far := 0.0, math.Inf(1)
	for _, v := range views {
		for _, p := range v.Corners {
			i, j := int(3*(p.X+0.5)/float64(width)), int(3*(p.Y+0.5)/float64(height))
			c.Corners[3*min(max(j, 0), 2)+min(max(i, 0), 2)]++
		}
		near, far = max(near, v.SidePx), min(far, v.SidePx)
		tx, ty, ok := tiltOf(v, b, width, height, focal)
		if !ok {
			continue
		}
		c.RightDeg, c.LeftDeg = max(c.RightDeg, tx), max(c.LeftDeg, -tx)
		c.BottomDeg, c.TopDeg = max(c.BottomDeg, ty), max(c.TopDeg, -ty)
	}
	if near > 0 {
		c.Nearness = near / far
	}
	return c
}

// centred is the homography from the board's mm to pixels from the frame's
// middle.
func centred(v *View, b Board, width, height int) (plane.Homography, bool) {
	h, err := fitHomography(b.corners(), v.Corners)
	if err != nil {
		return h, false
	}
	return plane.Homography{1, 0, -float64(width-1) / 2, 0, 1, -float64(height-1) / 2, 0, 0, 1}.Mul(h), true
}

// tiltOf is the angle in degrees by which the board is turned about the
// picture's vertical and horizontal: positive when its right side, its bottom
// side is nearer to the camera.
func tiltOf(v *View, b Board, width, height int, focal float64) (rightDeg, bottomDeg float64, ok bool) {
	h, ok := centred(v, b, width, height)
	if !ok {
		return 0, 0, false
	}
	n := normalOf(h, focal)
	return math.Atan2(n[0], n[2]) * 180 / math.Pi, math.Atan2(n[1], n[2]) * 180 / math.Pi, true
}

// normalOf is the normal of a plane that points away from the camera, by the
// first two columns of inverse(K) H.
func normalOf(h plane.Homography, focal float64) [3]float64 {
	a := [3]float64{h[0] / focal, h[3] / focal, h[6]}
	c := [3]float64{h[1] / focal, h[4] / focal, h[7]}
	n := [3]float64{a[1]*c[2] - a[2]*c[1], a[2]*c[0] - a[0]*c[2], a[0]*c[1] - a[1]*c[0]}
	s := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if n[2] < 0 {
		s = -s
	}
	for i := range n {
		n[i] /= s
	}
	return n
}

// guessFocal is the focal length in px that makes the boards' axes square and
// of one length as well as can be, with the axis in the middle and square
// pixels (Zhang 2000, eq. 3 and 4); the frame's width where the boards do not
// say.
func guessFocal(views []*View, b Board, width, height int) float64 {
	w := float64(width)
	var num, den float64
	for _, v := range views {
		h, ok := centred(v, b, width, height)
		if !ok {
			continue
		}
		// Scaled such that the terms of all boards weigh alike.
		s := math.Hypot(h[0], h[3])
		x1, y1, w1 := h[0]/s, h[3]/s, h[6]/s*w
		x2, y2, w2 := h[1]/s, h[4]/s, h[7]/s*w
		for _, t := range [][2]float64{{x1*x2 + y1*y2, w1 * w2}, {x1*x1 + y1*y1 - x2*x2 - y2*y2, w1*w1 - w2*w2}} {
			num -= t[0] * t[1]
			den += t[1] * t[1]
		}
	}
	// a/f^2 + b/w^2 = 0, least squares in f^2 = -ab/b^2.
	if f := w * math.Sqrt(num/den); f > 0.3*w && f < 10*w {
		return f
	}
	return w
}
