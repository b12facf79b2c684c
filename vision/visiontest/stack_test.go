package visiontest

import (
	"bytes"
	"testing"
)

func TestStackIsReproducible(t *testing.T) {
	a, _ := NewStack(12, 8, 3).Render()
	b, _ := NewStack(12, 8, 3).Render()
	if !bytes.Equal(a.Pix, b.Pix) {
		t.Error("the same scene gave two pictures")
	}
	c, _ := NewStack(12, 8, 4).Render()
	if bytes.Equal(a.Pix, c.Pix) {
		t.Error("another seed gave the same picture")
	}
}

// The truth's rows are where the picture is bright, and half a layer below it
// is dark.
func TestStackTruthIsWhereTheLinesAre(t *testing.T) {
	sc := NewStack(20, 14, 5)
	img, truth := sc.Render()
	if len(truth.Layers) != 20 {
		t.Fatalf("%d layers in the truth", len(truth.Layers))
	}
	light := func(y float64) int {
		b, g, r := img.BGR(img.Width/2, int(y+0.5))
		return int(b) + int(g) + int(r)
	}
	for i, l := range truth.Layers[:19] {
		next := truth.Layers[i+1].YPx
		if on, off := light(l.YPx), light((l.YPx+next)/2); on < 2*off {
			t.Errorf("layer %d: line %d, cleft below it %d", i, on, off)
		}
	}
}
