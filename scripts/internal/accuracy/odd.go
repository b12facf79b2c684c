package main

import (
	"math/rand/v2"
	"strings"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// oddCase is one way in which a sleeve differs as a whole.
type oddCase struct {
	name    string
	kind    visiontest.Kind
	printed bool // needs a print
	odd     visiontest.Odd
}

func oddCases() []oddCase {
	other := visiontest.Sleeve{Colour: visiontest.Green, Art: visiontest.Art{Style: visiontest.Emblem}}
	return []oddCase{
		{"0.5 mm wider", visiontest.OtherSize, false, visiontest.Odd{AddMM: plane.Point{X: 0.5}}},
		{"1 mm higher", visiontest.OtherSize, false, visiontest.Odd{AddMM: plane.Point{Y: 1}}},
		{"print 0.5 mm off", visiontest.PrintOffset, true, visiontest.Odd{PrintMM: plane.Point{X: 0.4, Y: 0.3}}},
		{"print 1.2 mm off", visiontest.PrintOffset, true, visiontest.Odd{PrintMM: plane.Point{X: -0.7, Y: 1}}},
		{"other design", visiontest.OtherDesign, false, visiontest.Odd{Design: &other}},
		{"four times as worn", visiontest.OverallWear, false, visiontest.Odd{Wear: 4}},
	}
}

const oddSleeves = 2 // of 40

// odd measures sleeves of another size, print or design.
func (r *run) odd(d *markdown.Document) error {
	cases, ps := oddCases(), places()
	per := r.count(4, 1)
	if r.quick {
		cases = []oddCase{cases[1], cases[3], cases[4]}
	}
	type sum struct{ told, flagged, named, others metric.Share }
	sums := make([]sum, len(cases))
	where := func(i int) place {
		if cases[i%len(cases)].printed {
			return []place{ps[1], ps[5]}[i/len(cases)%2] // a print that may shift in its outline
		}
		return ps[(i/len(cases)*3+i%len(cases))%len(ps)]
	}
	err := r.each("odd deck", per*len(cases), func(i int) (*inspected, error) {
		c := cases[i%len(cases)]
		seed := r.base + uint64(i)
		deck := where(i).deck(seed, 40)
		o := c.odd
		o.Cards = some(rand.New(rand.NewPCG(seed, 0x0d)), deck.Cards, oddSleeves)
		if o.Design != nil { // the same outline: a sleeve of the same maker
			design := *o.Design
			design.Unsleeved, design.OuterClear, design.Finish = deck.Sleeve.Unsleeved, deck.Sleeve.OuterClear, deck.Sleeve.Finish
			o.Design = &design
		}
		deck.Odd = []visiontest.Odd{o}
		return inspectTight(r.ctx, tight(deck, galleryPxPerMM))
	}, func(i int, in *inspected) {
		c, s := cases[i%len(cases)], &sums[i%len(cases)]
		odd := map[int]bool{}
		for _, k := range in.deck.Odd[0].Cards {
			odd[k] = true
		}
		for k, v := range in.result.Sleeves {
			seen := flagged(v)
			if v.Group > 0 && v.Group < len(in.result.Groups) && in.result.Groups[v.Group].Visibility.Rank() >= 2 {
				seen = true
			}
			if !odd[k] {
				s.others.Add(seen)
				continue
			}
			named := false
			for _, m := range v.Marks {
				named = named || visiontest.Kind(m.Kind).Canonical() == c.kind
			}
			if v.Group > 0 && v.Group < len(in.result.Groups) {
				what := in.result.Groups[v.Group].What
				named = named || strings.Contains(what, "size") && c.kind == visiontest.OtherSize || what == "design" && c.kind == visiontest.OtherDesign ||
					strings.Contains(what, "print offset") && c.kind == visiontest.PrintOffset
			}
			s.told.Add(len(v.Marks) > 0 || v.Group > 0 || v.Unusable != "")
			s.flagged.Add(seen)
			s.named.Add(named)
		}
	})
	if err != nil {
		return err
	}
	d.Para("%d decks of 40 at %d px/mm for each line, over the stations of the gallery, with %d odd sleeves each. "+
		"Told apart: anything at all is reported of the sleeve (a mark, a group of its own, or that it cannot be compared). Flagged: visible or obvious. Named: by its kind.", per, galleryPxPerMM, oddSleeves)
	var rows [][]string
	var told metric.Share
	for i, c := range cases {
		s := sums[i]
		rows = append(rows, []string{c.name, s.told.String(), s.flagged.String(), s.named.String(), s.others.String()})
		if c.kind != visiontest.OverallWear {
			told = told.Plus(s.told)
		}
	}
	d.Table([]string{"odd sleeves", "told apart", "flagged", "named", "others flagged"}, rows)
	r.target("sleeves of other size, print offset or design told apart", "all", told.WithInterval(), told.N > 0 && told.K == told.N)
	return nil
}
