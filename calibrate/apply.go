package calibrate

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"

	"fairdeck/internal/cv"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// encodeSteps is the resolution of the table of the tone curve: a quarter of a
// code in its steepest part.
const encodeSteps = 1 << 14

var encodeTable = sync.OnceValue(func() *[encodeSteps + 1]uint8 {
	t := new([encodeSteps + 1]uint8)
	for i := range t {
		t[i] = uint8(colour.Encode(float64(i)/encodeSteps) + 0.5)
	}
	return t
})

func encoded(light float64) uint8 {
	i := int(light*encodeSteps + 0.5)
	return encodeTable()[min(max(i, 0), encodeSteps)]
}

// ApplyFlat returns a copy of the frame as it would be under light as even as
// in its middle: linear light divided by the flat field. Saturated codes (254
// and 255) stay, so that glare is still seen as glare. Without a flat field
// the frame itself is returned. The noise grows by the same factor; see
// [Profile.LightAt].
func (p *Profile) ApplyFlat(img *frame.Image) (*frame.Image, error) {
	if p.Flat == nil {
		return img, nil
	}
	if err := p.Fits(img.Width, img.Height); err != nil {
		return nil, err
	}
	return p.ApplyFlatCrop(img, image.Point{}), nil
}

// ApplyFlatCrop is ApplyFlat for a part of a frame of the profile's size, whose
// top-left pixel is at.
func (p *Profile) ApplyFlatCrop(img *frame.Image, at image.Point) *frame.Image {
	if p.Flat == nil {
		return img
	}
	out := frame.New(img.Width, img.Height)
	lin := colour.LinearTable()
	table := encodeTable()
	p.rows(img.Height, func(y int) {
		light := p.Flat.row(at.X, at.Y+y, img.Width, p.WidthPx, p.HeightPx)
		src, dst := img.Row(y), out.Row(y)
		for x := range img.Width {
			l := &light[x]
			for k := range 3 {
				v := src[3*x+k]
				if v >= 254 {
					dst[3*x+k] = v
					continue
				}
				i := int(lin[v]*l[2-k] + 0.5)
				dst[3*x+k] = table[min(i, encodeSteps)]
			}
		}
	})
	return out
}

// row is encodeSteps over the field's light along n pixels of a row of the
// frame, from (x0, y) on.
func (f *Flat) row(x0, y, n, width, height int) [][3]float64 {
	out := make([][3]float64, n)
	for x := range out {
		l := f.at(float64(x0+x), float64(y), width, height)
		for c := range l {
			out[x][c] = encodeSteps / l[c]
		}
	}
	return out
}

// at is the light at a pixel, linear between nodes.
func (f *Flat) at(x, y float64, width, height int) (rgb [3]float64) {
	place := func(v float64, size, n int) (int, float64) {
		u := min(max(v/float64(max(1, size-1)), 0), 1) * float64(n-1)
		i := min(int(u), n-2)
		return i, u - float64(i)
	}
	i, tx := place(x, width, f.Columns)
	j, ty := place(y, height, f.Rows)
	a := f.Light[j*f.Columns+i:]
	b := f.Light[(j+1)*f.Columns+i:]
	for c := range rgb {
		rgb[c] = (a[0][c]*(1-tx)+a[1][c]*tx)*(1-ty) + (b[0][c]*(1-tx)+b[1][c]*tx)*ty
	}
	return rgb
}

// LightAt is the light at a place of the frame, relative to its middle, for
// red, green and blue; 1 without a flat field.
func (p *Profile) LightAt(at plane.Point) [3]float64 {
	if p.Flat == nil {
		return [3]float64{1, 1, 1}
	}
	return p.Flat.at(at.X, at.Y, p.WidthPx, p.HeightPx)
}

// ApplyColour returns a copy of the frame with the profile's white balance, or
// its colour matrix where it has one, in linear light. Saturated codes stay.
// Without a colour calibration the frame itself is returned.
func (p *Profile) ApplyColour(img *frame.Image) *frame.Image {
	if p.Colour == nil {
		return img
	}
	out := frame.New(img.Width, img.Height)
	lin := colour.LinearTable()
	m := p.Colour.matrix()
	p.rows(img.Height, func(y int) {
		src, dst := img.Row(y), out.Row(y)
		for i := 0; i < len(src); i += 3 {
			b, g, r := lin[src[i]], lin[src[i+1]], lin[src[i+2]]
			for c := range 3 {
				if src[i+2-c] >= 254 {
					dst[i+2-c] = src[i+2-c]
					continue
				}
				dst[i+2-c] = encoded(m[c][0]*r + m[c][1]*g + m[c][2]*b)
			}
		}
	})
	return out
}

// Undistort returns the frame as a camera without distortion would see it,
// with the same focal lengths and centre (bicubic; what lies outside the frame
// repeats its rim). Without a lens the frame itself is returned. Pixels of the
// result are what [Plane.ToFrame] maps to.
func (p *Profile) Undistort(img *frame.Image) (*frame.Image, error) {
	if p.Lens.None() {
		return img, nil
	}
	if err := p.Fits(img.Width, img.Height); err != nil {
		return nil, err
	}
	s := cv.NewScope()
	defer s.Close()
	src, err := s.Wrap(img)
	if err != nil {
		return nil, err
	}
	mx := s.Own(gocv.NewMatWithSize(img.Height, img.Width, gocv.MatTypeCV32F))
	my := s.Own(gocv.NewMatWithSize(img.Height, img.Width, gocv.MatTypeCV32F))
	fx, errX := mx.DataPtrFloat32()
	fy, errY := my.DataPtrFloat32()
	if errX != nil || errY != nil {
		return nil, fmt.Errorf("undistort: no memory for the map")
	}
	p.rows(img.Height, func(y int) {
		for x := range img.Width {
			q := p.Lens.Distort(plane.Point{X: float64(x), Y: float64(y)})
			fx[y*img.Width+x], fy[y*img.Width+x] = float32(q.X), float32(q.Y)
		}
	})
	dst := s.Mat()
	if err := cv.Remap(src, dst, mx, my, gocv.InterpolationCubic, cv.BorderReplicate, 0); err != nil {
		return nil, err
	}
	return cv.Image(dst)
}

// MM is the place on the table, in mm of [Plane.ToFrame], that a pixel of the
// frame shows; false without a plane.
func (p *Profile) MM(px plane.Point) (plane.Point, bool) {
	if p.Plane == nil {
		return plane.Point{}, false
	}
	inv, err := p.Plane.ToFrame.Inverse()
	if err != nil {
		return plane.Point{}, false
	}
	q := inv.Apply(p.Lens.Undistort(px))
	return q, q.Finite()
}

// PxPerMMAt is the scale on the table where a pixel of the frame shows it: the
// plane's where there is one, else PxPerMM; 0 not calibrated.
func (p *Profile) PxPerMMAt(px plane.Point) float64 {
	at, ok := p.MM(px)
	if !ok {
		return p.PxPerMM
	}
	if s := p.Plane.ToFrame.Scale(at); s > 0 && !math.IsInf(s, 0) {
		return s
	}
	return p.PxPerMM
}

// rows calls do for every row, on all processors.
func (p *Profile) rows(n int, do func(y int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for k := range workers {
		wg.Go(func() {
			for y := k * n / workers; y < (k+1)*n/workers; y++ {
				do(y)
			}
		})
	}
	wg.Wait()
}
