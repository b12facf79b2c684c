package camera

import (
	"fmt"
	"math"
	"strings"

	"fairdeck/vision/camera/v4l2"
)

// readable are the pixel formats that can be used, best first. Compressed ones
// come first although they lose a little: USB 2 carries 1920 x 1080 at 30
// frames a second as MJPG and at 5 uncompressed, and settling needs frames.
var readable = [...]v4l2.FourCC{v4l2.MJPG, v4l2.JPEG, v4l2.YUYV, v4l2.NV12, v4l2.BGR3, v4l2.RGB3}

// USBMode is a choice among what a camera offers.
type USBMode struct {
	Format            v4l2.FourCC
	WidthPx, HeightPx int
	FPS               float64 // 0 not told
}

// chooseMode picks format before size before rate: the first readable format;
// in it the size asked for, else the largest that fits into it, else the
// smallest; in it the highest rate that is not above the one asked for, else
// the lowest.
func chooseMode(modes []v4l2.Mode, o USBOptions) (USBMode, bool) {
	for _, f := range readable {
		for _, m := range modes {
			if m.FourCC != f || len(m.Sizes) == 0 {
				continue
			}
			best, bestScore := USBMode{}, math.Inf(-1)
			for _, s := range m.Sizes {
				w, h := s.Fit(o.WidthPx, o.HeightPx)
				score := float64(w) * float64(h)
				if w > o.WidthPx || h > o.HeightPx {
					score = -score // too large: the smallest of those, if there is nothing else
				}
				if score > bestScore {
					best, bestScore = USBMode{f, w, h, chooseRate(s.Rates, o.FPS)}, score
				}
			}
			return best, true
		}
	}
	return USBMode{}, false
}

func chooseRate(rates []v4l2.RateRange, want float64) float64 {
	below, above := 0.0, math.Inf(1)
	for _, r := range rates {
		// 30000/1001 is what some cameras call 30.
		if r.Min <= want*1.001 {
			below = max(below, min(r.Max, want))
		} else {
			above = min(above, r.Min)
		}
	}
	switch {
	case below > 0:
		return below
	case !math.IsInf(above, 1):
		return above
	}
	return 0
}

// choose asks the camera for a mode and takes what it gives, with a warning
// where that is less.
func (f *usbFeed) choose(path string, o USBOptions) error {
	modes, err := v4l2.Modes(f.dev)
	if err != nil {
		return usbError(path, err)
	}
	mode, ok := chooseMode(modes, o)
	if !ok {
		return unreadable(path, modes)
	}
	warn := func(format string, args ...any) {
		f.info.Warnings = append(f.info.Warnings, fmt.Sprintf(format, args...))
	}
	asked := v4l2.Format{FourCC: mode.Format, Width: mode.WidthPx, Height: mode.HeightPx}
	got, err := f.dev.SetFormat(asked)
	if err != nil {
		return usbError(path, err)
	}
	// Some drivers answer with what they were asked and set something else.
	if again, err := f.dev.Format(); err == nil {
		got = again
	}
	usable := false
	for _, r := range readable {
		usable = usable || r == got.FourCC
	}
	if !usable || got.Width <= 0 || got.Height <= 0 {
		return &Error{Path: path, Problem: Unsupported, Text: fmt.Sprintf("the camera was asked for %s and set itself to %v, %d x %d", describe(asked), got.FourCC, got.Width, got.Height), Remedy: "unplug it and plug it in again, or use another camera"}
	}
	f.format = got
	if got.FourCC != asked.FourCC || got.Width != asked.Width || got.Height != asked.Height {
		warn("the camera offers %s and gives %s: the smallest mark that can be seen is another one than the calibration says; calibrate with this size", describe(asked), describe(got))
	}
	fps, err := f.dev.SetRate(max(mode.FPS, 1))
	switch {
	case err != nil:
		warn("the camera does not let its frame rate be set: if frames come slowly, deal slowly")
		fps = 0
	case mode.FPS > 0 && fps > 0 && math.Abs(fps-mode.FPS) > 0.1*mode.FPS:
		warn("the camera was set to %.3g frames a second and gives %.3g", mode.FPS, fps)
	}
	f.info.FPS, f.info.Format = fps, got.FourCC.String()
	if fps == 0 {
		f.info.FPS = mode.FPS
	}
	// Three frames of a card that lies still for a third of a second.
	if r := f.info.FPS; r > 0 && r < 10 {
		warn("only %.3g frames a second come at this size (%s): deal no faster than one card in two seconds, or choose a smaller size or a camera with MJPG", r, describe(got))
	}
	if got.Interlaced {
		warn("the camera gives interlaced frames: edges of moving cards are torn; use another camera")
	}
	f.info.Settings = append(f.info.Settings,
		Setting{Name: "format", Asked: asked.FourCC.String(), Actual: got.FourCC.String(), OK: got.FourCC == asked.FourCC},
		Setting{Name: "size", Asked: fmt.Sprintf("%dx%d", o.WidthPx, o.HeightPx), Actual: fmt.Sprintf("%dx%d", got.Width, got.Height), OK: got.Width == o.WidthPx && got.Height == o.HeightPx},
		Setting{Name: "frame_rate", Asked: fmt.Sprintf("%.3g", o.FPS), Actual: fmt.Sprintf("%.3g", f.info.FPS), OK: math.Abs(f.info.FPS-o.FPS) < 0.1*o.FPS})
	return nil
}

func describe(f v4l2.Format) string {
	return fmt.Sprintf("%v %d x %d", f.FourCC, f.Width, f.Height)
}

// unreadable says why no mode of a camera can be used.
func unreadable(path string, modes []v4l2.Mode) *Error {
	var has []string
	for _, m := range modes {
		has = append(has, m.FourCC.String())
	}
	if len(has) == 0 {
		return &Error{Path: path, Problem: Unsupported, Text: "the camera offers no pictures", Remedy: "use another camera"}
	}
	return &Error{Path: path, Problem: Unsupported, Text: "the camera gives pictures only as " + strings.Join(has, ", ") + ", which are not read", Remedy: "use a camera with MJPG or YUYV, or its stream by address"}
}
