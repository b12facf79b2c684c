package cv

/*
#include "warp.h"
*/
import "C"

import (
	"fmt"
	"runtime"

	"fairdeck/vision/frame"
)

// Bicubic warps of pictures in Go memory. OpenCV's warpPerspective and remap
// do the same at two to four times the cost, from maps of places that have to
// be written to memory first. Places are rounded to 1/128 px (OpenCV: 1/32);
// pixels beyond the rim repeat it.

// WarpPlane draws a picture of w x h pixels, of which pixel (x, y) shows the
// place of src that toSrc, a homography row by row, maps (x, y, 1) to. Pixels
// of that row must lie in front of the horizon; it is an error otherwise.
func WarpPlane(src *frame.Image, toSrc [9]float64, w, h int) (*frame.Image, error) {
	if src.Empty() {
		return nil, ErrEmpty
	}
	if !src.Valid() || w < 1 || h < 1 {
		return nil, fmt.Errorf("warp of %d x %d pixels (%d bytes) to %d x %d", src.Width, src.Height, len(src.Pix), w, h)
	}
	if toSrc[8] < 0 {
		for i := range toSrc {
			toSrc[i] = -toSrc[i]
		}
	}
	dst := frame.New(w, h)
	err := toError("warpPlane", C.fd_warp_plane((*C.uint8_t)(&src.Pix[0]), C.int(src.Width), C.int(src.Height),
		(*C.uint8_t)(&dst.Pix[0]), C.int(w), C.int(h), (*C.double)(&toSrc[0])))
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// Field is a displacement (px) of the pixels of a view of Width x Height: that
// of the outline's sides near the outline, and of tiles inside it.
type Field struct {
	Width, Height int

	// TileDX and TileDY belong to the middles of TW x TH tiles of Tile pixels
	// and are interpolated between them.
	Tile, TW, TH   int
	TileDX, TileDY []float32

	// LeftDX and RightDX (one for each row) are shared out by Across (one for
	// each column, 0 at the left side and 1 at the right); TopDY and BottomDY
	// (by column) by Down (by row).
	LeftDX, RightDX, TopDY, BottomDY []float32
	Across, Down                     []float32

	// The lesser of BlendX (by column) and BlendY (by row), limited to 0..1,
	// is the share of the tiles.
	BlendX, BlendY []float32
}

func (f *Field) check() {
	if f.Width < 1 || f.Height < 1 || f.Tile < 1 || f.TW < 1 || f.TH < 1 {
		panic(fmt.Sprintf("cv: a field of %d x %d pixels in %d x %d tiles of %d", f.Width, f.Height, f.TW, f.TH, f.Tile))
	}
	checkLen("field: tiles", min(len(f.TileDX), len(f.TileDY)), f.TW*f.TH)
	checkLen("field: rows", min(len(f.LeftDX), len(f.RightDX), len(f.Down), len(f.BlendY)), f.Height)
	checkLen("field: columns", min(len(f.TopDY), len(f.BottomDY), len(f.Across), len(f.BlendX)), f.Width)
}

// WarpField writes into dst, for each pixel, what src shows at the pixel's
// place plus its displacement. Both are pictures of the field's size.
func WarpField(src, dst []byte, f *Field) error {
	f.check()
	checkLen("warp field", min(len(src), len(dst)), 3*f.Width*f.Height)
	var pin runtime.Pinner
	defer pin.Unpin()
	at := func(p []float32) *C.float {
		pin.Pin(&p[0])
		return first(p)
	}
	c := C.fd_field{
		width: C.int(f.Width), height: C.int(f.Height), tile: C.int(f.Tile), tw: C.int(f.TW), th: C.int(f.TH),
		tile_dx: at(f.TileDX), tile_dy: at(f.TileDY), left_dx: at(f.LeftDX), right_dx: at(f.RightDX),
		top_dy: at(f.TopDY), bottom_dy: at(f.BottomDY), across: at(f.Across), down: at(f.Down),
		blend_x: at(f.BlendX), blend_y: at(f.BlendY),
	}
	return toError("warpField", C.fd_warp_field((*C.uint8_t)(&src[0]), (*C.uint8_t)(&dst[0]), &c))
}
