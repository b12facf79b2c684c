package visiontest

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFacesFromSeed: equal seeds give equal decks and equal pixels, other
// seeds others.
func TestFacesFromSeed(t *testing.T) {
	a, b, c := RandomFaces(5, FaceRanges{}), RandomFaces(5, FaceRanges{}), RandomFaces(6, FaceRanges{})
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("two decks of one seed: %s", d)
	}
	if cmp.Equal(a, c) || len(a.Of) != 60 || len(a.Faces) < 10 {
		t.Errorf("%d cards of %d faces", len(a.Of), len(a.Faces))
	}
	var pix [3][]byte
	for k, number := range []int{0, 0, 1} {
		v, err := NewFaceViews(a, FaceStation{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		f, err := v.View(3, number)
		if err != nil {
			t.Fatal(err)
		}
		pix[k] = f.Image.Pix
	}
	if !bytes.Equal(pix[0], pix[1]) || bytes.Equal(pix[0], pix[2]) {
		t.Error("a sighting is not a function of seed, card and number")
	}
}

// TestTwinsDiffer: in print, a twin differs from its face, in a small part of
// it only where art and class are the same.
func TestTwinsDiffer(t *testing.T) {
	for _, style := range FaceStyles() {
		d := RandomFaces(11, FaceRanges{Styles: []FaceStyle{style}, LookAlike: -1, Foils: -1, Turns: -1, Copies: 1, Cards: 3})
		r := stream(1, streamFace, 0)
		sleeve := Sleeve{}.withDefaults()
		for range 4 {
			twin := Twin(r, d.Faces[0], d.Game)
			a, err := paintFace(d.Game, d.Faces[0], sleeve, [3]float64{0.1, 0.1, 0.1}, 4)
			if err != nil {
				t.Fatal(err)
			}
			b, err := paintFace(d.Game, twin, sleeve, [3]float64{0.1, 0.1, 0.1}, 4)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i := range a.pix {
				if math.Abs(float64(a.pix[i]-b.pix[i])) > 0.02 {
					n++
				}
			}
			share := float64(n) / float64(len(a.pix))
			same := twin == d.Faces[0] || style == Symbols && twin.Seed == d.Faces[0].Seed
			small := twin.Class == d.Faces[0].Class && style != Symbols
			if !same && n == 0 || small && share > 0.05 {
				t.Errorf("%s: %+v and %+v differ in %.2f%% of the print", style, d.Faces[0], twin, 100*share)
			}
		}
	}
}
