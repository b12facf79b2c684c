package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/testutil"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera/cameratest"
)

// TestMalformedInput gives every file of the malformed set to inspect by
// itself: a defined exit code, the file named, within two seconds.
func TestMalformedInput(t *testing.T) {
	cases, done, err := cameratest.Malformed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, c := range cases {
		name := filepath.Base(c.Path)
		t.Run(name, func(t *testing.T) {
			if c.NeedsUser && os.Geteuid() == 0 {
				t.Skip("permissions do not bind the superuser")
			}
			term := &ui.Fake{}
			start := time.Now()
			code := run(context.Background(), []string{"inspect", "--json", c.Path}, term)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			want := exitInput
			if c.Want == "" {
				want = exitNotGood // a picture, without a card in it
			}
			if code != want {
				t.Errorf("exit code %d, want %d; %s", code, want, term.Stderr())
			}
			told := term.Stderr()
			if c.Want == "" {
				// The check itself tells, in JSON.
				k, err := record.Decode(strings.NewReader(term.Stdout()))
				if err != nil {
					t.Fatalf("%v; standard output: %q", err, term.Stdout())
				}
				told = ""
				for _, p := range k.Problems {
					told += p.File
				}
			} else if term.Stdout() != "" {
				t.Errorf("standard output is not empty: %q", term.Stdout())
			}
			if !strings.Contains(told, ui.Clean(name)) && !strings.Contains(told, plain.Line(name)) {
				t.Errorf("the file is not named: %q", told)
			}
		})
	}
}

// TestMalformedAmongGood gives a whole deck with the malformed set beside it:
// the deck is judged, and every bad file is in the check.
func TestMalformedAmongGood(t *testing.T) {
	bad := t.TempDir()
	cases, done, err := cameratest.Malformed(bad)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	good := filepath.Join(t.TempDir(), "deck")
	demo := filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue")
	if err := copyDeck(demo, good, []string{"3", "4", "5"}); err != nil {
		t.Fatal(err)
	}
	term := &ui.Fake{}
	args := []string{"inspect", "--json", "--grid", good}
	for _, c := range cases {
		args = append(args, c.Path)
	}
	if code := run(context.Background(), args, term); code != exitInput {
		t.Errorf("exit code %d, want %d; %s", code, exitInput, term.Stderr())
	}
	k, err := record.Decode(strings.NewReader(term.Stdout()))
	if err != nil {
		t.Fatal(err)
	}
	if k.Verdict.Count.Inspected != 3 {
		t.Errorf("%d sleeves inspected, want 3", k.Verdict.Count.Inspected)
	}
	told := map[string]bool{}
	for _, p := range k.Problems {
		told[p.File] = true
		if p.Text == "" || p.Remedy == "" || p.Code == "" {
			t.Errorf("problem %+v lacks words", p)
		}
	}
	for _, c := range cases {
		if c.NeedsUser && os.Geteuid() == 0 {
			continue
		}
		// A name that is not valid text is stored with replacements.
		if !told[c.Path] {
			t.Errorf("%q is in no problem of the check", c.Path)
		}
	}
}
