package calibrate_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// station is a webcam over a table: the board in the middle, a few degrees
// from straight down.
func station() (calibratetest.Camera, calibratetest.Look) {
	return webcam(), calibratetest.Look{At: plane.Point{X: 100, Y: 62.5}, DistanceMM: 450, TiltXDeg: 4, TiltYDeg: -6, RollDeg: 3}
}

// scaleAt is the true scale of the undistorted picture at a pixel.
func scaleAt(t *testing.T, cam calibratetest.Camera, p calibratetest.Pose, px plane.Point) float64 {
	t.Helper()
	h := cam.Homography(p)
	inv, err := h.Inverse()
	if err != nil {
		t.Fatal(err)
	}
	return h.Scale(inv.Apply(cam.Lens.Undistort(px)))
}

func TestPlaneFromABoard(t *testing.T) {
	cam, look := station()
	img := cam.Render(look.Pose(), calibratetest.Board(9, 6, 25), 3)
	mid := plane.Point{X: 1279.0 / 2, Y: 719.0 / 2}
	want := scaleAt(t, cam, look.Pose(), mid)
	for name, lens := range map[string]plane.Lens{"lens known": cam.Lens, "no lens": {}} {
		c, err := calibrate.NewPlane(calibrate.PlaneOptions{Lens: lens})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			f, err := c.Add(context.Background(), "frame", cam.Render(look.Pose(), calibratetest.Board(9, 6, 25), uint64(i+1)))
			if err != nil || f.Rejected != nil {
				t.Fatal(err, f.Rejected)
			}
		}
		p, err := c.Solve()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.5f +- %.5f px/mm (truth %.5f), %.4f to %.4f, tilt %.2f (%.2f right, %.2f bottom), %.1f mm, rms %.3f px, blur %.2f", name, p.PxPerMM, p.PxPerMMSigma, want,
			p.LeastPxPerMM, p.MostPxPerMM, p.TiltDeg, p.RightDeg, p.BottomDeg, p.DistanceMM, p.RMSPx, p.BlurPx)
		if name == "no lens" {
			// What is wrong without the lens is said.
			if len(p.Warnings) == 0 || p.TiltDeg != 0 {
				t.Errorf("no lens: tilt %g, warnings %q", p.TiltDeg, p.Warnings)
			}
			continue
		}
		if math.Abs(p.PxPerMM/want-1) > 0.001 {
			t.Errorf("%.5f px/mm, want %.5f", p.PxPerMM, want)
		}
		if d := math.Abs(p.PxPerMM - want); d > 4*p.PxPerMMSigma {
			t.Errorf("off by %.6f with a stated uncertainty of %.6f", d, p.PxPerMMSigma)
		}
		r := look.Pose().R
		tilt := math.Acos(r[2][2]) * 180 / math.Pi
		if math.Abs(p.TiltDeg-tilt) > 0.1 {
			t.Errorf("tilt %.3f, want %.3f", p.TiltDeg, tilt)
		}
		// On the axis: the target lies 450 mm away there.
		if math.Abs(p.DistanceMM-450) > 1 {
			t.Errorf("distance %.2f mm", p.DistanceMM)
		}
		if math.Abs(p.BlurPx-cam.BlurPx) > 0.25 {
			t.Errorf("blur %.2f px of %.2f", p.BlurPx, cam.BlurPx)
		}
		// The scale is right wherever it is asked for.
		pr := &calibrate.Profile{WidthPx: 1280, HeightPx: 720, Lens: lens}
		pr.SetPlane(p, 1280, 720, calibrate.Evidence{})
		for _, px := range []plane.Point{{X: 20, Y: 20}, {X: 1200, Y: 100}, {X: 640, Y: 700}} {
			if got, want := pr.PxPerMMAt(px), scaleAt(t, cam, look.Pose(), px); math.Abs(got/want-1) > 0.002 {
				t.Errorf("at %v: %.4f px/mm, want %.4f", px, got, want)
			}
		}
		if at, ok := pr.MM(cam.Project(look.Pose(), plane.Point{X: 30, Y: 40})); !ok || at.Sub(plane.Point{X: 30, Y: 40}).Norm() > 0.05 {
			t.Errorf("a place of (30, 40) mm is seen at %v", at)
		}
	}
	// Another picture, the board pushed: refused, the first stays.
	c, err := calibrate.NewPlane(calibrate.PlaneOptions{Lens: cam.Lens})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(context.Background(), "a", img); err != nil {
		t.Fatal(err)
	}
	look.OffX = 0.02
	f, err := c.Add(context.Background(), "b", cam.Render(look.Pose(), calibratetest.Board(9, 6, 25), 9))
	if err != nil || f.Rejected == nil || f.Rejected.Name != "b" {
		t.Errorf("a board that moved: %v %v", f.Rejected, err)
	}
}

