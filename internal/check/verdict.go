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
