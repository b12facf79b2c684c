package battery

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"fairdeck/randomness/theory"
	"pgregory.net/rapid"
)

// drawSpec makes a small deck with copies, sometimes with reading errors.
func drawSpec(t *rapid.T, most int) Spec {
	n := rapid.IntRange(5, most).Draw(t, "cards")
	faces := rapid.IntRange(2, n).Draw(t, "faces")
	var s Spec
	for i := range n {
		s.Before = append(s.Before, uint8(i%faces))
	}
	r := newRNG(rapid.Uint64().Draw(t, "seed"), 3)
	r.shuffle(s.Before)
	s.Readings = slices.Clone(s.Before)
	for range rapid.IntRange(0, 2).Draw(t, "errors") {
		s.Readings[rapid.IntRange(0, n-1).Draw(t, "place")] = []uint8{Unread, 0, uint8(faces - 1)}[rapid.IntRange(0, 2).Draw(t, "as")]
	}
	s.Class = make([]uint8, faces)
	for i := range s.Class {
		s.Class[i] = uint8(rapid.IntRange(0, 2).Draw(t, "class"))
	}
	return s
}

// paths walks over all picks of copies and adds up their weights, the slow way.
func paths(b *Battery, e []uint8, theta, beta float64, use []float64) float64 {
	o := &b.order
	places := map[uint8][]int{}
	for p, c := range e {
		places[c] = append(places[c], p)
	}
	total := 0.0
	pick := make([]int, len(o.seq))
	var walk func(i int, w float64)
	walk = func(i int, w float64) {
		if i == len(o.seq) {
			total += w
			for _, p := range pick {
				use[p] += w
			}
			return
		}
		for _, p := range places[o.seq[i]] {
			v := w / float64(len(places[o.seq[i]]))
			if i > 0 {
				prev := pick[i-1]
				bonus := 0.0
				if p == prev+1 && o.adj[i-1] {
					bonus = math.Exp(beta) - 1
				}
				switch {
				case p == prev:
					v = 0 // a copy does not follow itself
				case p < prev:
					v *= math.Exp(-theta)
				default:
					v *= 1 + bonus
				}
			}
			if v == 0 {
				continue
			}
			pick[i] = p
			walk(i+1, v)
		}
	}
	walk(0, 1)
	return total
}

func TestChainIsTheSumOverPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, 8)
		b, err := New(spec)
		if err != nil || b.distinct || !b.active[Rising] {
			t.Skip("not a deck with copies")
		}
		all := b.NewScratch()
		s := all.chain
		r := newRNG(rapid.Uint64().Draw(t, "order"), 4)
		var e [lanes][]uint8
		for lane := range lanes {
			b.fair(&r, all)
			e[lane] = slices.Clone(all.draw.order)
			b.place(e[lane], lane, s)
		}
		b.ranks(s)
		plain, sticky := b.forwardTwo(s)
		b.usage(s, plain)
		for i, one := range s.place1 {
			for lane := range lanes {
				s.lam[i][lane] = one
			}
		}
		again := b.forward(s)
		for lane := range lanes {
			use := make([]float64, b.n)
			want := paths(b, e[lane], chainTheta, 0, use)
			if math.Abs(plain[lane]-want) > 1e-9*want {
				t.Fatalf("lane %d: plain sum %v, over paths %v", lane, plain[lane], want)
			}
			if w := paths(b, e[lane], stickyTheta, stickyBeta, make([]float64, b.n)); math.Abs(sticky[lane]-w) > 1e-9*w {
				t.Fatalf("lane %d: sticky sum %v, over paths %v", lane, sticky[lane], w)
			}
			if want == 0 {
				continue
			}
			for k, p := range s.places[lane][:b.n] {
				if int(e[lane][p]) == b.faces {
					continue
				}
				if math.Abs(s.use[k][lane]-use[p]/want) > 1e-9 {
					t.Fatalf("lane %d: place %d is used %v, over paths %v", lane, p, s.use[k][lane], use[p]/want)
				}
			}
			if math.Abs(again[lane]-plain[lane]) > 1e-9*plain[lane] {
				t.Fatalf("lane %d: second pass with weights 1: %v, first %v", lane, again[lane], plain[lane])
			}
		}
	})
}

