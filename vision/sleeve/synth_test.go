package sleeve

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// synthViews renders a deck and rectifies every card from its true corners
// plus jitter px of Gaussian error, as a good finder would.
func synthViews(tb testing.TB, d visiontest.Deck, jitter float64) ([]Input, *visiontest.Truth) {
	tb.Helper()
	st, err := visiontest.New(d)
	if err != nil {
		tb.Fatal(err)
	}
	truth := st.Truth()
	rng := rand.New(rand.NewPCG(d.Seed, 99))
	var in []Input
	px := 0.0
	for f := range truth.Frames {
		img, err := st.Frame(f)
		if err != nil {
			tb.Fatal(err)
		}
		for k, c := range truth.Frames[f].Cards {
			q, ok := c.Quad()
			if !ok || c.Cut {
				continue
			}
			for i := range q {
				q[i] = q[i].Add(plane.Point{X: jitter * rng.NormFloat64(), Y: jitter * rng.NormFloat64()})
			}
			size := card.Size{WidthMM: truth.SleeveNominalMM[0], HeightMM: truth.SleeveNominalMM[1]}
			det := card.Detection{Corners: q, Size: size, Confidence: 1}
			if px == 0 {
				h, err := plane.QuadToQuad(plane.Rect(0, 0, size.WidthMM, size.HeightMM), q)
				if err != nil {
					tb.Fatal(err)
				}
				px = float64(int(h.Scale(plane.Point{X: size.WidthMM / 2, Y: size.HeightMM / 2}) + 0.999))
			}
			det.PxPerMM = px
			v, err := card.Rectify(img, det, card.RectifyOptions{Size: size, PxPerMM: px, MarginMM: 3})
			if err != nil {
				tb.Fatal(err)
			}
			in = append(in, Input{Name: fmt.Sprintf("%s#%d", truth.Frames[f].File, k), View: v, Card: det})
		}
	}
	return in, truth
}

// truthCards lists the truth's cards in the order of synthViews.
func truthCards(t *visiontest.Truth) []visiontest.TruthCard {
	var out []visiontest.TruthCard
	for _, f := range t.Frames {
		for _, c := range f.Cards {
			if _, ok := c.Quad(); ok && !c.Cut {
				out = append(out, c)
			}
		}
	}
	return out
}
