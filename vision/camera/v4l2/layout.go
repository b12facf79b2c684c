package v4l2

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The kernel's structures as bytes, for 64-bit systems. Sizes, places and
// request numbers are checked against linux/videodev2.h by a test that
// compiles a C program.

// order is the byte order of the systems that are supported.
var order = binary.LittleEndian

// Sizes of the structures.
const (
	sizeCapability  = 104
	sizeFmtDesc     = 64
	sizeFrmSize     = 44
	sizeFrmIval     = 52
	sizeFormat      = 208
	sizeStreamParm  = 204
	sizeReqBufs     = 20
	sizeBuffer      = 88
	sizeQueryCtrl   = 68
	sizeControl     = 8
	sizeInt         = 4
	bufTypeCapture  = 1
	memoryMMap      = 1
	fieldNone       = 1
	frmDiscrete     = 1
	frmContinuous   = 2
	frmStepwise     = 3
	capTimePerFrame = 0x1000
	ctrlNext        = 0x80000000
	fmtEmulated     = 2

	bufFlagError     = 0x0040
	bufTimestampMask = 0xe000
	bufTimestampMono = 0x2000
)

// request makes the number of an ioctl (asm-generic/ioctl.h).
func request(dir, nr, size uintptr) uintptr { return dir<<30 | size<<16 | 'V'<<8 | nr }

const (
	dirW  = 1
	dirR  = 2
	dirWR = dirW | dirR
)

// The requests.
var (
	vidiocQueryCap  = request(dirR, 0, sizeCapability)
	vidiocEnumFmt   = request(dirWR, 2, sizeFmtDesc)
	vidiocGFmt      = request(dirWR, 4, sizeFormat)
	vidiocSFmt      = request(dirWR, 5, sizeFormat)
	vidiocReqBufs   = request(dirWR, 8, sizeReqBufs)
	vidiocQueryBuf  = request(dirWR, 9, sizeBuffer)
	vidiocQBuf      = request(dirWR, 15, sizeBuffer)
	vidiocDQBuf     = request(dirWR, 17, sizeBuffer)
	vidiocStreamOn  = request(dirW, 18, sizeInt)
	vidiocStreamOff = request(dirW, 19, sizeInt)
	vidiocSParm     = request(dirWR, 22, sizeStreamParm)
	vidiocGCtrl     = request(dirWR, 27, sizeControl)
	vidiocSCtrl     = request(dirWR, 28, sizeControl)
	vidiocQueryCtrl = request(dirWR, 36, sizeQueryCtrl)
	vidiocFrmSizes  = request(dirWR, 74, sizeFrmSize)
	vidiocFrmIvals  = request(dirWR, 75, sizeFrmIval)
)

func u32(b []byte, at int) uint32    { return order.Uint32(b[at:]) }
func put(b []byte, at int, v uint32) { order.PutUint32(b[at:], v) }
func size32(b []byte, at int) int    { return int(min(u32(b, at), math.MaxInt32)) }
func text(b []byte, at, n int) string {
	s, _, _ := bytes.Cut(b[at:at+n], []byte{0})
	// A driver's text goes to terminals and reports.
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, string(s))
	return strings.TrimSpace(clean)
}

func parseCapability(b []byte) Capability {
	c := Capability{Driver: text(b, 0, 16), Card: text(b, 16, 32), Bus: text(b, 48, 32), Version: u32(b, 80), Caps: u32(b, 84)}
	if c.Caps&capDeviceCaps != 0 {
		c.Caps = u32(b, 88)
	}
	return c
}

func putFmtDesc(index uint32) []byte {
	b := make([]byte, sizeFmtDesc)
	put(b, 0, index)
	put(b, 4, bufTypeCapture)
	return b
}

func parseFmtDesc(b []byte) FormatDesc {
	return FormatDesc{FourCC: FourCC(u32(b, 44)), Description: text(b, 12, 32), Emulated: u32(b, 8)&fmtEmulated != 0}
}

func putFrmSize(index uint32, f FourCC) []byte {
	b := make([]byte, sizeFrmSize)
	put(b, 0, index)
	put(b, 4, uint32(f))
	return b
}

// parseFrmSize returns a size on offer; more is false where it is a range,
// which is all there is. ok is false for what makes no sense.
func parseFrmSize(b []byte) (s SizeRange, more, ok bool) {
	switch u32(b, 8) {
	case frmDiscrete:
		w, h := size32(b, 12), size32(b, 16)
		s, more = SizeRange{w, w, 1, h, h, 1}, true
	case frmContinuous, frmStepwise:
		s = SizeRange{size32(b, 12), size32(b, 16), max(size32(b, 20), 1), size32(b, 24), size32(b, 28), max(size32(b, 32), 1)}
	}
	ok = s.MinWidth > 0 && s.MinHeight > 0 && s.MinWidth <= s.MaxWidth && s.MinHeight <= s.MaxHeight
	return s, more, ok
}

