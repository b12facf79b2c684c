package cv

/*
#include <stdlib.h>
#include "codec.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"fairdeck/vision/frame"
)

// MaxPixels is the largest picture that Decode accepts. 200 million pixels
// (600 MB decoded) is twice the largest phone sensor; a header that asks for
// more is a damaged or hostile file.
const MaxPixels = 200_000_000

// Decode reads one still picture (JPEG, PNG, TIFF, WebP, BMP: what the
// OpenCV at hand was built with) as 8-bit BGR. The EXIF orientation is
// honoured; transparency is dropped; 16-bit and CMYK are converted.
//
// width and height are the size that the file's header states, before the
// EXIF turn. They are checked against [MaxPixels] before any memory is
// taken; the caller has read them without decoding.
//
// Decode does not notice a file that was cut off: OpenCV fills the rest with
// grey. Callers check the file's structure first.
func Decode(data []byte, width, height int) (*frame.Image, error) {
	if len(data) == 0 || width <= 0 || height <= 0 {
		return nil, ErrEmpty
	}
	if width > MaxPixels/height {
		return nil, &Error{Op: "imdecode", Msg: fmt.Sprintf("%d x %d pixels is more than the %d million that are accepted", width, height, MaxPixels/1_000_000)}
	}
	if err := setup(); err != nil {
		return nil, err
	}
	var rows, cols C.int
	var pixels unsafe.Pointer
	if err := toError("imdecode", C.fd_decode_bgr(
		(*C.uint8_t)(&data[0]), C.size_t(len(data)), &rows, &cols, &pixels)); err != nil {
		return nil, err
	}
	if int(cols)*int(rows) > MaxPixels {
		C.fd_decode_take(pixels, nil)
		return nil, &Error{Op: "imdecode", Msg: fmt.Sprintf("%d x %d pixels is not what the header said", cols, rows)}
	}
	img := frame.New(int(cols), int(rows))
	C.fd_decode_take(pixels, (*C.uint8_t)(&img.Pix[0]))
	return img, nil
}

// EncodeJPEG compresses a picture; quality is 1 to 100.
func EncodeJPEG(img *frame.Image, quality int) ([]byte, error) {
	if quality < 1 || quality > 100 {
		return nil, fmt.Errorf("JPEG quality %d, want 1 to 100", quality)
	}
	return encode(".jpg", img, 1 /* IMWRITE_JPEG_QUALITY */, quality)
}

// EncodePNG compresses a picture without loss; level is 0 (fast) to 9.
func EncodePNG(img *frame.Image, level int) ([]byte, error) {
	if level < 0 || level > 9 {
		return nil, fmt.Errorf("PNG level %d, want 0 to 9", level)
	}
	return encode(".png", img, 16 /* IMWRITE_PNG_COMPRESSION */, level)
}

func encode(ext string, img *frame.Image, param, value int) ([]byte, error) {
	if img.Empty() {
		return nil, ErrEmpty
	}
	if !img.Valid() {
		return nil, fmt.Errorf("the picture is %d x %d but has %d bytes", img.Width, img.Height, len(img.Pix))
	}
	if err := setup(); err != nil {
		return nil, err
	}
	e := C.CString(ext)
	defer C.free(unsafe.Pointer(e))
	var out *C.uint8_t
	var n C.size_t
	if err := toError("imencode", C.fd_encode(e, (*C.uint8_t)(&img.Pix[0]),
		C.int(img.Height), C.int(img.Width), C.int(param), C.int(value), &out, &n)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(out))
	return C.GoBytes(unsafe.Pointer(out), C.int(n)), nil
}
