package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairdeck/internal/ui"
)

// The shuffle commands end with the exit codes that the help names.
func TestShuffleExitCodes(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	simulate := func(name string, args ...string) {
		term := &ui.Fake{}
		if code := run(context.Background(), append([]string{"shuffle", "simulate"}, args...), term); code != exitOK {
			t.Fatalf("simulate %v ended with %d", args, code)
		}
		write(name, term.Stdout())
	}
	simulate("before.txt", "--deck", "1x40", "--shuffle", "random", "--seed", "5")
	simulate("riffled.txt", "--from", path("before.txt"), "--shuffle", "riffle:2")
	simulate("fair.txt", "--from", path("before.txt"), "--shuffle", "random", "--seed", "9")
	write("two.txt", "a\nb\n")
	write("bad.txt", "a\n\nb\n")
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"fair":          {[]string{"score", "--before", path("before.txt"), "--after", path("fair.txt")}, exitOK},
		"two riffles":   {[]string{"score", "--before", path("before.txt"), "--after", path("riffled.txt")}, exitFlagged},
		"two cards":     {[]string{"score", "--order", path("two.txt")}, exitNotGood},
		"bad file":      {[]string{"score", "--order", path("bad.txt")}, exitInput},
		"no such file":  {[]string{"score", "--order", path("none.txt")}, exitInput},
		"other cards":   {[]string{"score", "--before", path("before.txt"), "--after", path("two.txt")}, exitInput},
		"nothing given": {[]string{"score"}, exitUsage},
		"no such flag":  {[]string{"score", "--befor", "x"}, exitUsage},
		"bad shuffle":   {[]string{"power", "--deck", "4x15", "--shuffle", "riffel"}, exitUsage},
		"one draw":      {[]string{"score", "--order", path("before.txt"), "--draws", "1"}, exitUsage},
		"endless draws": {[]string{"score", "--order", path("before.txt"), "--draws", "1000000000"}, exitUsage},
		"no look":       {[]string{"score", "--order", path("before.txt"), "--looks", "0"}, exitUsage},
		"no place":      {[]string{"score", "--before", path("before.txt"), "--after", path("fair.txt"), "--draws", "5000", "--html", path("none/page.html")}, exitFault},
		"bad deck":      {[]string{"power", "--deck", "4x"}, exitUsage},
		"no trials":     {[]string{"power", "--deck", "4x15", "--trials", "-1"}, exitUsage},
		"one order":     {[]string{"power", "--deck", "1x40", "--blind", "--riffles", "2"}, exitNotGood},
		"nothing moves": {[]string{"power", "--deck", "1x40", "--shuffle", "weave", "--draws", "5000"}, exitUsage},
		"nor here":      {[]string{"simulate", "--deck", "a:1x40", "--shuffle", "riffle:2+stack:5"}, exitUsage},
		"power":         {[]string{"power", "--deck", "1x40", "--riffles", "2", "--trials", "50", "--draws", "5000"}, exitOK},
	} {
		term := &ui.Fake{}
		if code := run(context.Background(), append([]string{"shuffle"}, c.args...), term); code != c.want {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, c.want, term.Stdout())
		}
		if name == "no place" && (!strings.Contains(term.Stderr(), path("none/page.html")+":") || !strings.Contains(term.Stdout(), "SUFFICIENT")) {
			t.Errorf("no place for the page: %s\n%s", term.Stderr(), term.Stdout())
		}
		if name == "two riffles" && !strings.Contains(term.Stdout(), "INSUFFICIENT") {
			t.Errorf("two riffles: %s", term.Stdout())
		}
	}
}
