package cv

/*
#include <stdlib.h>
#include "gradient.h"
*/
import "C"

import (
	"fmt"

	"fairdeck/vision/frame"
)

// Structure is the colour gradient of a picture, one number per pixel and
// plane, summed over the three channels in codes (0 to 255) per pixel, Sobel
// 3 x 3:
//
//	Energy = sum gx^2 + gy^2,  Cos2 = sum gx^2 - gy^2,  Sin2 = sum 2 gx gy
//
// The squared derivative along a unit normal at angle a is
// (Energy + Cos2 cos 2a + Sin2 sin 2a) / 2 (Di Zenzo 1986, "A note on the
// gradient of a multi-image"): it has no sign, so that an edge between two
// colours of equal lightness counts like any other.
type Structure struct {
	Width, Height      int
	Energy, Cos2, Sin2 []float32
}

// StructureOf differentiates a picture. Pixels beyond the rim repeat it.
func StructureOf(img *frame.Image) (*Structure, error) {
	if img.Empty() {
		return nil, ErrEmpty
	}
	if !img.Valid() {
		return nil, fmt.Errorf("the picture is %d x %d but has %d bytes", img.Width, img.Height, len(img.Pix))
	}
	n := img.Width * img.Height
	mem := make([]float32, 3*n)
	s := &Structure{Width: img.Width, Height: img.Height, Energy: mem[:n:n], Cos2: mem[n : 2*n : 2*n], Sin2: mem[2*n:]}
	if err := toError("structure", C.fd_structure((*C.uint8_t)(&img.Pix[0]), C.int(img.Width), C.int(img.Height),
		(*C.float)(&s.Energy[0]), (*C.float)(&s.Cos2[0]), (*C.float)(&s.Sin2[0]))); err != nil {
		return nil, err
	}
	return s, nil
}

// Ridges marks with 1 the pixels whose energy is above floor and the largest
// among the two neighbours nearest to the gradient's direction (Canny's
// thinning); the rim stays 0. A picture below 3 x 3 has none.
func (s *Structure) Ridges(floor float32) ([]uint8, error) {
	out := make([]uint8, s.Width*s.Height)
	if s.Width < 3 || s.Height < 3 {
		return out, nil
	}
	return out, toError("ridge", C.fd_ridge((*C.float)(&s.Energy[0]), (*C.float)(&s.Cos2[0]), (*C.float)(&s.Sin2[0]),
		C.int(s.Width), C.int(s.Height), C.float(floor), (*C.uint8_t)(&out[0])))
}
