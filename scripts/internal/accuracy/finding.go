package main

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
	"fairdeck/vision/visiontest/score"

	"github.com/montanaflynn/stats"
)

// found sums up frames in which cards were sought.
type found struct {
	cards, found, missed, spurious, refused int
	squares                                 float64 // of corner distances, px
	most                                    float64
	corners                                 int
	frames                                  []float64 // corner RMS of each frame in which a card was found
	off                                     int       // of these, with a corner more than offPx away
	ms                                      []float64
}

// offPx is a corner that was put somewhere else, such as on an inner frame or
// a shadow's rim, rather than measured badly.
const offPx = 2

func (f *found) plus(g found) {
	f.cards += g.cards
	f.found += g.found
	f.missed += g.missed
	f.spurious += g.spurious
	f.refused += g.refused
	f.squares += g.squares
	f.most = math.Max(f.most, g.most)
	f.corners += g.corners
	f.frames = append(f.frames, g.frames...)
	f.off += g.off
	f.ms = append(f.ms, g.ms...)
}

func (f *found) rms() float64 {
	return math.Sqrt(f.squares / float64(max(1, f.corners)))
}

func (f *found) row(name string) []string {
	typical, _ := stats.Median(f.ms) // no frames: 0
	middle, _ := stats.Median(f.frames)
	return []string{name, fmt.Sprint(f.cards), fmt.Sprint(f.found), fmt.Sprint(f.missed), fmt.Sprint(f.spurious), fmt.Sprint(f.refused),
		fmt.Sprintf("%.2f", middle), fmt.Sprintf("%.2f", f.rms()), fmt.Sprintf("%.2f", f.most), metric.Share{K: f.off, N: len(f.frames)}.String(), fmt.Sprintf("%.0f", typical)}
}

func findingHeads(first string) []string {
	return []string{first, "cards", "found", "missed", "spurious", "refused", "corner RMS px, median frame", "over all", "max px",
		fmt.Sprintf("frames with a corner over %d px off", offPx), "ms a frame, median"}
}

// findDeck seeks the cards of every frame of a deck, without telling the
// finder anything about them.
func (r *run) findDeck(d visiontest.Deck) (found, error) {
	st, err := visiontest.New(d)
	if err != nil {
		return found{}, err
	}
	var out found
	truth := st.Truth()
	for i := range st.Frames() {
		img, err := decoded(st, i)
		if err != nil {
			return out, err
		}
		start := time.Now()
		res, err := card.Find(r.ctx, img, card.Options{})
		if err != nil {
			return out, err
		}
		g := found{ms: []float64{float64(time.Since(start).Microseconds()) / 1000}}
		f := score.Frame{File: st.FileName(i)}
		for _, c := range res.Cards {
			if c.Unusable != "" {
				g.refused++
				continue
			}
			f.Cards = append(f.Cards, score.Card{Corners: c.Corners})
		}
		one := *truth
		one.Frames = truth.Frames[i : i+1]
		rec := score.Deck(&one, []score.Frame{f}, score.Options{})
		g.cards, g.found, g.missed, g.spurious = rec.Cards, rec.Found, rec.Missed, rec.Spurious
		g.corners = 4 * rec.Found
		g.squares, g.most = rec.CornerRMSPx*rec.CornerRMSPx*float64(g.corners), rec.CornerMaxPx
		if rec.Found > 0 {
			g.frames = []float64{rec.CornerRMSPx}
			if rec.CornerMaxPx > offPx {
				g.off = 1
			}
		}
		out.plus(g)
	}
	return out, nil
}

// decoded is frame i as an inspection of its file would see it.
func decoded(st *visiontest.Station, i int) (*frame.Image, error) {
	data, err := st.File(i)
	if err != nil {
		return nil, err
	}
	c := st.Truth().Cameras[0]
	return cv.Decode(data, c.WidthPx, c.HeightPx)
}

