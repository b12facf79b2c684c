package camera

import (
	"context"

	"fairdeck/vision/camera/v4l2"
)

// Device is a USB camera that is there, and what can be had from it.
type Device struct {
	v4l2.Node
	Use     *USBMode // what OpenSource would ask for; nil where nothing fits
	Problem *Error   // why it cannot be used, with the remedy; nil where it can
}

// Devices lists the USB cameras, without taking a frame. The error says why
// there is no list; that there is no camera is no error.
func Devices(ctx context.Context, s v4l2.System, o USBOptions) ([]Device, error) {
	nodes, err := s.List(ctx)
	if err != nil {
		return nil, &Error{Path: "cameras", Problem: Unreadable, Text: err.Error(), Remedy: "name the camera by its device file, such as /dev/video0", Err: err}
	}
	var out []Device
	for _, n := range nodes {
		d := Device{Node: n}
		if mode, ok := chooseMode(n.Modes, o.withDefaults()); ok {
			d.Use = &mode
		}
		switch {
		case n.Err != nil:
			if e, ok := usbError(n.Path, n.Err).(*Error); ok {
				d.Problem = e
			}
		case d.Use == nil:
			d.Problem = unreadable(n.Path, n.Modes)
		}
		out = append(out, d)
	}
	return out, ctx.Err()
}
