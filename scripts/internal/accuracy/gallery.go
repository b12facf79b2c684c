package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

// gauge is one kind of mark with a small, a usual and a large size (diameter
// or length; what is usual is visiontest's own word for it).
type gauge struct {
	kind  visiontest.Kind
	sizes [3]float64
}

func gauges() []gauge {
	return []gauge{
		{visiontest.PenDot, [3]float64{0.5, 1, 2}},
		{visiontest.PenLine, [3]float64{3, 6, 12}},
		{visiontest.Scratch, [3]float64{6, 12, 25}},
		{visiontest.Dent, [3]float64{3, 4.5, 7}},
		{visiontest.Crease, [3]float64{8, 15, 30}},
		{visiontest.Stain, [3]float64{4, 8, 14}},
		{visiontest.CornerWear, [3]float64{1.5, 3, 5}},
		{visiontest.EdgeWear, [3]float64{5, 12, 25}},
		{visiontest.Nick, [3]float64{1, 2, 3}},
	}
}

// contrasts are the steps of ΔE: a just visible side-by-side difference of a
// small area, to a pen on a light sleeve.
func contrasts() []float64 { return []float64{4, 8, 15, 30} }

// cell is one kind, contrast and size of the gallery.
type cell struct {
	kind     visiontest.Kind
	size     int // 0 to 2
	contrast int // index of contrasts; -1 for nicks, which have none
}

// trial is one mark to be put on one card.
type trial struct {
	cell cell
	mark visiontest.Mark
}

func allCells() (cells []cell) {
	for _, g := range gauges() {
		for s := range g.sizes {
			if g.kind == visiontest.Nick {
				cells = append(cells, cell{g.kind, s, -1})
				continue
			}
			for c := range contrasts() {
				cells = append(cells, cell{g.kind, s, c})
			}
		}
	}
	return cells
}

// anywhere draws a place, direction and corner for a mark of a kind and size
// on a sleeve; marks of the inside stay clear of the rim.
func anywhere(r *rand.Rand, kind visiontest.Kind, sizeMM, w, h float64) visiontest.Mark {
	m := visiontest.Mark{Kind: kind, SizeMM: sizeMM, AngleDeg: 180 * r.Float64()}
	rim := 4.0
	switch kind {
	case visiontest.Stain, visiontest.Dent:
		rim += sizeMM / 2
	case visiontest.PenLine, visiontest.Scratch, visiontest.Crease:
		rim += sizeMM / 2
		if rim > w/2-1 {
			rim = w/2 - 1
		}
	case visiontest.CornerWear:
		m.Corner = []string{"TL", "TR", "BR", "BL"}[r.IntN(4)]
	case visiontest.Nick:
		if r.Float64() < 0.5 {
			m.Corner = []string{"TL", "TR", "BR", "BL"}[r.IntN(4)]
		}
	}
	if m.Corner != "" {
		return m
	}
	m.WhereMM = plane.Point{X: rim + (w-2*rim)*r.Float64(), Y: rim + (h-2*rim)*r.Float64()}
	if kind == visiontest.EdgeWear || kind == visiontest.Nick {
		// Along an edge, away from its corners.
		along := 0.2 + 0.6*r.Float64()
		m.WhereMM = []plane.Point{{X: along * w, Y: 0}, {X: along * w, Y: h}, {X: 0, Y: along * h}, {X: w, Y: along * h}}[r.IntN(4)]
	}
	return m
}

// marked makes a deck at a station with each trial on a card of its own, and
// tells which trial lies on which card.
func (p place) marked(seed uint64, cards int, cells []cell) (visiontest.Deck, map[int]cell) {
	r := rand.New(rand.NewPCG(seed, 0x9a11))
	w, h := p.sizeMM()
	d := p.deck(seed, cards)
	on := map[int]cell{}
	order := r.Perm(cards)
	for k, c := range cells {
		g := gauges()[slices.IndexFunc(gauges(), func(g gauge) bool { return g.kind == c.kind })]
		m := anywhere(r, c.kind, g.sizes[c.size], w, h)
		if c.contrast >= 0 {
			m.DeltaE = contrasts()[c.contrast]
		}
		m.Cards = []int{order[k]}
		on[order[k]] = c
		d.Marks = append(d.Marks, m)
	}
	return d, on
}

const (
	galleryPxPerMM = 6
	galleryMarks   = 15 // of 60 cards: a deck that somebody has worked on
)

// tally counts verdicts.
type tally struct{ found, near, same metric.Share }

func (t *tally) add(v verdict) {
	t.found.Add(v.found)
	if v.found {
		t.near.Add(v.near)
		t.same.Add(v.same)
	}
}

