package recording

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"fairdeck/vision/camera"

	"pgregory.net/rapid"
)

func sumOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// powerless is a disk in memory that may lose its power: then of each file
// that was not synchronised any part of the new bytes is there, and of the
// names those that the folder's own synchronising saved, or more.
type powerless struct {
	files map[string]*lossy // by name, as a program sees them
	names map[string]*lossy // as they are on the disk for sure
	room  int64             // bytes that fit; < 0: no limit
	fsync error
}

type lossy struct {
	d      *powerless
	data   []byte
	stable int // bytes that are on the disk for sure
}

func newPowerless() *powerless {
	return &powerless{files: map[string]*lossy{}, names: map[string]*lossy{}, room: -1}
}

func (d *powerless) make() error { return nil }
func (d *powerless) create(name string) (file, error) {
	if d.files[name] != nil {
		return nil, os.ErrExist
	}
	if d.room == 0 {
		return nil, syscall.ENOSPC
	}
	d.files[name] = &lossy{d: d}
	return d.files[name], nil
}
func (d *powerless) rename(from, to string) error {
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}
func (d *powerless) sync() error         { d.names = maps.Clone(d.files); return d.fsync }
func (d *powerless) free() (int64, bool) { return 0, false }

func (f *lossy) Write(b []byte) (int, error) {
	if r := f.d.room; r >= 0 {
		n := int(min(int64(len(b)), r))
		f.d.room -= int64(n)
		f.data = append(f.data, b[:n]...)
		if n < len(b) {
			return n, syscall.ENOSPC
		}
		return n, nil
	}
	f.data = append(f.data, b...)
	return len(b), nil
}

func (f *lossy) Truncate(n int64) error {
	if f.d.room >= 0 {
		f.d.room += int64(len(f.data)) - n
	}
	f.data = f.data[:n]
	f.stable = min(f.stable, int(n))
	return nil
}
func (f *lossy) Close() error { return nil }
func (f *lossy) Sync() error {
	if f.d.fsync == nil {
		f.stable = len(f.data)
	}
	return f.d.fsync
}

// loss writes what is left after the power went to dir.
func (d *powerless) loss(t *rapid.T, dir string) {
	for name, f := range d.files {
		if d.names[name] != f && rapid.Bool().Draw(t, "name is lost") {
			continue
		}
		keep := rapid.IntRange(f.stable, len(f.data)).Draw(t, "kept")
		data := bytes.Clone(f.data[:keep])
		// File systems may leave zeros, or old blocks, where the length was
		// written before the data.
		tail := 0
		if f.stable < len(f.data) {
			tail = rapid.IntRange(0, 3).Draw(t, "tail")
		}
		switch tail {
		case 1:
			data = append(data, make([]byte, rapid.IntRange(0, 5000).Draw(t, "zeros"))...)
		case 2:
			data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 500).Draw(t, "rubbish")...)
		case 3:
			for i := f.stable; i < min(keep, f.stable+4096); i++ {
				data[i] = 0
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPowerLoss: whatever a power cut leaves of what was not synchronised,
// everything that was is read, and nothing that was never recorded.
func TestPowerLoss(t *testing.T) {
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := newPowerless()
		w, err := create("r", d, testHeader, int64(rapid.IntRange(500, 5000).Draw(rt, "segment")))
		if err != nil {
			rt.Fatal(err)
		}
		safe, frames := 0, 0
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "sync") == 0 {
				if err := w.Sync(); err != nil {
					rt.Fatal(err)
				}
				safe = frames
				continue
			}
			if err := w.Frame(testFrame(frames)); err != nil {
				rt.Fatal(err)
			}
			frames++
		}
		closed := rapid.Bool().Draw(rt, "closed")
		if closed {
			if _, err := w.Close(EndAsked); err != nil {
				rt.Fatal(err)
			}
			safe = frames
		}
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		d.loss(rt, dir)
		got, _, rep := readAll(rt, dir)
		if len(got) < safe || closed && !rep.Whole() {
			rt.Fatalf("%d frames were on the disk, %d are read: %+v", safe, len(got), rep)
		}
		for i, f := range got {
			k := f.Index / 2
			if i < safe && k != i || !bytes.Equal(f.Encoded, picture(k)) {
				rt.Fatalf("frame %d of the recording is %d, or another", i, k)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestDiskFull: what was recorded is kept and ends properly, the error has the
// remedy and stays.
func TestDiskFull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newPowerless()
		w, err := create("r", d, testHeader, 3000)
		if err != nil {
			rt.Fatal(err)
		}
		d.room = int64(rapid.IntRange(0, 20000).Draw(rt, "room"))
		n := 0
		for ; n < 100; n++ {
			if err = w.Frame(testFrame(n)); err != nil {
				break
			}
		}
		var e *camera.Error
		if !errors.As(err, &e) || e.Problem != Full || e.Remedy == "" || e.Path != "r" {
			rt.Fatalf("%v, want a full disk with the remedy", err)
		}
		if serr := w.Sync(); serr == nil {
			rt.Fatal("a full disk was forgotten")
		}
		end, cerr := w.Close(EndAsked)
		if cerr == nil || end.Frames != n {
			rt.Fatalf("%v, %d frames of %d", cerr, end.Frames, n)
		}
		dir := must(os.MkdirTemp("", "full"))
		defer os.RemoveAll(dir)
		for name, f := range d.files {
			if err := os.WriteFile(filepath.Join(dir, name), f.data, 0o600); err != nil {
				rt.Fatal(err)
			}
		}
		frames, _, rep := readAll(rt, dir)
		if len(frames) != n || rep.Damaged != 0 {
			rt.Fatalf("%d of %d frames: %+v", len(frames), n, rep)
		}
	})
}

