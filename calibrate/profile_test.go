package calibrate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/calibrate"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
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

// full has every part.
func full() *calibrate.Profile {
	p := example()
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := calibrate.Evidence{When: when, Tool: "0.1", Pictures: []calibrate.Picture{{Name: "a.jpg", SHA256: strings.Repeat("0f", 32)}}, Warnings: []string{"w"},
		Rejected: []calibrate.Rejected{{Name: "b.jpg", Reason: calibrate.Blurred, Text: "blurred", Remedy: "focus"}}}
	p.LensEvidence = &calibrate.LensEvidence{Evidence: e, Board: calibrate.DefaultBoard(), FocalSigmaPx: 1, Boards: []calibrate.BoardFit{{Name: "a.jpg", RMSPx: 0.2}}}
	p.Plane = &calibrate.Plane{Evidence: e, From: "board", ToFrame: plane.Homography{5.7, 0, 10, 0, 5.7, 20, 0, 0, 1}, PxPerMM: 5.7, PxPerMMSigma: 0.01, LeastPxPerMM: 5.6, MostPxPerMM: 5.8,
		TiltDeg: 3, RightDeg: 2, BottomDeg: -2, DistanceMM: 361, RMSPx: 0.1, BlurPx: 0.8}
	p.Flat = &calibrate.Flat{Evidence: e, Columns: 2, Rows: 2, Light: [][3]float64{{1, 1, 1}, {0.9, 0.9, 0.9}, {1, 1, 1}, {0.8, 0.8, 0.8}}, DarkestShare: 0.8, ResidualShare: 0.001, RepeatShare: 0.002}
	p.Noise = &calibrate.Noise{Evidence: e, Read: [3]float64{0.002, 0.002, 0.002}, Gain: [3]float64{1e-4, 1e-4, 1e-4}, From: "time", Separated: true, Level: [3]float64{0.5, 0.5, 0.5}}
	p.Colour = &calibrate.Colour{Evidence: e, From: "chart", Gains: [3]float64{0.9, 1, 1.2}, Matrix: &[3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		Before: &calibrate.Differences{Mean: 5, Worst: 9, Patch: "blue"}, Gained: &calibrate.Differences{Mean: 3, Worst: 6, Patch: "red"}, After: &calibrate.Differences{Mean: 1, Worst: 3, Patch: "cyan"}, LeftOut: 1.2}
	p.Zones = []calibrate.Zone{{Name: "back", Corners: plane.Rect(10, 10, 300, 400)}}
	p.Reference = &calibrate.Reference{Evidence: e, Board: calibrate.DefaultBoard(), BlurPx: 0.8, PxPerMM: 5.7, White: [3]float64{0.6, 0.6, 0.6}}
	return p
}

func TestFullProfile(t *testing.T) {
	var buf bytes.Buffer
	if err := full().Write(&buf); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(calibrate.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("profile.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*calibrate.Profile{"full": full(), "example": example()} {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := calibrate.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(full(), got); d != "" {
		t.Fatal(d)
	}
	words := strings.Join(got.Words(got.Created), "\n")
	for _, w := range []string{"5.700 px/mm", "smallest mark seen is", "Zone back", "361 mm", "ΔE 1.0"} {
		if !strings.Contains(words, w) {
			t.Errorf("%q is not said:\n%s", w, words)
		}
	}
	if strings.Contains(strings.Join(example().Words(time.Now()), " "), "NaN") {
		t.Error("NaN is said")
	}
}

// TestSchemaNamesEveryKey: the schema and the Go types say the same.
func TestSchemaNamesEveryKey(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(calibrate.JSONSchema()), &schema); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"": calibrate.Profile{}, "lens": plane.Lens{}, "picture": calibrate.Picture{}, "rejected": calibrate.Rejected{}, "board": calibrate.Board{},
		"lens_evidence": calibrate.LensEvidence{}, "board_fit": calibrate.BoardFit{}, "coverage": calibrate.Coverage{}, "plane": calibrate.Plane{}, "flat": calibrate.Flat{}, "noise": calibrate.Noise{},
		"colour": calibrate.Colour{}, "zone": calibrate.Zone{}, "reference": calibrate.Reference{}} {
		var want []string
		var walk func(ty reflect.Type)
		walk = func(ty reflect.Type) {
			for i := range ty.NumField() {
				f := ty.Field(i)
				if f.Anonymous {
					walk(f.Type)
					continue
				}
				want = append(want, strings.Split(f.Tag.Get("json"), ",")[0])
			}
		}
		walk(reflect.TypeOf(v))
		props := schema.Properties
		if name != "" {
			props = schema.Defs[name].Properties
		}
		got := slices.Sorted(maps.Keys(props))
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

func TestMatches(t *testing.T) {
	p := example()
	now := p.Created.Add(time.Hour)
	if w, err := p.Matches("USB camera", 1280, 720, now); w != nil || err != nil {
		t.Errorf("%v %v", w, err)
	}
	if _, err := p.Matches("another", 1280, 720, now); !errors.Is(err, calibrate.ErrForeign) || !strings.Contains(err.Error(), "another") {
		t.Errorf("another camera: %v", err)
	}
	if _, err := p.Matches("", 640, 480, now); !errors.Is(err, calibrate.ErrForeign) {
		t.Errorf("another size: %v", err)
	}
	if w, err := p.Matches("", 1280, 720, now.AddDate(0, 6, 0)); err != nil || !errors.Is(w, calibrate.ErrOld) {
		t.Errorf("half a year later: %v %v", w, err)
	}
}

func TestSaveAndUndo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "profile.json")
	if _, _, err := calibrate.Load(path); !errors.Is(err, calibrate.ErrNoProfile) {
		t.Fatalf("nothing there: %v", err)
	}
	if err := calibrate.Undo(path); !errors.Is(err, calibrate.ErrNoProfile) {
		t.Fatalf("nothing to undo: %v", err)
	}
	one, two := example(), full()
	for _, p := range []*calibrate.Profile{one, two} {
		if err := p.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	load := func() *calibrate.Profile {
		p, sum, err := calibrate.Load(path)
		if err != nil || len(sum) != 64 {
			t.Fatal(err, sum)
		}
		return p
	}
	if d := cmp.Diff(two, load()); d != "" {
		t.Fatal(d)
	}
	for _, want := range []*calibrate.Profile{one, two} { // undo, and undo of the undo
		if err := calibrate.Undo(path); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, load()); d != "" {
			t.Fatal(d)
		}
	}
	// A damaged profile is not overwritten in silence: it stays as .bak.
	if err := os.WriteFile(path, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := calibrate.Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged profile: %v", err)
	}
	if err := one.Save(path); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path + ".bak"); err != nil || string(b) != "nonsense" {
		t.Errorf("%q %v", b, err)
	}
	if err := calibrate.Undo(path); err == nil {
		t.Error("a damaged profile was brought back")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 2 {
		t.Errorf("files left: %v %v", left, err)
	}
	// Nothing is written where it cannot be.
	if err := one.Save(filepath.Join(path, "x")); err == nil {
		t.Error("saved below a file")
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
		"far focal":    {`"lens":{}`, `"lens":{"focal_x_px":1e300,"focal_y_px":1e300}`, "focal"},
		"far centre":   {`"lens":{}`, `"lens":{"focal_x_px":9,"focal_y_px":9,"centre_x_px":-1e9}`, "centre"},
		"distortion":   {`"lens":{}`, `"lens":{"focal_x_px":9,"focal_y_px":9,"k2":1e200}`, "distortion"},
		"scale":        {`"lens":{}`, `"lens":{},"px_per_mm":-1`, "px/mm"},
		"foreign zone": {`"lens":{}`, `"lens":{},"zones":[{"name":"lap","corners_px":[{"x":0,"y":0},{"x":5,"y":0},{"x":5,"y":5},{"x":0,"y":5}]}]`, "zone"},
		"zone outside": {`"lens":{}`, `"lens":{},"zones":[{"name":"face","corners_px":[{"x":0,"y":0},{"x":50,"y":0},{"x":50,"y":5},{"x":0,"y":5}]}]`, "zone"},
		"flat nodes":   {`"lens":{}`, `"lens":{},"flat":{"when":"2026-01-02T03:04:05Z","columns":2,"rows":2,"light":[],"darkest_share":1,"residual_share":0}`, "flat field"},
		"edge-on":      {`"lens":{}`, `"lens":{},"plane":{"when":"2026-01-02T03:04:05Z","px_per_mm":5,"least_px_per_mm":5,"most_px_per_mm":5,"to_frame":[1,1,0,1,1,0,0,0,1]}`, "edge-on"},
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
	f.Add(bytes.Clone(buf.Bytes()))
	buf.Reset()
	if err := full().Write(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(buf.Bytes()))
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
