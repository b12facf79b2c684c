package camera

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairdeck/vision/frame"
)

// Videos and RTSP are decoded by ffmpeg as a child process. Against OpenCV's
// own reader, which stands on the same library: a child that hangs can be
// killed and one that a hostile file brings down takes nothing with it; it
// says what was wrong with a video, where OpenCV ends it without a word.
// Rotation and times come out alike.
//
//	file, address ─▶ ffmpeg ─ pixels and times (Matroska) ─▶ pipe ─▶ pump ─▶ Grab
//	                   └─ what it had to say ─▶ warnings, error
//
// The pump waits for its reader, and ffmpeg waits for the pump.
type ffmpegFeed struct {
	cmd    *exec.Cmd
	out    *os.File
	said   *tail
	secret *address // nil for files
	frames chan rawFrame
	closed chan struct{}
	pumped chan struct{} // the pump has ended
	waited chan struct{} // the child has ended
	once   sync.Once

	held *rawFrame // the first frame, read when the feed was opened

	mu   sync.Mutex
	info Info
	warn warnings
}

type rawFrame struct {
	pix           []byte
	width, height int
	at            time.Duration
	err           error
}

var _ Feed = (*ffmpegFeed)(nil)

// ffmpegRemedy is what to do where the program is missing.
const ffmpegRemedy = "install ffmpeg (Debian: apt install ffmpeg)"

// startFFmpeg starts the child and waits for its first frame, for at most
// wait. name is what the user calls the source.
func startFFmpeg(ctx context.Context, o SourceOptions, info Info, secret *address, wait time.Duration, stdin []byte, input ...string) (*ffmpegFeed, error) {
	program, err := exec.LookPath(o.ffmpeg())
	if err != nil {
		return nil, &Error{Path: info.Name, Problem: Unsupported, Text: "ffmpeg, which reads videos and RTSP, is not here", Remedy: ffmpegRemedy, Err: err}
	}
	level := "level+error"
	if info.Live {
		level = "level+warning" // packets that were missed are told as warnings
	}
	args := []string{"-hide_banner", "-loglevel", level, "-max_alloc", strconv.Itoa(maxFFmpegAlloc)}
	if stdin == nil {
		args = append(args, "-nostdin")
	}
	args = append(args, input...)
	args = append(args, "-map", "0:v:0", "-an", "-sn", "-dn",
		// Every frame once, at its own time; upright as the file says.
		"-fps_mode", "passthrough",
		"-sws_flags", "bicubic+accurate_rnd+full_chroma_int+bitexact",
		"-c:v", "rawvideo", "-pix_fmt", "bgr24",
		"-map_metadata", "-1", "-f", "matroska", "-live", "1", "-allow_raw_vfw", "1", "-write_crc32", "0", "pipe:1")
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("a pipe for ffmpeg: %w", err)
	}
	f := &ffmpegFeed{
		cmd: exec.Command(program, args...), out: r, said: &tail{}, secret: secret, info: info,
		frames: make(chan rawFrame), closed: make(chan struct{}), pumped: make(chan struct{}), waited: make(chan struct{}),
	}
	f.cmd.Stdout, f.cmd.Stderr = w, f.said
	if stdin != nil {
		f.cmd.Stdin = bytes.NewReader(stdin)
	}
	f.cmd.WaitDelay = time.Second
	apart(f.cmd)
	err = f.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, &Error{Path: info.Name, Problem: Unsupported, Text: "ffmpeg does not start", Remedy: ffmpegRemedy, Err: err}
	}
	go func() {
		defer close(f.waited)
		_ = f.cmd.Wait() // the outcome is in ProcessState
	}()
	go f.pump()

	ctx, cancel := context.WithTimeoutCause(ctx, wait, errNoFrame)
	defer cancel()
	first, err := f.take(ctx)
	if err == nil {
		f.held = first
		f.mu.Lock()
		f.info.WidthPx, f.info.HeightPx = first.width, first.height
		f.mu.Unlock()
		// Before its first whole picture a stream that is joined in its midst
		// is full of complaints.
		f.said.arm(info.Live)
		return f, nil
	}
	f.Close()
	switch {
	case errors.Is(err, io.EOF):
		return nil, f.failure("no frame can be read from it")
	case errors.Is(err, errRawVideo):
		return nil, &Error{Path: info.Name, Problem: Damaged, Text: "ffmpeg gives frames that make no sense", Remedy: "try another version of ffmpeg", Err: err}
	case errors.Is(context.Cause(ctx), errNoFrame):
		return nil, &Error{Path: info.Name, Problem: Unreadable, Text: fmt.Sprintf("no frame came within %v", wait), Remedy: remedyFor(info.Kind), Err: errNoFrame}
	}
	return nil, err
}

