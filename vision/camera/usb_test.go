package camera_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/camera/v4l2"
	"fairdeck/vision/camera/v4l2/v4l2test"

	"github.com/google/go-cmp/cmp"
)

// fakes makes the system of the given cameras.
func fakes(t *testing.T, cameras ...*v4l2test.Camera) camera.SourceOptions {
	t.Helper()
	s, err := v4l2test.System(t.TempDir(), cameras...)
	if err != nil {
		t.Fatal(err)
	}
	return camera.SourceOptions{System: s}
}

func TestUSBConforms(t *testing.T) {
	with := func(change func(c *v4l2test.Camera)) func(t *testing.T) camera.Source {
		return func(t *testing.T) camera.Source {
			c := v4l2test.Webcam(film())
			c.Interval = 2 * time.Millisecond
			change(c)
			return open(t, "c920", fakes(t, c))
		}
	}
	cameratest.Conformance(t, cameratest.Suite{
		Open: with(func(*v4l2test.Camera) {}),
		Silent: with(func(c *v4l2test.Camera) {
			c.Script = func(n int, b *v4l2.Buffer) {
				if n > 60 {
					b.Data = nil
				}
			}
		}),
		Damaged: with(func(c *v4l2test.Camera) {
			c.Script = func(n int, b *v4l2.Buffer) {
				switch n % 5 {
				case 1:
					b.Data = b.Data[:len(b.Data)/2]
				case 3:
					b.Damaged = true
				}
			}
		}),
	})
}

