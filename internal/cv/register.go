package cv

/*
#include "register.h"
*/
import "C"

import "fmt"

// HalfLuma writes the lightness (Rec. 601 weights, codes) of a picture of w x
// h pixels, B G R, at half its resolution: [1 3 3 1]/8 both ways around the
// middle of each four pixels, the rim repeating. out has (w/2) x (h/2) numbers.
func HalfLuma(bgr []byte, w, h int, out []float32) {
	if w < 2 || h < 2 {
		panic(fmt.Sprintf("cv: half of %d x %d pixels", w, h))
	}
	checkLen("half luma", len(bgr), 3*w*h)
	checkLen("half luma: result", len(out), (w/2)*(h/2))
	must(toError("halfLuma", C.fd_half_luma((*C.uint8_t)(&bgr[0]), C.int(w), C.int(h), first(out))))
}

// Patch is a part of a plane of Width x Height pixels and its tiles of Tile
// pixels, TW x TH over the whole plane.
type Patch struct{ Width, Height, X0, X1, Y0, Y1, Tile, TW, TH int }

// TileSteps compares a plane, displaced by (dx, dy) px at the middles of the
// tiles and in between by what lies between them, with a reference of the
// gradient (gx, gy), and returns for each tile
//
//	b = -sum g (view - ref)
//
// the right side of Lucas and Kanade's step, differences limited to four
// robust standard deviations so that a mark does not pull, and the median of
// the differences' magnitudes (to an eighth). work is memory for as many
// numbers as the patch has pixels.
func TileSteps(view, ref, gx, gy []float32, p Patch, dx, dy []float64, work []float32) (bx, by []float64, middle float64) {
	checkPlanes("tile steps", p.Width, p.Height, view, ref, gx, gy)
	n := p.TW * p.TH
	bx, by = make([]float64, n), make([]float64, n)
	if p.X0 >= p.X1 || p.Y0 >= p.Y1 {
		return bx, by, 0
	}
	// A piece of eight pixels and one more must fit in.
	if p.X0 < 0 || p.Y0 < 0 || p.X1 > p.Width || p.Y1 > p.Height || p.Width < 10 || p.Height < 2 || p.Tile < 1 ||
		(p.X1-1)/p.Tile >= p.TW || (p.Y1-1)/p.Tile >= p.TH {
		panic(fmt.Sprintf("cv: tile steps in %+v", p))
	}
	checkLen("tile steps: tiles", min(len(dx), len(dy)), n)
	checkLen("tile steps: memory", len(work), (p.X1-p.X0)*(p.Y1-p.Y0))
	var mid C.double
	must(toError("tileSteps", C.fd_tile_steps(first(view), first(ref), first(gx), first(gy), C.int(p.Width), C.int(p.Height),
		C.int(p.X0), C.int(p.X1), C.int(p.Y0), C.int(p.Y1), C.int(p.Tile), C.int(p.TW), C.int(p.TH),
		(*C.double)(&dx[0]), (*C.double)(&dy[0]), first(work), (*C.double)(&bx[0]), (*C.double)(&by[0]), &mid)))
	return bx, by, float64(mid)
}
