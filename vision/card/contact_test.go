package card

import (
	"math"
	"testing"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// shadowed is a profile across a side: a blue card up to 0, then the table,
// dark up to rim px and lit beyond, all seen through a lens that blurs by
// sigma px.
func shadowed(lo float64, k int, rim, dark, sigma float64) []float64 {
	card, table := [3]float64{0.24, 0.05, 0.03}, [3]float64{0.55, 0.61, 0.68}
	m := make([]float64, 3*k)
	rise := func(x, at float64) float64 { return 0.5 * math.Erfc(-(x-at)/(sigma*math.Sqrt2)) }
	for i := range k {
		x := lo + float64(i)*contactStep
		for ch := range 3 {
			m[ch*k+i] = card[ch]*(1-rise(x, 0)) + table[ch]*(dark*rise(x, 0)+(1-dark)*rise(x, rim))
		}
	}
	return m
}

// A card in the shadow of its own edge ends where it ends and not where the
// shadow does, which is the greater step.
func TestCardEndsBeforeItsShadow(t *testing.T) {
	const lo, k, sigma = -7.0, 32, 0.8
	for _, rim := range []float64{1.5, 2.5, 3.2} {
		m := shadowed(lo, k, rim, 0.15, sigma)
		// The step detector stands at the rim.
		f := fitContact(m, k, lo, 4, contactOut, [3]float64{0.55, 0.61, 0.68}, 5, sigma)
		at, spread := f.place()
		if math.Abs(at) > 0.4 || spread > 1 {
			t.Errorf("shadow of %g px: the card ends at %.2f ± %.2f px", rim, at, spread)
		}
	}
}

// Two cards and the table between them are not one card; one card is.
func TestTableInside(t *testing.T) {
	img := frame.New(200, 160)
	fill := func(x0, y0, x1, y1 int, c uint8) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				img.SetBGR(x, y, c, c, c)
			}
		}
	}
	fill(0, 0, 200, 160, 200)
	fill(40, 30, 98, 110, 60)
	fill(102, 30, 160, 110, 60)
	l := &level{img: img, scale: 1}
	if !l.tableInside(plane.Rect(40, 30, 119, 79)) {
		t.Error("two cards pass for one")
	}
	if l.tableInside(plane.Rect(40, 30, 57, 79)) {
		t.Error("one card is taken for two")
	}
}
