// Package frame holds the pixels that every other part of fairdeck looks at.
//
// An [Image] is one picture as OpenCV orders it (blue, green, red; rows from
// the top), in memory that Go owns. Pictures therefore cross package borders
// without anybody having to close them, and a hot loop may walk [Image.Pix]
// directly:
//
//	source ──Image──▶ card ──View{Image, mm}──▶ sleeve ──▶ report
//	                    │
//	                    └─ internal/cv wraps the same memory for OpenCV calls
//
// The package is pure Go and imports nothing of fairdeck: the synthetic
// station renders Images without OpenCV.
package frame

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
)

// Image is an 8-bit colour picture.
//
// Pix holds Height rows of Width pixels of three bytes in the order blue,
// green, red, gamma-encoded as the camera delivered them (sRGB unless a
// profile says otherwise); there is no padding between rows, so the pixel
// (x, y) starts at 3*(y*Width+x). The zero value is the empty picture.
type Image struct {
	Width, Height int
	Pix           []uint8
}

var _ draw.Image = (*Image)(nil)

// New returns a black picture of the given size in pixels. It panics when a
// side is negative or the size does not fit in memory: sizes of outside data
// are checked where the data is read.
func New(width, height int) *Image {
	if width < 0 || height < 0 {
		panic(fmt.Sprintf("frame: size %d x %d", width, height))
	}
	return &Image{Width: width, Height: height, Pix: make([]uint8, 3*width*height)}
}

// FromImage copies any Go picture, flattening transparency onto black, which
// is what a viewer of the undecorated colour channels would see.
func FromImage(src image.Image) *Image {
	b := src.Bounds()
	dst := New(b.Dx(), b.Dy())
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := src.At(x, y).RGBA()
			dst.Pix[i], dst.Pix[i+1], dst.Pix[i+2] = uint8(bl>>8), uint8(g>>8), uint8(r>>8)
			i += 3
		}
	}
	return dst
}

// Empty reports whether the picture has no pixels.
func (m *Image) Empty() bool { return m == nil || m.Width == 0 || m.Height == 0 }

// Valid reports whether Pix has the length that the size asks for.
func (m *Image) Valid() bool {
	return m != nil && m.Width >= 0 && m.Height >= 0 && len(m.Pix) == 3*m.Width*m.Height
}

// BGR returns the pixel (x, y). It panics outside the picture.
func (m *Image) BGR(x, y int) (b, g, r uint8) {
	i := 3 * (y*m.Width + x)
	p := m.Pix[i : i+3 : i+3]
	return p[0], p[1], p[2]
}

// SetBGR sets the pixel (x, y). It panics outside the picture.
func (m *Image) SetBGR(x, y int, b, g, r uint8) {
	i := 3 * (y*m.Width + x)
	p := m.Pix[i : i+3 : i+3]
	p[0], p[1], p[2] = b, g, r
}

// Row returns the 3*Width bytes of row y, sharing memory with the picture.
func (m *Image) Row(y int) []uint8 {
	i := 3 * y * m.Width
	return m.Pix[i : i+3*m.Width : i+3*m.Width]
}

// Clone returns a copy with its own memory.
func (m *Image) Clone() *Image {
	return &Image{Width: m.Width, Height: m.Height, Pix: append([]uint8(nil), m.Pix...)}
}

// Crop copies the part of r that lies inside the picture. The result is empty
// when they do not meet.
func (m *Image) Crop(r image.Rectangle) *Image {
	r = r.Intersect(m.Bounds())
	dst := New(r.Dx(), r.Dy())
	for y := range dst.Height {
		copy(dst.Row(y), m.Row(r.Min.Y + y)[3*r.Min.X:])
	}
	return dst
}

// ColorModel implements [image.Image].
func (m *Image) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements [image.Image]; the origin is the top-left pixel.
func (m *Image) Bounds() image.Rectangle { return image.Rect(0, 0, m.Width, m.Height) }

// At implements [image.Image].
func (m *Image) At(x, y int) color.Color {
	if !(image.Point{X: x, Y: y}).In(m.Bounds()) {
		return color.RGBA{}
	}
	b, g, r := m.BGR(x, y)
	return color.RGBA{R: r, G: g, B: b, A: 255}
}

// Set implements [draw.Image], so that the standard library and x/image can
// draw into a picture. Points outside are ignored.
func (m *Image) Set(x, y int, c color.Color) {
	if !(image.Point{X: x, Y: y}).In(m.Bounds()) {
		return
	}
	v := color.RGBAModel.Convert(c).(color.RGBA)
	m.SetBGR(x, y, v.B, v.G, v.R)
}
