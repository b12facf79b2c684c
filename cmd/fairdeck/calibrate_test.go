package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"github.com/rogpeppe/go-internal/testscript"
)

// stationPictures are what the calibrations look at, by file name: a virtual
// camera of 960 x 540 pixels.
var stationPictures = sync.OnceValues(func() (map[string]*frame.Image, error) {
	cam := calibratetest.Camera{WidthPx: 960, HeightPx: 540, BlurPx: 0.7, Exposure: 0.6, FullWell: 8000, ReadNoise: 0.002, Vignetting: 0.1,
		Lens: plane.Lens{FocalXPx: 830, FocalYPx: 830, CentreXPx: 485, CentreYPx: 265, K1: -0.12}}
	board := calibratetest.Board(9, 6, 25)
	mid := plane.Point{X: 100, Y: 62.5}
	out := map[string]*frame.Image{}
	for i, l := range []calibratetest.Look{
		{At: mid, DistanceMM: 480},
		{At: mid, DistanceMM: 700, OffX: -0.28, OffY: -0.13, TiltYDeg: 25},
		{At: mid, DistanceMM: 700, OffX: 0.28, OffY: -0.13, TiltYDeg: -25},
		{At: mid, DistanceMM: 700, OffX: -0.28, OffY: 0.13, TiltXDeg: 25},
		{At: mid, DistanceMM: 700, OffX: 0.28, OffY: 0.13, TiltXDeg: -25},
		{At: mid, DistanceMM: 460, TiltXDeg: 25, TiltYDeg: 18, RollDeg: 10},
		{At: mid, DistanceMM: 500, TiltXDeg: -25, TiltYDeg: -20},
	} {
		out[fmt.Sprintf("boards/b%d.png", i)] = cam.Render(l.Pose(), board, uint64(i))
	}
	cut := calibratetest.Look{At: mid, DistanceMM: 480, OffX: 0.5}
	out["boards/cut.png"] = cam.Render(cut.Pose(), board, 9)
	table := calibratetest.Look{At: mid, DistanceMM: 450, TiltXDeg: 3, RollDeg: 5}
	out["table/board.png"] = cam.Render(table.Pose(), board, 20)
	soft, far := cam, table
	soft.BlurPx = 2.2
	out["later/soft.png"] = soft.Render(table.Pose(), board, 21)
	far.DistanceMM = 446
	out["later/nearer.png"] = cam.Render(far.Pose(), board, 22)
	sheet := calibratetest.Sheet(0.85, 0.85, 0.83)
	for i := range 2 {
		out[fmt.Sprintf("sheet/s%d.png", i)] = cam.Render(table.Pose(), sheet, uint64(30+i))
	}
	colours, err := calibrate.ChartColours(calibrate.Since2014)
	if err != nil {
		return nil, err
	}
	for i := range colours {
		for k := range colours[i] {
			colours[i][k] = max(0, colours[i][k])
		}
	}
	out["chart.png"] = cam.Render(calibratetest.Look{At: plane.Point{X: 140, Y: 92}, DistanceMM: 520}.Pose(), calibratetest.Chart(colours, [3]float64{0.25, 0.2, 0.15}), 40)
	one := calibratetest.Card(63, 88, [3]float64{0.05, 0.1, 0.4}, [3]float64{0.7, 0.68, 0.62})
	two := func(x, y float64) [3]float64 {
		if x > 80 {
			return one(x-100, y)
		}
		return one(x, y)
	}
	out["cards.png"] = cam.Render(calibratetest.Look{At: plane.Point{X: 81, Y: 44}, DistanceMM: 450}.Pose(), two, 50)
	return out, nil
})

// TestCalibrateScripts runs testdata/calibrate. Beside testscript's own
// commands there are exits, as in TestScripts, and
//
//	station        the pictures of stationPictures
//	lens PROFILE   the profile's lens is the virtual camera's
//	document NAME  standard output is one document of that schema
func TestCalibrateScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "calibrate"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				err = ts.Exec(args[1], args[2:]...)
				got := 0
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					got = exit.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if got != want {
					ts.Fatalf("exit code %d, want %d", got, want)
				}
			},
			"station": func(ts *testscript.TestScript, _ bool, _ []string) {
				pics, err := stationPictures()
				ts.Check(err)
				for name, img := range pics {
					data, err := cv.EncodePNG(img, 1)
					ts.Check(err)
					ts.Check(calibrate.WriteWhole(ts.MkAbs(name), data))
				}
			},
			"lens": func(ts *testscript.TestScript, _ bool, args []string) {
				p, _, err := calibrate.Load(ts.MkAbs(args[0]))
				ts.Check(err)
				if f := p.Lens.FocalXPx; f < 826 || f > 834 {
					ts.Fatalf("focal length %.1f, want 830", f)
				}
			},
			"document": func(ts *testscript.TestScript, _ bool, args []string) {
				var doc struct {
					Schema string `json:"schema"`
				}
				dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
				ts.Check(dec.Decode(&doc))
				if doc.Schema != args[0] || dec.More() {
					ts.Fatalf("schema %q, want %q and nothing else", doc.Schema, args[0])
				}
			},
		},
	})
}

func TestParseZone(t *testing.T) {
	p := &calibrate.Profile{WidthPx: 1000, HeightPx: 800, Plane: &calibrate.Plane{ToFrame: plane.Homography{2, 0, 100, 0, 2, 50, 0, 0, 1}}}
	z, err := parseZone("back=10,20,100,50mm", p)
	if err != nil || z.Corners != plane.Rect(120, 90, 200, 100) {
		t.Errorf("%v %v", z, err)
	}
	if z, err = parseZone("face=10,20,100,50", p); err != nil || z.Corners != plane.Rect(10, 20, 100, 50) {
		t.Errorf("%v %v", z, err)
	}
	for _, bad := range []string{"", "back", "back=1,2,3", "back=1,2,3,x", "back=1,2,-3,4", "back=1,2,3,1e99", "back=1,2,NaN,4"} {
		if _, err := parseZone(bad, p); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, err := parseZone("back=1,2,3,4mm", &calibrate.Profile{}); err == nil {
		t.Error("millimetres without a plane")
	}
}
