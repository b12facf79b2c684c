package visiontest_test

import (
	"math/rand/v2"
	"testing"

	"fairdeck/vision/visiontest"
)

// Random decks are consistent, keep to their ranges and are as varied as
// promised.
func TestRandomSpec(t *testing.T) {
	tables, finishes, styles := map[visiontest.TableKind]bool{}, map[visiontest.Finish]bool{}, map[visiontest.ArtStyle]bool{}
	marks, grids, turned, batches := 0, 0, 0, 0
	for seed := range uint64(300) {
		d := visiontest.RandomSpec(seed, visiontest.Ranges{})
		tables[d.Table.Kind], finishes[d.Sleeve.Finish], styles[d.Sleeve.Art.Style] = true, true, true
		marks += len(d.Marks)
		if d.Layout.Rows > 0 {
			grids++
		}
		turned += min(1, len(d.Turned))
		batches += min(1, len(d.Batches))
		if d.Cards < 20 || d.Cards > 60 || d.Camera.WidthPx*d.Camera.HeightPx > 1920*1080 || d.Camera.TiltDeg > 12 {
			t.Errorf("seed %d is out of range: %d cards, %+v", seed, d.Cards, d.Camera)
		}
	}
	if len(tables) != len(visiontest.TableKinds()) || len(finishes) != 3 || len(styles) != len(visiontest.ArtStyles())+1 {
		t.Errorf("%d tables, %d finishes, %d styles", len(tables), len(finishes), len(styles))
	}
	if marks < 600 || grids < 25 || turned < 15 || batches < 40 {
		t.Errorf("%d marks, %d grids, %d decks with turned sleeves, %d with batches", marks, grids, turned, batches)
	}
	for seed := range uint64(4) {
		d := visiontest.RandomSpec(visiontest.HeldOut+seed, visiontest.Ranges{MinCards: 4, MaxCards: 4, MaxPixels: 640 * 480})
		render(t, station(t, d), 0)
	}
}

func TestCleanDecksAreClean(t *testing.T) {
	for seed := range uint64(40) {
		d := visiontest.RandomSpec(seed, visiontest.Ranges{Clean: true, MinCards: 3, MaxCards: 3, Tidy: true, Singles: true})
		if len(d.Marks)+len(d.Turned)+len(d.Batches)+len(d.Odd)+len(d.Cut)+len(d.Aliens)+d.Empty+d.Layout.Rows > 0 {
			t.Errorf("seed %d: %+v", seed, d)
		}
	}
}

func TestRandomMarksCoverAllKinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	kinds := map[visiontest.Kind]int{}
	for range 400 {
		m := visiontest.RandomMark(r, 66, 91)
		kinds[m.Kind]++
		if m.SizeMM <= 0 || m.DeltaE < 4 || m.DeltaE > 45 {
			t.Fatalf("%+v", m)
		}
	}
	if len(kinds) != 9 {
		t.Errorf("%v", kinds)
	}
}

func TestGallery(t *testing.T) {
	base := visiontest.Deck{Seed: 3, Cards: 8, Camera: smallCamera()}
	truth := station(t, visiontest.Gallery(base, visiontest.PenDot, 0.7, 12, 5)).Truth()
	marked, places := 0, map[visiontest.Pair]bool{}
	for _, f := range truth.Frames {
		for _, m := range f.Cards[0].Marks {
			marked++
			places[*m.WhereMM] = true
			if m.Kind != "pen_dot" || m.SizeMM != 0.7 {
				t.Errorf("%+v", m)
			}
		}
	}
	if marked != 5 || len(places) != 5 {
		t.Errorf("%d marks at %d places", marked, len(places))
	}
}
