package calibrate_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"fairdeck/calibrate"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
)

func example() *calibrate.Profile {
	return &calibrate.Profile{
		Schema: calibrate.Schema, Camera: "USB camera", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		WidthPx: 1280, HeightPx: 720, LensRMSPx: 0.2, PxPerMM: 5.7,
		Lens: plane.Lens{FocalXPx: 2060, FocalYPx: 2061, CentreXPx: 632, CentreYPx: 365, K1: -0.13},
	}
}

func TestProfileRoundTrip(t *testing.T) {
	var buf bytes.Buffer
	if err := example().Write(&buf); err != nil {
		t.Fatal(err)
	}
	got, err := calibrate.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(example(), got); d != "" {
		t.Fatal(d)
	}
	if err := got.Fits(1280, 720); err != nil {
		t.Fatal(err)
	}
	if err := got.Fits(1920, 1080); !errors.Is(err, calibrate.ErrForeign) {
		t.Fatalf("another resolution: %v", err)
	}
}

func TestProfileRefuses(t *testing.T) {
	const good = `{"schema":"profile/v1","created":"2026-01-02T03:04:05Z","width_px":9,"height_px":9,"lens":{}}`
	if _, err := calibrate.Read(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"not JSON":     {good, "nonsense", "not JSON"},
		"other schema": {"profile/v1", "profile/v9", "calibrate the station again"},
		"unknown key":  {`"lens":{}`, `"lens":{},"len":1`, "unknown field"},
		"no frame":     {`"width_px":9`, `"width_px":0`, "frame of"},
		"one focal":    {`"lens":{}`, `"lens":{"focal_x_px":5}`, "focal"},
		"scale":        {`"lens":{}`, `"lens":{},"px_per_mm":-1`, "px/mm"},
		"two objects":  {good, good + good, "not JSON"},
	} {
		_, err := calibrate.Read(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := calibrate.Read(strings.NewReader(strings.Repeat(" ", 2<<20))); err == nil {
		t.Error("two megabytes were accepted")
	}
}

func FuzzRead(f *testing.F) {
	var buf bytes.Buffer
	if err := example().Write(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add([]byte(`{"schema":"profile/v1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := calibrate.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := p.Write(&out); err != nil {
			t.Fatalf("read but not writable: %v", err)
		}
		again, err := calibrate.Read(&out)
		if err != nil || !cmp.Equal(p, again) {
			t.Fatalf("not stable: %v", err)
		}
	})
}
