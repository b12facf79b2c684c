package camera_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"

	"go.uber.org/goleak"
)

// fast is a virtual camera of small frames, 200 a second.
func fast(change func(o *cameratest.MJPEGOptions)) cameratest.MJPEGOptions {
	o := cameratest.MJPEGOptions{Frames: film(), Interval: 5 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	return o
}

// TestHTTPDialects: every way in which apps send MJPEG gives the same frames,
// none lost, none of a preview.
func TestHTTPDialects(t *testing.T) {
	preview := cameratest.JPEG(cameratest.Picture(16, 12))
	for name, change := range map[string]func(o *cameratest.MJPEGOptions){
		"usual":                      nil,
		"no length":                  func(o *cameratest.MJPEGOptions) { o.NoLength = true },
		"boundary with dashes":       func(o *cameratest.MJPEGOptions) { o.Boundary, o.SaidBoundary = "--myboundary", "--myboundary" },
		"another boundary than said": func(o *cameratest.MJPEGOptions) { o.Boundary, o.SaidBoundary = "ThisRandomString", "other" },
		"quoted boundary":            func(o *cameratest.MJPEGOptions) { o.SaidBoundary = `"frame"` },
		"no boundary said":           func(o *cameratest.MJPEGOptions) { o.ContentType = "multipart/x-mixed-replace" },
		"odd content type":           func(o *cameratest.MJPEGOptions) { o.ContentType = "image/jpeg;;=" },
		"bare pictures":              func(o *cameratest.MJPEGOptions) { o.Bare = true },
		"length too small":           func(o *cameratest.MJPEGOptions) { o.WrongLength = -100 },
		"length too large":           func(o *cameratest.MJPEGOptions) { o.WrongLength = 100 },
		"length beyond all":          func(o *cameratest.MJPEGOptions) { o.WrongLength = 1 << 40 },
		"preview behind the picture": func(o *cameratest.MJPEGOptions) { o.Trailer = append([]byte("MPF"), preview...) },
		"noise between": func(o *cameratest.MJPEGOptions) {
			o.Script = func(_, n int) cameratest.Fault { return cameratest.Fault{Garbage: 3 * n} }
		},
		"stamped":  func(o *cameratest.MJPEGOptions) { o.Stamp = true },
		"password": func(o *cameratest.MJPEGOptions) { o.User, o.Password = "judge", "se cr:et@/" },
	} {
		t.Run(name, func(t *testing.T) {
			o := fast(change)
			cam := virtual(t, o)
			url := cam.URL()
			if o.User != "" {
				url = strings.Replace(url, "judge:se cr:et@/", "judge:se%20cr%3Aet%40%2F", 1)
			}
			so := camera.SourceOptions{}
			so.Watch.Ring = 1000
			src := open(t, url, so)
			for i := range 20 {
				f := must(src.Next(soon(t)))
				// A length that is too large swallows part of one frame
				// before it is found out.
				if o.WrongLength == 100 && i < 3 {
					continue
				}
				if f.Dropped != 0 && o.WrongLength != 100 {
					t.Errorf("frame %d: %d dropped", f.Index, f.Dropped)
				}
				if f.Image.Width != 160 {
					t.Fatalf("frame %d has %d px", f.Index, f.Image.Width)
				}
				if o.WrongLength != 100 && !bytes.Equal(f.Encoded, film()[f.Index%12]) {
					t.Errorf("frame %d has other bytes (%d) than were sent (%d)", f.Index, len(f.Encoded), len(film()[f.Index%12]))
				}
				if o.Stamp {
					if want := time.Duration(f.Index) * o.Interval; f.Time < want-2*time.Microsecond || f.Time > want+2*time.Microsecond {
						t.Errorf("frame %d is at %v, want %v", f.Index, f.Time, want)
					}
				}
			}
			if info := src.Info(); strings.Contains(info.Name, "judge") || strings.Contains(info.Name, "cr:et") {
				t.Errorf("%q tells the password", info.Name)
			}
		})
	}
}

// TestHTTPFaults: streams that falter go on; what was lost is counted.
func TestHTTPFaults(t *testing.T) {
	other := cameratest.JPEG(cameratest.Picture(320, 200))
	for _, test := range []struct {
		name   string
		script func(conn, n int) cameratest.Fault
		check  func(t *testing.T, frames []*camera.Frame, c camera.Counts)
	}{
		{"jitter", func(_, n int) cameratest.Fault {
			return cameratest.Fault{Delay: time.Duration(n*7%11) * time.Millisecond}
		}, nil},
		{"drops", func(_, n int) cameratest.Fault { return cameratest.Fault{Drop: n%3 == 1} }, nil},
		{"half", func(_, n int) cameratest.Fault { return cameratest.Fault{Half: n%3 == 1} }, func(t *testing.T, frames []*camera.Frame, c camera.Counts) {
			if c.Lost < 10 {
				t.Errorf("%+v", c)
			}
		}},
		{"torn", func(_, n int) cameratest.Fault { return cameratest.Fault{Torn: n%3 == 1} }, func(t *testing.T, frames []*camera.Frame, c camera.Counts) {
			if c.Damaged < 10 {
				t.Errorf("%+v", c)
			}
		}},
		{"hangs up", func(_, n int) cameratest.Fault { return cameratest.Fault{HangUp: n == 15} }, func(t *testing.T, frames []*camera.Frame, c camera.Counts) {
			if c.Reconnects < 1 {
				t.Errorf("%+v", c)
			}
		}},
		{"another size", func(_, n int) cameratest.Fault {
			if n >= 10 && n < 20 {
				return cameratest.Fault{Frame: other}
			}
			return cameratest.Fault{}
		}, func(t *testing.T, frames []*camera.Frame, c camera.Counts) {
			if f := frames[12]; f.Image.Bounds() != image.Rect(0, 0, 320, 200) {
				t.Errorf("frame %d is %v", f.Index, f.Image.Bounds())
			}
		}},
		{"hostile pictures", func(_, n int) cameratest.Fault {
			switch n % 4 {
			case 1:
				return cameratest.Fault{Frame: bombJPEG()}
			case 2:
				return cameratest.Fault{Frame: []byte("\xff\xd8\xff\xff\xff\xff\xd9")}
			case 3:
				return cameratest.Fault{Frame: []byte("\xff\xd8\xff\xe1\xff\xff")}
			}
			return cameratest.Fault{}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			cam := virtual(t, fast(func(o *cameratest.MJPEGOptions) { o.Script = test.script }))
			o := camera.SourceOptions{}
			o.Watch.Ring, o.Watch.FirstWait = 1000, 10*time.Millisecond
			src := open(t, cam.URL(), o)
			var frames []*camera.Frame
			var last time.Duration
			for len(frames) < 40 {
				f := must(src.Next(soon(t)))
				if len(frames) > 0 && f.Time <= last {
					t.Errorf("%v after %v", f.Time, last)
				}
				last = f.Time
				if f.Image.Width != 320 && !isFilm(f.Encoded) {
					t.Fatalf("frame %d was not sent so", f.Index)
				}
				frames = append(frames, f)
			}
			if test.check != nil {
				test.check(t, frames, src.(*camera.Watched).Counts())
			}
		})
	}
}

// soon is a context that ends a test that would hang.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func isFilm(jpg []byte) bool {
	for _, f := range film() {
		if bytes.Equal(f, jpg) {
			return true
		}
	}
	return false
}

