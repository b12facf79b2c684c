package cv

/*
#include <stdlib.h>
#include "peaks.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Peak is a local maximum of squared, whitened responses.
type Peak struct {
	X, Y   int
	Square float32
	Dark   bool // the response's lightness is negative
}

// Peaks goes through the responses of three channels, planes of w x h, of
// which q is the squared length after whitening (see [Squares]). It adds q,
// limited to clip, up for each tile of tile pixels, tw a row, and returns the
// local maxima of q above floor in reading order; of equal neighbours the
// first counts. luma are the channels' shares in lightness.
func Peaks(r [3][]float32, w, h int, white [6]float64, luma [3]float32, tile, tw int, clip, floor float32, sums []float64) []Peak {
	checkPlanes("peaks", w, h, r[0], r[1], r[2])
	if tile < 1 || tw*tile < w {
		panic(fmt.Sprintf("cv: peaks in tiles of %d, %d a row, for %d pixels", tile, tw, w))
	}
	checkLen("peaks: tiles", len(sums), tw*((h+tile-1)/tile))
	var wh [6]C.float
	for i, v := range white {
		wh[i] = C.float(v)
	}
	var found *C.fd_peak
	var n C.size_t
	must(toError("peaks", C.fd_peaks(first(r[0]), first(r[1]), first(r[2]), C.int(w), C.int(h), &wh[0], first(luma[:]),
		C.int(tile), C.int(tw), C.float(clip), C.float(floor), (*C.double)(&sums[0]), &found, &n)))
	defer C.free(unsafe.Pointer(found))
	out := make([]Peak, int(n))
	for i, p := range unsafe.Slice(found, int(n)) {
		out[i] = Peak{int(p.x), int(p.y), float32(p.square), p.dark != 0}
	}
	return out
}

func checkTiles(what string, w, h, tile, tw int, values []float32) {
	if tile < 1 || tw*tile < w {
		panic(fmt.Sprintf("cv: %s in tiles of %d, %d a row, for %d pixels", what, tile, tw, w))
	}
	checkLen(what+": tiles", len(values), tw*((h+tile-1)/tile))
}

// LinePlane writes dir . r x factor, limited to -limit..limit, into out; 0
// where mask is no more than 1/2. factor has one value for each tile.
func LinePlane(r [3][]float32, mask []float32, w, h int, dir [3]float32, factor []float32, tile, tw int, limit float32, out []float32) {
	checkPlanes("line plane", w, h, r[0], r[1], r[2], mask, out)
	checkTiles("line plane", w, h, tile, tw, factor)
	must(toError("linePlane", C.fd_line_plane(first(r[0]), first(r[1]), first(r[2]), first(mask), C.int(w), C.int(h), first(dir[:]),
		first(factor), C.int(tile), C.int(tw), C.float(limit), first(out))))
}

// Shares multiplies q, in place, by the value of its tile; what mask has no
// more than 1/2 of becomes 0.
func Shares(q, mask []float32, w, h int, by []float32, tile, tw int) {
	checkPlanes("shares", w, h, q, mask)
	checkTiles("shares", w, h, tile, tw, by)
	must(toError("shares", C.fd_shares(first(q), first(mask), C.int(w), C.int(h), first(by), C.int(tile), C.int(tw))))
}

// Raise lifts a plane of dw x dh pixels, where mask is not 0, to at least what
// q (w x h) shows there, read between its pixels at inv times the place.
func Raise(q []float32, w, h int, inv float32, mask, plane []float32, dw, dh int) {
	checkPlanes("raise", w, h, q)
	checkPlanes("raise", dw, dh, mask, plane)
	must(toError("raise", C.fd_raise(first(q), C.int(w), C.int(h), C.float(inv), first(mask), first(plane), C.int(dw), C.int(dh))))
}

// ClippedCovariance returns the mean products xx, xy, yy, xz, yz, zz of three
// planes over the places where mask is more than 1/2, those left out at which
// any of the three is beyond four robust standard deviations.
func ClippedCovariance(r [3][]float32, mask []float32) (cov [6]float64) {
	n := len(mask)
	checkPlanes("covariance", n, 1, r[0], r[1], r[2])
	must(toError("clippedCovariance", C.fd_clipped_covariance(first(r[0]), first(r[1]), first(r[2]), first(mask), C.size_t(n), (*C.double)(&cov[0]))))
	return cov
}
