package sleeve

import (
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/testutil"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// truth is the part of truth.json that these tests read.
type truth struct {
	Nominal [2]float64 `json:"sleeve_nominal_mm"`
	Frames  []struct {
		File  string `json:"file"`
		Cards []struct {
			Corners     [4][2]float64 `json:"corners"`
			Orientation int           `json:"orientation"`
			Batch       string        `json:"sleeve_batch"`
			Marks       []truthMark   `json:"marks"`
		} `json:"cards"`
	} `json:"frames"`
}

type truthMark struct {
	Kind     string       `json:"kind"`
	Where    [2]float64   `json:"where_mm"`
	Size     float64      `json:"size_mm"`
	Severity string       `json:"severity"`
	Line     [][2]float64 `json:"line_mm"`
}

// loadDeck rectifies every card of a rendered deck from its true corners plus
// jitter px of Gaussian error, as a good finder would.
func loadDeck(tb testing.TB, dir string, pxPerMM, jitter float64, seed uint64) ([]Input, truth) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var t truth
	if err := json.Unmarshal(data, &t); err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	var in []Input
	for _, f := range t.Frames {
		file, err := os.Open(filepath.Join(dir, f.File))
		if err != nil {
			tb.Fatal(err)
		}
		img, err := jpeg.Decode(file)
		file.Close()
		if err != nil {
			tb.Fatal(err)
		}
		fr := frame.FromImage(img)
		for k, c := range f.Cards {
			var q plane.Quad
			for i := range q {
				q[i] = plane.Point{X: c.Corners[i][0] + jitter*rng.NormFloat64(), Y: c.Corners[i][1] + jitter*rng.NormFloat64()}
			}
			size := card.Size{WidthMM: t.Nominal[0], HeightMM: t.Nominal[1]}
			d := card.Detection{Corners: q, Size: size, PxPerMM: pxPerMM, Confidence: 1}
			v, err := card.Rectify(fr, d, card.RectifyOptions{Size: size, PxPerMM: pxPerMM, MarginMM: 3})
			if err != nil {
				tb.Fatal(err)
			}
			in = append(in, Input{Name: fmt.Sprintf("%s#%d", f.File, k), View: v, Card: d})
		}
	}
	return in, t
}

func TestRenderedDecks(t *testing.T) {
	for _, name := range []string{"d2_marks_matte_blue", "d4_batch_gloss_art"} {
		t.Run(name, func(t *testing.T) {
			in, tr := loadDeck(t, testutil.Fixtures(t, "decks", name), 6, 0.3, 1)
			start := time.Now()
			res, err := Inspect(context.Background(), in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d sleeves in %v", len(in), time.Since(start))
			for i, f := range tr.Frames {
				s := res.Sleeves[i]
				for _, m := range f.Cards[0].Marks {
					t.Logf("%d TRUTH %s %.1f mm at %v %s", i, m.Kind, m.Size, m.Where, m.Severity)
				}
				for _, m := range s.Marks {
					t.Logf("%d       %s (%.2f) at %.1f,%.1f  %.1f x %.1f mm  %.1f mm2 peak %.1f mean %.1f ± %.2f %s (%.1f/%.1f) p %.1e", i, m.Kind, m.KindConfidence, m.CentreMM.X, m.CentreMM.Y, m.LengthMM, m.WidthMM, m.AreaMM2, m.PeakDeltaE, m.MeanDeltaE, m.DeltaESigma, m.Visibility, m.perceived, m.perceivedPeak, m.PValue)
				}
			}
			for _, g := range res.Groups {
				t.Logf("group %s %v %.2f %s %q", g.Name, g.Sleeves, g.DeltaE, g.Visibility, g.What)
			}
			for _, w := range res.Warnings {
				t.Log(w)
			}
		})
	}
}
