package visiontest

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"sync"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// Sensor is how light becomes a file. The zero value is a good webcam: a
// little blur, noise, drift and vignetting, JPEG quality 92.
type Sensor struct {
	// Exposure is the linear output (1 = saturated) of a white surface at the
	// middle of the table; 0 means 0.8.
	Exposure float64
	// ExposureDrift and WhiteDrift are the spreads (sigma) per frame of the
	// exposure and of the red and blue gains; 0 means 0.01 and 0.005,
	// negative none.
	ExposureDrift, WhiteDrift float64
	// RedGain and BlueGain are the deck's mean white balance error; 0 means 1.
	RedGain, BlueGain float64
	// BlurPx is the sigma of lens and defocus; 0 means 0.7, negative none.
	BlurPx float64
	// BlurDriftPx is the spread (sigma) of additional defocus per frame; 0
	// means none. Such frames take longer to render.
	BlurDriftPx float64
	// MotionPx is the spread (sigma) of the length of a motion blur; 0 means none.
	MotionPx float64
	// Vignetting is the loss of light in the corners; 0 means 0.12, negative none.
	Vignetting float64
	// FullWell is the number of electrons at saturation: the shot noise of
	// light x has variance x/FullWell. 0 means 9000, negative no shot noise.
	FullWell float64
	// ReadNoise is the noise of darkness (sigma, 1 = saturated); 0 means
	// 0.0015, negative none.
	ReadNoise float64
	// Mosaic takes the picture through a colour filter array (RGGB) and a
	// bilinear demosaic, as most cameras do: coloured fringes at edges, noise
	// that neighbours share.
	Mosaic bool
	// Sharpen is the camera's own sharpening, 0 to about 1: how much of the
	// difference from the 3 x 3 mean is added after the tone curve. It
	// leaves bright and dark rims at edges. 0 means none.
	Sharpen float64
	// JPEGQuality 1 to 100; 0 means 92, negative no JPEG at all (PNG).
	JPEGQuality int
}

func (s Sensor) withDefaults() Sensor {
	s.Exposure = defaulted(s.Exposure, 0.8)
	s.ExposureDrift = defaulted(s.ExposureDrift, 0.01)
	s.WhiteDrift = defaulted(s.WhiteDrift, 0.005)
	s.RedGain, s.BlueGain = defaulted(s.RedGain, 1), defaulted(s.BlueGain, 1)
	s.BlurPx = defaulted(s.BlurPx, 0.7)
	s.Vignetting = defaulted(s.Vignetting, 0.12)
	if s.FullWell == 0 {
		s.FullWell = 9000
	}
	s.ReadNoise = defaulted(s.ReadNoise, 0.0015)
	if s.JPEGQuality == 0 {
		s.JPEGQuality = 92
	}
	return s
}

// blur convolves the source with a Gaussian and returns the part r; the
// source must reach radius(sigma) beyond r or the picture's border, where it
// is extended.
func blur(src *layer, r image.Rectangle, sigma float64) *layer {
	dst := newLayer(r)
	if sigma <= 0 {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			copy(dst.row(y), src.row(y)[3*(r.Min.X-src.Min.X):])
		}
		return dst
	}
	kernel := gaussian(sigma)
	n := len(kernel) / 2
	kernel = kernel[n:] // symmetric: the middle and one half
	w := 3 * r.Dx()
	// Columns first, into one row that is wide enough to go along it.
	wide := make([]float32, w+6*n)
	from := 3 * (r.Min.X - n - src.Min.X)
	lo, hi := max(0, -from), min(len(wide), 3*src.Dx()-from)
	at := func(y int) []float32 {
		return src.row(min(max(y, src.Min.Y), src.Max.Y-1))[from+lo : from+hi]
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		out := wide[lo:hi]
		for i, v := range at(y) {
			out[i] = kernel[0] * v
		}
		for k := 1; k <= n; k++ {
			above, below, g := at(y-k), at(y+k), kernel[k]
			below, above = below[:len(out)], above[:len(out)]
			for i := range out {
				out[i] += g * (above[i] + below[i])
			}
		}
		for i := lo - 1; i >= 0; i-- {
			wide[i] = wide[i+3]
		}
		for i := hi; i < len(wide); i++ {
			wide[i] = wide[i-3]
		}
		out = dst.row(y)
		middle := wide[3*n:][:w]
		for i, v := range middle {
			out[i] = kernel[0] * v
		}
		for k := 1; k <= n; k++ {
			left, right, g := wide[3*(n-k):][:len(out)], wide[3*(n+k):][:len(out)], kernel[k]
			for i := range out {
				out[i] += g * (left[i] + right[i])
			}
		}
	}
	return dst
}