// TestUSBMode checks what is chosen among what a camera offers: MJPG before
// size before rate.
func TestUSBMode(t *testing.T) {
	size := func(w, h int, rates ...float64) v4l2.ModeSize {
		s := v4l2.ModeSize{SizeRange: v4l2.SizeRange{MinWidth: w, MaxWidth: w, StepWidth: 1, MinHeight: h, MaxHeight: h, StepHeight: 1}}
		for _, r := range rates {
			s.Rates = append(s.Rates, v4l2.RateRange{Min: r, Max: r})
		}
		return s
	}
	mode := func(f v4l2.FourCC, sizes ...v4l2.ModeSize) v4l2.Mode {
		return v4l2.Mode{FormatDesc: v4l2.FormatDesc{FourCC: f}, Sizes: sizes}
	}
	h264 := v4l2.FourCC('H' | '2'<<8 | '6'<<16 | '4'<<24)
	for _, test := range []struct {
		name  string
		modes []v4l2.Mode
		usb   camera.USBOptions
		want  []string // calls
		fail  string
	}{
		{"MJPG although YUYV is larger", []v4l2.Mode{mode(v4l2.YUYV, size(1920, 1080, 30)), mode(v4l2.MJPG, size(1280, 720, 30))}, camera.USBOptions{}, []string{"format MJPG 1280x720", "rate 30"}, ""},
		{"size before rate", []v4l2.Mode{mode(v4l2.MJPG, size(640, 480, 60), size(1920, 1080, 15))}, camera.USBOptions{}, []string{"format MJPG 1920x1080", "rate 15"}, ""},
		{"not larger than asked", []v4l2.Mode{mode(v4l2.MJPG, size(3840, 2160, 30), size(1280, 720, 30), size(1600, 1200, 30))}, camera.USBOptions{}, []string{"format MJPG 1280x720", "rate 30"}, ""},
		{"all larger: the smallest", []v4l2.Mode{mode(v4l2.MJPG, size(3840, 2160, 30), size(2560, 1440, 30))}, camera.USBOptions{}, []string{"format MJPG 2560x1440", "rate 30"}, ""},
		{"as asked", []v4l2.Mode{mode(v4l2.MJPG, size(640, 480, 120, 60, 29.97), size(1920, 1080, 30))}, camera.USBOptions{WidthPx: 640, HeightPx: 480, FPS: 30}, []string{"format MJPG 640x480", "rate 29.97"}, ""},
		{"only faster rates", []v4l2.Mode{mode(v4l2.MJPG, size(640, 480, 90, 60))}, camera.USBOptions{}, []string{"format MJPG 640x480", "rate 60"}, ""},
		{"a range of sizes", []v4l2.Mode{mode(v4l2.YUYV, v4l2.ModeSize{SizeRange: v4l2.SizeRange{MinWidth: 48, MaxWidth: 4096, StepWidth: 16, MinHeight: 32, MaxHeight: 4096, StepHeight: 8}, Rates: []v4l2.RateRange{{Min: 1, Max: 60}}})}, camera.USBOptions{}, []string{"format YUYV 1920x1080", "rate 30"}, ""},
		{"H264 only", []v4l2.Mode{mode(h264, size(1920, 1080, 30))}, camera.USBOptions{}, nil, "only as H264"},
		{"nothing", nil, camera.USBOptions{}, nil, "offers no pictures"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := v4l2test.Webcam(film())
			c.Modes, c.Controls, c.Interval = test.modes, nil, time.Millisecond
			if test.want != nil && strings.Contains(test.want[0], "YUYV") {
				c.Frames = [][]byte{make([]byte, 2*1920*1080)}
			}
			o := fakes(t, c)
			o.USB = test.usb
			src, err := camera.OpenSource(t.Context(), "0", o)
			if test.fail != "" {
				wantError(t, err, camera.Unsupported, test.fail)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if d := cmp.Diff(c.Calls()[:2], test.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func wantError(t *testing.T, err error, problem camera.Problem, text string) {
	t.Helper()
	var e *camera.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *camera.Error", err)
	}
	if e.Problem != problem || !strings.Contains(e.Error(), text) || e.Remedy == "" {
		t.Errorf("got %q: %v, want %q: ...%s... with a remedy", e.Problem, e, problem, text)
	}
}

// TestUSBLocksAndReadsBack: the automatics are off, what they found is held,
// and the settings tell what the device has in fact.
func TestUSBLocksAndReadsBack(t *testing.T) {
	c := v4l2test.Webcam(film())
	c.Interval = time.Millisecond
	src := open(t, "/dev/video0", fakes(t, c))
	info := src.Info()
	if len(info.Warnings) != 0 {
		t.Errorf("warnings of a good camera: %q", info.Warnings)
	}
	for id, want := range map[v4l2.ControlID]int32{v4l2.ExposureAuto: 1, v4l2.ExposurePriority: 0, v4l2.ExposureTime: 250, v4l2.Gain: 64, v4l2.WhiteBalanceAuto: 0, v4l2.WhiteBalance: 4600, v4l2.Backlight: 0, v4l2.FocusAuto: 0, v4l2.Focus: 35} {
		if got := c.Value(id); got != want {
			t.Errorf("control %#x is %d, want %d", uint32(id), got, want)
		}
	}
	for _, s := range info.Settings {
		if !s.OK || s.Actual == "" || s.Asked == "" {
			t.Errorf("%+v", s)
		}
	}
	if info.Kind != camera.KindUSB || info.Name != "Fake Webcam C920" || info.Format != "MJPG" || info.FPS != 30 || !info.Live {
		t.Errorf("%+v", info)
	}
}

// TestUSBWarnings: whatever a camera does not do as it was told is said in
// words, with what it means.
func TestUSBWarnings(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(c *v4l2test.Camera)
		usb    camera.USBOptions
		want   []string // each in one warning of its own
	}{
		{"refuses", func(c *v4l2test.Camera) { c.Refuses[v4l2.FocusAuto] = errors.New("input/output error") }, camera.USBOptions{}, []string{"refused to set focus_auto to 0: the picture may blur"}},
		{"lies", func(c *v4l2test.Camera) { c.Ignores[v4l2.ExposureAuto] = true }, camera.USBOptions{}, []string{"asked to set exposure_auto to 1 and has 3: brightness may change"}},
		{"clamps", func(c *v4l2test.Camera) { c.Clamps[v4l2.Focus] = 50 }, camera.USBOptions{Settings: map[string]int32{"focus": 120}}, []string{"asked to set focus to 120 and has 50"}},
		{"no exposure", func(c *v4l2test.Camera) { c.Controls = c.Controls[:1] }, camera.USBOptions{}, []string{"exposure cannot be set"}},
		{"another format", func(c *v4l2test.Camera) { c.Delivers = v4l2.Format{FourCC: v4l2.MJPG, Width: 640, Height: 480} }, camera.USBOptions{}, []string{"offers MJPG 1920 x 1080 and gives MJPG 640 x 480"}},
		{"no rate", func(c *v4l2test.Camera) { c.SetRateErr = v4l2.ErrUnsupported }, camera.USBOptions{}, []string{"does not let its frame rate be set"}},
		{"slow", func(c *v4l2test.Camera) { c.Modes = c.Modes[:1]; c.Frames = [][]byte{make([]byte, 2*1920*1080)} }, camera.USBOptions{}, []string{"only 5 frames a second"}},
		{"kept", func(c *v4l2test.Camera) { c.Refuses[v4l2.FocusAuto] = errors.New("no") }, camera.USBOptions{KeepAutomatics: true}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := v4l2test.Webcam(film())
			c.Interval = time.Millisecond
			test.change(c)
			o := fakes(t, c)
			o.USB = test.usb
			got := open(t, "0", o).Info().Warnings
			if len(got) != len(test.want) {
				t.Fatalf("got %d warnings: %q", len(got), got)
			}
			for i, w := range test.want {
				if !strings.Contains(got[i], w) {
					t.Errorf("got %q, want ...%s...", got[i], w)
				}
			}
		})
	}
}

func TestUSBRefusals(t *testing.T) {
	second := func() *v4l2test.Camera { c := v4l2test.Webcam(film()); c.Name = "Other C920"; return c }
	for _, test := range []struct {
		name, spec string
		change     func(c *v4l2test.Camera)
		others     []*v4l2test.Camera
		problem    camera.Problem
		text       string
	}{
		{"no right", "0", func(c *v4l2test.Camera) { c.OpenErr = v4l2.ErrDenied }, nil, camera.Denied, "group video"},
		{"in use", "0", func(c *v4l2test.Camera) { c.Take(true) }, nil, camera.Busy, "another program uses the camera"},
		{"in use at the start", "0", func(c *v4l2test.Camera) { c.StartErr = v4l2.ErrBusy }, nil, camera.Busy, "another program"},
		{"unplugged", "0", func(c *v4l2test.Camera) { c.Unplug() }, nil, camera.Missing, "no such camera"},
		{"another number", "7", nil, nil, camera.Missing, "no such camera"},
		{"another file", "/dev/video7", nil, nil, camera.Missing, "no such camera"},
		{"another name", "brio", nil, nil, camera.Missing, "there are"},
		{"two of the name", "c920", nil, []*v4l2test.Camera{second()}, camera.Missing, "more than one"},
		{"metadata node", "0", func(c *v4l2test.Camera) { c.NotCapture = true }, nil, camera.Unsupported, "no camera"},
		{"lies about the format", "0", func(c *v4l2test.Camera) {
			c.Delivers = v4l2.Format{FourCC: v4l2.FourCC('H' | '2'<<8 | '6'<<16 | '4'<<24), Width: 1920, Height: 1080}
		}, nil, camera.Unsupported, "set itself to H264"},
		{"half frames only", "0", func(c *v4l2test.Camera) {
			c.Script = func(_ int, b *v4l2.Buffer) { b.Data = b.Data[:len(b.Data)/2] }
		}, nil, camera.Damaged, "all damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := v4l2test.Webcam(film())
			c.Interval = time.Millisecond
			if test.change != nil {
				test.change(c)
			}
			_, err := camera.OpenSource(t.Context(), test.spec, fakes(t, append([]*v4l2test.Camera{c}, test.others...)...))
			wantError(t, err, test.problem, test.text)
			if c.InUse() {
				t.Error("the device was left streaming")
			}
		})
	}
}

// TestUSBUnplugged: a camera that is unplugged and comes back is taken up
// again with the settings of the first time, and its times go on.
func TestUSBUnplugged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := v4l2test.Webcam(film())
		o := fakes(t, c)
		var log statusLog
		o.Watch.OnStatus, o.Watch.Jitter = log.add, func() float64 { return 0.5 }
		src := open(t, "0", o)
		f := must(src.Next(t.Context()))
		c.Unplug()
		time.Sleep(2500 * time.Millisecond)
		c.Plug()
		var g *camera.Frame
		for g = f; g.Time < f.Time+3*time.Second; g = must(src.Next(t.Context())) {
		}
		synctest.Wait()
		if got := c.Value(v4l2.ExposureAuto); got != 1 {
			t.Errorf("exposure_auto is %d after the reconnection", got)
		}
		if d := cmp.Diff(log.states(), []camera.State{camera.Connected, camera.Lost, camera.Retrying, camera.Retrying, camera.Retrying, camera.Reconnected}); d != "" {
			t.Error(d, log.text())
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if c.InUse() {
			t.Error("the device was left streaming")
		}
	})
}

