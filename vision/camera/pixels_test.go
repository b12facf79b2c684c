package camera

import (
	"math"
	"testing"

	"fairdeck/vision/camera/v4l2"
)

// TestConvertColours: pixels of known colours survive the way to YCbCr and
// back, in every format, range and matrix, padded lines and all. The way there
// is written here from the definitions, in floating point.
func TestConvertColours(t *testing.T) {
	colours := [][3]float64{{0, 0, 0}, {255, 255, 255}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {200, 120, 40}, {17, 99, 230}, {128, 128, 128}} // R G B
	for _, space := range []struct {
		colour v4l2.Colour
		kr, kb float64
		full   bool
	}{
		{v4l2.Colour{}, 0.299, 0.114, false},
		{v4l2.Colour{Space: 7}, 0.299, 0.114, true},
		{v4l2.Colour{Space: 3}, 0.2126, 0.0722, false},
		{v4l2.Colour{Space: 8, Encoding: 2, Quantization: 1}, 0.2126, 0.0722, true},
		{v4l2.Colour{Space: 10}, 0.2627, 0.0593, false},
	} {
		for _, c := range colours {
			y := space.kr*c[0] + (1-space.kr-space.kb)*c[1] + space.kb*c[2]
			cb, cr := (c[2]-y)/(2*(1-space.kb)), (c[0]-y)/(2*(1-space.kr))
			code := func(v, zero, scale float64) byte { return byte(math.Round(zero + v*scale)) }
			Y, U, V := code(y, 16, 219.0/255), code(cb, 128, 224.0/255), code(cr, 128, 224.0/255)
			if space.full {
				Y, U, V = code(y, 0, 1), code(min(cb, 127), 128, 1), code(min(cr, 127), 128, 1)
			}
			const w, h, pad = 4, 2, 3
			var yuyv, nv12 []byte
			for range h {
				for range w / 2 {
					yuyv = append(yuyv, Y, U, Y, V)
				}
				yuyv = append(yuyv, make([]byte, pad)...)
			}
			for range h {
				nv12 = append(append(nv12, Y, Y, Y, Y), make([]byte, pad)...)
			}
			nv12 = append(nv12, U, V, U, V) // the last line without padding
			for name, in := range map[v4l2.FourCC][]byte{v4l2.YUYV: yuyv, v4l2.NV12: nv12} {
				line := 2*w + pad
				if name == v4l2.NV12 {
					line = w + pad
				}
				img, err := convert(v4l2.Format{FourCC: name, Width: w, Height: h, BytesPerLine: line, Colour: space.colour}, in)
				if err != nil {
					t.Fatal(err)
				}
				for x := range w {
					b, g, r := img.BGR(x, h-1)
					for i, v := range []uint8{r, g, b} {
						// Half a code of luma and of two chromas, spread by the matrix.
						if math.Abs(float64(v)-c[i]) > 3 {
							t.Fatalf("%v %+v: %v became %d %d %d", name, space.colour, c, r, g, b)
						}
					}
				}
			}
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	for _, f := range []v4l2.Format{
		{FourCC: v4l2.YUYV, Width: 4, Height: 2},
		{FourCC: v4l2.YUYV, Width: 3, Height: 1},
		{FourCC: v4l2.NV12, Width: 2, Height: 6},
		{FourCC: v4l2.BGR3, Width: 3, Height: 2},
		{FourCC: v4l2.MJPG, Width: 1, Height: 1},
		{FourCC: v4l2.YUYV, Width: 1 << 20, Height: 1 << 20},
		{FourCC: v4l2.YUYV},
	} {
		if img, err := convert(f, make([]byte, 15)); err == nil {
			t.Errorf("%+v: %d x %d", f, img.Width, img.Height)
		}
	}
	for name, want := range map[v4l2.FourCC][3]uint8{v4l2.BGR3: {1, 2, 3}, v4l2.RGB3: {3, 2, 1}} {
		img, err := convert(v4l2.Format{FourCC: name, Width: 1, Height: 1}, []byte{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		if b, g, r := img.BGR(0, 0); [3]uint8{b, g, r} != want {
			t.Errorf("%v: %d %d %d", name, b, g, r)
		}
	}
}