// smear moves the picture along (dx, dy) px during the exposure.
func smear(src *layer, dx, dy float64) *layer {
	steps := int(math.Ceil(2*math.Hypot(dx, dy))) + 1
	dst := newLayer(src.Rectangle)
	w, h := src.Dx(), src.Dy()
	for k := range steps {
		t := (float64(k)+0.5)/float64(steps) - 0.5
		ox, oy := t*dx, t*dy
		ix, iy := int(math.Floor(ox)), int(math.Floor(oy))
		fx, fy := float32(ox-float64(ix)), float32(oy-float64(iy))
		share := 1 / float32(steps)
		for j, f := range [2]float32{1 - fy, fy} {
			for i, g := range [2]float32{1 - fx, fx} {
				weight := share * f * g
				if weight == 0 {
					continue
				}
				for y := range h {
					in := src.row(src.Min.Y + min(max(y+iy+j, 0), h-1))
					out := dst.row(dst.Min.Y + y)
					for x := range w {
						p, q := in[3*min(max(x+ix+i, 0), w-1):][:3:3], out[3*x:][:3:3]
						q[0] += weight * p[0]
						q[1] += weight * p[1]
						q[2] += weight * p[2]
					}
				}
			}
		}
	}
	return dst
}

func blurRadius(sigma float64) int {
	if sigma <= 0 {
		return 0
	}
	return int(math.Ceil(3 * sigma))
}

func gaussian(sigma float64) []float32 {
	n := blurRadius(sigma)
	k := make([]float32, 2*n+1)
	sum := 0.0
	for i := range k {
		sum += math.Exp(-sq(float64(i-n)/sigma) / 2)
	}
	for i := range k {
		k[i] = float32(math.Exp(-sq(float64(i-n)/sigma)/2) / sum)
	}
	return k
}

// vignette dims the layer by 1 - v r^2, r = 1 in the corners.
func vignette(l *layer, v *viewer, strength float64) {
	if strength <= 0 {
		return
	}
	cx, cy := float64(v.width-1)/2, float64(v.height-1)/2
	r2 := cx*cx + cy*cy
	for y := l.Min.Y; y < l.Max.Y; y++ {
		row := l.row(y)
		dy := sq(float64(y) - cy)
		for i := range l.Dx() {
			f := float32(1 - strength*(sq(float64(l.Min.X+i)-cx)+dy)/r2)
			row[3*i] *= f
			row[3*i+1] *= f
			row[3*i+2] *= f
		}
	}
}

// normals is a table of normal deviates; a row of the picture reads it from a
// random start with a random odd stride, five times faster than drawing.
var normals = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range t {
		t[i] = float32(r.NormFloat64())
	}
	return t
})

// toneSteps is the resolution of the table of the tone curve: a quarter of a
// code in the steepest part.
const toneSteps = 1 << 14

var tone = sync.OnceValue(func() *[toneSteps + 1]uint8 {
	t := new([toneSteps + 1]uint8)
	for i := range t {
		t[i] = uint8(colour.Encode(float64(i)/toneSteps) + 0.5)
	}
	return t
})

// develop turns light, given row by row, into an 8-bit picture: gains, noise,
// tone curve.
func develop(width, height int, row func(y int) []float32, s Sensor, d Drift, r *rand.Rand) *frame.Image {
	m := frame.New(width, height)
	gain := [3]float32{
		float32(s.Exposure * d.Exposure * s.RedGain * d.RedGain),
		float32(s.Exposure * d.Exposure),
		float32(s.Exposure * d.Exposure * s.BlueGain * d.BlueGain),
	}
	read, shot := s.ReadNoise*s.ReadNoise, 0.0
	if s.FullWell > 0 {
		shot = 1 / s.FullWell
	}
	noisy := read > 0 || shot > 0
	deviates, curve := normals(), tone()
	// The deviation is a root of the light: tabulated, since it is needed
	// three times for each pixel.
	var sigma [1025]float32
	for i := range sigma {
		sigma[i] = float32(math.Sqrt(read + shot*float64(i)/1024*2))
	}
	add := func(v float32, at uint16) float32 {
		k := int(v * 512)
		return v + sigma[min(max(k, 0), 1024)]*deviates[at]
	}
	code := func(v float32) uint8 {
		return curve[min(max(int(v*toneSteps+0.5), 0), toneSteps)]
	}
	if s.Mosaic {
		mosaic := make([]float32, width*height)
		for y := range height {
			in, out := row(y), mosaic[y*width:][:width]
			at, stride := uint16(r.Uint32()), uint16(r.Uint32())|1
			for x := range out {
				c := x&1 + y&1 // RG over GB: 0 red, 1 green, 2 blue
				out[x] = in[3*x+c] * gain[c]
				if noisy {
					out[x] = add(out[x], at)
					at += stride
				}
			}
		}
		demosaic(mosaic, width, height, func(i int, red, green, blue float32) {
			m.Pix[3*i], m.Pix[3*i+1], m.Pix[3*i+2] = code(blue), code(green), code(red)
		})
	} else {
		for y := range height {
			in, out := row(y), m.Row(y)
			at, stride := uint16(r.Uint32()), uint16(r.Uint32())|1
			for i := 0; i < len(in); i += 3 {
				for c := range 3 {
					v := in[i+c] * gain[c]
					if noisy {
						v = add(v, at)
						at += stride
					}
					out[i+2-c] = code(v)
				}
			}
		}
	}
	if s.Sharpen > 0 {
		sharpen(m, s.Sharpen)
	}
	return m
}