// errNoFrame is a source that opens and stays silent.
var errNoFrame = errors.New("no frame came")

// maxFFmpegAlloc bounds a single piece of memory that a file can make the
// child take: a frame of MaxPixels in 16 bits of 4 channels.
const maxFFmpegAlloc = 8 * MaxPixels

func remedyFor(k Kind) string {
	if k == KindStream {
		return "check that the camera is on, in the same network, and that the address is that of its video"
	}
	return "copy the video again, or convert it to MP4 (H.264)"
}

// pump reads frames from the pipe until the child ends or the feed is closed.
func (f *ffmpegFeed) pump() {
	defer close(f.pumped)
	v := newRawVideo(f.out)
	for {
		pix, at, err := v.next()
		if f.said.damaged() {
			// ffmpeg fills what is missing with what it guesses, and goes on
			// building upon that until the next whole picture.
			pix, err = nil, io.EOF
		}
		select {
		case f.frames <- rawFrame{pix, v.width, v.height, at, err}:
		case <-f.closed:
			return
		}
		if err != nil {
			return
		}
		f.mu.Lock()
		if f.info.FPS == 0 && v.every > 0 {
			f.info.FPS = float64(time.Second) / float64(v.every)
		}
		f.mu.Unlock()
	}
}

func (f *ffmpegFeed) take(ctx context.Context) (*rawFrame, error) {
	select {
	case fr := <-f.frames:
		if fr.err != nil {
			return nil, fr.err
		}
		return &fr, nil
	case <-f.pumped:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *ffmpegFeed) Info() Info {
	f.mu.Lock()
	defer f.mu.Unlock()
	info := f.info
	info.Warnings = append(info.Warnings[:len(info.Warnings):len(info.Warnings)], f.warn.all()...)
	return info
}

func (f *ffmpegFeed) Grab(ctx context.Context) (*Raw, error) {
	fr := f.held
	if f.held = nil; fr == nil {
		var err error
		if fr, err = f.take(ctx); err != nil {
			return nil, f.ended(ctx, err)
		}
	}
	return &Raw{Clock: fr.at, HasClock: true, Pixels: func() (*frame.Image, error) {
		return &frame.Image{Width: fr.width, Height: fr.height, Pix: fr.pix}, nil
	}}, nil
}

// ended turns the end of the stream into what the reader is told.
func (f *ffmpegFeed) ended(ctx context.Context, err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	select {
	case <-f.waited:
	case <-ctx.Done():
		return ctx.Err()
	case <-f.closed:
		return ErrClosed
	}
	if f.Info().Live {
		if f.said.damaged() {
			return f.failure("part of the stream was lost on its way; it is begun anew")
		}
		return f.failure("the stream ended")
	}
	if text := f.words(); text != "" || !f.cmd.ProcessState.Success() {
		f.mu.Lock()
		f.warn.add("%s: the video is damaged or cut off: its frames end here; look whether all cards are there, or copy it again (ffmpeg: %s)", f.info.Name, text)
		f.mu.Unlock()
	}
	return io.EOF
}

// words is the first error that ffmpeg told, without secrets.
func (f *ffmpegFeed) words() string {
	for line := range strings.SplitSeq(f.said.String(), "\n") {
		// "[mov,mp4 @ 0x55...] [error] text".
		for _, level := range []string{"[error] ", "[fatal] "} {
			if _, text, ok := strings.Cut(line, level); ok {
				if f.secret != nil {
					text = f.secret.redact(text)
				}
				return strings.TrimSpace(text)
			}
		}
	}
	return ""
}

// failure is the error of a source that gave nothing, or nothing more.
func (f *ffmpegFeed) failure(text string) error {
	e := &Error{Path: f.info.Name, Problem: Damaged, Text: text, Remedy: remedyFor(f.info.Kind)}
	words := f.words()
	switch {
	case f.said.damaged():
	case strings.Contains(words, "moov atom not found"):
		e.Problem, e.Text = Truncated, "the video was cut off: its index, which is written last, is missing"
		e.Remedy = "copy it again from the phone; a recording that ended with the battery cannot be used"
	case strings.Contains(words, "Unrecognized option"), strings.Contains(words, "Option not found"):
		e.Problem, e.Text, e.Remedy = Unsupported, "this ffmpeg is too old", "install ffmpeg 5.1 or newer; fairdeck doctor tells which one is here"
	case strings.Contains(words, "matches no streams"):
		e.Problem, e.Text, e.Remedy = NotAPicture, "there is no picture in it, only sound or text", "give the video itself"
	case strings.Contains(words, "401"), strings.Contains(words, "403"):
		e.Problem, e.Text, e.Remedy = Denied, "the camera asks for a user name and password", "give them in the address: rtsp://user:password@host/…"
	case strings.Contains(words, "404"):
		e.Problem, e.Text, e.Remedy = Missing, "the camera knows no such stream", "look up the stream's path in the camera's manual"
	case strings.Contains(words, "refused"), strings.Contains(words, "No route"), strings.Contains(words, "unreachable"), strings.Contains(words, "resolve"):
		e.Problem, e.Text = Missing, "nobody answers there"
	}
	if f.info.Kind == KindStream && e.Problem == Damaged {
		e.Problem = Unreadable
	}
	if words != "" {
		e.Err = errors.New(words)
		if e.Problem == Damaged || e.Problem == Unreadable {
			e.Text += " (ffmpeg: " + words + ")"
		}
	}
	return e
}

// closeWait bounds how long Close waits for a child that was killed: one that
// hangs in the kernel (a network disk) dies when the kernel lets go of it.
const closeWait = 2 * time.Second

func (f *ffmpegFeed) Close() error {
	f.once.Do(func() {
		close(f.closed)
		// It may have ended by itself.
		_ = f.cmd.Process.Kill()
		f.out.Close() // ends a read of the pump
		<-f.pumped
		select {
		case <-f.waited:
		case <-time.After(closeWait):
		}
	})
	return nil
}

// tail keeps the beginning of what a child says, and listens for damage.
type tail struct {
	mu    sync.Mutex
	buf   []byte
	armed bool
	bad   bool
}

// damageWords are what libavformat and libavcodec say when part of a stream is
// missing or makes no sense, so that the pictures from there on are guessed.
var damageWords = [...]string{"error while decoding", "concealing", "corrupt", "missed", "missing reference", "reference picture missing", "Invalid NAL", "Error submitting"}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 8192 - len(t.buf); room > 0 {
		t.buf = append(t.buf, p[:min(room, len(p))]...)
	}
	if t.armed && !t.bad {
		for _, w := range damageWords {
			t.bad = t.bad || bytes.Contains(p, []byte(w))
		}
	}
	return len(p), nil
}

