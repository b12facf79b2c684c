package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"
	"fairdeck/vision/plane"

	"github.com/spf13/cobra"
)

type calibrateColourOptions struct {
	profileFlags
	white, chart bool
	edition      string
	corners      string
}

func newCalibrateColourCommand(a *app) *cobra.Command {
	var o calibrateColourOptions
	cmd := &cobra.Command{
		Use:   "colour SOURCE...",
		Short: "Learn the white balance, and true colours from a colour chart",
		Long: `Learn what white looks like under the station's lamps, from a white sheet; and with
a colour chart of 24 patches in the picture, how the camera's colours become
true ones (a matrix of 3 x 3 in linear light that keeps grey grey).

The chart is found in any turn. Where that fails, give the centres of its
corner patches. What is left of the differences (ΔE2000) is said: as the camera
delivers, with the white balance, with the matrix, and for patches that the
matrix was not fitted to. A flat field of the profile is taken out first.`,
		Example: `  fairdeck calibrate colour chart.jpg
  fairdeck calibrate colour --white sheet.jpg
  fairdeck calibrate colour --corners 312,205,880,214,871,590,305,581 chart.jpg`,
		Args: needPictures,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.profileFlags.AddFlags(cmd.Flags())
	f := cmd.Flags()
	f.BoolVar(&o.white, "white", false, "the pictures show white paper; do not look for a chart")
	f.BoolVar(&o.chart, "chart", false, "the pictures show a chart; refuse those where it is not found")
	f.StringVar(&o.edition, "edition", string(calibrate.Since2014), "the chart's pigments: 2014 (November 2014 and later) or 2000")
	f.StringVar(&o.corners, "corners", "", "centres in px of dark skin, bluish green, black and white: x,y,x,y,x,y,x,y")
	return cmd
}

// numbers reads so many numbers with commas between them.
func numbers(s string, n int) ([]float64, error) {
	parts := strings.Split(s, ",")
	if len(parts) != n {
		return nil, fmt.Errorf("%q has %d numbers, want %d", s, len(parts), n)
	}
	out := make([]float64, n)
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(v > -1e6 && v < 1e6) {
			return nil, fmt.Errorf("%q is not a number of pixels or millimetres", p)
		}
		out[i] = v
	}
	return out, nil
}

func (o *calibrateColourOptions) run(ctx context.Context, a *app, args []string) error {
	opt := calibrate.ColourOptions{Edition: calibrate.Edition(o.edition), White: o.white, Chart: o.chart}
	if o.corners != "" {
		v, err := numbers(o.corners, 8)
		if err != nil {
			return usagef("--corners: %w", err)
		}
		for i := range opt.Corners {
			opt.Corners[i] = plane.Point{X: v[2*i], Y: v[2*i+1]}
		}
	}
	if _, err := calibrate.NewColour(nil, opt); err != nil {
		return &usageError{err}
	}
	s, err := a.calibration("colour", &o.profileFlags)
	if err != nil {
		return err
	}
	var prof *calibrate.Profile
	var c *calibrate.ColourCalibration
	err = s.each(ctx, args, 1, func(_ int, f *camera.Frame) error {
		if c == nil {
			var err error
			if prof, err = o.load(f.Image.Width, f.Image.Height); err != nil {
				return err
			}
			if c, err = calibrate.NewColour(prof, opt); err != nil {
				return &usageError{err}
			}
		}
		if err := prof.Fits(f.Image.Width, f.Image.Height); err != nil {
			s.reject(calibrate.Rejected{Name: f.Path, Reason: calibrate.FrameSize, Text: err.Error(), Remedy: "take all pictures at one resolution"})
			return nil
		}
		fb, err := c.Add(f.Path, f.Image)
		switch {
		case err != nil:
			return err
		case fb.Rejected != nil:
			s.reject(*fb.Rejected)
		default:
			s.used(f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c == nil {
		return s.failed(errors.New("no picture could be read"))
	}
	col, err := c.Solve()
	if err != nil {
		return s.failed(err)
	}
	prof.SetColour(col, prof.WidthPx, prof.HeightPx, s.evidence())
	s.out.Warnings = append(s.out.Warnings, col.Warnings...)
	lines := []string{fmt.Sprintf("White balance: red times %.3f, blue times %.3f", col.Gains[0], col.Gains[2])}
	if col.After != nil {
		lines = append(lines, fmt.Sprintf("Patches are off by ΔE %.1f as delivered, %.1f with the white balance, %.1f with the matrix (at most %.1f, %s; %.1f for patches left out)",
			col.Before.Mean, col.Gained.Mean, col.After.Mean, col.After.Worst, col.After.Patch, col.LeftOut))
	}
	return s.save(prof, lines)
}
