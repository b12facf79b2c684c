package cv_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"

	"gocv.io/x/gocv"
)

func noisePicture(w, h int) *frame.Image {
	rng := rand.New(rand.NewPCG(9, 4))
	m := frame.New(w, h)
	for y := range h {
		for x := range w {
			for c := range 3 {
				v := 128 + 60*math.Sin(float64(x)/(3+float64(c))) + 40*math.Cos(float64(y)/4) + 10*rng.NormFloat64()
				m.Pix[3*(y*w+x)+c] = uint8(max(0, min(255, v)))
			}
		}
	}
	return m
}

// far counts the codes that differ by more than limit.
func far(a, b []byte, limit int) (n int) {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > limit || d < -limit {
			n++
		}
	}
	return n
}

// TestWarpPlane compares with OpenCV, whose places are rounded four times as
// coarsely, and with a shift by whole pixels.
func TestWarpPlane(t *testing.T) {
	src := noisePicture(90, 70)
	h := [9]float64{0.9, 0.07, -3.5, -0.05, 1.1, 2.25, 1e-4, -2e-4, 1}
	got, err := cv.WarpPlane(src, h, 83, 61)
	if err != nil {
		t.Fatal(err)
	}
	s := cv.NewScope()
	defer s.Close()
	m, err := s.Wrap(src)
	if err != nil {
		t.Fatal(err)
	}
	dst := s.Mat()
	if err := cv.WarpPerspective(m, dst, h, 83, 61, gocv.InterpolationCubic, cv.BorderReplicate, 0); err != nil {
		t.Fatal(err)
	}
	want, err := cv.Image(dst)
	if err != nil {
		t.Fatal(err)
	}
	// 1/64 px at the noise's steepest is two codes.
	if n := far(got.Pix, want.Pix, 3); n > len(got.Pix)/100 {
		t.Errorf("%d of %d codes differ from OpenCV's by more than 3", n, len(got.Pix))
	}
	moved, err := cv.WarpPlane(src, [9]float64{-1, 0, -7, 0, -1, 4, 0, 0, -1}, 60, 50)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 50 {
		for x := range 60 {
			b, g, r := moved.BGR(x, y)
			wb, wg, wr := src.BGR(x+7, max(0, y-4))
			if b != wb || g != wg || r != wr {
				t.Fatalf("pixel %d, %d is not the one that was moved there", x, y)
			}
		}
	}
	if _, err := cv.WarpPlane(src, [9]float64{1, 0, 0, 0, 1, 0, -0.1, 0, 1}, 60, 50); err == nil {
		t.Error("a horizon across the view is no error")
	}
	if _, err := cv.WarpPlane(&frame.Image{}, h, 3, 3); err == nil {
		t.Error("an empty picture is no error")
	}
}

// TestWarpField: tiles inside, the outline's displacement at the rim.
func TestWarpField(t *testing.T) {
	const w, h = 60, 40
	src := noisePicture(w, h)
	fill := func(n int, v float32) []float32 {
		p := make([]float32, n)
		for i := range p {
			p[i] = v
		}
		return p
	}
	f := &cv.Field{
		Width: w, Height: h, Tile: 10, TW: 6, TH: 4, TileDX: fill(24, 3), TileDY: fill(24, -2),
		LeftDX: fill(h, 1), RightDX: fill(h, 1), TopDY: fill(w, 0), BottomDY: fill(w, 0),
		Across: fill(w, 0.5), Down: fill(h, 0.5), BlendX: fill(w, 1), BlendY: fill(h, 1),
	}
	f.BlendY[0], f.BlendY[1] = -1, 0
	dst := make([]byte, len(src.Pix))
	if err := cv.WarpField(src.Pix, dst, f); err != nil {
		t.Fatal(err)
	}
	for y := range h {
		for x := range w {
			sx, sy := min(x+3, w-1), max(y-2, 0)
			if y < 2 {
				sx, sy = min(x+1, w-1), y
			}
			for c := range 3 {
				if dst[3*(y*w+x)+c] != src.Pix[3*(sy*w+sx)+c] {
					t.Fatalf("pixel %d, %d is not that of %d, %d", x, y, sx, sy)
				}
			}
		}
	}
	// Half a pixel on a ramp is half a step.
	for i := range src.Pix {
		src.Pix[i] = uint8(2 * (i / 3 % w))
	}
	for i := range f.TileDX {
		f.TileDX[i], f.TileDY[i] = 0.5, 0.25
	}
	if err := cv.WarpField(src.Pix, dst, f); err != nil {
		t.Fatal(err)
	}
	for x := 5; x < w-5; x++ {
		if v := dst[3*(20*w+x)]; int(v) != 2*x+1 {
			t.Fatalf("column %d is %d, want %d", x, v, 2*x+1)
		}
	}
}

func BenchmarkWarpPlane(b *testing.B) {
	src := noisePicture(650, 870)
	h := [9]float64{0.98, 0.03, 10, -0.03, 0.98, 12, 1e-5, 1e-5, 1}
	for b.Loop() {
		if _, err := cv.WarpPlane(src, h, 630, 855); err != nil {
			b.Fatal(err)
		}
	}
}
