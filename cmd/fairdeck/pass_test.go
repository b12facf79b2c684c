package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/visiontest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// dealt is a synthetic deal as a camera would send it: six face-down sleeves,
// shown one by one.
var dealt = sync.OnceValues(func() ([][]byte, error) {
	d := visiontest.Deal{Kind: visiontest.SinglesDeal, FPS: dealtFPS, CardsPerSecond: 1, Deck: visiontest.Deck{Cards: dealtCards, Seed: 4}}
	d.Deck.Camera.WidthPx, d.Deck.Camera.HeightPx = dealtWidth, dealtHeight
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for {
		f, ok, err := s.Next()
		if err != nil || !ok {
			return frames, err
		}
		frames = append(frames, f.JPEG)
	}
})

const (
	dealtCards  = 6
	dealtFPS    = 30
	dealtWidth  = 1280
	dealtHeight = 720
)

// virtual starts a camera that shows the deal at its own pace, then the empty
// table. Whoever connects again sees it go on.
func virtual(t *testing.T) *cameratest.MJPEG {
	t.Helper()
	if testing.Short() {
		t.Skip("a deal is rendered and dealt")
	}
	frames, err := dealt()
	if err != nil {
		t.Fatal(err)
	}
	var shown atomic.Int64
	m, err := cameratest.NewMJPEG(cameratest.MJPEGOptions{
		Frames: frames, Interval: time.Second / dealtFPS,
		Script: func(int, int) cameratest.Fault {
			n := int(shown.Add(1)) - 1
			if n >= len(frames) { // never the same picture twice
				n = len(frames) - 1 - n%2
			}
			return cameratest.Fault{Frame: frames[n]}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return m
}

// player is a camera that waits for its reader: on a machine that is busy
// with other tests it loses nothing. After the deal the table stays empty.
type player struct {
	frames [][]byte
	next   int
	closed bool
}

func (p *player) Info() camera.Info {
	return camera.Info{Kind: camera.KindUSB, Name: "Player", WidthPx: dealtWidth, HeightPx: dealtHeight, FPS: dealtFPS, Format: "MJPG", Live: true}
}

func (p *player) Close() error { p.closed = true; return nil }

func (p *player) Next(ctx context.Context) (*camera.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i := p.next
	p.next++
	f, err := camera.Decode("player", p.frames[min(i, len(p.frames)-1-i%2)])
	if err != nil {
		return nil, err
	}
	f.Index, f.Time = i, time.Duration(i)*time.Second/dealtFPS
	return f, nil
}

// playing is a program before a player.
func playing(t *testing.T, term ui.Terminal) *app {
	t.Helper()
	if testing.Short() {
		t.Skip("a deal is rendered")
	}
	frames, err := dealt()
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(term)
	a.open = func(context.Context, string, func(camera.Status)) (camera.Source, error) {
		p := &player{frames: frames}
		t.Cleanup(func() {
			if !p.closed {
				t.Error("the camera was left open")
			}
		})
		return p, nil
	}
	return a
}

// home is a place for the user's data, and a check that nothing is left
// running.
func home(t *testing.T) string {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	return dir
}

func newApp(term ui.Terminal) *app {
	return &app{term: term, now: time.Now, machine: thisMachine(), open: openSource}
}

// timeless is a check.json without what differs from run to run.
func timeless(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "check.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := record.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if c.Timings.Total <= 0 || c.Created.IsZero() {
		t.Errorf("the check has no times: %+v", c.Timings)
	}
	c.Timings, c.Created = record.Timings{}, time.Time{}
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readCheckIn(t *testing.T, dir string) *record.Check {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "check.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := record.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLiveAndReplay deals under a virtual camera and checks the deck live;
// replays of the recording, with one worker and with two, come to the same
// check.json byte for byte, times aside.
func TestLiveAndReplay(t *testing.T) {
	data := home(t)
	live := filepath.Join(t.TempDir(), "live")
	term := &ui.Fake{Redraw: true}
	code := runApp(t.Context(), []string{"inspect", "--cards", fmt.Sprint(dealtCards), "--end-after", "5s", "--out", live, virtual(t).URL()}, newApp(term))
	if code != exitOK && code != exitFlagged && code != exitNotGood {
		t.Fatalf("exit code %d: %s", code, term.Stderr())
	}
	c := readCheckIn(t, live)
	p := c.Capture
	if p == nil || p.Recording == nil || !p.Recording.Whole || p.Sightings < 3 || len(c.Sources) != p.Sightings || len(c.Sleeves) != p.Sightings {
		t.Fatalf("%+v\n%s", p, term.Stderr())
	}
	// Where the machine has time for the camera, no card is lost.
	if p.Dropped < p.Frames/10 && (p.Sightings != dealtCards || p.Ended != "count") {
		t.Errorf("%+v\n%s", p, term.Stderr())
	}
	for i := range p.Sightings {
		if want := fmt.Sprintf("%d/%d  ok", i+1, dealtCards); !strings.Contains(term.Stderr(), want) {
			t.Errorf("not told: %q", want)
		}
		if !exists(filepath.Join(live, c.Sources[i].File)) {
			t.Errorf("%s is not there", c.Sources[i].File)
		}
	}
	if term.Bells() < p.Sightings {
		t.Errorf("%d bells for %d cards", term.Bells(), p.Sightings)
	}
	recordings, err := filepath.Glob(filepath.Join(data, "fairdeck", "recordings", "*"))
	if err != nil || len(recordings) != 1 || !strings.Contains(term.Stderr(), recordings[0]) {
		t.Fatalf("recordings %v, said: %s", recordings, term.Stderr())
	}
	want := timeless(t, live)
	for _, workers := range []int{2, 1} {
		before := runtime.GOMAXPROCS(workers)
		out := filepath.Join(t.TempDir(), "again")
		term := &ui.Fake{}
		again := runApp(t.Context(), []string{"replay", "--out", out, recordings[0]}, newApp(term))
		runtime.GOMAXPROCS(before)
		if again != code {
			t.Errorf("exit code %d, live %d: %s", again, code, term.Stderr())
		}
		if d := cmp.Diff(want, timeless(t, out)); d != "" {
			t.Errorf("replay with %d workers differs (-live +replay):\n%s", workers, d)
		}
		if strings.Contains(term.Stderr(), "other sightings") {
			t.Errorf("the replay doubts itself: %s", term.Stderr())
		}
	}

	// A recording that was cut off is replayed up to there, and says so.
	segment := filepath.Join(recordings[0], "frames-000001.fdr")
	info, err := os.Stat(segment)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(segment, info.Size()*2/3); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "cut")
	term = &ui.Fake{}
	if code := runApp(t.Context(), []string{"replay", "--out", out, recordings[0]}, newApp(term)); code == exitOK {
		t.Errorf("half a pass passes for a whole one: %s", term.Stdout())
	}
	cut := readCheckIn(t, out).Capture
	if cut.Sightings < 1 || cut.Sightings >= p.Sightings || cut.Recording.Whole || cut.Ended != "interrupted" {
		t.Errorf("%+v", cut)
	}
}

// watcher does something when a line appears.
type watcher struct {
	*ui.Fake
	when map[string]func()
}

func (w watcher) Error(line string) {
	w.Fake.Error(line)
	if f := w.when[line]; f != nil {
		f()
	}
}

// TestTakenBack: u and Enter takes the last card back, q ends; a replay takes
// it back, too.
func TestTakenBack(t *testing.T) {
	home(t)
	in, keys := io.Pipe()
	defer keys.Close()
	press := func(s string) func() {
		return sync.OnceFunc(func() {
			if _, err := io.WriteString(keys, s); err != nil {
				t.Error(err)
			}
		})
	}
	term := watcher{&ui.Fake{}, nil}
	term.when = map[string]func(){"3  ok": press("u\n"), "4  ok": press("what\nq\n")}
	a := playing(t, term)
	a.in = in
	dir := t.TempDir()
	live, rec := filepath.Join(dir, "live"), filepath.Join(dir, "rec")
	const player = "Jo Somebody"
	code := runApp(t.Context(), []string{"inspect", "--quiet", "--recording", rec, "--out", live, "--keep", "--player", player, "0"}, a)
	if code == exitFault || code == exitUsage {
		t.Fatal(term.Stderr())
	}
	// Stored with the pictures of the sightings; the player stays in the store.
	if !strings.Contains(term.Stderr(), "Stored as check-") || strings.Contains(term.Stderr()+term.Stdout(), player) {
		t.Errorf("said %s", term.Stderr())
	}
	for _, name := range []string{"recording.json", "frames-000001.fdr"} {
		b, err := os.ReadFile(filepath.Join(rec, name))
		if err != nil || bytes.Contains(b, []byte(player)) {
			t.Errorf("%s holds the player's name (%v)", name, err)
		}
	}
	// One was taken back, so that the fifth is the fourth that counts. What is
	// typed is heard a little later: another card may have come meanwhile.
	p := readCheckIn(t, live).Capture
	if p.Void != 1 || p.Sightings < 4 || p.Sightings > dealtCards-1 || p.Ended != "asked" {
		t.Errorf("%+v\n%s", p, term.Stderr())
	}
	if term.Bells() != 0 {
		t.Error("--quiet rings")
	}
	again := filepath.Join(dir, "again")
	if got := runApp(t.Context(), []string{"replay", "--out", again, rec}, newApp(&ui.Fake{})); got != code {
		t.Errorf("exit code %d, live %d", got, code)
	}
	if d := cmp.Diff(timeless(t, live), timeless(t, again)); d != "" {
		t.Errorf("the replay differs (-live +replay):\n%s", d)
	}
}

// TestCameraLost: the camera dies in the middle of a deal and returns; the pass
// goes on where it was, and so does its replay.
func TestCameraLost(t *testing.T) {
	home(t)
	cam := virtual(t)
	term := watcher{&ui.Fake{}, nil}
	term.when = map[string]func(){
		"2/6  ok": sync.OnceFunc(func() {
			go func() { // the server waits for its connections, and they for the pass
				cam.Stop()
				if err := cam.Start(); err != nil {
					t.Error(err)
				}
			}()
		}),
	}
	dir := t.TempDir()
	live, rec, again := filepath.Join(dir, "live"), filepath.Join(dir, "rec"), filepath.Join(dir, "again")
	code := runApp(t.Context(), []string{"inspect", "--cards", fmt.Sprint(dealtCards), "--end-after", "5s", "--recording", rec, "--out", live, cam.URL()}, newApp(term))
	if code == exitFault || code == exitUsage || code == exitInput {
		t.Fatal(code, term.Stderr())
	}
	p := readCheckIn(t, live).Capture
	if p.Sightings < 3 || !strings.Contains(term.Stderr(), "Camera lost") || strings.Contains(term.Stderr(), "lost: camera lost") || !strings.Contains(term.Stderr(), "Camera back; go on at ") {
		t.Errorf("%+v\n%s", p, term.Stderr())
	}
	if got := runApp(t.Context(), []string{"replay", "--out", again, rec}, newApp(&ui.Fake{})); got != code {
		t.Errorf("exit code %d, live %d", got, code)
	}
	if d := cmp.Diff(timeless(t, live), timeless(t, again)); d != "" {
		t.Errorf("the replay differs (-live +replay):\n%s", d)
	}
}

// TestRecordCommand: what happens as JSON, and an end by Ctrl-C with
// everything saved.
func TestRecordCommand(t *testing.T) {
	home(t)
	dir := filepath.Join(t.TempDir(), "rec")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &lineTerm{Fake: &ui.Fake{}, line: func(s string) {
		if strings.Contains(s, `"event":"sighting"`) && strings.Contains(s, `"count":3`) {
			cancel()
		}
	}}
	if code := runApp(ctx, []string{"record", "--json", "--out", dir, "0"}, playing(t, out)); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out.Stderr())
	}
	events := map[string]int{}
	var last map[string]any
	lines := bufio.NewScanner(strings.NewReader(out.Stdout()))
	for lines.Scan() {
		last = nil
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		events[last["event"].(string)]++
		if last["event"] == "sighting" && last["saved"] != true {
			t.Errorf("told before it was saved: %v", last)
		}
	}
	if events["started"] != 1 || events["sighting"] < 3 || events["ended"] != 1 || last["reason"] != "interrupted" || last["whole"] != true || out.Bells() != 0 {
		t.Errorf("%v, the last %v", events, last)
	}
	_, rep, err := recording.Span(t.Context(), dir)
	if err != nil || !rep.Whole() || float64(rep.Frames) != last["frames"] {
		t.Errorf("%+v, %v", rep, err)
	}
	// A folder that is taken is known before the camera is opened for long.
	if code := runApp(t.Context(), []string{"record", "--out", dir, "0"}, playing(t, &ui.Fake{})); code != exitUsage {
		t.Errorf("an old recording was written over: exit code %d", code)
	}
}

// lineTerm shows what is written to standard output.
type lineTerm struct {
	*ui.Fake
	line func(string)
}

func (l *lineTerm) Out() io.Writer { return writerFunc{l} }

type writerFunc struct{ l *lineTerm }

func (w writerFunc) Write(b []byte) (int, error) {
	n, err := w.l.Fake.Out().Write(b)
	w.l.line(string(b))
	return n, err
}

// TestPassUsage: wrong use is told before anything is opened or written.
func TestPassUsage(t *testing.T) {
	home(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"record"}, exitUsage, "which camera"},
		{[]string{"record", "--cards", "-1", "0"}, exitUsage, "--cards"},
		{[]string{"record", "--end-after", "5ms", "0"}, exitUsage, "--end-after"},
		{[]string{"record", "--size", "big", "0"}, exitUsage, "--size"},
		{[]string{"replay"}, exitUsage, "which recording"},
		{[]string{"replay", dir}, exitInput, dir},
		{[]string{"replay", filepath.Join(dir, "none")}, exitInput, "none"},
		{[]string{"inspect", "--grid", "http://127.0.0.1:1/video"}, exitUsage, "--grid"},
		{[]string{"inspect", "--no-record", "--recording", "x", "http://127.0.0.1:1/video"}, exitUsage, "--no-record"},
		{[]string{"inspect", "http://127.0.0.1:1/video", "photos"}, exitUsage, "one camera"},
		{[]string{"inspect", "--main", "http://127.0.0.1:1/video"}, exitUsage, "--cards"},
		{[]string{"inspect", "http://127.0.0.1:1/video"}, exitInput, "127.0.0.1:1"},
	} {
		term := &ui.Fake{}
		if code := runApp(t.Context(), c.args, newApp(term)); code != c.code || !strings.Contains(term.Stderr(), c.says) {
			t.Errorf("%v: exit code %d, %s", c.args, code, term.Stderr())
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestIsStream: by its name, what is seen in time and what is not.
func TestIsStream(t *testing.T) {
	dir := t.TempDir()
	film := filepath.Join(dir, "deal.MP4")
	if err := os.WriteFile(film, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]bool{
		"0": true, "12": true, "/dev/video0": true, "HD Pro Webcam": true, "http://phone:8080/video": true, "rtsp://cam/1": true, film: true,
		dir: false, "back_*.jpg": false, "photos/": false, "missing.jpg": false, filepath.Join(dir, "none"): false, "": false, "deck/../x": false,
	} {
		if got := isStream(spec); got != want {
			t.Errorf("%q: %v", spec, got)
		}
	}
	// Where only pictures can be meant, a mistyped folder is no camera.
	for spec, want := range map[string]bool{"0": true, "/dev/video0": true, "http://phone:8080/video": true, film: true, "main-dekc": false, dir: false, "": false} {
		if got := surelyStream(spec); got != want {
			t.Errorf("surely, %q: %v", spec, got)
		}
	}
}

// film makes a video file of the deal.
func film(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a deal is rendered and encoded")
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not here")
	}
	frames, err := dealt()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deal.mkv")
	cmd := exec.Command("ffmpeg", "-loglevel", "error", "-f", "mjpeg", "-framerate", strconv.Itoa(dealtFPS), "-i", "-", "-c:v", "ffv1", path)
	cmd.Stdin = bytes.NewReader(bytes.Join(frames, nil))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestVideo: a film is inspected as a live pass is, and is its own recording;
// one that is recorded all the same replays to the same.
func TestVideo(t *testing.T) {
	data := home(t)
	path := film(t)
	dir := t.TempDir()
	first := filepath.Join(dir, "1")
	term := &ui.Fake{}
	code := runApp(t.Context(), []string{"inspect", "--cards", fmt.Sprint(dealtCards), "--out", first, path}, newApp(term))
	if code == exitFault || code == exitUsage || code == exitInput {
		t.Fatal(code, term.Stderr())
	}
	p := readCheckIn(t, first).Capture
	if p.Sightings != dealtCards || p.Dropped != 0 || p.Ended != "source-ended" || p.Recording != nil || p.Source.Kind != "video" || term.Bells() != 0 {
		t.Errorf("%+v\n%s", p, term.Stderr())
	}
	if exists(filepath.Join(data, "fairdeck", "recordings")) {
		t.Error("a film was recorded")
	}
	kept, again, rec := filepath.Join(dir, "3"), filepath.Join(dir, "4"), filepath.Join(dir, "rec")
	runApp(t.Context(), []string{"inspect", "--out", kept, "--recording", rec, path}, newApp(&ui.Fake{}))
	runApp(t.Context(), []string{"replay", "--out", again, rec}, newApp(&ui.Fake{}))
	if d := cmp.Diff(timeless(t, kept), timeless(t, again)); d != "" {
		t.Errorf("the replay of pixels that were encoded differs (-pass +replay):\n%s", d)
	}
	if h, err := recording.ReadHeader(rec); err != nil || h.Encoded == "" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestReplayWithoutFrames: a recording whose frames are gone or are another's
// is damaged; nobody is told to lay the cards down better.
func TestReplayWithoutFrames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	w, err := recording.Create(dir, recording.Header{Tool: recording.Tool{Name: "test", Version: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(recording.EndAsked); err != nil {
		t.Fatal(err)
	}
	header := filepath.Join(dir, "recording.json")
	data, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(data, []byte(w.Header().ID), []byte(recording.NewID()), 1)
	if err := os.WriteFile(header, other, 0o600); err != nil {
		t.Fatal(err)
	}
	term := &ui.Fake{}
	code := runApp(t.Context(), []string{"replay", "--out", filepath.Join(t.TempDir(), "o"), dir}, newApp(term))
	if code != exitInput || !strings.Contains(term.Stderr(), "no frame that can be read") || strings.Contains(term.Stderr(), "lay still") {
		t.Errorf("exit code %d: %s", code, term.Stderr())
	}
}
