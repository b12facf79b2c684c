package cv

/*
#include <stdlib.h>
#include "lines.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Line is a straight run of 2^level pixels between two ends, with the sum of
// the plane along it.
type Line struct {
	X0, Y0, X1, Y1 int // px
	Sum            float64
}

// LineLevel is what one length gives.
type LineLevel struct {
	Median float64 // of the magnitudes of sums, a sample of those that are not zero
	Lines  []Line  // local maxima of the magnitude, in a fixed order
}

// LineWork is how many numbers of memory [LineMaxima] needs for a longest level.
func LineWork(width, height, top int) int {
	return (int(C.fd_line_work(C.int(width), C.int(height), C.int(top))) + 1) / 2 // two sums in each
}

// LineMaxima sums a plane of width x height along segments of 2^level pixels
// in all directions and returns, for each level, the local maxima beyond
// floor times the median magnitude (of the plane's quietest part so far), of
// either sign the most strongest. Pixels count as limited to -limit..limit
// and rounded to limit x 2^top / 32000 with the longest level top: a hundredth
// of the limit or less, far below the noise of any.
//
// All segments that start on a grid are summed together by doubling, each of
// two halves, which costs one addition per pixel, level and quadrant (the
// approximate discrete Radon transform: Goetz & Druck 1996; Brady 1998; Donoho
// & Huo 2002, "Beamlets and multiscale image analysis"). levels ascend, from 1
// on; 2^level stays below both sides. work is memory for the tables of sums,
// [LineWork] numbers of it, whatever they hold.
func LineMaxima(plane []float32, width, height int, levels []int, limit, floor float64, most int, work []float32) ([]LineLevel, error) {
	if width < 1 || height < 1 || len(plane) < width*height {
		return nil, ErrEmpty
	}
	if !(limit > 0) || !(floor > 0) || most < 1 {
		return nil, fmt.Errorf("line maxima: limit %g, floor %g and number %d must be above 0", limit, floor, most)
	}
	n := len(levels)
	if n == 0 {
		return nil, nil
	}
	ks := make([]C.int, n)
	for i, k := range levels {
		if k < 1 || i > 0 && k <= levels[i-1] || k > 14 || 1<<k >= min(width, height) {
			return nil, fmt.Errorf("line maxima: levels %v of %d x %d pixels", levels, width, height)
		}
		ks[i] = C.int(k)
	}
	if want := LineWork(width, height, levels[n-1]); len(work) < want {
		return nil, fmt.Errorf("line maxima: memory for %d numbers of %d", len(work), want)
	}
	var lines *C.fd_line
	ends := make([]C.int64_t, n)
	medians := make([]C.float, n)
	if err := toError("lineMaxima", C.fd_line_maxima((*C.float)(&plane[0]), C.int(width), C.int(height), C.float(limit),
		&ks[0], C.int(n), C.float(floor), C.int(most), (*C.int16_t)(unsafe.Pointer(&work[0])), &lines, &ends[0], &medians[0])); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(lines))
	out := make([]LineLevel, n)
	start := 0
	for l := range out {
		stop := int(ends[l])
		out[l].Median = float64(medians[l])
		out[l].Lines = make([]Line, stop-start)
		if stop > start {
			for i, s := range unsafe.Slice(lines, stop)[start:] {
				out[l].Lines[i] = Line{int(s.x0), int(s.y0), int(s.x1), int(s.y1), float64(s.sum)}
			}
		}
		start = stop
	}
	return out, nil
}