// An order has the codes it has, whatever shares the pass with it.
func TestLanesDoNotMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := New(drawSpec(t, 90))
		if err != nil {
			t.Skip("too few")
		}
		s := b.NewScratch()
		r := newRNG(rapid.Uint64().Draw(t, "order"), 4)
		var e [lanes][]uint8
		var alone, together [lanes]Codes
		var out [lanes]*Codes
		for lane := range lanes {
			b.fair(&r, s)
			e[lane], out[lane] = slices.Clone(s.draw.order), &together[lane]
		}
		b.evaluateTogether(e, s, out)
		for lane := range lanes {
			if b.evaluate(e[lane], s, &alone[lane]); alone[lane] != together[lane] {
				t.Fatalf("lane %d: %v alone, %v together", lane, alone[lane], together[lane])
			}
		}
	})
}

// The packed rows and the lists of the stride table say the same.
func TestStrideLayoutsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t, 40)
		b, err := New(spec)
		if err != nil || b.stride.from != nil || !b.active[Stride] {
			t.Skip("no packed rows")
		}
		s := b.NewScratch()
		r := newRNG(rapid.Uint64().Draw(t, "order"), 4)
		b.fair(&r, s)
		var packed, slow Codes
		b.strides(s.draw.order, s, &packed)
		acc := make([]int, b.n)
		w := b.faces + 1
		for lag := range 3 {
			for i := lag + 1; i < b.n; i++ {
				k := (int(s.draw.order[i-lag-1])*w + int(s.draw.order[i])) * b.stride.words
				for d := range b.n {
					acc[d] += int(uint16(b.stride.dense[lag][k+d/4] >> (16 * (d % 4))))
				}
			}
			if lag == 0 {
				slow[Stride] = uint16(slices.Max(acc))
			}
		}
		slow[StrideWide] = uint16(slices.Max(acc))
		if packed[Stride] != slow[Stride] || packed[StrideWide] != slow[StrideWide] {
			t.Fatalf("packed %d %d, plain %d %d", packed[Stride], packed[StrideWide], slow[Stride], slow[StrideWide])
		}
	})
}

// Every draw of every null law is an order of the readings.
func TestDrawsKeepTheReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := New(drawSpec(t, 60))
		if errors.Is(err, ErrTooFew) {
			t.Skip("too few")
		}
		if err != nil {
			t.Fatal(err)
		}
		s := b.NewScratch()
		r := newRNG(rapid.Uint64().Draw(t, "draw"), 5)
		for range 5 {
			if rapid.Bool().Draw(t, "riffled") {
				b.riffled(Null{Riffles: rapid.IntRange(0, MaxRiffles).Draw(t, "riffles"), Uncut: rapid.Bool().Draw(t, "uncut")}, &r, s)
			} else {
				b.fair(&r, s)
			}
			got := slices.Clone(s.draw.order)
			slices.Sort(got)
			if !slices.Equal(got, b.readings) {
				t.Fatalf("drew %v of %v", got, b.readings)
			}
			var c Codes
			b.evaluate(s.draw.order, s, &c)
		}
	})
}

func TestRiffleDrawsFollowTheirLaw(t *testing.T) {
	const n, draws = 52, 20_000
	b, err := New(deckOf(ones(n), 0))
	if err != nil {
		t.Fatal(err)
	}
	s := b.NewScratch()
	for k := 1; k <= 8; k++ {
		law, err := theory.AfterRiffles(n, k)
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := law.MeanSD()
		r, sum := newRNG(9, uint64(k)), 0.0
		pos := make([]int, n)
		for range draws {
			b.riffled(Null{Riffles: k, Uncut: true}, &r, s)
			for p, c := range s.draw.order {
				pos[c] = p
			}
			sum += float64(theory.RisingSequences(pos))
		}
		if got := sum / draws; math.Abs(got-mean) > 4*sd/math.Sqrt(draws)+1e-3 {
			t.Errorf("%d riffles: mean R %.4f, law %.4f", k, got, mean)
		}
	}
}

