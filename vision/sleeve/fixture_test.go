package sleeve

import (
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	// Of large decks every second clean sleeve is enough.
	kept := t.Frames[:0]
	for i, f := range t.Frames {
		if len(t.Frames) <= 40 || i%2 == 0 || len(f.Cards[0].Marks) > 0 {
			kept = append(kept, f)
		}
	}
	t.Frames = kept
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

// covers reports whether a reported mark comes within 2 mm of a true one,
// which is how evaluate scores it.
func covers(m Mark, t truthMark) bool {
	near := func(x, y float64) bool {
		return x > m.MinMM.X-2 && x < m.MaxMM.X+2 && y > m.MinMM.Y-2 && y < m.MaxMM.Y+2
	}
	for _, p := range t.Line {
		if near(p[0], p[1]) {
			return true
		}
	}
	return near(t.Where[0], t.Where[1])
}

// The rendered decks: every obvious mark, four in five of the visible ones,
// at most two clean sleeves flagged, batches and orientation exactly.
func TestRenderedDecks(t *testing.T) {
	for _, name := range []string{"d2_marks_matte_blue", "d4_batch_gloss_art"} {
		t.Run(name, func(t *testing.T) {
			in, tr := loadDeck(t, testutil.Fixtures(t, "decks", name), 6, 0.3, 1)
			start := time.Now()
			res, err := Inspect(context.Background(), in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d sleeves in %v, smallest mark %.2f mm", len(in), time.Since(start), res.SmallestMarkMM)
			truth, found := map[string]int{}, map[string]int{}
			words, near := 0, 0
			flags := 0
			for i, f := range tr.Frames {
				s, c := res.Sleeves[i], f.Cards[0]
				if len(c.Marks) == 0 && c.Batch == "A" && s.Visibility.Rank() >= Visible.Rank() {
					flags++
					t.Logf("sleeve %d is clean but %s: %+v", i, s.Visibility, s.Marks[0])
				}
				if s.TurnedDeg != c.Orientation {
					t.Errorf("sleeve %d lies at %d, said %d", i, c.Orientation, s.TurnedDeg)
				}
				j := 0 // the first sleeve is of the main batch in both decks
				if (c.Batch == tr.Frames[j].Cards[0].Batch) != (s.Group == res.Sleeves[j].Group) {
					t.Errorf("sleeve %d is of batch %s but in group %s", i, c.Batch, res.Groups[s.Group].Name)
				}
				for _, m := range c.Marks {
					truth[m.Severity]++
					k := slices.IndexFunc(s.Marks, func(r Mark) bool { return covers(r, m) })
					if k < 0 {
						t.Logf("sleeve %d: %s of %g mm (%s) was missed", i, m.Kind, m.Size, m.Severity)
						continue
					}
					r := s.Marks[k]
					found[m.Severity]++
					words++
					if d := r.Visibility.Rank() - Visibility(m.Severity).Rank(); d >= -1 && d <= 1 {
						near++
					}
					t.Logf("sleeve %d: %s %g mm %s -> %s (%.2f) %s (%.1f/%.1f), %.1f x %.1f mm, ΔE %.1f ± %.2f, p %.0e", i, m.Kind, m.Size, m.Severity,
						r.Kind, r.KindConfidence, r.Visibility, r.perceived, r.perceivedPeak, r.LengthMM, r.WidthMM, r.MeanDeltaE, r.DeltaESigma, r.PValue)
				}
			}
			for _, g := range res.Groups {
				t.Logf("group %s of %d: ΔE %.2f %s %q", g.Name, len(g.Sleeves), g.DeltaE, g.Visibility, g.What)
			}
			if found["obvious"] < truth["obvious"] || 5*found["visible"] < 4*truth["visible"] {
				t.Errorf("found %v of %v", found, truth)
			}
			if flags > 2 {
				t.Errorf("%d clean sleeves flagged", flags)
			}
			if 10*near < 9*words {
				t.Errorf("visibility within a step for %d of %d", near, words)
			}
		})
	}
}
