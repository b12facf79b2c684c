package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairdeck/internal/cv/cvtest"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/frame"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("FAIRDECK_RECORD_CHILD"); dir != "" {
		if err := recordUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	cvtest.Main(m)
}

var testHeader = Header{
	ID: "000102030405060708090a0b0c0d0e0f", Created: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	Tool:     Tool{Name: "fairdeck", Version: "0.1.0"},
	Source:   camera.Info{Kind: camera.KindUSB, Name: "Camera", WidthPx: 16, HeightPx: 12, FPS: 30, Format: "MJPG", Live: true},
	Settings: []byte(`{"cards":60}`),
}

// picture is a JPEG that differs from frame to frame.
func picture(i int) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 16, 12))
	for p := 0; p < len(m.Pix); p += 4 {
		m.Pix[p], m.Pix[p+1], m.Pix[p+2], m.Pix[p+3] = uint8(7*i), uint8(p), uint8(i*p), 255
	}
	return cameratest.JPEG(m)
}

func testFrame(i int) *camera.Frame {
	return &camera.Frame{Index: 2 * i, Time: time.Duration(i) * 33_333_333, Dropped: min(i, 1), Format: camera.JPEG, Encoded: picture(i)}
}

// readAll reads a recording and checks that every frame decodes.
func readAll(tb interface {
	Helper()
	Fatal(...any)
}, dir string) (frames []*camera.Frame, events []*Event, rep Report) {
	tb.Helper()
	r, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Read(context.Background())
		if errors.Is(err, io.EOF) {
			return frames, events, r.Report()
		}
		if err != nil {
			tb.Fatal(err)
		}
		switch {
		case rec.Frame != nil:
			frames = append(frames, rec.Frame)
		case rec.Event != nil:
			events = append(events, rec.Event)
		}
	}
}

