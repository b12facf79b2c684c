package settle

import (
	"image"
	"math"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
)

// run is a stretch of frames in which nothing moved in a zone.
type run struct {
	frames     []*camera.Frame // the first of them, at most Options.frames
	sketch     *sketch         // of the last
	start, end time.Duration   // of all
	judged     bool
}

// still is what a run shows: its frames averaged.
type still struct {
	image    *frame.Image
	rect     image.Rectangle // of image in the frame
	small    *grey           // of image, at half the resolution
	noise    float64         // standard deviation in small, codes
	frames   []int
	motionPx float64
	sketch   *sketch
	start    time.Duration
	end      time.Duration
}

const (
	// stillBin halves the resolution for the comparison of frames: noise and
	// time by a quarter, a shift still measured to hundredths of a pixel.
	stillBin = 2

	// stillPx is the movement between frames that may be averaged: less than a
	// tenth of the blur of a sharp edge (sigma 0.7 px) is added.
	stillPx = 0.2
)

// average averages the frames of the run that agree with its middle one
// inside look, a part of rect.
func (r *run) average(rect, look image.Rectangle) *still {
	rect = rect.Intersect(r.frames[0].Image.Bounds())
	look = look.Intersect(rect)
	if look.Dx() < 16 || look.Dy() < 16 {
		look = rect
	}
	s := &still{rect: rect, start: r.start, end: r.end, sketch: r.sketch}
	middle := r.frames[len(r.frames)/2]
	ref := greyOf(middle.Image, look, stillBin)
	sums := make([]uint16, 3*rect.Dx()*rect.Dy())
	noise := math.Inf(1)
	for _, f := range r.frames {
		if f != middle {
			d := shiftOf(ref, greyOf(f.Image, look, stillBin), 3)
			m := stillBin * max(math.Abs(d.dx), math.Abs(d.dy))
			if d.ok && m > stillPx {
				continue
			}
			if d.ok {
				s.motionPx = max(s.motionPx, m)
				noise = min(noise, d.rms/math.Sqrt2)
			}
		}
		s.frames = append(s.frames, f.Index)
		for y := range rect.Dy() {
			row := f.Image.Row(rect.Min.Y + y)[3*rect.Min.X:][:3*rect.Dx()]
			to := sums[3*y*rect.Dx():][:len(row)]
			for i, v := range row {
				to[i] += uint16(v)
			}
		}
	}
	s.image = frame.New(rect.Dx(), rect.Dy())
	n := uint16(len(s.frames))
	for i, v := range sums {
		s.image.Pix[i] = uint8((v + n/2) / n)
	}
	if math.IsInf(noise, 1) {
		noise = 1
	}
	// Rounding to codes, of four pixels.
	s.noise = math.Hypot(noise/math.Sqrt(float64(n)), 0.15)
	s.small = greyOf(s.image, s.image.Bounds(), stillBin)
	return s
}
