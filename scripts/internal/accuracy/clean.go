package main

import (
	"fmt"
	"slices"

	"fairdeck/internal/record"
	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

// cleanCounts are the ways in which a clean deck can be accused, and what was
// left unsaid.
type cleanCounts struct {
	any     metric.Share // decks with any of the three below
	flagged metric.Share // decks with a sleeve called visible or obvious
	groups  metric.Share // decks said to be of several groups that a person sees
	turned  metric.Share // decks said to hold turned sleeves
	sleeves metric.Share // sleeves called visible or obvious
	camera  metric.Share // sleeves with a mark for the camera only
	unseen  metric.Share // sleeves that were not compared
	refused metric.Share // decks whose pictures were called not good enough
}

// cleanColumns are two ways to inspect the same files.
type cleanColumns struct{ through, given cleanCounts }

func (c *cleanColumns) add(in *inspected) {
	c.through.addCheck(in.check)
	c.given.addResult(in.result)
}

// addCheck adds what a user is told of a deck.
func (c *cleanCounts) addCheck(k *record.Check) {
	flags, turned := 0, 0
	for i := range k.Sleeves {
		s := &k.Sleeves[i]
		marked := slices.Contains(s.Flags, record.FlagMark)
		c.sleeves.Add(marked)
		c.camera.Add(len(s.Marks) > 0 && !marked)
		c.unseen.Add(s.Unusable != "")
		if marked {
			flags++
		}
		if slices.Contains(s.Flags, record.FlagTurned) {
			turned++
		}
	}
	groups := false
	for i := range k.Groups {
		groups = groups || sleeve.Visibility(k.Groups[i].Visibility).Rank() >= sleeve.Visible.Rank()
	}
	c.refused.Add(k.Verdict.Level == record.NotGoodEnough)
	c.deck(flags, groups, turned)
}

// addResult adds what package sleeve makes of a deck.
func (c *cleanCounts) addResult(res *sleeve.Result) {
	flags, turned := 0, 0
	for _, s := range res.Sleeves {
		c.sleeves.Add(flagged(s))
		c.camera.Add(len(s.Marks) > 0 && !flagged(s))
		c.unseen.Add(s.Unusable != "")
		if flagged(s) {
			flags++
		}
		if s.TurnedDeg != 0 {
			turned++
		}
	}
	groups := false
	for _, g := range res.Groups {
		groups = groups || g.Visibility.Rank() >= sleeve.Visible.Rank()
	}
	c.deck(flags, groups, turned)
}

func (c *cleanCounts) deck(flags int, groups bool, turned int) {
	c.flagged.Add(flags > 0)
	c.groups.Add(groups)
	c.turned.Add(turned > 0)
	c.any.Add(flags > 0 || groups || turned > 0)
}

func (c *cleanColumns) row(name string) []string {
	t, g := &c.through, &c.given
	return []string{name, t.any.String(), t.flagged.String(), t.groups.String(), t.turned.String(), t.sleeves.String(), t.camera.String(), t.unseen.String(), t.refused.String(),
		g.any.String(), g.flagged.String(), g.sleeves.String()}
}

// clean measures how many decks with nothing to find are accused of
// something, on the way that a user's pictures go.
func (r *run) clean(d *markdown.Document) error {
	n := r.count(320, 8)
	var all cleanColumns
	strata := map[string]*cleanColumns{}
	var accused, given []string
	wrong := metric.Share{} // flagged sleeves whose outline is off
	through, byTruth := newCalibration(), newCalibration()
	err := r.each("clean deck", n, func(i int) (*inspected, error) {
		return inspectThrough(r.ctx, loose(cleanDeck(r.base+uint64(i))))
	}, func(i int, in *inspected) {
		all.add(in)
		through.add(leastPOf(in.check))
		byTruth.add(leastP(in.result))
		for _, key := range cleanStrata(in.deck) {
			if strata[key] == nil {
				strata[key] = new(cleanColumns)
			}
			strata[key].add(in)
		}
		var one cleanColumns
		one.add(in)
		if one.through.any.K > 0 {
			accused = append(accused, in.accusedThrough(&wrong))
		}
		if one.given.any.K > 0 {
			given = append(given, fmt.Sprintf("%d: %s", in.deck.Seed, accusation(in)))
		}
	})
	if err != nil {
		return err
	}
	d.Para("%d decks of 12 to 60 sleeves without any mark, batch or turned sleeve, drawn by visiontest.RandomSpec: every kind of sleeve, table, lamp, lens, noise and JPEG quality, 3.2 to 6 px/mm, with dust, hairlines, smudges and fluff on every sleeve, one a picture, %d mm of table around it. "+
		"The JPEG files go the way of `fairdeck inspect` (no profile, no size given): cards are found, compared and judged. In the columns at the right the same files are compared by their true corners, moved by %g px: the difference is what wrong outlines do. "+
		"A deck is accused when any sleeve is called visible or obvious, or the deck is said to hold two groups that a person can tell apart, or turned sleeves. "+
		"Development seeds are below %d, held-out ones from there on; each section's first seed stands below it.", n, surroundMM, cornerSigmaPx, visiontest.HeldOut)
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
	d.Table([]string{"decks", "accused", "sleeve flagged", "groups", "turned", "sleeves flagged", "sleeves with a camera-only mark", "sleeves not compared", "not good enough",
		"true corners: accused", "sleeve flagged", "sleeves flagged"}, rows)
	d.Para("Accused: %s; by their true corners: %s. Of the flagged sleeves %s had a corner more than 2 px from where it is.", all.through.any.WithInterval(), all.given.any.WithInterval(), wrong)
	for _, list := range []struct {
		what  string
		decks []string
	}{{"The accused decks, by seed:", accused}, {"By their true corners:", given}} {
		if len(list.decks) > 0 {
			d.Para("%s", list.what)
			d.List(list.decks)
		}
	}
	through.table(d, byTruth)
	c := &all.through
	r.target("clean decks with any sleeve flagged (≥ 300 decks, through the card finder)", "≤ 1%", c.flagged.WithInterval(), c.flagged.N >= 300 && c.flagged.Rate() <= 0.01)
	r.target("clean decks accused of anything, groups and turned sleeves too (≥ 300 decks, through the card finder)", "≤ 1%", c.any.WithInterval(), c.any.N >= 300 && c.any.Rate() <= 0.01)
	r.target("false flags on sleeves of clean decks", "0", c.sleeves.WithInterval(), c.sleeves.N >= 250 && c.sleeves.K == 0)
	r.target("clean decks with any sleeve flagged, true corners", "≤ 1%", all.given.flagged.WithInterval(), all.given.flagged.N >= 300 && all.given.flagged.Rate() <= 0.01)
	return nil
}

// accusedThrough says what a clean deck was accused of by the check, and how
// far the outlines of the accused sleeves are off.
func (d *inspected) accusedThrough(wrong *metric.Share) string {
	const off = 2.0 // px
	s := deckWords(d.deck)
	errs, sigmas := d.cornerErrors()
	shown := 0
	for i := range d.check.Sleeves {
		v := &d.check.Sleeves[i]
		if !v.Flagged() {
			continue
		}
		wrong.Add(errs[i] > off)
		if shown++; shown > 4 {
			continue
		}
		s += fmt.Sprintf(" sleeve %d (corner off by %.1f px, said to be sure to %.1f):", v.Sleeve, errs[i], sigmas[i])
		for _, f := range v.Flags {
			if f != record.FlagMark {
				s += " " + string(f) + ";"
			}
		}
		for k, m := range v.Marks {
			if k < 2 && sleeve.Visibility(m.Visibility).Rank() >= sleeve.Visible.Rank() {
				s += fmt.Sprintf(" %s %s at (%.0f, %.0f) %.1f x %.1f mm ΔE %.1f;", m.Visibility, m.Kind, m.CentreMM.X, m.CentreMM.Y, m.LengthMM, m.WidthMM, m.PeakDeltaE)
			}
		}
	}
	if shown > 4 {
		s += fmt.Sprintf(" and %d sleeves more;", shown-4)
	}
	for _, g := range d.check.Groups {
		if sleeve.Visibility(g.Visibility).Rank() >= sleeve.Visible.Rank() {
			s += fmt.Sprintf(" group of %d by %s, ΔE %.1f;", len(g.Sleeves), g.What, g.DeltaE)
		}
	}
	return fmt.Sprintf("%d: %s", d.deck.Seed, s)
}

func deckWords(d visiontest.Deck) string {
	return fmt.Sprintf("%s %s on %s, %.1f px/mm, %d sleeves:", d.Sleeve.Finish, styleName(d.Sleeve.Art.Style), d.Table.Kind, d.Camera.PxPerMM, d.Cards)
}

// cleanDeck draws a clean deck. Three in four have 12 to 30 sleeves and one 45
// to 60: the guarantee is per deck of any size, and small ones cost less.
// Stations finer than 6 px/mm are left out for the same reason, those below
// 3.2 because an inspection refuses them.
func cleanDeck(seed uint64) visiontest.Deck {
	g := visiontest.Ranges{Clean: true, Singles: true, Tidy: true, MinCards: 12, MaxCards: 30}
	if seed%4 == 0 {
		g.MinCards, g.MaxCards = 45, 60
	}
	d := visiontest.RandomSpec(seed, g)
	d.Camera.PxPerMM = min(max(d.Camera.PxPerMM, 3.2), 6)
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
	s := deckWords(in.deck)
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
