package check_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sighting is a picture of the demo deck as a settler would hand it on: a crop
// of the frame, and the card in the frame's pixels.
func sighting(t *testing.T, file string) *settle.Sighting {
	t.Helper()
	f, err := camera.Read(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	res, err := card.Find(t.Context(), f.Image, card.Options{})
	if err != nil || len(res.Cards) != 1 {
		t.Fatalf("%s: %d cards, %v", file, len(res.Cards), err)
	}
	origin := image.Pt(7, 5)
	return &settle.Sighting{Image: f.Image.Crop(f.Image.Bounds().Intersect(image.Rectangle{Min: origin, Max: f.Image.Bounds().Max})), Origin: origin, Detection: res.Cards[0]}
}

func passOf(n, expected int) *record.Capture {
	return &record.Capture{Source: record.CaptureSource{Kind: "usb", Name: "Camera"}, Sightings: n, Expected: expected, Frames: 100, Ended: "idle"}
}

// TestDealLikePictures: cards dealt one at a time are checked as their
// pictures are, in the order in which they count.
func TestDealLikePictures(t *testing.T) {
	files := demo(t, 0, 2, 3, 4, 5)
	want, _ := run(t, check.Options{Patterns: files})
	for _, workers := range []int{1, 3} {
		d := check.NewDeal(check.Options{Workers: workers})
		for i, k := range []int{1, 0, 1, 2, 3, 4} { // the first is taken back below
			if reason := d.Look(i+1, sighting(t, files[k])); reason != "" {
				t.Fatal(reason)
			}
		}
		got, err := d.Check(t.Context(), []int{2, 3, 4, 5, 6}, passOf(5, 5))
		if err != nil {
			t.Fatal(err)
		}
		c := got.Check
		if d := cmp.Diff(want.Verdict, c.Verdict); d != "" {
			t.Errorf("verdict (-pictures +deal):\n%s", d)
		}
		if d := cmp.Diff(want.Sleeves, c.Sleeves, cmpopts.IgnoreFields(record.Sleeve{}, "File"), cmpopts.EquateApprox(1e-3, 1e-3)); d != "" {
			t.Errorf("sleeves (-pictures +deal):\n%s", d)
		}
		if c.Capture == nil || len(c.Problems) != 0 || len(c.Sources) != 5 || len(got.Pictures) != 5 || len(got.Evidence.Sleeves) != 5 {
			t.Errorf("%+v, problems %v", c.Capture, c.Problems)
		}
		for i, s := range c.Sources {
			sum := sha256.Sum256(got.Pictures[i])
			if s.File != check.SightingFile(i+1) || s.SHA256 != hex.EncodeToString(sum[:]) || c.Sleeves[i].File != s.File {
				t.Errorf("source %d: %+v", i, s)
			}
		}
		var b bytes.Buffer
		if err := c.Encode(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := record.Decode(&b); err != nil {
			t.Error(err)
		}
	}
}

// TestDealPoor: what cannot be compared is said when it is seen.
func TestDealPoor(t *testing.T) {
	files := demo(t, 0, 2, 3, 4, 5)
	d := check.NewDeal(check.Options{})
	for i, f := range files[:4] {
		if reason := d.Look(i+1, sighting(t, f)); reason != "" {
			t.Fatal(reason)
		}
	}
	cut := sighting(t, files[4])
	cut.Detection.Unusable = "cut by the frame"
	coarse := sighting(t, files[4])
	coarse.Detection.PxPerMM = 2
	// An outline that takes in a strip of the card below it.
	wide := sighting(t, files[4])
	q := &wide.Detection.Corners
	q[1], q[2] = q[1].Add(q[1].Sub(q[0]).Mul(0.06)), q[2].Add(q[2].Sub(q[3]).Mul(0.06))
	nowhere := sighting(t, files[4])
	nowhere.Image, nowhere.Detection.Corners = frame.New(nowhere.Image.Width, nowhere.Image.Height), wide.Detection.Corners
	for i, c := range []struct {
		s    *settle.Sighting
		want string
	}{{cut, "cut by the frame"}, {coarse, "too coarse"}, {nowhere, "its edge was not found"}, {wide, ""}, {sighting(t, files[4]), ""}} {
		if got := d.Look(5+i, c.s); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if check.Glance(wide) != "" || check.Glance(cut) == "" {
		t.Error("a glance has nothing to compare with, and sees what is cut")
	}
	if _, err := d.Check(t.Context(), []int{1, 5}, passOf(2, 0)); err == nil {
		t.Error("a sighting that cannot be compared was compared")
	}

	// Early in a pass nothing speaks against a wrong outline; in the end its
	// neighbours do. Where the right one is not found, nobody is accused.
	for _, first := range []*settle.Sighting{wide, nowhere} {
		early := check.NewDeal(check.Options{})
		order := []*settle.Sighting{first}
		for _, f := range files[:4] {
			order = append(order, sighting(t, f))
		}
		for i, s := range order {
			if reason := early.Look(i+1, s); reason != "" {
				t.Fatal(reason)
			}
		}
		got, err := early.Check(t.Context(), []int{1, 2, 3, 4, 5}, passOf(5, 5))
		if err != nil {
			t.Fatal(err)
		}
		s, p := got.Check.Sleeves[0], got.Check.Problems
		if s.Flagged() || first == wide && (s.Unusable != "" || s.Inspected != 1 || len(p) != 0) || first == nowhere && (s.Unusable == "" || len(p) != 1 || p[0].Sleeve != 1) {
			t.Errorf("%+v, problems %+v", s, p)
		}
	}
}

// TestPassProblems: a number that is not as expected, cards that were not
// counted and notices leave the check incomplete; when every card was counted
// they are remarks.
func TestPassProblems(t *testing.T) {
	files := demo(t, 0, 3, 4, 5)
	d := check.NewDeal(check.Options{})
	for i, f := range files {
		if reason := d.Look(i+1, sighting(t, f)); reason != "" {
			t.Fatal(reason)
		}
	}
	notice := record.CaptureNotice{Code: "hand", Text: "a hand stays over the cards"}
	trouble := func(p *record.Capture) *record.Capture {
		p.Again, p.Notices = 2, []record.CaptureNotice{notice, notice}
		return p
	}
	lost := passOf(4, 0)
	lost.Ended, lost.Dropped = "failed", 300
	lost.Recording = &record.Recording{ID: strings.Repeat("0", 32), SHA256: strings.Repeat("0", 64)}
	for name, c := range map[string]struct {
		pass               *record.Capture
		problems, warnings []string
	}{
		"calm":        {passOf(4, 0), nil, nil},
		"all":         {passOf(4, 4), nil, nil},
		"too few":     {passOf(4, 5), []string{"count"}, nil},
		"too many":    {passOf(4, 3), []string{"count"}, nil},
		"trouble":     {trouble(passOf(4, 0)), []string{"again", "capture-hand"}, nil},
		"all, after":  {trouble(passOf(4, 4)), nil, []string{"again", "capture-hand"}},
		"lost camera": {lost, []string{"capture-failed"}, []string{"dropped", "recording"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := d.Check(t.Context(), []int{1, 2, 3, 4}, c.pass)
			if err != nil {
				t.Fatal(err)
			}
			var problems, warnings []string
			for _, p := range got.Check.Problems {
				problems = append(problems, p.Code)
				if p.Text == "" || p.Remedy == "" {
					t.Errorf("%+v has no words", p)
				}
			}
			for _, w := range got.Check.Warnings {
				if w.Code != "few-sleeves" && w.Code != "resolution" { // of the deck
					warnings = append(warnings, w.Code)
				}
			}
			if fmt.Sprint(problems) != fmt.Sprint(c.problems) || !containsAll(warnings, c.warnings) {
				t.Errorf("problems %v, want %v; warnings %v, want %v", problems, c.problems, warnings, c.warnings)
			}
			want := record.NothingToSee
			if len(c.problems) > 0 {
				want = record.Incomplete
			}
			if got.Check.Verdict.Level != want {
				t.Errorf("%s, want %s", got.Check.Verdict.Level, want)
			}
		})
	}
}

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !strings.Contains(" "+strings.Join(have, " ")+" ", " "+w+" ") {
			return false
		}
	}
	return true
}

// TestDealNothing: a pass without a card says so, with the remedy.
func TestDealNothing(t *testing.T) {
	_, err := check.NewDeal(check.Options{}).Check(t.Context(), nil, passOf(0, 0))
	var none *check.NothingSeenError
	if !errors.As(err, &none) || len(none.Problems) == 0 || none.Problems[len(none.Problems)-1].Remedy == "" || !strings.Contains(err.Error(), "no card was seen") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := check.NewDeal(check.Options{})
	if reason := d.Look(1, sighting(t, demo(t, 0)[0])); reason != "" {
		t.Fatal(reason)
	}
	if _, err := d.Check(ctx, []int{1}, passOf(1, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
