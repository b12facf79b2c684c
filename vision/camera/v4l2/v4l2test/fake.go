// Package v4l2test has a camera that is none: it refuses, lies, is unplugged
// and hangs as real ones do.
//
//	fake := v4l2test.Webcam(frames)
//	fake.Ignores[v4l2.Focus] = true      // says yes and does nothing
//	sys := fake.System(t.TempDir())      // found by name, opened by path
package v4l2test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fairdeck/vision/camera/v4l2"
)

// Camera is a fake device. Fields are set before it is opened; the methods
// named as events may be called while it runs.
type Camera struct {
	Name, Bus string
	Modes     []v4l2.Mode
	Controls  []v4l2.Control

	// Frames are what it delivers in turn, without end: JPEG files, or pixels
	// of the chosen format.
	Frames [][]byte

	// Interval is the time between frames; 0 means that of the chosen rate.
	Interval time.Duration

	OpenErr, CapabilityErr, SetFormatErr, SetRateErr, StartErr error

	// Refuses are controls whose setting fails; Ignores say yes and keep
	// their value; Clamps change what was asked to the given value.
	Refuses map[v4l2.ControlID]error
	Ignores map[v4l2.ControlID]bool
	Clamps  map[v4l2.ControlID]int32

	// Delivers is the format in which it delivers, whatever was asked for:
	// the zero value means as asked.
	Delivers v4l2.Format

	// Script changes a frame before it is delivered: nil data means that it is
	// lost. n counts from 0 over all openings.
	Script func(n int, b *v4l2.Buffer)

	// NotCapture makes it a node of another purpose.
	NotCapture bool

	mu       sync.Mutex
	values   map[v4l2.ControlID]int32
	open     bool
	opens    int
	taken    bool // by another program
	gone     bool
	unplug   chan struct{}
	frozen   bool
	hung     chan struct{} // calls wait for it to be closed
	n        int
	sequence uint32
	calls    []string
}

// Webcam is a camera with the modes and controls of a usual one: MJPG up to
// 1920 x 1080 at 30, YUYV up to 640 x 480 at 30 and 1920 x 1080 at 5.
func Webcam(frames [][]byte) *Camera {
	size := func(w, h int, rates ...float64) v4l2.ModeSize {
		s := v4l2.ModeSize{SizeRange: v4l2.SizeRange{MinWidth: w, MaxWidth: w, StepWidth: 1, MinHeight: h, MaxHeight: h, StepHeight: 1}}
		for _, r := range rates {
			s.Rates = append(s.Rates, v4l2.RateRange{Min: r, Max: r})
		}
		return s
	}
	control := func(id v4l2.ControlID, name string, low, high, def int32) v4l2.Control {
		return v4l2.Control{ID: id, Name: name, Type: 1, Min: low, Max: high, Step: 1, Default: def}
	}
	return &Camera{
		Name: "Fake Webcam C920", Bus: "usb-0000:00:14.0-1",
		Modes: []v4l2.Mode{
			{FormatDesc: v4l2.FormatDesc{FourCC: v4l2.YUYV, Description: "YUYV 4:2:2"}, Sizes: []v4l2.ModeSize{size(640, 480, 30, 15), size(1920, 1080, 5)}},
			{FormatDesc: v4l2.FormatDesc{FourCC: v4l2.MJPG, Description: "Motion-JPEG"}, Sizes: []v4l2.ModeSize{size(640, 480, 60, 30), size(1280, 720, 60, 30), size(1920, 1080, 30, 15, 5), size(3840, 2160, 10)}},
		},
		Controls: []v4l2.Control{
			control(v4l2.WhiteBalanceAuto, "White Balance, Automatic", 0, 1, 1),
			control(v4l2.Gain, "Gain", 0, 255, 64),
			control(v4l2.PowerLineFrequency, "Power Line Frequency", 0, 2, 1),
			control(v4l2.WhiteBalance, "White Balance Temperature", 2000, 6500, 4600),
			control(v4l2.Backlight, "Backlight Compensation", 0, 1, 1),
			control(v4l2.ExposureAuto, "Auto Exposure", 0, 3, 3),
			control(v4l2.ExposureTime, "Exposure Time, Absolute", 3, 2047, 250),
			control(v4l2.ExposurePriority, "Exposure, Dynamic Framerate", 0, 1, 1),
			control(v4l2.FocusAuto, "Focus, Automatic Continuous", 0, 1, 1),
			control(v4l2.Focus, "Focus, Absolute", 0, 250, 35),
		},
		Frames: frames, Refuses: map[v4l2.ControlID]error{}, Ignores: map[v4l2.ControlID]bool{}, Clamps: map[v4l2.ControlID]int32{},
	}
}

