package main

import (
	"context"
	"errors"
	"fmt"
)

// The exit codes, a contract with scripts.
const (
	exitOK          = 0   // nothing to see
	exitFault       = 1   // our fault, or the disk's
	exitUsage       = 2   // wrong use
	exitInput       = 3   // input could not be read
	exitNotGood     = 4   // the input is not good enough to judge
	exitFlagged     = 10  // something was flagged
	exitInterrupted = 130 // stopped by Ctrl-C, as shells number it
)

// exitHelp ends the help of every command.
const exitHelp = `
Exit codes:
   0  nothing to see
   1  fairdeck failed: a fault of its own, or no place for the report
   2  wrong use of the command
   3  input could not be read
   4  the input is not good enough to judge, and why
  10  something was flagged; the judge decides
 130  stopped by Ctrl-C`

// outcome is a result that has been told already and only needs its exit
// code.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("outcome %d", int(o)) }

const (
	outcomeFlagged outcome = iota + 1
	outcomeNotGood
	outcomeInput
)

// usageError is a command line that asks for something that is not offered.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// inputError is input that could not be read; its text names the file and the
// remedy.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// exitCode is the one switch from errors to exit codes.
func exitCode(err error) int {
	var usage *usageError
	var input *inputError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, outcomeFlagged):
		return exitFlagged
	case errors.Is(err, outcomeNotGood):
		return exitNotGood
	case errors.Is(err, outcomeInput), errors.As(err, &input):
		return exitInput
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFault
}

// explain is the error as a person should read it.
func explain(err error) string {
	switch exitCode(err) {
	case exitUsage:
		return err.Error() + "\nSee fairdeck --help."
	case exitInterrupted:
		return "stopped"
	}
	return err.Error()
}
