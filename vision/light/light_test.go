package light_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairdeck/calibrate/calibratetest"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/light"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// table is one card on a table as the synthetic station sees it.
func table(t testing.TB, s visiontest.Sensor) *frame.Image {
	t.Helper()
	st, err := visiontest.New(visiontest.Deck{Seed: 3, Cards: 1, Sensor: s, Camera: visiontest.Camera{WidthPx: 800, HeightPx: 600}, Table: visiontest.Table{Kind: visiontest.Wood}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := st.Frame(0)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// under is the picture under light that changes by a factor for each pixel,
// with new noise.
func under(img *frame.Image, seed uint64, factor func(x, y int) float64) *frame.Image {
	out := frame.New(img.Width, img.Height)
	r := rand.New(rand.NewPCG(seed, 9))
	for y := range img.Height {
		for x := range img.Width {
			b, g, rd := img.BGR(x, y)
			f := factor(x, y)
			n := func(c uint8) uint8 { return uint8(colour.Encode(f*colour.Linear(c)+0.003*r.NormFloat64()) + 0.5) }
			out.SetBGR(x, y, n(b), n(g), n(rd))
		}
	}
	return out
}

func kinds(r light.Report) map[light.Kind]light.Problem {
	out := map[light.Kind]light.Problem{}
	for _, p := range r.Problems {
		out[p.Kind] = p
	}
	return out
}

func TestFlicker(t *testing.T) {
	base := table(t, visiontest.Sensor{JPEGQuality: -1})
	for _, c := range []struct {
		name      string
		hz, fps   float64 // of the light: twice the mains
		amplitude float64
		readout   float64 // s from the first row to the last; 0 global shutter
		hand      bool
		mains     int
	}{
		{"50 Hz at 30 fps", 100, 30, 0.04, 0.025, false, 50},
		{"60 Hz at 25 fps", 120, 25, 0.04, 0.030, false, 60},
		{"faint", 100, 30, 0.008, 0.028, false, 50},
		{"with a hand", 100, 30, 0.03, 0.025, true, 50},
		{"global shutter", 100, 30, 0.03, 0, false, 50},
		{"none", 100, 30, 0, 0.025, false, 0},
		{"none, a hand", 100, 30, 0, 0.025, true, 0},
	} {
		m := light.NewMeter(light.Options{})
		for i := range 20 {
			at := float64(i) / c.fps
			img := under(base, uint64(i), func(x, y int) float64 {
				f := 1 + c.amplitude*math.Cos(2*math.Pi*c.hz*(at+c.readout*float64(y)/float64(base.Height))+0.7)
				// A hand comes in from the left and goes.
				if c.hand && x < 20*i && x > 20*i-200 && y > 200 && y < 420 {
					f *= 0.4
				}
				return f
			})
			if _, err := m.Add(img, time.Duration(at*1e9)); err != nil {
				t.Fatal(err)
			}
		}
		r := m.Report()
		_, told := kinds(r)[light.Flicker]
		if c.amplitude == 0 {
			if told {
				t.Errorf("%s: flicker of %+v", c.name, r.Flicker)
			}
			continue
		}
		if math.Abs(r.Flicker.Amplitude/c.amplitude-1) > 0.15 || r.Flicker.MainsHz != c.mains || !told {
			t.Errorf("%s: %+v, problems %v", c.name, r.Flicker, r.Problems)
		}
		if want := float64(base.Height) / (c.hz * c.readout); c.readout > 0 && math.Abs(r.Flicker.PeriodRows/want-1) > 0.12 {
			t.Errorf("%s: bands %.0f rows apart, want %.0f", c.name, r.Flicker.PeriodRows, want)
		}
		if !c.hand && r.Unsteady > 0.02 {
			t.Errorf("%s: unsteady by %.3f besides", c.name, r.Unsteady)
		}
	}
}

func TestUnsteadyLight(t *testing.T) {
	base := table(t, visiontest.Sensor{JPEGQuality: -1})
	m := light.NewMeter(light.Options{})
	for i := range 12 {
		img := under(base, uint64(i), func(int, int) float64 { return 1 + 0.006*float64(i) })
		if _, err := m.Add(img, time.Duration(i)*33*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	r := m.Report()
	if p, ok := kinds(r)[light.Unsteady]; !ok || math.Abs(p.Value-0.066) > 0.01 {
		t.Errorf("%+v", r)
	}
	if _, ok := kinds(r)[light.Flicker]; ok {
		t.Errorf("a slow drift was called flicker: %+v", r.Flicker)
	}
}

// TestHighlights: how much is blown and where; a mirrored lamp is glare, a
// white sheet too bright is not.
func TestHighlights(t *testing.T) {
	base := table(t, visiontest.Sensor{})
	spot := under(base, 1, func(x, y int) float64 {
		d2 := float64((x-650)*(x-650) + (y-120)*(y-120))
		return 1 + 14*math.Exp(-d2/(2*50*50))
	})
	r := light.Read(spot)
	if len(r.Glare) != 1 || r.Glare[0].Where != "top right" {
		t.Fatalf("glare %+v, share %.3f at %q", r.Glare, r.BlownShare, r.BlownAt)
	}
	g := r.Glare[0].Region
	if g.X > 650 || g.X+g.Width < 650 || g.Y > 120 || g.Y+g.Height < 120 || g.Width > 400 {
		t.Errorf("region %+v", g)
	}
	want := 0
	for y := range spot.Height {
		for x := range spot.Width {
			if b, gr, rd := spot.BGR(x, y); max(b, gr, rd) >= 250 {
				want++
			}
		}
	}
	if got := r.BlownShare * float64(spot.Width*spot.Height); math.Abs(got/float64(want)-1) > 0.03 {
		t.Errorf("%.0f saturated pixels, want %d", got, want)
	}
	// Paper with sharp edges, too bright.
	sheet := under(base, 1, func(x, y int) float64 {
		if x > 60 && x < 300 && y > 250 && y < 500 {
			return 30
		}
		return 1
	})
	r = light.Read(sheet)
	if len(r.Glare) != 0 || r.BlownShare < 0.1 || r.BlownAt != "left" && r.BlownAt != "bottom left" {
		t.Errorf("sheet: %+v", r)
	}
	for name, c := range map[string]struct {
		img  *frame.Image
		kind light.Kind
	}{"glare": {spot, light.GlareSeen}, "sheet": {sheet, light.Overexposed}, "dark": {under(base, 1, func(int, int) float64 { return 0.02 }), light.Underexposed}} {
		m := light.NewMeter(light.Options{})
		if _, err := m.Add(c.img, 0); err != nil {
			t.Fatal(err)
		}
		if p, ok := kinds(m.Report())[c.kind]; !ok || p.Remedy == "" || p.Text == "" {
			t.Errorf("%s: %+v", name, m.Report().Problems)
		}
	}
	if r := light.Read(base); r.BlownShare > 0.01 || len(r.Glare) > 0 {
		t.Errorf("a good picture: %+v", r)
	}
}

// discs have edges in every direction.
func discs(x, y float64) [3]float64 {
	u, v := x-60*math.Round(x/60), y-60*math.Round(y/60)
	if math.Hypot(u, v) < 18 {
		return [3]float64{0.08, 0.1, 0.15}
	}
	return [3]float64{0.6, 0.6, 0.58}
}

func camera() calibratetest.Camera {
	return calibratetest.Camera{WidthPx: 800, HeightPx: 600, Lens: plane.Lens{FocalXPx: 1110, FocalYPx: 1110, CentreXPx: 399.5, CentreYPx: 299.5}, FullWell: 6000, ReadNoise: 0.003}
}

func TestFocus(t *testing.T) {
	pose := calibratetest.Look{DistanceMM: 420, RollDeg: 17}.Pose()
	for _, b := range []float64{0.7, 1, 1.5, 2.5, 4} {
		c := camera()
		c.BlurPx = b
		for name, scene := range map[string]calibratetest.Scene{"discs": discs, "board": calibratetest.Board(9, 6, 25)} {
			r := light.Read(c.Render(pose, scene, 1))
			want := math.Sqrt(b*b + 1.0/12) // the pixel's own width
			t.Logf("%s blurred by %.1f px: %v, motion %.1f", name, b, r.Focus, r.Motion.LengthPx)
			if math.Abs(r.Focus.BlurPx/want-1) > 0.15 {
				t.Errorf("%s blurred by %.2f px: %v", name, want, r.Focus)
			}
			if r.Motion.LengthPx > 0 {
				t.Errorf("%s blurred by %.2f px seems to move: %+v", name, want, r.Motion)
			}
		}
	}
	// Against the profile.
	for _, c := range []struct {
		blur  float64
		told  bool
		grave bool
	}{{0.8, false, false}, {1.4, true, false}, {2.2, true, true}} {
		cam := camera()
		cam.BlurPx = c.blur
		m := light.NewMeter(light.Options{FocusPx: 0.85})
		if _, err := m.Add(cam.Render(pose, discs, 1), 0); err != nil {
			t.Fatal(err)
		}
		p, ok := kinds(m.Report())[light.OutOfFocus]
		if ok != c.told || p.Grave != c.grave {
			t.Errorf("blur %.1f: %+v", c.blur, m.Report().Problems)
		}
	}
	// A sheet has no edges, and no focus is made up.
	if r := light.Read(camera().Render(pose, calibratetest.Sheet(0.5, 0.5, 0.5), 1)); !math.IsNaN(r.Focus.BlurPx) {
		t.Errorf("a blank sheet: %v", r.Focus)
	}
}

func TestMotionBlur(t *testing.T) {
	pose := calibratetest.Look{DistanceMM: 420, RollDeg: 17}.Pose()
	for _, d := range []plane.Point{{X: 5}, {Y: 5}, {X: 5, Y: 5}, {X: 6, Y: -3}, {X: 9, Y: 1}} {
		c := camera()
		c.BlurPx, c.MotionPx = 0.8, d
		m := light.NewMeter(light.Options{FocusPx: 0.85})
		r, err := m.Add(c.Render(pose, discs, 1), 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("moved by %v (%.1f px): %+v %s; %v", d, d.Norm(), r.Motion, r.Motion.Words(), r.Focus)
		want := math.Atan2(d.Y, d.X) * 180 / math.Pi
		off := math.Mod(r.Motion.AngleDeg-want+360+90, 180) - 90
		if math.Abs(r.Motion.LengthPx/d.Norm()-1) > 0.25 || math.Abs(off) > 10 {
			t.Errorf("moved by %v: %+v", d, r.Motion)
		}
		if p, ok := kinds(m.Report())[light.Moving]; !ok || p.Remedy == "" {
			t.Errorf("moved by %v: %+v", d, m.Report().Problems)
		}
	}
}

// TestGoodStations: nothing is said of sharp, still cards on any table.
func TestGoodStations(t *testing.T) {
	for _, k := range visiontest.TableKinds() {
		st, err := visiontest.New(visiontest.Deck{Seed: 5, Cards: 1, Table: visiontest.Table{Kind: k}})
		if err != nil {
			t.Fatal(err)
		}
		img, err := st.Frame(0)
		if err != nil {
			t.Fatal(err)
		}
		m := light.NewMeter(light.Options{})
		r, err := m.Add(img, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, motion %+v, level %.2f, blown %.3f", k, r.Focus, r.Motion, r.Level, r.BlownShare)
		for _, p := range m.Report().Problems {
			t.Errorf("%s: %s: %s", k, p.Kind, p.Text)
		}
	}
}

// TestStandingSmear: what is smeared in every frame alike is the scene.
func TestStandingSmear(t *testing.T) {
	pose := calibratetest.Look{DistanceMM: 420, RollDeg: 17}.Pose()
	still, moved := camera(), camera()
	still.BlurPx, moved.BlurPx, moved.MotionPx = 0.8, 0.8, plane.Point{X: 6}
	a, b := still.Render(pose, discs, 1), moved.Render(pose, discs, 1)
	for name, c := range map[string]struct {
		frames []*frame.Image
		told   bool
	}{"then moved": {[]*frame.Image{a, a, a, b}, true}, "always": {[]*frame.Image{b, b, b, b}, false}} {
		m := light.NewMeter(light.Options{})
		for i, f := range c.frames {
			if _, err := m.Add(f, time.Duration(i)*time.Second/30); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := kinds(m.Report())[light.Moving]; ok != c.told {
			t.Errorf("%s: %+v", name, m.Report().Problems)
		}
	}
}

func TestHostileFrames(t *testing.T) {
	m := light.NewMeter(light.Options{Frames: 3})
	for _, img := range []*frame.Image{nil, {}, {Width: 5, Height: 5}} {
		if _, err := m.Add(img, 0); err == nil {
			t.Error("a frame without pixels was read")
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	for i, s := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {60, 60}, {60, 60}, {60, 60}, {60, 60}, {60, 60}, {60, 60}, {60, 60}, {61, 60}} {
		img := frame.New(s[0], s[1])
		for k := range img.Pix {
			img.Pix[k] = uint8(r.UintN(256))
		}
		if _, err := m.Add(img, time.Duration(i)); err != nil {
			t.Fatal(err)
		}
		rep := m.Report()
		if rep.Frames > 3 || math.IsNaN(rep.Level) || math.IsNaN(rep.Unsteady) || math.IsInf(rep.Unsteady, 0) {
			t.Errorf("%v: %+v", s, rep)
		}
	}
	if r := light.NewMeter(light.Options{}).Report(); r.Frames != 0 || len(r.Problems) != 0 {
		t.Errorf("%+v", r)
	}
}

func BenchmarkAdd(b *testing.B) {
	base := table(b, visiontest.Sensor{})
	big := frame.New(1920, 1080)
	for y := range big.Height {
		for x := range big.Width {
			bl, g, r := base.BGR(x*base.Width/big.Width, y*base.Height/big.Height)
			big.SetBGR(x, y, bl, g, r)
		}
	}
	m := light.NewMeter(light.Options{})
	for i := 0; b.Loop(); i++ {
		if _, err := m.Add(big, time.Duration(i)*time.Second/30); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleMeter() {
	m := light.NewMeter(light.Options{FocusPx: 0.8})
	for i := range 10 {
		// Frames of a source; here a grey sheet under a lamp that flickers.
		img := frame.New(320, 240)
		for y := range img.Height {
			at := float64(i)/30 + float64(y)*1e-4
			code := uint8(colour.Encode(0.4 * (1 + 0.05*math.Cos(2*math.Pi*100*at))))
			for x := range img.Width {
				img.SetBGR(x, y, code, code, code)
			}
		}
		if _, err := m.Add(img, time.Duration(i)*time.Second/30); err != nil {
			fmt.Println(err)
		}
	}
	for _, p := range m.Report().Problems {
		fmt.Printf("%s: %s\n", p.Kind, p.Text)
	}
	// Output:
	// flicker: bands of 5.0 % wander through the picture: the lamp flickers with mains of 50 Hz
}
