package card_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/testutil"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// score compares what was found with the corners of the truth, over a half
// turn. A card is found when every corner is within 5% of a side.
type score struct {
	cards, found, spurious int
	sumSq, worst           float64
	corners                int
}

func (s *score) rms() float64 { return math.Sqrt(s.sumSq / float64(max(1, s.corners))) }

func (s *score) add(truth []plane.Quad, found []card.Detection) {
	s.cards += len(truth)
	used := make([]bool, len(found))
	for _, q := range truth {
		limit := 0.05 * math.Sqrt(math.Abs(q.Area()))
	search:
		for j, d := range found {
			for _, turn := range []int{0, 2} {
				far := 0.0
				sum := 0.0
				for i := range q {
					e := d.Corners[(i+turn)%4].Sub(q[i]).Norm()
					far = max(far, e)
					sum += e * e
				}
				if !used[j] && far < limit {
					used[j] = true
					s.found++
					s.sumSq += sum
					s.corners += 4
					s.worst = max(s.worst, far)
					break search
				}
			}
		}
	}
	for j := range found {
		if !used[j] {
			s.spurious++
		}
	}
}

func truthQuads(f visiontest.TruthFrame) []plane.Quad {
	var out []plane.Quad
	for _, c := range f.Cards {
		if q, ok := c.Quad(); ok && !c.Cut {
			out = append(out, q)
		}
	}
	return out
}

// render makes the first frame of a deck.
func render(t testing.TB, d visiontest.Deck) (*frame.Image, visiontest.TruthFrame) {
	t.Helper()
	st, err := visiontest.New(d)
	if err != nil {
		t.Fatal(err)
	}
	img, err := st.Frame(0)
	if err != nil {
		t.Fatal(err)
	}
	return img, st.Truth().Frames[0]
}

