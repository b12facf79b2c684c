package main

import (
	"context"
	"os/signal"
	"syscall"
)

// untilHungUp ends the work when the terminal is closed, as Ctrl-C does: a
// recording gets its end, a camera is let go of. Where somebody asked for the
// opposite (nohup), it stays so.
func untilHungUp(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}
