// Command evaluate measures the shuffle scores and writes docs/RANDOMNESS.md to standard output:
// exact tables, false alarms, powers, real shuffles, reading errors. Everything is seeded. It is
// run by scripts/evaluate-randomness.sh.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
)

// settings of a run.
type settings struct {
	shared string // folder with stats and fixtures, or empty
	quick  bool   // a tenth of the trials
	commit string
	host   string
	bench  string // file with the output of scripts/bench-randomness.sh
}

// n scales a number of trials.
func (s settings) n(full int) int {
	if s.quick {
		return max(full/10, 100)
	}
	return full
}

// path of a reference table, or "" when it is not here.
func (s settings) path(elem ...string) string {
	if s.shared == "" {
		return ""
	}
	p := filepath.Join(append([]string{s.shared}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		return ""
	}
	return p
}

func main() {
	var s settings
	flag.StringVar(&s.shared, "shared", "", "folder that holds the reference tables (stats) and fixtures")
	flag.BoolVar(&s.quick, "quick", false, "a tenth of the trials, to see that everything runs")
	flag.StringVar(&s.commit, "commit", "unknown", "commit the figures belong to")
	flag.StringVar(&s.host, "machine", "unknown", "the machine, for the page")
	flag.StringVar(&s.bench, "bench", "", "file with the output of the benchmark script, to be put into the page")
	flag.Parse()
	log.SetFlags(log.Ltime)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, part := range []func(context.Context, settings) error{
		head, exactTables, groupedTV, size, distinctPower, copiesPower, alternatives, weights, realShuffles, readingErrors, speed,
	} {
		if err := part(ctx, s); err != nil {
			log.Print(err)
			os.Exit(1)
		}
	}
}

// say writes to the page.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
