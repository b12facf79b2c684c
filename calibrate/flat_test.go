package calibrate_test

import (
	"fmt"
	"math"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// lamp is light from one side, falling off over the table.
func lamp(x, y float64) float64 {
	return 1 / (1 + ((x+200)*(x+200)+(y-100)*(y-100))/(2200*2200))
}

func sheetCamera() calibratetest.Camera {
	return calibratetest.Camera{Lens: calibratetest.DefaultLens(), BlurPx: 0.8, Exposure: 0.75, Vignetting: 0.3, FullWell: 6000, ReadNoise: 0.003, Light: lamp,
		Gain: [3]float64{0.9, 1, 0.85}}
}

func sheetAt(cam calibratetest.Camera, seed uint64) *frame.Image {
	return cam.Render(calibratetest.Look{DistanceMM: 400}.Pose(), calibratetest.Sheet(0.85, 0.85, 0.85), seed)
}

func TestFlatField(t *testing.T) {
	cam := sheetCamera()
	c := calibrate.NewFlat()
	for i := range 2 {
		for _, e := range []float64{0.75, 0.3} {
			cam.Exposure = e
			f, err := c.Add(fmt.Sprint(i, e), sheetAt(cam, uint64(10*e)+uint64(i)*100))
			if err != nil || f.Rejected != nil {
				t.Fatal(err, f.Rejected)
			}
		}
		if i == 0 {
			continue
		}
	}
	// Pairs of one brightness: the last two of each.
	for _, e := range []float64{0.75, 0.75, 0.3, 0.3} {
		cam.Exposure = e
		if f, err := c.Add("pair", sheetAt(cam, uint64(1000*e)+uint64(len(fmt.Sprint(e))))); err != nil || f.Rejected != nil && f.Rejected.Reason != calibrate.Repeat {
			t.Fatal(err, f.Rejected)
		}
		if f, err := c.Add("pair", sheetAt(cam, uint64(2000*e))); err != nil || f.Rejected != nil && f.Rejected.Reason != calibrate.Repeat {
			t.Fatal(err, f.Rejected)
		}
	}
	flat, noise, err := c.Solve()
	if err != nil {
		t.Fatal(err)
	}
	cx, cy := 1279.0/2, 719.0/2
	truth := func(x, y float64) float64 {
		return lamp(x, y) / lamp(cx, cy) * (1 - cam.Vignetting*((x-cx)*(x-cx)+(y-cy)*(y-cy))/(cx*cx+cy*cy))
	}
	p := &calibrate.Profile{WidthPx: 1280, HeightPx: 720, Flat: flat, Noise: noise}
	worst := 0.0
	for y := 0.0; y < 720; y += 7 {
		for x := 0.0; x < 1280; x += 7 {
			l := p.LightAt(plane.Point{X: x, Y: y})
			for _, v := range l {
				worst = max(worst, math.Abs(v/truth(x, y)-1))
			}
		}
	}
	t.Logf("field off by at most %.3f %%, darkest %.0f %%, residual %.2f %%, repeat %.2f %%; noise read %.4f gain 1/%.0f, separated %v, warnings %q", 100*worst, 100*flat.DarkestShare,
		100*flat.ResidualShare, 100*flat.RepeatShare, noise.Read[1], 1/noise.Gain[1], noise.Separated, append(flat.Warnings, noise.Warnings...))
	if worst > 0.01 {
		t.Errorf("the field is off by %.2f %%", 100*worst)
	}
	if !noise.Separated || noise.From != "time" {
		t.Fatalf("noise %+v", noise)
	}
	for _, light := range []float64{0.1, 0.3, 0.6} {
		want := math.Sqrt(cam.ReadNoise*cam.ReadNoise + light/cam.FullWell + quantisation(light))
		if got := noise.Sigma(1, light); math.Abs(got/want-1) > 0.12 {
			t.Errorf("noise at %.1f: %.5f, want %.5f", light, got, want)
		}
	}
	// What it is for: the sheet corrected is even.
	img := sheetAt(cam, 77)
	even, err := p.ApplyFlat(img)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := math.Inf(1), 0.0
	for y := 20; y < 700; y += 40 {
		for x := 20; x < 1260; x += 40 {
			s := 0.0
			for dy := range 16 {
				for dx := range 16 {
					_, g, _ := even.BGR(x+dx, y+dy)
					s += colour.Linear(g) / 256
				}
			}
			lo, hi = min(lo, s), max(hi, s)
		}
	}
	if hi/lo > 1.02 {
		t.Errorf("the corrected sheet still varies by %.1f %%", 100*(hi/lo-1))
	}
}

// quantisation is the variance of rounding to a code, in linear light.
func quantisation(light float64) float64 {
	c := uint8(colour.Encode(light))
	step := colour.Linear(c+1) - colour.Linear(c)
	return step * step / 12
}

func TestFlatFieldRefuses(t *testing.T) {
	base := sheetCamera()
	base.Gain = [3]float64{}
	shadow, over, dark := base, base, base
	shadow.Light = func(x, y float64) float64 {
		if x > 900 && y < 300 {
			return 0.8
		}
		return 1
	}
	over.Exposure, over.Vignetting, over.Light = 1.3, 0, nil
	dark.Exposure = 0.05
	texture := func(x, y float64) [3]float64 {
		v := 0.8 + 0.05*math.Sin(x/3)*math.Sin(y/5)
		return [3]float64{v, v, v}
	}
	pen := func(x, y float64) [3]float64 {
		if x > 20 && x < 100 && y > -6 && y < 6 {
			return [3]float64{0.1, 0.1, 0.3}
		}
		return [3]float64{0.85, 0.85, 0.85}
	}
	pose := calibratetest.Look{DistanceMM: 400}.Pose()
	for name, c := range map[string]struct {
		img  *frame.Image
		want calibrate.Reason
	}{
		"shadow":  {sheetAt(shadow, 1), calibrate.Uneven},
		"over":    {sheetAt(over, 1), calibrate.Overexposed},
		"dark":    {sheetAt(dark, 1), calibrate.Underexposed},
		"texture": {base.Render(pose, texture, 1), calibrate.Uneven},
		"a pen":   {base.Render(pose, pen, 1), calibrate.Uneven},
		"tiny":    {frame.New(40, 30), calibrate.TooSmall},
		"board":   {base.Render(pose, calibratetest.Board(9, 6, 25), 1), calibrate.Uneven},
	} {
		f := calibrate.NewFlat()
		got, err := f.Add(name, c.img)
		if err != nil || got.Rejected == nil || got.Rejected.Reason != c.want || got.Rejected.Remedy == "" {
			t.Errorf("%s: %v %v, want %s", name, got.Rejected, err, c.want)
		}
		if _, _, err := f.Solve(); err == nil {
			t.Errorf("%s: a flat field all the same", name)
		}
	}
	// The same bytes twice are no second picture.
	f := calibrate.NewFlat()
	img := sheetAt(base, 5)
	for i := range 2 {
		got, err := f.Add(fmt.Sprint(i), img)
		if err != nil || (got.Rejected != nil) != (i == 1) {
			t.Errorf("picture %d: %v %v", i, got.Rejected, err)
		}
	}
	flat, noise, err := f.Solve()
	if err != nil || len(flat.Warnings) == 0 || noise.From != "space" || noise.Separated {
		t.Errorf("one picture: %v, %+v", err, noise)
	}
}
