package cv

/*
#include <stdlib.h>
#include "imgproc.h"
*/
import "C"

import (
	"image"
	"unsafe"

	"gocv.io/x/gocv"
)

// ptr hands a Mat to the shim; nil Mats arrive as NULL and are refused there.
func ptr(m *gocv.Mat) unsafe.Pointer {
	if m == nil {
		return nil
	}
	return unsafe.Pointer(m.Ptr())
}

// Resize scales src to width x height pixels into dst.
func Resize(src, dst *gocv.Mat, width, height int, how gocv.InterpolationFlags) error {
	return toError("resize", C.fd_resize(ptr(src), ptr(dst), C.int(width), C.int(height), C.int(how)))
}

// CvtColor converts between colour spaces.
func CvtColor(src, dst *gocv.Mat, code gocv.ColorConversionCode) error {
	return toError("cvtColor", C.fd_cvt_color(ptr(src), ptr(dst), C.int(code)))
}

// Convert changes the number type: dst = alpha*src + beta, saturated.
func Convert(src, dst *gocv.Mat, mt gocv.MatType, alpha, beta float64) error {
	return toError("convertTo", C.fd_convert(ptr(src), ptr(dst), C.int(mt), C.double(alpha), C.double(beta)))
}

// GaussianBlur smooths with standard deviation sigma in pixels; ksize is odd,
// or 0 to follow from sigma. Pixels beyond the rim repeat it.
func GaussianBlur(src, dst *gocv.Mat, ksize int, sigma float64) error {
	return toError("GaussianBlur", C.fd_gaussian(ptr(src), ptr(dst), C.int(ksize), C.double(sigma)))
}

// MedianBlur replaces each pixel by the median of its ksize x ksize window;
// ksize is odd, at most 5 for types other than 8 bits.
func MedianBlur(src, dst *gocv.Mat, ksize int) error {
	return toError("medianBlur", C.fd_median(ptr(src), ptr(dst), C.int(ksize)))
}

// Sobel differentiates dx times along x and dy times along y, times scale;
// ksize -1 is the 3 x 3 Scharr kernel. Pixels beyond the rim repeat it.
func Sobel(src, dst *gocv.Mat, depth gocv.MatType, dx, dy, ksize int, scale float64) error {
	return toError("Sobel", C.fd_sobel(ptr(src), ptr(dst), C.int(depth), C.int(dx), C.int(dy), C.int(ksize), C.double(scale)))
}

// Canny finds edges; l2 asks for the Euclidean gradient norm.
func Canny(src, dst *gocv.Mat, low, high float64, aperture int, l2 bool) error {
	n := C.int(0)
	if l2 {
		n = 1
	}
	return toError("Canny", C.fd_canny(ptr(src), ptr(dst), C.double(low), C.double(high), C.int(aperture), n))
}

// Morphology erodes, dilates, opens or closes with a kernel of width x height.
func Morphology(src, dst *gocv.Mat, op gocv.MorphType, shape gocv.MorphShape, width, height, iterations int) error {
	return toError("morphologyEx", C.fd_morphology(ptr(src), ptr(dst), C.int(op), C.int(shape), C.int(width), C.int(height), C.int(iterations)))
}

// Threshold binarises and returns the value used, which Otsu's method chooses.
func Threshold(src, dst *gocv.Mat, value, maximum float64, how gocv.ThresholdType) (float64, error) {
	var used C.double
	err := toError("threshold", C.fd_threshold(ptr(src), ptr(dst), C.double(value), C.double(maximum), C.int(how), &used))
	return float64(used), err
}

// Contours traces the outlines of an 8-bit mask, in pixels.
func Contours(mask *gocv.Mat, mode gocv.RetrievalMode, method gocv.ContourApproximationMode) ([][]image.Point, error) {
	var xy, ends *C.int32_t
	var n C.int
	if err := toError("findContours", C.fd_contours(ptr(mask), C.int(mode), C.int(method), &xy, &ends, &n)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(xy))
	defer C.free(unsafe.Pointer(ends))
	out := make([][]image.Point, int(n))
	if n == 0 {
		return out, nil
	}
	stops := unsafe.Slice(ends, int(n))
	flat := unsafe.Slice(xy, 2*int(stops[n-1]))
	start := 0
	for i, stop := range stops {
		out[i] = make([]image.Point, 0, int(stop)-start)
		for ; start < int(stop); start++ {
			out[i] = append(out[i], image.Point{X: int(flat[2*start]), Y: int(flat[2*start+1])})
		}
	}
	return out, nil
}

// Component is one connected region of a mask.
type Component struct {
	Bounds               image.Rectangle // px
	AreaPx               int             // pixels
	CentroidX, CentroidY float64
}

