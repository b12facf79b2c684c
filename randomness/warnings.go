package randomness

import (
	"fmt"

	"fairdeck/randomness/battery"
)

// fewCards is the number of cards below which even a bad shuffle seldom shows: 20 distinct cards
// reveal five riffles with less than half the power that 40 do.
const fewCards = 20

// doubtLimit is the share of expected reading errors from which the power suffers visibly (a tenth
// of misread cards halves what a pile deal shows).
const doubtLimit = .05

// fewDraws is the number of draws beyond the strictest level below which its limit is known to no
// better than a seventh, and findings of small weight cannot reach it at all.
const fewDraws = 50

// warnings lists the reasons to trust the verdict less.
func (s *Scorer) warnings(req Request, c coded, j judged, v Verdict) []Warning {
	var w []Warning
	add := func(kind, format string, args ...any) { w = append(w, Warning{kind, fmt.Sprintf(format, args...)}) }
	n := v.Cards
	if n < fewCards {
		add("few-cards", "Only %d cards: even a bad shuffle may not show.", n)
	}
	if g := v.Gaps; g > 0 {
		add("gaps", "%s not read; each keeps its place in the order, and the verdict is also given as a range over what the cards may be.", cardsOf(g))
	}
	if req.Before != nil && req.Before.Gaps() > 0 {
		add("gaps", "Of the order before, %s not read.", cardsOf(req.Before.Gaps()))
	}
	doubt := req.After.expectedErrors() - float64(req.After.Gaps())
	if req.Before != nil {
		doubt += req.Before.expectedErrors() - float64(req.Before.Gaps())
	}
	if doubt > doubtLimit*float64(n) {
		add("low-confidence", "About %.0f readings may be wrong. Wrong readings hide a bad shuffle; they do not make a fair one look bad.", doubt)
	}
	if float64(s.opt.Draws)*s.opt.Insufficient < fewDraws {
		add("few-draws", "Only %d fair orders were drawn: rare findings may be missed at the level of %g. The default is 100,000.", s.opt.Draws, s.opt.Insufficient)
	}
	if v.Looks > 1 {
		add("several-looks", "This deck's order was looked at %d times and the p-value is multiplied by %d; looking until something shows would otherwise find something.", v.Looks, v.Looks)
	}
	if req.Before == nil {
		add("no-before", "Without the order before, only the spread of classes and copies can be judged; a deck that was hardly shuffled may pass.")
		if len(c.classes) == 0 {
			add("no-classes", "No classes were given: only copies of the same card were looked at.")
		}
	} else if req.Before != nil && len(c.faces)*3 < n {
		add("few-faces", "Only %d different cards: copies hide much of the order. Tell copies apart by printing, language or foil where possible.", len(c.faces))
	}
	if v.Range == nil && (req.After.doubtful() > 0 || req.Before != nil && req.Before.doubtful() > 0) && s.opt.Completions > 0 {
		add("no-range", "The deck's cards are not known for certain, so no range over the unread cards is given.")
	}
	if j.riffled != nil && s.opt.level(j.uniform.Overall*float64(v.Looks)) != v.Level {
		add("between-nulls", "Against a perfectly random order this would be called %s (p %.2g); %d honest riffles and a cut leave orders this odd more often (p %.2g), so it is not.",
			s.opt.level(j.uniform.Overall*float64(v.Looks)), j.uniform.Overall, s.opt.Riffles, j.riffled.Overall)
	}
	if v.Level.rank() > Sufficient.rank() && req.Before == nil {
		add("arrangement-only", "An order that merely looks woven or clumped is no offence by itself.")
	}
	return w
}

// tooLittle says why nothing can be said, and what would help.
func tooLittle(req Request, c coded) string {
	faces := map[uint8]bool{}
	for _, f := range c.after {
		if f != battery.Unread {
			faces[f] = true
		}
	}
	switch {
	case len(c.after) == 1:
		return "One card has only one order."
	case len(faces) == 0:
		return "No card was read."
	case len(faces) == 1:
		return "All cards that were read are the same card: every order of them looks alike."
	case req.Before != nil:
		return "Fewer than 4 cards can be followed from the order before to the one after."
	case len(c.classes) == 0:
		return "Every card is different and no classes are given: one order alone then says nothing. Give the order before, or the classes of the cards."
	}
	return "Every card is different, and no class has at least two cards inside and two outside: one order alone then says nothing. Give the order before, or other classes."
}

func cardsOf(n int) string {
	if n == 1 {
		return "1 card was"
	}
	return fmt.Sprintf("%d cards were", n)
}
