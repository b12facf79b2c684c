package calibrate_test

import (
	"math"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// chartScene is the chart with its true colours; cyan's red, which no camera
// could see, is 0.
func chartScene(t *testing.T) calibratetest.Scene {
	t.Helper()
	c, err := calibrate.ChartColours(calibrate.Since2014)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c {
		for k := range c[i] {
			c[i][k] = max(0, c[i][k])
		}
	}
	return calibratetest.Chart(c, [3]float64{0.3, 0.25, 0.2})
}

// camera of wrong colours: mixed primaries and a warm lamp.
func colourCamera() calibratetest.Camera {
	return calibratetest.Camera{Lens: calibratetest.DefaultLens(), BlurPx: 0.8, Exposure: 0.7, Vignetting: 0.2, FullWell: 6000, ReadNoise: 0.003,
		Gain: [3]float64{1.15, 1, 0.75}, Matrix: &[3][3]float64{{0.80, 0.15, 0.05}, {0.12, 0.80, 0.08}, {0.03, 0.17, 0.80}}}
}

func TestColourChartInEveryTurn(t *testing.T) {
	scene := chartScene(t)
	cam := colourCamera()
	centre := plane.Point{X: 140, Y: 92}
	for name, look := range map[string]calibratetest.Look{
		"straight": {At: centre, DistanceMM: 500},
		"quarter":  {At: centre, DistanceMM: 560, RollDeg: 90, TiltXDeg: 8},
		"half":     {At: centre, DistanceMM: 600, RollDeg: 183, TiltYDeg: 10},
		"slanting": {At: centre, DistanceMM: 700, RollDeg: -35, TiltXDeg: 15, TiltYDeg: 12, OffX: 0.1},
		"small":    {At: centre, DistanceMM: 1300, RollDeg: 12, OffX: -0.25, OffY: 0.1},
	} {
		img := cam.Render(look.Pose(), scene, 1)
		c, err := calibrate.FindChart(img)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, p := range c.Centres {
			want := cam.Project(look.Pose(), plane.Point{X: float64(i%6)*48 + 20, Y: float64(i/6)*48 + 20})
			side := cam.Project(look.Pose(), plane.Point{X: 48}).Sub(cam.Project(look.Pose(), plane.Point{})).Norm()
			if p.Sub(want).Norm() > 0.12*side {
				t.Errorf("%s: patch %s at %v, want %v", name, calibrate.PatchNames()[i], p, want)
				break
			}
		}
	}
	pose := calibratetest.Look{At: centre, DistanceMM: 500}.Pose()
	for name, img := range map[string]*frame.Image{
		"board": cam.Render(pose, calibratetest.Board(9, 6, 25), 1),
		"sheet": cam.Render(pose, calibratetest.Sheet(0.8, 0.8, 0.8), 1),
		"tiles": cam.Render(pose, func(x, y float64) [3]float64 { // a grid of colours that is no chart
			i, j := int(math.Floor(x/48)), int(math.Floor(y/48))
			if x-48*float64(i) > 40 || y-48*float64(j) > 40 {
				return [3]float64{0.03, 0.03, 0.03}
			}
			h := uint32(i*73856093) ^ uint32(j*19349663)
			return [3]float64{float64(h%97) / 97, float64(h/97%89) / 89, float64(h/8633%83) / 83}
		}, 1),
	} {
		if c, err := calibrate.FindChart(img); err == nil {
			t.Errorf("%s: a chart was found at %v", name, c.Centres[0])
		}
	}
}

func TestColourMatrix(t *testing.T) {
	cam := colourCamera()
	look := calibratetest.Look{At: plane.Point{X: 140, Y: 92}, DistanceMM: 500, RollDeg: 4}
	prof := flatOf(t, cam)
	c, err := calibrate.NewColour(prof, calibrate.ColourOptions{Chart: true})
	if err != nil {
		t.Fatal(err)
	}
	img := cam.Render(look.Pose(), chartScene(t), 2)
	if f, err := c.Add("chart", img); err != nil || f.Rejected != nil {
		t.Fatal(err, f.Rejected)
	}
	out, err := c.Solve()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ΔE before %.2f, gains %.2f, matrix %.2f (worst %.2f, %s), left out %.2f; matrix %.3f; warnings %q", out.Before.Mean, out.Gained.Mean, out.After.Mean, out.After.Worst, out.After.Patch,
		out.LeftOut, *out.Matrix, out.Warnings)
	if out.After.Mean > 1.2 || out.LeftOut > 2 || !(out.Before.Mean > 3*out.After.Mean) || !(out.Gained.Mean < out.Before.Mean) {
		t.Errorf("before %+v, gains %+v, after %+v", out.Before, out.Gained, out.After)
	}
	// The matrix undoes the camera's: their product is the identity up to the
	// exposure, which is left alone.
	m := *out.Matrix
	var prod [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				prod[i][j] += m[i][k] * cam.Gain[k] * cam.Matrix[k][j]
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(prod[i][j]/prod[1][1]-want) > 0.06 {
				t.Errorf("matrix times camera: %.3f", prod)
			}
		}
	}
	// Applied to a picture, grey is grey.
	prof.Colour = out
	even, err := prof.ApplyFlat(img)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := calibrate.FindChart(prof.ApplyColour(even))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{19, 20, 21} {
		v := ch.Colours[k]
		if lab := colour.ToLab(v[0], v[1], v[2]); math.Hypot(lab.A, lab.B) > 2 {
			t.Errorf("%s is %.1f", calibrate.PatchNames()[k], lab)
		}
	}
	// By its corners: the same.
	q := plane.Quad{ch.Centres[0], ch.Centres[5], ch.Centres[23], ch.Centres[18]}
	c, err = calibrate.NewColour(nil, calibrate.ColourOptions{Corners: q})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := c.Add("corners", img); err != nil || f.Chart == nil {
		t.Fatal(err, f.Rejected)
	}
}

func flatOf(t *testing.T, cam calibratetest.Camera) *calibrate.Profile {
	t.Helper()
	cam.Matrix = nil
	f := calibrate.NewFlat()
	if got, err := f.Add("sheet", sheetAt(cam, 4)); err != nil || got.Rejected != nil {
		t.Fatal(err, got.Rejected)
	}
	flat, noise, err := f.Solve()
	if err != nil {
		t.Fatal(err)
	}
	return &calibrate.Profile{WidthPx: 1280, HeightPx: 720, Flat: flat, Noise: noise}
}

func TestWhiteBalanceFromASheet(t *testing.T) {
	cam := calibratetest.Camera{Lens: calibratetest.DefaultLens(), Gain: [3]float64{1.1, 1, 0.7}, Exposure: 0.7, FullWell: 6000}
	c, err := calibrate.NewColour(nil, calibrate.ColourOptions{White: true})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := c.Add("sheet", sheetAt(cam, 1)); err != nil || f.White == nil {
		t.Fatal(err, f.Rejected)
	}
	out, err := c.Solve()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(out.Gains[0]*1.1-1) > 0.005 || math.Abs(out.Gains[2]*0.7-1) > 0.005 || out.Matrix != nil {
		t.Errorf("gains %.4f", out.Gains)
	}
	cam.Exposure = 2
	f, err := c.Add("over", sheetAt(cam, 1))
	if err != nil || f.Rejected == nil || f.Rejected.Reason != calibrate.Overexposed {
		t.Errorf("%v %v", f.Rejected, err)
	}
}
