package main

import (
	"fmt"

	"fairdeck/vision/visiontest"
)

// A testDeck is a deck to be rendered and the groups that its cards count for.
type testDeck struct {
	name   string
	deck   visiontest.Deck
	groups []string
}

// kinds are the sleeves that are put on every kind of table.
func kinds() []struct {
	name   string
	sleeve visiontest.Sleeve
} {
	return []struct {
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
}

// firstSeed keeps these decks apart from those of the evaluation.
const firstSeed = 700_000

// decksOf lists a set: every kind of sleeve on every kind of table, two
// stations each; random clean decks of eight; or grids.
func decksOf(set string, first uint64, heldOut bool) ([]testDeck, error) {
	seed := first
	prefix := "dev"
	if heldOut {
		seed += visiontest.HeldOut
		prefix = "held"
	}
	var out []testDeck
	add := func(d visiontest.Deck, groups ...string) {
		out = append(out, testDeck{name: fmt.Sprintf("%s-%s-%d", prefix, set, d.Seed), deck: d, groups: groups})
	}
	switch set {
	case "tables":
		for _, t := range visiontest.TableKinds() {
			for _, k := range kinds() {
				for range 2 {
					d := visiontest.RandomSpec(seed, visiontest.Ranges{Clean: true, Singles: true, Tidy: true, MaxPixels: 1280 * 720})
					d.Camera.PxPerMM *= 720 / float64(d.Camera.HeightPx)
					d.Camera.WidthPx, d.Camera.HeightPx = 1280, 720
					d.Cards, d.Sleeve, d.Table = 1, k.sleeve, visiontest.Table{Kind: t}
					add(d, "on "+string(t), k.name)
					seed++
				}
			}
		}
	case "decks":
		seed += 1000
		for range 20 {
			d := visiontest.RandomSpec(seed, visiontest.Ranges{Clean: true, Singles: true, Tidy: true, MinCards: 8, MaxCards: 8})
			d.Camera.PxPerMM = min(max(d.Camera.PxPerMM, 3.2), 8)
			group := fmt.Sprintf("%d %s/%s/%s", d.Seed, d.Table.Kind, d.Sleeve.Finish, d.Sleeve.Art.Style)
			if d.Sleeve.OuterClear {
				group += "/outer"
			}
			add(d, group)
			seed++
		}
	case "grids":
		seed += 2000
		for _, l := range []visiontest.Layout{{Rows: 2, Cols: 4}, {Rows: 3, Cols: 5, GapMM: 2}, {Rows: 3, Cols: 5, GapMM: -1}, {Rows: 5, Cols: 8, GapMM: 4}} {
			for _, t := range []visiontest.TableKind{visiontest.Paper, visiontest.PrintedMat, visiontest.Playmat, visiontest.Wood} {
				d := visiontest.RandomSpec(seed, visiontest.Ranges{Clean: true, Singles: true, Tidy: true})
				d.Layout, d.Cards, d.Table = l, l.Rows*l.Cols, visiontest.Table{Kind: t}
				d.Camera = visiontest.Camera{WidthPx: 1920, HeightPx: 1080, DistanceMM: 700, TiltDeg: d.Camera.TiltDeg / 3, TiltTowardsDeg: d.Camera.TiltTowardsDeg, RollDeg: d.Camera.RollDeg}
				add(d, fmt.Sprintf("grid %dx%d gap %g", l.Rows, l.Cols, l.GapMM), "on "+string(t))
				seed++
			}
		}
	default:
		return nil, fmt.Errorf("no set is called %q", set)
	}
	return out, nil
}
