package cameratest

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault is what a virtual camera does instead of sending one frame as it
// should.
type Fault struct {
	Delay  time.Duration // before the frame: jitter
	Drop   bool          // the frame is not sent
	Half   bool          // the second half is missing, and the next frame follows
	Torn   bool          // a piece in the midst is missing, the end mark is there
	Freeze bool          // nothing comes any more; the connection stays
	HangUp bool          // the connection ends here
	Stuck  bool          // the picture before comes again
	Slow   bool          // one byte at a time, with Interval between (slowloris)

	EndlessHeader bool // header lines without end
	EndlessPart   bool // a picture without end
	Garbage       int  // that many bytes of noise before the frame

	Frame []byte // another picture than its turn: of another size, hostile
}

// MJPEGOptions describes a virtual MJPEG camera. The zero value sends the
// given frames 30 times a second as most phone apps do.
type MJPEGOptions struct {
	Frames   [][]byte      // JPEG files, sent in turn without end
	Interval time.Duration // from frame to frame; 0 means a 30th of a second, negative as fast as it goes
	Limit    int           // frames on one connection before it ends; 0 without end

	Boundary     string // as sent; empty means "frame"
	SaidBoundary string // as announced in the header; empty means Boundary
	NoLength     bool   // no Content-Length
	WrongLength  int    // added to the stated length
	Bare         bool   // picture after picture, nothing between
	Trailer      []byte // behind each picture, within its part
	ContentType  string // instead of the usual
	Stamp        bool   // X-Timestamp, from a clock that starts at 1000 s

	User, Password string // asked for when set
	Digest         bool   // by digest authentication (RFC 7616, MD5), not basic
	Status         int    // answered instead of a stream when not 0
	Answer         string // the body then

	// Script gives the fault of a frame; conn counts the connections from 0,
	// n the frames of one.
	Script func(conn, n int) Fault
}

// MJPEG is a virtual camera: an HTTP server of this process on 127.0.0.1.
type MJPEG struct {
	o    MJPEGOptions
	addr string

	mu     sync.Mutex
	server *http.Server
	done   chan struct{}
	conns  int
	sent   int
}

// NewMJPEG starts a camera.
func NewMJPEG(o MJPEGOptions) (*MJPEG, error) {
	if o.Interval == 0 {
		o.Interval = time.Second / 30
	}
	if o.Boundary == "" {
		o.Boundary = "frame"
	}
	if o.SaidBoundary == "" {
		o.SaidBoundary = o.Boundary
	}
	if o.Script == nil {
		o.Script = func(int, int) Fault { return Fault{} }
	}
	m := &MJPEG{o: o, addr: "127.0.0.1:0"}
	return m, m.Start()
}

// Start serves, after Stop on the same port.
func (m *MJPEG) Start() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, err := net.Listen("tcp", m.addr)
	if err != nil {
		return fmt.Errorf("virtual camera: %w", err)
	}
	m.addr = l.Addr().String()
	server, done := &http.Server{Handler: http.HandlerFunc(m.serve), ReadHeaderTimeout: time.Minute}, make(chan struct{})
	m.server, m.done = server, done
	go func() {
		defer close(done)
		// It ends by Close.
		_ = server.Serve(l)
	}()
	return nil
}

// Stop is the camera's death: every connection breaks, nobody listens.
func (m *MJPEG) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server == nil {
		return
	}
	m.server.Close()
	<-m.done
	m.server = nil
}

// URL is the address of the video.
func (m *MJPEG) URL() string {
	if m.o.User != "" {
		return fmt.Sprintf("http://%s:%s@%s/video", m.o.User, m.o.Password, m.addr)
	}
	return "http://" + m.addr + "/video"
}

// Sent is the number of frames sent so far, Conns that of connections.
func (m *MJPEG) Sent() int { m.mu.Lock(); defer m.mu.Unlock(); return m.sent }

// Conns is the number of requests so far.
func (m *MJPEG) Conns() int { m.mu.Lock(); defer m.mu.Unlock(); return m.conns }

