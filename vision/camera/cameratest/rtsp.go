package cameratest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"time"
)

// RTSPOptions describes a virtual RTSP camera.
type RTSPOptions struct {
	// H264 is a stream in Annex B form whose pictures begin with access unit
	// delimiters, as ffmpeg -c:v libx264 -x264-params aud=1 -f h264 makes it.
	// It is sent without end.
	H264     []byte
	Interval time.Duration // from picture to picture; 0 means a 30th of a second

	User, Password string // asked for when set (Basic)

	// Script gives the fault of a picture: Drop, Freeze, HangUp, Delay and
	// Torn (bytes within are changed) are known.
	Script func(conn, n int) Fault
}

// RTSP is a virtual network camera on 127.0.0.1: the methods that players
// use (RFC 2326), one track of H.264 (RFC 6184) over the same connection.
type RTSP struct {
	o        RTSPOptions
	pictures [][][]byte // NAL units of each
	addr     string

	mu       sync.Mutex
	listener net.Listener
	stop     context.CancelFunc
	running  sync.WaitGroup
	conns    int
}

// NewRTSP starts a camera.
func NewRTSP(o RTSPOptions) (*RTSP, error) {
	if o.Interval == 0 {
		o.Interval = time.Second / 30
	}
	if o.Script == nil {
		o.Script = func(int, int) Fault { return Fault{} }
	}
	s := &RTSP{o: o, addr: "127.0.0.1:0", pictures: pictures(o.H264)}
	if len(s.pictures) == 0 {
		return nil, errors.New("virtual camera: no access unit delimiters in the H.264 stream")
	}
	return s, s.Start()
}

// pictures splits a stream at its access unit delimiters (type 9).
func pictures(h264 []byte) (out [][][]byte) {
	for _, nal := range bytes.Split(h264, []byte{0, 0, 1}) {
		nal = bytes.TrimRight(nal, "\x00") // of a four-byte start code
		if len(nal) == 0 {
			continue
		}
		if nal[0]&31 == 9 {
			out = append(out, nil)
			continue
		}
		if len(out) > 0 {
			out[len(out)-1] = append(out[len(out)-1], nal)
		}
	}
	return out
}

// Start serves, after Stop on the same port.
func (s *RTSP) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("virtual camera: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.addr, s.listener, s.stop = l.Addr().String(), l, stop
	s.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			conn := s.conns
			s.conns++
			s.mu.Unlock()
			s.running.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { c.Close() })()
				// The client may go away at any time.
				_ = s.serve(ctx, c, conn)
			})
		}
	})
	return nil
}

// Stop ends every connection; nobody listens then.
func (s *RTSP) Stop() {
	s.mu.Lock()
	if s.listener == nil {
		s.mu.Unlock()
		return
	}
	s.listener.Close()
	s.stop()
	s.listener = nil
	s.mu.Unlock()
	s.running.Wait()
}

// URL is the address of the stream.
func (s *RTSP) URL() string {
	if s.o.User != "" {
		return fmt.Sprintf("rtsp://%s:%s@%s/stream", s.o.User, s.o.Password, s.addr)
	}
	return "rtsp://" + s.addr + "/stream"
}

// Conns is the number of connections so far.
func (s *RTSP) Conns() int { s.mu.Lock(); defer s.mu.Unlock(); return s.conns }

func (s *RTSP) serve(ctx context.Context, c net.Conn, conn int) error {
	r := textproto.NewReader(bufio.NewReader(c))
	var writing sync.Mutex
	var playing sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer playing.Wait()
	defer cancel()
	for {
		line, err := r.ReadLine()
		if err != nil {
			return err
		}
		if line == "" || line[0] == '$' { // a receiver's report
			continue
		}
		head, err := r.ReadMIMEHeader()
		if err != nil {
			return err
		}
		method, _, _ := strings.Cut(line, " ")
		answer := func(status, extra, body string) error {
			writing.Lock()
			defer writing.Unlock()
			_, err := fmt.Fprintf(c, "RTSP/1.0 %s\r\nCSeq: %s\r\n%s", status, head.Get("CSeq"), extra)
			if body != "" {
				_, err = fmt.Fprintf(c, "Content-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			} else {
				_, err = fmt.Fprint(c, "\r\n")
			}
			return err
		}
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte(s.o.User+":"+s.o.Password))
		switch {
		case method == "OPTIONS":
			err = answer("200 OK", "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER\r\n", "")
		case s.o.User != "" && head.Get("Authorization") != want:
			err = answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"camera\"\r\n", "")
		case method == "DESCRIBE":
			err = answer("200 OK", "", "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n")
		case method == "SETUP":
			err = answer("200 OK", "Session: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n", "")
		case method == "PLAY":
			if err = answer("200 OK", "Session: 1\r\n", ""); err == nil {
				playing.Go(func() {
					s.play(ctx, c, &writing, conn)
				})
			}
		case method == "TEARDOWN":
			_ = answer("200 OK", "Session: 1\r\n", "")
			return nil
		default:
			err = answer("200 OK", "Session: 1\r\n", "")
		}
		if err != nil {
			return err
		}
	}
}

// play sends pictures until the connection ends.
func (s *RTSP) play(ctx context.Context, c net.Conn, writing *sync.Mutex, conn int) {
	seq, tick := uint16(0), time.NewTicker(s.o.Interval)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		f := s.o.Script(conn, n)
		switch {
		case f.HangUp:
			c.Close()
			return
		case f.Freeze:
			<-ctx.Done()
			return
		case f.Drop:
			continue
		}
		stamp := uint32(float64(n) * s.o.Interval.Seconds() * 90000)
		var out bytes.Buffer
		nals := s.pictures[n%len(s.pictures)]
		for i, nal := range nals {
			if f.Torn && len(nal) > 100 {
				nal = bytes.Clone(nal)
				for k := len(nal) / 3; k < len(nal)/2; k++ {
					nal[k] ^= 0x5a
				}
			}
			seq = packets(&out, nal, seq, stamp, i == len(nals)-1)
		}
		writing.Lock()
		_, err := c.Write(out.Bytes())
		writing.Unlock()
		if err != nil {
			return
		}
	}
}

// packets writes a NAL unit as interleaved RTP packets, in fragments (FU-A)
// where it is large; last marks the end of the picture.
func packets(out *bytes.Buffer, nal []byte, seq uint16, stamp uint32, last bool) uint16 {
	const most = 1400
	send := func(payload []byte, mark bool) {
		b := []byte{'$', 0}
		b = binary.BigEndian.AppendUint16(b, uint16(12+len(payload)))
		kind := byte(96)
		if mark {
			kind |= 0x80
		}
		b = append(b, 0x80, kind)
		b = binary.BigEndian.AppendUint16(b, seq)
		b = binary.BigEndian.AppendUint32(b, stamp)
		b = binary.BigEndian.AppendUint32(b, 0x66616972)
		out.Write(append(b, payload...))
		seq++
	}
	if len(nal) <= most {
		send(nal, last)
		return seq
	}
	indicator, kind := nal[0]&0xe0|28, nal[0]&31
	for rest, first := nal[1:], true; len(rest) > 0; first = false {
		n := min(most, len(rest))
		flags := kind
		if first {
			flags |= 0x80
		}
		if n == len(rest) {
			flags |= 0x40
		}
		send(append([]byte{indicator, flags}, rest[:n]...), last && n == len(rest))
		rest = rest[n:]
	}
	return seq
}