// TestUSBReturnsUnderAnotherNumber: a camera that was unplugged is known again
// by its name and port; another one that took its number is not taken for it.
func TestUSBReturnsUnderAnotherNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cam, other, again := v4l2test.Webcam(film()), v4l2test.Webcam(film()), v4l2test.Webcam(film())
		other.Name, other.Bus = "Laptop Camera", "usb-0000:00:14.0-7"
		again.Unplug()
		o := fakes(t, cam, other, again)
		src := open(t, "0", o)
		must(src.Next(t.Context()))
		cam.Unplug()
		time.Sleep(3 * time.Second)
		again.Plug()
		for src.(*camera.Watched).Counts().Reconnects == 0 {
			if _, err := src.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !again.InUse() || other.Opens() > 0 && other.InUse() {
			t.Error("another camera was taken")
		}
		if len(other.Calls()) != 0 {
			t.Errorf("the other camera was changed: %q", other.Calls())
		}
		src.Close()
	})
}

// statusLog keeps what a live source tells.
type statusLog struct {
	mu  sync.Mutex
	all []camera.Status
}

func (l *statusLog) add(s camera.Status) { l.mu.Lock(); defer l.mu.Unlock(); l.all = append(l.all, s) }

func (l *statusLog) list() []camera.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

func (l *statusLog) states() (out []camera.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		out = append(out, s.State)
	}
	return out
}

func (l *statusLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := ""
	for _, s := range l.all {
		out += fmt.Sprintf("\n%v %v", s.At, s)
	}
	return out
}

func must(f *camera.Frame, err error) *camera.Frame {
	if err != nil {
		panic(err)
	}
	return f
}