func (m *MJPEG) serve(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	conn := m.conns
	m.conns++
	m.mu.Unlock()
	switch {
	case m.o.Digest:
		if !digestRight(r, m.o.User, m.o.Password) {
			w.Header().Set("WWW-Authenticate", `Digest realm="cam, front", qop="auth", nonce="abc123"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	case m.o.User != "":
		if u, p, ok := r.BasicAuth(); !ok || u != m.o.User || p != m.o.Password {
			w.Header().Set("WWW-Authenticate", `Basic realm="camera"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	}
	kind := "multipart/x-mixed-replace;boundary=" + m.o.SaidBoundary
	if m.o.Bare {
		kind = "application/octet-stream"
	}
	if m.o.ContentType != "" {
		kind = m.o.ContentType
	}
	w.Header().Set("Content-Type", kind)
	if m.o.Status != 0 || m.o.Answer != "" {
		w.WriteHeader(max(m.o.Status, http.StatusOK))
		// The client may have gone.
		_, _ = io.WriteString(w, m.o.Answer)
		return
	}
	out := http.NewResponseController(w)
	began := time.Now()
	for n := 0; m.o.Limit == 0 || n < m.o.Limit; n++ {
		if m.o.Interval > 0 {
			due := began.Add(time.Duration(n) * m.o.Interval)
			if !wait(r, time.Until(due)) {
				return
			}
		}
		if !m.frame(w, r, conn, n) || out.Flush() != nil {
			return
		}
	}
}

// digestRight checks an answer to nonce abc123.
func digestRight(r *http.Request, user, password string) bool {
	field := func(name string) string {
		_, rest, _ := strings.Cut(r.Header.Get("Authorization"), " "+name+"=")
		return strings.Trim(strings.SplitN(rest, ",", 2)[0], `"`)
	}
	sum := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }
	want := sum(sum(user+":cam, front:"+password) + ":abc123:" + field("nc") + ":" + field("cnonce") + ":auth:" + sum("GET:"+r.RequestURI))
	return field("username") == user && field("response") == want
}

// wait reports false when the client went away meanwhile.
func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return r.Context().Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// frame sends one frame, or what the script wants; false ends the connection.
func (m *MJPEG) frame(w http.ResponseWriter, r *http.Request, conn, n int) bool {
	f := m.o.Script(conn, n)
	if !wait(r, f.Delay) || f.HangUp {
		return false
	}
	jpg := f.Frame
	if jpg == nil {
		k := n
		if f.Stuck {
			k = 0
		}
		jpg = m.o.Frames[k%len(m.o.Frames)]
	}
	var b bytes.Buffer
	length := len(jpg) + len(m.o.Trailer)
	switch {
	case f.Freeze:
		<-r.Context().Done()
		return false
	case f.Drop:
		return true
	case f.Half:
		jpg = jpg[:len(jpg)/2]
	case f.Torn:
		jpg = append(bytes.Clone(jpg[:len(jpg)/2]), jpg[len(jpg)*3/4:]...)
		length = len(jpg) + len(m.o.Trailer)
	}
	if f.Garbage > 0 {
		rng := rand.New(rand.NewPCG(uint64(conn), uint64(n)))
		for range f.Garbage {
			b.WriteByte(byte(rng.UintN(256)))
		}
	}
	if !m.o.Bare {
		fmt.Fprintf(&b, "--%s\r\nContent-Type: image/jpeg\r\n", m.o.Boundary)
		if !m.o.NoLength {
			fmt.Fprintf(&b, "Content-Length: %d\r\n", length+m.o.WrongLength)
		}
		if m.o.Stamp {
			interval := max(m.o.Interval, time.Millisecond)
			fmt.Fprintf(&b, "X-Timestamp: %.6f\r\n", 1000+(time.Duration(n)*interval).Seconds())
		}
		b.WriteString("\r\n")
	}
	if f.EndlessHeader {
		for line := "X-Filler: " + strings.Repeat("z", 1000) + "\r\n"; ; {
			if _, err := io.WriteString(w, line); err != nil {
				return false
			}
		}
	}
	b.Write(jpg)
	if f.EndlessPart {
		if _, err := w.Write(b.Bytes()[:b.Len()/2]); err != nil {
			return false
		}
		for zero := make([]byte, 64<<10); ; {
			if _, err := w.Write(zero); err != nil {
				return false
			}
		}
	}
	b.Write(m.o.Trailer)
	if !m.o.Bare {
		b.WriteString("\r\n")
	}
	if f.Slow {
		out := http.NewResponseController(w)
		for _, c := range b.Bytes() {
			if _, err := w.Write([]byte{c}); err != nil || out.Flush() != nil || !wait(r, max(m.o.Interval, time.Millisecond)) {
				return false
			}
		}
		return true
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return false
	}
	m.mu.Lock()
	m.sent++
	m.mu.Unlock()
	return true
}

// Film is n JPEG frames of a bright card that slides over a dark, noisy
// table, one step a frame, as a webcam would encode them.
func Film(n, width, height int) [][]byte {
	out := make([][]byte, n)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range out {
		m := image.NewRGBA(image.Rect(0, 0, width, height))
		cw, ch := width/5, height/2
		left := (width - cw) * i / max(n, 2)
		for y := range height {
			noise := rng.Uint64()
			for x := range width {
				p := m.Pix[m.PixOffset(x, y):]
				noise = noise*6364136223846793005 + 1442695040888963407
				v := uint8(60 + noise>>61)
				p[0], p[1], p[2], p[3] = v, v+10, v, 255
				if x >= left && x < left+cw && y >= height/4 && y < height/4+ch {
					p[0], p[1], p[2] = 220-v/8, 210-v/8, 190
				}
			}
		}
		out[i] = JPEG(m)
	}
	return out
}
