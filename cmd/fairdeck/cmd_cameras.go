package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/v4l2"

	"github.com/spf13/cobra"
)

// schemaCameras names the version of the JSON of cameras.
const schemaCameras = "cameras/v1"

func newCamerasCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cameras",
		Short: "List the USB cameras with their formats, sizes and rates",
		Long: `List the USB cameras that this machine sees: name, connection, pixel formats,
sizes and frame rates as the kernel tells them, and what fairdeck would use. No
frame is taken; a camera that another program uses is listed too.

A camera is named to other commands by its number or device file (0,
/dev/video0) or by a part of its name (C920). Phone and network cameras are not
listed: give their address (http://... for MJPEG, rtsp://...).

Without a camera that can be used the exit code is 3. --json prints an object of
schema "cameras/v1": cameras of device, name, bus, formats of code, sizes and
rates_fps, controls, use, and problem with text and remedy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := camera.Devices(cmd.Context(), a.devices, camera.USBOptions{})
			if err != nil {
				if cmd.Context().Err() != nil {
					return err
				}
				return &inputError{err}
			}
			if asJSON {
				b, err := json.MarshalIndent(struct {
					Schema  string       `json:"schema"`
					Cameras []cameraJSON `json:"cameras"`
				}{schemaCameras, camerasJSON(found)}, "", "  ")
				if err != nil {
					return err
				}
				if _, err := a.term.Out().Write(append(b, '\n')); err != nil {
					return err
				}
			} else {
				for _, d := range found {
					for _, line := range cameraLines(d) {
						a.term.Print(line)
					}
				}
				if len(found) == 0 {
					a.term.Error("no camera found: plug in a USB camera; if one is plugged in, look whether the kernel sees it (ls /dev/video*), and try another port or cable. A phone camera is named by its address.")
				}
			}
			if !slices.ContainsFunc(found, func(d camera.Device) bool { return d.Problem == nil }) {
				return outcomeInput
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON and nothing else")
	return cmd
}

// cameraLines is a camera for people.
func cameraLines(d camera.Device) []string {
	head := fmt.Sprintf("%s  %s", d.Path, d.Name)
	if d.Capability.Bus != "" {
		head += "  (" + d.Capability.Bus + ")"
	}
	lines := []string{head}
	for _, m := range d.Modes {
		for i, s := range m.Sizes {
			code := "    "
			if i == 0 {
				code = m.FourCC.String()
			}
			lines = append(lines, fmt.Sprintf("    %s  %-11s %s", code, sizeText(s.SizeRange), ratesText(s.Rates)))
		}
	}
	switch {
	case d.Problem != nil:
		lines = append(lines, fmt.Sprintf("    cannot be used: %s; %s", d.Problem.Text, d.Problem.Remedy))
	case d.Use != nil:
		lines = append(lines, fmt.Sprintf("    fairdeck would use %v %d x %d%s", d.Use.Format, d.Use.WidthPx, d.Use.HeightPx, at(d.Use.FPS)))
	}
	return lines
}

func at(fps float64) string {
	if fps == 0 {
		return ""
	}
	return fmt.Sprintf(" at %.4g frames a second", fps)
}

func sizeText(s v4l2.SizeRange) string {
	if s.Discrete() {
		return fmt.Sprintf("%d x %d", s.MaxWidth, s.MaxHeight)
	}
	return fmt.Sprintf("%d x %d to %d x %d", s.MinWidth, s.MinHeight, s.MaxWidth, s.MaxHeight)
}

func ratesText(rates []v4l2.RateRange) string {
	var out []string
	for _, r := range rates {
		if r.Min == r.Max {
			out = append(out, fmt.Sprintf("%.4g", r.Max))
		} else {
			out = append(out, fmt.Sprintf("%.4g to %.4g", r.Min, r.Max))
		}
	}
	if out == nil {
		return "rates not told"
	}
	return strings.Join(out, ", ") + " fps"
}
