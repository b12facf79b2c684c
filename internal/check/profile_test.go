package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/record"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// TestProfile: a profile of the pictures' size is used and named; one of
// another size is not, and the check says so for every picture.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	st, err := visiontest.New(visiontest.Deck{Seed: 11, Cards: 6, Camera: visiontest.Camera{WidthPx: 640, HeightPx: 480}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		data, err := st.File(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("b%d.jpg", i)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	profile := func(w, h int) *calibrate.Profile {
		p := &calibrate.Profile{Schema: calibrate.Schema, Camera: "test camera", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), WidthPx: w, HeightPx: h,
			Lens: plane.Lens{FocalXPx: 1500, FocalYPx: 1500, CentreXPx: float64(w-1) / 2, CentreYPx: float64(h-1) / 2}}
		p.Flat = &calibrate.Flat{Columns: 2, Rows: 2, Light: [][3]float64{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}, DarkestShare: 1}
		return p
	}
	run := func(p *calibrate.Profile) (*record.Check, *record.Evidence) {
		c, e, err := Run(context.Background(), Options{Patterns: []string{dir}, Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		return c, e
	}
	foreign := func(c *record.Check) (n int) {
		for _, w := range c.Warnings {
			if w.Code == "profile" {
				n++
				if !strings.Contains(w.Text, "640 x 480") || w.File == "" {
					t.Errorf("%+v", w)
				}
			}
		}
		return n
	}
	c, _ := run(profile(640, 480))
	if c.Profile == nil || c.Profile.Name != "test camera, 2026-01-02 03:04" || len(c.Profile.SHA256) != 64 || foreign(c) != 0 {
		t.Errorf("%+v, warnings %v", c.Profile, c.Warnings)
	}
	if c, _ := run(profile(1280, 720)); foreign(c) != 6 {
		t.Errorf("warnings %v", c.Warnings)
	}
	if c, _ := run(nil); c.Profile != nil || foreign(c) != 0 {
		t.Errorf("%+v, warnings %v", c.Profile, c.Warnings)
	}
	// The flat field reaches the pixels: half the light everywhere doubles it.
	f, err := st.Frame(0)
	if err != nil {
		t.Fatal(err)
	}
	even, lens, other, err := Options{Profile: profile(640, 480)}.ready(f)
	if err != nil || other || lens.None() {
		t.Fatal(err, other, lens)
	}
	brighter := 0
	for i := range f.Pix {
		if even.Pix[i] > f.Pix[i] {
			brighter++
		}
	}
	if brighter < len(f.Pix)*9/10 {
		t.Errorf("%d of %d codes are brighter", brighter, len(f.Pix))
	}
}
