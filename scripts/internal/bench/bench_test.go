package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"fairdeck/internal/cv/cvtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == runJobs {
		if err := serveJobs(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	cvtest.Main(m)
}

// The larger deck is as many different pictures as it has sleeves: equal
// files would be one sleeve seen twice.
func TestLargerDeckHasNoPictureTwice(t *testing.T) {
	small, large, err := writeDecks(context.Background(), t.TempDir(), 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for dir, want := range map[string]int{small: 2, large: 5} {
		files, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
		if err != nil || len(files) != want {
			t.Fatalf("%d files in %s, %v", len(files), dir, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range all {
				if bytes.Equal(data, other) {
					t.Error("two files are equal")
				}
			}
			all = append(all, data)
		}
	}
	b := &bench{ctx: context.Background()}
	if c, err := b.decodeAll(large); err != nil || c.wall <= 0 || c.cpu <= 0 {
		t.Errorf("%v, %v", c, err)
	}
	if err := os.WriteFile(filepath.Join(large, "broken.jpg"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.decodeAll(large); err == nil {
		t.Error("a file that cannot be decoded is an error")
	}
}

func TestParallelStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := parallel(ctx, 1_000_000, func(i int) error {
		if i == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	broken := errors.New("broken")
	if err := parallel(context.Background(), 9, func(i int) error {
		if i == 4 {
			return broken
		}
		return nil
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func runnerFor(t *testing.T) *runner {
	t.Helper()
	r, err := startRunner()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestFailingCommandIsAnError(t *testing.T) {
	b := &bench{ctx: context.Background(), dir: t.TempDir(), runner: runnerFor(t)}
	b.fairdeck = filepath.Join(b.dir, "absent")
	if _, _, err := b.runInspect(b.dir); err == nil {
		t.Error("a command that is not there is an error")
	}
	b.fairdeck = "false"
	if _, _, err := b.runInspect(b.dir); err == nil {
		t.Error("a command that fails is an error")
	}
}

// TestPeakIsTheCommandsOwn: what this program holds does not count.
func TestPeakIsTheCommandsOwn(t *testing.T) {
	r := runnerFor(t)
	const mb = 256
	held := make([]byte, mb<<20)
	for i := range held {
		held[i] = 1 // pages that are not written are not there
	}
	res, err := r.run(context.Background(), "true")
	if err != nil {
		t.Fatal(err)
	}
	if res.PeakMB <= 0 || res.PeakMB > mb/2 {
		t.Errorf("a command that does nothing has a peak of %.0f MB", res.PeakMB)
	}
	runtime.KeepAlive(held)
}