// findAll seeks the cards of n decks on all cores.
func (r *run) findAll(what string, n int, deck func(i int) visiontest.Deck, done func(i int, f found)) error {
	out, errs := make([]found, n), make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out[i], errs[i] = r.findDeck(deck(i))
			}
		})
	}
	for i := 0; i < n && r.ctx.Err() == nil; i++ {
		if i%50 == 49 {
			r.say("%s: %d of %d", what, i+1, n)
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for i := range out {
		if errs[i] != nil {
			r.fail(fmt.Sprintf("%s %d", what, i), errs[i])
			continue
		}
		done(i, out[i])
	}
	return nil
}

// finding measures the finder alone: single cards at every kind of table and
// sleeve, then grids.
func (r *run) finding(d *markdown.Document) error {
	seed := r.base
	per := r.count(3, 1)
	tables := visiontest.TableKinds()
	kinds := []struct {
		name   string
		sleeve visiontest.Sleeve
	}{
		{"black matte", visiontest.Sleeve{Colour: visiontest.Black}},
		{"white satin", visiontest.Sleeve{Colour: visiontest.White, Finish: visiontest.Satin}},
		{"blue gloss", visiontest.Sleeve{Colour: visiontest.Blue, Finish: visiontest.Gloss}},
		{"oak matte", visiontest.Sleeve{Colour: visiontest.Oak}},
		{"rosette gloss", visiontest.Sleeve{Finish: visiontest.Gloss, Art: visiontest.Art{Style: visiontest.Rosette}}},
		{"portrait, border", visiontest.Sleeve{Art: visiontest.Art{Style: visiontest.Portrait, BorderMM: 3}}},
		{"bare filigree, border", visiontest.Sleeve{Unsleeved: true, Colour: visiontest.Red, Art: visiontest.Art{Style: visiontest.Filigree, BorderMM: 3, Symmetric: true}}},
		{"outer sleeve", visiontest.Sleeve{OuterClear: true, Colour: visiontest.Purple, Finish: visiontest.Satin}},
	}
	byTable, byKind := make([]found, len(tables)), make([]found, len(kinds))
	var all found
	n := len(tables) * len(kinds)
	grid := make([][]string, len(kinds))
	for k := range kinds {
		grid[k] = make([]string, len(tables)+1)
		grid[k][0] = kinds[k].name
	}
	err := r.findAll("table and sleeve", n, func(i int) visiontest.Deck {
		// Frames of the random stations: camera, lens, tilt, lamps and noise.
		s := seed + uint64(i)
		base := visiontest.RandomSpec(s, visiontest.Ranges{Clean: true, Singles: true, Tidy: true, MaxPixels: 1280 * 720})
		base.Camera.PxPerMM *= 720 / float64(base.Camera.HeightPx)
		base.Camera.WidthPx, base.Camera.HeightPx = 1280, 720
		base.Cards, base.Sleeve, base.Table = per, kinds[i%len(kinds)].sleeve, visiontest.Table{Kind: tables[i/len(kinds)]}
		return base
	}, func(i int, f found) {
		byTable[i/len(kinds)].plus(f)
		byKind[i%len(kinds)].plus(f)
		all.plus(f)
		text := fmt.Sprintf("%d/%d", f.found, f.cards)
		if f.spurious > 0 {
			text += fmt.Sprintf(" +%d", f.spurious)
		}
		grid[i%len(kinds)][i/len(kinds)+1] = text
	})
	if err != nil {
		return err
	}
	seed += uint64(n)
	d.Para("Single sleeves, 1280 x 720, random camera, tilt, lens, lamps and noise (visiontest.RandomSpec); the finder is told neither size nor scale nor lens. "+
		"%d frames for each pair of table and sleeve; `found/cards +spurious`:", per)
	heads := []string{"sleeve"}
	for _, t := range tables {
		heads = append(heads, string(t))
	}
	d.Table(heads, grid)
	var rows [][]string
	for i, t := range tables {
		rows = append(rows, byTable[i].row("on "+string(t)))
	}
	for i, k := range kinds {
		rows = append(rows, byKind[i].row(k.name))
	}
	rows = append(rows, all.row("all"))
	d.Para("Refused are those that the finder reports but says cannot be used; they count as missed. Corners are compared with those of the truth, distances in pixels. Where the median frame is good and the figure over all is not, corners lie on something else than the sleeve, as the last but one column counts.")
	d.Table(findingHeads("single sleeves"), rows)

	// Whole random stations, with everything that spoils a frame.
	var messy found
	m := r.count(60, 8)
	err = r.findAll("random station", m, func(i int) visiontest.Deck {
		s := visiontest.RandomSpec(seed+uint64(i), visiontest.Ranges{Singles: true})
		s.Cards = 3
		s = withinCards(s)
		return s
	}, func(_ int, f found) { messy.plus(f) })
	if err != nil {
		return err
	}
	seed += uint64(m)
	rows = [][]string{messy.row("random stations up to 1920 x 1080, with hands, things and cut cards")}

	var grids found
	byLayout := map[string]*found{}
	layouts := []visiontest.Layout{{Rows: 2, Cols: 4}, {Rows: 3, Cols: 5, GapMM: 2}, {Rows: 3, Cols: 5, GapMM: -1}, {Rows: 5, Cols: 8, GapMM: 4}}
	name := func(l visiontest.Layout) string {
		gap := fmt.Sprintf("%g mm apart", l.GapMM)
		switch {
		case l.GapMM < 0:
			gap = "touching"
		case l.GapMM == 0:
			gap = "6 mm apart"
		}
		return fmt.Sprintf("grid %d x %d, %s", l.Rows, l.Cols, gap)
	}
	reps := r.count(6, 1)
	gridTables := []visiontest.TableKind{visiontest.Paper, visiontest.PrintedMat, visiontest.Playmat, visiontest.Wood}
	err = r.findAll("grid", reps*len(layouts), func(i int) visiontest.Deck {
		l := layouts[i%len(layouts)]
		s := visiontest.RandomSpec(seed+uint64(i), visiontest.Ranges{Clean: true, Singles: true, Tidy: true})
		s.Layout, s.Cards = l, l.Rows*l.Cols
		s.Table = visiontest.Table{Kind: gridTables[(i+i/len(layouts))%len(gridTables)]}
		s.Camera = visiontest.Camera{WidthPx: 1920, HeightPx: 1080, DistanceMM: 700, TiltDeg: s.Camera.TiltDeg / 3, TiltTowardsDeg: s.Camera.TiltTowardsDeg, RollDeg: s.Camera.RollDeg}
		return s
	}, func(i int, f found) {
		grids.plus(f)
		n := name(layouts[i%len(layouts)])
		if byLayout[n] == nil {
			byLayout[n] = new(found)
		}
		byLayout[n].plus(f)
	})
	if err != nil {
		return err
	}
	for _, l := range layouts {
		if f := byLayout[name(l)]; f != nil {
			rows = append(rows, f.row(name(l)))
		}
	}
	rows = append(rows, grids.row("all grids"))
	d.Table(findingHeads("frames"), rows)
	r.target("single sleeves found on synthetic tables", "all", fmt.Sprintf("%d of %d, %d spurious", all.found, all.cards, all.spurious), all.missed == 0 && all.spurious == 0)
	middle, _ := stats.Median(all.frames)
	r.target("corner RMS on synthetic tables, lens not known (asked for on rendered decks)", "≤ 0.35 px", fmt.Sprintf("%.2f px; %.2f px in the median frame", all.rms(), middle), all.rms() <= 0.35 && all.found > 0)
	r.target("sleeves found in synthetic grids", "all", fmt.Sprintf("%d of %d, %d spurious", grids.found, grids.cards, grids.spurious), grids.missed == 0 && grids.spurious == 0)
	return nil
}

// withinCards drops what a shortened deck no longer has.
func withinCards(d visiontest.Deck) visiontest.Deck {
	d.Marks, d.Turned, d.Batches, d.Odd = nil, nil, nil, nil
	keep := func(v []int, n int) (out []int) {
		for _, i := range v {
			out = append(out, i%n)
		}
		return out
	}
	d.Cut, d.Hands = keep(d.Cut, d.Cards), keep(d.Hands, d.Cards)
	return d
}