// gallery measures recall over every kind, contrast and size.
func (r *run) gallery(d *markdown.Document) error {
	per := r.count(4, 1)
	cells := allCells()
	if r.quick { // every other cell, both sizes' ends
		cells = slices.DeleteFunc(cells, func(c cell) bool { return c.size == 1 || c.contrast == 3 })
	}
	var todo []cell
	for range per {
		todo = append(todo, cells...)
	}
	rand.New(rand.NewPCG(r.base, 1)).Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	n := (len(todo) + galleryMarks - 1) / galleryMarks
	ps := places()
	where := make([]map[int]cell, n)

	byCell := map[cell]*tally{}
	bySeverity := map[string]*tally{}
	byPlace := map[string]*tally{}
	var flags metric.Share
	falseAt := map[string]*metric.Share{}
	count := func(m map[string]*tally, key string) *tally {
		if m[key] == nil {
			m[key] = new(tally)
		}
		return m[key]
	}
	called := map[visiontest.Kind]map[string]int{}
	err := r.each("gallery deck", n, func(i int) (*inspected, error) {
		p := ps[i%len(ps)]
		var deck visiontest.Deck
		deck, where[i] = p.marked(r.base+uint64(i), 60, todo[i*galleryMarks:min(len(todo), (i+1)*galleryMarks)])
		return inspectTight(r.ctx, tight(deck, galleryPxPerMM))
	}, func(i int, in *inspected) {
		p := ps[i%len(ps)]
		for f, frame := range in.truth.Frames {
			for k, m := range frame.Cards[0].Marks {
				v := in.judge(f, k)
				c := where[i][frame.Cards[0].Index]
				if byCell[c] == nil {
					byCell[c] = new(tally)
				}
				byCell[c].add(v)
				if v.found {
					if called[c.kind] == nil {
						called[c.kind] = map[string]int{}
					}
					called[c.kind][v.called]++
				}
				count(bySeverity, m.Severity).add(v)
				if m.Severity == visiontest.Visible || m.Severity == visiontest.Obvious {
					count(byPlace, p.name).add(v)
				}
			}
		}
		s := metric.Share{K: in.record.FalseFlags, N: in.record.CleanSleeves}
		flags = flags.Plus(s)
		if falseAt[p.name] == nil {
			falseAt[p.name] = new(metric.Share)
		}
		*falseAt[p.name] = falseAt[p.name].Plus(s)
	})
	if err != nil {
		return err
	}

	d.Para("%d decks of 60 at %d px/mm with %d marks each, one on a card, over the %d stations listed below. "+
		"Contrast is the greatest CIEDE2000 of the mark in a noise-free close-up; a mark that cannot reach it (light ink on white, a shallow dent) is as strong as it can be. "+
		"A mark is found where a reported one overlaps it within 2 mm. Severity is visiontest's judgement of what a person sees at 400 mm.", n, galleryPxPerMM, galleryMarks, len(ps))
	var rows [][]string
	for _, s := range []string{visiontest.Obvious, visiontest.Visible, visiontest.CameraOnly, visiontest.Invisible} {
		if t := bySeverity[s]; t != nil {
			near, same := t.near, t.same
			if s == visiontest.Invisible { // there is no word to agree with
				near, same = metric.Share{}, metric.Share{}
			}
			rows = append(rows, []string{s, t.found.WithInterval(), same.String(), near.String()})
		}
	}
	d.Table([]string{"severity in truth", "found", "same word", "same or one step off"}, rows)

	rows = nil
	for _, g := range gauges() {
		for s, mm := range g.sizes {
			row := []string{fmt.Sprintf("%s %g mm", g.kind, mm)}
			for c := range contrasts() {
				t := byCell[cell{g.kind, s, c}]
				if g.kind == visiontest.Nick {
					t = nil
					if c == len(contrasts())-1 {
						t = byCell[cell{g.kind, s, -1}]
					}
				}
				if t == nil {
					row = append(row, "–")
				} else {
					row = append(row, fmt.Sprintf("%d/%d", t.found.K, t.found.N))
				}
			}
			rows = append(rows, row)
		}
	}
	d.Para("Found by kind, size and contrast (a nick has no contrast; it stands in the last column):")
	d.Table([]string{"kind and size", "ΔE 4", "ΔE 8", "ΔE 15", "ΔE 30"}, rows)

	rows = nil
	for _, g := range gauges() {
		if names := called[g.kind]; names != nil {
			rows = append(rows, namedRow(g.kind, names))
		}
	}
	d.Para("What the found marks were called:")
	d.Table([]string{"kind in truth", "named right", "unclear", "otherwise"}, rows)

	rows = nil
	for _, p := range ps {
		if t := byPlace[p.name]; t != nil {
			rows = append(rows, []string{p.name, t.found.String(), falseAt[p.name].String()})
		}
	}
	d.Para("By station, marks that are visible or obvious, and sleeves without a mark that were called visible or obvious:")
	d.Table([]string{"station", "found", "false flags"}, rows)

	var agree, seen metric.Share
	for s, t := range bySeverity {
		if s != visiontest.Invisible {
			agree = agree.Plus(t.near)
		}
		if s == visiontest.Visible || s == visiontest.Obvious {
			seen = seen.Plus(t.found)
		}
	}
	r.target("obvious and visible marks found, synthetic decks", "all", seen.WithInterval(), seen.N > 0 && seen.K == seen.N)
	if t := bySeverity[visiontest.CameraOnly]; t != nil {
		r.target("camera-only marks found, synthetic decks", "≥ 90%", t.found.WithInterval(), t.found.Rate() >= 0.9)
	}
	r.target("visibility word equal or one step off", "≥ 90%", agree.WithInterval(), agree.Rate() >= 0.9)
	r.target("false flags on clean sleeves of marked decks (≥ 250 sleeves)", "0", flags.WithInterval(), flags.N >= 250 && flags.K == 0)
	return nil
}

// namedRow is the line of the kinds' table for one true kind.
func namedRow(kind visiontest.Kind, names map[string]int) []string {
	var right, unclear metric.Share
	others := ""
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n := names[name]
		right.N, unclear.N = right.N+n, unclear.N+n
		switch {
		case visiontest.Kind(name).Canonical() == kind.Canonical():
			right.K += n
		case name == string(sleeve.Unclear):
			unclear.K += n
		default:
			others += fmt.Sprintf(" %d %s", n, name)
		}
	}
	return []string{string(kind), right.String(), unclear.String(), others}
}
