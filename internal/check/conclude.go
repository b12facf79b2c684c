package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/record"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// conclude writes what was found about the parts of one comparison into the
// check, and into the parts the sleeves and pictures that belong to them. res
// is nil when there was no usable card; first is the index of the comparison's
// first group among all groups of the check.
func conclude(c draft, parts []*deckPart, res *sleeve.Result, first int) {
	if len(parts) == 1 {
		c.part = parts[0].part
	} else {
		c.part = ""
	}
	if res != nil {
		for _, w := range res.Warnings {
			// These name sleeves by their number among those that were
			// compared; tellUnusable names them by their place.
			if strings.HasPrefix(w.Code, "not-inspected-") || w.Code == "outline-misplaced" {
				continue
			}
			c.warn(w.Code, "", w.Text)
		}
	}
	k := 0
	for _, p := range parts {
		if res != nil {
			p.limits = record.Limits{PxPerMM: res.PxPerMM, SmallestMarkMM: finite(res.SmallestMarkMM)}
		}
		used := p.used()
		groups := groupsOf(res, k, k+used, first)
		turned := mostTurned(res, k, k+used)
		p.pictures = make([]record.Pictures, len(p.places))
		for _, g := range groups {
			g.record.Part = p.part
			p.groups = append(p.groups, g.record)
			p.consensus = append(p.consensus, g.consensus)
		}
		for i := range p.places {
			pl := &p.places[i]
			s := record.Sleeve{
				Sleeve: p.offset + pl.number, File: pl.file, Card: pl.card, Corners: pl.Corners, SigmaPx: pl.SigmaPx,
				Size: recordSize(pl.Size), PxPerMM: finite(pl.PxPerMM), Unusable: pl.unusable,
			}
			if p.part != "" {
				s.Part, s.Place = p.part, pl.number
			}
			for j := range s.SigmaPx {
				s.Corners[j], s.SigmaPx[j] = finitePoint(s.Corners[j]), finite(s.SigmaPx[j])
			}
			if pl.unusable == "" {
				r := &res.Sleeves[k]
				at := slices.IndexFunc(groups, func(g lookGroup) bool { return g.index == r.Group })
				var group *record.Group
				if at >= 0 {
					group = &p.groups[at]
				}
				describe(&s, r, at, group)
				turnBy(&s, turned)
				p.pictures[i] = record.Pictures{View: r.Aligned, DeltaE: r.DeltaE}
				if s.Group != "" {
					p.groups[at].Sleeves = append(p.groups[at].Sleeves, s.Sleeve)
				}
				k++
			}
			p.sleeves = append(p.sleeves, s)
		}
	}
}

// tellUnusable adds the sleeves of a part that could not be compared to the
// problems, and sums up what was hidden on the others.
func tellUnusable(c draft, p *deckPart) {
	for i := range p.sleeves {
		if s := &p.sleeves[i]; s.Unusable != "" && p.places[i].unusable == "" {
			c.problem(record.Problem{
				Code: "sleeve-unusable", File: s.File, Sleeve: s.Sleeve, Text: "the sleeve cannot be compared: " + s.Unusable,
				Remedy: "take this picture again",
			})
		}
	}
	warnUninspected(c, p)
}

// describe turns a result into the record's words and flags. group is the
// sleeve's group, the at-th of its part; nil when it has none.
func describe(s *record.Sleeve, r *sleeve.Sleeve, at int, group *record.Group) {
	s.Unusable = r.Unusable
	s.Inspected = finite(r.Inspected)
	s.Visibility = string(r.Visibility)
	if r.OrientationKnown {
		turned := r.TurnedDeg
		s.TurnedDeg = &turned
		if turned == 180 {
			// The corners were given as the majority lies; the record has
			// them from the sleeve's own top-left.
			s.Corners = plane.Quad(s.Corners).Turn(2)
			s.SigmaPx = [4]float64{s.SigmaPx[2], s.SigmaPx[3], s.SigmaPx[0], s.SigmaPx[1]}
		}
	}
	for _, a := range r.NotInspected {
		s.NotInspected = append(s.NotInspected, record.Area{
			Reason: a.Reason, MinMM: finitePoint(a.MinMM), MaxMM: finitePoint(a.MaxMM), Fraction: finite(a.Fraction),
		})
	}
	for _, m := range r.Marks {
		s.Marks = append(s.Marks, record.Mark{
			Kind: string(m.Kind), KindConfidence: finite(m.KindConfidence),
			CentreMM: finitePoint(m.CentreMM), MinMM: finitePoint(m.MinMM), MaxMM: finitePoint(m.MaxMM),
			LengthMM: finite(m.LengthMM), WidthMM: finite(m.WidthMM), AreaMM2: finite(m.AreaMM2),
			PeakDeltaE: finite(m.PeakDeltaE), MeanDeltaE: finite(m.MeanDeltaE), DeltaESigma: finite(m.DeltaESigma),
			Visibility: string(m.Visibility), PValue: finite(m.PValue),
		})
	}
	slices.SortStableFunc(s.Marks, func(a, b record.Mark) int {
		if ra, rb := sleeve.Visibility(a.Visibility).Rank(), sleeve.Visibility(b.Visibility).Rank(); ra != rb {
			return rb - ra
		}
		switch {
		case a.PeakDeltaE > b.PeakDeltaE:
			return -1
		case a.PeakDeltaE < b.PeakDeltaE:
			return 1
		}
		return 0
	})
	if r.Unusable != "" {
		return
	}
	if r.Visibility.Rank() >= sleeve.Visible.Rank() {
		s.Flags = append(s.Flags, record.FlagMark)
	}
	if r.OrientationKnown && r.TurnedDeg != 0 {
		s.Flags = append(s.Flags, record.FlagTurned)
	}
	if group != nil {
		s.Group = group.Name
		if at > 0 && sleeve.Visibility(group.Visibility).Rank() >= sleeve.Visible.Rank() {
			s.Flags = append(s.Flags, record.FlagGroup)
		}
	}
}

