package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
)

// MinInspected is the share of a sleeve that must have been seen for it to
// count as inspected.
const MinInspected = 0.5

// Lines are the three sentences of a check's verdict. In English they are
// those of the record; in another language they are made of the same facts.
func Lines(c *record.Check, p locale.Printer) [3]string {
	lines := c.Verdict.Lines
	if p.Language() != locale.English {
		lines = Verdict(c, p)
	}
	for i, l := range lines {
		lines[i] = plain.Text(l, maxLine)
	}
	return lines
}

// maxLine bounds a sentence of the verdict: three lists of sixty places each
// have half as many characters.
const maxLine = 2000

// Verdict makes the three sentences of a check whose level and counts are
// set: what, which, and how far to trust it.
func Verdict(c *record.Check, p locale.Printer) [3]string {
	if len(c.Parts) > 0 {
		return whole(c, p)
	}
	n := &c.Verdict.Count
	unseen := n.Sleeves - n.Inspected
	switch c.Verdict.Level {
	case record.NotGoodEnough:
		if TooFew(c) {
			return [3]string{
				p.Text("verdict.too-few", nil),
				p.Count("verdict.too-few-why", usable(c), nil),
				p.Text("verdict.whole-deck", nil),
			}
		}
		return poor(c, p, unseen)
	case record.Flagged:
		return [3]string{
			p.Count("verdict.told-apart", n.Sleeves, locale.Args{"flagged": strconv.Itoa(n.Flagged)}),
			which(c, p),
			p.Sentences(seen(c, p, unseen), p.Text("verdict.judge-decides", nil)),
		}
	case record.Incomplete:
		if unseen > 0 {
			return [3]string{
				p.Count("verdict.unfinished-sleeves", n.Inspected, locale.Args{"missing": strconv.Itoa(unseen)}),
				reasons(c, p, true),
				p.Text("verdict.again-pictures", nil),
			}
		}
		return [3]string{
			p.Count("verdict.unfinished-input", n.Inspected, nil),
			reasons(c, p, false),
			p.Text("verdict.again-input", nil),
		}
	}
	second := p.Text("verdict.no-differences", nil)
	if n.CameraOnly > 0 {
		second = p.Count("verdict.camera-only", n.CameraOnly, nil)
	}
	return [3]string{p.Count("verdict.nothing", n.Sleeves, nil), second, seen(c, p, unseen)}
}

// TooFew reports whether there were sleeves, and not enough of them to be
// each other's reference.
func TooFew(c *record.Check) bool {
	u := usable(c)
	return len(c.Groups) == 0 && u > 0 && 2*u >= c.Verdict.Count.Sleeves
}

func usable(c *record.Check) (n int) {
	for i := range c.Sleeves {
		if c.Sleeves[i].Unusable == "" {
			n++
		}
	}
	return n
}

// which names the flagged sleeves by what is to be seen on them.
func which(c *record.Check, p locale.Printer) string {
	var obvious, visible, turned []int
	group := false
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		if s.Unusable != "" {
			continue
		}
		for _, f := range s.Flags {
			switch {
			case f == record.FlagMark && s.Visibility == "obvious":
				obvious = append(obvious, s.Sleeve)
			case f == record.FlagMark:
				visible = append(visible, s.Sleeve)
			case f == record.FlagTurned:
				turned = append(turned, s.Sleeve)
			case f == record.FlagGroup:
				group = true
			}
		}
	}
	var parts []string
	add := func(text string, places []int) {
		if len(places) > 0 {
			parts = append(parts, text)
		}
	}
	places := func(list []int) locale.Args { return locale.Args{"places": Places(p, list)} }
	add(p.Count("verdict.obvious", len(obvious), places(obvious)), obvious)
	add(p.Count("verdict.visible", len(visible), places(visible)), visible)
	add(p.Count("verdict.turned", len(turned), places(turned)), turned)
	if group {
		parts = append(parts, groups(c, p))
	}
	return upperFirst(p.Stop(p.Clauses(parts)))
}

