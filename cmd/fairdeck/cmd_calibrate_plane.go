package main

import (
	"context"
	"errors"
	"fmt"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"

	"github.com/spf13/cobra"
)

type calibratePlaneOptions struct {
	profileFlags
	boardFlags
	card string
}

func newCalibratePlaneCommand(a *app) *cobra.Command {
	var o calibratePlaneOptions
	cmd := &cobra.Command{
		Use:   "plane SOURCE...",
		Short: "Learn the scale and the tilt of the table",
		Long: `Learn how many pixels a millimetre has on the table and how the camera is tilted,
from the board lying flat on it, or from one card of known size.

With the board the profile also keeps how sharp and how bright it was, which
fairdeck calibrate check compares later. Several pictures of the same scene,
nothing moved, are averaged. Calibrate the lens first: without it the scale is
right where the board lay only, and the tilt is not known.`,
		Example: `  fairdeck calibrate plane board-on-table.jpg
  fairdeck calibrate plane --card 66x91 card.jpg`,
		Args: needPictures,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.profileFlags.AddFlags(cmd.Flags())
	o.boardFlags.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.card, "card", "", "a card lies there instead of the board; its true outer size: standard, japanese, or WIDTHxHEIGHT in mm")
	return cmd
}

func (o *calibratePlaneOptions) run(ctx context.Context, a *app, args []string) error {
	board, err := o.boardFlags.parse()
	if err != nil {
		return err
	}
	size, err := parseSize(o.card)
	if err != nil {
		return usagef("%s", "--card"+err.Error()[len("--size"):])
	}
	s, err := a.calibration("plane", &o.profileFlags)
	if err != nil {
		return err
	}
	var prof *calibrate.Profile
	var c *calibrate.PlaneCalibration
	var last *frame.Image
	var path string
	err = s.each(ctx, args, 1, func(_ int, f *camera.Frame) error {
		if c == nil {
			var err error
			if prof, err = o.load(f.Image.Width, f.Image.Height); err != nil {
				return err
			}
			if c, err = calibrate.NewPlane(calibrate.PlaneOptions{Board: board, Card: size, Lens: prof.Lens}); err != nil {
				return &usageError{err}
			}
		}
		fb, err := c.Add(ctx, f.Path, f.Image)
		if err != nil {
			return err
		}
		if fb.Rejected != nil {
			s.reject(*fb.Rejected)
			return nil
		}
		s.used(f)
		last, path = f.Image.Clone(), f.Path
		return nil
	})
	if err != nil {
		return err
	}
	if c == nil {
		return s.failed(errors.New("no picture could be read"))
	}
	pl, err := c.Solve()
	if err != nil {
		return s.failed(err)
	}
	prof.SetPlane(pl, last.Width, last.Height, s.evidence())
	s.out.Warnings = append(s.out.Warnings, pl.Warnings...)
	if size.WidthMM == 0 {
		var r *calibrate.Rejected
		switch err := prof.SetReference(last, board, s.evidence()); {
		case errors.As(err, &r):
			r.Name = path
			s.warn("no reference for fairdeck calibrate check was kept: " + r.Error())
		case err != nil:
			return err
		}
	}
	lines := []string{fmt.Sprintf("%.3f px/mm in the middle, give or take %.3f; %.2f to %.2f over the frame", pl.PxPerMM, pl.PxPerMMSigma, pl.LeastPxPerMM, pl.MostPxPerMM)}
	if pl.DistanceMM > 0 {
		lines = append(lines, fmt.Sprintf("The camera is %.0f mm above the table, %.1f degrees from straight down (%s)", pl.DistanceMM, pl.TiltDeg, tiltWords(pl.RightDeg, pl.BottomDeg)))
	}
	if r, err := prof.Resolution(); err == nil {
		lines = append(lines, r.Words())
	}
	return s.save(prof, lines)
}
