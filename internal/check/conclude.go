package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/vision/colour"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// conclude writes what was found into the check and returns the pictures that
// go with it; english writes the record's sentences.
func conclude(c *record.Check, places []place, res *sleeve.Result, english locale.Printer) *record.Evidence {
	e := &record.Evidence{Sleeves: make([]record.Pictures, len(places))}
	d := draft{c}
	if res != nil {
		e.PxPerMM, e.MarginMM = res.PxPerMM, res.MarginMM
		c.Limits = record.Limits{PxPerMM: res.PxPerMM, SmallestMarkMM: finite(res.SmallestMarkMM)}
		for _, w := range res.Warnings {
			d.warn(w.Code, "", w.Text)
		}
		for i := range res.Groups {
			g := &res.Groups[i]
			e.Consensus = append(e.Consensus, g.Consensus)
			out := record.Group{
				Name: g.Name, Colour: colour.Lab{L: finite(g.Colour.L), A: finite(g.Colour.A), B: finite(g.Colour.B)}, DeltaE: finite(g.DeltaE), Visibility: string(g.Visibility), What: g.What,
			}
			c.Groups = append(c.Groups, out)
		}
	}
	k := 0
	for i := range places {
		p := &places[i]
		s := record.Sleeve{
			Sleeve: p.number, File: p.file, Card: p.card, Corners: p.Corners, SigmaPx: p.SigmaPx,
			Size: recordSize(p.Size), PxPerMM: finite(p.PxPerMM), Unusable: p.unusable,
		}
		for j := range s.SigmaPx {
			s.Corners[j], s.SigmaPx[j] = finitePoint(s.Corners[j]), finite(s.SigmaPx[j])
		}
		if p.unusable == "" {
			describe(&s, &res.Sleeves[k], res.Groups)
			e.Sleeves[i] = record.Pictures{View: res.Sleeves[k].Aligned, DeltaE: res.Sleeves[k].DeltaE}
			if s.Group != "" {
				g := &c.Groups[res.Sleeves[k].Group]
				g.Sleeves = append(g.Sleeves, s.Sleeve)
			}
			k++
		}
		c.Sleeves = append(c.Sleeves, s)
	}
	for i := range c.Sleeves {
		if s := &c.Sleeves[i]; s.Unusable != "" && places[i].unusable == "" {
			c.Problems = append(c.Problems, record.Problem{
				Code: "sleeve-unusable", File: s.File, Sleeve: s.Sleeve, Text: "the sleeve cannot be compared: " + s.Unusable,
				Remedy: "take this picture again",
			})
		}
	}
	warnUninspected(d)
	judge(c, english)
	return e
}

// describe turns a result into the record's words and flags.
func describe(s *record.Sleeve, r *sleeve.Sleeve, groups []sleeve.Group) {
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
	if r.Group >= 0 && r.Group < len(groups) {
		g := &groups[r.Group]
		s.Group = g.Name
		if r.Group > 0 && g.Visibility.Rank() >= sleeve.Visible.Rank() {
			s.Flags = append(s.Flags, record.FlagGroup)
		}
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
func warnUninspected(d draft) {
	byReason := map[string][]int{}
	for i := range d.Sleeves {
		share := map[string]float64{}
		for _, a := range d.Sleeves[i].NotInspected {
			share[a.Reason] += a.Fraction
		}
		for reason, f := range share {
			if f > tellUninspected {
				byReason[reason] = append(byReason[reason], d.Sleeves[i].Sleeve)
			}
		}
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
