package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"

	"github.com/google/go-cmp/cmp"
)

// onePass is a deal from the face-down deck to the face-up pile, and its
// zones.
type onePass struct {
	frames [][]byte
	zones  []calibrate.Zone
}

const onePassCards = 5

var dealtOver = sync.OnceValues(func() (*onePass, error) {
	d := visiontest.Deal{Kind: visiontest.OnePassDeal, FPS: dealtFPS, CardsPerSecond: 1, Deck: visiontest.Deck{Cards: onePassCards, Seed: 7}}
	d.Deck.Camera.WidthPx, d.Deck.Camera.HeightPx = dealtWidth, dealtHeight
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		return nil, err
	}
	out := &onePass{}
	for _, z := range s.Truth().Zones {
		r := z.Rect
		out.zones = append(out.zones, calibrate.Zone{Name: z.Name, Corners: plane.Rect(float64(r[0]), float64(r[1]), float64(r[2]-r[0]-1), float64(r[3]-r[1]-1))})
	}
	for {
		f, ok, err := s.Next()
		if err != nil || !ok {
			return out, err
		}
		out.frames = append(out.frames, f.JPEG)
	}
})

// stationOf writes a profile of the one-pass station and returns its file.
func stationOf(t *testing.T, path string, change func(*calibrate.Profile)) string {
	t.Helper()
	p := &calibrate.Profile{
		Schema: calibrate.Schema, Camera: "Player", Created: time.Now().Add(-time.Hour).UTC().Truncate(time.Second), WidthPx: dealtWidth, HeightPx: dealtHeight,
		Lens: plane.Lens{FocalXPx: 2000, FocalYPx: 2000, CentreXPx: dealtWidth / 2, CentreYPx: dealtHeight / 2},
	}
	if change != nil {
		change(p)
	}
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func onePassApp(t *testing.T, term ui.Terminal) (*app, *onePass) {
	t.Helper()
	if testing.Short() {
		t.Skip("a deal is rendered")
	}
	over, err := dealtOver()
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(term)
	a.open = func(context.Context, string, func(camera.Status)) (camera.Source, error) {
		return &player{frames: over.frames}, nil
	}
	return a, over
}

// TestStationProfile: the station's own profile is used without being asked
// for; the deck's backs are counted in its back zone alone, though the cards
// go through two zones; recording and replay have the profile.
func TestStationProfile(t *testing.T) {
	home(t)
	term := &ui.Fake{}
	a, over := onePassApp(t, term)
	path, err := calibrate.DefaultPath()
	if err != nil {
		t.Fatal(err)
	}
	stationOf(t, path, func(p *calibrate.Profile) { p.Zones = over.zones })
	dir := t.TempDir()
	live, rec, again := filepath.Join(dir, "live"), filepath.Join(dir, "rec"), filepath.Join(dir, "again")
	code := runApp(t.Context(), []string{"inspect", "--cards", fmt.Sprint(onePassCards), "--end-after", "5s", "--recording", rec, "--out", live, "0"}, a)
	if code == exitFault || code == exitUsage || code == exitInput {
		t.Fatal(code, term.Stderr())
	}
	c := readCheckIn(t, live)
	// Each card once, whether it could be used or has to be dealt again.
	seen := func(c *record.Capture) int { return c.Sightings + c.Again }
	if seen(c.Capture) != onePassCards || c.Profile == nil || !strings.Contains(term.Stderr(), "Profile: Player") || !strings.Contains(term.Stderr(), "looking for backs in: back") {
		t.Errorf("%+v, %+v\n%s", c.Capture, c.Profile, term.Stderr())
	}
	t.Logf("%d cards could be used, %d have to be dealt again", c.Capture.Sightings, c.Capture.Again)
	h, err := recording.ReadHeader(rec)
	var set passSettings
	if err != nil || len(h.Profile) == 0 || json.Unmarshal(h.Settings, &set) != nil || set.Zone != "back" {
		t.Fatalf("%v, %s", err, h.Settings)
	}
	// The profile of the pass counts, not what has become of the file.
	stationOf(t, path, func(p *calibrate.Profile) { p.Camera = "another" })
	if got := runApp(t.Context(), []string{"replay", "--out", again, rec}, newApp(&ui.Fake{})); got != code {
		t.Errorf("exit code %d, live %d", got, code)
	}
	if d := cmp.Diff(timeless(t, live), timeless(t, again)); d != "" {
		t.Errorf("the replay differs (-live +replay):\n%s", d)
	}

	// Faces are not backs, but who says that backs are dealt to the other zone
	// is believed.
	out := filepath.Join(dir, "face")
	runApp(t.Context(), []string{"replay", "--zone", "face", "--out", out, rec}, newApp(&ui.Fake{}))
	if n := seen(readCheckIn(t, out).Capture); n != onePassCards {
		t.Errorf("%d cards in the other zone", n)
	}
	// Without zones the deck is looked for, and none of its backs is missed.
	out = filepath.Join(dir, "frame")
	runApp(t.Context(), []string{"replay", "--zone", "frame", "--out", out, rec}, newApp(&ui.Fake{}))
	if n := seen(readCheckIn(t, out).Capture); n < onePassCards {
		t.Errorf("%d cards in the whole frame", n)
	}
}

// TestForeignProfile: one that was named is refused, the station's own is left
// aside and the check says so, also in its replay.
func TestForeignProfile(t *testing.T) {
	home(t)
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		change func(*calibrate.Profile)
		says   string
	}{
		{"camera", func(p *calibrate.Profile) { p.Camera = "another" }, "of another camera"},
		{"size", func(p *calibrate.Profile) { p.WidthPx, p.HeightPx = 640, 480 }, "640 x 480"},
	} {
		term := &ui.Fake{}
		named := stationOf(t, filepath.Join(dir, c.name+".json"), c.change)
		for _, verb := range []string{"inspect", "record"} {
			if code := runApp(t.Context(), []string{verb, "--profile", named, "--out", filepath.Join(dir, "x"+c.name), "0"}, playing(t, term)); code != exitInput || !strings.Contains(term.Stderr(), "another station") {
				t.Errorf("%s %s: exit code %d, %s", verb, c.name, code, term.Stderr())
			}
		}
		if exists(filepath.Join(dir, "x"+c.name)) {
			t.Errorf("%s: something was left behind", c.name)
		}
		path, err := calibrate.DefaultPath()
		if err != nil {
			t.Fatal(err)
		}
		stationOf(t, path, c.change)
		live, rec, again := filepath.Join(dir, c.name), filepath.Join(dir, c.name+"-rec"), filepath.Join(dir, c.name+"-again")
		term = &ui.Fake{}
		runApp(t.Context(), []string{"inspect", "--cards", "1", "--end-after", "1s", "--recording", rec, "--out", live, "0"}, playing(t, term))
		got := readCheckIn(t, live)
		if got.Profile != nil || !strings.Contains(term.Stderr(), c.says) || !slices.ContainsFunc(got.Warnings, func(w record.Warning) bool {
			return w.Code == "capture-profile" && strings.Contains(w.Text, c.says)
		}) {
			t.Errorf("%s: %+v, %+v\n%s", c.name, got.Profile, got.Warnings, term.Stderr())
		}
		runApp(t.Context(), []string{"replay", "--out", again, rec}, newApp(&ui.Fake{}))
		if d := cmp.Diff(timeless(t, live), timeless(t, again)); d != "" {
			t.Errorf("%s: the replay differs (-live +replay):\n%s", c.name, d)
		}
	}
	// A broken one ends nothing either, and none is asked for by name.
	path, err := calibrate.DefaultPath()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		says  bool
	}{{nil, true}, {[]string{"--profile", "none"}, false}} {
		term := &ui.Fake{}
		args := append([]string{"record", "--cards", "1", "--end-after", "1s", "--out", filepath.Join(dir, fmt.Sprint("broken", c.says))}, c.flags...)
		if code := runApp(t.Context(), append(args, "0"), playing(t, term)); code != exitOK || strings.Contains(term.Stderr(), "cannot be read") != c.says {
			t.Errorf("%v: exit code %d, %s", c.flags, code, term.Stderr())
		}
	}
}

