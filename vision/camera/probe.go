package camera

import (
	"fmt"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
)

// Formats are all formats that are read.
func Formats() []Format { return []Format{JPEG, PNG, TIFF, WebP, BMP} }

// Probe decodes a tiny picture of a format, to find out whether the OpenCV at
// hand was built with its codec.
func Probe(f Format) error {
	data, err := probeSample(f)
	if err != nil {
		return err
	}
	h, err := walk(f, data)
	if err != nil {
		return err
	}
	_, err = cv.Decode(data, h.width, h.height)
	return err
}

// probeSample is one black pixel in the given format: encoded at hand for the
// formats that reports are written in, spelt out for the others.
func probeSample(f Format) ([]byte, error) {
	switch f {
	case JPEG:
		return cv.EncodeJPEG(frame.New(1, 1), 90)
	case PNG:
		return cv.EncodePNG(frame.New(1, 1), 1)
	case WebP: // lossless
		return []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), nil
	case BMP: // 24 bits, rows padded to four bytes
		return []byte("BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00" +
			"\x28\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00" +
			"\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
			"\x00\x00\x00\x00"), nil
	case TIFF: // grey, one strip at byte 8
		return []byte("II*\x00\x0a\x00\x00\x00\x00\x00" + "\x08\x00" +
			"\x00\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // width
			"\x01\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // height
			"\x02\x01\x03\x00\x01\x00\x00\x00\x08\x00\x00\x00" + // bits
			"\x03\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // no compression
			"\x06\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // black is zero
			"\x11\x01\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00" + // strip
			"\x16\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // rows in it
			"\x17\x01\x04\x00\x01\x00\x00\x00\x01\x00\x00\x00" + // bytes in it
			"\x00\x00\x00\x00"), nil
	}
	return nil, fmt.Errorf("format %q has no sample", f)
}
