package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/vision/plane"
)

// LensResult is a lens with its evidence.
type LensResult struct {
	Lens              plane.Lens
	WidthPx, HeightPx int

	// RMSPx is the root mean square reprojection error of all corners used.
	RMSPx float64

	// FocalSigmaPx is the standard uncertainty of the mean focal length: the
	// larger of what the Jacobian gives (independent corner errors) and the
	// jackknife over boards, which also sees a board that is not flat.
	FocalSigmaPx float64

	// JacobianPx and JackknifePx are the two.
	JacobianPx, JackknifePx float64

	Boards   []BoardFit // used, in the order they were added
	Rejected []Rejected // not used, by name
	Coverage Coverage
	Missing  []string // poses that would help
	Warnings []string
}

// BoardFit is one board of the fit.
type BoardFit struct {
	Name string `json:"name"`

	// RMSPx is the error of the board's corners in the fit; LeftOutRMSPx that
	// under the lens fitted to the other boards.
	RMSPx        float64 `json:"rms_px"`
	LeftOutRMSPx float64 `json:"left_out_rms_px"`

	// RightDeg and BottomDeg are the board's tilts: positive when that side is
	// nearer to the camera.
	RightDeg   float64 `json:"right_deg"`
	BottomDeg  float64 `json:"bottom_deg"`
	DistanceMM float64 `json:"distance_mm"`
}

const (
	minBoards = 3 // Zhang 2000: two fix four numbers, three leave one to check by

	// maxGroups bounds the fits of the jackknife: with more boards several are
	// left out together.
	maxGroups = 25

	// outlierTimes the median of the boards' errors, and at least outlierPx: a
	// corner detector's errors differ by three between sharp and poor boards.
	outlierTimes = 3
	outlierPx    = 0.25

	// Uncertainty of the focal length, as a share: below the first the
	// millimetres it gives are as good as a ruler's; beyond the second the fit
	// says nothing.
	goodFocal, worstFocal = 0.005, 0.03

	// k3Reach is how far towards the frame's corners the boards must reach for
	// K3 to be fitted: the sixth power of the radius is felt only there.
	k3Reach = 0.7
)

// Solve fits the lens. Boards that contradict the others are left out one at a
// time, and named. It fails with a *[TooFewError] or a *[DegenerateError].
func (l *LensCalibration) Solve(ctx context.Context) (*LensResult, error) {
	res := &LensResult{Rejected: slices.Clone(l.rejected)}
	res.WidthPx, res.HeightPx = l.frameSize()
	views := l.sameSize(res)
	for {
		if len(views) < minBoards {
			return nil, &TooFewError{Have: len(views), Need: minBoards, Rejected: res.Rejected}
		}
		res.Coverage = coverage(views, l.opt.Board, res.WidthPx, res.HeightPx, 0)
		res.Missing = res.Coverage.Missing()
		if t := res.Coverage.tilt(); t < degenerateTilt {
			return nil, &DegenerateError{Text: fmt.Sprintf("no board is tilted by more than %.0f degrees, all are seen straight on, and the focal length cannot be told from the distance", math.Ceil(t)), Missing: res.Missing}
		}
		fit, err := l.fit(views, res, plane.Lens{})
		if err != nil {
			return nil, &DegenerateError{Text: err.Error(), Missing: res.Missing}
		}
		out, err := l.leaveOut(ctx, views, fit, res)
		if err != nil {
			return nil, err
		}
		if worst := out.outlier(); worst >= 0 {
			v := views[worst]
			res.Rejected = append(res.Rejected, Rejected{Name: v.Name, Reason: Outlier,
				Text: fmt.Sprintf("its corners are %.2f px from where the other %d boards put them, which have %.2f px",
					out.rms[worst], len(views)-1, out.typical(worst)),
				Remedy: "the board was bent, moved or blurred; take that picture again"})
			views = slices.Delete(slices.Clone(views), worst, worst+1)
			continue
		}
		l.finish(res, views, fit, out)
		return res, res.check()
	}
}

