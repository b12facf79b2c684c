package ui

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Fake is a terminal that remembers, for tests.
type Fake struct {
	Redraw bool // what CanStatus says

	mu       sync.Mutex
	out      bytes.Buffer
	errs     []string
	statuses []string
	bells    int
}

var _ Terminal = (*Fake)(nil)

// Print implements [Terminal].
func (f *Fake) Print(line string) { _, _ = io.WriteString(f.Out(), Clean(line)+"\n") }

// Error implements [Terminal].
func (f *Fake) Error(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, Clean(line))
}

// Status implements [Terminal].
func (f *Fake) Status(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Redraw {
		f.statuses = append(f.statuses, Clean(line))
	}
}

// Bell implements [Terminal].
func (f *Fake) Bell(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bells += n
}

// Bells is how often it rang.
func (f *Fake) Bells() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bells
}

// CanStatus implements [Terminal].
func (f *Fake) CanStatus() bool { return f.Redraw }

// Out implements [Terminal].
func (f *Fake) Out() io.Writer { return fakeOut{f} }

type fakeOut struct{ f *Fake }

func (w fakeOut) Write(p []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return w.f.out.Write(p)
}

// Stdout is everything written to standard output.
func (f *Fake) Stdout() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

// Stderr is every line of Error.
func (f *Fake) Stderr() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.errs) == 0 {
		return ""
	}
	return strings.Join(f.errs, "\n") + "\n"
}

// Statuses are all status lines shown.
func (f *Fake) Statuses() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.statuses...)
}