// bombJPEG is a small JPEG whose header asks for 65535 x 65535 pixels.
func bombJPEG() []byte {
	b := bytes.Clone(film()[0])
	at := bytes.Index(b, []byte{0xff, 0xc0})
	copy(b[at+5:], "\xff\xff\xff\xff")
	return b
}

// TestHTTPLost: whatever makes a stream fall silent, it is found lost, asked
// again, and goes on.
func TestHTTPLost(t *testing.T) {
	for name, fault := range map[string]cameratest.Fault{
		"frozen":         {Freeze: true},
		"endless header": {EndlessHeader: true},
		"endless part":   {EndlessPart: true},
		"slowloris":      {Slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			cam := virtual(t, fast(func(o *cameratest.MJPEGOptions) {
				o.Script = func(conn, n int) cameratest.Fault {
					if conn == 0 && n == 5 {
						return fault
					}
					return cameratest.Fault{}
				}
			}))
			var log statusLog
			o := camera.SourceOptions{}
			o.Watch = camera.WatchOptions{LostAfter: 200 * time.Millisecond, FirstWait: 10 * time.Millisecond, OnStatus: log.add}
			src := open(t, cam.URL(), o)
			for cam.Conns() < 2 || cam.Sent() < 30 {
				must(src.Next(soon(t)))
			}
			if s := log.states(); len(s) < 3 || s[1] != camera.Lost || s[2] != camera.Reconnected {
				t.Errorf("%v", log.text())
			}
		})
	}
}

