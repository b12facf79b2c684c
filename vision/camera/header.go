package camera

import (
	"fmt"
)

// header is what a file says of its picture.
type header struct {
	width, height int // px, before any turn
	orientation   int // EXIF 1 to 8; 0 not stated
	notes         []string
}

// upright is the size after the turn that the orientation asks for.
func (h header) upright() (width, height int) {
	if h.orientation >= 5 {
		return h.height, h.width
	}
	return h.width, h.height
}

// structureError is a file that is not whole.
type structureError struct {
	problem Problem
	text    string
}

func (e *structureError) Error() string { return e.text }

func truncatedf(format string, args ...any) error {
	return &structureError{Truncated, fmt.Sprintf(format, args...)}
}

func damagedf(format string, args ...any) error {
	return &structureError{Damaged, fmt.Sprintf(format, args...)}
}

func unsupportedf(format string, args ...any) error {
	return &structureError{Unsupported, fmt.Sprintf(format, args...)}
}

// walk reads the header of a whole file and follows its structure to the end.
// It takes no memory beyond a few bytes whatever the file asks for.
func walk(format Format, data []byte) (header, error) {
	var h header
	var err error
	switch format {
	case JPEG:
		h, err = walkJPEG(data)
	case PNG:
		h, err = walkPNG(data)
	case TIFF:
		h, err = walkTIFF(data)
	case WebP:
		h, err = walkWebP(data)
	case BMP:
		h, err = walkBMP(data)
	default:
		return h, fmt.Errorf("format %q has no walker", format)
	}
	if err != nil {
		return h, err
	}
	if h.width <= 0 || h.height <= 0 {
		return h, damagedf("the header says %d x %d pixels", h.width, h.height)
	}
	if h.width > MaxPixels/h.height {
		return h, &structureError{TooLarge, fmt.Sprintf("the header asks for %d x %d pixels, more than the %d million that are accepted",
			h.width, h.height, MaxPixels/1_000_000)}
	}
	return h, nil
}
