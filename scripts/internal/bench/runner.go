package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Linux lets a process begin with the peak of memory of the one that started
// it, and this program grows by the frames that it renders. So it starts
// others through a copy of itself which is started first and stays small:
//
//	bench ──job, a line of JSON──▶ bench run-jobs ──▶ fairdeck inspect ...
//	      ◀──ran, a line of JSON──

// runJobs is the argument by which the copy knows what it is for.
const runJobs = "run-jobs"

// A job is a command with its arguments; ran is what became of it.
type job struct{ Args []string }

type ran struct {
	Wall, CPU float64 // s
	PeakMB    float64
	Exit      int
	Text      string // what it printed
	Error     string // it could not be run at all
}

// A runner is the small copy.
type runner struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

func startRunner() (*runner, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &runner{cmd: exec.Command(self, runJobs)}
	r.cmd.Stderr = os.Stderr
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = json.NewDecoder(out)
	return r, r.cmd.Start()
}

// run has a command run to its end, or to the context's.
func (r *runner) run(ctx context.Context, args ...string) (ran, error) {
	var res ran
	defer context.AfterFunc(ctx, func() { _ = r.cmd.Process.Signal(os.Interrupt) })()
	if err := json.NewEncoder(r.in).Encode(job{args}); err != nil {
		return res, fmt.Errorf("start %s: %w", args[0], err)
	}
	if err := r.out.Decode(&res); err != nil {
		return res, fmt.Errorf("run %s: %w", args[0], err)
	}
	if res.Error != "" {
		return res, fmt.Errorf("%s: %s", strings.Join(args, " "), res.Error)
	}
	return res, nil
}

// close ends the copy.
func (r *runner) close() error {
	return errors.Join(r.in.Close(), r.cmd.Wait())
}

// serveJobs is the copy's main loop.
func serveJobs(ctx context.Context, in io.Reader, out io.Writer) error {
	jobs, results := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var j job
		if err := jobs.Decode(&j); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := results.Encode(j.do(ctx)); err != nil {
			return err
		}
	}
}

func (j job) do(ctx context.Context) ran {
	if len(j.Args) == 0 {
		return ran{Error: "no command"}
	}
	cmd := exec.CommandContext(ctx, j.Args[0], j.Args[1:]...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	start := time.Now()
	err := cmd.Run()
	r := ran{Wall: time.Since(start).Seconds(), Text: text.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Error = err.Error()
		return r
	}
	r.Exit = cmd.ProcessState.ExitCode()
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.CPU = processor(use)
		r.PeakMB = float64(use.Maxrss) / 1024 // Linux counts in KiB, macOS in bytes
		if runtime.GOOS == "darwin" {
			r.PeakMB /= 1024
		}
	}
	return r
}
