package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/camera/recording"
)

// kept makes a recording of a few frames and cards, some days ago.
func keptRecording(t *testing.T, dir string, days, cards int, now time.Time, closed bool) int64 {
	t.Helper()
	made := now.Add(-time.Duration(days) * 24 * time.Hour)
	w, err := recording.Create(dir, recording.Header{Created: made, Source: camera.Info{Kind: camera.KindUSB, Name: "Player"}})
	if err != nil {
		t.Fatal(err)
	}
	jpeg := cameratest.JPEG(cameratest.Picture(64, 48))
	for i := range 2 * cards {
		if err := w.Frame(&camera.Frame{Index: i, Time: time.Duration(i) * time.Second, Format: camera.JPEG, Encoded: jpeg}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range cards + 2 { // the last two do not count
		e := recording.Event{Kind: recording.Sighted, Number: i + 1, Sighting: &recording.Sighting{Frames: []int{0}}}
		if i == cards {
			e.Sighting.Reason = "blurred"
		}
		if err := w.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Event(recording.Event{Kind: recording.Voided, Number: cards + 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(recording.EndAsked); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if !closed {
		last := files[slices.IndexFunc(files, func(f string) bool { return strings.HasSuffix(f, ".fdr") })]
		info, err := os.Stat(last)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(last, info.Size()-40); err != nil {
			t.Fatal(err)
		}
	}
	sum := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
		if err := os.Chtimes(f, made, made); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

// TestRecordings: what is there is listed; what is old is deleted, only when
// that was said, and nothing else is.
func TestRecordings(t *testing.T) {
	data := home(t)
	folder := filepath.Join(data, "fairdeck", "recordings")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	run := func(args ...string) (string, string, int) {
		term := &ui.Fake{}
		a := newApp(term)
		a.now = func() time.Time { return now }
		code := runApp(t.Context(), append([]string{"recordings"}, args...), a)
		return term.Stdout(), term.Stderr(), code
	}
	if out, _, code := run("list"); code != exitOK || !strings.Contains(out, "0 recordings") {
		t.Errorf("exit code %d, %s", code, out)
	}
	sizes := map[string]int64{}
	for _, r := range []struct {
		name        string
		days, cards int
		closed      bool
	}{{"old", 90, 60, true}, {"cut", 40, 5, false}, {"new", 2, 7, true}, {"now", 0, 3, true}} {
		sizes[r.name] = keptRecording(t, filepath.Join(folder, r.name), r.days, r.cards, now, r.closed)
	}
	// What is no recording is nobody's to delete; a link leads nowhere.
	outside := filepath.Join(t.TempDir(), "elsewhere")
	keptRecording(t, outside, 100, 2, now, true)
	if err := os.Symlink(outside, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(folder, "photos", "a.jpg"), filepath.Join(folder, "cut", "note.txt")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	out, _, code := run("list", "--json")
	var doc struct {
		Schema     string
		Recordings []listedRecording
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitOK || doc.Schema != "recordings/v1" {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	var names []string
	for _, r := range doc.Recordings {
		name := filepath.Base(r.Dir)
		names = append(names, name)
		if r.Bytes != sizes[name] && name != "cut" || (r.Ended == "") != (name == "cut") || name == "old" && (r.Cards != 60 || r.Frames != 120 || r.SpanS != 119) {
			t.Errorf("%+v, %d bytes", r, sizes[name])
		}
	}
	if !slices.Equal(names, []string{"old", "cut", "new", "now"}) {
		t.Errorf("%v", names)
	}
	if out, _, _ := run("list"); !strings.Contains(out, "90 d") || !strings.Contains(out, " 60 cards") || !strings.Contains(out, "not closed") || !strings.Contains(out, "4 recordings") {
		t.Error(out)
	}

	left := func() (names []string) {
		for _, n := range []string{"old", "cut", "new", "now"} {
			if recording.Is(filepath.Join(folder, n)) {
				names = append(names, n)
			}
		}
		return names
	}
	for _, c := range []struct {
		args []string
		code int
		says string
		left []string
	}{
		{[]string{"prune"}, exitUsage, "--older-than", []string{"old", "cut", "new", "now"}},
		{[]string{"prune", "--older-than", "soon", "--yes"}, exitUsage, "30d", []string{"old", "cut", "new", "now"}},
		{[]string{"prune", "--keep-under", "3", "--yes"}, exitUsage, "20GB", []string{"old", "cut", "new", "now"}},
		{[]string{"prune", "--older-than", "30d"}, exitOK, "2 recordings", []string{"old", "cut", "new", "now"}},
		{[]string{"prune", "--older-than", "60d", "--yes"}, exitOK, "deleted", []string{"cut", "new", "now"}},
		{[]string{"prune", "--older-than", "30d", "--yes"}, exitOK, "something else in it", []string{"new", "now"}},
		{[]string{"prune", "--keep-under", "0MB", "--yes"}, exitOK, "may still be made", []string{"now"}},
	} {
		out, err, code := run(c.args...)
		if code != c.code || !strings.Contains(out+err, c.says) || !slices.Equal(left(), c.left) {
			t.Errorf("%v: exit code %d, left %v\n%s%s", c.args, code, left(), out, err)
		}
	}
	for _, f := range []string{filepath.Join(folder, "photos", "a.jpg"), filepath.Join(folder, "cut", "note.txt"), filepath.Join(outside, camera.RecordingFile)} {
		if !exists(f) {
			t.Errorf("%s is gone", f)
		}
	}
	if exists(filepath.Join(folder, "old")) {
		t.Error("an empty folder stays")
	}
}