// TestRecordProfile: a recording made without inspecting has profile and zone,
// and its replay uses them; a zone that is not there is wrong use.
func TestRecordProfile(t *testing.T) {
	home(t)
	dir := t.TempDir()
	term := &ui.Fake{}
	a, over := onePassApp(t, term)
	profile := stationOf(t, filepath.Join(dir, "p.json"), func(p *calibrate.Profile) { p.Zones = over.zones })
	rec, out := filepath.Join(dir, "rec"), filepath.Join(dir, "out")
	if code := runApp(t.Context(), []string{"record", "--profile", profile, "--cards", fmt.Sprint(onePassCards), "--end-after", "5s", "--out", rec, "0"}, a); code != exitOK {
		t.Fatal(code, term.Stderr())
	}
	term = &ui.Fake{}
	runApp(t.Context(), []string{"replay", "--out", out, rec}, newApp(term))
	if c := readCheckIn(t, out); c.Profile == nil || c.Capture.Sightings+c.Capture.Again != onePassCards || strings.Contains(term.Stderr(), "other sightings") {
		t.Errorf("%+v, %+v\n%s", c.Profile, c.Capture, term.Stderr())
	}
	for _, c := range []struct{ zone, profile, says string }{
		{"edge", profile, "sides"}, {"left", profile, "back, face"}, {"back", "none", "calibrate zones"},
	} {
		term := &ui.Fake{}
		a, _ := onePassApp(t, term)
		if code := runApp(t.Context(), []string{"inspect", "--zone", c.zone, "--profile", c.profile, "--out", filepath.Join(dir, "y"), "0"}, a); code != exitUsage || !strings.Contains(term.Stderr(), c.says) {
			t.Errorf("%+v: exit code %d, %s", c, code, term.Stderr())
		}
	}
}
