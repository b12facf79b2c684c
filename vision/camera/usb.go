package camera

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"fairdeck/vision/camera/v4l2"
	"fairdeck/vision/frame"
)

// USBOptions says what is asked of a USB camera. The zero value is the
// default.
type USBOptions struct {
	// WidthPx and HeightPx are the size asked for; 0 means 1920 x 1080, or the
	// nearest below it, or else the smallest.
	WidthPx, HeightPx int

	// FPS is the most frames a second that are of use; 0 means 30.
	FPS float64

	// Settings fixes controls by name ("focus", "exposure_time", ...; see
	// [LockedControls]) to values, as a profile has them. A control that is
	// not named is locked at what the camera's automatics found.
	Settings map[string]int32

	// Search is how long the automatics may search before they are locked,
	// counted in the camera's frames; 0 means 30.
	Search int

	// KeepAutomatics leaves all controls as they are.
	KeepAutomatics bool
}

func (o USBOptions) withDefaults() USBOptions {
	if o.WidthPx <= 0 || o.HeightPx <= 0 {
		o.WidthPx, o.HeightPx = 1920, 1080
	}
	if o.FPS <= 0 {
		o.FPS = 30
	}
	if o.Search <= 0 {
		// A second: webcams settle exposure and focus within it.
		o.Search = 30
	}
	return o
}

// usbCamera is a device as it was named. What its automatics found the first
// time is kept: after a reconnection the pass goes on with the same settings.
type usbCamera struct {
	system v4l2.System
	spec   string
	o      USBOptions

	mu    sync.Mutex
	found map[string]int32
}

// usbFeed is one opening of a USB camera.
type usbFeed struct {
	dev    v4l2.Device
	info   Info
	format v4l2.Format
	held   *Raw
	last   uint32 // sequence number of the last frame
	begun  bool
	lost   int
}

var _ Feed = (*usbFeed)(nil)

// usbBuffers is how many frames the driver may fill before they are fetched: a
// tenth of a second at 30 a second.
const usbBuffers = 4

