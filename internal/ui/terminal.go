// Package ui is how the command line speaks to people: results on standard
// output, everything else on standard error, a status line that is redrawn
// where the terminal can.
//
//	command ──Print──▶ stdout (results; the only thing a pipe sees)
//	        ──Error──▶ stderr (problems, the way of the work)
//	        ──Status─▶ stderr (one redrawn line; silent when not a terminal)
//
// Commands are given a [Terminal]; tests give them a [Fake].
package ui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"
)

// Terminal is what a command may say.
type Terminal interface {
	// Print writes one result line to standard output.
	Print(line string)

	// Error writes one line for people to standard error.
	Error(line string)

	// Status replaces the status line; the empty string removes it. It does
	// nothing where CanStatus is false.
	Status(line string)

	// CanStatus reports whether a status line is redrawn. Where it is not,
	// commands print few and whole lines instead.
	CanStatus() bool

	// Bell rings n times, where there is a person to hear it.
	Bell(n int)

	// Out is standard output, for results that are not lines. Nothing else
	// may be printed by a command that writes a document there.
	Out() io.Writer
}

// Standard is the process's own terminal.
type Standard struct {
	mu     sync.Mutex
	out    io.Writer
	err    io.Writer
	fd     int // of err, for its width; -1 not known
	redraw bool
	status string
}

var _ Terminal = (*Standard)(nil)

// NewStandard returns a terminal over standard output and error.
func NewStandard() *Standard {
	fd := int(os.Stderr.Fd())
	t := NewTerminal(os.Stdout, os.Stderr, term.IsTerminal(fd) && os.Getenv("TERM") != "dumb")
	t.fd = fd
	return t
}

// NewTerminal returns a terminal over any two writers; redraw says whether
// the second understands carriage return and "erase line".
func NewTerminal(out, err io.Writer, redraw bool) *Standard {
	return &Standard{out: out, err: err, fd: -1, redraw: redraw}
}

// Print implements [Terminal].
func (t *Standard) Print(line string) { t.line(t.out, line) }

// Error implements [Terminal].
func (t *Standard) Error(line string) { t.line(t.err, line) }

func (t *Standard) line(w io.Writer, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	// A terminal that has gone away is nobody's to tell.
	_, _ = fmt.Fprintln(w, Clean(line))
	t.draw()
}

// Status implements [Terminal].
func (t *Standard) Status(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.redraw || line == t.status {
		return
	}
	t.erase()
	t.status = line
	t.draw()
}

// CanStatus implements [Terminal].
func (t *Standard) CanStatus() bool { return t.redraw }

// Bell implements [Terminal]. A terminal that redraws has a person before it.
func (t *Standard) Bell(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.redraw {
		_, _ = io.WriteString(t.err, strings.Repeat("\a", n))
	}
}

// Out implements [Terminal].
func (t *Standard) Out() io.Writer { return t.out }

func (t *Standard) erase() {
	if t.status != "" {
		_, _ = io.WriteString(t.err, "\r\x1b[2K")
	}
}

func (t *Standard) draw() {
	if t.status == "" {
		return
	}
	line := Clean(t.status)
	// A line that wraps cannot be erased by "\r".
	if width, _, err := term.GetSize(t.fd); t.fd >= 0 && err == nil && width > 1 {
		if r := []rune(line); len(r) >= width {
			line = string(r[:width-1])
		}
	}
	_, _ = io.WriteString(t.err, line)
}

// Clean makes a text safe to show on a terminal: control characters, which a
// hostile file name may carry, become "?". Line breaks stay.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, s)
}
