package cv_test

import (
	"errors"
	"math"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// boardPicture draws 10 x 7 squares of side px with the first inner corner at
// (2 side, 2 side) - 1/2.
func boardPicture(s *cv.Scope, side int) (*gocv.Mat, error) {
	w, h := 12*side, 9*side
	data := make([]byte, w*h)
	for y := range h {
		for x := range w {
			data[y*w+x] = 230
			i, j := x/side-1, y/side-1
			if i >= 0 && j >= 0 && i < 10 && j < 7 && (i+j)%2 == 0 {
				data[y*w+x] = 20
			}
		}
	}
	return s.WrapBytes(h, w, 1, data)
}

func TestChessboards(t *testing.T) {
	s := cv.NewScope()
	defer s.Close()
	const side = 40
	grey, err := boardPicture(s, side)
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got []plane.Point, most float64) {
		t.Helper()
		if len(got) != 54 {
			t.Fatalf("%s: %d corners", name, len(got))
		}
		for i, p := range got {
			// Either order of the board: its first corner at one end.
			a := plane.Point{X: float64((i%9+2)*side) - 0.5, Y: float64((i/9+2)*side) - 0.5}
			b := plane.Point{X: float64((10-i%9)*side) - 0.5, Y: float64((7-i/9)*side) - 0.5}
			if p.Sub(a).Norm() > most && p.Sub(b).Norm() > most {
				t.Fatalf("%s: corner %d at %v", name, i, p)
			}
		}
	}
	sb, err := cv.ChessboardSB(grey, 9, 6, false)
	if err != nil {
		t.Fatal(err)
	}
	near("SB", sb, 0.2)
	rough, err := cv.ChessboardClassic(grey, 9, 6)
	if err != nil {
		t.Fatal(err)
	}
	near("classic", rough, 2)
	fine, err := cv.CornerSubPix(grey, rough, 8)
	if err != nil {
		t.Fatal(err)
	}
	near("cornerSubPix", fine, 0.1)
	c, r, all, err := cv.ChessboardPart(grey)
	if err != nil || max(c, r) != 9 || min(c, r) != 6 || len(all) != 54 {
		t.Errorf("part: %d x %d, %d corners, %v", c, r, len(all), err)
	}
	if none, err := cv.ChessboardSB(grey, 7, 4, false); err != nil || none != nil {
		t.Errorf("a board of another size: %d corners, %v", len(none), err)
	}
	for _, bad := range [][2]int{{2, 6}, {6, 0}, {1000, 1000}, {-1, 5}} {
		if _, err := cv.ChessboardSB(grey, bad[0], bad[1], true); err == nil {
			t.Errorf("a board of %v was sought", bad)
		}
	}
	if _, err := cv.CornerSubPix(grey, []plane.Point{{X: 1e9, Y: math.NaN()}}, 5); err == nil {
		t.Error("a corner outside the picture was moved")
	}
}

func TestCalibrationRefuses(t *testing.T) {
	object := []plane.Point{{}, {X: 25}, {X: 50}, {Y: 25}, {X: 25, Y: 25}, {X: 50, Y: 25}}
	same := make([]plane.Point, 6) // all corners on one pixel
	nan := []plane.Point{{X: math.NaN()}, {X: 1}, {X: 2}, {Y: 1}, {X: 1, Y: 1}, {X: 2, Y: 1}}
	for name, views := range map[string][][]plane.Point{"no view": nil, "short": {same[:3]}, "not a number": {nan, nan, nan}, "one pixel": {same, same, same}} {
		if fit, err := cv.CalibrateLens(object, views, 640, 480, cv.LensOptions{}); err == nil {
			t.Errorf("%s: %+v", name, fit.Lens)
		}
	}
	if _, err := cv.BoardPose(object, same[:2], plane.Lens{FocalXPx: 1, FocalYPx: 1}); err == nil {
		t.Error("two corners gave a pose")
	}
	var e *cv.Error
	if _, err := cv.CalibrateLens(object, [][]plane.Point{nan}, 640, 480, cv.LensOptions{}); !errors.As(err, &e) {
		t.Errorf("%v is not OpenCV's", err)
	}
}
