package visiontest_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairdeck/internal/testutil"
	"fairdeck/vision/visiontest"

	"github.com/google/go-cmp/cmp"
)

const sampleTruth = `{
  "deck": "d", "unknown": {"a": [1]}, "sleeve_nominal_mm": [66.0, 91.0], "table": "paper",
  "cameras": [{"width": 1280, "height": 720, "K": [[2060,0,631.8],[0,2060,364.7],[0,0,1]], "dist_k1k2p1p2": [-0.13,0.1,-0.0005,0.0006]}],
  "frames": [
    {"file": "a.jpg", "camera": 0, "cards": [
      {"index": 4, "corners": [[1,2],[3,2],[3,9],[1,9]], "orientation": 180, "sleeve_batch": "B", "size_mm": [66.1, 90.9],
       "marks": [{"kind": "pen_dot", "size_mm": 1.5, "severity": "obvious", "where_mm": [21.5, 30.2], "measured": {"peak_dE": 32.9}}]},
      {"marks": []}]},
    {"file": "b.jpg"}]
}`

func TestReadTruth(t *testing.T) {
	got, err := visiontest.ReadTruth(strings.NewReader(sampleTruth))
	if err != nil {
		t.Fatal(err)
	}
	c := got.Frames[0].Cards[0]
	if q, ok := c.Quad(); !ok || q[2].Y != 9 || c.Index != 4 || c.Orientation != 180 || c.SleeveBatch != "B" {
		t.Errorf("card: %+v", c)
	}
	if m := c.Marks[0]; m.WhereMM.Point().X != 21.5 || m.Measured.PeakDeltaE != 32.9 || visiontest.SeverityRank(m.Severity) != 3 {
		t.Errorf("mark: %+v", m)
	}
	silent := got.Frames[0].Cards[1]
	if _, ok := silent.Quad(); ok || silent.Index != visiontest.NotStated || silent.Orientation != visiontest.NotStated || silent.SizeMM != nil {
		t.Errorf("what is not stated became %+v", silent)
	}
	if l, ok := got.Cameras[0].Lens(); !ok || l.FocalXPx != 2060 || l.K1 != -0.13 || l.P2 != 0.0006 {
		t.Errorf("lens: %+v, %v", l, ok)
	}
}

func TestTruthRoundTrip(t *testing.T) {
	first, err := visiontest.ReadTruth(strings.NewReader(sampleTruth))
	if err != nil {
		t.Fatal(err)
	}
	st, err := visiontest.New(visiontest.Deck{Seed: 1, Cards: 3, Camera: smallCamera(), Turned: []int{1},
		Marks: []visiontest.Mark{{Kind: visiontest.Scratch, Cards: []int{0, 2}, WhereMM: at(30, 40), DeltaE: 20}},
		Odd:   []visiontest.Odd{{Cards: []int{2}, AddMM: at(0, 1)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*visiontest.Truth{first, st.Truth()} {
		var b bytes.Buffer
		if err := want.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := visiontest.ReadTruth(&b)
		if err != nil {
			t.Fatal(err)
		}
		// An absent list of marks is written as an empty one, as the format shows.
		for _, f := range want.Frames {
			for i := range f.Cards {
				if f.Cards[i].Marks == nil {
					f.Cards[i].Marks = []visiontest.TruthMark{}
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestHostileTruth(t *testing.T) {
	for name, c := range map[string]struct {
		json        string
		frame, card int
		field       string
	}{
		"not JSON":          {`{"frames": [`, -1, -1, ""},
		"wrong type":        {`{"frames": 3}`, -1, -1, ""},
		"a way out":         {`{"frames": [{"file": "../../etc/passwd"}]}`, 0, -1, "file"},
		"an absolute path":  {`{"frames": [{"file": "/etc/passwd"}]}`, 0, -1, "file"},
		"the folder":        {`{"frames": [{"file": "."}]}`, 0, -1, "file"},
		"a huge mark":       {`{"frames": [{"cards": [{"marks": [{"size_mm": 1e308}]}]}]}`, 0, 0, "size_mm"},
		"a mark below 0":    {`{"frames": [{"cards": [{"marks": [{"size_mm": -1}]}]}]}`, 0, 0, "size_mm"},
		"no such camera":    {`{"cameras": [{}], "frames": [{}, {"camera": 1}]}`, 1, -1, "camera"},
		"three corners":     {`{"frames": [{"cards": [{"corners": [[1,1],[2,2],[3,3]]}]}]}`, 0, 0, "corners"},
		"a corner of three": {`{"frames": [{"cards": [{"corners": [[1,1,1],[2,2],[3,3],[4,4]]}]}]}`, -1, -1, ""},
		"a huge coordinate": {`{"frames": [{"cards": [{"corners": [[1e300,1],[2,2],[3,3],[4,4]]}]}]}`, -1, -1, ""},
		"sideways":          {`{"frames": [{"cards": [{}, {"orientation": 90}]}]}`, 0, 1, "orientation"},
		"no size":           {`{"frames": [{"cards": [{"size_mm": [0, 91]}]}]}`, 0, 0, "size_mm"},
		"a new severity":    {`{"frames": [{"cards": [{"marks": [{"severity": "awful"}]}]}]}`, 0, 0, "severity"},
		"a negative index":  {`{"frames": [{"cards": [{"index": -7}]}]}`, 0, 0, "index"},
	} {
		_, err := visiontest.ReadTruth(strings.NewReader(c.json))
		var e *visiontest.TruthError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if e.Frame != c.frame || e.Card != c.card || e.Field != c.field {
			t.Errorf("%s: the error points at frame %d card %d field %q: %v", name, e.Frame, e.Card, e.Field, e)
		}
	}
}

// The decks that were rendered by others are read whole.
func TestReadTruthOfFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testutil.Fixtures(t, "decks"), "*", "truth.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := visiontest.ReadTruth(f)
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, fr := range truth.Frames {
			for _, c := range fr.Cards {
				if q, ok := c.Quad(); !ok || !q.Convex() || c.Index < 0 || c.SizeMM == nil {
					t.Errorf("%s: %s: %+v", name, fr.File, c)
				}
			}
		}
	}
}

func FuzzReadTruth(f *testing.F) {
	f.Add([]byte(sampleTruth))
	f.Add([]byte(`{"frames": [{"cards": [{"corners": [[1,1],[2,2],[3,3]], "marks": [{"line_mm": [[1,2],[3,4]]}]}]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		truth, err := visiontest.ReadTruth(bytes.NewReader(data))
		if err != nil {
			var e *visiontest.TruthError
			if !errors.As(err, &e) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		// What was accepted can be written and read again, and says the same.
		var a, b bytes.Buffer
		if err := truth.Write(&a); err != nil {
			t.Fatal(err)
		}
		first := a.String()
		again, err := visiontest.ReadTruth(&a)
		if err != nil {
			t.Fatalf("%v in what was written: %s", err, first)
		}
		if err := again.Write(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != first {
			t.Fatalf("%s\nbecame\n%s", first, b.String())
		}
	})
}