func TestPlaneFromACard(t *testing.T) {
	cam, look := station()
	look.At = plane.Point{X: 33, Y: 45.5}
	look.DistanceMM = 330
	size := card.Size{Name: "sleeve", WidthMM: 66, HeightMM: 91}
	scene := calibratetest.Card(size.WidthMM, size.HeightMM, [3]float64{0.05, 0.1, 0.4}, [3]float64{0.7, 0.68, 0.62})
	c, err := calibrate.NewPlane(calibrate.PlaneOptions{Lens: cam.Lens, Card: size})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Add(context.Background(), "card", cam.Render(look.Pose(), scene, 1))
	if err != nil || f.Rejected != nil {
		t.Fatal(err, f.Rejected)
	}
	p, err := c.Solve()
	if err != nil {
		t.Fatal(err)
	}
	want := scaleAt(t, cam, look.Pose(), plane.Point{X: 1279.0 / 2, Y: 719.0 / 2})
	t.Logf("%.5f +- %.5f px/mm (truth %.5f), tilt %.2f, %.1f mm", p.PxPerMM, p.PxPerMMSigma, want, p.TiltDeg, p.DistanceMM)
	if math.Abs(p.PxPerMM/want-1) > 0.002 {
		t.Errorf("%.5f px/mm, want %.5f", p.PxPerMM, want)
	}
	// No card at all is a reason, not a scale.
	c, err = calibrate.NewPlane(calibrate.PlaneOptions{Card: size})
	if err != nil {
		t.Fatal(err)
	}
	f, err = c.Add(context.Background(), "empty", cam.Render(look.Pose(), calibratetest.Sheet(0.5, 0.5, 0.5), 1))
	if err != nil || f.Rejected == nil {
		t.Fatalf("an empty table: %v", err)
	}
	if _, err := c.Solve(); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty table gave %v", err)
	}
	if _, err := calibrate.NewPlane(calibrate.PlaneOptions{Card: card.Size{WidthMM: -5, HeightMM: 9}}); err == nil {
		t.Error("a card of negative width was accepted")
	}
}

func TestZones(t *testing.T) {
	cam := webcam()
	cam.Lens = plane.Lens{FocalXPx: 1110, FocalYPx: 1110, CentreXPx: 639.5, CentreYPx: 359.5}
	one := calibratetest.Card(63, 88, [3]float64{0.05, 0.1, 0.4}, [3]float64{0.7, 0.68, 0.62})
	scene := func(x, y float64) [3]float64 {
		if x > 80 {
			return one(x-100, y)
		}
		return one(x, y)
	}
	img := cam.Render(calibratetest.Look{At: plane.Point{X: 81, Y: 44}, DistanceMM: 420}.Pose(), scene, 1)
	zones, err := calibrate.FindZones(context.Background(), img, calibrate.ZoneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(zones) != 2 || zones[0].Name != "back" || zones[1].Name != "face" || zones[0].Corners.Centre().X > zones[1].Corners.Centre().X {
		t.Fatalf("%+v", zones)
	}
	if zones[0].Corners.Overlap(zones[1].Corners) > 1 {
		t.Error("the zones overlap")
	}
	// 63 mm and 20 mm on the outer side.
	if w := (zones[0].Corners[1].X - zones[0].Corners[0].X) / (1110.0 / 420); w < 90 || w > 104 {
		t.Errorf("the back zone is %.1f mm wide", w)
	}
	p := &calibrate.Profile{WidthPx: 1280, HeightPx: 720}
	for _, z := range zones {
		if err := p.SetZone(z); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.SetZone(calibrate.Zone{Name: "back", Corners: plane.Rect(10, 10, 200, 300)}); err != nil || len(p.Zones) != 2 || p.Zones[0].Corners[0].X != 10 {
		t.Errorf("replacing a zone: %v %+v", err, p.Zones)
	}
	for _, z := range []calibrate.Zone{{Name: "lap", Corners: plane.Rect(10, 10, 9, 9)}, {Name: "face", Corners: plane.Rect(1200, 10, 300, 300)}, {Name: "face"}} {
		if err := p.SetZone(z); err == nil {
			t.Errorf("accepted: %+v", z)
		}
	}
	var r *calibrate.Rejected
	if _, err := calibrate.FindZones(context.Background(), img, calibrate.ZoneOptions{Names: []string{"face"}}); !errors.As(err, &r) {
		t.Errorf("two cards for one zone: %v", err)
	}
}