// Components labels the non-zero regions of an 8-bit mask into labels (CV_32S,
// 0 = background; component i of the result has label i+1). connectivity is 4
// or 8.
func Components(mask, labels *gocv.Mat, connectivity int) ([]Component, error) {
	var stats *C.int32_t
	var cent *C.double
	var n C.int
	if err := toError("connectedComponents", C.fd_components(ptr(mask), ptr(labels), C.int(connectivity), &stats, &cent, &n)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(stats))
	defer C.free(unsafe.Pointer(cent))
	s, c := unsafe.Slice(stats, 5*int(n)), unsafe.Slice(cent, 2*int(n))
	out := make([]Component, 0, max(0, int(n)-1))
	for i := 1; i < int(n); i++ {
		x, y := int(s[5*i]), int(s[5*i+1])
		out = append(out, Component{
			Bounds:    image.Rect(x, y, x+int(s[5*i+2]), y+int(s[5*i+3])),
			AreaPx:    int(s[5*i+4]),
			CentroidX: float64(c[2*i]), CentroidY: float64(c[2*i+1]),
		})
	}
	return out, nil
}

// LineSegments finds straight edges in an 8-bit grey picture by the LSD
// method (Grompone von Gioi et al. 2012): x0, y0, x1, y1 in pixels each.
func LineSegments(grey *gocv.Mat) ([][4]float32, error) {
	var seg *C.float
	var n C.int
	if err := toError("LineSegmentDetector", C.fd_line_segments(ptr(grey), &seg, &n)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(seg))
	out := make([][4]float32, int(n))
	flat := unsafe.Slice(seg, 4*int(n))
	for i := range out {
		for k := range 4 {
			out[i][k] = float32(flat[4*i+k])
		}
	}
	return out, nil
}

// Border says what lies beyond a picture's rim.
type Border int

// Borders as OpenCV numbers them.
const (
	BorderConstant  Border = 0 // the fill value
	BorderReplicate Border = 1 // the rim's own pixels
)

// WarpPerspective samples src at h(x, y) for every pixel (x, y) of a new dst
// of width x height: h maps dst to src, row-major 3 x 3.
func WarpPerspective(src, dst *gocv.Mat, h [9]float64, width, height int, how gocv.InterpolationFlags, border Border, fill float64) error {
	return toError("warpPerspective", C.fd_warp_perspective(ptr(src), ptr(dst), (*C.double)(&h[0]),
		C.int(width), C.int(height), C.int(how), C.int(border), C.double(fill)))
}

// Remap samples src at (mapX, mapY), two CV_32F Mats of dst's size, in pixels.
func Remap(src, dst, mapX, mapY *gocv.Mat, how gocv.InterpolationFlags, border Border, fill float64) error {
	return toError("remap", C.fd_remap(ptr(src), ptr(dst), ptr(mapX), ptr(mapY), C.int(how), C.int(border), C.double(fill)))
}

// Motion is the family of maps that ECC searches.
type Motion int

// Motions as OpenCV numbers them.
const (
	MotionTranslation Motion = 0
	MotionEuclidean   Motion = 1
	MotionAffine      Motion = 2
	MotionHomography  Motion = 3
)

// ECC refines warp (template pixels to source pixels, row-major; the third
// row is used by MotionHomography only) so that the source fits the template
// best (Evangelidis & Psarakis 2008), and returns the correlation, -1 to 1.
// Both Mats have one channel of 8 bits or float32; mask (source size, may be
// nil) limits the pixels; gauss is the odd size of the smoothing applied
// first. A search that does not converge is an *[Error], not an abort.
func ECC(template, source *gocv.Mat, warp [9]float64, motion Motion, iterations int, epsilon float64, mask *gocv.Mat, gauss int) ([9]float64, float64, error) {
	var cc C.double
	if err := toError("findTransformECC", C.fd_ecc(ptr(template), ptr(source), (*C.double)(&warp[0]), C.int(motion),
		C.int(iterations), C.double(epsilon), ptr(mask), C.int(gauss), &cc)); err != nil {
		return warp, 0, err
	}
	if motion != MotionHomography {
		warp[6], warp[7], warp[8] = 0, 0, 1
	}
	return warp, float64(cc), nil
}

// PhaseCorrelate returns the shift of b against a in pixels and the peak's
// response, 0 to 1. Both are one-channel floats of one size; window may be nil.
func PhaseCorrelate(a, b, window *gocv.Mat) (dx, dy, response float64, err error) {
	var x, y, r C.double
	err = toError("phaseCorrelate", C.fd_phase_correlate(ptr(a), ptr(b), ptr(window), &x, &y, &r))
	return float64(x), float64(y), float64(r), err
}
