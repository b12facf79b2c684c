package settle

import (
	"image"
	"math"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// run is a stretch of frames in which nothing moved in a zone.
type run struct {
	frames     []*camera.Frame // the first of them, at most Options.frames
	sketch     *sketch         // of the last
	start, end time.Duration   // of all
	judged     bool
	unsteady   bool // the camera moved, and the card with it
	same       bool // judged, and shows the card known
	rough      bool // something moved elsewhere in the zone
}

// still is what a run shows: its frames averaged.
type still struct {
	image    *frame.Image
	one      *frame.Image    // a whole frame, for the first card; let go of afterwards
	rect     image.Rectangle // of image in the frame
	bin      int             // frame pixels to a pixel of small, along each side
	small    *grey           // of image
	noise    float64         // standard deviation in small, codes
	frames   []int
	motionPx float64
	unsteady bool // the camera moved
	rough    bool // something moved elsewhere in the zone
	sketch   *sketch
	start    time.Duration
	end      time.Duration
}

const (
	// binnedPx: zones wider than this are compared at half the resolution,
	// where a shift is still measured to hundredths of a pixel; at less a
	// millimetre would be too few pixels.
	binnedPx = 420

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
	s := &still{rect: rect, start: r.start, end: r.end, sketch: r.sketch, unsteady: r.unsteady, rough: r.rough}
	s.bin = 1
	if rect.Dx() > binnedPx {
		s.bin = 2
	}
	middle := r.frames[len(r.frames)/2]
	ref := greyOf(middle.Image, look, s.bin)
	if r.unsteady {
		// Few frames agree with any: the sharpest then.
		all := region(plane.Rect(1, 1, float64(ref.w-3), float64(ref.h-3)))
		for _, f := range r.frames {
			if g := greyOf(f.Image, look, s.bin); variance(g, all) > variance(ref, all) {
				middle, ref = f, g
			}
		}
	}
	sums := make([]uint16, 3*rect.Dx()*rect.Dy())
	noise := math.Inf(1)
	for _, f := range r.frames {
		if f != middle {
			d := shiftOf(ref, greyOf(f.Image, look, s.bin), 3)
			m := float64(s.bin) * max(math.Abs(d.dx), math.Abs(d.dy))
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
	s.one = middle.Image
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
	s.small = greyOf(s.image, s.image.Bounds(), s.bin)
	return s
}