// TestSyntheticScenes finds cards on the tables that are hard: low contrast,
// grain, print, touching cards. The limits are what the finder does today with
// some room; lower them when it gets better, never raise them.
func TestSyntheticScenes(t *testing.T) {
	rosette := visiontest.Sleeve{Colour: visiontest.Blue, Art: visiontest.Art{Style: visiontest.Rosette}}
	bordered := visiontest.Sleeve{Colour: visiontest.Red, Unsleeved: true,
		Art: visiontest.Art{Style: visiontest.Filigree, BorderMM: 3, Border: visiontest.White}}
	plain := func(c visiontest.Colour) visiontest.Sleeve { return visiontest.Sleeve{Colour: c} }
	on := func(k visiontest.TableKind) visiontest.Table { return visiontest.Table{Kind: k} }
	lens := visiontest.Camera{K1: -0.15, TiltDeg: 6, TiltTowardsDeg: 130, RollDeg: 2}

	for _, c := range []struct {
		name string
		deck visiontest.Deck
		rms  float64 // px
	}{
		{"blue on paper", visiontest.Deck{Seed: 11, Cards: 1, Sleeve: plain(visiontest.Blue), Camera: lens}, 1},
		{"white on paper", visiontest.Deck{Seed: 12, Cards: 1, Sleeve: plain(visiontest.White), Camera: lens}, 0.5},
		{"white on wood", visiontest.Deck{Seed: 13, Cards: 1, Sleeve: plain(visiontest.White), Table: on(visiontest.Wood), Camera: lens}, 0.5},
		{"black on playmat", visiontest.Deck{Seed: 14, Cards: 1, Sleeve: plain(visiontest.Black), Table: on(visiontest.Playmat), Camera: lens}, 0.6},
		{"art on playmat", visiontest.Deck{Seed: 15, Cards: 1, Sleeve: rosette, Table: on(visiontest.Playmat), Camera: lens}, 1},
		{"bare card on wood", visiontest.Deck{Seed: 16, Cards: 1, Sleeve: bordered, Table: on(visiontest.Wood), Camera: lens}, 0.8},
		{"white grid on a printed mat", visiontest.Deck{Seed: 17, Cards: 15, Sleeve: plain(visiontest.White), Table: on(visiontest.PrintedMat),
			Layout: visiontest.Layout{Rows: 3, Cols: 5, GapMM: 8}}, 0.5},
		{"an empty table", visiontest.Deck{Seed: 18, Empty: 1, Table: on(visiontest.Wood)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			img, truth := render(t, c.deck)
			res, err := card.Find(context.Background(), img, card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var s score
			s.add(truthQuads(truth), res.Usable())
			t.Logf("%d of %d found, %d spurious, corners %.2f px rms, %.2f px worst", s.found, s.cards, s.spurious, s.rms(), s.worst)
			if s.found != s.cards || s.spurious != 0 {
				t.Errorf("%d of %d cards found, %d spurious", s.found, s.cards, s.spurious)
			}
			if s.rms() > c.rms {
				t.Errorf("corners are %.2f px off, want at most %.2f", s.rms(), c.rms)
			}
			for _, d := range res.Usable() {
				for i, sigma := range d.SigmaPx {
					if !(sigma > 0 && sigma < 5) {
						t.Errorf("corner %d has an uncertainty of %g px", i, sigma)
					}
				}
				if r := d.PxPerMM * d.Size.WidthMM / d.Corners.Sides()[0]; math.Abs(r-1) > 0.1 {
					t.Errorf("%g px/mm and %g mm do not make %g px", d.PxPerMM, d.Size.WidthMM, d.Corners.Sides()[0])
				}
				if s := d.Corners.Sides(); s[0] > s[1] {
					t.Errorf("the first side is a long one: %v", s)
				}
			}
		})
	}
}

// TestFixtureDecks holds the corners of the rendered decks to 0.35 px.
func TestFixtureDecks(t *testing.T) {
	root := testutil.Fixtures(t, "decks")
	for _, name := range []string{"d2_marks_matte_blue", "d4_batch_gloss_art"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(filepath.Join(root, name, "truth.json"))
			if err != nil {
				t.Skipf("fixture deck not here: %v", err)
			}
			defer f.Close()
			truth, err := visiontest.ReadTruth(f)
			if err != nil {
				t.Fatal(err)
			}
			var s score
			for i := 0; i < len(truth.Frames); i += 3 { // a third keeps the test short
				img := load(t, filepath.Join(root, name, truth.Frames[i].File))
				res, err := card.Find(context.Background(), img, card.Options{})
				if err != nil {
					t.Fatal(err)
				}
				s.add(truthQuads(truth.Frames[i]), res.Usable())
			}
			t.Logf("%d of %d, corners %.3f px rms, %.3f px worst", s.found, s.cards, s.rms(), s.worst)
			if s.found != s.cards || s.spurious != 0 || s.rms() > 0.35 {
				t.Errorf("%d of %d found, %d spurious, corners %.3f px", s.found, s.cards, s.spurious, s.rms())
			}
		})
	}
}