// arm makes damage count from now on.
func (t *tail) arm(on bool) { t.mu.Lock(); defer t.mu.Unlock(); t.armed = on }

func (t *tail) damaged() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.bad }

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// probed is what ffprobe says of a video's first picture stream.
type probed struct {
	Codec    string `json:"codec_name"`
	Rate     string `json:"avg_frame_rate"`
	Transfer string `json:"color_transfer"`
	Fields   string `json:"field_order"`
}

// probe asks ffprobe, which comes with ffmpeg. What it cannot tell is left
// empty: the frames themselves decide.
func probe(ctx context.Context, o SourceOptions, input ...string) probed {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	args := append([]string{"-loglevel", "quiet", "-max_alloc", strconv.Itoa(maxFFmpegAlloc)}, input...)
	args = append(args, "-select_streams", "v:0", "-show_entries", "stream=codec_name,avg_frame_rate,color_transfer,field_order", "-of", "json")
	cmd := exec.CommandContext(ctx, o.ffprobe(), args...)
	cmd.WaitDelay = time.Second
	apart(cmd)
	out, err := cmd.Output()
	var got struct {
		Streams []probed `json:"streams"`
	}
	if err != nil || json.Unmarshal(out, &got) != nil || len(got.Streams) == 0 {
		return probed{}
	}
	return got.Streams[0]
}

// fps reads a rate such as "30000/1001"; 0 where there is none.
func (p probed) fps() float64 {
	a, b, _ := strings.Cut(p.Rate, "/")
	n, err1 := strconv.ParseFloat(a, 64)
	d, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil || d <= 0 || n <= 0 || n/d > 1000 {
		return 0
	}
	return n / d
}
