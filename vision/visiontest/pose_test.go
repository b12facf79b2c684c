package visiontest

import (
	"image"
	"testing"

	"fairdeck/vision/plane"
)

// White discs on a black, bowed sleeve are rendered, by their centroid, where
// the truth's map puts them: through tilt, roll and distortion, from both
// ends.
func TestSleevePointsLieWhereTheTruthSays(t *testing.T) {
	st, err := New(Deck{Seed: 4, Cards: 3, Turned: []int{1}, Sleeve: Sleeve{Colour: Black, BowMM: 1}, Light: Light{Ambient: 1},
		Camera: Camera{TiltDeg: 12, TiltTowardsDeg: 40, RollDeg: 3, K1: -0.2, K2: 0.08, P1: 0.001, P2: -0.0008}})
	if err != nil {
		t.Fatal(err)
	}
	const radius = 1.5
	for _, c := range st.cards {
		for _, p := range []plane.Point{{X: 8, Y: 8}, {X: 58, Y: 9}, {X: 57, Y: 82}, {X: 9, Y: 83}, {X: 33, Y: 45}, {X: 20, Y: 30}} {
			o := newOverlay(&c.shape, 24)
			from, to := boxAround(radius+0.2, p)
			o.each(from, to, func(u, v float64, x *texel) {
				x.ink(o.inside(plane.Point{X: u, Y: v}.Sub(p).Norm()-radius), [3]float64{1, 1, 1})
			})
			z, _, _ := c.surface(p.X, p.Y)
			want := st.view.project(c.toWorld(p.X, p.Y, z))
			l := newLayer(image.Rect(int(want.X)-16, int(want.Y)-16, int(want.X)+17, int(want.Y)+17))
			newShader(c, st.light, st.view, o).draw(l)
			bare := newLayer(l.Rectangle)
			newShader(c, st.light, st.view, nil).draw(bare)
			var sum float64
			var centre plane.Point
			for y := l.Min.Y; y < l.Max.Y; y++ {
				for i := range l.Dx() {
					w := float64(l.row(y)[3*i+1] - bare.row(y)[3*i+1])
					sum += w
					centre = centre.Add(plane.Point{X: float64(l.Min.X + i), Y: float64(y)}.Mul(w))
				}
			}
			// Overlays are sampled four times a pixel: 0.04 px of the centroid.
			if d := centre.Mul(1 / sum).Sub(want).Norm(); !(d < 0.06) {
				t.Errorf("card %d: the disc at %v is %.3f px from the truth", c.index, p, d)
			}
		}
	}
}
