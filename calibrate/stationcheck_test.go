package calibrate_test

import (
	"math"
	"strings"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
)

func TestStationCheckLamps(t *testing.T) {
	cam, look := station()
	cam.Exposure = 0.6
	board := calibratetest.Board(9, 6, 25)
	prof := &calibrate.Profile{WidthPx: 1280, HeightPx: 720, Lens: cam.Lens}
	if err := prof.SetReference(cam.Render(look.Pose(), board, 1), calibrate.Board{}, calibrate.Evidence{}); err != nil {
		t.Fatal(err)
	}
	prof.Plane = &calibrate.Plane{DistanceMM: 450}
	type change func(c *calibratetest.Camera, l *calibratetest.Look)
	for _, k := range []struct {
		name   string
		change change
		lamp   calibrate.Lamp
		what   string // the finding that is not green
	}{
		{"as it was", func(*calibratetest.Camera, *calibratetest.Look) {}, calibrate.Green, ""},
		{"board elsewhere", func(_ *calibratetest.Camera, l *calibratetest.Look) { l.RollDeg, l.OffX = 30, 0.03 }, calibrate.Green, ""},
		{"a little soft", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.BlurPx = 1.15 }, calibrate.Amber, "focus"},
		{"out of focus", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.BlurPx = 2 }, calibrate.Red, "focus"},
		{"a little nearer", func(_ *calibratetest.Camera, l *calibratetest.Look) { l.DistanceMM *= 0.99 }, calibrate.Amber, "scale"},
		{"farther", func(_ *calibratetest.Camera, l *calibratetest.Look) { l.DistanceMM *= 1.05 }, calibrate.Red, "scale"},
		{"tilted", func(_ *calibratetest.Camera, l *calibratetest.Look) { l.TiltXDeg += 2 }, calibrate.Amber, "tilt"},
		{"one lamp off", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.Exposure *= 0.75 }, calibrate.Amber, "light"},
		{"all lamps off", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.Exposure *= 0.4 }, calibrate.Red, "light"},
		{"other lamp", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.Gain = [3]float64{1.05, 1, 0.93} }, calibrate.Amber, "white balance"},
		{"yellow lamp", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.Gain = [3]float64{1.1, 1, 0.7} }, calibrate.Red, "white balance"},
		{"overexposed", func(c *calibratetest.Camera, _ *calibratetest.Look) { c.Exposure = 1.6 }, calibrate.Red, "saturation"},
		{"no board", func(_ *calibratetest.Camera, l *calibratetest.Look) { l.OffX = 2 }, calibrate.Red, "focus"},
	} {
		c, l := cam, look
		k.change(&c, &l)
		s, err := calibrate.NewStationCheck(prof)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Add(k.name, c.Render(l.Pose(), board, 7)); err != nil {
			t.Fatal(err)
		}
		st := s.Status()
		if st.Lamp != k.lamp || len(st.Findings) != len(calibrate.StationItems()) {
			t.Errorf("%s: %s (%s), want %s; %+v", k.name, st.Lamp, st.Reason, k.lamp, st.Findings)
		}
		for i, f := range st.Findings {
			if f.What != calibrate.StationItems()[i] {
				t.Errorf("finding %d is %s", i, f.What)
			}
			if f.What == k.what && (f.Lamp == calibrate.Green || f.Remedy == "") {
				t.Errorf("%s: %+v", k.name, f)
			}
			if k.lamp == calibrate.Green && f.Lamp != calibrate.Green {
				t.Errorf("%s: %+v", k.name, f)
			}
		}
	}
}

