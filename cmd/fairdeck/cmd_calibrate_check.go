package main

import (
	"context"
	"encoding/json"
	"fmt"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"

	"github.com/spf13/cobra"
)

func newCalibrateCheckCommand(a *app) *cobra.Command {
	var o profileFlags
	cmd := &cobra.Command{
		Use:   "check SOURCE...",
		Short: "Say whether the station is still as it was: green, amber or red",
		Long: `Compare the station with its profile, from one or more pictures of the board lying
on the table, anywhere and in any turn: focus, scale, tilt, light, white
balance, saturation; with several pictures also drift.

green  as it was (exit code 0)
amber  usable, but something changed; what and what to do about it is said
       (exit code 10)
red    do not judge players with it (exit code 4)`,
		Example: `  fairdeck calibrate check board-on-table.jpg
  fairdeck calibrate check --json now/ | jq .lamp`,
		Args: needPictures,
		RunE: func(cmd *cobra.Command, args []string) error { return calibrateCheck(cmd.Context(), a, &o, args) },
	}
	o.addPath(cmd.Flags())
	cmd.Flags().StringVar(&o.camera, "camera", "", "the camera's name, compared with the profile's")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a document of schema \"station-check/v1\" and nothing else")
	return cmd
}

// stationCheck is the contract of calibrate check --json.
type stationCheck struct {
	Schema string `json:"schema"` // station-check/v1
	File   string `json:"file"`   // of the profile
	calibrate.Status
	Warnings []string `json:"warnings"`
}

func calibrateCheck(ctx context.Context, a *app, o *profileFlags, args []string) error {
	prof, err := o.existing()
	if err != nil {
		return err
	}
	s, err := a.calibration("check", o)
	if err != nil {
		return err
	}
	check, err := calibrate.NewStationCheck(prof)
	if err != nil {
		return &inputError{fmt.Errorf("%s: %w", s.out.File, err)}
	}
	out := stationCheck{Schema: "station-check/v1", File: s.out.File, Warnings: []string{}}
	err = s.each(ctx, args, 1, func(_ int, f *camera.Frame) error {
		old, err := prof.Matches(o.camera, f.Image.Width, f.Image.Height, a.now())
		if err != nil {
			return &inputError{fmt.Errorf("%s: %w", f.Path, err)}
		}
		if old != nil && len(out.Warnings) == 0 {
			out.Warnings = append(out.Warnings, old.Error())
		}
		_, err = check.Add(f.Path, f.Image)
		return err
	})
	if err != nil {
		return err
	}
	out.Status = check.Status()
	out.Rejected = append(append([]calibrate.Rejected{}, s.out.Rejected...), out.Rejected...)
	if o.json {
		enc := json.NewEncoder(a.term.Out())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(&out); err != nil {
			return err
		}
	} else {
		tellStation(a, &out)
	}
	switch {
	case s.unread > 0 && out.Pictures == 0:
		return outcomeInput
	case out.Lamp == calibrate.Red:
		return outcomeNotGood
	case s.unread > 0:
		return outcomeInput
	case out.Lamp == calibrate.Amber:
		return outcomeFlagged
	}
	return nil
}

func tellStation(a *app, out *stationCheck) {
	for i := range out.Rejected {
		a.term.Error("not used: " + out.Rejected[i].Error())
	}
	for _, w := range out.Warnings {
		a.term.Error("note: " + w)
	}
	a.term.Print(fmt.Sprintf("%s: %s", out.Lamp, out.Reason))
	for _, f := range out.Findings {
		a.term.Print(fmt.Sprintf("  %-5s  %s: %s", f.Lamp, f.What, f.Text))
		if f.Remedy != "" {
			a.term.Print("         " + f.Remedy)
		}
	}
}
