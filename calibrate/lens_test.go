package calibrate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/calibrate/calibratetest"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/testutil"
	"fairdeck/vision/camera"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// looks are poses of the 9 x 6 board of 25 mm squares, all wholly in a frame
// of 1280 x 720.
func looks() []calibratetest.Look {
	c := plane.Point{X: 100, Y: 62.5}
	return []calibratetest.Look{
		{At: c, DistanceMM: 500},
		{At: c, DistanceMM: 700, OffX: -0.28, OffY: -0.14, TiltYDeg: 25},
		{At: c, DistanceMM: 700, OffX: 0.28, OffY: -0.14, TiltYDeg: -25},
		{At: c, DistanceMM: 700, OffX: -0.28, OffY: 0.14, TiltXDeg: 25},
		{At: c, DistanceMM: 700, OffX: 0.28, OffY: 0.14, TiltXDeg: -25},
		{At: c, DistanceMM: 420, TiltXDeg: 22, TiltYDeg: 15, RollDeg: 10},
		{At: c, DistanceMM: 480, TiltXDeg: -25, TiltYDeg: -18, RollDeg: -8},
		{At: c, DistanceMM: 520, OffX: 0.1, TiltYDeg: 32, RollDeg: 20},
		{At: c, DistanceMM: 560, OffX: -0.1, TiltYDeg: -32},
		{At: c, DistanceMM: 560, OffY: 0.05, TiltXDeg: 30, RollDeg: -15},
		{At: c, DistanceMM: 600, OffY: -0.05, TiltXDeg: -32},
		{At: c, DistanceMM: 800, OffX: 0.3, OffY: 0.16, TiltXDeg: 15, TiltYDeg: 15},
	}
}

// photographed is the boards of looks as a camera sees them.
func photographed(t testing.TB, cam calibratetest.Camera, looks []calibratetest.Look) []*calibrate.View {
	t.Helper()
	var out []*calibrate.View
	for i, l := range looks {
		img := cam.Render(l.Pose(), calibratetest.Board(9, 6, 25), uint64(i+1))
		v, err := calibrate.FindBoard(img, calibrate.Board{})
		if err != nil {
			t.Fatalf("board %d: %v", i, err)
		}
		out = append(out, v)
	}
	return out
}

func webcam() calibratetest.Camera {
	return calibratetest.Camera{Lens: calibratetest.DefaultLens(), BlurPx: 0.8, FullWell: 9000, ReadNoise: 0.002, Vignetting: 0.15}
}

var boards = sync.OnceValue(func() []*calibrate.View {
	var t testing.T
	return photographed(&t, webcam(), looks())
})

