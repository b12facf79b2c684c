package check

import (
	"fmt"
	"slices"
	"strings"

	"fairdeck/internal/record"
	"fairdeck/vision/sleeve"
)

// minInspected is the share of a sleeve that must have been seen for it to
// count as inspected.
const minInspected = 0.5

// judge counts, chooses the level and writes the three sentences. It reads
// the check alone, so that the sentences can never say more than the record.
func judge(c *record.Check) {
	n := &c.Verdict.Count
	var obvious, visible, turned, missing []int
	others := map[string]int{}
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		if s.Unusable != "" || s.Inspected < minInspected {
			missing = append(missing, s.Sleeve)
			if s.Unusable != "" {
				continue
			}
		} else {
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
					obvious = append(obvious, s.Sleeve)
				} else {
					visible = append(visible, s.Sleeve)
				}
			case record.FlagTurned:
				n.Turned++
				turned = append(turned, s.Sleeve)
			case record.FlagGroup:
				n.OtherGroup++
				others[s.Group]++
			}
		}
	}
	unseen := n.Sleeves - n.Inspected
	usable := 0
	for i := range c.Sleeves {
		if c.Sleeves[i].Unusable == "" {
			usable++
		}
	}
	v := &c.Verdict
	switch {
	case len(c.Groups) == 0 && usable > 0 && 2*usable >= n.Sleeves:
		v.Level = record.NotGoodEnough
		v.Lines = [3]string{
			"Not good enough to judge: too few sleeves to compare.",
			fmt.Sprintf("%s in the pictures; a deck is its own reference, and with so few none of them is typical.", plural(usable, "sleeve is", "sleeves are")),
			"Give the pictures of the whole deck.",
		}
	case n.Inspected == 0 || 2*n.Inspected < n.Sleeves:
		v.Level = record.NotGoodEnough
		v.Lines = poor(c, unseen)
	case n.Flagged > 0:
		v.Level = record.Flagged
		v.Lines = [3]string{
			fmt.Sprintf("%d of %s can be told from the rest.", n.Flagged, plural(n.Sleeves, "sleeve", "sleeves")),
			which(c, obvious, visible, turned, others),
			seen(c, unseen) + " The judge decides.",
		}
	case unseen > 0:
		v.Level = record.Incomplete
		v.Lines = [3]string{
			fmt.Sprintf("Not finished: nothing to see on %s, but %d could not be inspected.", plural(n.Inspected, "sleeve", "sleeves"), unseen),
			reasons(c, missing),
			"Take those pictures again and inspect the deck once more.",
		}
	case hasUnread(c):
		v.Level = record.Incomplete
		v.Lines = [3]string{
			fmt.Sprintf("Not finished: nothing to see on %s, but some of the input could not be used.", plural(n.Inspected, "sleeve", "sleeves")),
			reasons(c, nil),
			"Give that input again and inspect the deck once more.",
		}
	default:
		v.Level = record.NothingToSee
		v.Lines = [3]string{
			fmt.Sprintf("Nothing to see: none of %s can be told from the rest.", plural(n.Sleeves, "sleeve", "sleeves")),
			"No differences beyond the deck's own were found.",
			seen(c, unseen),
		}
		if n.CameraOnly > 0 {
			v.Lines[1] = fmt.Sprintf("%s small differences that only the camera sees; they are no reason for a penalty.", plural(n.CameraOnly, "sleeve has", "sleeves have"))
		}
	}
}

// hasUnread reports whether anything of the input was not used.
func hasUnread(c *record.Check) bool {
	return slices.ContainsFunc(c.Problems, func(p record.Problem) bool { return p.Code != "extra-cards" })
}

