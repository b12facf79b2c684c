package main

import (
	"context"
	"errors"
	"fmt"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"

	"github.com/spf13/cobra"
)

func newCalibrateFlatCommand(a *app) *cobra.Command {
	var o profileFlags
	cmd := &cobra.Command{
		Use:   "flat SOURCE...",
		Short: "Learn the light over the table and the camera's noise from a white sheet",
		Long: `Learn how the lamp's light and the lens's falloff spread over the picture, and how
much the camera's pixels vary by themselves, from pictures of white paper that
fills the frame. Expose it to a light grey, without saturated places.

Take two pictures of the sheet left still: what differs between them is noise.
Turn the sheet by a quarter and take one more: what turns with it is the
paper's. Two more pictures with half the light tell the noise of reading the
sensor from that of the light itself. Pictures with a shadow, a crease or a
thing on the sheet are refused, and the place is named.`,
		Example: `  fairdeck calibrate flat sheet1.png sheet2.png sheet-turned.png
  fairdeck calibrate flat sheets/`,
		Args: needPictures,
		RunE: func(cmd *cobra.Command, args []string) error { return calibrateFlat(cmd.Context(), a, &o, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func calibrateFlat(ctx context.Context, a *app, o *profileFlags, args []string) error {
	s, err := a.calibration("flat", o)
	if err != nil {
		return err
	}
	c := calibrate.NewFlat()
	var prof *calibrate.Profile
	w, h := 0, 0
	err = s.each(ctx, args, 1, func(_ int, f *camera.Frame) error {
		if prof == nil {
			var err error
			if prof, err = o.load(f.Image.Width, f.Image.Height); err != nil {
				return err
			}
		}
		fb, err := c.Add(f.Path, f.Image)
		switch {
		case err != nil:
			return err
		case fb.Rejected != nil:
			s.reject(*fb.Rejected)
		default:
			s.used(f)
			w, h = f.Image.Width, f.Image.Height
		}
		return nil
	})
	if err != nil {
		return err
	}
	if prof == nil {
		return s.failed(errors.New("no picture could be read"))
	}
	flat, noise, err := c.Solve()
	if err != nil {
		return s.failed(err)
	}
	if err := prof.Fits(w, h); err != nil {
		return usagef("%w", err)
	}
	prof.SetFlat(flat, noise, w, h, s.evidence())
	s.out.Warnings = append(s.out.Warnings, flat.Warnings...)
	lines := []string{fmt.Sprintf("The darkest place has %.0f %% of the brightest's light; the sheet was even to %.2f %%", 100*flat.DarkestShare, 100*flat.ResidualShare)}
	if noise != nil {
		s.out.Warnings = append(s.out.Warnings, noise.Warnings...)
		lines = append(lines, fmt.Sprintf("Noise of a pixel: %.1f codes of 255 at mid-grey", noise.SigmaCodes(1, 128)))
	}
	if r, err := prof.Resolution(); err == nil {
		lines = append(lines, r.Words())
	}
	return s.save(prof, lines)
}
