package record

import (
	"fmt"
	"slices"
)

// sound says what contradicts itself in a check. Every check that was written
// whole passes; a file that was cut down or edited by hand must not read as a
// deck with nothing to see, nor name sleeves that the deck does not have.
func (c *Check) sound() error {
	if !slices.Contains([]Level{NothingToSee, Flagged, Incomplete, NotGoodEnough}, c.Verdict.Level) {
		return fmt.Errorf("its verdict %q is none", c.Verdict.Level)
	}
	n := c.Verdict.Count
	if n.Sleeves < 0 {
		return fmt.Errorf("it counts %d sleeves", n.Sleeves)
	}
	if n.Inspected < 0 || n.Inspected > n.Sleeves {
		return fmt.Errorf("%d of its %d sleeves were inspected", n.Inspected, n.Sleeves)
	}
	if err := c.soundParts(); err != nil {
		return err
	}
	flagged, last := 0, 0
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		if s.Sleeve <= last || s.Sleeve > n.Sleeves {
			return fmt.Errorf("sleeve %d follows sleeve %d, of %d", s.Sleeve, last, n.Sleeves)
		}
		last = s.Sleeve
		if part, place := c.Spot(s.Sleeve); part != s.Part || part != "" && place != s.Place {
			return fmt.Errorf("sleeve %d does not lie at place %d of part %q", s.Sleeve, s.Place, s.Part)
		}
		if s.Unusable == "" && s.Flagged() {
			flagged++
		}
	}
	if flagged != n.Flagged {
		return fmt.Errorf("it counts %d flagged sleeves and lists %d", n.Flagged, flagged)
	}
	if flagged > 0 && c.Verdict.Level == NothingToSee {
		return fmt.Errorf("it lists %d flagged sleeves and its verdict is %q", flagged, c.Verdict.Level)
	}
	return nil
}

// soundParts checks that the parts are those of one deck.
func (c *Check) soundParts() error {
	sum := 0
	for i := range c.Parts {
		p := &c.Parts[i]
		if !slices.Contains([]string{"main", "side", "extra"}, p.Part) || slices.ContainsFunc(c.Parts[:i], func(q Part) bool { return q.Part == p.Part }) {
			return fmt.Errorf("part %q is none, or stands twice", p.Part)
		}
		if p.Count.Sleeves < 0 || p.Cards.Min < 0 || p.Cards.Max < p.Cards.Min {
			return fmt.Errorf("part %s counts %d sleeves and %d to %d cards", p.Part, p.Count.Sleeves, p.Cards.Min, p.Cards.Max)
		}
		sum += p.Count.Sleeves
	}
	if len(c.Parts) > 0 && sum != c.Verdict.Count.Sleeves {
		return fmt.Errorf("its parts have %d sleeves together and it has %d", sum, c.Verdict.Count.Sleeves)
	}
	return nil
}
