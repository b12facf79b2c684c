package camera_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
)

var h264Once struct {
	sync.Mutex
	data []byte
}

// h264 is two seconds of a moving test picture, made once.
func h264(t *testing.T) []byte {
	t.Helper()
	h264Once.Lock()
	defer h264Once.Unlock()
	if h264Once.data == nil {
		path := filepath.Join(t.TempDir(), "film.h264")
		ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=320x240:r=30:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", "15", "-x264-params", "aud=1:slices=1", "-f", "h264", path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h264Once.data = data
	}
	return h264Once.data
}

func rtsp(t *testing.T, o cameratest.RTSPOptions) *cameratest.RTSP {
	t.Helper()
	o.H264 = h264(t)
	s, err := cameratest.NewRTSP(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func TestRTSPConforms(t *testing.T) {
	h264(t)
	cameratest.Conformance(t, cameratest.Suite{
		Open: func(t *testing.T) camera.Source {
			return open(t, rtsp(t, cameratest.RTSPOptions{Interval: 10 * time.Millisecond}).URL(), camera.SourceOptions{})
		},
		Silent: func(t *testing.T) camera.Source {
			s := rtsp(t, cameratest.RTSPOptions{Script: func(_, n int) cameratest.Fault { return cameratest.Fault{Freeze: n == 90} }})
			o := camera.SourceOptions{}
			o.Watch.LostAfter = time.Minute
			return open(t, s.URL(), o)
		},
		Pixels: true,
	})
}

// TestRTSPComesBack: a camera that freezes, hangs up or sends damage is asked
// again and goes on.
func TestRTSPComesBack(t *testing.T) {
	for name, fault := range map[string]cameratest.Fault{"frozen": {Freeze: true}, "hung up": {HangUp: true}, "damaged": {Torn: true}} {
		t.Run(name, func(t *testing.T) {
			s := rtsp(t, cameratest.RTSPOptions{Interval: 10 * time.Millisecond, Script: func(conn, n int) cameratest.Fault {
				if conn == 0 && n == 50 {
					return fault
				}
				return cameratest.Fault{}
			}})
			var log statusLog
			o := camera.SourceOptions{}
			o.Watch = camera.WatchOptions{LostAfter: time.Second, FirstWait: 10 * time.Millisecond, OnStatus: log.add}
			src := open(t, s.URL(), o)
			last := time.Duration(-1)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			for n := 0; n < 20 || src.(*camera.Watched).Counts().Reconnects == 0; n++ {
				f, err := src.Next(ctx)
				if err != nil {
					t.Fatal(err, log.text())
				}
				if f.Time <= last || f.Image.Width != 320 {
					t.Errorf("%d px at %v after %v", f.Image.Width, f.Time, last)
				}
				last = f.Time
			}
			if t.Failed() {
				t.Log(log.text())
			}
		})
	}
}

func TestRTSPPassword(t *testing.T) {
	s := rtsp(t, cameratest.RTSPOptions{User: "judge", Password: "hunter2"})
	src := open(t, s.URL(), camera.SourceOptions{})
	must(src.Next(t.Context()))
	wantNoSecret(t, src.Info().Name)
	if args := childArguments(t); args == "" {
		t.Error("no ffmpeg is running")
	} else {
		wantNoSecret(t, args)
	}
	src.Close()
	_, err := camera.OpenSource(t.Context(), "rtsp://judge:wrong@"+s.URL()[len("rtsp://judge:hunter2@"):], camera.SourceOptions{})
	wantError(t, err, camera.Denied, "user name and password")
}

// childArguments are the arguments of this process's children, as every user
// of the machine can see them.
func childArguments(t *testing.T) string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Skip("no /proc here")
	}
	var out strings.Builder
	for _, d := range dirs {
		// "pid (name) state ppid ..."; a process may end meanwhile.
		stat, _ := os.ReadFile(filepath.Join(d, "stat"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			args, _ := os.ReadFile(filepath.Join(d, "cmdline"))
			out.Write(args)
		}
	}
	return out.String()
}
