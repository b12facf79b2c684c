//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package v4l2

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOpenOther opens what is no video device.
func TestOpenOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "video0")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{file: ErrNoCapture, file + "1": ErrMissing} {
		if _, err := Open(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	d, err := Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Capability(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("/dev/null: %v", err)
	}
	if f, err := d.Formats(); len(f) != 0 || err != nil {
		t.Errorf("/dev/null offers %v, %v", f, err)
	}
	if err := d.Start(4); !errors.Is(err, ErrUnsupported) {
		t.Errorf("/dev/null starts: %v", err)
	}
}

// TestDequeueEnds: ctx ends the wait for a frame, before and during it, and a
// device that hangs up ends it too. A pipe stands for a device whose frames
// do not come.
func TestDequeueEnds(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	k := &kernel{path: "pipe", fd: p[0]}
	defer k.Close()
	files := func() int {
		e, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc here")
		}
		return len(e)
	}
	before := files()
	for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		if _, err := k.Dequeue(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", wait, err)
		}
		cancel()
	}
	unix.Close(p[1])
	if _, err := k.Dequeue(t.Context()); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("after hanging up: %v", err)
	}
	if n := files(); n != before-1 {
		t.Errorf("%d open files became %d", before, n)
	}
}
