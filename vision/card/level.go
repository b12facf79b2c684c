package card

import (
	"fmt"
	"math"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// A level is the frame at a reduced size with its colour gradient. Sides are
// proposed and weighed there; the corners are refined in the full frame.
type level struct {
	img   *frame.Image
	grad  *cv.Structure
	scale float64 // frame pixels per level pixel

	// floor is the squared gradient below which a pixel says nothing: a
	// multiple of what the calmest quarter of the frame shows.
	floor float32

	// ridges marks the thinned edges; chance[i] is the probability that one
	// of three neighbouring pixels anywhere in the frame carries one across
	// the i-th of eight directions.
	ridges []uint8
	chance [8]float64

	weighed map[sideKey]weighedSide // see weighSide
}

// newLevel reduces the frame so that its long side has at most longPx pixels.
// A frame that is smaller stays as it is.
func newLevel(img *frame.Image, longPx int) (*level, error) {
	long := max(img.Width, img.Height)
	l := &level{img: img, scale: 1}
	if long > longPx {
		l.scale = float64(long) / float64(longPx)
		w := max(1, int(math.Round(float64(img.Width)/l.scale)))
		h := max(1, int(math.Round(float64(img.Height)/l.scale)))
		s := cv.NewScope()
		defer s.Close()
		src, err := s.Wrap(img)
		if err != nil {
			return nil, err
		}
		dst := s.Mat()
		if err := cv.Resize(src, dst, w, h, gocv.InterpolationArea); err != nil {
			return nil, fmt.Errorf("reduce the frame: %w", err)
		}
		if l.img, err = cv.Image(dst); err != nil {
			return nil, err
		}
	}
	var err error
	if l.grad, err = cv.StructureOf(l.img); err != nil {
		return nil, err
	}
	l.floor = l.noiseFloor()
	if l.ridges, err = l.grad.Ridges(l.floor); err != nil {
		return nil, err
	}
	l.chance = l.chances()
	return l, nil
}

// noiseFloor takes the lower quartile of the gradient energy (sampled) as the
// calm part of the frame: sensor noise, or the weave of a cloth.
func (l *level) noiseFloor() float32 {
	e := l.grad.Energy
	step := max(1, len(e)/4096)
	sample := make([]float32, 0, 4200)
	for i := step / 2; i < len(e); i += step {
		sample = append(sample, e[i])
	}
	if len(sample) == 0 {
		return 1
	}
	slices.Sort(sample)
	// Three channels of noise give about six degrees of freedom; three times
	// the lower quartile is passed by about 15% of pure noise, which then
	// fails to line up. 0.3 codes per pixel is below 8-bit rounding.
	return max(3*sample[len(sample)/4], 0.3*0.3)
}

// toFrame and fromFrame convert pixel centres between the level and the frame.
func (l *level) toFrame(p plane.Point) plane.Point {
	return plane.Point{X: (p.X+0.5)*l.scale - 0.5, Y: (p.Y+0.5)*l.scale - 0.5}
}

func (l *level) fromFrame(p plane.Point) plane.Point {
	return plane.Point{X: (p.X+0.5)/l.scale - 0.5, Y: (p.Y+0.5)/l.scale - 0.5}
}

// chances counts the ridges by the direction of their normals.
func (l *level) chances() [8]float64 {
	var out [8]float64
	n := 0
	for i := 0; i < len(l.ridges); i += 7 { // every seventh pixel is enough
		n++
		if l.ridges[i] != 0 {
			out[direction(l.grad.Cos2[i], l.grad.Sin2[i])]++
		}
	}
	var smooth [8]float64
	for i := range out {
		// A side counts edges within 30 degrees: its own bin of 22.5 degrees
		// and most of both neighbours. One of three pixels has to hit.
		p := (out[i] + 0.8*(out[(i+1)%8]+out[(i+7)%8])) / float64(max(n, 1))
		smooth[i] = min(0.9, 1-math.Pow(1-min(p, 1), 3))
	}
	return smooth
}

func (l *level) chanceAt(cos2, sin2 float32) float64 { return l.chance[direction(cos2, sin2)] }

// direction returns which of eight directions a normal has.
func direction(cos2, sin2 float32) int {
	a := math.Atan2(float64(sin2), float64(cos2))/(2*math.Pi) + 1
	return int(a*8+0.5) % 8
}
