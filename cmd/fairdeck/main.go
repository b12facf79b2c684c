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
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"fairdeck/internal/plain"
	"fairdeck/internal/ui"

	xterm "golang.org/x/term"
)

func main() {
	// A station is a small computer: half the garbage for a few percent of
	// the time (measured on 60 sleeves: 500 to 425 MB, 15 to 16 s of CPU).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	// Where this fails, codecs are merely heard too.
	_ = keepStderr()
	os.Exit(untilSignalled(os.Args[1:]))
}

// untilSignalled runs the program with a context that ends at Ctrl-C.
func untilSignalled(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks the work to end and clean up; from then on the
	// second one ends the process at once, whatever it does.
	context.AfterFunc(ctx, stop)
	return run(ctx, args, ui.NewStandard())
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, term ui.Terminal) int {
	ctx, stop := untilHungUp(ctx)
	defer stop()
	return runApp(ctx, args, &app{term: term, now: time.Now, machine: thisMachine(), in: keys(), open: openSource})
}

func runApp(ctx context.Context, args []string, a *app) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.term.Status("")
	var o outcome
	if err != nil && !errors.As(err, &o) {
		a.term.Error("fairdeck: " + harmless(explain(err)))
	}
	return exitCode(err)
}

// harmless makes an error's text, which may hold names from outside, do
// nothing but show. Further lines are indented, so that a name with line ends
// in it cannot pass for a message of its own.
func harmless(text string) string {
	const longest = 1000 // characters of a line
	var lines []string
	for i, l := range strings.Split(text, "\n") {
		if l = plain.Text(l, longest); i > 0 && !strings.HasPrefix(l, "  ") {
			l = "  " + l
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

// keys is where a person types during a pass: a terminal only. A script's
// standard input is the script's.
func keys() io.Reader {
	if !xterm.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return os.Stdin
}
