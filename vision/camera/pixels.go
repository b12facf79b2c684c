package camera

import (
	"fmt"
	"math"

	"fairdeck/vision/camera/v4l2"
	"fairdeck/vision/frame"
)

// convert turns the pixels of a camera into a picture. Interleaved and planar
// YCbCr become R'G'B' by the matrix that the driver states (BT.601 in the
// range of television where it states none, as webcams mean it); chroma, which
// two pixels or four share, is repeated, not smoothed: what is sharp in the
// picture is in the luma.
func convert(f v4l2.Format, data []byte) (*frame.Image, error) {
	w, h, line := f.Width, f.Height, f.BytesPerLine
	if w <= 0 || h <= 0 || w > MaxPixels/h {
		return nil, fmt.Errorf("a frame of %d x %d pixels", w, h)
	}
	least, rows := w, h // bytes a line, lines
	switch f.FourCC {
	case v4l2.YUYV:
		least = 2 * w
	case v4l2.NV12:
		rows = h + (h+1)/2
	case v4l2.BGR3, v4l2.RGB3:
		least = 3 * w
	default:
		return nil, fmt.Errorf("pixels of kind %v are not read", f.FourCC)
	}
	if (f.FourCC == v4l2.YUYV || f.FourCC == v4l2.NV12) && w%2 != 0 {
		return nil, fmt.Errorf("a width of %d, which does not fit %v", w, f.FourCC)
	}
	line = max(line, least)
	// The last line may lack its padding.
	if need := line*(rows-1) + least; len(data) < need {
		return nil, fmt.Errorf("a frame of %d bytes instead of %d", len(data), need)
	}
	out := frame.New(w, h)
	t := newYCbCr(f.Colour.Matrix())
	for y := range h {
		row, src := out.Row(y), data[y*line:]
		switch f.FourCC {
		case v4l2.YUYV:
			for x := 0; x < w; x += 2 {
				p := src[2*x : 2*x+4 : 2*x+4]
				t.put(row[3*x:], p[0], p[1], p[3])
				t.put(row[3*x+3:], p[2], p[1], p[3])
			}
		case v4l2.NV12:
			chroma := data[(h+y/2)*line:]
			for x := 0; x < w; x += 2 {
				t.put(row[3*x:], src[x], chroma[x], chroma[x+1])
				t.put(row[3*x+3:], src[x+1], chroma[x], chroma[x+1])
			}
		case v4l2.BGR3:
			copy(row, src[:3*w])
		case v4l2.RGB3:
			for x := 0; x < 3*w; x += 3 {
				row[x], row[x+1], row[x+2] = src[x+2], src[x+1], src[x]
			}
		}
	}
	return out, nil
}

// yCbCr holds the terms of the conversion in 65536ths.
//
//	R = Y + 2(1-KR) Cr
//	G = Y - 2 KB(1-KB)/KG Cb - 2 KR(1-KR)/KG Cr        (ITU-R BT.601-7, 2.5)
//	B = Y + 2(1-KB) Cb
type yCbCr struct {
	luma                            [256]int32
	redCr, greenCb, greenCr, blueCb [256]int32
}

func newYCbCr(m v4l2.Matrix) *yCbCr {
	t := &yCbCr{}
	kg := 1 - m.KR - m.KB
	fixed := func(v float64) int32 { return int32(math.Round(v * 65536)) }
	for i := range 256 {
		y, c := float64(i), float64(i)-128
		if !m.Full {
			y, c = (y-16)*255/219, c*255/224
		}
		t.luma[i] = fixed(y) + 1<<15 // rounds
		t.redCr[i] = fixed(2 * (1 - m.KR) * c)
		t.blueCb[i] = fixed(2 * (1 - m.KB) * c)
		t.greenCb[i] = fixed(-2 * m.KB * (1 - m.KB) / kg * c)
		t.greenCr[i] = fixed(-2 * m.KR * (1 - m.KR) / kg * c)
	}
	return t
}

func (t *yCbCr) put(dst []uint8, y, cb, cr uint8) {
	l := t.luma[y]
	dst[0] = clip(l + t.blueCb[cb])
	dst[1] = clip(l + t.greenCb[cb] + t.greenCr[cr])
	dst[2] = clip(l + t.redCr[cr])
}

func clip(v int32) uint8 { return uint8(min(max(v>>16, 0), 255)) }
