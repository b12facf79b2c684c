package v4l2

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Device is an open video device that captures. Its methods are called by one
// goroutine; any may hang in a driver, except for Dequeue's wait, which ctx
// ends.
type Device interface {
	Capability() (Capability, error)
	Formats() ([]FormatDesc, error)
	Sizes(f FourCC) ([]SizeRange, error)
	Rates(f FourCC, width, height int) ([]RateRange, error)

	// Controls lists the controls that are not disabled.
	Controls() ([]Control, error)
	Get(id ControlID) (int32, error)
	Set(id ControlID, value int32) error

	Format() (Format, error)
	// SetFormat asks for a format and returns the one the driver chose.
	SetFormat(f Format) (Format, error)
	// SetRate asks for frames a second and returns what the driver chose, 0
	// where it does not say.
	SetRate(fps float64) (float64, error)

	Start(buffers int) error
	// Dequeue waits for the next frame.
	Dequeue(ctx context.Context) (*Buffer, error)
	Stop() error
	Close() error
}

// Errors that callers tell apart; they match with errors.Is.
var (
	ErrGone        = errors.New("the device is gone")                          // unplugged
	ErrBusy        = errors.New("another program uses the device")             // EBUSY
	ErrDenied      = errors.New("no right to open the device")                 // EACCES, EPERM
	ErrMissing     = errors.New("no such device")                              // ENOENT, ENXIO
	ErrNoCapture   = errors.New("the device does not capture video")           // output, metadata, radio
	ErrPlanar      = errors.New("the device has planar buffers")               // CSI bridges
	ErrUnsupported = errors.New("the driver does not know this")               // ENOTTY, EINVAL
	ErrSystem      = errors.New("video devices are read on 64-bit Linux only") // other systems
)

// Error is a call to the kernel that failed.
type Error struct {
	Op   string // "VIDIOC_S_FMT"
	Path string
	Err  error // one of the above, or the system's
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Path, e.Op, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// FourCC is a pixel format's code of four letters.
type FourCC uint32

// The formats that fairdeck can turn into pictures.
const (
	MJPG FourCC = 'M' | 'J'<<8 | 'P'<<16 | 'G'<<24 // Motion JPEG
	JPEG FourCC = 'J' | 'P'<<8 | 'E'<<16 | 'G'<<24
	YUYV FourCC = 'Y' | 'U'<<8 | 'Y'<<16 | 'V'<<24 // 4:2:2, 2 bytes a pixel
	NV12 FourCC = 'N' | 'V'<<8 | '1'<<16 | '2'<<24 // 4:2:0, luma and then chroma
	BGR3 FourCC = 'B' | 'G'<<8 | 'R'<<16 | '3'<<24
	RGB3 FourCC = 'R' | 'G'<<8 | 'B'<<16 | '3'<<24
)

// String is the code, with unprintable letters as question marks.
func (f FourCC) String() string {
	b := []byte{byte(f), byte(f >> 8), byte(f >> 16), byte(f>>24) &^ 0x80} // the high bit marks big-endian variants
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

// Capability is what a device says of itself.
type Capability struct {
	Driver, Card, Bus string
	Version           uint32
	Caps              uint32 // of this node
}

// Capability bits (videodev2.h, "Values for 'capabilities' field").
const (
	capVideoCapture       = 0x00000001
	capVideoCaptureMPlane = 0x00001000
	capStreaming          = 0x04000000
	capDeviceCaps         = 0x80000000
)

// Captures reports whether frames can be streamed from the device.
func (c Capability) Captures() bool {
	return c.Caps&capVideoCapture != 0 && c.Caps&capStreaming != 0
}

// Planar reports a device that captures, but only into planar buffers, which
// are not read.
func (c Capability) Planar() bool {
	return c.Caps&capVideoCapture == 0 && c.Caps&capVideoCaptureMPlane != 0
}

// FormatDesc is a pixel format on offer.
type FormatDesc struct {
	FourCC      FourCC
	Description string
	Emulated    bool // made by software from another one
}

// SizeRange is a frame size on offer, or a range of them.
type SizeRange struct {
	MinWidth, MaxWidth, StepWidth    int // px
	MinHeight, MaxHeight, StepHeight int
}

// Discrete reports a single size.
func (s SizeRange) Discrete() bool { return s.MinWidth == s.MaxWidth && s.MinHeight == s.MaxHeight }

// Fit is the size in the range that is nearest to the given one.
func (s SizeRange) Fit(width, height int) (w, h int) {
	fit := func(v, lo, hi, step int) int {
		v = min(max(v, lo), hi)
		return lo + (v-lo)/max(step, 1)*max(step, 1)
	}
	return fit(width, s.MinWidth, s.MaxWidth, s.StepWidth), fit(height, s.MinHeight, s.MaxHeight, s.StepHeight)
}

// RateRange is a frame rate on offer, or a range of them, in frames a second.
type RateRange struct{ Min, Max float64 }

// Format is what a device delivers.
type Format struct {
	FourCC        FourCC
	Width, Height int
	BytesPerLine  int
	SizeImage     int
	Interlaced    bool
	Colour        Colour
}

// Colour says how YCbCr values are meant; the fields are those of the kernel,
// 0 meaning the default of the colour space.
type Colour struct {
	Space, Encoding, Quantization uint32
}

// Buffer is a frame as it came, in memory of its own.
type Buffer struct {
	Data     []byte
	Sequence uint32 // counts the frames of the device, the lost ones too
	// Clock is when the frame was taken, by the kernel's monotonic clock;
	// HasClock is false where the driver tells another kind of time.
	Clock    time.Duration
	HasClock bool
	Damaged  bool // the driver says that data was lost on the way
}

// ControlID names a control.
type ControlID uint32

// The controls that are locked for an inspection (videodev2.h and
// v4l2-controls.h).
const (
	WhiteBalanceAuto   ControlID = 0x00980900 + 12
	GainAuto           ControlID = 0x00980900 + 18
	Gain               ControlID = 0x00980900 + 19
	PowerLineFrequency ControlID = 0x00980900 + 24
	WhiteBalance       ControlID = 0x00980900 + 26 // kelvin
	Backlight          ControlID = 0x00980900 + 28
	ExposureAuto       ControlID = 0x009a0900 + 1 // see ExposureManual
	ExposureTime       ControlID = 0x009a0900 + 2 // 100 µs
	ExposurePriority   ControlID = 0x009a0900 + 3 // 1: the rate may fall for a longer exposure
	Focus              ControlID = 0x009a0900 + 10
	FocusAuto          ControlID = 0x009a0900 + 12
)

// ExposureManual is the value of ExposureAuto for a fixed time and aperture.
const ExposureManual = 1

// Control describes a control.
type Control struct {
	ID                      ControlID
	Name                    string // as the driver calls it
	Type                    uint32
	Min, Max, Step, Default int32
	Flags                   uint32
}

// Control flags (videodev2.h, "Control flags").
const (
	flagDisabled = 0x0001
	flagGrabbed  = 0x0002
	flagReadOnly = 0x0004
	flagInactive = 0x0010
)

// ReadOnly reports a control that cannot be set.
func (c Control) ReadOnly() bool { return c.Flags&(flagReadOnly|flagGrabbed) != 0 }

// Inactive reports a control that has no effect now, such as the focus while
// the autofocus is on.
func (c Control) Inactive() bool { return c.Flags&flagInactive != 0 }