// sameSize leaves out pictures of another frame size.
func (l *LensCalibration) sameSize(res *LensResult) []*View {
	var views []*View
	for i, v := range l.views {
		w, h := l.sizes[i][0], l.sizes[i][1]
		dw, dh := w-res.WidthPx, h-res.HeightPx
		if max(dw, -dw, dh, -dh) > sizeSlack {
			res.Rejected = append(res.Rejected, Rejected{Name: v.Name, Reason: FrameSize,
				Text:   fmt.Sprintf("%d x %d pixels, most pictures have %d x %d", w, h, res.WidthPx, res.HeightPx),
				Remedy: "take all pictures with the camera at one resolution, and do not crop them"})
			continue
		}
		if dw != 0 || dh != 0 {
			res.Warnings = append(res.Warnings, fmt.Sprintf("%s has %d x %d pixels where the others have %d x %d: used, its corners may be off by a pixel", v.Name, w, h, res.WidthPx, res.HeightPx))
		}
		views = append(views, v)
	}
	return views
}

func (l *LensCalibration) fit(views []*View, res *LensResult, guess plane.Lens) (*cv.LensFit, error) {
	corners := make([][]plane.Point, len(views))
	for i, v := range views {
		corners[i] = v.Corners
	}
	o := cv.LensOptions{Guess: guess, FixK3: reach(views, res.WidthPx, res.HeightPx) < k3Reach}
	fit, err := cv.CalibrateLens(l.opt.Board.corners(), corners, res.WidthPx, res.HeightPx, o)
	if err != nil || o.FixK3 || monotonic(fit.Lens, res.WidthPx, res.HeightPx) {
		return fit, err
	}
	// A polynomial that turns back inside the frame is no lens.
	guess.K3, o.FixK3 = 0, true
	o.Guess = guess
	return cv.CalibrateLens(l.opt.Board.corners(), corners, res.WidthPx, res.HeightPx, o)
}

// reach is how far from the middle corners lie, as a share of the half
// diagonal.
func reach(views []*View, width, height int) float64 {
	c := plane.Point{X: float64(width-1) / 2, Y: float64(height-1) / 2}
	far := 0.0
	for _, v := range views {
		for _, p := range v.Corners {
			far = max(far, p.Sub(c).Norm())
		}
	}
	return far / c.Norm()
}

// monotonic reports whether the radial distortion grows with the radius all
// over the frame.
func monotonic(l plane.Lens, width, height int) bool {
	x := max(l.CentreXPx, float64(width)-l.CentreXPx) / l.FocalXPx
	y := max(l.CentreYPx, float64(height)-l.CentreYPx) / l.FocalYPx
	r := math.Hypot(x, y)
	for i := 1; i <= 50; i++ {
		q := r * float64(i) / 50
		q *= q
		if 1+q*(3*l.K1+q*(5*l.K2+q*7*l.K3)) <= 0 {
			return false
		}
	}
	return true
}

// leftOut is what the fits without one board, or one group of boards, say.
type leftOut struct {
	rms   []float64 // of each board under the lens of the others
	focal []float64 // mean focal length of each such fit
}

func (l *LensCalibration) leaveOut(ctx context.Context, views []*View, fit *cv.LensFit, res *LensResult) (*leftOut, error) {
	n := len(views)
	out := &leftOut{rms: make([]float64, n)}
	if n <= minBoards {
		for i := range views {
			out.rms[i] = fit.Views[i].RMSPx
		}
		return out, nil
	}
	groups := min(n, maxGroups)
	for g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.opt.Progress != nil {
			l.opt.Progress(g, groups)
		}
		var rest []*View
		for i, v := range views {
			if i%groups != g {
				rest = append(rest, v)
			}
		}
		part, err := l.fit(rest, res, fit.Lens)
		if err != nil {
			// The others alone do not fix the lens; this board is needed and
			// cannot be judged.
			for i := g; i < n; i += groups {
				out.rms[i] = fit.Views[i].RMSPx
			}
			continue
		}
		out.focal = append(out.focal, (part.Lens.FocalXPx+part.Lens.FocalYPx)/2)
		for i := g; i < n; i += groups {
			p, err := cv.BoardPose(l.opt.Board.corners(), views[i].Corners, part.Lens)
			if err != nil {
				return nil, err
			}
			out.rms[i] = p.RMSPx
		}
	}
	return out, nil
}

