package battery

import (
	"testing"

	"pgregory.net/rapid"
)

// The short cuts give the codes of the general functions.
func TestShortCutsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 64).Draw(t, "cards")
		spec := Spec{Class: make([]uint8, n)}
		classes := rapid.IntRange(2, 3).Draw(t, "classes")
		for i := range n {
			spec.Before = append(spec.Before, uint8(i))
			spec.Class[i] = uint8(rapid.IntRange(0, classes-1).Draw(t, "class"))
		}
		spec.Readings = spec.Before
		b, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if !b.identity.ok || !b.arrange.masks {
			t.Fatal("no short cut for a plain deck")
		}
		s := b.NewScratch()
		r := newRNG(rapid.Uint64().Draw(t, "seed"), 1)
		b.riffled(Null{Riffles: rapid.IntRange(0, 6).Draw(t, "riffles")}, &r, s)
		var fast, plain Codes
		b.evaluate(s.draw.order, s, &fast)
		b.orderStats(s.draw.order, s, &plain)
		plain[KeptLight] = 0 // not active with distinct cards
		if len(b.arrange.classes) > 0 {
			b.classStats(s.draw.order, s, &plain)
		}
		if fast != plain {
			for st := range NumStats {
				if fast[st] != plain[st] {
					t.Errorf("%s: %d short cut, %d plain", st, fast[st], plain[st])
				}
			}
		}
	})
}