// which names the flagged sleeves by what is to be seen on them.
func which(c *record.Check, obvious, visible, turned []int, others map[string]int) string {
	var parts []string
	add := func(places []int, one, many string) {
		switch len(places) {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf("sleeve %d %s", places[0], one))
		default:
			parts = append(parts, fmt.Sprintf("sleeves %s %s", record.PlacesText(places), many))
		}
	}
	add(obvious, "has an obvious mark", "have obvious marks")
	add(visible, "has a mark that a player sees", "have marks that a player sees")
	add(turned, "lies the other way round", "lie the other way round")
	if len(others) > 0 {
		parts = append(parts, groupWords(c))
	}
	s := strings.Join(parts, "; ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// groupWords is "two groups: 34 and 6 sleeves". Groups that only the camera
// tells apart count as one.
func groupWords(c *record.Check) string {
	main := 0
	var others []string
	for _, g := range c.Groups {
		if sleeve.Visibility(g.Visibility).Rank() >= sleeve.Visible.Rank() {
			others = append(others, fmt.Sprint(len(g.Sleeves)))
		} else {
			main += len(g.Sleeves)
		}
	}
	sizes := append([]string{fmt.Sprint(main)}, others...)
	word := fmt.Sprint(len(sizes))
	if small := []string{"no", "one", "two", "three", "four", "five", "six"}; len(sizes) < len(small) {
		word = small[len(sizes)]
	}
	return fmt.Sprintf("%s groups: %s sleeves", word, record.JoinWords(sizes))
}

// seen says how far the answer can be trusted.
func seen(c *record.Check, unseen int) string {
	n := c.Verdict.Count
	var s string
	if unseen == 0 {
		s = fmt.Sprintf("All %s were inspected", plural(n.Sleeves, "sleeve", "sleeves"))
	} else {
		s = fmt.Sprintf("%d of %s were not inspected", unseen, plural(n.Sleeves, "sleeve", "sleeves"))
	}
	if mm := c.Limits.SmallestMarkMM; mm > 0 {
		s += fmt.Sprintf("; a strong dot of %.1f mm or more would have been found", mm)
	}
	return s + "."
}

// reasons tells why sleeves were not inspected, most usual reason first.
func reasons(c *record.Check, missing []int) string {
	count := map[string]int{}
	var texts []string
	add := func(t string) {
		if count[t]++; count[t] == 1 {
			texts = append(texts, t)
		}
	}
	for _, p := range c.Problems {
		if p.Code != "extra-cards" {
			add(strings.TrimPrefix(strings.TrimPrefix(p.Text, "the card cannot be compared: "), "the sleeve cannot be compared: "))
		}
	}
	for i := range c.Sleeves {
		if s := &c.Sleeves[i]; s.Unusable == "" && slices.Contains(missing, s.Sleeve) {
			if s.Inspected == 0 {
				add("there was too little like it to compare it with")
			} else {
				add("more than half of it was hidden")
			}
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return count[b] - count[a] })
	const show = 2 // the rest is in the list of problems
	var parts []string
	for _, t := range texts[:min(show, len(texts))] {
		if count[t] > 1 {
			t += fmt.Sprintf(" (%d times)", count[t])
		}
		parts = append(parts, t)
	}
	if more := len(texts) - show; more > 0 {
		parts = append(parts, plural(more, "other problem", "other problems"))
	}
	if len(parts) == 0 {
		return "The reasons are not known."
	}
	s := strings.Join(parts, "; ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// poor is the verdict on pictures that do not allow one.
func poor(c *record.Check, unseen int) [3]string {
	n := c.Verdict.Count
	first := "Not good enough to judge: no sleeve could be inspected."
	if n.Inspected > 0 {
		first = fmt.Sprintf("Not good enough to judge: %d of %s could not be inspected.", unseen, plural(n.Sleeves, "sleeve", "sleeves"))
	}
	// The remedy of the most usual problem.
	count, best, most := map[string]int{}, "take the pictures again", 0
	for _, p := range c.Problems {
		if count[p.Remedy]++; count[p.Remedy] > most {
			best, most = p.Remedy, count[p.Remedy]
		}
	}
	return [3]string{first, reasons(c, nil), strings.ToUpper(best[:1]) + best[1:] + "."}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
