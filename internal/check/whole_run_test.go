package check_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
)

// red copies pictures of the blue demo deck with red sleeves; the table stays.
func red(t *testing.T, files []string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		out := image.NewRGBA(img.Bounds())
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				if b > r+r/4 {
					r, b = b, r
				}
				out.SetRGBA(x, y, color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 255})
			}
		}
		var buf bytes.Buffer
		if err := jpeg.Encode(&buf, out, &jpeg.Options{Quality: 92}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var mainAndSide = [][]string{{"main", "side"}, {"extra"}}

// TestWholeDeck: two parts of the same sleeves make one check; the marks are
// found in the part that holds them, under its own number.
func TestWholeDeck(t *testing.T) {
	c, e := run(t, check.Options{
		Parts: []check.PartInput{{Part: "main", Patterns: demo(t, 0, 3, 4, 5, 6, 7)}, {Part: "side", Patterns: demo(t, 9, 2, 10), Cards: 15}},
		Alike: mainAndSide,
	})
	if len(c.Parts) != 2 || len(c.Relations) != 0 || len(c.Sleeves) != 9 || len(e.Sleeves) != 9 {
		t.Fatalf("%d parts, relations %+v, %d sleeves", len(c.Parts), c.Relations, len(c.Sleeves))
	}
	var flagged []string
	for _, s := range c.Sleeves {
		if s.Flagged() {
			flagged = append(flagged, s.Part+" "+string(rune('0'+s.Place)))
		}
	}
	// Picture 2 of the deck has a worn corner that is seen at once.
	if !slices.Contains(flagged, "side 2") || slices.ContainsFunc(flagged, func(s string) bool { return strings.HasPrefix(s, "main") }) {
		t.Errorf("flagged: %v", flagged)
	}
	main, side := c.Parts[0], c.Parts[1]
	if main.Level != record.NothingToSee || side.Level != record.Flagged || c.Verdict.Level != record.Flagged {
		t.Errorf("levels: main %s, side %s, whole %s", main.Level, side.Level, c.Verdict.Level)
	}
	if main.Cards != (record.Cards{Min: 6, Max: 6, By: record.CountedByPictures}) || side.Cards != (record.Cards{Min: 15, Max: 15, By: record.CountedByPerson}) {
		t.Errorf("cards: %+v, %+v", main.Cards, side.Cards)
	}
	if !strings.Contains(c.Verdict.Lines[1], "Side deck: Sleeve 2 ") || !strings.Contains(c.Verdict.Lines[1], "Main deck: nothing to see.") {
		t.Errorf("the verdict says %q", c.Verdict.Lines)
	}
	if !slices.Equal(main.ComparedWith, []string{"side"}) || c.Groups[0].Name != c.Groups[1].Name {
		t.Errorf("compared with %v, groups %+v", main.ComparedWith, c.Groups)
	}
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	if again, err := record.Decode(&b); err != nil || again.Parts[1].Part != "side" {
		t.Errorf("written and read: %v", err)
	}
}

// TestWholeDeckDiffers: a side deck of other sleeves is one difference between
// the parts and no mark on any sleeve; where the book lets the parts differ it
// is none at all.
func TestWholeDeckDiffers(t *testing.T) {
	sideDir := red(t, demo(t, 9, 10, 12, 13, 14))
	in := []check.PartInput{{Part: "main", Patterns: demo(t, 0, 3, 4, 5, 6, 7)}, {Part: "side", Patterns: []string{sideDir}}}
	c, _ := run(t, check.Options{Parts: in, Alike: mainAndSide})
	if len(c.Relations) != 1 || c.Relations[0].Parts != [2]string{"main", "side"} || c.Relations[0].Visibility != "obvious" {
		t.Fatalf("relations %+v", c.Relations)
	}
	if n := c.Verdict.Count; n.Flagged != 0 || c.Verdict.Level != record.Flagged || !strings.HasPrefix(c.Verdict.Lines[0], "The parts of the deck") {
		t.Errorf("%+v %s %q", n, c.Verdict.Level, c.Verdict.Lines)
	}
	if c.Groups[0].Name == c.Groups[1].Name || c.Relations[0].Groups != [2]string{c.Groups[0].Name, c.Groups[1].Name} {
		t.Errorf("groups %+v, relation %+v", c.Groups, c.Relations[0])
	}

	in[1].Part = "extra"
	c, _ = run(t, check.Options{Parts: in, Alike: mainAndSide})
	if len(c.Relations) != 0 || c.Verdict.Level != record.NothingToSee || len(c.Parts[0].ComparedWith) != 0 {
		t.Errorf("extra deck: relations %+v, %s", c.Relations, c.Verdict.Level)
	}
}

// TestWholeDeckInput: a part without pictures is said to be so and costs the
// other parts nothing; the same picture in two parts is told.
func TestWholeDeckInput(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "side")
	main := check.PartInput{Part: "main", Patterns: demo(t, 0, 3, 4, 5, 6, 7)}
	c, _ := run(t, check.Options{Parts: []check.PartInput{main, {Part: "side", Patterns: []string{missing}}}, Alike: mainAndSide})
	if c.Verdict.Level != record.Incomplete || c.Parts[0].Level != record.NothingToSee || c.Parts[1].Level != record.NotGoodEnough {
		t.Errorf("%s: %+v", c.Verdict.Level, c.Parts)
	}
	if len(c.Problems) == 0 || c.Problems[0].Part != "side" {
		t.Errorf("problems %+v", c.Problems)
	}

	c, _ = run(t, check.Options{Parts: []check.PartInput{main, {Part: "side", Patterns: demo(t, 7, 9, 10)}}, Alike: mainAndSide})
	if !slices.ContainsFunc(c.Warnings, func(w record.Warning) bool { return w.Part == "side" && strings.Contains(w.Text, "of the main deck") }) {
		t.Errorf("warnings %+v", c.Warnings)
	}
	if n := c.Parts[1].Cards; n.Min != 2 || n.Max != 3 {
		t.Errorf("cards %+v", n)
	}

	_, _, err := check.Run(context.Background(), check.Options{Parts: []check.PartInput{{Part: "main", Patterns: []string{missing}}, {Part: "side", Patterns: []string{missing}}}})
	var none *check.InputError
	if !errors.As(err, &none) {
		t.Errorf("no picture at all: %v", err)
	}
}
