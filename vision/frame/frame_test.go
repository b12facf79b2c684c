package frame_test

import (
	"image"
	"image/color"
	"testing"

	"fairdeck/vision/frame"

	"pgregory.net/rapid"
)

func TestDrawImageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 9).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
		src := image.NewRGBA(image.Rect(3, -2, 3+w, -2+h))
		for i := range src.Pix {
			src.Pix[i] = rapid.Byte().Draw(t, "v")
			if i%4 == 3 {
				src.Pix[i] = 255
			}
		}
		got := frame.FromImage(src)
		if !got.Valid() || got.Width != w || got.Height != h {
			t.Fatalf("size %d x %d, valid %v", got.Width, got.Height, got.Valid())
		}
		for y := range h {
			for x := range w {
				if want := src.RGBAAt(3+x, -2+y); got.At(x, y) != color.Color(want) {
					t.Fatalf("(%d,%d): got %v want %v", x, y, got.At(x, y), want)
				}
			}
		}
	})
}

func TestCropKeepsInside(t *testing.T) {
	m := frame.New(4, 3)
	for y := range 3 {
		for x := range 4 {
			m.SetBGR(x, y, uint8(x), uint8(y), 7)
		}
	}
	for _, c := range []struct {
		name string
		r    image.Rectangle
		w, h int
	}{
		{"inside", image.Rect(1, 1, 3, 3), 2, 2},
		{"over the edge", image.Rect(2, 1, 99, 99), 2, 2},
		{"outside", image.Rect(10, 10, 12, 12), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := m.Crop(c.r)
			if got.Width != c.w || got.Height != c.h || !got.Valid() {
				t.Fatalf("got %d x %d", got.Width, got.Height)
			}
			if !got.Empty() {
				if b, g, _ := got.BGR(0, 0); int(b) != c.r.Min.X || int(g) != c.r.Min.Y {
					t.Fatalf("first pixel is (%d,%d)", b, g)
				}
			}
		})
	}
	if m.Crop(m.Bounds()); m.Clone() == m {
		t.Fatal("Clone shares the value")
	}
}
