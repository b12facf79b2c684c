package camera

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// httpFeed is an MJPEG stream over HTTP, as phone-camera apps, network cameras
// and mjpg-streamer serve it.
//
//	GET ─▶ multipart/x-mixed-replace, or bare pictures ─▶ jpegStream ─▶ Grab
type httpFeed struct {
	addr   *address
	info   Info
	body   context.CancelFunc // ends the request
	ctx    context.Context    // of the request
	client *http.Client
	resp   *http.Response
	stream *jpegStream
	held   []*Raw // read when the stream was opened
}

var _ Feed = (*httpFeed)(nil)

// Waits of an HTTP stream. Phones wake their camera when somebody asks.
const (
	httpDialWait  = 5 * time.Second
	httpFirstWait = 10 * time.Second
	maxRedirects  = 3
)

var errRedirects = errors.New("too many redirects")

// openHTTP asks for the stream and waits for its first frame.
func openHTTP(ctx context.Context, a *address) (_ *httpFeed, err error) {
	f := &httpFeed{addr: a, info: Info{Kind: KindStream, Name: a.String(), Format: "MJPG", Live: true}}
	// The request outlives this call and ends with Close; until the first
	// frame is there it also ends with ctx.
	f.ctx, f.body = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	wait, cancel := context.WithTimeoutCause(ctx, httpFirstWait, errNoFrame)
	defer cancel()
	defer context.AfterFunc(wait, f.body)()

	f.client = &http.Client{
		Transport: &http.Transport{
			// A camera is in the same network. A proxy would see its
			// pictures, and packed data could grow without bounds.
			Proxy:                  nil,
			DisableCompression:     true,
			DialContext:            (&net.Dialer{Timeout: httpDialWait}).DialContext,
			TLSHandshakeTimeout:    httpDialWait,
			ResponseHeaderTimeout:  httpFirstWait,
			MaxResponseHeaderBytes: maxBetween,
			MaxConnsPerHost:        1,
			ReadBufferSize:         64 << 10,
		},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			return nil
		},
	}
	u := *a.url
	u.User = nil
	req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Error{Path: f.info.Name, Problem: Missing, Text: "the address cannot be asked", Remedy: remedyFor(KindStream)}
	}
	if a.user != nil {
		password, _ := a.user.Password()
		req.SetBasicAuth(a.user.Username(), password)
	}
	req.Header.Set("Accept", "multipart/x-mixed-replace, image/jpeg, */*")
	req.Header.Set("User-Agent", "fairdeck")
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, f.refused(wait, err)
	}
	if resp.StatusCode == http.StatusUnauthorized && a.user != nil {
		password, _ := a.user.Password()
		if answer, ok := digestAnswer(resp.Header.Values("WWW-Authenticate"), u.RequestURI(), a.user.Username(), password, newCnonce()); ok {
			resp.Body.Close()
			req.Header.Set("Authorization", answer)
			if resp, err = f.client.Do(req); err != nil {
				return nil, f.refused(wait, err)
			}
		}
	}
	f.resp = resp
	if err := f.accept(resp); err != nil {
		return nil, err
	}
	f.stream = newJPEGStream(resp.Body)
	raw, err := f.read()
	if err != nil {
		return nil, f.refused(wait, err)
	}
	// The first whole picture says how large they are.
	for tries := 0; ; tries++ {
		if f.info.WidthPx, f.info.HeightPx, err = raw.size(); err == nil {
			break
		}
		if tries == maxBadStart {
			return nil, structureProblem(f.info.Name, err)
		}
		if raw, err = f.read(); err != nil {
			return nil, f.refused(wait, err)
		}
	}
	f.held = append(f.held, raw)
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "image/jpeg" {
		// Bare pictures one after the other, or is this one all there is?
		if raw, err = f.read(); isStreamEnd(err) {
			return nil, f.onePicture()
		} else if err != nil {
			return nil, f.refused(wait, err)
		}
		f.held = append(f.held, raw)
	}
	return f, nil
}

func (f *httpFeed) onePicture() error {
	return &Error{Path: f.info.Name, Problem: Unsupported, Text: "this address gives one picture, not a video", Remedy: "give the address of the video; it often ends in /video or /mjpeg"}
}

// maxBadStart is how many damaged frames may come before the first good one;
// cameras that are just waking send a few.
const maxBadStart = 10

