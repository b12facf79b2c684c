package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/internal/record"
	"fairdeck/internal/testutil"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/visiontest"

	"github.com/rogpeppe/go-internal/testscript"
)

// closed runs tests and fails when a Mat was left open, as cvtest.Main does
// for packages whose TestMain is free.
type closed struct{ m *testing.M }

func (c closed) Run() int {
	code := c.m.Run()
	if n, known := cv.OpenMats(); known && n != 0 {
		fmt.Fprintf(os.Stderr, "FAIL: %d Mats were left open\n", n)
		return 1
	}
	return code
}

func TestMain(m *testing.M) {
	if os.Getenv(signalChild) != "" {
		os.Exit(untilSignalled(os.Args[1:]))
	}
	testscript.Main(closed{m}, map[string]func(){
		"fairdeck": func() {
			if err := keepStderr(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			code := run(context.Background(), os.Args[1:], ui.NewStandard())
			if n, known := cv.OpenMats(); known && n != 0 {
				fmt.Fprintf(os.Stderr, "%d Mats were left open\n", n)
				code = 99
			}
			os.Exit(code)
		},
	})
}

// TestScripts runs testdata/script. Beside testscript's own commands there
// are:
//
//	exits CODE PROGRAM ARGS...  run it and expect the exit code
//	deck DIR N...               pictures of the demo deck by index, with the
//	                            truth about them
//	check FILE                  FILE (or stdout) is a valid check and nothing else
//
// and remarks/, pictures on which libpng remarks.
func TestScripts(t *testing.T) {
	demo := filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue")
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error { return remarks(filepath.Join(env.WorkDir, "remarks")) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				err = ts.Exec(args[1], args[2:]...)
				got := 0
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					got = exit.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if got != want {
					ts.Fatalf("exit code %d, want %d", got, want)
				}
			},
			"deck": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: deck DIR N...")
				}
				ts.Check(copyDeck(demo, ts.MkAbs(args[0]), args[1:]))
			},
			"check": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: check FILE")
				}
				c, err := record.Decode(strings.NewReader(ts.ReadFile(args[0])))
				ts.Check(err)
				if c.Verdict.Lines[0] == "" {
					ts.Fatalf("the check has no verdict")
				}
			},
		},
	})
}

// remarks writes two PNGs with right sums: one whose gamma is nonsense, which
// is read, and one whose pixels end early.
func remarks(dir string) error {
	whole := cameratest.PNG(cameratest.Picture(64, 48))
	header := 8 + 25 // signature and IHDR
	odd := slices.Concat(whole[:header], cameratest.PNGChunk("gAMA", make([]byte, 4)), whole[header:])
	small := cameratest.PNGBomb(64, 4000) // the pixels of a 4 x 4 picture
	return errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "odd.png"), odd, 0o644),
		os.WriteFile(filepath.Join(dir, "short.png"), small, 0o644))
}

func copyDeck(demo, dir string, indices []string) error {
	f, err := os.Open(filepath.Join(demo, "truth.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	truth, err := visiontest.ReadTruth(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	frames := truth.Frames
	truth.Frames = nil
	for _, s := range indices {
		i, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(demo, frames[i].File))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, frames[i].File), data, 0o644); err != nil {
			return err
		}
		truth.Frames = append(truth.Frames, frames[i])
	}
	out, err := os.Create(filepath.Join(dir, "truth.json"))
	if err != nil {
		return err
	}
	return errors.Join(truth.Write(out), out.Close())
}

// TestHelpEndsWithExitCodes goes through every command there is.
func TestHelpEndsWithExitCodes(t *testing.T) {
	root := newRootCommand(&app{term: &ui.Fake{}})
	paths := [][]string{{}}
	for _, c := range root.Commands() {
		paths = append(paths, []string{c.Name()})
		for _, sub := range c.Commands() {
			paths = append(paths, []string{c.Name(), sub.Name()})
		}
	}
	if len(paths) < 5 {
		t.Fatalf("only %d commands", len(paths))
	}
	for _, p := range paths {
		term := &ui.Fake{}
		if code := run(context.Background(), append(slices.Clone(p), "--help"), term); code != 0 {
			t.Errorf("%v --help: exit code %d, %s", p, code, term.Stderr())
		}
		out := strings.TrimRight(term.Stdout(), "\n")
		if !strings.HasSuffix(out, strings.TrimSpace(exitHelp[strings.LastIndex(exitHelp, "\n"):])) || !strings.Contains(out, "  10  something was flagged") {
			t.Errorf("%v --help does not end with the exit codes:\n%s", p, out)
		}
	}
}

