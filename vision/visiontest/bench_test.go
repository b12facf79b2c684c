package visiontest_test

import (
	"testing"

	"fairdeck/vision/visiontest"
)

// BenchmarkFrame is one 1280 x 720 picture with one card, JPEG and back.
func BenchmarkFrame(b *testing.B) {
	for name, s := range map[string]visiontest.Sleeve{
		"plain": {},
		"art":   {Finish: visiontest.Gloss, Art: visiontest.Art{Style: visiontest.Rosette}},
	} {
		b.Run(name, func(b *testing.B) {
			st := station(b, visiontest.Deck{Seed: 3, Cards: 6, Sleeve: s})
			render(b, st, 0) // paints the table
			for i := 0; b.Loop(); i++ {
				render(b, st, i%6)
			}
		})
	}
}

// BenchmarkNew works out the truth of 20 sleeves with 6 measured marks.
func BenchmarkNew(b *testing.B) {
	d := visiontest.Gallery(visiontest.Deck{Seed: 3, Cards: 20}, visiontest.Dent, 4, 8, 6)
	for b.Loop() {
		station(b, d)
	}
}
