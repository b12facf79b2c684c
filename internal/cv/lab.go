package cv

/*
#include "lab.h"
*/
import "C"

// LabDifference writes the CIELAB colours (D65, from sRGB codes B, G, R) of a
// picture less those of lab into out, within 1e-3; 0 where mask is 0 or skip
// is not. light is the linear light of the codes 0 to 255.
func LabDifference(pix []byte, lab [3][]float32, mask []float32, skip []byte, light []float32, out [3][]float32) {
	n := len(mask)
	checkPlanes("lab difference", n, 1, lab[0], lab[1], lab[2], out[0], out[1], out[2])
	checkLen("lab difference", min(len(pix)/3, len(skip)), n)
	checkLen("lab difference: light", len(light), 256)
	must(toError("labDifference", C.fd_lab_difference((*C.uint8_t)(&pix[0]), first(lab[0]), first(lab[1]), first(lab[2]), first(mask),
		(*C.uint8_t)(&skip[0]), first(light), C.size_t(n), first(out[0]), first(out[1]), first(out[2]))))
}

// Lengths writes the Euclidean length of (v[0], v[1], v[2]) for each element.
func Lengths(v [3][]float32, out []float32) {
	n := len(out)
	if n == 0 {
		return
	}
	checkPlanes("lengths", n, 1, v[0], v[1], v[2])
	must(toError("lengths", C.fd_lengths(first(v[0]), first(v[1]), first(v[2]), C.size_t(n), first(out))))
}

// DeltaEMap writes, for each element, ten times the CIEDE2000 difference
// between lab and lab + diff, rounded, at most 255 and within a tenth or two:
// a picture to look at. colour.DeltaE2000 is for numbers.
func DeltaEMap(lab, diff [3][]float32, tenths []byte) {
	n := len(tenths)
	if n == 0 {
		return
	}
	checkPlanes("delta E", n, 1, lab[0], lab[1], lab[2], diff[0], diff[1], diff[2])
	must(toError("deltaEMap", C.fd_delta_e_map(first(lab[0]), first(lab[1]), first(lab[2]), first(diff[0]), first(diff[1]), first(diff[2]),
		C.size_t(n), (*C.uint8_t)(&tenths[0]))))
}
