//go:build unix

package calibrate_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fairdeck/calibrate"
)

// TestLoadNoFile: what is no file is refused at once. Opening a pipe that
// nobody writes to would wait for ever.
func TestLoadNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe, "/dev/zero"} {
		if _, _, err := calibrate.Load(path); err == nil || !strings.Contains(err.Error(), "is not a file") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
