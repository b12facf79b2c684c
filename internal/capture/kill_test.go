package capture_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"fairdeck/internal/capture"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
)

// captureUntilKilled is the child: a pass over a source that never ends, at
// full speed, and every card is told as it is to a person.
func captureUntilKilled(dir string) error {
	w, err := recording.Create(dir, recording.Header{Source: (&script{}).Info()})
	if err != nil {
		return err
	}
	fmt.Println("begun")
	_, err = capture.New(capture.Options{
		Settler: &every{n: 8}, Recorder: w,
		Tell: func(e capture.Event) {
			if e.Saved {
				fmt.Printf("%s %d\n", e.Kind, e.Number)
			}
		},
	}).Run(context.Background(), &script{})
	return err
}

// TestKilledDuringPass kills a process that runs a pass, with SIGKILL at
// random moments. Every card that was told must be in the recording, with all
// its frames.
func TestKilledDuringPass(t *testing.T) {
	kills := 210
	if testing.Short() {
		kills = 10
	}
	rnd := rand.New(rand.NewPCG(4, 210))
	told, atOnce := 0, 0
	for k := range kills {
		dir := filepath.Join(t.TempDir(), "r")
		last := killed(t, dir, time.Duration(rnd.IntN(60_000))*time.Microsecond)
		if last == 0 {
			atOnce++
		}
		told += last
		frames, events, rep := contents(t, dir)
		if rep.Damaged != 0 || rep.DamagedBytes != 0 || rep.End != nil {
			t.Fatalf("kill %d: %+v", k, rep)
		}
		for n := 1; n <= last; n++ {
			i := slices.IndexFunc(events, func(e *recording.Event) bool { return e.Kind == recording.Sighted && e.Number == n })
			if i < 0 {
				t.Fatalf("kill %d: card %d of %d was told and is lost", k, n, last)
			}
			for _, f := range events[i].Sighting.Frames {
				if f >= len(frames) || frames[f] != f {
					t.Fatalf("kill %d: card %d was told and its frame %d is lost", k, n, f)
				}
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed %d times: %d cards told, none lost (%d times nothing had been told yet)", kills, told, atOnce)
}

// killed runs the child, kills it a while after it began, and returns the last
// card that it told.
func killed(t *testing.T, dir string, after time.Duration) (last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FAIRDECK_CAPTURE_CHILD="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	began := false
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // half a line was not said
		}
		if err != nil {
			t.Fatal(err)
		}
		if line == "begun\n" {
			began = true
			kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
			continue
		}
		if _, err := fmt.Sscanf(line, "sighting %d\n", &last); err != nil {
			t.Fatalf("the child says %q", line)
		}
	}
	if !began {
		t.Fatal("the child never began")
	}
	_ = cmd.Wait() // it was killed
	return last
}

// TestDiskFillsUp: the pass goes on when the disk is full, says so once, and
// keeps what it has; a recording for its own sake ends.
func TestDiskFillsUp(t *testing.T) {
	small := t.TempDir()
	// 256 MB stay free by rule: there is room for about forty frames.
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=300m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	defer func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) }()
	large := make([]byte, 1<<20)
	for _, must := range []bool{false, true} {
		w, err := recording.Create(filepath.Join(small, fmt.Sprint(must)), recording.Header{Source: (&script{}).Info()})
		if err != nil {
			t.Fatal(err)
		}
		unsaved, lastSaved := 0, 0
		res, err := capture.New(capture.Options{
			Settler: &every{n: 5}, Recorder: w, MustRecord: must,
			Tell: func(e capture.Event) {
				switch {
				case e.Kind == capture.Unsaved:
					unsaved++
				case e.Saved:
					lastSaved = e.Number
				}
			},
		}).Run(t.Context(), &script{n: 100, encode: func(int) []byte { return large }})
		var e *camera.Error
		if must != errors.As(err, &e) || must && e.Problem != recording.Full {
			t.Errorf("must %v: %v", must, err)
		}
		if !must && (res.Frames != 100 || res.Count() != 20) || must && res.Reason != recording.EndFailed {
			t.Errorf("must %v: %+v", must, res)
		}
		if !errors.As(res.Recorded.Err, &e) || e.Problem != recording.Full || e.Remedy == "" || unsaved != 1 {
			t.Errorf("must %v: told %d times, %v", must, unsaved, res.Recorded.Err)
		}
		frames, events, rep := contents(t, w.Dir())
		if len(frames) < 20 || lastSaved == 0 || rep.End == nil || rep.Damaged != 0 {
			t.Errorf("must %v: %d frames, %d told, %+v", must, len(frames), lastSaved, rep)
		}
		if !slices.ContainsFunc(events, func(e *recording.Event) bool { return e.Number == lastSaved }) {
			t.Errorf("must %v: card %d was told and is lost", must, lastSaved)
		}
		if err := os.RemoveAll(w.Dir()); err != nil {
			t.Fatal(err)
		}
	}
}
