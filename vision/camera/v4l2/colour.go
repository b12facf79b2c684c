package v4l2

// The kernel's numbers for how YCbCr is meant (videodev2.h).
const (
	spaceRec709 = 3
	spaceJPEG   = 7
	spaceBT2020 = 10

	enc601  = 1
	enc709  = 2
	enc2020 = 6

	quantFull    = 1
	quantLimited = 2
)

// Matrix says how YCbCr becomes RGB: the weights of red and blue in luma, and
// whether values fill 0 to 255 or the range of television (luma 16 to 235,
// chroma 16 to 240).
type Matrix struct {
	KR, KB float64
	Full   bool
}

// Matrix resolves the defaults as videodev2.h's
// V4L2_MAP_YCBCR_ENC_DEFAULT and V4L2_MAP_QUANTIZATION_DEFAULT do: Rec. 709
// and BT.2020 have their own weights, all others those of BT.601; JPEG fills
// the whole range, all others that of television.
func (c Colour) Matrix() Matrix {
	enc := c.Encoding
	if enc == 0 {
		switch c.Space {
		case spaceRec709:
			enc = enc709
		case spaceBT2020:
			enc = enc2020
		default:
			enc = enc601
		}
	}
	m := Matrix{KR: 0.299, KB: 0.114} // ITU-R BT.601
	switch enc {
	case enc709:
		m.KR, m.KB = 0.2126, 0.0722 // ITU-R BT.709
	case enc2020:
		m.KR, m.KB = 0.2627, 0.0593 // ITU-R BT.2020
	}
	quant := c.Quantization
	if quant == 0 {
		quant = quantLimited
		if c.Space == spaceJPEG {
			quant = quantFull
		}
	}
	m.Full = quant == quantFull
	return m
}
