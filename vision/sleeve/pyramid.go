package sleeve

import (
	"math"

	"fairdeck/internal/cv"
)

// Blobs of all sizes are found on a pyramid of the normalised residual (Burt
// & Adelson 1983): at each level the mean over a small centre less the mean
// over its surround, which answers to spots of about [spotPx] level pixels
// and not to slow light. Pixels outside the sleeve count neither in the
// centre nor in the surround (normalised convolution, Knutsson & Westin 1993).

// spotPx is the diameter, in a level's own pixels, of the spot that its
// filter answers best to.
const spotPx = 3.0

// surroundPx is the radius of the surround in level pixels. The coarsest
// levels still see beyond a 12 mm stain.
const surroundPx = 4

// layer is one level of the normalised residual of one view.
type layer struct {
	w, h   int
	px     float64 // per mm at this level
	origin float64 // px of level 0 at the centre of this level's pixel 0
	step   float64 // level-0 px per pixel
	z      [3][]float32
	m      []float32 // how much of each pixel is on the sleeve, 0 to 1
}

// layerShape is what all views share: sizes and masks of the levels.
type layerShape struct {
	w, h         int
	px           float64
	origin, step float64
	m            []float32
	centre       []float32 // normaliser of the centre mean: its factor
	surround     []float32 // normaliser of the surround mean, as a factor of its sum
	inside       []int     // per tile of newFilterBank: pixels of which more than half is on the sleeve
}

// count fills inside in for the tiles of a level.
func (s *layerShape) count(ts tileShape) {
	s.inside = make([]int, ts.tw*ts.th)
	for i, v := range s.m {
		if v > 0.5 {
			s.inside[ts.index(i%s.w, i/s.w)]++
		}
	}
}

// newLayers prepares the levels for a mask. Spots from a pixel to 12 mm.
func (d *deck) newLayers(mask []float32) []*layerShape {
	var out []*layerShape
	w, h, px := d.w, d.h, d.px
	m := mask
	origin, step := 0.0, 1.0
	for {
		s := &layerShape{w: w, h: h, px: px, m: m, origin: origin, step: step}
		s.centre = binomial(nil, m, w, h)
		s.surround = boxBlur(nil, m, w, h, surroundPx)
		const side = 2*surroundPx + 1
		for i, v := range m {
			if v > 0.5 {
				s.centre[i], s.surround[i] = 1/s.centre[i], 1/(s.surround[i]*side*side)
			} else {
				s.centre[i], s.surround[i] = 0, 0
			}
		}
		out = append(out, s)
		if spotPx/px >= 6 || w < 24 || h < 24 {
			return out
		}
		m = halve(nil, binomial(nil, m, w, h), w, h)
		w, h = (w+1)/2, (h+1)/2
		px /= 2
		step *= 2
	}
}

// binomial smooths with [1 2 1]/4 both ways.
func binomial(sc *scratch, src []float32, w, h int) []float32 {
	dst := sc.get(len(src))
	cv.Binomial(src, dst, w, h)
	return dst
}

// halve keeps every second pixel both ways.
func halve(sc *scratch, src []float32, w, h int) []float32 {
	w2, h2 := (w+1)/2, (h+1)/2
	dst := sc.get(w2 * h2)
	for y := range h2 {
		row := src[2*y*w:]
		for x := range w2 {
			dst[y*w2+x] = row[2*x]
		}
	}
	return dst
}

// respond returns, at one level, centre less surround of each channel for z
// already multiplied by the mask, and the plane for the next level.
func (s *layerShape) respond(sc *scratch, z []float32) (resp, smooth []float32) {
	resp, smooth = sc.get(len(z)), sc.get(len(z))
	cv.Spots(z, s.m, s.centre, s.surround, s.w, s.h, surroundPx, resp, smooth)
	return resp, smooth
}

// spotMM is the spot size of a level.
func (s *layerShape) spotMM() float64 { return math.Max(spotPx, 2) / s.px }
