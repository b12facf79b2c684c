package ui_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/ui"

	"pgregory.net/rapid"
)

func TestFakeKeepsStreamsApart(t *testing.T) {
	f := &ui.Fake{}
	f.Print("result")
	f.Error("a note")
	f.Status("never shown")
	fmt.Fprint(f.Out(), "raw")
	if f.Stdout() != "result\nraw" || f.Stderr() != "a note\n" || len(f.Statuses()) != 0 {
		t.Errorf("stdout %q, stderr %q, statuses %q", f.Stdout(), f.Stderr(), f.Statuses())
	}
}

// TestStandard writes like a terminal would see it, without one.
func TestStandard(t *testing.T) {
	var out, err bytes.Buffer
	term := ui.NewTerminal(&out, &err, false)
	term.Print("result")
	term.Status("half")
	term.Error("note")
	if out.String() != "result\n" || err.String() != "note\n" {
		t.Errorf("plain: stdout %q, stderr %q", out.String(), err.String())
	}

	out.Reset()
	err.Reset()
	term = ui.NewTerminal(&out, &err, true)
	term.Status("half")
	term.Status("half")
	term.Error("note")
	term.Status("")
	// The line is drawn, erased for the note, drawn again, erased.
	if want := "half\r\x1b[2Knote\nhalf\r\x1b[2K"; err.String() != want {
		t.Errorf("redrawn: stderr %q, want %q", err.String(), want)
	}
}

// TestClean: no text, however hostile, reaches the terminal as a command.
func TestClean(t *testing.T) {
	if got := ui.Clean("a\x1b[2Jb\u202ec\x00d\ne\tf"); got != "a?[2Jb?c?d\ne\tf" {
		t.Errorf("%q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		for _, r := range ui.Clean(s) {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Fatalf("%q keeps %q", s, r)
			}
		}
	})
}

func TestProgress(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { return now }
	bar := &ui.Fake{Redraw: true}
	p := ui.NewProgress(bar, clock)
	for i := range 61 {
		p.Set("reading", i, 60)
		now = now.Add(40 * time.Millisecond)
	}
	p.Done()
	s := bar.Statuses()
	if n := len(s); n < 15 || n > 30 {
		t.Errorf("%d redraws for 2.4 s, want about ten a second", n)
	}
	if last := s[len(s)-2]; !strings.Contains(last, "60/60") || !strings.Contains(last, strings.Repeat("#", 30)) {
		t.Errorf("the full bar is %q", last)
	}
	if s[len(s)-1] != "" || bar.Stderr() != "" {
		t.Errorf("the bar was left: %q, %q", s[len(s)-1], bar.Stderr())
	}

	plain := &ui.Fake{}
	p = ui.NewProgress(plain, clock)
	for i := range 61 {
		p.Set("reading", i, 60)
	}
	p.Set("comparing", 1, 60)
	if want := "reading (60) ...\ncomparing (60) ...\n"; plain.Stderr() != want {
		t.Errorf("without redrawing: %q, want %q", plain.Stderr(), want)
	}
}

func TestBar(t *testing.T) {
	if got := ui.Bar("reading", 30, 60, 10*time.Second); !strings.HasSuffix(got, "30/60, 10s left") {
		t.Errorf("%q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		done, total := rapid.Int().Draw(t, "done"), rapid.Int().Draw(t, "total")
		if b := ui.Bar("x", done, total, time.Minute); strings.IndexByte(b, ']')-strings.IndexByte(b, '[') != 31 || strings.Contains(b, "-") && done >= 0 && total >= 0 {
			t.Fatalf("%q is not 30 wide or goes backwards", b)
		}
	})
}