func lensOf(t *testing.T, o calibrate.LensOptions, views []*calibrate.View) (*calibrate.LensResult, error) {
	t.Helper()
	l, err := calibrate.NewLens(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range views {
		c := *v
		l.AddView(fmt.Sprintf("board%d", i), 1280, 720, &c, nil)
	}
	return l.Solve(context.Background())
}

func TestLensOfAKnownCamera(t *testing.T) {
	for name, cam := range map[string]calibratetest.Camera{
		"webcam": webcam(),
		"nearly straight, soft": {Lens: plane.Lens{FocalXPx: 1500, FocalYPx: 1500, CentreXPx: 630, CentreYPx: 365, K1: -0.03}, BlurPx: 1.4,
			FullWell: 4000, ReadNoise: 0.004},
	} {
		t.Run(name, func(t *testing.T) {
			ls := looks()
			for i := range ls {
				ls[i].DistanceMM *= cam.Lens.FocalXPx / 1110
				ls[i].OffX *= 1110 / cam.Lens.FocalXPx
				ls[i].OffY *= 1110 / cam.Lens.FocalXPx
			}
			views := boards()
			if name != "webcam" {
				views = photographed(t, cam, ls)
			}
			res, err := lensOf(t, calibrate.LensOptions{}, views)
			if err != nil {
				t.Fatal(err)
			}
			want := cam.Lens
			t.Logf("focal %.2f %.2f (truth %.0f %.0f), sigma %.2f (Jacobian %.2f, jackknife %.2f), rms %.3f px, K1 %.4f K2 %.4f K3 %.4f", res.Lens.FocalXPx, res.Lens.FocalYPx,
				want.FocalXPx, want.FocalYPx, res.FocalSigmaPx, res.JacobianPx, res.JackknifePx, res.RMSPx, res.Lens.K1, res.Lens.K2, res.Lens.K3)
			for _, v := range [][2]float64{{res.Lens.FocalXPx, want.FocalXPx}, {res.Lens.FocalYPx, want.FocalYPx}} {
				if math.Abs(v[0]/v[1]-1) > 0.003 {
					t.Errorf("focal length %.2f, want %.2f", v[0], v[1])
				}
				if d := math.Abs(v[0] - v[1]); d > 4*res.FocalSigmaPx+0.2 {
					t.Errorf("off by %.2f px with a stated uncertainty of %.2f", d, res.FocalSigmaPx)
				}
			}
			if res.RMSPx > 0.06 {
				t.Errorf("rms %.3f px of a detector that is good to 0.05", res.RMSPx)
			}
			if len(res.Boards) != len(ls) || len(res.Rejected) != 0 {
				t.Errorf("%d boards used, %v rejected", len(res.Boards), res.Rejected)
			}
			// The map matters, not its coefficients: everywhere in the frame
			// within a third of a pixel, after the shift and scale that the
			// pose takes up.
			for y := 0.0; y < 720; y += 60 {
				for x := 0.0; x < 1280; x += 80 {
					p := plane.Point{X: x, Y: y}
					a, b := rayOf(res.Lens, p), rayOf(want, p)
					if d := a.Sub(b).Norm() * want.FocalXPx; d > 3 {
						t.Fatalf("at %v the rays differ by %.2f px", p, d)
					}
				}
			}
		})
	}
}

func rayOf(l plane.Lens, p plane.Point) plane.Point {
	q := l.Undistort(p)
	return plane.Point{X: (q.X - l.CentreXPx) / l.FocalXPx, Y: (q.Y - l.CentreYPx) / l.FocalYPx}
}

// TestLensLeavesOutABadBoard: a board whose corners are all wrong in a smooth
// way (a bent sheet) is named; its neighbours stay.
func TestLensLeavesOutABadBoard(t *testing.T) {
	views := append([]*calibrate.View(nil), boards()...)
	bent := *views[5]
	bent.Corners = append([]plane.Point(nil), bent.Corners...)
	for i := range bent.Corners {
		u := float64(i%9)/4 - 1
		bent.Corners[i] = bent.Corners[i].Add(plane.Point{X: 0.4 * u, Y: 2.5 * u * u})
	}
	views[5] = &bent
	res, err := lensOf(t, calibrate.LensOptions{}, views)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rejected) != 1 || res.Rejected[0].Name != "board5" || res.Rejected[0].Reason != calibrate.Outlier {
		t.Fatalf("rejected: %v", res.Rejected)
	}
	if f := res.Lens.FocalXPx; math.Abs(f/1110-1) > 0.003 {
		t.Errorf("focal length %.1f without the bad board", f)
	}
}

func TestLensRefusesPosesThatAreAllAlike(t *testing.T) {
	c := plane.Point{X: 100, Y: 62.5}
	var straight []calibratetest.Look
	for i := range 8 {
		straight = append(straight, calibratetest.Look{At: c, DistanceMM: 480 + 40*float64(i%4), OffX: 0.12 * float64(i%3-1), OffY: 0.05 * float64(i/3-1), RollDeg: float64(5 * i)})
	}
	cam := webcam()
	_, err := lensOf(t, calibrate.LensOptions{}, photographed(t, cam, straight))
	var d *calibrate.DegenerateError
	if !errors.As(err, &d) || len(d.Missing) == 0 || !strings.Contains(d.Missing[0], "tilt") {
		t.Fatalf("eight boards seen straight on: %v", err)
	}
	_, err = lensOf(t, calibrate.LensOptions{}, boards()[:2])
	var few *calibrate.TooFewError
	if !errors.As(err, &few) || few.Have != 2 {
		t.Fatalf("two boards: %v", err)
	}
	// All tilted one way: solved, with words about what is missing.
	var oneWay []calibratetest.Look
	for i := range 6 {
		oneWay = append(oneWay, calibratetest.Look{At: c, DistanceMM: 500 + 30*float64(i), TiltYDeg: 18 + 3*float64(i), RollDeg: float64(4 * i)})
	}
	res, err := lensOf(t, calibrate.LensOptions{}, photographed(t, cam, oneWay))
	if err == nil {
		if len(res.Missing) == 0 {
			t.Error("one-sided poses, and nothing is said to be missing")
		}
	} else if !errors.As(err, &d) {
		t.Fatal(err)
	}
}