func load(t testing.TB, path string) *frame.Image {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w, h := pictureSize(t, data)
	img, err := cv.Decode(data, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestRealPhotos asks for the least number of usable cards that each photo
// yields, and the most.
func TestRealPhotos(t *testing.T) {
	for _, c := range []struct {
		path        string
		least, most int
	}{
		{"tables-mtg/black.jpg", 7, 8},
		{"tables-mtg/dragon_whelp.jpg", 1, 1},
		{"tables-mtg/instill_energy.jpg", 1, 1},
		{"tables-mtg/geyser_twister_fireball.jpg", 3, 3},
		{"marked-backs/1-right.jpg", 3, 3},
		{"tables-playing-cards/IMG_2560.JPG", 4, 4},
		{"tables-playing-cards/IMG_2383.JPG", 1, 1},
		{"tables-playing-cards/cam_image45.jpg", 4, 4},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			t.Parallel()
			img := load(t, testutil.Fixtures(t, "real", c.path))
			res, err := card.Find(context.Background(), img, card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(res.Usable()); n < c.least || n > c.most {
				t.Errorf("%d usable cards, want %d to %d", n, c.least, c.most)
			}
		})
	}
}

func TestHostilePictures(t *testing.T) {
	noise := frame.New(400, 300)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.Uint32())
	}
	stripes := frame.New(320, 240)
	for i := range stripes.Pix {
		stripes.Pix[i] = uint8(255 * (i / 12 % 2))
	}
	for name, img := range map[string]*frame.Image{
		"1x1": frame.New(1, 1), "2x3": frame.New(2, 3), "3x3": frame.New(3, 3), "black": frame.New(640, 480),
		"noise": noise, "stripes": stripes, "20000x3": frame.New(20000, 3), "3x20000": frame.New(3, 20000),
	} {
		t.Run(name, func(t *testing.T) {
			res, err := card.Find(context.Background(), img, card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(res.Usable()); n != 0 {
				t.Errorf("%d cards in it", n)
			}
		})
	}
	for name, img := range map[string]*frame.Image{"nil": nil, "empty": {}, "short": {Width: 9, Height: 9, Pix: make([]uint8, 5)}} {
		if _, err := card.Find(context.Background(), img, card.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := card.Find(ctx, frame.New(100, 100), card.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestTurnedFrame finds the same corners in a frame turned by a quarter.
func TestTurnedFrame(t *testing.T) {
	img, truth := render(t, visiontest.Deck{Seed: 21, Cards: 1, Sleeve: visiontest.Sleeve{Colour: visiontest.White}, Table: visiontest.Table{Kind: visiontest.Playmat}})
	want := truthQuads(truth)[0]
	for turn := range 4 {
		t.Run(fmt.Sprint(90*turn), func(t *testing.T) {
			m, q := img, want
			for range turn {
				m, q = quarter(m, q)
			}
			res, err := card.Find(context.Background(), m, card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var s score
			s.add([]plane.Quad{q}, res.Usable())
			if s.found != 1 || s.rms() > 0.5 {
				t.Errorf("found %d, corners %.2f px", s.found, s.rms())
			}
		})
	}
}

// quarter turns a picture clockwise: (x, y) goes to (height-1-y, x).
func quarter(m *frame.Image, q plane.Quad) (*frame.Image, plane.Quad) {
	out := frame.New(m.Height, m.Width)
	for y := range m.Height {
		for x := range m.Width {
			b, g, r := m.BGR(x, y)
			out.SetBGR(m.Height-1-y, x, b, g, r)
		}
	}
	for i, p := range q {
		q[i] = plane.Point{X: float64(m.Height-1) - p.Y, Y: p.X}
	}
	return out, q
}

func TestDetectionIsJSON(t *testing.T) {
	b, err := json.Marshal(card.Result{Cards: []card.Detection{{Unusable: "blurred"}}})
	if err != nil {
		t.Fatal(err)
	}
	var back card.Result
	if err := json.Unmarshal(b, &back); err != nil || back.Cards[0].Unusable != "blurred" {
		t.Errorf("%v, %v", back, err)
	}
}

func BenchmarkFindAndRectify(b *testing.B) {
	run := func(b *testing.B, img *frame.Image) {
		for b.Loop() {
			res, err := card.Find(context.Background(), img, card.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for _, d := range res.Usable() {
				if _, err := card.Rectify(img, d, card.RectifyOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("one card, 1280x720", func(b *testing.B) {
		img, _ := render(b, visiontest.Deck{Seed: 31, Cards: 1})
		run(b, img)
	})
	b.Run("40 cards, 27 megapixels", func(b *testing.B) {
		run(b, load(b, testutil.Fixtures(b, "real", "tables-mtg", "alpha_deck.jpg")))
	})
}
