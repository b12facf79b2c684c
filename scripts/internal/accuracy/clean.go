package main

import (
	"fmt"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
)

// cleanCounts are the ways in which a clean deck can be accused.
type cleanCounts struct {
	any     metric.Share // decks with any of the three below
	flagged metric.Share // decks with a sleeve called visible or obvious
	groups  metric.Share // decks said to be of several groups that a person sees
	turned  metric.Share // decks said to hold turned sleeves
	sleeves metric.Share // sleeves called visible or obvious
	camera  metric.Share // sleeves with a mark for the camera only
}

func (c *cleanCounts) add(in *inspected) {
	flags, turned := 0, 0
	for _, s := range in.result.Sleeves {
		c.sleeves.Add(flagged(s))
		c.camera.Add(len(s.Marks) > 0 && !flagged(s))
		if flagged(s) {
			flags++
		}
		if s.TurnedDeg != 0 {
			turned++
		}
	}
	groups := false
	for _, g := range in.result.Groups {
		groups = groups || g.Visibility.Rank() >= 2
	}
	c.flagged.Add(flags > 0)
	c.groups.Add(groups)
	c.turned.Add(turned > 0)
	c.any.Add(flags > 0 || groups || turned > 0)
}

func (c *cleanCounts) row(name string) []string {
	return []string{name, c.any.String(), c.flagged.String(), c.groups.String(), c.turned.String(), c.sleeves.String(), c.camera.String()}
}

// clean measures how many decks with nothing to find are accused of
// something.
func (r *run) clean(d *markdown.Document) error {
	n := r.count(320, 8)
	var all cleanCounts
	strata := map[string]*cleanCounts{}
	var accused []string
	err := r.each("clean deck", n, func(i int) (*inspected, error) {
		deck := cleanDeck(r.base + uint64(i))
		return inspectTight(r.ctx, tight(deck, 0))
	}, func(i int, in *inspected) {
		all.add(in)
		for _, key := range cleanStrata(in.deck) {
			if strata[key] == nil {
				strata[key] = new(cleanCounts)
			}
			strata[key].add(in)
		}
		var one cleanCounts
		if one.add(in); one.any.K > 0 {
			accused = append(accused, fmt.Sprintf("%d: %s", in.deck.Seed, accusation(in)))
		}
	})
	if err != nil {
		return err
	}
	d.Para("%d decks of 12 to 60 sleeves without any mark, batch or turned sleeve, drawn by visiontest.RandomSpec: every kind of sleeve, table, lamp, lens, noise and JPEG quality, 3.2 to 7 px/mm, with dust, hairlines, smudges and fluff on every sleeve. "+
		"A deck is accused when any sleeve is called visible or obvious, or the deck is said to hold two groups that a person can tell apart, or turned sleeves.", n)
	rows := [][]string{all.row("all")}
	for _, key := range []string{"plain", "printed", "matte", "satin", "gloss", "outer sleeve", "below 5 px/mm", "from 5 px/mm"} {
		if c := strata[key]; c != nil {
			rows = append(rows, c.row(key))
		}
	}
	for _, t := range visiontest.TableKinds() {
		if c := strata["on "+string(t)]; c != nil {
			rows = append(rows, c.row("on "+string(t)))
		}
	}
	d.Table([]string{"decks", "accused", "sleeve flagged", "groups", "turned", "sleeves flagged", "sleeves with a camera-only mark"}, rows)
	d.Para("Accused: %s.", all.any.WithInterval())
	if len(accused) > 0 {
		d.Para("The accused decks, by seed:")
		d.List(accused)
	}
	r.target("clean decks with any sleeve flagged (≥ 300 decks)", "≤ 1%", all.flagged.WithInterval(), all.flagged.N >= 300 && all.flagged.Rate() <= 0.01)
	r.target("clean decks accused of anything, groups and turned sleeves too (≥ 300 decks)", "≤ 1%", all.any.WithInterval(), all.any.N >= 300 && all.any.Rate() <= 0.01)
	r.target("false flags on sleeves of clean decks", "0", all.sleeves.WithInterval(), all.sleeves.N >= 250 && all.sleeves.K == 0)
	return nil
}

// cleanDeck draws a clean deck. Three in four have 12 to 30 sleeves and one 45
// to 60: the guarantee is per deck of any size, and small ones cost less.
// Stations finer than 7 px/mm are left out for the same reason, those below
// 3.2 because an inspection refuses them.
func cleanDeck(seed uint64) visiontest.Deck {
	g := visiontest.Ranges{Clean: true, Singles: true, Tidy: true, MinCards: 12, MaxCards: 30}
	if seed%4 == 0 {
		g.MinCards, g.MaxCards = 45, 60
	}
	d := visiontest.RandomSpec(seed, g)
	d.Camera.PxPerMM = min(max(d.Camera.PxPerMM, 3.2), 7)
	return d
}

func cleanStrata(d visiontest.Deck) []string {
	print, scale := "plain", "from 5 px/mm"
	if d.Sleeve.Art.Style != "" {
		print = "printed"
	}
	if d.Camera.PxPerMM < 5 {
		scale = "below 5 px/mm"
	}
	keys := []string{print, scale, string(d.Sleeve.Finish), "on " + string(d.Table.Kind)}
	if d.Sleeve.OuterClear {
		keys = append(keys, "outer sleeve")
	}
	return keys
}

// accusation says what a clean deck was accused of.
func accusation(in *inspected) string {
	s := fmt.Sprintf("%s %s on %s, %.1f px/mm, %d sleeves:", in.deck.Sleeve.Finish, styleName(in.deck.Sleeve.Art.Style), in.deck.Table.Kind, in.deck.Camera.PxPerMM, in.deck.Cards)
	shown := 0
	for i, v := range in.result.Sleeves {
		if v.TurnedDeg != 0 {
			s += fmt.Sprintf(" sleeve %d turned;", i)
		}
		for _, m := range v.Marks {
			if m.Visibility.Rank() >= 2 {
				if shown++; shown <= 4 {
					s += fmt.Sprintf(" sleeve %d %s %s at (%.0f, %.0f) %.1f x %.1f mm ΔE %.1f;", i, m.Visibility, m.Kind, m.CentreMM.X, m.CentreMM.Y, m.LengthMM, m.WidthMM, m.PeakDeltaE)
				}
			}
		}
	}
	if shown > 4 {
		s += fmt.Sprintf(" and %d more;", shown-4)
	}
	for _, g := range in.result.Groups {
		if g.Visibility != "" {
			s += fmt.Sprintf(" group of %d by %s, ΔE %.1f, %s;", len(g.Sleeves), g.What, g.DeltaE, g.Visibility)
		}
	}
	return s
}

func styleName(s visiontest.ArtStyle) string {
	if s == "" {
		return "plain"
	}
	return string(s)
}
