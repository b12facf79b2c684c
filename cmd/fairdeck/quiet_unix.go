//go:build unix

package main

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// keepStderr gives the process's standard error to fairdeck alone. OpenCV's
// codecs (libpng, libjpeg, libtiff) write remarks of their own there, between
// the lines of the progress display and without a file's name; what they
// refuse comes back as an error and is told with its remedy. From here on
// os.Stderr is another handle on the same place and theirs leads nowhere. A
// crash of Go is still told.
func keepStderr() error {
	fd, err := unix.Dup(2)
	if err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	own := os.NewFile(uintptr(fd), "/dev/stderr")
	if err := debug.SetCrashOutput(own, debug.CrashOptions{}); err != nil {
		return err
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer nowhere.Close()
	if err := unix.Dup2(int(nowhere.Fd()), 2); err != nil {
		return err
	}
	os.Stderr = own
	return nil
}
