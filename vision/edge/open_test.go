package edge_test

import (
	"testing"

	"fairdeck/vision/edge"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

func openStack(n int, pxPerLayer float64, seed uint64) visiontest.StackScene {
	sc := visiontest.NewStack(n, pxPerLayer, seed)
	sc.Open, sc.SideMM, sc.DepthMM = true, 66, 91
	return sc
}

// On an open side a line is two films; the count is of sleeves all the same,
// also where a bent sleeve parts the films of two.
func TestOpenSide(t *testing.T) {
	for name, c := range map[string]struct {
		n    int
		warp map[int]float64
	}{
		"flat":           {n: 45},
		"two bent":       {n: 52, warp: map[int]float64{14: 0.5, 38: 0.4}},
		"bent near ends": {n: 48, warp: map[int]float64{3: 0.6, 45: 0.6}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := openStack(c.n, 13, 3)
			for k, mm := range c.warp {
				sc.Layers[k].WarpMM = mm
			}
			img, _ := sc.Render()
			s := inspect(t, img, edge.Options{Side: edge.ShortOpen})
			if s.Count.Low > c.n || s.Count.High < c.n || s.Count.High-s.Count.Low > 2 {
				t.Errorf("told: %d layers counted as %v, votes %v", c.n, s.Count, s.Count.Votes)
			}
			s = inspect(t, img, edge.Options{})
			if s.Count.Low > c.n || s.Count.High < c.n {
				t.Errorf("not told: %d layers counted as %v, open with %.2f", c.n, s.Count, s.OpenProbability)
			}
			if s.OpenProbability < 0.5 {
				t.Errorf("an open side is taken for a closed one (%.3f)", s.OpenProbability)
			}
		})
	}
}

// A closed side is not taken for an open one, single sleeves or double.
func TestClosedSide(t *testing.T) {
	for name, double := range map[string]bool{"single": false, "double": true} {
		sc := visiontest.NewStack(50, 13, 8)
		sc.Double = double
		img, _ := sc.Render()
		s := inspect(t, img, edge.Options{})
		if s.OpenProbability > 0.5 || s.Count.Low > 50 || s.Count.High < 50 {
			t.Errorf("%s: open with %.3f, 50 layers counted as %v", name, s.OpenProbability, s.Count)
		}
	}
}

// A sheet that sticks out is found by its width and its shadow, and the dark
// sheet in that shadow is not called another sleeve.
func TestProtrusion(t *testing.T) {
	sc := visiontest.NewStack(60, 13, 21)
	at := map[int]bool{16: true, 34: true, 50: true}
	for k := range at {
		sc.Layers[k-1].ProtrusionMM = 0.7
	}
	img, _ := sc.Render()
	s := inspect(t, img, edge.Options{Side: edge.LongSide, FocalPx: sc.FocalPx})
	found := map[int]bool{}
	for _, o := range s.Outliers {
		switch {
		case at[o.Layer] && o.Kind == edge.Protrudes:
			found[o.Layer] = o.Visibility.Rank() >= sleeve.Visible.Rank()
		case o.Visibility.Rank() >= sleeve.Visible.Rank():
			t.Errorf("layer %d is accused: %s", o.Layer, o.Text)
		}
	}
	for k := range at {
		if !found[k] {
			t.Errorf("layer %d sticks out by 0.7 mm and is not found; count %v", k, s.Count)
		}
	}
}
