package cv

import (
	"fmt"
	"runtime"

	"fairdeck/vision/frame"

	"gocv.io/x/gocv"
)

// Scope owns Mats and the Go memory that wrapped Mats point into. Close frees
// all of it; use one Scope per function:
//
//	s := cv.NewScope()
//	defer s.Close()
//	src, err := s.Wrap(img)
//
// A Scope belongs to one goroutine. Its Mats must not outlive it.
type Scope struct {
	mats   []*gocv.Mat
	pinner runtime.Pinner
}

// NewScope returns an empty Scope.
func NewScope() *Scope {
	// A failure to silence OpenCV costs noise on stderr, nothing else.
	_ = setup()
	return &Scope{}
}

// Close frees every Mat of the scope and unpins the memory it wrapped. The
// scope may be used again afterwards.
func (s *Scope) Close() {
	for i := len(s.mats) - 1; i >= 0; i-- {
		// gocv's Close frees and reports nothing.
		_ = s.mats[i].Close()
	}
	s.mats = nil
	s.pinner.Unpin()
}

// Mat returns a new empty Mat that the scope owns, for a call's result.
func (s *Scope) Mat() *gocv.Mat { return s.Own(gocv.NewMat()) }

// Own makes the scope the owner of a Mat and returns it.
func (s *Scope) Own(m gocv.Mat) *gocv.Mat {
	s.mats = append(s.mats, &m)
	return &m
}

// Wrap returns an 8-bit, 3-channel Mat (Height x Width, BGR) over the
// picture's own memory, without a copy. Writing to one changes the other.
func (s *Scope) Wrap(img *frame.Image) (*gocv.Mat, error) {
	if img.Empty() {
		return nil, ErrEmpty
	}
	if !img.Valid() {
		return nil, fmt.Errorf("the picture is %d x %d but has %d bytes", img.Width, img.Height, len(img.Pix))
	}
	return s.wrap(img.Height, img.Width, gocv.MatTypeCV8UC3, img.Pix)
}

// WrapBytes returns a Mat of bytes (rows x cols, channels 1 or 3) over data,
// without a copy. len(data) must be rows*cols*channels.
func (s *Scope) WrapBytes(rows, cols, channels int, data []byte) (*gocv.Mat, error) {
	mt, ok := map[int]gocv.MatType{1: gocv.MatTypeCV8UC1, 3: gocv.MatTypeCV8UC3}[channels]
	if !ok {
		return nil, fmt.Errorf("a Mat of %d channels is not supported", channels)
	}
	if rows <= 0 || cols <= 0 || len(data) == 0 {
		return nil, ErrEmpty
	}
	if len(data) != rows*cols*channels {
		return nil, fmt.Errorf("%d bytes do not make %d x %d x %d", len(data), rows, cols, channels)
	}
	return s.wrap(rows, cols, mt, data)
}

func (s *Scope) wrap(rows, cols int, mt gocv.MatType, data []byte) (*gocv.Mat, error) {
	s.pinner.Pin(&data[0])
	m, err := gocv.NewMatFromBytes(rows, cols, mt, data)
	if err != nil {
		return nil, &Error{Op: "Mat", Msg: err.Error()}
	}
	return s.Own(m), nil
}

// Image copies an 8-bit Mat of one or three channels into Go memory; one
// channel becomes three equal ones.
func Image(m *gocv.Mat) (*frame.Image, error) {
	if m == nil || m.Empty() {
		return nil, ErrEmpty
	}
	switch m.Type() {
	case gocv.MatTypeCV8UC1, gocv.MatTypeCV8UC3:
	default:
		return nil, &Error{Op: "Image", Msg: fmt.Sprintf("a Mat of type %v is not a picture of 8 bits and 1 or 3 channels", m.Type())}
	}
	if !m.IsContinuous() {
		return nil, &Error{Op: "Image", Msg: "the Mat is a view into another; clone it first"}
	}
	data, err := m.DataPtrUint8()
	if err != nil {
		return nil, &Error{Op: "Image", Msg: err.Error()}
	}
	img := frame.New(m.Cols(), m.Rows())
	if m.Channels() == 3 {
		copy(img.Pix, data)
		return img, nil
	}
	for i, v := range data[:img.Width*img.Height] {
		img.Pix[3*i], img.Pix[3*i+1], img.Pix[3*i+2] = v, v, v
	}
	return img, nil
}