// TestGuidance: pose by pose the list of what is missing gets shorter and in
// the end is empty; what is shown disappears from it.
func TestGuidance(t *testing.T) {
	l, err := calibrate.NewLens(calibrate.LensOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := 1 << 20
	var f calibrate.Feedback
	for i, v := range boards() {
		f = l.AddView(fmt.Sprint(i), 1280, 720, v, nil)
		if !f.Accepted {
			t.Fatalf("board %d: %v", i, f.Rejected)
		}
		if len(f.Missing) > before {
			t.Errorf("board %d made the list longer: %q", i, f.Missing)
		}
		before = len(f.Missing)
		if i == 0 && (len(f.Missing) < 10 || !strings.Contains(f.Hint(), "tilt")) {
			t.Errorf("after one straight board: %q", f.Missing)
		}
		if i == 1 && strings.Contains(strings.Join(f.Missing, "\n"), "left side nearer") == strings.Contains(strings.Join(f.Missing, "\n"), "right side nearer") {
			t.Errorf("a board turned about the vertical fills exactly one side: %q", f.Missing)
		}
	}
	if len(f.Missing) != 0 {
		t.Errorf("twelve good poses and still missing: %q", f.Missing)
	}
	again := *boards()[3]
	if f = l.AddView("again", 1280, 720, &again, nil); f.Accepted || f.Rejected.Reason != calibrate.Repeat {
		t.Errorf("the same pose again: %+v", f)
	}
}

func TestTiltSides(t *testing.T) {
	// Seen by a camera, a side that is nearer is longer.
	c := plane.Point{X: 100, Y: 62.5}
	for _, k := range []struct {
		l    calibratetest.Look
		side func(calibrate.Coverage) float64
	}{
		{calibratetest.Look{At: c, DistanceMM: 500, TiltYDeg: 20}, func(c calibrate.Coverage) float64 { return c.RightDeg }},
		{calibratetest.Look{At: c, DistanceMM: 500, TiltYDeg: -20}, func(c calibrate.Coverage) float64 { return c.LeftDeg }},
		{calibratetest.Look{At: c, DistanceMM: 500, TiltXDeg: 20}, func(c calibrate.Coverage) float64 { return c.TopDeg }},
		{calibratetest.Look{At: c, DistanceMM: 500, TiltXDeg: -20}, func(c calibrate.Coverage) float64 { return c.BottomDeg }},
	} {
		p := k.l.Pose()
		depth := func(at plane.Point) float64 { return p.R[2][0]*at.X + p.R[2][1]*at.Y + p.T[2] }
		cov := func() calibrate.Coverage {
			l, err := calibrate.NewLens(calibrate.LensOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return l.AddView("x", 1280, 720, photographed(t, webcam(), []calibratetest.Look{k.l})[0], nil).Coverage
		}()
		if k.side(cov) < 12 || k.side(cov) > 30 {
			t.Errorf("tilt x %g y %g: depth left %.0f right %.0f top %.0f bottom %.0f, coverage %+v", k.l.TiltXDeg, k.l.TiltYDeg, depth(plane.Point{X: 0, Y: 62}), depth(plane.Point{X: 200, Y: 62}),
				depth(plane.Point{X: 100}), depth(plane.Point{X: 100, Y: 125}), cov)
		}
	}
}

func TestBoardsAreRefusedWithAReason(t *testing.T) {
	c := plane.Point{X: 100, Y: 62.5}
	cam := webcam()
	render := func(cam calibratetest.Camera, l calibratetest.Look) error {
		_, err := calibrate.FindBoard(cam.Render(l.Pose(), calibratetest.Board(9, 6, 25), 1), calibrate.Board{})
		return err
	}
	soft, moved := cam, cam
	soft.BlurPx = 9
	moved.MotionPx = plane.Point{X: 30, Y: 6}
	for name, k := range map[string]struct {
		err  error
		want []calibrate.Reason
	}{
		"cut off":  {render(cam, calibratetest.Look{At: c, DistanceMM: 500, OffX: 0.45}), []calibrate.Reason{calibrate.Partial}},
		"blurred":  {render(soft, calibratetest.Look{At: c, DistanceMM: 500}), []calibrate.Reason{calibrate.Blurred, calibrate.NoBoard}},
		"moved":    {render(moved, calibratetest.Look{At: c, DistanceMM: 500}), []calibrate.Reason{calibrate.Blurred, calibrate.NoBoard}},
		"far away": {render(cam, calibratetest.Look{At: c, DistanceMM: 3600}), []calibrate.Reason{calibrate.TooSmall, calibrate.NoBoard}},
		"other board": {func() error {
			_, err := calibrate.FindBoard(cam.Render(calibratetest.Look{At: c, DistanceMM: 500}.Pose(), calibratetest.Board(9, 6, 25), 1), calibrate.Board{Columns: 7, Rows: 5})
			return err
		}(), []calibrate.Reason{calibrate.Partial}},
		"no board": {func() error {
			_, err := calibrate.FindBoard(cam.Render(calibratetest.Look{At: c, DistanceMM: 500}.Pose(), calibratetest.Sheet(0.5, 0.5, 0.5), 1), calibrate.Board{})
			return err
		}(), []calibrate.Reason{calibrate.NoBoard}},
	} {
		var r *calibrate.Rejected
		if !errors.As(k.err, &r) {
			t.Errorf("%s: %v", name, k.err)
			continue
		}
		ok := false
		for _, w := range k.want {
			ok = ok || r.Reason == w
		}
		if !ok || r.Text == "" || r.Remedy == "" {
			t.Errorf("%s: %s (%v)", name, r.Reason, r)
		}
	}
}

// TestChessboardPhotographs: the reference set of 20 photographs.
func TestChessboardPhotographs(t *testing.T) {
	dir := testutil.Fixtures(t, "real", "chessboard")
	l, err := calibrate.NewLens(calibrate.LensOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	files, err := camera.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range files.Paths {
		f, err := camera.Read(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Add(strings.TrimPrefix(p, dir+"/"), f.Image); err != nil {
			t.Fatal(err)
		}
	}
	res, err := l.Solve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d boards, rms %.4f px, focal %.2f %.2f +- %.2f (Jacobian %.2f, jackknife %.2f)", len(res.Boards), res.RMSPx, res.Lens.FocalXPx, res.Lens.FocalYPx,
		res.FocalSigmaPx, res.JacobianPx, res.JackknifePx)
	var names []string
	for _, r := range res.Rejected {
		names = append(names, r.Name+" "+string(r.Reason))
		t.Log(r.Error())
	}
	for _, b := range res.Boards {
		t.Logf("%+v", b)
	}
	t.Logf("warnings %q missing %q", res.Warnings, res.Missing)
	if d := cmp.Diff([]string{"calibration1.jpg partial", "calibration4.jpg partial", "calibration5.jpg partial"}, names); d != "" {
		t.Error(d)
	}
	if len(res.Boards) != 17 || res.RMSPx > 0.9 {
		t.Errorf("%d boards, rms %.3f px", len(res.Boards), res.RMSPx)
	}
	// Both results of the set: published, and with sub-pixel corners.
	for _, want := range [][2]float64{{1153.961, 1148.025}, {1156.940, 1152.138}} {
		if math.Abs(res.Lens.FocalXPx/want[0]-1) > 0.01 || math.Abs(res.Lens.FocalYPx/want[1]-1) > 0.01 {
			t.Errorf("focal length %.1f %.1f, want %v", res.Lens.FocalXPx, res.Lens.FocalYPx, want)
		}
	}
	// Two photographs have a pixel more: they are used and named.
	if n := strings.Count(strings.Join(res.Warnings, "\n"), "1281 x 721"); n != 2 {
		t.Errorf("warnings: %q", res.Warnings)
	}
}

func TestLensStops(t *testing.T) {
	l, err := calibrate.NewLens(calibrate.LensOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range boards() {
		l.AddView(fmt.Sprint(i), 1280, 720, v, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestHostileBoards: pictures without sense give reasons, not faults.
func TestHostileBoards(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {3, 200}, {64, 64}, {500, 300}} {
		img := calibratetest.Camera{WidthPx: max(16, size[0]), HeightPx: max(16, size[1])}.Render(calibratetest.Look{DistanceMM: 100}.Pose(), calibratetest.Sheet(0.5, 0.5, 0.5), 1)
		img.Width, img.Height = size[0], size[1]
		img.Pix = img.Pix[:3*size[0]*size[1]]
		for i := range img.Pix {
			img.Pix[i] = uint8(r.UintN(256))
		}
		var rej *calibrate.Rejected
		if _, err := calibrate.FindBoard(img, calibrate.Board{}); !errors.As(err, &rej) {
			t.Errorf("%v: %v", size, err)
		}
	}
}
