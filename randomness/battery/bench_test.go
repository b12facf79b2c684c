package battery

import (
	"context"
	"testing"
)

// deckOf makes a before order with the given numbers of copies, well mixed with a fixed seed; class
// 0 holds the first lands cards' faces.
func deckOf(counts []int, classFaces int) Spec {
	var s Spec
	for f, m := range counts {
		for range m {
			s.Before = append(s.Before, uint8(f))
		}
	}
	r := newRNG(42, 7)
	r.shuffle(s.Before)
	if classFaces > 0 {
		s.Class = make([]uint8, len(counts))
	}
	// Faces are numbered by first place, as the scorer does.
	code := map[uint8]uint8{}
	for i, f := range s.Before {
		k, ok := code[f]
		if !ok {
			k = uint8(len(code))
			code[f] = k
			if s.Class != nil && int(f) >= classFaces {
				s.Class[k] = 1
			}
		}
		s.Before[i] = k
	}
	s.Readings = append([]uint8(nil), s.Before...)
	return s
}

func ones(n int) []int {
	c := make([]int, n)
	for i := range c {
		c[i] = 1
	}
	return c
}

var mtg60 = []int{6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}

func benchTable(b *testing.B, s Spec, null Null) {
	bat, err := New(s)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	start, measured := cpuTime()
	for b.Loop() {
		if _, err := bat.NewTable(context.Background(), null, DefaultWeights(bat.Distinct()), NullOptions{Workers: 1, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/DefaultDraws, "ns/permutation")
	if end, _ := cpuTime(); measured { // on a busy machine the time this process had is the fairer number
		b.ReportMetric(float64((end-start).Nanoseconds())/float64(b.N)/DefaultDraws, "cpu-ns/permutation")
	}
}

// Each of these draws 100,000 orders of 60 cards on one core and evaluates the full battery.
func BenchmarkNull60Distinct(b *testing.B) { benchTable(b, deckOf(ones(60), 24), Null{}) }
func BenchmarkNull60DistinctRiffles(b *testing.B) {
	benchTable(b, deckOf(ones(60), 24), Null{Riffles: 7})
}
func BenchmarkNull60Copies(b *testing.B)        { benchTable(b, deckOf(mtg60, 5), Null{}) }
func BenchmarkNull60CopiesRiffles(b *testing.B) { benchTable(b, deckOf(mtg60, 5), Null{Riffles: 7}) }

func BenchmarkDraw60(b *testing.B) {
	bat, err := New(deckOf(ones(60), 24))
	if err != nil {
		b.Fatal(err)
	}
	s := bat.NewScratch()
	r := newRNG(1, 1)
	for b.Loop() {
		bat.fair(&r, s)
	}
}

func BenchmarkEvaluate60(b *testing.B) {
	for name, spec := range map[string]Spec{"distinct": deckOf(ones(60), 24), "copies": deckOf(mtg60, 5)} {
		bat, err := New(spec)
		if err != nil {
			b.Fatal(err)
		}
		s := bat.NewScratch()
		r := newRNG(1, 1)
		orders := make([][]uint8, 512)
		for i := range orders {
			bat.fair(&r, s)
			orders[i] = append([]uint8(nil), s.draw.order...)
		}
		parts := map[string]func(e []uint8, out *Codes){
			"all":        func(e []uint8, out *Codes) { bat.evaluate(e, s, out) },
			"neighbours": bat.neighbours,
			"strides":    func(e []uint8, out *Codes) { bat.strides(e, s, out) },
			"classes":    func(e []uint8, out *Codes) { bat.classStats(e, s, out) },
			"copies":     func(e []uint8, out *Codes) { bat.copyStats(e, s, out) },
		}
		if !bat.distinct {
			parts["chain of two"] = func(e []uint8, out *Codes) {
				bat.risingCopies([lanes][]uint8{e, orders[0]}, s.chain, [lanes]*Codes{out, new(Codes)})
			}
		}
		for part, f := range parts {
			b.Run(name+"/"+part, func(b *testing.B) {
				var out Codes
				i := 0
				for b.Loop() {
					f(orders[i&511], &out)
					i++
				}
			})
		}
	}
}