// The p-value of R itself is the exact one.
func TestRisingAgreesWithTheLaw(t *testing.T) {
	const n = 40
	b, err := New(deckOf(ones(n), 0))
	if err != nil {
		t.Fatal(err)
	}
	tb, err := b.NewTable(context.Background(), Null{}, DefaultWeights(true), NullOptions{Draws: 50_000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	law, err := theory.Uniform(n)
	if err != nil {
		t.Fatal(err)
	}
	for r := 14; r <= 24; r++ {
		// All orders with r rising sequences or fewer have codes of at least (n-r) x 256.
		got := float64(tb.stat[Rising].atLeast(uint16((n-r)<<8))) / 50_000
		want := law.AtMost(r)
		if math.Abs(got-want) > 4.5*math.Sqrt(want/50_000)+1e-4 {
			t.Errorf("P(R <= %d) = %.5f, law %.5f", r, got, want)
		}
	}
}

// One battery for every statistic: p-values of fair orders are valid, deterministic, and defined
// for every size of deck.
func TestEveryStatisticHasItsSize(t *testing.T) {
	for name, spec := range map[string]Spec{"distinct": deckOf(ones(60), 24), "copies": deckOf(mtg60, 5)} {
		b, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		tb, err := b.NewTable(context.Background(), Null{}, DefaultWeights(b.Distinct()), NullOptions{Draws: 20_000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		const trials = 20_000
		var low [NumStats]int
		var fam [NumFamilies]int
		overall := 0
		s := b.NewScratch()
		r := newRNG(77, 1)
		for range trials {
			b.fair(&r, s)
			var c Codes
			b.evaluate(s.draw.order, s, &c)
			j := tb.Judge(c)
			for st, p := range j.Stat {
				if p <= .01 {
					low[st]++
				}
			}
			for f, p := range j.Family {
				if p <= .01 {
					fam[f]++
				}
			}
			if j.Overall <= .01 {
				overall++
			}
		}
		// Table and trials each have a standard error of 14 in 200; 3.5 of both together are 70.
		const most = 270
		for st, k := range low {
			if k > most {
				t.Errorf("%s: %s is at most 0.01 in %d of %d fair orders", name, Stat(st), k, trials)
			}
			if b.Active(Stat(st)) == (tb.stat[st].count == nil) {
				t.Errorf("%s: %s active %v without a table, or the reverse", name, Stat(st), b.Active(Stat(st)))
			}
		}
		if overall > most || overall < 200-70 || fam[Memory] > most || fam[Arrangement] > most {
			t.Errorf("%s: overall %d, verdicts %v of %d", name, overall, fam, trials)
		}
	}
}

func TestEverySizeOfDeck(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40, 63, 64, 65, 100, 128, 129, 249, 250} {
		for _, copies := range []int{1, 2, 4, n / 2} {
			if copies < 1 {
				continue
			}
			var counts []int
			for left := n; left > 0; left -= copies {
				counts = append(counts, min(copies, left))
			}
			spec := deckOf(counts, (len(counts)+1)/2)
			b, err := New(spec)
			if errors.Is(err, ErrTooFew) {
				continue
			}
			if err != nil {
				t.Fatalf("%d cards, %d copies: %v", n, copies, err)
			}
			for _, null := range []Null{{}, {Riffles: 7}} {
				tb, err := b.NewTable(context.Background(), null, DefaultWeights(b.Distinct()), NullOptions{Draws: 60})
				if err != nil {
					t.Fatal(err)
				}
				for _, order := range [][]uint8{spec.Before, spec.Readings} {
					c, err := b.Codes(order, b.NewScratch())
					if err != nil {
						t.Fatal(err)
					}
					j := tb.Judge(c)
					if !(j.Overall > 0 && j.Overall <= 1) {
						t.Errorf("%d cards, %d copies: p = %v", n, copies, j.Overall)
					}
				}
			}
		}
	}
}

func TestSpecIsChecked(t *testing.T) {
	for name, s := range map[string]Spec{
		"one card":        {Readings: []uint8{0}},
		"other lengths":   {Before: []uint8{0, 1, 2}, Readings: []uint8{0, 1}},
		"code too large":  {Readings: []uint8{0, 251, 1}},
		"too few classes": {Readings: []uint8{0, 1, 2}, Class: []uint8{0}},
		"too many cards":  {Readings: make([]uint8, 251)},
		"all alike":       {Readings: make([]uint8, 9)},
	} {
		if _, err := New(s); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	b, err := New(deckOf(ones(10), 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Codes([]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 8}, b.NewScratch()); err == nil {
		t.Error("an order with other cards was evaluated")
	}
	if _, err := b.NewTable(context.Background(), Null{Riffles: 99}, DefaultWeights(true), NullOptions{}); err == nil {
		t.Error("99 riffles were accepted")
	}
}

// The loop does not allocate: 100,000 draws may not cost 100,000 allocations.
func TestEvaluateDoesNotAllocate(t *testing.T) {
	for name, spec := range map[string]Spec{"distinct": deckOf(ones(60), 24), "copies": deckOf(mtg60, 5)} {
		b, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		s := b.NewScratch()
		r := newRNG(1, 1)
		var c Codes
		if a := testing.AllocsPerRun(100, func() {
			b.riffled(Null{Riffles: 7}, &r, s)
			b.evaluate(s.draw.order, s, &c)
		}); a > 0 {
			t.Errorf("%s: %v allocations per draw", name, a)
		}
	}
}