func TestStationCheckDrift(t *testing.T) {
	cam, look := station()
	cam.Exposure = 0.6
	board := calibratetest.Board(9, 6, 25)
	prof := &calibrate.Profile{WidthPx: 1280, HeightPx: 720, Lens: cam.Lens}
	if err := prof.SetReference(cam.Render(look.Pose(), board, 1), calibrate.Board{}, calibrate.Evidence{}); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]struct {
		light, move float64
		lamp        calibrate.Lamp
	}{"steady": {1, 0, calibrate.Green}, "light": {1.03, 0, calibrate.Amber}, "shakes": {1, 0.001, calibrate.Amber}} {
		s, err := calibrate.NewStationCheck(prof)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			c, l := cam, look
			c.Exposure *= 1 + (k.light-1)*float64(i)/2
			l.OffX += k.move * float64(i) / 2
			if r, err := s.Add(name, c.Render(l.Pose(), board, uint64(i+3))); err != nil || r != nil {
				t.Fatal(err, r)
			}
		}
		st := s.Status()
		if d := st.Findings[len(st.Findings)-1]; d.Lamp != k.lamp || st.Lamp != k.lamp {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if _, err := calibrate.NewStationCheck(&calibrate.Profile{}); err == nil || !strings.Contains(err.Error(), "calibrate plane") {
		t.Errorf("without a reference: %v", err)
	}
	s, err := calibrate.NewStationCheck(prof)
	if err != nil {
		t.Fatal(err)
	}
	small := cam
	small.WidthPx, small.HeightPx = 640, 360
	if _, err := s.Add("small", small.Render(look.Pose(), board, 1)); err == nil {
		t.Error("a frame of another size was compared")
	}
}

// TestResolution checks the promise by drawing dots of the promised size into
// noise and seeking them with the filter that the promise is about.
func TestResolution(t *testing.T) {
	r, err := calibrate.ResolutionOf(5.8, 0.8, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Words())
	if r.SmallestMM < 0.05 || r.SmallestMM > 0.5 {
		t.Errorf("%+v", r)
	}
	// Monotonic in everything.
	for name, worse := range map[string][3]float64{"coarser": {4, 0.8, 1.5}, "softer": {5.8, 1.6, 1.5}, "noisier": {5.8, 0.8, 4}} {
		w, err := calibrate.ResolutionOf(worse[0], worse[1], worse[2])
		if err != nil || w.SmallestMM <= r.SmallestMM {
			t.Errorf("%s: %.3f mm, before %.3f", name, w.SmallestMM, r.SmallestMM)
		}
	}
	// The energy of the dot's picture, by brute force on a fine grid.
	radius, s := r.SmallestMM*5.8/2, math.Sqrt(0.8*0.8+1.0/12)
	const step = 0.05
	n := int(8 / step)
	sum := 0.0
	for iy := -n; iy <= n; iy++ {
		for ix := -n; ix <= n; ix++ {
			x, y := float64(ix)*step, float64(iy)*step
			if math.Abs(x) > 5*s+radius || math.Abs(y) > 5*s+radius {
				continue
			}
			v := discBlurred(math.Hypot(x, y), radius, s)
			sum += v * v * step * step
		}
	}
	places := 60.0 * 66 * 91 * 5.8 * 5.8 / (4 * math.Pi * s * s)
	z := 51 * math.Sqrt(sum) / 1.5
	// The one-sided tail at z times the places is the rate of false alarms.
	if rate := places * 0.5 * math.Erfc(z/math.Sqrt2); math.Abs(rate/0.01-1) > 0.1 {
		t.Errorf("a clean deck alarms with %.4f (z %.2f)", rate, z)
	}
	for _, bad := range [][3]float64{{0, 1, 1}, {5, -1, 1}, {5, 1, 0}, {math.NaN(), 1, 1}, {5, 1, math.Inf(1)}} {
		if _, err := calibrate.ResolutionOf(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	if _, err := (&calibrate.Profile{}).Resolution(); err == nil {
		t.Error("a resolution of nothing")
	}
}

// discBlurred integrates the Gaussian over a disc whose centre is d away.
func discBlurred(d, radius, s float64) float64 {
	const n = 24
	sum, inside := 0.0, 0.0
	for i := range n {
		for j := range n {
			x := (2*(float64(i)+0.5)/n - 1) * radius
			y := (2*(float64(j)+0.5)/n - 1) * radius
			if x*x+y*y <= radius*radius {
				sum += math.Exp(-((x-d)*(x-d)+y*y)/(2*s*s)) / (2 * math.Pi * s * s)
				inside++
			}
		}
	}
	return sum / inside * math.Pi * radius * radius
}