// TestRoundTrip: what is read is what was written, over several segments.
func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	w, err := create(dir, folder(dir), testHeader, 4000)
	if err != nil {
		t.Fatal(err)
	}
	const n = 40
	for i := range n {
		if err := w.Frame(testFrame(i)); err != nil {
			t.Fatal(err)
		}
		if i%10 == 9 {
			if err := w.Event(Event{Kind: Sighted, Number: i, Sighting: &Sighting{Frames: []int{i - 1, i}, SHA256: "00"}}); err != nil {
				t.Fatal(err)
			}
			if err := w.Sync(); err != nil || w.Unsynced() != 0 {
				t.Fatalf("%v, %d bytes not synchronised", err, w.Unsynced())
			}
		}
	}
	end, err := w.Close(EndCount)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Close(EndAsked); err != nil || again != end {
		t.Errorf("closed twice: %v, %+v", err, again)
	}
	if err := w.Frame(testFrame(n)); err == nil {
		t.Error("a frame was taken after the end")
	}
	frames, events, rep := readAll(t, dir)
	if len(frames) != n || len(events) != n/10 || !rep.Whole() || *rep.End != end || rep.End.Dropped != 39 {
		t.Fatalf("%d frames, %d events, %+v, end %+v", len(frames), len(events), rep, rep.End)
	}
	for i, f := range frames {
		want := testFrame(i)
		if f.Index != want.Index || f.Time != want.Time || f.Dropped != want.Dropped || f.Format != want.Format || !bytes.Equal(f.Encoded, want.Encoded) {
			t.Fatalf("frame %d differs", i)
		}
	}
	if events[1].Number != 19 || events[1].Time != 19*33_333_333 || len(events[1].Sighting.Frames) != 2 {
		t.Errorf("event: %+v", events[1])
	}
	h, err := ReadHeader(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := testHeader
	want.Schema = Schema
	h.Settings = bytes.Join(bytes.Fields(h.Settings), nil)
	if d := cmp.Diff(&want, h); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "*.fdr"))
	if err != nil || len(segments) < 5 {
		t.Errorf("%d segments (%v), want several", len(segments), err)
	}
	// Nobody else on the computer reads it.
	for _, p := range append(segments, dir, filepath.Join(dir, headerName)) {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

// TestSource: as a source of frames, the pixels are those of the pictures.
func TestSource(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	w, err := Create(dir, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Frame(testFrame(i)); err != nil {
			t.Fatal(err)
		}
	}
	// A frame whose bytes were no picture when they were recorded.
	if err := w.Frame(&camera.Frame{Index: 6, Format: camera.JPEG, Encoded: []byte("nothing"), Dropped: 2}); err != nil {
		t.Fatal(err)
	}
	if err := w.Frame(testFrame(4)); err != nil {
		t.Fatal(err)
	}
	if err := w.Event(Event{Kind: Voided, Number: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(EndAsked); err != nil {
		t.Fatal(err)
	}
	voids := 0
	s, err := NewSource(dir, func(e *Event) { voids += e.Number })
	if err != nil {
		t.Fatal(err)
	}
	var got []*camera.Frame
	for {
		f, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	if len(got) != 4 || voids != 3 || got[3].Dropped != 1+2+1 {
		t.Fatalf("%d frames, void %d, last %+v", len(got), voids, got[len(got)-1])
	}
	for i, f := range got[:3] {
		want, err := camera.Decode("", picture(i))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Image, f.Image); d != "" {
			t.Errorf("frame %d: other pixels", i)
		}
	}
	if i := s.Info(); i.Kind != camera.KindRecording || i.Live || i.WidthPx != 16 || i.Name != dir {
		t.Errorf("info %+v", i)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(context.Background()); err == nil {
		t.Error("a closed source gave a frame")
	}
}

// TestEncode: pixels are seen as they will be read.
func TestEncode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	img := frame.New(64, 48)
	for i := range img.Pix {
		img.Pix[i] = uint8(rnd.UintN(256))
	}
	f := &camera.Frame{Image: img.Clone()}
	if err := Encode(f, false); err != nil {
		t.Fatal(err)
	}
	read := &camera.Frame{Path: "x", Encoded: f.Encoded, Format: f.Format}
	if err := Decode(context.Background(), read); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read.Image.Pix, f.Image.Pix) {
		t.Error("the reader sees other pixels than the pass did")
	}
	if bytes.Equal(img.Pix, f.Image.Pix) {
		t.Error("the pass sees pixels that were never encoded")
	}
	still := &camera.Frame{Image: img.Clone()}
	if err := Encode(still, true); err != nil || still.Format != camera.PNG || !bytes.Equal(still.Image.Pix, img.Pix) {
		t.Errorf("lossless: %v, %s", err, still.Format)
	}
	read = &camera.Frame{Path: "x", Encoded: still.Encoded, Format: still.Format}
	if err := Decode(context.Background(), read); err != nil || !bytes.Equal(read.Image.Pix, img.Pix) {
		t.Errorf("lossless, and other pixels are read: %v", err)
	}
	same := &camera.Frame{Encoded: picture(1), Format: camera.JPEG}
	if err := Encode(same, false); err != nil || !bytes.Equal(same.Encoded, picture(1)) {
		t.Error("a picture was encoded again")
	}
}

// TestConcurrentReader: whoever reads while the recording is made gets whole
// records up to where it is.
func TestConcurrentReader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	w, err := create(dir, folder(dir), testHeader, 3000)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error, 1)
	const n = 300
	go func() {
		for i := range n {
			if err := w.Frame(testFrame(i)); err != nil {
				done <- err
				return
			}
		}
		_, err := w.Close(EndAsked)
		done <- err
	}()
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		frames, _, rep := readAll(t, dir)
		for i, f := range frames {
			if f.Index != 2*i {
				t.Fatalf("frame %d has index %d", i, f.Index)
			}
		}
		if rep.Damaged != 0 || rep.DamagedBytes != 0 {
			t.Fatalf("a reader found damage: %+v", rep)
		}
		if !running && len(frames) != n {
			t.Fatalf("%d frames at the end", len(frames))
		}
	}
}

