package cv_test

import (
	"math"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
)

// A slanted step has its energy along the step's normal, the same for red on
// green as for black on white, and one ridge across.
func TestStructureOfAStep(t *testing.T) {
	img := frame.New(60, 60)
	const angle = 0.4
	for y := range 60 {
		for x := range 60 {
			d := float64(x-30)*math.Cos(angle) + float64(y-30)*math.Sin(angle)
			v := 0.5 * math.Erfc(-d/1.5)
			img.SetBGR(x, y, 0, uint8(40+120*v), uint8(160-120*v))
		}
	}
	s, err := cv.StructureOf(img)
	if err != nil {
		t.Fatal(err)
	}
	i := 30*60 + 30
	if got := math.Atan2(float64(s.Sin2[i]), float64(s.Cos2[i])) / 2; math.Abs(got-angle) > 0.03 {
		t.Errorf("normal at %.3f, want %.3f", got, angle)
	}
	ridges, err := s.Ridges(1)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for x := range 60 {
		n += int(ridges[30*60+x])
	}
	if n != 1 {
		t.Errorf("%d ridges across the step, want 1", n)
	}
}

func TestStructureOfHostilePictures(t *testing.T) {
	for name, img := range map[string]*frame.Image{"nil": nil, "empty": {}, "short": {Width: 4, Height: 4, Pix: make([]uint8, 3)}} {
		if _, err := cv.StructureOf(img); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, size := range [][2]int{{1, 1}, {2, 3}, {3, 2}, {1, 5000}, {5000, 1}} {
		s, err := cv.StructureOf(frame.New(size[0], size[1]))
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if r, err := s.Ridges(0); err != nil || len(r) != size[0]*size[1] {
			t.Errorf("%v: %d ridges, %v", size, len(r), err)
		}
	}
}
