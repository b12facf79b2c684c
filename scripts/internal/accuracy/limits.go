package main

import (
	"fmt"
	"math/rand/v2"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
)

// limit is a smallest mark that was asked for.
type limit struct {
	name    string
	pxPerMM float64
	sizeMM  float64
	deltaE  float64
	cards   int // of the deck
	marks   int // different ones
	shared  int // cards that share each; 1: none
	least   float64
}

func limits() []limit {
	return []limit{
		{"pen dot 0.3 mm, ΔE 8, 14 px/mm", 14, 0.3, 8, 24, 8, 1, 0.95},
		{"pen dot 0.5 mm, ΔE 8, 6 px/mm", 6, 0.5, 8, 60, 15, 1, 0.95},
		{"pen dot 0.7 mm, ΔE 4, on 24 of 60, 6 px/mm", 6, 0.7, 4, 60, 1, 24, 0.85},
	}
}

// limits measures the smallest marks that were asked for, at every station.
func (r *run) limits(d *markdown.Document) error {
	ps := places()
	d.Para("Each dot lies at a place of its own on the inside of the sleeve; its contrast is exactly the one named, in a noise-free close-up. " +
		"Shared dots lie at the same place on all the sleeves that have them and are counted sleeve by sleeve.")
	heads := []string{"station"}
	rows := make([][]string, len(ps)+1)
	for i, p := range ps {
		rows[i] = []string{p.name}
	}
	rows[len(ps)] = []string{"all"}
	seed := r.base
	for _, l := range limits() {
		heads = append(heads, l.name)
		decks := r.count(len(ps), 2)
		if l.shared > 1 {
			decks = r.count(2*len(ps), 2)
		}
		if r.quick && l.pxPerMM > 6 {
			decks = 1 // five times as many pixels
		}
		byPlace := make([]metric.Share, len(ps))
		var all metric.Share
		first := seed
		seed += uint64(decks)
		err := r.each(l.name, decks, func(i int) (*inspected, error) {
			return inspectTight(r.ctx, tight(l.deck(ps[i%len(ps)], first+uint64(i)), l.pxPerMM))
		}, func(i int, in *inspected) {
			for f, frame := range in.truth.Frames {
				for k := range frame.Cards[0].Marks {
					v := in.judge(f, k)
					byPlace[i%len(ps)].Add(v.found)
					all.Add(v.found)
				}
			}
		})
		if err != nil {
			return err
		}
		for i := range ps {
			rows[i] = append(rows[i], byPlace[i].String())
		}
		rows[len(ps)] = append(rows[len(ps)], all.WithInterval())
		r.target(l.name+" found", fmt.Sprintf("≥ %.0f%%", 100*l.least), all.WithInterval(), all.Rate() >= l.least)
	}
	d.Table(heads, rows)
	return nil
}

func (l limit) deck(p place, seed uint64) visiontest.Deck {
	r := rand.New(rand.NewPCG(seed, 0x11))
	w, h := p.sizeMM()
	d := p.deck(seed, l.cards)
	order := r.Perm(l.cards)
	for range l.marks {
		m := anywhere(r, visiontest.PenDot, l.sizeMM, w, h)
		m.DeltaE = l.deltaE
		m.Cards, order = order[:l.shared], order[l.shared:]
		d.Marks = append(d.Marks, m)
	}
	return d
}