// accept judges the answer before its body is read.
func (f *httpFeed) accept(resp *http.Response) error {
	e := &Error{Path: f.info.Name, Problem: Unreadable}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = "" // the pictures themselves will tell
	}
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Problem, e.Text, e.Remedy = Denied, "the camera asks for a user name and password", "give them in the address: http://user:password@host:port/path"
		if f.addr.user != nil {
			e.Text, e.Remedy = "the camera refuses the user name or password", "check them in the camera's or app's settings"
		}
	case code == http.StatusNotFound:
		e.Problem, e.Text, e.Remedy = Missing, "the camera knows no such address", "look up the address of the video in the app; it often ends in /video or /mjpeg"
	case code == http.StatusServiceUnavailable, code == http.StatusTooManyRequests:
		e.Problem, e.Text, e.Remedy = Busy, fmt.Sprintf("the camera is busy (HTTP %d)", code), "close other programs and browser windows that show it"
	case code != http.StatusOK:
		e.Text, e.Remedy = fmt.Sprintf("the camera answers with an error (HTTP %d)", code), "look whether the app shows its picture; start it again"
	case kind == "text/html":
		e.Problem, e.Text, e.Remedy = NotAPicture, "this is the address of a page, not of the video in it", "give the address of the video; it often ends in /video or /mjpeg"
	case strings.HasPrefix(kind, "text/"), kind == "application/json":
		e.Problem, e.Text, e.Remedy = NotAPicture, "this address gives text, not a video", "give the address of the video; it often ends in /video or /mjpeg"
	case strings.HasPrefix(kind, "video/"), strings.HasPrefix(kind, "audio/"), strings.Contains(kind, "mpegurl"):
		e.Problem, e.Text, e.Remedy = Unsupported, fmt.Sprintf("a stream of kind %q is not read over HTTP", kind), "set the app to MJPEG, or give its rtsp:// address"
	case resp.Header.Get("Content-Encoding") != "" && !strings.EqualFold(resp.Header.Get("Content-Encoding"), "identity"):
		// It was not asked for, and could grow without bounds.
		e.Problem, e.Text, e.Remedy = Unsupported, "the camera packs its stream", "turn compression off in the app or the server in front of it"
	case kind == "image/jpeg" && resp.ContentLength > 0:
		return f.onePicture()
	default:
		return nil
	}
	return e
}

// read takes the next picture of the stream. It ends with the request.
func (f *httpFeed) read() (*Raw, error) {
	jpg, head, lost, err := f.stream.next()
	if err != nil {
		return nil, err
	}
	return &Raw{Encoded: jpg, Clock: head.clock, HasClock: head.hasClock, Lost: lost}, nil
}

func (f *httpFeed) Info() Info { return f.info }

func (f *httpFeed) Grab(ctx context.Context) (*Raw, error) {
	if len(f.held) > 0 {
		raw := f.held[0]
		f.held = f.held[1:]
		return raw, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A stream that is left in the midst of a frame cannot be taken up again,
	// so this ends it.
	defer context.AfterFunc(ctx, f.body)()
	raw, err := f.read()
	if err != nil {
		return nil, f.refused(ctx, err)
	}
	return raw, nil
}

// refused turns an error of the network into words. Its own text may hold the
// address with the password.
func (f *httpFeed) refused(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errNoFrame) {
		return ctx.Err()
	}
	e := &Error{Path: f.info.Name, Problem: Unreadable, Remedy: remedyFor(KindStream)}
	var dns *net.DNSError
	var stream *errStream
	var timeout net.Error
	switch {
	case errors.As(err, &stream):
		e.Problem, e.Text, e.Remedy = NotAPicture, "this is no stream of JPEG pictures ("+stream.text+")", "give the address of the video (MJPEG); it often ends in /video or /mjpeg"
	case errors.Is(context.Cause(ctx), errNoFrame), errors.As(err, &timeout) && timeout.Timeout():
		e.Text = "the camera is silent"
	case errors.As(err, &dns):
		e.Problem, e.Text = Missing, fmt.Sprintf("no machine of the name %s is known", f.addr.url.Hostname())
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Problem, e.Text, e.Remedy = Missing, "nobody answers there", "start the camera app's server and check the port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		e.Problem, e.Text = Missing, "there is no way to it"
	case isStreamEnd(err):
		e.Text = "the stream ended"
	case strings.Contains(err.Error(), "unsupported protocol scheme"), strings.Contains(err.Error(), errRedirects.Error()):
		e.Problem, e.Text, e.Remedy = Unsupported, "this address leads to another one that is not followed", "give the address of the video itself; it often ends in /video or /mjpeg"
	case strings.Contains(err.Error(), "certificate"):
		e.Problem, e.Text, e.Remedy = Denied, "its certificate is not trusted", "give the address with http:// instead of https://"
	default:
		e.Text = "the stream broke off"
	}
	e.Err = errors.New(f.addr.redact(err.Error()))
	return e
}

func (f *httpFeed) Close() error {
	f.body()
	if f.resp != nil {
		f.resp.Body.Close()
	}
	f.client.CloseIdleConnections()
	return nil
}
