package cv

/*
#include "settle.h"
*/
import "C"

import "fmt"

// The loops by which a view is settled on the deck's typical sleeve. Pictures
// and typical codes (256ths) are interleaved B G R. Like those over planes,
// they panic on slices that are shorter than stated.

func checkLen(what string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("cv: %s with %d numbers of %d", what, have, want))
	}
}

// Relight takes from each code of pix, in place, what the field of light adds
// to the typical code there: with L the linear light of mid,
//
//	pix = pix - code((1+a) L + o) + mid/256
//
// grid holds a (B, G, R) and o (B, G, R) at every step-th pixel, gw nodes a
// row, one node more than the pixels need each way. The curve is sRGB's, true
// to 0.1 codes.
func Relight(pix []byte, mid []uint16, w, h int, grid []float32, step, gw int) {
	checkLen("relight", min(len(pix), len(mid)), max(1, 3*w*h))
	checkLen("relight: grid", gw, (w-1)/step+2)
	checkLen("relight: grid", len(grid), 6*gw*((h-1)/step+2))
	must(toError("relight", C.fd_relight((*C.uint8_t)(&pix[0]), (*C.uint16_t)(&mid[0]), C.int(w), C.int(h),
		first(grid), C.int(step), C.int(gw))))
}

// Samples says which pixels of a view are looked at: NX x NY, Stride pixels
// apart from (X0, Y0) on, and the tiles that they belong to: squares of Tile
// pixels, TW a row.
type Samples struct{ NX, NY, X0, Y0, Stride, Tile, TW int }

// LightSums adds up, per tile, s d and v d of the samples for which use is 1
// (0: left out), with
//
//	d = gain s + offset v + (rest - gain s - offset v, limited to -limit..limit)
//
// gain and offset have one value per tile. sd and vd are added to.
func LightSums(rest, s, v, use []float32, at Samples, gain, offset []float32, limit float32, sd, vd []float64) {
	checkPlanes("light sums", at.NX, at.NY, rest, s, v, use)
	tiles := (at.Y0+(at.NY-1)*at.Stride)/at.Tile*at.TW + (at.X0+(at.NX-1)*at.Stride)/at.Tile + 1
	checkLen("light sums: tiles", min(len(gain), len(offset), len(sd), len(vd)), tiles)
	must(toError("lightSums", C.fd_light_sums(first(rest), first(s), first(v), first(use), C.int(at.NX), C.int(at.NY), C.int(at.X0), C.int(at.Y0),
		C.int(at.Stride), C.int(at.Tile), C.int(at.TW), first(gain), first(offset), C.float(limit), (*C.double)(&sd[0]), (*C.double)(&vd[0]))))
}

// Window is the part of a view of Width pixels a row that is matched, and its
// tiles of Tile pixels, TW x TH over the whole view. It keeps a pixel away
// from the view's rim.
type Window struct{ Width, X0, X1, Y0, Y1, Tile, TW, TH int }

func (a Window) check(what string, pix []byte, mid []uint16, dev []float32) {
	if a.X0 < 1 || a.X1 > a.Width-1 || a.Y0 < 1 || a.X0 >= a.X1 || a.Y0 >= a.Y1 {
		panic(fmt.Sprintf("cv: %s in the window %+v", what, a))
	}
	checkLen(what, len(mid), 3*a.Width*(a.Y1+1))
	checkLen(what, min(len(pix), len(dev)), 3*a.Width*a.Y1)
	checkLen(what+": tiles", a.TW*a.TH, (a.Y1-1)/a.Tile*a.TW+(a.X1-1)/a.Tile+1)
}

// MatchSums adds up, per tile, the products of pix - mid/256, limited to three
// sigma, with the typical picture's derivatives along x and y, half its
// Laplacian, and dev of B, G and R, each weighted by the square of root, a
// third of the inverse variance. Pixels with skip set are left out.
func MatchSums(pix []byte, mid []uint16, skip []byte, dev, root []float32, a Window, right [][6]float64) {
	a.check("match", pix, mid, dev)
	checkLen("match", min(len(root), 3*len(skip)), 3*a.Width*a.Y1)
	checkLen("match: tiles", len(right), a.TW*a.TH)
	must(toError("matchSums", C.fd_match_sums((*C.uint8_t)(&pix[0]), (*C.uint16_t)(&mid[0]), (*C.uint8_t)(&skip[0]), first(dev), first(root),
		C.int(a.Width), C.int(a.X0), C.int(a.X1), C.int(a.Y0), C.int(a.Y1), C.int(a.Tile), C.int(a.TW), (*C.double)(&right[0][0]))))
}

// MatchApply takes the multiples of the pictures of [MatchSums] off pix in
// place; coef holds them at the tiles' centres, linear between.
func MatchApply(pix []byte, mid []uint16, dev []float32, a Window, coef [][6]float32) {
	a.check("match", pix, mid, dev)
	checkLen("match: tiles", len(coef), a.TW*a.TH)
	must(toError("matchApply", C.fd_match_apply((*C.uint8_t)(&pix[0]), (*C.uint16_t)(&mid[0]), first(dev),
		C.int(a.Width), C.int(a.X0), C.int(a.X1), C.int(a.Y0), C.int(a.Y1), C.int(a.Tile), C.int(a.TW), C.int(a.TH), (*C.float)(&coef[0][0]))))
}

// SideParabola fits c0 + c1 x + c2 x^2 to values evenly spaced on -1..1 with
// Tukey's biweight (Beaton & Tukey 1974), the scale at least 0.7. Fewer than
// three values have none, and give zeros.
func SideParabola(r []float32) (c [3]float64) {
	if len(r) < 3 {
		return c
	}
	must(toError("sideParabola", C.fd_side_parabola(first(r), C.int(len(r)), (*C.double)(&c[0]))))
	return c
}

// Straighten takes off a row of n pixels of pix, step pixels apart from start
// on, in each channel the parabola that fits its difference from mid (see
// [SideParabola]), where that leaves less of a difference: values count up to
// limit, and a parabola of more than most is none. Fewer than three pixels
// stay as they are.
func Straighten(pix []byte, mid []uint16, start, step, n int, limit, most float32) {
	if n < 3 {
		return
	}
	if start < 0 || step < 1 {
		panic(fmt.Sprintf("cv: straighten from %d on by %d", start, step))
	}
	checkLen("straighten", min(len(pix), len(mid)), 3*(start+(n-1)*step+1))
	must(toError("straighten", C.fd_straighten((*C.uint8_t)(&pix[0]), (*C.uint16_t)(&mid[0]), C.size_t(start), C.size_t(step), C.int(n),
		C.float(limit), C.float(most))))
}
