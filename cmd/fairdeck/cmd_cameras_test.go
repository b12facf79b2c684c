package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/ui"
	"fairdeck/vision/camera/v4l2"
	"fairdeck/vision/camera/v4l2/v4l2test"
)

// cameras runs the command on a machine with the given cameras.
func cameras(t *testing.T, ctx context.Context, args []string, cameras ...*v4l2test.Camera) (code int, term *ui.Fake) {
	t.Helper()
	s, err := v4l2test.System(t.TempDir(), cameras...)
	if err != nil {
		t.Fatal(err)
	}
	s.Patience = 100 * time.Millisecond
	term = &ui.Fake{}
	root := newRootCommand(&app{term: term, now: time.Now, machine: thisMachine(), devices: s})
	root.SetArgs(append([]string{"cameras"}, args...))
	return exitCode(root.ExecuteContext(ctx)), term
}

func TestCamerasLists(t *testing.T) {
	good, meta, denied, busy := v4l2test.Webcam(nil), v4l2test.Webcam(nil), v4l2test.Webcam(nil), v4l2test.Webcam(nil)
	meta.Name, meta.NotCapture = "Fake Webcam metadata", true
	denied.Name, denied.OpenErr = "Locked\x1b[31m cam", v4l2.ErrDenied
	busy.Take(true) // asking takes no frames and disturbs nobody
	code, term := cameras(t, t.Context(), nil, good, meta, denied, busy)
	if code != exitOK {
		t.Errorf("exit code %d\n%s", code, term.Stderr())
	}
	out := term.Stdout()
	for _, want := range []string{
		"/video0  Fake Webcam C920  (usb-0000:00:14.0-1)",
		"    YUYV  640 x 480   30, 15 fps",
		"          1920 x 1080 30, 15, 5 fps",
		"    fairdeck would use MJPG 1920 x 1080 at 30 frames a second",
		"/video2  Locked[31m cam\n    cannot be used: no right to open the camera; add your user to the group video",
		"/video3  Fake Webcam C920",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "metadata") {
		t.Errorf("a node that captures nothing is listed:\n%s", out)
	}
	for _, c := range []*v4l2test.Camera{good, denied, busy} {
		if len(c.Calls()) != 0 {
			t.Errorf("listing changed something: %q", c.Calls())
		}
	}
}

func TestCamerasNone(t *testing.T) {
	code, term := cameras(t, t.Context(), nil)
	if code != exitInput || !strings.Contains(term.Stderr(), "no camera found: plug in") {
		t.Errorf("exit code %d, %q", code, term.Stderr())
	}
	code, term = cameras(t, t.Context(), []string{"--json"})
	if code != exitInput || !strings.Contains(term.Stdout(), `"cameras": []`) {
		t.Errorf("exit code %d, %q", code, term.Stdout())
	}
}

// A driver that hangs is named, and the others are listed.
func TestCamerasWithAHungDriver(t *testing.T) {
	hung, good := v4l2test.Webcam(nil), v4l2test.Webcam(nil)
	release := hung.Hang()
	defer release()
	code, term := cameras(t, t.Context(), nil, hung, good)
	if out := term.Stdout(); code != exitOK || !strings.Contains(out, "does not answer within") || !strings.Contains(out, "would use MJPG") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _ := cameras(t, ctx, nil, good); code != exitInterrupted {
		t.Errorf("exit code %d after Ctrl-C", code)
	}
}

func TestCamerasJSON(t *testing.T) {
	code, term := cameras(t, t.Context(), []string{"--json"}, v4l2test.Webcam(nil))
	var got struct {
		Schema  string
		Cameras []cameraJSON
	}
	d := json.NewDecoder(strings.NewReader(term.Stdout()))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || code != exitOK {
		t.Fatalf("%v, exit code %d", err, code)
	}
	if got.Schema != schemaCameras || len(got.Cameras) != 1 {
		t.Fatalf("%+v", got)
	}
	c := got.Cameras[0]
	if c.Index != 0 || c.Use == nil || c.Use.Format != "MJPG" || c.Use.WidthPx != 1920 || len(c.Formats) != 2 || len(c.Formats[1].Sizes) != 4 || len(c.Controls) != 10 {
		t.Errorf("%+v", c)
	}
}