// findUSB turns a number, a device file or a part of a name into the path of a
// device.
func findUSB(ctx context.Context, s v4l2.System, spec string) (string, error) {
	if n, err := strconv.Atoi(spec); err == nil && n >= 0 {
		return s.Path(n), nil
	}
	if file, ok := strings.CutPrefix(spec, "/dev/"); ok {
		return s.File(file), nil
	}
	if strings.HasPrefix(spec, "/") {
		return spec, nil
	}
	nodes, err := s.List(ctx)
	if err != nil {
		return "", &Error{Path: spec, Problem: Unreadable, Text: err.Error(), Remedy: "name the camera by its device file, such as /dev/video0"}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var match, all []v4l2.Node
	for _, n := range nodes {
		all = append(all, n)
		if strings.Contains(strings.ToLower(n.Name), strings.ToLower(spec)) {
			match = append(match, n)
		}
	}
	switch {
	case len(match) == 1:
		return match[0].Path, nil
	case len(match) > 1:
		return "", &Error{Path: spec, Problem: Missing, Text: "more than one camera has this in its name: " + nodeNames(match), Remedy: "give its device file"}
	case len(all) == 0:
		return "", &Error{Path: spec, Problem: Missing, Text: "no such file, and no camera is there", Remedy: remedySource}
	}
	return "", &Error{Path: spec, Problem: Missing, Text: "no such file, and no camera of this name; there are " + nodeNames(all), Remedy: remedySource}
}

func nodeNames(nodes []v4l2.Node) string {
	var s []string
	for _, n := range nodes {
		s = append(s, fmt.Sprintf("%s (%s)", n.Path, n.Name))
	}
	return strings.Join(s, ", ")
}

// open is the [Opener] of a USB camera: it chooses the format, starts, lets
// the automatics search, locks the controls, and waits for a first frame with
// them.
func (c *usbCamera) open(ctx context.Context) (_ Feed, err error) {
	path, err := findUSB(ctx, c.system, c.spec)
	if err != nil {
		return nil, err
	}
	dev, err := c.system.OpenDevice(path)
	if err != nil {
		return nil, usbError(path, err)
	}
	f := &usbFeed{dev: dev, info: Info{Kind: KindUSB, Name: path, Live: true}}
	defer func() {
		if err != nil {
			// What went wrong first is what is told.
			_ = dev.Close()
		}
	}()
	caps, err := dev.Capability()
	switch {
	case errors.Is(err, v4l2.ErrUnsupported): // a device of another kind
		return nil, usbError(path, v4l2.ErrNoCapture)
	case err != nil:
		return nil, usbError(path, err)
	case caps.Planar():
		return nil, usbError(path, v4l2.ErrPlanar)
	case !caps.Captures():
		return nil, usbError(path, v4l2.ErrNoCapture)
	case caps.Card != "":
		f.info.Name = caps.Card
	}
	if err := f.choose(path, c.o); err != nil {
		return nil, err
	}
	if err := dev.Start(usbBuffers); err != nil {
		return nil, usbError(path, err)
	}
	if f.held, err = f.first(ctx, path); err != nil {
		return nil, err
	}
	if !c.o.KeepAutomatics {
		if err := c.lock(ctx, f, path); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// first waits for a frame that is whole.
func (f *usbFeed) first(ctx context.Context, path string) (*Raw, error) {
	var bad error
	for range maxBadStart {
		raw, err := f.take(ctx)
		if err != nil {
			return nil, usbError(path, err)
		}
		if raw.Pixels != nil {
			f.info.WidthPx, f.info.HeightPx = f.format.Width, f.format.Height
			return raw, nil
		}
		if f.info.WidthPx, f.info.HeightPx, bad = raw.size(); bad == nil {
			return raw, nil
		}
	}
	e := &Error{Path: path, Problem: Damaged, Text: fmt.Sprintf("the camera's first %d frames are all damaged", maxBadStart),
		Remedy: "use another USB port or cable, without a hub", Err: bad}
	return nil, e
}

// take fetches the next frame from the driver.
func (f *usbFeed) take(ctx context.Context) (*Raw, error) {
	for {
		b, err := f.dev.Dequeue(ctx)
		if err != nil {
			return nil, err
		}
		// Numbers that are left out are frames that the driver lost. A jump
		// of minutes is a counter that was reset.
		if gap := b.Sequence - f.last; f.begun && gap > 1 && gap < 10_000 {
			f.lost += int(gap) - 1
		}
		f.last, f.begun = b.Sequence, true
		if b.Damaged || len(b.Data) == 0 {
			f.lost++
			continue
		}
		raw := &Raw{Clock: b.Clock, HasClock: b.HasClock, Lost: f.lost}
		f.lost = 0
		switch f.format.FourCC {
		case v4l2.MJPG, v4l2.JPEG:
			raw.Encoded = b.Data
		default:
			format := f.format
			raw.Pixels = func() (*frame.Image, error) { return convert(format, b.Data) }
		}
		return raw, nil
	}
}

func (f *usbFeed) Info() Info { return f.info }

func (f *usbFeed) Grab(ctx context.Context) (*Raw, error) {
	if raw := f.held; raw != nil {
		f.held = nil
		return raw, nil
	}
	raw, err := f.take(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, usbError(f.info.Name, err)
	}
	return raw, nil
}

func (f *usbFeed) Close() error { return f.dev.Close() }

// usbError says in words what the kernel means.
func usbError(path string, err error) error {
	e := &Error{Path: path, Problem: Unreadable, Err: err}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, v4l2.ErrGone):
		e.Problem, e.Text, e.Remedy = Missing, "the camera is gone", "plug it in again; use another port or cable if it happens often"
	case errors.Is(err, v4l2.ErrBusy):
		e.Problem, e.Text, e.Remedy = Busy, "another program uses the camera", "close it (browser, video call, camera app), then try again"
	case errors.Is(err, v4l2.ErrDenied):
		e.Problem, e.Text, e.Remedy = Denied, "no right to open the camera", "add your user to the group video (sudo usermod -aG video $USER) and log in again"
	case errors.Is(err, v4l2.ErrMissing):
		e.Problem, e.Text, e.Remedy = Missing, "there is no such camera", "plug it in; fairdeck cameras lists what is there"
	case errors.Is(err, v4l2.ErrNoCapture):
		e.Problem, e.Text, e.Remedy = Unsupported, "this is no camera, or the part of one that gives no pictures", "fairdeck cameras lists those that do"
	case errors.Is(err, v4l2.ErrPlanar):
		e.Problem, e.Text, e.Remedy = Unsupported, "this camera gives planar buffers, which are not read", "use a USB camera, or make it an MJPEG stream (mediamtx, mjpg-streamer)"
	case errors.Is(err, v4l2.ErrSystem):
		e.Problem, e.Text, e.Remedy = Unsupported, "USB cameras are read on 64-bit Linux only", "use a phone camera by its http:// address, or a video"
	default:
		e.Text, e.Remedy = "the camera fails: "+err.Error(), "unplug it and plug it in again"
	}
	return e
}
