package check

import (
	"slices"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/wording"
	"fairdeck/vision/sleeve"
)

// judge counts, chooses the level and has the three sentences written. It
// reads the check alone, so that the verdict can never say more than the
// record. The record's sentences are English; a reader's language is made of
// the same facts by [wording.Lines].
func judge(c *record.Check, english locale.Printer) {
	n := &c.Verdict.Count
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		if s.Unusable != "" {
			continue
		}
		if s.Inspected >= wording.MinInspected {
			n.Inspected++
		}
		if s.Flagged() {
			n.Flagged++
		} else if len(s.Marks) > 0 {
			n.CameraOnly++
		}
		for _, f := range s.Flags {
			switch f {
			case record.FlagMark:
				if s.Visibility == string(sleeve.Obvious) {
					n.Obvious++
				}
			case record.FlagTurned:
				n.Turned++
			case record.FlagGroup:
				n.OtherGroup++
			}
		}
	}
	switch {
	case wording.TooFew(c), n.Inspected == 0, 2*n.Inspected < n.Sleeves:
		c.Verdict.Level = record.NotGoodEnough
	case n.Flagged > 0:
		c.Verdict.Level = record.Flagged
	case 3*n.Inspected < 2*n.Sleeves:
		// With a third and more not seen, that nothing was found on the rest
		// says little of the deck.
		c.Verdict.Level = record.NotGoodEnough
	case n.Inspected < n.Sleeves, hasUnread(c):
		c.Verdict.Level = record.Incomplete
	default:
		c.Verdict.Level = record.NothingToSee
	}
	c.Verdict.Lines = wording.Verdict(c, english)
}

// hasUnread reports whether anything of the input was not used.
func hasUnread(c *record.Check) bool {
	return slices.ContainsFunc(c.Problems, func(p record.Problem) bool { return p.Code != wording.ExtraCards })
}

// judgeWhole judges every part as a deck of its own, and then the whole: what
// can be told apart outweighs what was not seen, in any part.
func judgeWhole(c *record.Check, parts []*deckPart, english locale.Printer) {
	for _, p := range parts {
		c.Parts = append(c.Parts, record.Part{
			Part: p.part, Cards: p.cards, ComparedWith: p.with, Layout: p.layout, Limits: p.limits, Count: record.Count{Sleeves: p.number},
		})
	}
	n := &c.Verdict.Count
	*n = record.Count{}
	for i, v := range c.Split() {
		judge(v, english)
		p := &c.Parts[i]
		p.Level, p.Lines, p.Count = v.Verdict.Level, v.Verdict.Lines, v.Verdict.Count
		n.Sleeves += p.Count.Sleeves
		n.Inspected += p.Count.Inspected
		n.Flagged += p.Count.Flagged
		n.Obvious += p.Count.Obvious
		n.Turned += p.Count.Turned
		n.OtherGroup += p.Count.OtherGroup
		n.CameraOnly += p.Count.CameraOnly
		// What was seen of the whole deck is what was seen in its worst part.
		if l := p.Limits; l.PxPerMM > 0 && (c.Limits.PxPerMM == 0 || l.PxPerMM < c.Limits.PxPerMM) {
			c.Limits.PxPerMM = l.PxPerMM
		}
		c.Limits.SmallestMarkMM = max(c.Limits.SmallestMarkMM, p.Limits.SmallestMarkMM)
	}
	c.Verdict.Level = wording.WholeLevel(c)
	c.Verdict.Lines = wording.Verdict(c, english)
}
