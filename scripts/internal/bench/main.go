// Command bench measures fairdeck's speed and memory and writes
// docs/PERFORMANCE.md. scripts/bench.sh runs it.
//
//	visiontest ──▶ folders of JPEG files ─┬─▶ fairdeck inspect (a process: time, peak memory)
//	                                      └─▶ decoding alone, same files, same cores
//	             ──▶ frames ──▶ card.Find + card.Rectify, one thread
//	                        └─▶ a virtual camera ──▶ camera.OpenSource, for minutes
//
// Absolute times say more about the machine than about the program, so every
// figure is a ratio to something measured in the same run, next to it, except
// where milliseconds were asked for. Each time is the median of its
// repetitions; what is compared alternates, so that a disturbance of the
// machine meets both.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
)

type options struct {
	quick                          bool
	streamFor                      time.Duration
	only                           string
	out, fairdeck, commit, command string
}

func main() {
	if err := mainError(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func mainError() (failed error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 2 && os.Args[1] == runJobs {
		return serveJobs(ctx, os.Stdin, os.Stdout)
	}
	var o options
	flag.BoolVar(&o.quick, "quick", false, "fewer sleeves and repetitions")
	flag.DurationVar(&o.streamFor, "stream", 0, "length of the live stream (default 10m, or 20s with -quick)")
	flag.StringVar(&o.only, "only", "", "one part alone: inspect, find or stream")
	flag.StringVar(&o.out, "o", "", "file to write (default: standard output)")
	flag.StringVar(&o.fairdeck, "fairdeck", filepath.Join("bin", "fairdeck"), "the program")
	flag.StringVar(&o.commit, "commit", "unknown", "what to name as the commit")
	flag.StringVar(&o.command, "command", "scripts/bench.sh", "what to name as the command that made the document")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	// Before anything else: see runner.
	r, err := startRunner()
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, r.close()) }()
	if err := cv.Setup(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fairdeck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	d := new(markdown.Document)
	d.Raw("# Performance\n\n")
	d.Para("Written by `%s` at commit %s on %s, OpenCV %s; do not edit. Ratios are taken within this run.",
		o.command, o.commit, markdown.Machine(), cv.Version())
	b := &bench{options: o, ctx: ctx, dir: dir, runner: r}
	body := new(markdown.Document)
	for _, part := range []struct {
		name string
		run  func(*markdown.Document) error
	}{{"inspect", b.inspect}, {"find", b.find}, {"stream", b.stream}} {
		if o.only != "" && o.only != part.name {
			continue
		}
		if err := part.run(body); err != nil {
			return err
		}
	}
	d.Targets(b.targets)
	d.Raw(body.String())
	if o.out == "" {
		_, err := fmt.Print(d.String())
		return err
	}
	return markdown.WriteFile(o.out, d.String())
}

type bench struct {
	options
	ctx     context.Context
	dir     string
	runner  *runner
	targets []markdown.Target
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (b *bench) target(name, limit, measured string, met bool) {
	b.targets = append(b.targets, markdown.Target{Name: name, Limit: limit, Measured: measured, Met: met})
}
