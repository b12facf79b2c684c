package cv_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// Every call that takes Mats, each with a plausible setting.
var calls = map[string]func(s *cv.Scope, m *gocv.Mat) error{
	"resize":   func(s *cv.Scope, m *gocv.Mat) error { return cv.Resize(m, s.Mat(), 8, 8, gocv.InterpolationArea) },
	"cvtColor": func(s *cv.Scope, m *gocv.Mat) error { return cv.CvtColor(m, s.Mat(), gocv.ColorBGRToGray) },
	"convert":  func(s *cv.Scope, m *gocv.Mat) error { return cv.Convert(m, s.Mat(), gocv.MatTypeCV32F, 1, 0) },
	"gaussian": func(s *cv.Scope, m *gocv.Mat) error { return cv.GaussianBlur(m, s.Mat(), 0, 1.5) },
	"median":   func(s *cv.Scope, m *gocv.Mat) error { return cv.MedianBlur(m, s.Mat(), 5) },
	"sobel":    func(s *cv.Scope, m *gocv.Mat) error { return cv.Sobel(m, s.Mat(), gocv.MatTypeCV32F, 1, 0, 3, 1) },
	"canny":    func(s *cv.Scope, m *gocv.Mat) error { return cv.Canny(m, s.Mat(), 30, 90, 3, true) },
	"morphology": func(s *cv.Scope, m *gocv.Mat) error {
		return cv.Morphology(m, s.Mat(), gocv.MorphClose, gocv.MorphRect, 3, 3, 1)
	},
	"threshold": func(s *cv.Scope, m *gocv.Mat) error {
		_, err := cv.Threshold(m, s.Mat(), 0, 255, gocv.ThresholdOtsu)
		return err
	},
	"contours": func(s *cv.Scope, m *gocv.Mat) error {
		_, err := cv.Contours(m, gocv.RetrievalList, gocv.ChainApproxNone)
		return err
	},
	"components": func(s *cv.Scope, m *gocv.Mat) error { _, err := cv.Components(m, s.Mat(), 8); return err },
	"segments":   func(s *cv.Scope, m *gocv.Mat) error { _, err := cv.LineSegments(m); return err },
	"perspective": func(s *cv.Scope, m *gocv.Mat) error {
		return cv.WarpPerspective(m, s.Mat(), [9]float64{0: 1, 4: 1, 8: 1}, 8, 8, gocv.InterpolationLinear, cv.BorderConstant, 0)
	},
	"remap": func(s *cv.Scope, m *gocv.Mat) error {
		return cv.Remap(m, s.Mat(), m, m, gocv.InterpolationLinear, cv.BorderConstant, 0)
	},
	"ecc": func(s *cv.Scope, m *gocv.Mat) error {
		_, _, err := cv.ECC(m, m, [9]float64{0: 1, 4: 1, 8: 1}, cv.MotionHomography, 20, 1e-6, nil, 5)
		return err
	},
	"chessboard": func(s *cv.Scope, m *gocv.Mat) error { _, err := cv.ChessboardSB(m, 9, 6, true); return err },
	"classic":    func(s *cv.Scope, m *gocv.Mat) error { _, err := cv.ChessboardClassic(m, 9, 6); return err },
	"part":       func(s *cv.Scope, m *gocv.Mat) error { _, _, _, err := cv.ChessboardPart(m); return err },
	"subpix": func(s *cv.Scope, m *gocv.Mat) error {
		_, err := cv.CornerSubPix(m, []plane.Point{{X: 3, Y: 3}}, 2)
		return err
	},
	"phase": func(s *cv.Scope, m *gocv.Mat) error { _, _, _, err := cv.PhaseCorrelate(m, m, nil); return err },
}

