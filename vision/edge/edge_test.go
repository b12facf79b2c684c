package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/testutil"
	"fairdeck/vision/edge"
	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

func inspect(t *testing.T, img *frame.Image, opt edge.Options) *edge.Side {
	t.Helper()
	s, err := edge.Inspect(context.Background(), img, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A clean, well-lit closed side is counted exactly and nobody is accused.
func TestCleanStack(t *testing.T) {
	for _, n := range []int{40, 60} {
		sc := visiontest.NewStack(n, 11, uint64(n))
		img, _ := sc.Render()
		s := inspect(t, img, edge.Options{Side: edge.LongSide})
		if !s.Count.Exact() || s.Count.Low != n {
			t.Errorf("%d layers counted as %v (%+v)", n, s.Count, s.Count)
		}
		for _, o := range s.Outliers {
			if o.Visibility.Rank() >= sleeve.Visible.Rank() {
				t.Errorf("%d layers, clean: %s", n, o.Text)
			}
		}
		if s.PxPerMM <= 0 || s.PxPerMMSigma <= 0 {
			t.Errorf("scale %.2f ± %.2f px/mm", s.PxPerMM, s.PxPerMMSigma)
		}
	}
}

// A deck that stands is the same deck turned.
func TestStandingStack(t *testing.T) {
	sc := visiontest.NewStack(40, 11, 4)
	img, _ := sc.Render()
	up := frame.New(img.Height, img.Width)
	for y := range img.Height {
		for x := range img.Width {
			b, g, r := img.BGR(x, y)
			up.SetBGR(y, x, b, g, r)
		}
	}
	s := inspect(t, up, edge.Options{Side: edge.LongSide})
	if !s.Standing || s.Count.Low > 40 || s.Count.High < 40 {
		t.Errorf("standing %v, count %v", s.Standing, s.Count)
	}
}

// Another edge colour is found, and named for the right layer.
func TestOtherColour(t *testing.T) {
	sc := visiontest.NewStack(50, 11, 9)
	sc.Layers[20].EdgeBGR = [3]float64{0.08, 0.06, 0.45}
	img, _ := sc.Render()
	s := inspect(t, img, edge.Options{Side: edge.LongSide})
	found := false
	for _, o := range s.Outliers {
		if o.Kind == edge.OtherColour && o.Layer == 21 {
			found = o.Visibility == sleeve.Obvious
		}
	}
	if !found {
		t.Errorf("count %v, outliers %+v", s.Count, s.Outliers)
	}
}

func TestRefusals(t *testing.T) {
	flat := frame.New(400, 300)
	noise := frame.New(400, 300)
	x := uint32(7)
	for i := range noise.Pix {
		x = x*1664525 + 1013904223
		noise.Pix[i] = uint8(x >> 24)
	}
	sc := visiontest.NewStack(60, 11, 5)
	img, _ := sc.Render()
	cut := img.Crop(image.Rect(0, img.Height/2, img.Width, img.Height))
	for name, c := range map[string]*frame.Image{"flat": flat, "noise": noise, "cut": cut, "tiny": frame.New(20, 20)} {
		s := inspect(t, c, edge.Options{})
		if s.Count.Refused == nil || s.Count.Refused.Text == "" {
			t.Errorf("%s: counted %v, want a refusal", name, s.Count)
		}
	}
	if _, err := edge.Inspect(context.Background(), &frame.Image{}, edge.Options{}); !errors.Is(err, edge.ErrPicture) {
		t.Errorf("empty picture: %v", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := edge.Inspect(done, img, edge.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestJoin(t *testing.T) {
	a := &edge.Side{Count: edge.Count{Low: 59, High: 61, Best: 60, Confidence: 0.99}, Outliers: []edge.Outlier{{Layer: 12, Kind: edge.Protrudes, PValue: 0.01}}}
	b := &edge.Side{Count: edge.Count{Low: 60, High: 60, Best: 60, Confidence: 0.999}, Outliers: []edge.Outlier{{Layer: 12, Kind: edge.Protrudes, PValue: 0.001}, {Layer: 3, Kind: edge.OtherColour}}}
	j := edge.Join([]*edge.Side{a, b})
	if j.Count.String() != "60" || len(j.Outliers) != 2 || len(j.Outliers[1].Sides) != 2 || j.Outliers[1].PValue != 0.001 {
		t.Errorf("%+v", j)
	}
	c := &edge.Side{Count: edge.Count{Low: 63, High: 64, Best: 63, Confidence: 0.99}}
	if j = edge.Join([]*edge.Side{b, c}); j.Count.String() != "60-64" || len(j.Warnings) == 0 {
		t.Errorf("contradiction: %+v", j)
	}
	if j = edge.Join(nil); j.Count.Refused == nil {
		t.Errorf("no sides: %+v", j)
	}
}

// The rendered decks: the stated interval holds the true count, and what
// stands out by colour is found on the closed side.
func TestRenderedDecks(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testutil.Fixtures(t, "decks"), "e*", "*.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var truth struct {
			Frames []struct {
				File  string `json:"file"`
				Count int    `json:"layer_count"`
			} `json:"frames"`
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(f), "truth.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &truth); err != nil {
			t.Fatal(err)
		}
		for _, fr := range truth.Frames {
			if fr.File != filepath.Base(f) {
				continue
			}
			s := inspect(t, load(t, f), edge.Options{})
			if s.Count.Refused != nil || s.Count.Low > fr.Count || s.Count.High < fr.Count {
				t.Errorf("%s: counted %v, truth %d (%+v)", f, s.Count, fr.Count, s.Count)
			}
		}
	}
}

// Stacks of torn cardboard are no deck of equal cards: better no number than
// a wrong one.
func TestPhotographsAreRefused(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testutil.Fixtures(t, "real", "sheet-stacks"), "*.jpeg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if s := inspect(t, load(t, f), edge.Options{}); s.Count.Exact() {
			t.Errorf("%s: counted %v; the sheets are too uneven to be counted by eye", filepath.Base(f), s.Count)
		}
	}
}

func load(t *testing.T, path string) *frame.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	img, err := cv.Decode(data, c.Width, c.Height)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
