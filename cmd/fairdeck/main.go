// Command fairdeck inspects the sleeves of a trading-card deck through a
// camera and says which can be told from the rest.
//
//	main ──▶ root ──▶ inspect | evaluate | doctor | version | ...
//	  ▲                   │
//	  └── exit code ◀── error, or what was found
//
// Each command is one file. A command returns an error or an outcome;
// exitCode is the only place that turns them into numbers.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"fairdeck/internal/ui"
)

func main() {
	// A station is a small computer: half the garbage for a few percent of
	// the time (measured on 60 sleeves: 500 to 425 MB, 15 to 16 s of CPU).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	// Where this fails, codecs are merely heard too.
	_ = keepStderr()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks the work to end and clean up; from then on the
	// second one ends the process at once, whatever it does.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], ui.NewStandard()))
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, term ui.Terminal) int {
	root := newRootCommand(&app{term: term, now: time.Now, machine: thisMachine()})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	term.Status("")
	var o outcome
	if err != nil && !errors.As(err, &o) {
		term.Error("fairdeck: " + explain(err))
	}
	return exitCode(err)
}
