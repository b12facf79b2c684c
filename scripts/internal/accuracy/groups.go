package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
)

// groupCase is one way that a deck falls into groups.
type groupCase struct {
	name    string
	printed bool // needs a print that has an upper end
	change  func(r *rand.Rand, p place, d *visiontest.Deck)
}

func some(r *rand.Rand, cards, n int) []int {
	v := r.Perm(cards)[:n]
	slices.Sort(v)
	return v
}

func groupCases() []groupCase {
	var out []groupCase
	for _, c := range []struct{ size, deltaE float64 }{{1, 15}, {0.7, 6}} {
		for _, n := range []int{4, 24, 30} {
			out = append(out, groupCase{fmt.Sprintf("mark of %g mm, ΔE %g on %d of 60", c.size, c.deltaE, n), false, func(r *rand.Rand, p place, d *visiontest.Deck) {
				w, h := p.sizeMM()
				m := anywhere(r, visiontest.PenDot, c.size, w, h)
				m.DeltaE, m.Cards = c.deltaE, some(r, d.Cards, n)
				d.Marks = append(d.Marks, m)
			}})
		}
	}
	for _, n := range []int{3, 20, 30} {
		out = append(out, groupCase{fmt.Sprintf("%d of 60 turned", n), true, func(r *rand.Rand, _ place, d *visiontest.Deck) { d.Turned = some(r, d.Cards, n) }})
	}
	for _, c := range []struct {
		name    string
		l, a, b float64
	}{{"lightness 3", -3, 0, 0}, {"colour 4", 1, 3, -2.5}} {
		for _, n := range []int{3, 20, 30} {
			out = append(out, groupCase{fmt.Sprintf("batch by %s: %d of 60", c.name, n), false, func(r *rand.Rand, _ place, d *visiontest.Deck) {
				d.Batches = []visiontest.Batch{{Cards: some(r, d.Cards, n), DeltaL: c.l, DeltaA: c.a, DeltaB: c.b}}
			}})
		}
	}
	out = append(out, groupCase{"three batches: 30, 20 and 10", false, func(r *rand.Rand, _ place, d *visiontest.Deck) {
		p := r.Perm(d.Cards)
		d.Batches = []visiontest.Batch{{Cards: p[:20], DeltaL: 4}, {Cards: p[20:30], DeltaA: 5}}
	}})
	return out
}

// groups measures marks that many share, turned sleeves and batches.
func (r *run) groups(d *markdown.Document) error {
	cases, ps := groupCases(), places()
	per := r.count(2, 1)
	if r.quick { // one of each sort: a shared mark, turned sleeves, a batch, three batches
		cases = []groupCase{cases[1], cases[7], cases[10], cases[len(cases)-1]}
	}
	type sum struct {
		bearers, others metric.Share // shared marks: found; flagged without one
		right           metric.Share // sleeves in their group or orientation
		perfect         metric.Share // decks without any error
		unknown         int          // decks whose orientation cannot be told
	}
	sums := make([]sum, len(cases))
	pick := func(i int) (groupCase, place) {
		c := cases[i%len(cases)]
		k := i / len(cases)
		if c.printed {
			// The printed stations are every other; the bare playing cards
			// look the same from both ends.
			return c, []place{ps[1], ps[5], ps[7]}[k%3]
		}
		return c, ps[(k+i%len(cases))%len(ps)]
	}
	err := r.each("group deck", per*len(cases), func(i int) (*inspected, error) {
		c, p := pick(i)
		seed := r.base + uint64(i)
		deck := p.deck(seed, 60)
		c.change(rand.New(rand.NewPCG(seed, 0x6e)), p, &deck)
		return inspectTight(r.ctx, tight(deck, 6))
	}, func(i int, in *inspected) {
		s := &sums[i%len(cases)]
		rec := in.record
		wrong := 0
		if len(in.deck.Marks) > 0 {
			has := map[int]bool{}
			for f, frame := range in.truth.Frames {
				for k := range frame.Cards[0].Marks {
					has[f] = true
					v := in.judge(f, k)
					s.bearers.Add(v.found)
					if !v.found {
						wrong++
					}
				}
			}
			for f, v := range in.result.Sleeves {
				if !has[f] {
					s.others.Add(flagged(v))
					if flagged(v) {
						wrong++
					}
				}
			}
		} else {
			wrong = rec.OrientationErrors
			if len(in.deck.Batches) > 0 {
				wrong = rec.BatchErrors
			} else if !in.result.Sleeves[0].OrientationKnown {
				s.unknown++
			}
			s.right = s.right.Plus(metric.Share{K: 60 - wrong, N: 60})
		}
		s.perfect.Add(wrong == 0)
	})
	if err != nil {
		return err
	}
	d.Para("%d decks of 60 at 6 px/mm for each line, over the stations of the gallery (turned sleeves: those with a print that has an upper end). "+
		"Where a mark lies on 30 of 60, either half may be the odd one: calling the bare half marked counts as wrong here all the same.", per)
	var rows [][]string
	var bearers, others, turned, batches metric.Share
	for i, c := range cases {
		s := sums[i]
		note := ""
		if s.unknown > 0 {
			note = fmt.Sprintf("orientation not known in %d", s.unknown)
		}
		rows = append(rows, []string{c.name, s.bearers.String(), s.others.String(), s.right.String(), s.perfect.String(), note})
		bearers, others = bearers.Plus(s.bearers), others.Plus(s.others)
		if c.printed {
			turned = turned.Plus(s.right)
		} else if s.right.N > 0 {
			batches = batches.Plus(s.right)
		}
	}
	d.Table([]string{"deck", "bearers found", "others flagged", "sleeves told right", "decks without error", ""}, rows)
	r.target("shared marks (4, 24, 30 of 60) found", "as groups", bearers.WithInterval(), bearers.Rate() >= 0.9)
	r.target("sleeves without the shared mark flagged", "0", others.WithInterval(), others.K == 0)
	r.target("orientation right (3, 20, 30 of 60 turned)", "all", turned.WithInterval(), turned.N > 0 && turned.K == turned.N)
	r.target("batch right (3, 20, 30 of 60; three batches)", "all", batches.WithInterval(), batches.N > 0 && batches.K == batches.N)
	return nil
}
