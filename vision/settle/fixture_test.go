package settle_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"testing"
	"time"

	"fairdeck/internal/testutil"
	"fairdeck/vision/camera"
	"fairdeck/vision/settle"
)

// TestOneCardMoving: a hand slides, nudges and turns one card under a webcam
// that a hand holds; it is one card all the time. The frames carry their
// number in the recording, of 30 a second, in their name.
func TestOneCardMoving(t *testing.T) {
	dir := testutil.Fixtures(t, "real", "one-card-moving")
	names, err := filepath.Glob(filepath.Join(dir, "card*.jpg"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no pictures in %s: %v", dir, err)
	}
	sort.Strings(names)
	ctx := context.Background()
	s := settle.New(settle.Options{})
	var seen []*settle.Sighting
	take := func(events []settle.Event, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Sighting != nil {
				seen = append(seen, e.Sighting)
				t.Logf("%v to %v, frames %v, %+v", e.Sighting.Start, e.Sighting.End, e.Sighting.Frames, e.Sighting.Detection)
			} else {
				t.Logf("%v %s: %s", e.Notice.Time, e.Notice.Code, e.Notice.Text)
			}
		}
	}
	for i, name := range names {
		f, err := camera.Read(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscanf(filepath.Base(name), "card%d.jpg", &n); err != nil {
			t.Fatal(err)
		}
		f.Index, f.Time = i, time.Duration(n)*time.Second/30
		take(s.Add(ctx, f))
	}
	take(s.Flush(ctx))
	if len(seen) != 1 {
		t.Errorf("%d sightings of one card", len(seen))
	}
}
