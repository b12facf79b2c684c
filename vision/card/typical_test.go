package card

import (
	"math"
	"testing"

	"fairdeck/vision/plane"
)

func cardOf(width, height float64) Detection {
	return Detection{Corners: plane.Rect(100, 80, width, height)}
}

func TestTypicalNeedsCards(t *testing.T) {
	var deck []Detection
	for range typicalCards - 1 {
		deck = append(deck, cardOf(330, 455))
	}
	if _, ok := TypicalOf(deck); ok {
		t.Errorf("%d cards state a size", len(deck))
	}
	unusable := cardOf(330, 455)
	unusable.Unusable = "cut by the frame"
	if _, ok := TypicalOf(append(deck, unusable)); ok {
		t.Error("a card that cannot be used counts")
	}
	if typical, ok := TypicalOf(append(deck, cardOf(330, 455))); !ok || typical.Cards != typicalCards || typical.SidesPx() != [2]float64{330, 455} {
		t.Errorf("%+v, %v", typical, ok)
	}
}

// One outline in eight lies on the inner sleeve, 1.2 mm inside: it differs, the
// others, off by fractions of a pixel, do not.
func TestTypicalTellsAnInnerSleeve(t *testing.T) {
	var deck []Detection
	for i := range 7 {
		e := 0.3 * math.Sin(float64(i)*2.1)
		deck = append(deck, cardOf(330+e, 455-e))
	}
	inner := cardOf(330-12, 455-12)
	typical, ok := TypicalOf(append(deck, inner))
	if !ok {
		t.Fatal("no typical size")
	}
	if !typical.Differs(inner) {
		t.Errorf("the inner sleeve is taken for typical: %+v", typical)
	}
	for i, d := range deck {
		if typical.Differs(d) {
			t.Errorf("card %d differs", i)
		}
	}
}

// Two sizes in equal parts are no one size.
func TestTypicalOfTwoSizes(t *testing.T) {
	var deck []Detection
	for range 5 {
		deck = append(deck, cardOf(330, 455), cardOf(318, 443))
	}
	if typical, ok := TypicalOf(deck); ok {
		t.Errorf("%+v", typical)
	}
}