func putFrmIval(index uint32, f FourCC, width, height int) []byte {
	b := make([]byte, sizeFrmIval)
	put(b, 0, index)
	put(b, 4, uint32(f))
	put(b, 8, uint32(width))
	put(b, 12, uint32(height))
	return b
}

// rate turns seconds a frame, as a fraction, into frames a second; 0 for what
// makes no sense.
func rate(num, den uint32) float64 {
	if num == 0 || den == 0 {
		return 0
	}
	if r := float64(den) / float64(num); r >= 0.01 && r <= 10_000 {
		return r
	}
	return 0
}

// parseFrmIval is as parseFrmSize, for rates.
func parseFrmIval(b []byte) (r RateRange, more, ok bool) {
	switch u32(b, 16) {
	case frmDiscrete:
		v := rate(u32(b, 20), u32(b, 24))
		r, more = RateRange{v, v}, true
	case frmContinuous, frmStepwise:
		// The longest interval is the lowest rate.
		r = RateRange{rate(u32(b, 28), u32(b, 32)), rate(u32(b, 20), u32(b, 24))}
	}
	return r, more, r.Min > 0 && r.Min <= r.Max
}

func putFormat(f Format) []byte {
	b := make([]byte, sizeFormat)
	put(b, 0, bufTypeCapture)
	put(b, 8, uint32(f.Width))
	put(b, 12, uint32(f.Height))
	put(b, 16, uint32(f.FourCC))
	put(b, 20, fieldNone)
	return b
}

func parseFormat(b []byte) Format {
	return Format{
		Width: size32(b, 8), Height: size32(b, 12), FourCC: FourCC(u32(b, 16)),
		Interlaced:   u32(b, 20) > fieldNone,
		BytesPerLine: size32(b, 24), SizeImage: size32(b, 28),
		Colour: Colour{Space: u32(b, 32), Encoding: u32(b, 44), Quantization: u32(b, 48)},
	}
}

// putRate asks for a rate as a fraction of thousandths, which also says 29.97
// well enough for a driver to find its nearest.
func putRate(fps float64) []byte {
	b := make([]byte, sizeStreamParm)
	put(b, 0, bufTypeCapture)
	put(b, 12, 1000)
	put(b, 16, uint32(math.Round(min(max(fps, 0.01), 10_000)*1000)))
	if fps == math.Trunc(fps) {
		put(b, 12, 1)
		put(b, 16, uint32(min(max(fps, 1), 10_000)))
	}
	return b
}

// parseRate is the rate that the driver chose; 0 where it has no say in it.
func parseRate(b []byte) float64 {
	if u32(b, 4)&capTimePerFrame == 0 {
		return 0
	}
	return rate(u32(b, 12), u32(b, 16))
}

func parseQueryCtrl(b []byte) Control {
	return Control{ID: ControlID(u32(b, 0)), Type: u32(b, 4), Name: text(b, 8, 32),
		Min: int32(u32(b, 40)), Max: int32(u32(b, 44)), Step: int32(u32(b, 48)), Default: int32(u32(b, 52)), Flags: u32(b, 56)}
}

func putBuffer(index uint32) []byte {
	b := make([]byte, sizeBuffer)
	put(b, 0, index)
	put(b, 4, bufTypeCapture)
	put(b, 60, memoryMMap)
	return b
}

// buffer is what the kernel says of one of its buffers.
type buffer struct {
	index, used, offset, length int
	Buffer                      // without Data
}

func parseBuffer(b []byte) buffer {
	out := buffer{index: size32(b, 0), used: size32(b, 8), offset: size32(b, 64), length: size32(b, 72)}
	flags := u32(b, 12)
	out.Sequence, out.Damaged = u32(b, 56), flags&bufFlagError != 0
	sec, usec := int64(order.Uint64(b[24:])), int64(order.Uint64(b[32:]))
	// A century of seconds, and microseconds of one second.
	if flags&bufTimestampMask == bufTimestampMono && sec >= 0 && sec < 100*365*24*3600 && usec >= 0 && usec < 1_000_000 {
		out.Clock, out.HasClock = time.Duration(sec)*time.Second+time.Duration(usec)*time.Microsecond, true
	}
	return out
}