func TestHostileMatsGiveErrorsNotAborts(t *testing.T) {
	mats := map[string]func() gocv.Mat{
		"empty":      gocv.NewMat,
		"1x1 8U":     func() gocv.Mat { return gocv.NewMatWithSize(1, 1, gocv.MatTypeCV8UC1) },
		"1x1 8UC3":   func() gocv.Mat { return gocv.NewMatWithSize(1, 1, gocv.MatTypeCV8UC3) },
		"4 channels": func() gocv.Mat { return gocv.NewMatWithSize(9, 7, gocv.MatTypeCV8UC4) },
		"16 bit":     func() gocv.Mat { return gocv.NewMatWithSize(9, 7, gocv.MatTypeCV16UC3) },
		"float64":    func() gocv.Mat { return gocv.NewMatWithSize(9, 7, gocv.MatTypeCV64F) },
		"int32":      func() gocv.Mat { return gocv.NewMatWithSize(9, 7, gocv.MatTypeCV32S) },
		"very wide":  func() gocv.Mat { return gocv.NewMatWithSize(1, 70000, gocv.MatTypeCV8UC1) },
		"very tall":  func() gocv.Mat { return gocv.NewMatWithSize(70000, 1, gocv.MatTypeCV8UC1) },
		"huge":       func() gocv.Mat { return gocv.NewMatWithSize(3000, 4000, gocv.MatTypeCV8UC3) },
	}
	// The combinations that OpenCV must refuse. The others only have to
	// return.
	refused := map[string]bool{}
	for call := range calls {
		refused[call+"/empty"] = true
	}
	for _, k := range []string{"cvtColor/float64", "median/float64", "median/int32", "canny/16 bit", "threshold/float64",
		"contours/1x1 8UC3", "components/4 channels", "segments/float64", "remap/4 channels", "ecc/1x1 8UC3", "ecc/float64", "phase/4 channels"} {
		refused[k] = true
	}
	for name, make := range mats {
		for call, f := range calls {
			t.Run(call+"/"+name, func(t *testing.T) {
				s := cv.NewScope()
				defer s.Close()
				err := f(s, s.Own(make()))
				if refused[call+"/"+name] {
					var e *cv.Error
					if !errors.As(err, &e) || e.Op == "" || e.Msg == "" {
						t.Fatalf("got %v, want an OpenCV error", err)
					}
				}
			})
		}
	}
	for call, f := range calls {
		s := cv.NewScope()
		if err := f(s, nil); err == nil {
			t.Errorf("%s: a nil Mat was accepted", call)
		}
		s.Close()
	}
}

func noise(seed uint64, w, h int) *frame.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	m := frame.New(w, h)
	for i := range m.Pix {
		m.Pix[i] = uint8(r.UintN(256))
	}
	return m
}

func TestDivergingECCIsAnError(t *testing.T) {
	s := cv.NewScope()
	defer s.Close()
	var grey [2]*gocv.Mat
	for i := range grey {
		m, err := s.Wrap(noise(uint64(i), 64, 64))
		if err != nil {
			t.Fatal(err)
		}
		grey[i] = s.Mat()
		if err := cv.CvtColor(m, grey[i], gocv.ColorBGRToGray); err != nil {
			t.Fatal(err)
		}
	}
	far := [9]float64{1, 0, 500, 0, 1, 500, 0, 0, 1}
	_, _, err := cv.ECC(grey[0], grey[1], far, cv.MotionHomography, 50, 1e-9, nil, 5)
	var e *cv.Error
	if !errors.As(err, &e) {
		t.Fatalf("a search that starts outside the picture: got %v", err)
	}
	got, cc, err := cv.ECC(grey[0], grey[0], [9]float64{0: 1, 4: 1, 8: 1}, cv.MotionAffine, 50, 1e-9, nil, 5)
	if err != nil || cc < 0.999 || got[8] != 1 {
		t.Fatalf("a picture against itself: %v, correlation %g, %v", err, cc, got)
	}
}