// TestHTTPServerDiesAndReturns kills the server under the stream.
func TestHTTPServerDiesAndReturns(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cam, err := cameratest.NewMJPEG(fast(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer cam.Stop()
	var log statusLog
	died := make(chan struct{}, 100)
	o := camera.SourceOptions{}
	o.Watch = camera.WatchOptions{FirstWait: 20 * time.Millisecond, LastWait: 20 * time.Millisecond, OnStatus: func(s camera.Status) {
		log.add(s)
		if s.State == camera.Retrying {
			died <- struct{}{}
		}
	}}
	src, err := camera.OpenSource(t.Context(), cam.URL(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f := must(src.Next(soon(t)))
	cam.Stop()
	for range 3 {
		<-died
	}
	if err := cam.Start(); err != nil {
		t.Fatal(err)
	}
	back := src.(*camera.Watched).Counts
	for back().Reconnects == 0 {
		g := must(src.Next(soon(t)))
		if g.Time <= f.Time || g.Index <= f.Index {
			t.Errorf("frame %d at %v after %d at %v", g.Index, g.Time, f.Index, f.Time)
		}
		f = g
	}
	for _, s := range log.list() {
		if s.State == camera.Retrying && !strings.Contains(s.String(), "nobody answers there") {
			t.Errorf("%v", s)
		}
	}
}

// TestHTTPRefusals: what is no video is told in words, without secrets.
func TestHTTPRefusals(t *testing.T) {
	for _, test := range []struct {
		name    string
		o       cameratest.MJPEGOptions
		problem camera.Problem
		text    string
	}{
		{"page", cameratest.MJPEGOptions{ContentType: "text/html", Answer: "<html>"}, camera.NotAPicture, "address of a page"},
		{"text", cameratest.MJPEGOptions{ContentType: "application/json", Answer: "{}"}, camera.NotAPicture, "gives text"},
		{"single picture", cameratest.MJPEGOptions{ContentType: "image/jpeg", Answer: string(film()[0])}, camera.Unsupported, "one picture"},
		{"mp4", cameratest.MJPEGOptions{ContentType: "video/mp4", Answer: "x"}, camera.Unsupported, `kind "video/mp4"`},
		{"not found", cameratest.MJPEGOptions{Status: 404}, camera.Missing, "no such address"},
		{"busy", cameratest.MJPEGOptions{Status: 503}, camera.Busy, "busy"},
		{"fault", cameratest.MJPEGOptions{Status: 500}, camera.Unreadable, "HTTP 500"},
		{"nothing in it", cameratest.MJPEGOptions{Frames: [][]byte{nil}, Limit: 3}, camera.Unreadable, "the stream ended"},
		{"only noise", cameratest.MJPEGOptions{Frames: [][]byte{bytes.Repeat([]byte("noise "), 5000)}}, camera.NotAPicture, "no stream of JPEG pictures"},
		{"only halves", cameratest.MJPEGOptions{Frames: [][]byte{film()[0][:1000]}, Limit: 50}, camera.Unreadable, "the stream ended"},
		{"only torn", cameratest.MJPEGOptions{Frames: film(), Script: func(int, int) cameratest.Fault { return cameratest.Fault{Torn: true} }}, camera.Damaged, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Interval = time.Millisecond
			_, err := camera.OpenSource(t.Context(), virtual(t, test.o).URL()+"?token=hunter2", camera.SourceOptions{})
			wantError(t, err, test.problem, test.text)
			if strings.Contains(fmt.Sprintf("%v %+v", err, err), "hunter2") {
				t.Errorf("%v tells the token", err)
			}
		})
	}
}

// TestAddressesKeepSecrets: no error of an address tells its password.
func TestAddressesKeepSecrets(t *testing.T) {
	cam := virtual(t, fast(func(o *cameratest.MJPEGOptions) { o.User, o.Password = "judge", "right" }))
	digest := virtual(t, fast(func(o *cameratest.MJPEGOptions) { o.User, o.Password, o.Digest = "judge", "right", true }))
	host := strings.TrimPrefix(cam.URL(), "http://judge:right@")
	for _, spec := range []string{
		"http://judge:hunter2@" + host,
		strings.Replace(digest.URL(), "right", "hunter2", 1),
		"http://judge:hunter2@127.0.0.1:1/video",
		"http://judge:hunter2@no-such-host.invalid/video",
		"https://judge:hunter2@" + host,
		"http://judge:hunter2@[::1",
		"http://judge:hun%ter2@host/",
		"http://judge:hunter2@/video",
		"ftp://judge:hunter2@host/video",
		"rtsp://judge:hunter2@127.0.0.1:1/stream",
		"rtsp://:hunter2@127.0.0.1:1/stream?key=hunter2",
		"file://judge:hunter2@host/video",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := camera.OpenSource(ctx, spec, camera.SourceOptions{})
		cancel()
		var e *camera.Error
		if !errors.As(err, &e) || e.Remedy == "" {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		for err := error(e); err != nil; err = errors.Unwrap(err) {
			if s := err.Error(); strings.Contains(s, "hunter2") || strings.Contains(s, "hun%ter2") {
				t.Errorf("%s: %q tells the password", spec, s)
			}
		}
	}
}

func wantNoSecret(t *testing.T, s string) {
	t.Helper()
	if strings.Contains(s, "hunter2") {
		t.Errorf("%q tells the password", s)
	}
}

// TestHTTPFullSize runs a camera of 1920 x 1080 at 30 frames a second that
// jitters, drops, sends halves and changes its size, for two seconds, against
// a reader that decodes all it can get: every frame is accounted for.
func TestHTTPFullSize(t *testing.T) {
	frames := cameratest.Film(3, 1920, 1080)
	other := cameratest.Film(1, 1280, 720)[0]
	cam := virtual(t, cameratest.MJPEGOptions{Frames: frames, Script: func(_, n int) cameratest.Fault {
		f := cameratest.Fault{Delay: time.Duration(n*13%20) * time.Millisecond, Half: n%11 == 5, Torn: n%13 == 7, Drop: n%17 == 3}
		if n >= 30 && n < 40 {
			f.Frame = other
		}
		return f
	}})
	src := open(t, cam.URL(), camera.SourceOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	shown, dropped, last := 0, 0, -1
	for {
		f, err := src.Next(ctx)
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			break
		}
		if !slices.ContainsFunc(append(frames, other), func(sent []byte) bool { return bytes.Equal(sent, f.Encoded) }) {
			t.Errorf("frame %d was not sent so", f.Index)
		}
		shown, dropped, last = shown+1, dropped+f.Dropped, f.Index
	}
	if shown == 0 || last+1 != shown+dropped {
		t.Errorf("%d shown and %d dropped up to frame %d", shown, dropped, last)
	}
	// What came was shown, dropped for want of time, damaged, or waits.
	c := src.(*camera.Watched).Counts()
	if rest := c.Received - shown - c.Dropped - c.Damaged - c.Waiting; rest < 0 || rest > 1 {
		t.Errorf("%d shown of %+v", shown, c)
	}
	if c.Lost == 0 || c.Waiting > 4 {
		t.Errorf("%+v", c)
	}
}

// TestHTTPElsewhere: an answer that leads to a file of this machine, in a
// circle, or is packed, is told as what it is and not followed.
func TestHTTPElsewhere(t *testing.T) {
	mux := http.NewServeMux()
	for path, to := range map[string]string{"/file": "file:///etc/hostname", "/circle": "/circle", "/rtsp": "rtsp://127.0.0.1/x"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
	}
	mux.HandleFunc("/packed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=b")
		_, _ = w.Write([]byte("x"))
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	for path, text := range map[string]string{"/file": "leads to another", "/circle": "leads to another", "/rtsp": "leads to another", "/packed": "packs its stream"} {
		_, err := camera.OpenSource(t.Context(), s.URL+path, camera.SourceOptions{})
		wantError(t, err, camera.Unsupported, text)
	}
}