// System lays a device tree for cameras, number 0 first, into dir, which
// exists, and opens them.
func System(dir string, cameras ...*Camera) (v4l2.System, error) {
	s := v4l2.System{Sys: filepath.Join(dir, "sys"), Dev: filepath.Join(dir, "dev")}
	if err := os.MkdirAll(s.Dev, 0o755); err != nil {
		return s, err
	}
	by := map[string]*Camera{}
	for i, c := range cameras {
		folder := filepath.Join(s.Sys, "class", "video4linux", fmt.Sprintf("video%d", i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return s, err
		}
		if err := os.WriteFile(filepath.Join(folder, "name"), []byte(c.Name+"\n"), 0o644); err != nil {
			return s, err
		}
		if err := os.WriteFile(s.Path(i), nil, 0o644); err != nil {
			return s, err
		}
		by[s.Path(i)] = c
	}
	s.Open = func(path string) (v4l2.Device, error) {
		c, ok := by[path]
		if !ok {
			return nil, &v4l2.Error{Op: "open", Path: path, Err: v4l2.ErrMissing}
		}
		return c.Open(path)
	}
	return s, nil
}

// Open opens the camera as the kernel would.
func (c *Camera) Open(path string) (v4l2.Device, error) {
	c.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opens++
	switch {
	case c.OpenErr != nil:
		return nil, &v4l2.Error{Op: "open", Path: path, Err: c.OpenErr}
	case c.gone:
		return nil, &v4l2.Error{Op: "open", Path: path, Err: v4l2.ErrMissing}
	}
	if c.values == nil {
		c.values = map[v4l2.ControlID]int32{}
		for _, k := range c.Controls {
			c.values[k.ID] = k.Default
		}
	}
	if c.unplug == nil {
		c.unplug = make(chan struct{})
	}
	return &handle{c: c, path: path}, nil
}

// Unplug is an event: the device is gone until Plug.
func (c *Camera) Unplug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		if c.unplug != nil {
			close(c.unplug)
		}
	}
}

// Plug is an event: the device is back, with its controls at their defaults.
func (c *Camera) Plug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone, c.values, c.unplug = false, nil, nil
}

// Freeze is an event: no frame comes any more, or, with false, again.
func (c *Camera) Freeze(on bool) { c.mu.Lock(); defer c.mu.Unlock(); c.frozen = on }

// Take is an event: another program has the camera, or gives it back.
func (c *Camera) Take(on bool) { c.mu.Lock(); defer c.mu.Unlock(); c.taken = on }

// Hang is an event: every call waits in the driver, deaf to everything, until
// release is called.
func (c *Camera) Hang() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan struct{})
	c.hung = ch
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hung = nil
		close(ch)
	})
}

func (c *Camera) wait() {
	c.mu.Lock()
	ch := c.hung
	c.mu.Unlock()
	if ch != nil {
		<-ch
	}
}

// Value is the true value of a control.
func (c *Camera) Value(id v4l2.ControlID) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[id]
}

// Opens is how often it was opened.
func (c *Camera) Opens() int { c.mu.Lock(); defer c.mu.Unlock(); return c.opens }

// InUse reports an open handle that streams.
func (c *Camera) InUse() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.open }

// Calls are the calls that change something, in order.
func (c *Camera) Calls() []string { c.mu.Lock(); defer c.mu.Unlock(); return slices.Clone(c.calls) }

// handle is one opening.
type handle struct {
	c      *Camera
	path   string
	format v4l2.Format
	rate   float64
	on     bool
}

var _ v4l2.Device = (*handle)(nil)

func (h *handle) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &v4l2.Error{Op: op, Path: h.path, Err: err}
}

// enter is the way into the driver: it may hang, and the device may be gone.
func (h *handle) enter(op string) error {
	h.c.wait()
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.c.gone {
		return h.fail(op, v4l2.ErrGone)
	}
	return nil
}

func (h *handle) log(format string, args ...any) {
	h.c.calls = append(h.c.calls, fmt.Sprintf(format, args...))
}

// The capability bits of a capturing and of a metadata node.
const capsCapture, capsMetadata = 0x04000001, 0x04800000

func (h *handle) Capability() (v4l2.Capability, error) {
	if err := h.enter("VIDIOC_QUERYCAP"); err != nil {
		return v4l2.Capability{}, err
	}
	caps := uint32(capsCapture)
	if h.c.NotCapture {
		caps = capsMetadata
	}
	return v4l2.Capability{Driver: "fake", Card: h.c.Name, Bus: h.c.Bus, Caps: caps}, h.fail("VIDIOC_QUERYCAP", h.c.CapabilityErr)
}

func (h *handle) Formats() (out []v4l2.FormatDesc, err error) {
	for _, m := range h.c.Modes {
		out = append(out, m.FormatDesc)
	}
	return out, h.enter("VIDIOC_ENUM_FMT")
}

func (h *handle) Sizes(f v4l2.FourCC) (out []v4l2.SizeRange, err error) {
	for _, m := range h.c.Modes {
		for _, s := range m.Sizes {
			if m.FourCC == f {
				out = append(out, s.SizeRange)
			}
		}
	}
	return out, h.enter("VIDIOC_ENUM_FRAMESIZES")
}