// typical is the median error of the boards but one.
func (o *leftOut) typical(but int) float64 {
	rest := slices.Delete(slices.Clone(o.rms), but, but+1)
	slices.Sort(rest)
	return rest[len(rest)/2]
}

// outlier is the board that contradicts the others, or -1. With fewer than
// five nobody can say which one is wrong.
func (o *leftOut) outlier() int {
	if len(o.rms) < 5 {
		return -1
	}
	worst := 0
	for i := range o.rms {
		if o.rms[i] > o.rms[worst] {
			worst = i
		}
	}
	if o.rms[worst] > max(outlierPx, outlierTimes*o.typical(worst)) {
		return worst
	}
	return -1
}

// jackknife is the standard error of the focal length (Efron & Stein 1981).
func (o *leftOut) jackknife() float64 {
	n := float64(len(o.focal))
	if n < 4 {
		return 0
	}
	m := mean(o.focal)
	s := 0.0
	for _, f := range o.focal {
		s += (f - m) * (f - m)
	}
	return math.Sqrt((n - 1) / n * s)
}

func (l *LensCalibration) finish(res *LensResult, views []*View, fit *cv.LensFit, out *leftOut) {
	res.Lens, res.RMSPx = fit.Lens, fit.RMSPx
	f := (fit.Lens.FocalXPx + fit.Lens.FocalYPx) / 2
	res.JacobianPx = (fit.Sigma.FocalXPx + fit.Sigma.FocalYPx) / 2
	res.JackknifePx = out.jackknife()
	res.FocalSigmaPx = max(res.JacobianPx, res.JackknifePx)
	res.Coverage = coverage(views, l.opt.Board, res.WidthPx, res.HeightPx, f)
	res.Missing = res.Coverage.Missing()
	for i, v := range views {
		b := BoardFit{Name: v.Name, RMSPx: fit.Views[i].RMSPx, LeftOutRMSPx: out.rms[i], DistanceMM: norm3(fit.Views[i].ShiftMM)}
		b.RightDeg, b.BottomDeg, _ = tiltOf(v, l.opt.Board, res.WidthPx, res.HeightPx, f)
		res.Boards = append(res.Boards, b)
	}
	if share := res.FocalSigmaPx / f; share > goodFocal && share <= worstFocal {
		remedy := "add the poses that are missing"
		if len(res.Missing) == 0 || res.JackknifePx > 2*res.JacobianPx {
			remedy = "the boards contradict each other: glue the board to something flat and stiff, lock the focus, and take more pictures"
		}
		res.Warnings = append(res.Warnings, fmt.Sprintf("the focal length is known to %.1f %% only; %s", 100*share, remedy))
	}
	if res.RMSPx > 1 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("the corners fit to %.2f px only, good boards give 0.3 or less: the board may not be flat (glue it to something stiff), or the focus changes", res.RMSPx))
	}
	if len(views) < 5 {
		res.Warnings = append(res.Warnings, "with fewer than five boards a bad one cannot be told")
	}
}

func norm3(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// check refuses a result that says nothing.
func (res *LensResult) check() error {
	f := (res.Lens.FocalXPx + res.Lens.FocalYPx) / 2
	long := float64(max(res.WidthPx, res.HeightPx))
	switch {
	case !(res.FocalSigmaPx <= worstFocal*f):
		return &DegenerateError{Text: fmt.Sprintf("the focal length is %.0f px, give or take %.0f: the poses of the board are too much alike", f, res.FocalSigmaPx), Missing: res.Missing}
	case !(f > 0.2*long && f < 30*long):
		// 136 degrees of view and 2 degrees.
		return &DegenerateError{Text: fmt.Sprintf("a focal length of %.0f px is no camera's with %d pixels across", f, int(long)), Missing: res.Missing}
	case !monotonic(res.Lens, res.WidthPx, res.HeightPx):
		return &DegenerateError{Text: "the distortion folds over inside the frame; the board never came near the corners of the picture", Missing: res.Missing}
	}
	return nil
}
