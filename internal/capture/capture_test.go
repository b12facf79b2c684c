package capture_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"fairdeck/internal/capture"
	"fairdeck/internal/cv"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// checked runs the tests of a package without leaks of either kind.
type checked struct{ m *testing.M }

func (c checked) Run() int {
	code := c.m.Run()
	if n, known := cv.OpenMats(); known && n != 0 {
		fmt.Fprintf(os.Stderr, "FAIL: %d Mats were left open\n", n)
		return 1
	}
	return code
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("FAIRDECK_CAPTURE_CHILD"); dir != "" {
		if err := captureUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(checked{m})
}

// script is a source that plays frames: n of them, or without end. At a place
// in between it may do something first, or fail.
type script struct {
	n      int // 0: without end
	next   int
	at     map[int]func() // before the frame
	err    error          // after the last frame, instead of io.EOF
	step   time.Duration  // 0: 40 ms
	gaps   map[int]time.Duration
	wait   bool // after the last frame, until the context ends
	time   time.Duration
	encode func(i int) []byte
}

func (s *script) Info() camera.Info {
	return camera.Info{Kind: camera.KindUSB, Name: "scripted", WidthPx: 8, HeightPx: 6, FPS: 25, Live: true}
}

func (s *script) Close() error { return nil }

func (s *script) Next(ctx context.Context) (*camera.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i := s.next
	if f := s.at[i]; f != nil {
		f()
	}
	if s.n > 0 && i >= s.n {
		if s.wait {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if s.err != nil {
			return nil, s.err
		}
		return nil, io.EOF
	}
	s.next++
	step := s.step
	if step == 0 {
		step = 40 * time.Millisecond
	}
	if i > 0 {
		s.time += step + s.gaps[i]
	}
	f := &camera.Frame{Index: i, Time: s.time, Format: camera.JPEG, Image: frame.New(8, 6)}
	binary.LittleEndian.PutUint64(f.Image.Pix, uint64(i))
	if s.encode != nil {
		f.Encoded = s.encode(i)
	} else {
		f.Encoded = smallJPEG()
	}
	return f, nil
}

var smallJPEG = sync.OnceValue(func() []byte { return cameratest.JPEG(cameratest.Picture(8, 6)) })

// every is a settler that sees a card in each so many frames, and the last in
// what is left.
type every struct {
	n    int
	poor map[int]bool // indices that are blurred
	fail map[int]bool // frames that it cannot take
	seen []int
	out  int
}

func (e *every) Add(ctx context.Context, f *camera.Frame) ([]settle.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.fail[f.Index] {
		return nil, errors.New("no sense in it")
	}
	e.seen = append(e.seen, f.Index)
	if len(e.seen) < e.n {
		return nil, nil
	}
	return e.Flush(ctx)
}

func (e *every) Flush(context.Context) ([]settle.Event, error) {
	if len(e.seen) == 0 {
		return nil, nil
	}
	s := &settle.Sighting{Index: e.out, Zone: "back", Frames: slices.Clone(e.seen), Image: frame.New(4, 4)}
	binary.LittleEndian.PutUint64(s.Image.Pix, uint64(e.seen[0]))
	if e.poor[e.out] {
		s.Detection.Unusable = "blurred"
	}
	e.out++
	e.seen = nil
	events := []settle.Event{{Sighting: s}}
	if e.out%4 == 0 {
		events = append(events, settle.Event{Notice: &settle.Notice{Zone: "back", Code: "hand", Text: "a hand stays"}})
	}
	return events, nil
}

func judge(_ int, s *settle.Sighting) string { return s.Detection.Unusable }

func recorder(t *testing.T) *recording.Writer {
	t.Helper()
	w, err := recording.Create(filepath.Join(t.TempDir(), "r"), recording.Header{Source: (&script{}).Info()})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// contents reads a recording.
func contents(t *testing.T, dir string) (frames []int, events []*recording.Event, rep recording.Report) {
	t.Helper()
	r, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Read(t.Context())
		if errors.Is(err, io.EOF) {
			return frames, events, r.Report()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case rec.Frame != nil:
			frames = append(frames, rec.Frame.Index)
		case rec.Event != nil:
			events = append(events, rec.Event)
		}
	}
}

// TestPass: cards are told in order and only once they are safe; the result,
// the recording and a replay agree.
func TestPass(t *testing.T) {
	w := recorder(t)
	var told []capture.Event
	p := capture.New(capture.Options{
		Settler: &every{n: 10, poor: map[int]bool{1: true}}, Recorder: w, Judge: judge,
		Tell: func(e capture.Event) {
			told = append(told, e)
			if e.Kind != capture.Seen && e.Kind != capture.Again {
				return
			}
			// At this moment the sighting and its frames can be read.
			frames, events, _ := contents(t, w.Dir())
			seen := slices.IndexFunc(events, func(r *recording.Event) bool { return r.Kind == recording.Sighted && r.Number == e.Number })
			if !e.Saved || seen < 0 || !slices.Contains(frames, slices.Max(events[seen].Sighting.Frames)) {
				t.Errorf("%+v was told and is not safe: %d frames, event %d", e, len(frames), seen)
			}
		},
	})
	res, err := p.Run(t.Context(), &script{n: 95})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range told {
		kinds = append(kinds, fmt.Sprintf("%s %d", e.Kind, e.Count))
	}
	want := []string{
		"sighting 1", "again 1", "sighting 2", "sighting 3", "notice 3", "sighting 4", "sighting 5", "sighting 6", "sighting 7", "notice 7", "sighting 8", "sighting 9",
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	if res.Frames != 95 || res.Count() != 9 || len(res.Sightings) != 10 || res.Reason != recording.EndSource || res.Span != 94*40*time.Millisecond || len(res.Notices) != 2 {
		t.Errorf("%+v", res)
	}
	frames, events, rep := contents(t, w.Dir())
	if len(frames) != 95 || len(events) != 12 || !rep.Whole() || rep.SHA256 != res.Recorded.SHA256 || rep.End.Reason != recording.EndSource {
		t.Errorf("%d frames, %d events, %+v", len(frames), len(events), rep)
	}

	src, err := recording.NewSource(w.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := capture.New(capture.Options{Settler: &every{n: 10, poor: map[int]bool{1: true}}, Judge: judge}).Run(t.Context(), src)
	if err := errors.Join(err, src.Close()); err != nil {
		t.Fatal(err)
	}
	again.Recorded = res.Recorded
	if d := cmp.Diff(res, again); d != "" {
		t.Errorf("the replay differs (-pass +replay):\n%s", d)
	}
}

// TestCommands: undo, pause and end; what was not looked at is neither
// recorded nor counted as lost.
func TestCommands(t *testing.T) {
	w := recorder(t)
	var told []string
	p := capture.New(capture.Options{
		Settler: &every{n: 10}, Recorder: w,
		Tell: func(e capture.Event) { told = append(told, fmt.Sprintf("%s %d %d", e.Kind, e.Number, e.Count)) },
	})
	do := func(c capture.Command) func() { return func() { p.Do(c) } }
	src := &script{at: map[int]func(){
		1: do(capture.Undo), 22: do(capture.Undo), 35: do(capture.Pause), 55: do(capture.Pause), 80: do(capture.End),
	}}
	res, err := p.Run(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if res.Reason != recording.EndAsked || !res.Sightings[1].Void || res.Sightings[0].Void || res.Count() != len(res.Sightings)-1 || res.Dropped != 0 {
		t.Errorf("%+v", res)
	}
	// A command is heard between two frames, a frame sooner or later.
	if res.Frames < 57 || res.Frames > 63 {
		t.Errorf("%d frames, want about 60 of 80", res.Frames)
	}
	if !slices.Contains(told, "nothing 0 0") || !slices.Contains(told, "void 2 1") || !slices.Contains(told, "sighting 3 2") {
		t.Errorf("told %q", told)
	}
	frames, events, rep := contents(t, w.Dir())
	for i, f := range frames {
		if f != i {
			t.Fatalf("frame %d has index %d: the pause left a hole", i, f)
		}
	}
	var kinds []recording.EventKind
	for _, e := range events {
		if e.Kind != recording.Sighted && e.Kind != recording.Noticed {
			kinds = append(kinds, e.Kind)
		}
	}
	if d := cmp.Diff([]recording.EventKind{recording.Voided, recording.Paused, recording.Resumed}, kinds); d != "" || !rep.Whole() {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

// TestEnds: the pass ends by itself after the last card, and not while the
// camera is away.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		o      capture.Options
		src    *script
		want   recording.Reason
		count  int
		lo, hi int // frames
	}{
		"idle":       {capture.Options{Idle: 2 * time.Second}, &script{}, recording.EndIdle, 3, 80, 81},
		"count":      {capture.Options{Idle: 20 * time.Second, Expect: 3}, &script{}, recording.EndCount, 3, 130, 131},
		"too many":   {capture.Options{Idle: 20 * time.Second, Expect: 2}, &script{}, recording.EndCount, 3, 130, 131},
		"too few":    {capture.Options{Idle: 2 * time.Second, Expect: 4}, &script{}, recording.EndIdle, 3, 80, 81},
		"never":      {capture.Options{Expect: 3}, &script{n: 1000}, recording.EndSource, 3, 1000, 1000},
		"gap":        {capture.Options{Idle: 2 * time.Second}, &script{gaps: map[int]time.Duration{40: time.Hour}}, recording.EndIdle, 3, 81, 82},
		"no card":    {capture.Options{Idle: time.Second, Settler: &every{n: 1 << 30}}, &script{}, recording.EndIdle, 1, 251, 252},
		"clock back": {capture.Options{Idle: 2 * time.Second}, &script{gaps: map[int]time.Duration{20: -time.Hour}}, recording.EndIdle, 3, 80, 81},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Recorder = recorder(t)
			if c.o.Settler == nil {
				c.o.Settler = &three{every{n: 10}}
			}
			res, err := capture.New(c.o).Run(t.Context(), c.src)
			if err != nil {
				t.Fatal(err)
			}
			if res.Reason != c.want || res.Count() != c.count || res.Frames < c.lo || res.Frames > c.hi {
				t.Errorf("%s after %d frames with %d cards", res.Reason, res.Frames, res.Count())
			}
			if _, _, rep := contents(t, res.Recorded.Dir); !rep.Whole() || rep.End.Reason != c.want {
				t.Errorf("%+v", rep)
			}
		})
	}
}

// three sees three cards.
type three struct{ every }

func (s *three) Add(ctx context.Context, f *camera.Frame) ([]settle.Event, error) {
	if s.out == 3 {
		return nil, nil
	}
	return s.every.Add(ctx, f)
}

func (s *three) Flush(context.Context) ([]settle.Event, error) { return nil, nil }

// TestStopped: Ctrl-C at any time saves everything and is an error of the
// context; so is a camera that is gone for good, of its own kind.
func TestStopped(t *testing.T) {
	for stop := range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		w := recorder(t)
		src := &script{at: map[int]func(){stop: cancel}}
		res, err := capture.New(capture.Options{Settler: &every{n: 7}, Recorder: w}).Run(ctx, src)
		cancel()
		if !errors.Is(err, context.Canceled) || res.Reason != recording.EndStopped {
			t.Fatalf("stopped at %d: %v, %s", stop, err, res.Reason)
		}
		frames, _, rep := contents(t, w.Dir())
		if len(frames) != res.Frames || !rep.Whole() || (res.Frames > 0) != (len(res.Sightings) > 0) {
			t.Fatalf("stopped at %d: %d frames of %d, %+v", stop, len(frames), res.Frames, rep)
		}
	}
	w := recorder(t)
	lost := &camera.Error{Path: "camera", Problem: camera.Unreadable, Text: "gone", Remedy: "plug it in"}
	res, err := capture.New(capture.Options{Settler: &every{n: 7}, Recorder: w}).Run(t.Context(), &script{n: 20, err: lost})
	if !errors.Is(err, lost) || res.Reason != recording.EndFailed || res.Count() != 3 || res.Recorded.Err != nil {
		t.Errorf("%v, %+v", err, res)
	}
	if _, _, rep := contents(t, w.Dir()); !rep.Whole() {
		t.Errorf("%+v", rep)
	}
}

// TestSilent: a source that waits for ever does not hold the pass.
func TestSilent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := recorder(t)
	var p *capture.Pass
	src := &script{n: 20, wait: true, at: map[int]func(){20: func() {
		p.CameraLost("no frame for 2 s")
		p.Do(capture.Undo) // keys work while no frame comes
		cancel()
	}}}
	var mu sync.Mutex
	var told []capture.EventKind
	p = capture.New(capture.Options{Settler: &every{n: 7}, Recorder: w, Tell: func(e capture.Event) {
		mu.Lock()
		told = append(told, e.Kind)
		mu.Unlock()
	}})
	res, err := p.Run(ctx, src)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.CameraReturned("too late") // and nobody waits
	if !slices.Contains(told, capture.Lost) || !slices.Contains(told, capture.Void) || res.Count() != 2 {
		t.Errorf("told %v, %d cards", told, res.Count())
	}
}

// TestBadFrame: a frame that the settler cannot take is told and costs
// nothing else.
func TestBadFrame(t *testing.T) {
	res, err := capture.New(capture.Options{Settler: &every{n: 10, fail: map[int]bool{5: true}}}).Run(t.Context(), &script{n: 41})
	if err != nil || res.Count() != 4 || len(res.Notices) != 2 || res.Notices[0].Code != "frame" || res.Recorded != nil {
		t.Errorf("%v, %+v", err, res)
	}
}

// film is a video whose damage is found where its frames end.
type film struct {
	script
	live bool
}

func (f *film) Info() camera.Info {
	i := camera.Info{Kind: camera.KindVideo, Name: "v.mp4", WidthPx: 8, HeightPx: 6, Live: f.live, Warnings: []string{"it is HDR"}}
	if f.next >= f.n {
		i.Warnings = append(i.Warnings, "its frames end here")
	}
	return i
}

// TestRemarks: what a video turned out to be on its way is told, recorded and
// in the result; what was known before and what a live source says is not.
func TestRemarks(t *testing.T) {
	for _, live := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "r")
		rec, err := recording.Create(dir, recording.Header{Tool: recording.Tool{Name: "test", Version: "1"}})
		if err != nil {
			t.Fatal(err)
		}
		var told []capture.Event
		p := capture.New(capture.Options{Settler: &every{n: 5}, Recorder: rec, Tell: func(e capture.Event) { told = append(told, e) }})
		res, err := p.Run(t.Context(), &film{script: script{n: 12}, live: live})
		if err != nil {
			t.Fatal(err)
		}
		var got, kept []string
		for _, n := range res.Notices {
			got = append(got, n.Code+" "+n.Text)
		}
		src, err := recording.NewSource(dir, func(e *recording.Event) {
			if e.Kind == recording.Noticed {
				kept = append(kept, e.Code+" "+e.Text)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = src.Next(t.Context())
		}
		if !errors.Is(err, io.EOF) || src.Close() != nil {
			t.Fatal(err)
		}
		want := []string{"source its frames end here"}
		if live {
			want = nil
		}
		if !slices.Equal(got, want) || !slices.Equal(kept, want) {
			t.Errorf("live %t: got %q, recorded %q, want %q", live, got, kept, want)
		}
		if heard := slices.ContainsFunc(told, func(e capture.Event) bool { return e.Kind == capture.Notice }); heard == live {
			t.Errorf("live %t: told %+v", live, told)
		}
	}
}