// mostTurned reports whether most of the inputs from..to-1 lie turned against
// the deck that they were compared in: a part that was photographed with its
// deck the other way round.
func mostTurned(res *sleeve.Result, from, to int) bool {
	known, turned := 0, 0
	for k := from; k < to; k++ {
		if r := &res.Sleeves[k]; r.OrientationKnown {
			known++
			if r.TurnedDeg != 0 {
				turned++
			}
		}
	}
	return 2*turned > known
}

// turnBy states a sleeve's orientation against its own part: how the decks of
// two parts lay under the camera says nothing about a sleeve.
func turnBy(s *record.Sleeve, turned bool) {
	if !turned || s.TurnedDeg == nil {
		return
	}
	*s.TurnedDeg = 180 - *s.TurnedDeg
	s.Flags = slices.DeleteFunc(s.Flags, func(f record.Flag) bool { return f == record.FlagTurned })
	if *s.TurnedDeg != 0 && s.Unusable == "" {
		// Flags stand in the order mark, turned, group.
		at := slices.Index(s.Flags, record.FlagMark) + 1
		s.Flags = slices.Insert(s.Flags, at, record.FlagTurned)
	}
}

// finite rounds a number for the record, and replaces what JSON has no word
// for: a quantity that is not known is 0 where the record says so.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	// Six digits are more than any of them is worth, and they make the text
	// of a check the same on processors that differ in the last bits.
	const digits = 6
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v // cannot happen: it was just written
	}
	return r
}

func finitePoint(p plane.Point) plane.Point { return plane.Point{X: finite(p.X), Y: finite(p.Y)} }

// tellUninspected is the share of a sleeve beyond which an area that was not
// inspected is named with its remedy.
const tellUninspected = 0.03

// warnUninspected sums up, by reason, the sleeves of which a notable part was
// not seen.
func warnUninspected(d draft, part *deckPart) {
	byReason := map[string][]int{}
	var misplaced []int
	for i := range part.sleeves {
		share := map[string]float64{}
		for _, a := range part.sleeves[i].NotInspected {
			share[a.Reason] += a.Fraction
		}
		if share["outline"] > 0 { // told whatever its share: the edge is where marks are
			misplaced = append(misplaced, part.places[i].number)
			delete(share, "outline")
		}
		for reason, f := range share {
			if f > tellUninspected {
				byReason[reason] = append(byReason[reason], part.places[i].number)
			}
		}
	}
	if len(misplaced) > 0 {
		d.warn("outline-misplaced", "", fmt.Sprintf(
			"the edge of %d sleeves (%s) was not found where it is; along it they were not inspected: lay them clear of shadows and lines of the table, and show them again.", len(misplaced), record.PlacesText(misplaced)))
	}
	reasons := make([]string, 0, len(byReason))
	for r := range byReason {
		reasons = append(reasons, r)
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		n := byReason[r]
		noun := "sleeves"
		if len(n) == 1 {
			noun = "sleeve"
		}
		d.warn("not-inspected", "", fmt.Sprintf("%s hid more than %.0f%% of %s %s: %s", r, 100*tellUninspected, noun, record.PlacesText(n), uninspectedRemedy(r)))
	}
}

func uninspectedRemedy(reason string) string {
	switch reason {
	case "glare":
		return "move the lamp so that its reflection misses the cards, and take them again"
	case "shadow":
		return "let nothing stand between the lamp and the cards, and take them again"
	case "blur":
		return "focus on the cards, hold still, and take them again"
	case "covered":
		return "take fingers and other things off the cards, and take them again"
	case "frame":
		return "move the whole card into view, and take it again"
	}
	return "take them again"
}
