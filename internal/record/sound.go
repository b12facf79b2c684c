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
	return c.soundOrder()
}

// soundOrder checks that order, faces and patterns speak of the same cards.
func (c *Check) soundOrder() error {
	faces := map[string]bool{}
	for i := range c.Faces {
		id := c.Faces[i].Face
		if id == "" || faces[id] {
			return fmt.Errorf("face %q stands twice, or has no id", id)
		}
		faces[id] = true
	}
	if c.Order == nil {
		if len(faces) > 0 {
			return fmt.Errorf("it has %d faces and no order", len(faces))
		}
		return nil
	}
	sleeves := map[int]bool{}
	at := map[string][]int{}
	for i, p := range c.Order.Cards {
		switch {
		case p.Place != i+1:
			return fmt.Errorf("place %d of the order stands where %d belongs", p.Place, i+1)
		case p.Face == "" && p.Gap == "":
			return fmt.Errorf("place %d of the order has neither a face nor a reason", p.Place)
		case p.Face != "" && !faces[p.Face]:
			return fmt.Errorf("place %d of the order has the face %q, which is none", p.Place, p.Face)
		case p.Sleeve != 0 && (sleeves[p.Sleeve] || p.Sleeve < 0 || p.Sleeve > c.Verdict.Count.Sleeves):
			return fmt.Errorf("place %d of the order has sleeve %d, which another has or the deck has not", p.Place, p.Sleeve)
		}
		if p.Sleeve != 0 {
			sleeves[p.Sleeve] = true
		}
		if p.Face != "" {
			at[p.Face] = append(at[p.Face], p.Place)
		}
	}
	for i := range c.Faces {
		if f := &c.Faces[i]; !slices.Equal(f.Places, at[f.Face]) {
			return fmt.Errorf("face %s lists the places %v and the order %v", f.Face, f.Places, at[f.Face])
		}
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
