//go:build unix

package main

import (
	"context"
	"os/signal"
	"syscall"
	"testing"
)

// TestHangUp: a closed terminal ends the work cleanly, unless nohup was asked
// for.
func TestHangUp(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests run under nohup, which is respected")
	}
	ctx, stop := untilHungUp(t.Context())
	defer stop()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	stop()

	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	kept, stop := untilHungUp(context.Background())
	defer stop()
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("nohup was overruled")
	}
	if kept.Err() != nil {
		t.Error(kept.Err())
	}
}