// record writes a recording of n frames in small segments, with an end.
func record(tb testing.TB, n int) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "r")
	w, err := create(dir, folder(dir), testHeader, 6000)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		if err := w.Frame(testFrame(i)); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := w.Close(EndAsked); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// TestDamage flips, cuts and overwrites bytes anywhere: every frame that comes
// back is one that was recorded, frames come in order, nothing beyond the
// damaged part is lost, and damage never passes for a whole recording.
func TestDamage(t *testing.T) {
	const n = 24
	dir := record(t, n)
	files, err := filepath.Glob(filepath.Join(dir, "*.fdr"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	whole := map[string][]byte{}
	for _, f := range files {
		if whole[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(files).Draw(rt, "file")
		data := bytes.Clone(whole[f])
		at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
		kind := rapid.SampledFrom([]string{"flip", "cut", "zero", "insert", "repeat", "remove"}).Draw(rt, "kind")
		most := 2 // records that a damaged place of up to 64 bytes can touch
		switch kind {
		case "flip":
			data[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		case "cut":
			data, most = data[:at], n
		case "zero":
			for i := at; i < min(len(data), at+64); i++ {
				data[i] = 0
			}
		case "insert":
			data = append(data[:at:at], append(rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(rt, "bytes"), data[at:]...)...)
		case "repeat":
			data = append(data[:len(data):len(data)], data[min(at, segmentHeadSize):]...)
		case "remove":
			most = n
		}
		defer func() {
			if err := os.WriteFile(f, whole[f], 0o600); err != nil {
				t.Fatal(err)
			}
		}()
		if kind == "remove" {
			err = os.Remove(f)
		} else {
			err = os.WriteFile(f, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		frames, _, rep := readAll(rt, dir)
		last := -1
		for _, fr := range frames {
			i := fr.Index / 2
			if i <= last || !bytes.Equal(fr.Encoded, picture(i)) {
				rt.Fatalf("frame %d after %d, or other bytes", i, last)
			}
			last = i
		}
		if n-len(frames) > most {
			rt.Fatalf("%s: %d of %d frames left: %+v", kind, len(frames), n, rep)
		}
		if same := bytes.Equal(data, whole[f]) && kind != "remove"; rep.Whole() && !same && kind != "repeat" {
			rt.Fatalf("%s at %d of %s passes for a whole recording: %+v", kind, at, filepath.Base(f), rep)
		}
	})
}

// TestBadFolders: what is not a recording says so, with the remedy.
func TestBadFolders(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(record(t, 1), headerName))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header string
		want   camera.Problem
	}{
		"newer":    {strings.Replace(string(good), "recording/v1", "recording/v2", 1), Newer},
		"other":    {`{"schema": "check/v1"}`, NotOne},
		"array":    {`[]`, camera.Damaged},
		"text":     {"hello", camera.Damaged},
		"cut":      {string(good[:len(good)/2]), camera.Damaged},
		"twice":    {string(good) + string(good), camera.Damaged},
		"unknown":  {strings.Replace(string(good), `"tool"`, `"tooth"`, 1), camera.Damaged},
		"bad id":   {strings.Replace(string(good), "000102", "../../", 1), camera.Damaged},
		"short id": {strings.Replace(string(good), "000102", "", 1), camera.Damaged},
		"huge":     {`{"schema":"recording/v1","id":"` + strings.Repeat("0", MaxHeaderBytes) + `"}`, camera.Damaged},
		"none":     {"", camera.Missing},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.header != "" {
				if err := os.WriteFile(filepath.Join(dir, headerName), []byte(c.header), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Open(dir)
			var e *camera.Error
			if !errors.As(err, &e) || e.Problem != c.want || e.Remedy == "" || e.Path == "" {
				t.Errorf("%v, want %s with a remedy", err, c.want)
			}
			if len(fmt.Sprint(err)) > 400+len(dir) {
				t.Errorf("a message of %d characters", len(fmt.Sprint(err)))
			}
		})
	}
	var e *camera.Error
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.As(err, &e) || e.Problem != camera.Missing {
		t.Errorf("no folder: %v", err)
	}
	if Is(t.TempDir()) || !Is(record(t, 1)) {
		t.Error("Is")
	}
}

// TestHostile: links, pipes and claims of a recording from elsewhere lead
// nowhere and take no memory.
func TestHostile(t *testing.T) {
	t.Run("link out", func(t *testing.T) {
		dir, outside := record(t, 1), filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(outside, segmentHead([16]byte{}, 2), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(dir, segmentName(2))); err != nil {
			t.Fatal(err)
		}
		// The end record precedes it: what follows is never opened.
		if frames, _, _ := readAll(t, dir); len(frames) != 1 {
			t.Errorf("%d frames", len(frames))
		}
		if err := os.Remove(filepath.Join(dir, segmentName(1))); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := r.Read(context.Background()); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("a link out of the recording was followed: %v", err)
		}
	})
	t.Run("pipe", func(t *testing.T) {
		dir := record(t, 1)
		p := filepath.Join(dir, segmentName(1))
		if err := errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600)); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		_, err = r.Read(context.Background())
		var e *camera.Error
		if !errors.As(err, &e) || e.Problem != camera.Denied || !strings.Contains(e.Text, "no file at all") {
			t.Errorf("a pipe was read: %v", err)
		}
	})
	t.Run("claims", func(t *testing.T) {
		dir := record(t, 1)
		p := filepath.Join(dir, segmentName(1))
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		// A right head that claims the most bytes there may be, and has none.
		h := head{kind: kindFrame, content: contentJPEG, number: 1, length: MaxFrameBytes}
		if err := os.WriteFile(p, h.append(data[:segmentHeadSize:segmentHeadSize]), 0o600); err != nil {
			t.Fatal(err)
		}
		allocs := testing.AllocsPerRun(1, func() {
			if frames, _, rep := readAll(t, dir); len(frames) != 0 || rep.TailBytes == 0 {
				t.Errorf("%d frames, %+v", len(frames), rep)
			}
		})
		if allocs > 1000 {
			t.Errorf("%v allocations", allocs)
		}
	})
	t.Run("numbers", func(t *testing.T) {
		dir := record(t, 1)
		p := filepath.Join(dir, segmentName(1))
		data := segmentHead([16]byte(must(testHeader.id())), 1)
		for _, n := range []uint64{5, 3, 1<<53 - 1, 1 << 53} {
			body := picture(0)
			h := head{kind: kindFrame, content: contentJPEG, number: n, length: uint32(len(body)), body: binary.LittleEndian.Uint32([]byte{1, 2, 3, 4})}
			h.body = sumOf(body)
			data = append(h.append(data), body...)
		}
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		frames, _, rep := readAll(t, dir)
		if len(frames) != 2 || rep.Frames != 2 || rep.Whole() {
			t.Errorf("%d frames, %+v", len(frames), rep)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestOldRecording: a recording made by the first release that had them is
// read, frame for frame.
func TestOldRecording(t *testing.T) {
	const dir = "testdata/recording-v1"
	if os.Getenv("FAIRDECK_MAKE_OLD") != "" {
		makeOld(t, dir)
	}
	frames, events, rep := readAll(t, dir)
	if len(frames) != 3 || len(events) != 2 || !rep.Whole() || rep.End.Reason != EndCount {
		t.Fatalf("%d frames, %d events, %+v", len(frames), len(events), rep)
	}
	for i, f := range frames {
		if err := Decode(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		if b, g, r := f.Image.BGR(4, 4); int(r) < 80*i-12 || int(r) > 80*i+12 || b > 12 || g > 12 {
			t.Errorf("frame %d is %d %d %d", i, b, g, r)
		}
		if f.Time != time.Duration(i)*40*time.Millisecond || f.Index != 10+i {
			t.Errorf("frame %d: %v, index %d", i, f.Time, f.Index)
		}
	}
	if events[0].Kind != Sighted || events[0].Sighting.Frames[1] != 12 || events[1].Kind != Voided || events[1].Number != 1 {
		t.Errorf("events %+v %+v", events[0], events[1])
	}
}

// makeOld made testdata; it is run by hand for a new version of the format.
func makeOld(t *testing.T, dir string) {
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w, err := Create(dir, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
		for y := range 8 {
			for x := range 8 {
				m.SetNRGBA(x, y, color.NRGBA{R: uint8(80 * i), A: 255})
			}
		}
		f := &camera.Frame{Index: 10 + i, Time: time.Duration(i) * 40 * time.Millisecond, Format: camera.JPEG, Encoded: cameratest.JPEG(m)}
		if i == 1 {
			f.Format, f.Encoded = camera.PNG, cameratest.PNG(m)
		}
		if err := w.Frame(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		w.Event(Event{Kind: Sighted, Number: 1, Sighting: &Sighting{Zone: "back", Frames: []int{11, 12}, SHA256: strings.Repeat("0", 64)}}),
		w.Event(Event{Kind: Voided, Number: 1})); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(EndCount); err != nil {
		t.Fatal(err)
	}
}

// FuzzRead reads any bytes as the only segment of a recording.
func FuzzRead(f *testing.F) {
	dir := record(f, 3)
	data, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		f.Fatal(err)
	}
	for _, cut := range []int{0, 10, segmentHeadSize, segmentHeadSize + headSize, len(data) - 1, len(data)} {
		f.Add(data[:cut])
	}
	f.Add(append(data[:len(data):len(data)], data[segmentHeadSize:]...))
	for _, name := range must(filepath.Glob(filepath.Join(dir, "*.fdr"))) {
		if err := os.Remove(name); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, segmentName(1)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		frames, events, rep := readAll(t, dir)
		if rep.Frames != len(frames) || rep.Events < len(events) || rep.DamagedBytes < 0 || rep.TailBytes > int64(len(data)) || rep.DamagedBytes > int64(len(data)) {
			t.Errorf("%d frames, %d events of %d bytes: %+v", len(frames), len(events), len(data), rep)
		}
		for _, fr := range frames {
			_ = Decode(context.Background(), fr) // any error, no crash
		}
	})
}

// FuzzHeader: a header is read or refused; what is read can be written.
func FuzzHeader(f *testing.F) {
	f.Add([]byte(`{"schema":"recording/v1","id":"000102030405060708090a0b0c0d0e0f"}`))
	h := testHeader
	h.Schema = Schema
	f.Add(must(h.encode()))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := decodeHeader(data)
		if err != nil {
			return
		}
		again, err := h.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeHeader(again); err != nil {
			t.Errorf("%q was read, written and not read again: %v", data, err)
		}
	})
}

// meeting is a disk on which somebody else acts just before the first file is
// made, when the folder was found to be empty already.
type meeting struct {
	disk
	act func()
}

func (m *meeting) create(name string) (file, error) {
	if act := m.act; act != nil {
		m.act = nil
		act()
	}
	return m.disk.create(name)
}

// TestTwoWriters: of two that begin in one empty folder at the same moment one
// records, and the other has not touched what is the first's.
func TestTwoWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	var winner *Writer
	m := &meeting{disk: folder(dir), act: func() {
		winner = must(Create(dir, testHeader))
		if err := winner.Frame(testFrame(0)); err != nil {
			t.Fatal(err)
		}
	}}
	_, err := create(dir, m, testHeader, SegmentBytes)
	var e *camera.Error
	if !errors.As(err, &e) || e.Problem != Exists {
		t.Fatalf("the second: %v", err)
	}
	_ = must(winner.Close(EndAsked))
	r := must(Open(dir))
	defer r.Close()
	for {
		if _, err := r.Read(t.Context()); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if rep := r.Report(); !rep.Whole() || rep.Frames != 1 || r.Header().ID != winner.Header().ID {
		t.Errorf("%+v of %s, the writer was %s", rep, r.Header().ID, winner.Header().ID)
	}
}
