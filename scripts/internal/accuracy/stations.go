package main

import (
	"fairdeck/vision/visiontest"
)

// place is one way that decks lie before a camera: the stations of the
// gallery. The clean decks draw theirs at random instead.
type place struct {
	name   string
	sleeve visiontest.Sleeve
	table  visiontest.Table
	light  visiontest.Light
}

// places covers finishes, grounds from black to white, plain and printed
// backs, bare cards, and lamps from soft to near.
func places() []place {
	window := visiontest.Light{Ambient: 0.3, Lamps: []visiontest.Lamp{{AtMM: [3]float64{-1700, 300, 900}, SizeMM: [2]float64{1200, 1200}, Tint: [3]float64{0.93, 1, 1.1}}}}
	panels := visiontest.Light{Lamps: []visiontest.Lamp{
		{AtMM: [3]float64{-650, 300, 900}, SizeMM: [2]float64{300, 300}},
		{AtMM: [3]float64{650, -250, 900}, SizeMM: [2]float64{300, 300}, Power: 0.8}}}
	ceiling := visiontest.Light{Ambient: 0.5, Lamps: []visiontest.Lamp{
		{AtMM: [3]float64{-900, 700, 2200}, SizeMM: [2]float64{600, 600}},
		{AtMM: [3]float64{900, 700, 2200}, SizeMM: [2]float64{600, 600}},
		{AtMM: [3]float64{0, -1100, 2200}, SizeMM: [2]float64{600, 600}, Tint: [3]float64{1.06, 1, 0.86}}}}
	desk := visiontest.Light{Ambient: 0.2, Lamps: []visiontest.Lamp{{AtMM: [3]float64{-330, 180, 420}, SizeMM: [2]float64{120, 120}, Tint: [3]float64{1.06, 1, 0.86}}}}
	plain := func(c visiontest.Colour, f visiontest.Finish) visiontest.Sleeve {
		return visiontest.Sleeve{Colour: c, Finish: f}
	}
	art := func(style visiontest.ArtStyle, f visiontest.Finish) visiontest.Sleeve {
		return visiontest.Sleeve{Finish: f, Art: visiontest.Art{Style: style}}
	}
	bordered := art(visiontest.Portrait, visiontest.Matte)
	bordered.Art.BorderMM = 3
	bare := art(visiontest.Filigree, visiontest.Satin)
	bare.Colour, bare.Unsleeved, bare.Art.Symmetric, bare.Art.BorderMM = visiontest.Red, true, true, 3
	outer := art(visiontest.Landscape, visiontest.Satin)
	outer.OuterClear = true
	return []place{
		{"matte blue on paper", plain(visiontest.Blue, visiontest.Matte), visiontest.Table{}, visiontest.Light{}},
		{"rosette print, gloss, on a printed mat", art(visiontest.Rosette, visiontest.Gloss), visiontest.Table{Kind: visiontest.PrintedMat}, panels},
		{"matte black on a black playmat", plain(visiontest.Black, visiontest.Matte), visiontest.Table{Kind: visiontest.Playmat}, window},
		{"playing cards without sleeves on felt", bare, visiontest.Table{Kind: visiontest.Felt}, visiontest.Light{}},
		{"gloss red on wood", plain(visiontest.Red, visiontest.Gloss), visiontest.Table{Kind: visiontest.Wood}, panels},
		{"portrait print with a border on laminate", bordered, visiontest.Table{Kind: visiontest.Plain}, desk},
		{"satin white on wood", plain(visiontest.White, visiontest.Satin), visiontest.Table{Kind: visiontest.Wood}, ceiling},
		{"landscape print in an outer sleeve on marble", outer, visiontest.Table{Kind: visiontest.Marble}, ceiling},
	}
}

// deck is the start of a deck at this station, to be framed by [tight].
func (p place) deck(seed uint64, cards int) visiontest.Deck {
	return visiontest.Deck{Seed: seed, Cards: cards, Sleeve: p.sleeve, Table: p.table, Light: p.light}
}

// sizeMM is the sleeve's nominal size.
func (p place) sizeMM() (w, h float64) {
	if p.sleeve.Unsleeved {
		return 63, 88
	}
	return 66, 91
}