func (h *handle) Rates(f v4l2.FourCC, w, hh int) ([]v4l2.RateRange, error) {
	if err := h.enter("VIDIOC_ENUM_FRAMEINTERVALS"); err != nil {
		return nil, err
	}
	for _, m := range h.c.Modes {
		for _, s := range m.Sizes {
			if m.FourCC == f && s.MaxWidth == w && s.MaxHeight == hh {
				return s.Rates, nil
			}
		}
	}
	return nil, nil
}

func (h *handle) Controls() ([]v4l2.Control, error) {
	return slices.Clone(h.c.Controls), h.enter("VIDIOC_QUERYCTRL")
}

func (h *handle) Get(id v4l2.ControlID) (int32, error) {
	if err := h.enter("VIDIOC_G_CTRL"); err != nil {
		return 0, err
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	v, ok := h.c.values[id]
	if !ok {
		return 0, h.fail("VIDIOC_G_CTRL", v4l2.ErrUnsupported)
	}
	return v, nil
}

func (h *handle) Set(id v4l2.ControlID, v int32) error {
	if err := h.enter("VIDIOC_S_CTRL"); err != nil {
		return err
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.log("set %#x %d", uint32(id), v)
	if _, ok := h.c.values[id]; !ok {
		return h.fail("VIDIOC_S_CTRL", v4l2.ErrUnsupported)
	}
	if err := h.c.Refuses[id]; err != nil {
		return h.fail("VIDIOC_S_CTRL", err)
	}
	if c, ok := h.c.Clamps[id]; ok {
		v = c
	}
	if !h.c.Ignores[id] {
		h.c.values[id] = v
	}
	return nil
}

func (h *handle) Format() (v4l2.Format, error) { return h.format, h.enter("VIDIOC_G_FMT") }

func (h *handle) SetFormat(f v4l2.Format) (v4l2.Format, error) {
	if err := h.enter("VIDIOC_S_FMT"); err != nil {
		return v4l2.Format{}, err
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.log("format %v %dx%d", f.FourCC, f.Width, f.Height)
	switch {
	case h.c.taken:
		return v4l2.Format{}, h.fail("VIDIOC_S_FMT", v4l2.ErrBusy)
	case h.c.SetFormatErr != nil:
		return v4l2.Format{}, h.fail("VIDIOC_S_FMT", h.c.SetFormatErr)
	}
	if d := h.c.Delivers; d.FourCC != 0 {
		f = d
	}
	if f.FourCC == v4l2.YUYV && f.BytesPerLine == 0 {
		f.BytesPerLine = 2 * f.Width
	}
	h.format = f
	return f, nil
}

func (h *handle) SetRate(fps float64) (float64, error) {
	if err := h.enter("VIDIOC_S_PARM"); err != nil {
		return 0, err
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.log("rate %g", fps)
	h.rate = fps
	return fps, h.fail("VIDIOC_S_PARM", h.c.SetRateErr)
}

func (h *handle) Start(buffers int) error {
	if err := h.enter("VIDIOC_STREAMON"); err != nil {
		return err
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.log("start")
	switch {
	case h.c.taken || h.c.open:
		return h.fail("VIDIOC_STREAMON", v4l2.ErrBusy)
	case h.c.StartErr != nil:
		return h.fail("VIDIOC_STREAMON", h.c.StartErr)
	}
	h.on, h.c.open = true, true
	return nil
}

func (h *handle) Dequeue(ctx context.Context) (*v4l2.Buffer, error) {
	for {
		if err := h.enter("VIDIOC_DQBUF"); err != nil {
			return nil, err
		}
		h.c.mu.Lock()
		every, gone := h.c.Interval, h.c.unplug
		h.c.mu.Unlock()
		if every == 0 {
			every = time.Duration(float64(time.Second) / max(h.rate, 1))
		}
		timer := time.NewTimer(every)
		select {
		case <-timer.C:
		case <-gone:
			timer.Stop()
			return nil, h.fail("VIDIOC_DQBUF", v4l2.ErrGone)
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		h.c.mu.Lock()
		if h.c.frozen {
			h.c.mu.Unlock()
			continue
		}
		n := h.c.n
		h.c.n++
		b := &v4l2.Buffer{Data: slices.Clone(h.c.Frames[n%len(h.c.Frames)]), Sequence: h.c.sequence, Clock: time.Duration(n+1000) * every, HasClock: true}
		h.c.sequence++
		script := h.c.Script
		h.c.mu.Unlock()
		if script != nil {
			script(n, b)
		}
		if b.Data == nil {
			continue // lost on the way; the number was used up
		}
		return b, nil
	}
}

func (h *handle) Stop() error {
	h.c.wait()
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.on {
		h.on, h.c.open = false, false
		h.c.sequence = 0
	}
	return nil
}

func (h *handle) Close() error { return h.Stop() }
