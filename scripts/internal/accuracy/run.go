package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
)

type options struct {
	quick, heldOut bool
	out, fixtures  string
	only           string
	command        string
	commit         string
	photos         string // file: output of scripts/internal/photos
	edges          string // file: output of scripts/internal/edges
	deals          string // file: output of scripts/internal/deals
	fairdeck       string // the program itself
}

// run is one evaluation: what has been written so far and which targets were
// met.
type run struct {
	options
	ctx      context.Context
	start    time.Time
	workers  int
	base     uint64 // first seed of the current section
	parts    []string
	targets  []markdown.Target
	failures []string
}

func newRun(ctx context.Context, o options) *run {
	return &run{options: o, ctx: ctx, start: time.Now(), workers: runtime.GOMAXPROCS(0)}
}

// count is the size of a simulation: full, or the quick run's.
func (r *run) count(full, quick int) int {
	if r.quick {
		return quick
	}
	return full
}

// sectionSeeds is how many seeds a section has: more than any uses.
const sectionSeeds = 10_000

// section runs one section and writes the document as far as it is.
func (r *run) section(number int, s section) error {
	start := time.Now()
	r.base = uint64(number+1) * sectionSeeds
	if r.heldOut {
		r.base += visiontest.HeldOut
	}
	r.say("%s", s.title)
	d := new(markdown.Document)
	d.Raw("## " + s.title + "\n\n")
	var absent *absentError
	switch err := s.run(r, d); {
	case errors.As(err, &absent):
		d.Para("Not measured: %v.", err)
	case err != nil:
		return fmt.Errorf("%s: %w", s.name, err)
	}
	r.say("%s: %.0f s", s.title, time.Since(start).Seconds())
	d.Raw(fmt.Sprintf("`%s` at %s; section `%s`, seeds from %d, %.0f s.\n", r.command, r.commit, s.name, r.base, time.Since(start).Seconds()))
	r.parts = append(r.parts, d.String())
	text := r.text()
	if r.out == "" {
		_, err := fmt.Print(d.String() + "\n")
		return err
	}
	return markdown.WriteFile(r.out, text)
}

// absentError says that the pictures of a section are not here.
type absentError struct{ what string }

func (e *absentError) Error() string { return e.what + " is not here" }

func (r *run) text() string {
	d := new(markdown.Document)
	d.Raw("# Accuracy\n\n")
	size := "the whole evaluation"
	if r.quick {
		size = "the quick part of the evaluation"
	}
	seeds := "development seeds"
	if r.heldOut {
		seeds = "seeds that nothing was tuned on"
	}
	d.Para("Written by `%s` (%s, %s) at commit %s on %s; do not edit. How to read the tables stands above each of them. "+
		"Shares come with exact binomial intervals (Clopper and Pearson, 95%%).", r.command, size, seeds, r.commit, markdown.Machine()+", OpenCV "+cv.Version())
	if len(r.targets) > 0 {
		d.Para("What was asked for, and what was measured:")
		d.Targets(r.targets)
	}
	for _, p := range r.parts {
		d.Raw(p + "\n")
	}
	if len(r.failures) > 0 {
		d.Para("## Decks that could not be inspected")
		d.List(r.failures)
	}
	return d.String()
}

// target notes a figure that was asked for.
func (r *run) target(name, limit, measured string, met bool) {
	r.targets = append(r.targets, markdown.Target{Name: name, Limit: limit, Measured: measured, Met: met})
}

// fail notes a deck that could not be inspected.
func (r *run) fail(name string, err error) {
	r.failures = append(r.failures, fmt.Sprintf("%s: %v", name, err))
	r.say("%s: %v", name, err)
}

// say reports progress.
func (r *run) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6.0f s  %s\n", time.Since(r.start).Seconds(), fmt.Sprintf(format, args...))
}

// each works on decks 0 to n-1 on all cores and hands the outcomes to done in
// order, one at a time, so that a document does not depend on the scheduling.
// A deck that fails is noted and left out.
func (r *run) each(what string, n int, work func(i int) (*inspected, error), done func(i int, d *inspected)) error {
	type outcome struct {
		d   *inspected
		err error
	}
	outcomes := make([]chan outcome, n)
	// As many decks are held as there are workers and one more: a deck of 60
	// views is 50 MB.
	slots := make(chan struct{}, r.workers+1)
	next := make(chan int)
	var wg sync.WaitGroup
	for range r.workers {
		wg.Go(func() {
			for i := range next {
				d, err := work(i)
				outcomes[i] <- outcome{d, err}
			}
		})
	}
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	go func() {
		defer close(next)
		for i := range n {
			slots <- struct{}{}
			if r.ctx.Err() != nil {
				outcomes[i] <- outcome{err: r.ctx.Err()}
				continue
			}
			next <- i
		}
	}()
	last := time.Now()
	for i := range n {
		o := <-outcomes[i]
		switch {
		case r.ctx.Err() != nil:
		case o.err != nil:
			r.fail(fmt.Sprintf("%s %d", what, i), o.err)
		default:
			done(i, o.d)
		}
		<-slots
		if time.Since(last) > 15*time.Second {
			last = time.Now()
			r.say("%s: %d of %d", what, i+1, n)
		}
	}
	wg.Wait()
	return r.ctx.Err()
}
