package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fairdeck/internal/check"
	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/record"
	"fairdeck/internal/testutil"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// demo is a picture of the demo deck by its index.
func demo(t *testing.T, indices ...int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue", "back_*.jpg"))
	if err != nil || len(files) != 60 {
		t.Fatalf("%d pictures (%v)", len(files), err)
	}
	var out []string
	for _, i := range indices {
		out = append(out, files[i])
	}
	return out
}

func run(t *testing.T, o check.Options) (*record.Check, *record.Evidence) {
	t.Helper()
	o.Now = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	c, e, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// TestSingles runs five pictures, one of them marked, with one worker and with
// four: the same check, with evidence for what it says.
func TestSingles(t *testing.T) {
	files := demo(t, 0, 2, 3, 4, 5)
	stages := map[check.Stage]int{}
	var mu sync.Mutex
	busy := false
	one, e := run(t, check.Options{Patterns: files, Workers: 1})
	four, _ := run(t, check.Options{Patterns: files, Workers: 4, Progress: func(s check.Stage, done, total int) {
		if !mu.TryLock() {
			busy = true
			return
		}
		defer mu.Unlock()
		if done < 0 || done > total {
			t.Errorf("%s: %d of %d", s, done, total)
		}
		stages[s] = done
	}})
	if d := cmp.Diff(one, four, cmpopts.IgnoreTypes(record.Timings{})); d != "" {
		t.Errorf("the number of workers changes the check (-1 +4):\n%s", d)
	}
	if busy {
		t.Error("progress was told twice at the same time")
	}
	for _, s := range []check.Stage{check.StageRead, check.StageRectify, check.StageInspect} {
		if stages[s] != 5 {
			t.Errorf("stage %q ended at %d of 5", s, stages[s])
		}
	}

	if one.Verdict.Level != record.Flagged || one.Layout.Kind != "one-per-frame" || one.Layout.By != "geometry" {
		t.Errorf("verdict %+v, layout %+v", one.Verdict, one.Layout)
	}
	if !one.Sleeves[1].Flagged() || one.Verdict.Count.Flagged != 1 {
		t.Errorf("flagged: %+v", one.Verdict.Count)
	}
	if one.Created.Nanosecond() != 0 || one.Created.Location() != time.UTC {
		t.Errorf("created %v", one.Created)
	}
	for i, s := range one.Sources {
		if s.File != files[i] || s.Cards != 1 || s.WidthPx != 1280 || s.HeightPx != 720 {
			t.Errorf("source %d: %+v", i, s)
		}
	}
	if len(e.Sleeves) != 5 || len(e.Consensus) != len(one.Groups) || e.PxPerMM <= 0 {
		t.Fatalf("evidence of %d sleeves, %d consensus pictures", len(e.Sleeves), len(e.Consensus))
	}
	if p := e.Sleeves[1]; p.View.Empty() || len(p.DeltaE) != p.View.Width*p.View.Height {
		t.Error("the marked sleeve has no picture or no heat map")
	}
	var b bytes.Buffer
	if err := one.Encode(&b); err != nil {
		t.Fatal(err)
	}
	again, err := record.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(one, again); d != "" {
		t.Errorf("written and read (-want +got):\n%s", d)
	}
}

// sheet pastes pictures of the demo deck side by side: a picture with a grid.
func sheet(t *testing.T, name string, files []string, cols int) string {
	t.Helper()
	rows := (len(files) + cols - 1) / cols
	// The middle of the picture, where the card lies.
	part := image.Rect(330, 40, 950, 690)
	out := image.NewRGBA(image.Rect(0, 0, cols*part.Dx(), rows*part.Dy()))
	for i, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		img, err := cv.Decode(data, 1280, 720)
		if err != nil {
			t.Fatal(err)
		}
		at := image.Pt(i%cols*part.Dx(), i/cols*part.Dy())
		draw.Draw(out, image.Rectangle{at, at.Add(part.Size())}, img, part.Min, draw.Src)
	}
	data := encodeJPEG(t, out)
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGridAndMixed: many sleeves in one picture, in reading order, and a
// single beside them.
func TestGridAndMixed(t *testing.T) {
	grid := sheet(t, "grid.jpg", demo(t, 0, 2, 3, 4, 5, 6), 3)
	c, _ := run(t, check.Options{Patterns: []string{grid}})
	if c.Layout.Kind != "grid" || c.Verdict.Count.Sleeves != 6 || len(c.Sleeves) != 6 {
		t.Fatalf("layout %+v, %+v", c.Layout, c.Verdict.Count)
	}
	for i, s := range c.Sleeves {
		mid := plane.Quad(s.Corners).Centre()
		col, row := int(mid.X)/620, int(mid.Y)/650
		if s.Sleeve != i+1 || s.Card != i+1 || row*3+col != i {
			t.Errorf("sleeve %d, card %d lies in row %d, column %d", s.Sleeve, s.Card, row, col)
		}
	}
	if !c.Sleeves[1].Flagged() {
		t.Errorf("the marked sleeve is not flagged: %v", c.Verdict.Lines)
	}

	c, _ = run(t, check.Options{Patterns: append([]string{grid}, demo(t, 7)...)})
	if c.Layout.Kind != "mixed" || c.Verdict.Count.Sleeves != 7 || !strings.Contains(c.Layout.Text, "7 cards") {
		t.Errorf("mixed: layout %+v, %+v", c.Layout, c.Verdict.Count)
	}

	c, _ = run(t, check.Options{Patterns: append([]string{grid}, demo(t, 7)...), Layout: check.OnePerFrame})
	if c.Layout.By != "user" || c.Verdict.Count.Sleeves != 2 {
		t.Errorf("one per frame: layout %+v, %+v", c.Layout, c.Verdict.Count)
	}
	if !slices.ContainsFunc(c.Problems, func(p record.Problem) bool { return p.Code == "extra-cards" && p.File == grid }) {
		t.Errorf("the cards left out are not told: %v", c.Problems)
	}
}

// TestEmptyTable: pictures without a card are not a clean deck.
func TestEmptyTable(t *testing.T) {
	st, err := visiontest.New(visiontest.Deck{Seed: 3, Empty: 2})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := st.WriteFolder(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	c, e := run(t, check.Options{Patterns: []string{dir}})
	if c.Verdict.Level != record.NotGoodEnough || len(c.Problems) != 2 || len(e.Sleeves) != 0 {
		t.Errorf("%+v, problems %v", c.Verdict, c.Problems)
	}
}

// TestSamePictureTwice uses it once and says so.
func TestSamePictureTwice(t *testing.T) {
	files := demo(t, 3, 4, 5)
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	twin := filepath.Join(t.TempDir(), "copy.jpg")
	if err := os.WriteFile(twin, data, 0o644); err != nil {
		t.Fatal(err)
	}
	c, _ := run(t, check.Options{Patterns: append(files, twin)})
	if c.Verdict.Count.Sleeves != 3 {
		t.Errorf("%d sleeves, want 3", c.Verdict.Count.Sleeves)
	}
	if !slices.ContainsFunc(c.Warnings, func(w record.Warning) bool { return w.Code == "same-picture" && w.File == twin }) {
		t.Errorf("not told: %v", c.Warnings)
	}
}

func TestNoInput(t *testing.T) {
	_, _, err := check.Run(context.Background(), check.Options{Patterns: []string{filepath.Join(t.TempDir(), "nowhere")}})
	var none *check.InputError
	if !errors.As(err, &none) || len(none.Problems) != 1 {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := check.Run(ctx, check.Options{Patterns: demo(t, 0)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
}

func encodeJPEG(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A run without any picture says which input was at fault and what to do.
func ExampleRun() {
	_, _, err := check.Run(context.Background(), check.Options{Patterns: []string{"photos/back_*.jpg"}})
	fmt.Println(err)
	// Output:
	// no picture could be read
	//   photos/back_*.jpg: no file matches; check the folder and the pattern
}
