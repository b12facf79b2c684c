package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/cv"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"

	"github.com/spf13/cobra"
)

type calibrateLensOptions struct {
	profileFlags
	boardFlags
}

func newCalibrateLensCommand(a *app) *cobra.Command {
	var o calibrateLensOptions
	cmd := &cobra.Command{
		Use:   "lens SOURCE...",
		Short: "Learn the lens from pictures of a chessboard",
		Long: `Learn the focal length and the distortion of the camera's lens from ten and more
pictures of a chessboard (fairdeck calibrate board prints one).

Hold the board in many ways: tilted to each side by about 25 degrees, near and
far, and in every part of the picture. What is missing is said. A picture that
is no use is named with the reason: the board is not whole, blurred, as in an
earlier picture, or its corners contradict the other pictures (each board is
judged by a lens fitted to the others).

The focal length comes with its uncertainty. Pictures that do not fix it, such
as boards all seen straight on, are refused.`,
		Example: `  fairdeck calibrate lens boards/
  fairdeck calibrate lens 0
  fairdeck calibrate lens --board 9x6 --square 24.7 --profile table3.json 'b*.jpg'`,
		Args: needPictures,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.profileFlags.AddFlags(cmd.Flags())
	o.boardFlags.AddFlags(cmd.Flags())
	return cmd
}

// looked is what one picture of a board gave.
type looked struct {
	frame    *camera.Frame // without its pixels
	w, h     int
	view     *calibrate.View
	rejected *calibrate.Rejected
}

func (o *calibrateLensOptions) run(ctx context.Context, a *app, args []string) error {
	board, err := o.boardFlags.parse()
	if err != nil {
		return err
	}
	s, err := a.calibration("lens", &o.profileFlags)
	if err != nil {
		return err
	}
	p := ui.NewProgress(a.term, time.Now)
	l, err := calibrate.NewLens(calibrate.LensOptions{Board: board, Progress: func(done, total int) { p.Set("fitting", done, total) }})
	if err != nil {
		return err
	}
	// Pictures are looked at side by side; OpenCV's own threads would get into
	// each other's way. The boards are added in the pictures' order.
	if err := cv.SetThreads(1); err != nil {
		return err
	}
	var byName map[string]*camera.Frame
	if isStream(args[0]) {
		if len(args) > 1 {
			return usagef("one camera, stream or video at a time")
		}
		byName, err = s.guide(ctx, args[0], l, board)
	} else {
		byName, err = o.lookAll(ctx, s, args, l, board)
	}
	if err != nil {
		return err
	}
	res, err := l.Solve(ctx)
	p.Done()
	var few *calibrate.TooFewError
	var degenerate *calibrate.DegenerateError
	switch {
	case errors.As(err, &few):
		s.out.Rejected = append(s.out.Rejected, few.Rejected...)
		return s.failed(err)
	case errors.As(err, &degenerate):
		s.out.Rejected = append(s.out.Rejected, l.Rejected()...)
		s.out.Missing = degenerate.Missing
		return s.failed(err)
	case err != nil:
		return err
	}
	prof, err := o.load(res.WidthPx, res.HeightPx)
	if err != nil {
		return err
	}
	for _, b := range res.Boards {
		s.used(byName[b.Name])
	}
	s.out.Rejected = append(s.out.Rejected, res.Rejected...)
	s.out.Missing = append([]string{}, res.Missing...)
	s.out.Warnings = append(s.out.Warnings, res.Warnings...)
	if prof.Plane != nil {
		s.warn("the plane was measured through the lens as it was before and is forgotten: run fairdeck calibrate plane again")
	}
	prof.SetLens(res, board, s.evidence())
	return s.save(prof, lensLines(res))
}

// lookAll finds the boards of all pictures and adds them in their order.
func (o *calibrateLensOptions) lookAll(ctx context.Context, s *session, args []string, l *calibrate.LensCalibration, board calibrate.Board) (map[string]*camera.Frame, error) {
	seen := make([]looked, camera.MaxPictures)
	err := s.each(ctx, args, runtime.GOMAXPROCS(0), func(i int, f *camera.Frame) error {
		v, err := calibrate.FindBoard(f.Image, board)
		k := looked{w: f.Image.Width, h: f.Image.Height, view: v}
		if err != nil && !errors.As(err, &k.rejected) {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		c := *f
		c.Image = nil
		k.frame = &c
		seen[i] = k
		return nil
	})
	if err != nil {
		return nil, err
	}
	byName := map[string]*camera.Frame{}
	for _, k := range seen {
		if k.frame == nil {
			continue
		}
		f := l.AddView(k.frame.Path, k.w, k.h, k.view, k.rejected)
		byName[k.frame.Path] = k.frame
		s.out.Missing = f.Missing
	}
	return byName, nil
}

func lensLines(res *calibrate.LensResult) []string {
	l := res.Lens
	f := (l.FocalXPx + l.FocalYPx) / 2
	lines := []string{
		fmt.Sprintf("Focal length %.1f x %.1f px, give or take %.1f (%.2f %%); centre (%.1f, %.1f)", l.FocalXPx, l.FocalYPx, res.FocalSigmaPx, 100*res.FocalSigmaPx/f, l.CentreXPx, l.CentreYPx),
		fmt.Sprintf("Distortion k1 %.4f k2 %.4f p1 %.5f p2 %.5f k3 %.4f", l.K1, l.K2, l.P1, l.P2, l.K3),
		fmt.Sprintf("The corners of %d boards fit to %.3f px:", len(res.Boards), res.RMSPx),
	}
	for _, b := range res.Boards {
		lines = append(lines, fmt.Sprintf("  %.2f px (%.2f left out)  %s, %s", b.RMSPx, b.LeftOutRMSPx, b.Name, tiltWords(b.RightDeg, b.BottomDeg)))
	}
	return lines
}

// tiltWords says how a board was tilted.
func tiltWords(right, bottom float64) string {
	side, deg := "right", right
	if right < 0 {
		side, deg = "left", -right
	}
	end, up := "bottom", bottom
	if bottom < 0 {
		end, up = "top", -bottom
	}
	return fmt.Sprintf("%s side nearer by %.0f degrees, %s by %.0f", side, deg, end, up)
}
