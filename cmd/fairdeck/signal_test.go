package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera/recording"
)

// signalChild makes the test binary be the program, signals and all.
const signalChild = "FAIRDECK_SIGNAL_CHILD"

// interrupted runs the program in a process of its own and sends it SIGINT a
// while after a line with begin in it appeared. It returns the lines that the
// child said and its exit code, as a shell numbers it.
func interrupted(t *testing.T, begin string, after time.Duration, args ...string) (lines []string, code int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), signalChild+"=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A child that does not end is what this test is about.
	hung := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	stop := func() { _ = cmd.Process.Signal(syscall.SIGINT) } // it may have ended
	var timer *time.Timer
	if begin == "" {
		timer = time.AfterFunc(after, stop)
	}
	r := bufio.NewReader(said)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
		if timer == nil && strings.Contains(line, begin) {
			timer = time.AfterFunc(after, stop)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if timer != nil {
		timer.Stop()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return lines, 0
	case !errors.As(err, &exit):
		t.Fatal(err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return lines, 128 + int(ws.Signal())
	}
	return lines, exit.ExitCode()
}

// TestInterrupted stops live passes by SIGINT at random moments: the exit code
// is 130, the recording is closed and holds every card that was told, and no
// half report is there.
func TestInterrupted(t *testing.T) {
	home(t)
	times := 20
	if testing.Short() {
		times = 3
	}
	cam := virtual(t)
	rnd := rand.New(rand.NewPCG(4, 20))
	told, empty := 0, 0
	for k := range times {
		dir := t.TempDir()
		rec, out := filepath.Join(dir, "rec"), filepath.Join(dir, "out")
		// Every fourth at once, while the program and the camera start.
		begin, after := "Recording to", time.Duration(rnd.IntN(3000))*time.Millisecond
		// Where this test itself was started with SIGINT ignored, as a shell's
		// jobs in the background are, a child ignores it until it is ready.
		if k%4 == 3 && !signal.Ignored(os.Interrupt) {
			begin, after = "", time.Duration(rnd.IntN(600))*time.Millisecond
		}
		lines, code := interrupted(t, begin, after, "inspect", "--lang", "en", "--end-after", "0", "--recording", rec, "--out", out, cam.URL())
		if code != exitInterrupted {
			t.Fatalf("stop %d after %q and %v: exit code %d\n%s", k, begin, after, code, strings.Join(lines, "\n"))
		}
		if exists(out) {
			if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
				t.Errorf("stop %d: half a report: %v, %v", k, entries, err)
			}
		}
		cards := 0
		for _, l := range lines {
			if strings.HasSuffix(l, "  ok") {
				cards++
			}
		}
		told += cards
		if !exists(rec) {
			empty++
			if cards > 0 {
				t.Errorf("stop %d: %d cards were told and there is no recording", k, cards)
			}
			continue
		}
		seen := 0
		r, err := recording.Open(rec)
		if err != nil {
			t.Fatalf("stop %d: %v\n%s", k, err, strings.Join(lines, "\n"))
		}
		for {
			x, err := r.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if x.Event != nil && x.Event.Kind == recording.Sighted && x.Event.Sighting.Reason == "" {
				seen++
			}
		}
		rep := r.Report()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if !rep.Whole() || rep.End.Reason != recording.EndStopped || seen < cards {
			t.Errorf("stop %d: %d cards were told, the recording has %d, %+v\n%s", k, cards, seen, rep, strings.Join(lines, "\n"))
		}
	}
	t.Logf("stopped %d times: %d cards told, none lost; %d times before a recording had begun", times, told, empty)
}

// TestInterruptedReplay stops checks by SIGINT at random moments: there is a
// whole check or none.
func TestInterruptedReplay(t *testing.T) {
	home(t)
	times := 8
	if testing.Short() {
		times = 2
	}
	dir := t.TempDir()
	rec := filepath.Join(dir, "rec")
	if code := runApp(t.Context(), []string{"record", "--cards", "6", "--end-after", "1s", "--out", rec, "0"}, playing(t, &ui.Fake{})); code != exitOK {
		t.Fatal(code)
	}
	began := time.Now()
	_, whole := interrupted(t, "", time.Hour, "replay", "--out", filepath.Join(dir, "whole"), rec)
	took := time.Since(began)
	rnd := rand.New(rand.NewPCG(4, 8))
	stopped := 0
	for k := range times {
		out := filepath.Join(dir, fmt.Sprint(k))
		// Up to a tenth longer than it takes: also while files are written.
		lines, code := interrupted(t, "", time.Duration(rnd.Int64N(int64(took)*11/10)), "replay", "--out", out, rec)
		data, err := os.ReadFile(filepath.Join(out, "check.json"))
		switch {
		case code == exitInterrupted && errors.Is(err, os.ErrNotExist):
			stopped++
		case code == whole || code == exitInterrupted:
			if _, derr := record.Decode(bytes.NewReader(data)); err != nil || derr != nil {
				t.Errorf("stop %d: %v, %v", k, err, derr)
			}
		default:
			t.Errorf("stop %d: exit code %d\n%s", k, code, strings.Join(lines, "\n"))
		}
	}
	t.Logf("stopped %d of %d checks", stopped, times)
}