func TestDecodeEncodeRoundTrip(t *testing.T) {
	m := noise(3, 37, 21)
	png, err := cv.EncodePNG(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	back, err := cv.Decode(png, 37, 21)
	if err != nil || !bytes.Equal(back.Pix, m.Pix) {
		t.Fatalf("PNG round trip differs (%v)", err)
	}
	// A wrong size in the header's copy still gives the right picture.
	if back, err = cv.Decode(png, 21, 37); err != nil || back.Width != 37 || !bytes.Equal(back.Pix, m.Pix) {
		t.Fatalf("size is taken from the data: %v", err)
	}
	jpg, err := cv.EncodeJPEG(m, 95)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := jpeg.Decode(bytes.NewReader(jpg))
	if err != nil || ref.Bounds() != image.Rect(0, 0, 37, 21) {
		t.Fatalf("JPEG is not readable by others: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		w, h int
	}{
		"nothing":       {nil, 1, 1},
		"no size":       {[]byte("x"), 0, 5},
		"text":          {[]byte("this is no picture at all"), 4, 4},
		"header bomb":   {[]byte("x"), 200000, 200000},
		"overflow bomb": {[]byte("x"), 1 << 40, 1 << 40},
	} {
		if img, err := cv.Decode(c.data, c.w, c.h); err == nil || img != nil {
			t.Errorf("%s: got %v, %v", name, img, err)
		}
	}
	if _, err := cv.EncodeJPEG(frame.New(2, 2), 101); err == nil {
		t.Error("quality 101 was accepted")
	}
	if _, err := cv.EncodePNG(frame.New(0, 2), 1); !errors.Is(err, cv.ErrEmpty) {
		t.Errorf("empty picture: %v", err)
	}
	if _, err := cv.EncodePNG(&frame.Image{Width: 5, Height: 5}, 1); err == nil {
		t.Error("a picture without its pixels was accepted")
	}
}

func TestWrapSharesMemory(t *testing.T) {
	s := cv.NewScope()
	defer s.Close()
	m := noise(1, 5, 4)
	mat, err := s.Wrap(m)
	if err != nil {
		t.Fatal(err)
	}
	m.SetBGR(2, 3, 1, 2, 3)
	if v := mat.GetVecbAt(3, 2); v[0] != 1 || v[1] != 2 || v[2] != 3 {
		t.Fatalf("Mat sees %v", v)
	}
	back, err := cv.Image(mat)
	if err != nil || !bytes.Equal(back.Pix, m.Pix) || &back.Pix[0] == &m.Pix[0] {
		t.Fatalf("Image copies: %v", err)
	}
	for name, bad := range map[string]*frame.Image{"nil": nil, "empty": frame.New(0, 0), "short": {Width: 9, Height: 9}} {
		if _, err := s.Wrap(bad); err == nil {
			t.Errorf("%s picture was wrapped", name)
		}
	}
	if _, err := s.WrapBytes(2, 2, 1, make([]byte, 5)); err == nil {
		t.Error("five bytes are not 2 x 2")
	}
	if _, err := s.WrapBytes(2, 2, 2, make([]byte, 8)); err == nil {
		t.Error("two channels are not supported")
	}
}

func TestVersion(t *testing.T) {
	if err := cv.Setup(); err != nil {
		t.Fatal(err)
	}
	for v, ok := range map[string]bool{"4.6.0": true, "4.10.0": true, "4.6.0-dev": true, "4.5.9": false, "3.4.16": false, "5.0.0": false, "": false, "four": false, "4.6": false} {
		if err := cv.CheckVersion(v); (err == nil) != ok {
			t.Errorf("CheckVersion(%q) = %v", v, err)
		}
	}
	before := cv.Threads()
	defer func() {
		if err := cv.SetThreads(before); err != nil {
			t.Fatal(err)
		}
	}()
	if err := cv.SetThreads(1); err != nil || cv.Threads() != 1 {
		t.Fatalf("one thread: %v, %d", err, cv.Threads())
	}
	if cv.SetThreads(0) == nil {
		t.Error("no threads at all were accepted")
	}
}