// demosaic fills in the two missing colours of every pixel of an RGGB mosaic
// by the mean of the nearest ones (bilinear); beyond the border the mosaic is
// mirrored, so that colours keep their places.
func demosaic(mosaic []float32, w, h int, put func(i int, red, green, blue float32)) {
	mirror := func(i, n int) int {
		if i < 0 {
			return -i
		}
		if i >= n {
			return 2*n - 2 - i
		}
		return i
	}
	for y := range h {
		up, here, down := mosaic[mirror(y-1, h)*w:][:w], mosaic[y*w:][:w], mosaic[mirror(y+1, h)*w:][:w]
		for x := range w {
			l, r := mirror(x-1, w), mirror(x+1, w)
			cross := (up[x] + down[x] + here[l] + here[r]) / 4
			diagonal := (up[l] + up[r] + down[l] + down[r]) / 4
			across, upright := (here[l]+here[r])/2, (up[x]+down[x])/2
			switch v := here[x]; {
			case y&1 == 0 && x&1 == 0:
				put(y*w+x, v, cross, diagonal)
			case y&1 == 0:
				put(y*w+x, across, v, upright)
			case x&1 == 0:
				put(y*w+x, upright, v, across)
			default:
				put(y*w+x, diagonal, cross, v)
			}
		}
	}
}

// sharpen adds the difference from the 3 x 3 mean; the border stays.
func sharpen(m *frame.Image, amount float64) {
	w, h := 3*m.Width, m.Height
	k := int(amount * 256)
	src := append([]uint8(nil), m.Pix...)
	sums := make([]int, w) // of three rows
	for y := 1; y < h-1; y++ {
		a, b, c := src[(y-1)*w:][:w], src[y*w:][:w], src[(y+1)*w:][:w]
		for i := range sums {
			sums[i] = int(a[i]) + int(b[i]) + int(c[i])
		}
		out := m.Pix[y*w:][:w]
		for i := 3; i < w-3; i++ {
			d := 9*int(b[i]) - sums[i-3] - sums[i] - sums[i+3]
			out[i] = uint8(min(max(int(b[i])+(d*k/9+128)>>8, 0), 255))
		}
	}
}

func encodeJPEG(m *frame.Image, quality int) ([]byte, error) {
	rgba := image.NewRGBA(m.Bounds())
	for i, j := 0, 0; i < len(m.Pix); i, j = i+3, j+4 {
		rgba.Pix[j], rgba.Pix[j+1], rgba.Pix[j+2], rgba.Pix[j+3] = m.Pix[i+2], m.Pix[i+1], m.Pix[i], 255
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, rgba, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("visiontest: %w", err)
	}
	return b.Bytes(), nil
}

func decodeJPEG(data []byte) (*frame.Image, error) {
	src, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("visiontest: %w", err)
	}
	y, ok := src.(*image.YCbCr)
	if !ok {
		return frame.FromImage(src), nil
	}
	return fromYCbCr(y), nil
}

// fromYCbCr is frame.FromImage without the interface call for every pixel.
func fromYCbCr(src *image.YCbCr) *frame.Image {
	b := src.Bounds()
	m := frame.New(b.Dx(), b.Dy())
	clip := func(v int32) uint8 { return uint8(min(max((v+1<<15)>>16, 0), 255)) }
	for y := range m.Height {
		row := m.Row(y)
		for x := range m.Width {
			k := src.COffset(b.Min.X+x, b.Min.Y+y)
			l := int32(src.Y[src.YOffset(b.Min.X+x, b.Min.Y+y)]) << 16
			cb, cr := int32(src.Cb[k])-128, int32(src.Cr[k])-128
			// JFIF 1.02, 16-bit fixed point.
			row[3*x] = clip(l + 116130*cb)
			row[3*x+1] = clip(l - 22554*cb - 46802*cr)
			row[3*x+2] = clip(l + 91881*cr)
		}
	}
	return m
}
