package card

import (
	"math"
	"testing"
)

// edgeProfile is a dark card, its darker shadow and a light table, as the mean
// profile of a side at half a pixel.
func edgeProfile(edge, rim float64) across {
	a := across{lo: -20, step: 0.5, pxPerMM: 4}
	for ch := range a.y {
		a.y[ch] = make([]float64, 81)
		for i := range a.y[ch] {
			x := a.lo + float64(i)*a.step
			step := func(at float64) float64 { return 0.5 * math.Erfc(-(x-at)/(0.8*math.Sqrt2)) }
			light := 0.02*(1-step(edge)) + 0.06*step(edge) + 0.4*step(rim)
			a.y[ch][i] = math.Log(light + darkLight)
		}
	}
	return a
}

// The edge of a black sleeve against its own shadow is a step beside the
// shadow's rim, though in light it is ten times lower.
func TestPeaksInTheShadow(t *testing.T) {
	a := edgeProfile(-2, 3)
	peaks := a.peaks(-15, 15)
	if len(peaks) != 2 {
		t.Fatalf("steps at %v", peaks)
	}
	found := [2]bool{}
	for _, p := range peaks {
		found[0] = found[0] || math.Abs(p+2) < 0.5
		found[1] = found[1] || math.Abs(p-3) < 0.6
	}
	if found != [2]bool{true, true} {
		t.Errorf("steps at %v, want -2 and 3", peaks)
	}
}

// A flat profile has no step, an empty one neither.
func TestPeaksOfNothing(t *testing.T) {
	a := edgeProfile(100, 100)
	if p := a.peaks(-15, 15); len(p) != 0 {
		t.Errorf("steps at %v in a flat profile", p)
	}
	if p := new(across).peaks(-1, 1); p != nil {
		t.Errorf("steps at %v in nothing", p)
	}
}

// A shadow takes light and leaves the colour.
func TestApart(t *testing.T) {
	table := [3]float64{-1, -0.8, -1.2}
	shadow := [3]float64{-2, -1.8, -2.2}
	if light, hue := apart(shadow, table); math.Abs(light+1) > 1e-12 || hue > 1e-12 {
		t.Errorf("a shadow is %g darker and %g off in colour", light, hue)
	}
	if _, hue := apart([3]float64{-1, -1.4, -1.2}, table); hue < 0.4 {
		t.Errorf("another colour is %g off", hue)
	}
}

// Doubt is large where another line is nearly as likely, small where it is not,
// and no line is as bad as to count for more than doubtPx.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		odds, far float64
		low, high float64
	}{
		{odds: 0, far: 3, low: 2, high: 2.3},
		{odds: 8, far: 3, low: 0, high: 0.1},
		{odds: 0, far: 50, low: 2.7, high: 2.9},
	} {
		d := draft{width: 300, pick: 0}
		for k := range d.rivals {
			d.rivals[k].list = []rival{{}, {at0: c.far, at1: c.far}}
		}
		d.combos = []combo{{}, {lines: [4]int{1, 0, 0, 0}, value: -scoreUnit * c.odds}}
		d.weighDoubt(false, 1)
		if v := d.doubt[0]; v < c.low || v > c.high || d.doubt[1] != 0 {
			t.Errorf("%+v: doubt %v", c, d.doubt)
		}
	}
}
