package camera_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
)

// film is a short one of small frames, made once.
var film = sync.OnceValue(func() [][]byte { return cameratest.Film(12, 160, 120) })

func TestPicturesConform(t *testing.T) {
	folder := func(t *testing.T, damage bool) camera.Source {
		dir := t.TempDir()
		for i, jpg := range film() {
			if damage && i%3 == 1 {
				jpg = jpg[:len(jpg)/2]
			}
			write(t, filepath.Join(dir, fmt.Sprintf("frame_%d.jpg", i)), jpg)
		}
		return open(t, dir, camera.SourceOptions{})
	}
	cameratest.Conformance(t, cameratest.Suite{
		Open:    func(t *testing.T) camera.Source { return folder(t, false) },
		Frames:  12,
		Damaged: func(t *testing.T) camera.Source { return folder(t, true) },
	})
}

func TestHTTPConforms(t *testing.T) {
	serve := func(o cameratest.MJPEGOptions) func(t *testing.T) camera.Source {
		return func(t *testing.T) camera.Source {
			o.Frames, o.Interval = film(), 5*time.Millisecond
			return open(t, virtual(t, o).URL(), camera.SourceOptions{})
		}
	}
	cameratest.Conformance(t, cameratest.Suite{
		Open: serve(cameratest.MJPEGOptions{}),
		Silent: serve(cameratest.MJPEGOptions{Script: func(_, n int) cameratest.Fault {
			return cameratest.Fault{Freeze: n == 3}
		}}),
		Damaged: serve(cameratest.MJPEGOptions{Script: func(_, n int) cameratest.Fault {
			return cameratest.Fault{Half: n%4 == 1, Torn: n%4 == 2}
		}}),
	})
}

func TestVideoConforms(t *testing.T) {
	video := makeVideo(t, "deal.mp4", "testsrc2=s=160x120:r=30:d=0.4")
	cameratest.Conformance(t, cameratest.Suite{
		Open:   func(t *testing.T) camera.Source { return open(t, video, camera.SourceOptions{}) },
		Frames: 12,
		Pixels: true,
	})
}

// virtual starts a virtual camera for a test.
func virtual(t *testing.T, o cameratest.MJPEGOptions) *cameratest.MJPEG {
	t.Helper()
	m, err := cameratest.NewMJPEG(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

func open(t *testing.T, spec string, o camera.SourceOptions) camera.Source {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	src, err := camera.OpenSource(ctx, spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// ffmpeg runs it, or skips the test where it is missing.
func ffmpeg(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not here (Debian: apt install ffmpeg)")
	}
	cmd := exec.Command("ffmpeg", append([]string{"-hide_banner", "-loglevel", "error", "-nostdin", "-y"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// makeVideo renders one of ffmpeg's test pictures as H.264.
func makeVideo(t *testing.T, name, source string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	ffmpeg(t, append(append([]string{"-f", "lavfi", "-i", source, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"}, args...), path)...)
	return path
}
