package cv_test

import (
	"math"
	"testing"

	"fairdeck/internal/cv"
)

// TestTileSteps: a plane that was displaced asks for its displacement, a mark
// on it aside.
func TestTileSteps(t *testing.T) {
	const w, h, tile, tw, th = 64, 48, 16, 4, 3
	at := func(x, y float64) float64 { return 40*math.Sin(x/3) + 30*math.Cos(y/2.5) + 10*math.Sin((x+y)/4) }
	const ux, uy = 1.3, -0.6 // the view shows what the reference has, so far away
	ref, view := make([]float32, w*h), make([]float32, w*h)
	gx, gy := make([]float32, w*h), make([]float32, w*h)
	for y := range h {
		for x := range w {
			i := y*w + x
			ref[i] = float32(at(float64(x), float64(y)))
			view[i] = float32(at(float64(x)-ux, float64(y)-uy))
			gx[i] = float32(at(float64(x)+0.5, float64(y)) - at(float64(x)-0.5, float64(y)))
			gy[i] = float32(at(float64(x), float64(y)+0.5) - at(float64(x), float64(y)-0.5))
		}
	}
	for y := 20; y < 24; y++ {
		for x := 30; x < 34; x++ {
			view[y*w+x] = 900
		}
	}
	p := cv.Patch{Width: w, Height: h, X0: 4, X1: 61, Y0: 3, Y1: 45, Tile: tile, TW: tw, TH: th}
	dx, dy := make([]float64, tw*th), make([]float64, tw*th)
	for i := range dx {
		dx[i], dy[i] = 1, -0.5
	}
	work := make([]float32, w*h)
	bx, by, middle := cv.TileSteps(view, ref, gx, gy, p, dx, dy, work)
	if middle <= 0 || middle > 6 {
		t.Errorf("median difference %g", middle)
	}
	var xx, xy, yy, sx, sy float64
	for y := p.Y0; y < p.Y1; y++ {
		for x := p.X0; x < p.X1; x++ {
			a, b := float64(gx[y*w+x]), float64(gy[y*w+x])
			xx, xy, yy = xx+a*a, xy+a*b, yy+b*b
		}
	}
	for i := range bx {
		sx, sy = sx+bx[i], sy+by[i]
	}
	det := xx*yy - xy*xy
	if gotX, gotY := (yy*sx-xy*sy)/det, (xx*sy-xy*sx)/det; math.Abs(gotX-0.3) > 0.06 || math.Abs(gotY+0.1) > 0.06 {
		t.Errorf("a step of %.3f, %.3f px, want 0.3, -0.1", gotX, gotY)
	}
}

func TestHalfLuma(t *testing.T) {
	const w, h = 9, 7
	pix := make([]byte, 3*w*h)
	for i := range pix {
		pix[i] = uint8(20 + 4*(i/3%w) + 8*(i/3/w)) // a grey ramp
	}
	out := make([]float32, (w/2)*(h/2))
	cv.HalfLuma(pix, w, h, out)
	for y := 1; y < h/2; y++ {
		for x := 1; x < w/2; x++ {
			if want := 20 + 4*(2*float64(x)+0.5) + 8*(2*float64(y)+0.5); math.Abs(float64(out[y*(w/2)+x])-want) > 1e-3 {
				t.Errorf("%d, %d is %g, want %g", x, y, out[y*(w/2)+x], want)
			}
		}
	}
}