// TestExitCodes: the switch, and that a wrapped error keeps its code.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{usagef("x"), 2},
		{&inputError{errors.New("x")}, 3},
		{outcomeInput, 3},
		{outcomeNotGood, 4},
		{outcomeFlagged, 10},
		{context.Canceled, 130},
	} {
		err := c.err
		if got := exitCode(err); got != c.want {
			t.Errorf("%v: %d, want %d", err, got, c.want)
		}
		if err == nil {
			continue
		}
		if got := exitCode(fmt.Errorf("further up: %w", err)); got != c.want {
			t.Errorf("%v, wrapped: %d, want %d", err, got, c.want)
		}
	}
}

// stopper ends the run as soon as the work has begun.
type stopper struct {
	*ui.Fake
	stop func()
}

func (s stopper) Error(line string) {
	s.Fake.Error(line)
	if strings.HasPrefix(line, "comparing") {
		s.stop()
	}
}

// TestInterrupt: a stopped inspection leaves nothing behind and says so by
// its exit code.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	demo := filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue")
	if err := copyDeck(demo, filepath.Join(dir, "deck"), []string{"0", "1", "3", "4"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	term := stopper{&ui.Fake{}, cancel}
	out := filepath.Join(dir, "out")
	if code := run(ctx, []string{"inspect", "--out", out, filepath.Join(dir, "deck")}, term); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; %s", code, exitInterrupted, term.Stderr())
	}
	if exists(out) {
		t.Error("a stopped inspection left its folder behind")
	}
}

// TestOutDir: files appear whole or not at all.
func TestOutDir(t *testing.T) {
	broken := errors.New("no space left on device")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	fails := func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken }
	write := func(path string, files map[string]func(io.Writer) error) error {
		d := &outDir{path: path}
		return d.write(context.Background(), files)
	}
	names := func(path string) []string {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil
		}
		var out []string
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}

	fresh := filepath.Join(t.TempDir(), "a", "b")
	if err := write(fresh, map[string]func(io.Writer) error{"check.json": text("1"), "report.html": fails}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("got %v, want the cause and the remedy", err)
	}
	if exists(fresh) {
		t.Errorf("a failed write left %v", names(fresh))
	}

	old := t.TempDir()
	files := map[string]func(io.Writer) error{"check.json": text("new"), "report.html": text("new")}
	if err := os.WriteFile(filepath.Join(old, "check.json"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	bad := maps.Clone(files)
	bad["report.html"] = fails
	if err := write(old, bad); err == nil {
		t.Error("a failed write passed")
	}
	if b, err := os.ReadFile(filepath.Join(old, "check.json")); err != nil || string(b) != "old" || len(names(old)) != 1 {
		t.Errorf("a failed write left %v, check.json %q (%v)", names(old), b, err)
	}
	if err := write(old, files); err != nil {
		t.Fatal(err)
	}
	if got := names(old); !slices.Equal(got, []string{"check.json", "report.html"}) {
		t.Errorf("written: %v", got)
	}
}

// TestEvaluateOddTruth: whatever stands in the place of truth.json is refused
// at once; a pipe must not be waited for.
func TestEvaluateOddTruth(t *testing.T) {
	for name, make := range map[string]func(p string) error{
		"pipe":     func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"folder":   func(p string) error { return os.Mkdir(p, 0o755) },
		"device":   func(p string) error { return os.Symlink("/dev/zero", p) },
		"loop":     func(p string) error { return os.Symlink("truth.json", p) },
		"nothing":  func(string) error { return nil },
		"no bytes": func(p string) error { return os.WriteFile(p, nil, 0o644) },
		"null":     func(p string) error { return os.WriteFile(p, []byte("null"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := make(filepath.Join(dir, "truth.json")); err != nil {
				t.Fatal(err)
			}
			term := &ui.Fake{}
			if code := run(context.Background(), []string{"evaluate", "--json", dir}, term); code != exitInput {
				t.Errorf("exit code %d, want %d", code, exitInput)
			}
			if !strings.Contains(term.Stderr(), dir) {
				t.Errorf("the folder is not named: %q", term.Stderr())
			}
		})
	}
}