// groups is "two groups: 34 and 6 sleeves". Groups that only the camera tells
// apart count as one.
func groups(c *record.Check, p locale.Printer) string {
	main := 0
	var others []string
	for _, g := range c.Groups {
		if g.Visibility == "visible" || g.Visibility == "obvious" {
			others = append(others, strconv.Itoa(len(g.Sleeves)))
		} else {
			main += len(g.Sleeves)
		}
	}
	sizes := append([]string{strconv.Itoa(main)}, others...)
	number := strconv.Itoa(len(sizes))
	if key := "number." + number; p.Has(key) {
		number = p.Text(key, nil)
	}
	return p.Count("verdict.groups", len(sizes), locale.Args{"number": number, "sizes": p.List(sizes)})
}

// seen says how far the answer can be trusted.
func seen(c *record.Check, p locale.Printer, unseen int) string {
	n := c.Verdict.Count
	text := p.Count("verdict.all-inspected", n.Sleeves, nil)
	if unseen != 0 {
		text = p.Count("verdict.some-inspected", unseen, locale.Args{"total": strconv.Itoa(n.Sleeves)})
	}
	if mm := c.Limits.SmallestMarkMM; mm > 0 {
		text = p.Text("verdict.smallest", locale.Args{"seen": text, "mm": fmt.Sprintf("%.1f", mm)})
	}
	return p.Stop(text)
}

// ExtraCards is a problem that costs no sleeve.
const ExtraCards = "extra-cards"

// reasons tells why sleeves were not inspected, most usual reason first.
// hidden adds those of sleeves that were seen in part.
func reasons(c *record.Check, p locale.Printer, hidden bool) string {
	count := map[string]int{}
	var texts []string
	add := func(t string) {
		if count[t]++; count[t] == 1 {
			texts = append(texts, t)
		}
	}
	for i := range c.Problems {
		pr := c.Problems[i]
		if pr.Code == ExtraCards {
			continue
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(pr.Text, "the card cannot be compared: "), "the sleeve cannot be compared: ")
		pr.Text = bare
		text, _ := Problem(p, &pr)
		add(text)
	}
	if hidden {
		for i := range c.Sleeves {
			if s := &c.Sleeves[i]; s.Unusable == "" && s.Inspected < MinInspected {
				if s.Inspected == 0 {
					add(p.Text("verdict.no-like", nil))
				} else {
					add(p.Text("verdict.half-hidden", nil))
				}
			}
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return count[b] - count[a] })
	const show = 2 // the rest is in the list of problems
	var parts []string
	for _, t := range texts[:min(show, len(texts))] {
		if n := count[t]; n > 1 {
			t = p.Text("verdict.times", locale.Args{"reason": t, "n": strconv.Itoa(n)})
		}
		parts = append(parts, t)
	}
	if more := len(texts) - show; more > 0 {
		parts = append(parts, p.Count("verdict.more-problems", more, nil))
	}
	if len(parts) == 0 {
		return p.Text("verdict.reasons-unknown", nil)
	}
	return upperFirst(p.Stop(p.Clauses(parts)))
}

// poor is the verdict on pictures that do not allow one.
func poor(c *record.Check, p locale.Printer, unseen int) [3]string {
	n := c.Verdict.Count
	first := p.Text("verdict.none-inspected", nil)
	if n.Inspected > 0 {
		first = p.Count("verdict.most-missing", n.Sleeves, locale.Args{"missing": strconv.Itoa(unseen)})
	}
	// The remedy of the most usual problem.
	count, best, most := map[string]int{}, p.Text("verdict.take-again", nil), 0
	for i := range c.Problems {
		_, remedy := Problem(p, &c.Problems[i])
		if count[remedy]++; count[remedy] > most {
			best, most = remedy, count[remedy]
		}
	}
	return [3]string{first, reasons(c, p, false), upperFirst(p.Stop(best))}
}
