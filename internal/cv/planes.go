package cv

/*
#include "planes.h"
*/
import "C"

import "fmt"

// Loops over one-channel planes in Go memory, row-major float32, written for
// the cache and for vector registers. Like an index out of range, a plane that
// is shorter than its stated size is the caller's mistake: these functions
// check, and panic.

func checkPlanes(what string, w, h int, planes ...[]float32) {
	if w < 1 || h < 1 {
		panic(fmt.Sprintf("cv: %s of %d x %d pixels", what, w, h))
	}
	for _, p := range planes {
		if len(p) < w*h {
			panic(fmt.Sprintf("cv: %s of %d x %d pixels with %d numbers", what, w, h, len(p)))
		}
	}
}

func checkRadius(what string, r int) {
	if r < 0 {
		panic(fmt.Sprintf("cv: %s with radius %d", what, r))
	}
}

// must is for loops that fail for want of memory only, which is no error in
// Go either.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// first is where a plane lies.
func first(p []float32) *C.float { return (*C.float)(&p[0]) }

// Box averages src over (2r+1)-squares into dst; pixels beyond the rim repeat
// it. The cost grows with the logarithm of r.
func Box(src, dst []float32, w, h, r int) {
	checkPlanes("box", w, h, src, dst)
	checkRadius("box", r)
	must(toError("box", C.fd_box(first(src), first(dst), C.int(w), C.int(h), C.int(r))))
}

// Binomial smooths src with [1 2 1]/4 both ways into dst; pixels beyond the
// rim repeat it.
func Binomial(src, dst []float32, w, h int) {
	checkPlanes("binomial", w, h, src, dst)
	must(toError("binomial", C.fd_binomial(first(src), first(dst), C.int(w), C.int(h))))
}

// Spots writes z smoothed as by [Binomial] into smooth and
//
//	resp = smooth x invCentre - box(z) x invSurround   where mask > 1/2, else 0
//
// with the sum (not the mean) of z over (2r+1)-squares for box.
func Spots(z, mask, invCentre, invSurround []float32, w, h, r int, resp, smooth []float32) {
	checkPlanes("spots", w, h, z, mask, invCentre, invSurround, resp, smooth)
	checkRadius("spots", r)
	must(toError("spots", C.fd_spots(first(z), first(mask), first(invCentre), first(invSurround), C.int(w), C.int(h), C.int(r),
		first(resp), first(smooth))))
}

// Squares writes the squared length of W (x, y, z)' for each element into
// out, W the lower triangle 00, 10, 11, 20, 21, 22.
func Squares(x, y, z []float32, white [6]float32, out []float32) {
	n := len(out)
	if n == 0 {
		return
	}
	checkPlanes("squares", n, 1, x, y, z)
	must(toError("squares", C.fd_squares(first(x), first(y), first(z), first(white[:]), C.size_t(n), first(out))))
}

// Normalise writes (pix - mid/256) x inv, limited to -limit..limit, into out,
// channel by channel of interleaved pix and mid; 0 where mask is 0 or skip is
// not.
func Normalise(pix []byte, mid []uint16, mask []float32, skip []byte, inv [3][]float32, limit float32, out [3][]float32) {
	n := len(mask)
	checkPlanes("normalise", n, 1, inv[0], inv[1], inv[2], out[0], out[1], out[2])
	if len(pix) < 3*n || len(mid) < 3*n || len(skip) < n {
		panic(fmt.Sprintf("cv: normalise %d pixels with %d, %d and %d numbers", n, len(pix), len(mid), len(skip)))
	}
	must(toError("normalise", C.fd_normalise((*C.uint8_t)(&pix[0]), (*C.uint16_t)(&mid[0]), first(mask), (*C.uint8_t)(&skip[0]),
		first(inv[0]), first(inv[1]), first(inv[2]), C.float(limit), C.size_t(n), first(out[0]), first(out[1]), first(out[2]))))
}