// TestFsyncFails: after a failed fsync nothing is acknowledged any more, even
// if the next one succeeds.
func TestFsyncFails(t *testing.T) {
	d := newPowerless()
	w, err := create("r", d, testHeader, SegmentBytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Frame(testFrame(0)), w.Sync(), w.Frame(testFrame(1))); err != nil {
		t.Fatal(err)
	}
	d.fsync = syscall.EIO
	first := w.Sync()
	d.fsync = nil
	if again := w.Sync(); first == nil || !errors.Is(again, syscall.EIO) {
		t.Errorf("%v, then %v", first, again)
	}
	if w.Unsynced() == 0 {
		t.Error("frame 1 passes for saved")
	}
	if _, err := w.Close(EndAsked); !errors.Is(err, syscall.EIO) {
		t.Errorf("closed with %v", err)
	}
}

// TestFolders: places that do not take a recording.
func TestFolders(t *testing.T) {
	base := t.TempDir()
	used := filepath.Join(base, "used")
	plain := filepath.Join(base, "file")
	if err := errors.Join(os.Mkdir(used, 0o755), os.WriteFile(filepath.Join(used, "x"), nil, 0o644), os.WriteFile(plain, nil, 0o644), os.Mkdir(filepath.Join(base, "empty"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]camera.Problem{
		used: Exists, plain: Exists, filepath.Join(plain, "r"): ReadOnly, filepath.Join(base, string(bytes.Repeat([]byte("x"), 300))): ReadOnly,
		"/proc/fairdeck-recording": "any",
	} {
		_, err := Create(dir, testHeader)
		var e *camera.Error
		if !errors.As(err, &e) || want != "any" && e.Problem != want || e.Remedy == "" || e.Path != dir {
			t.Errorf("%.40s: %v, want %s", dir, err, want)
		}
	}
	w, err := Create(filepath.Join(base, "empty"), testHeader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(EndAsked); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(w.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if os.Geteuid() == 0 {
		t.Log("permissions do not bind the superuser; a folder without the right to write was not tried")
		return
	}
	closed := filepath.Join(base, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	var e *camera.Error
	if _, err := Create(filepath.Join(closed, "r"), testHeader); !errors.As(err, &e) || e.Problem != ReadOnly {
		t.Errorf("%v, want %s", err, ReadOnly)
	}
}

// recordUntilKilled is the child: it records as fast as it can and tells what
// is safe.
func recordUntilKilled(dir string) error {
	w, err := create(dir, folder(dir), testHeader, 20_000)
	if err != nil {
		return err
	}
	fmt.Println("begun")
	for i := 0; ; i++ {
		if err := w.Frame(testFrame(i)); err != nil {
			return err
		}
		if i%8 != 7 {
			continue
		}
		if err := w.Event(Event{Kind: Sighted, Number: i/8 + 1, Sighting: &Sighting{Frames: []int{2*i - 2, 2 * i}}}); err != nil {
			return err
		}
		if err := w.Sync(); err != nil {
			return err
		}
		fmt.Printf("saved %d\n", i)
	}
}

// TestKilledWhileRecording kills a process that records, with SIGKILL at
// random moments. What it said was saved must be there.
func TestKilledWhileRecording(t *testing.T) {
	kills := 60 // internal/capture kills the whole pass 210 times
	if testing.Short() {
		kills = 20
	}
	rnd := rand.New(rand.NewPCG(4, 60))
	total, torn := 0, 0
	for k := range kills {
		dir := filepath.Join(t.TempDir(), "r")
		saved := killed(t, dir, time.Duration(rnd.IntN(40_000))*time.Microsecond)
		frames, _, rep := readAll(t, dir)
		if len(frames) <= saved || rep.DamagedBytes != 0 || rep.End != nil {
			t.Fatalf("kill %d: frame %d was acknowledged, %d are read: %+v", k, saved, len(frames), rep)
		}
		for i, f := range frames {
			if f.Index != 2*i {
				t.Fatalf("kill %d: frame %d has index %d", k, i, f.Index)
			}
			if err := Decode(context.Background(), f); err != nil {
				t.Fatal(err)
			}
		}
		total += saved + 1
		if rep.TailBytes > 0 {
			torn++
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed %d times: %d acknowledged frames, all read; %d recordings ended in half a record", kills, total, torn)
}

// killed runs the child, kills it a while after it began, and returns the last
// frame that it acknowledged, or -1.
func killed(t *testing.T, dir string, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FAIRDECK_RECORD_CHILD="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	saved := -1
	var kill *time.Timer
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // half a line was not said
		}
		if err != nil {
			t.Fatal(err)
		}
		if line == "begun\n" {
			kill = time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			continue
		}
		if _, err := fmt.Sscanf(line, "saved %d\n", &saved); err != nil {
			t.Fatalf("the child says %q", line)
		}
	}
	if kill == nil {
		t.Fatal("the child never began")
	}
	kill.Stop()
	_ = cmd.Wait() // it was killed
	return saved
}
