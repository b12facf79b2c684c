package randomness

import (
	"fmt"
	"slices"
	"sort"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

// keptLooks explains neighbours that stayed together.
const keptLooks = "cuts and overhand shuffles, which keep neighbours together"

// turnedLooks explains neighbours that stayed together the other way round.
const turnedLooks = "the deck, or parts of it, dealt out card by card, which turns the order over"

// findingLevel is the p-value of a single statistic from which a finding is worth a sentence.
const findingLevel = .01

// groups ties statistics to the sentence they are told with, in the order of preference when they
// are equally strong.
var groups = []struct {
	kind  string
	stats []battery.Stat
}{
	{"ends", []battery.Stat{battery.Ends}},
	{"kept", []battery.Stat{battery.Kept, battery.KeptLight, battery.Block}},
	{"rising", []battery.Stat{battery.Rising, battery.Sticky, battery.CyclicFew}},
	{"stride", []battery.Stat{battery.Stride, battery.StrideWide}},
	{"turned", []battery.Stat{battery.Turned, battery.CyclicMany}},
	{"near", []battery.Stat{battery.Near}},
	{"even", []battery.Stat{battery.ClassEven, battery.GapEven, battery.RunsMany}},
	{"clump", []battery.Stat{battery.ClassClump, battery.GapClump, battery.RunsFew, battery.ClassEnds}},
	{"copies-together", []battery.Stat{battery.CopyTouch, battery.CopyClump}},
	{"copies-even", []battery.Stat{battery.CopyEven}},
}

// findings words what stands out, strongest first. When the verdict itself is not sufficient there
// is always at least one.
func (s *Scorer) findings(c coded, j judged, v Verdict) []Finding {
	counts := map[string]Count{}
	for _, k := range v.Counts {
		counts[k.Kind] = k
	}
	var out []Finding
	for _, g := range groups {
		p := 1.0
		for _, st := range g.stats {
			if _, active := v.Stats[st.String()]; active {
				p = min(p, j.stat(st))
			}
		}
		out = append(out, Finding{Kind: g.kind, P: p})
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].P < out[b].P })
	preferSimple(out, v)
	keep := 0
	for keep < len(out) && (out[keep].P <= findingLevel || keep == 0 && v.Level.rank() > Sufficient.rank()) {
		keep++
	}
	out = out[:keep]
	found := func(kind string) bool {
		return slices.ContainsFunc(out, func(f Finding) bool { return f.Kind == kind })
	}
	keptToo, turnedToo := found("kept"), found("turned")
	worded := out[:0]
	for _, f := range out {
		s.word(&f, c, counts, v)
		// Neighbours at distance one are the kept or the turned neighbours once more.
		if f.Kind == "stride" && (keptToo && f.Looks == keptLooks || turnedToo && f.Looks == turnedLooks) {
			continue
		}
		worded = append(worded, f)
	}
	return worded
}

// preferSimple reorders findings that are equally strong, which happens when several reach the
// floor of the null table: where most neighbours are still together that is the thing to say,
// otherwise the strands are, since kept neighbours follow from few strands.
func preferSimple(out []Finding, v Verdict) {
	first := "rising"
	if v.Effects.KeptNeighbours*5 >= 3*v.Cards {
		first = "kept"
	}
	floor := out[0].P
	for i := range out {
		if out[i].Kind == first && out[i].P <= 2*floor {
			f := out[i]
			copy(out[1:i+1], out[:i])
			out[0] = f
			return
		}
	}
}

// clause finishes a sentence with what a fair shuffle does. For a count far beyond the odds a
// person can picture, it names the value that a fair shuffle reaches about once in a thousand or
// more times, and where the law is exact the odds of the count itself.
func clause(f *Finding, k Count) string {
	f.Observed, f.Fair = float64(k.Observed), float64(k.Median)
	if k.SD > 0 {
		f.Effect = (float64(k.Observed) - k.Mean) / k.SD
	}
	v := k.Observed
	const rare = .001
	if k.AtLeast(v) < rare/2 {
		step := 1
		if !k.High {
			step = -1
		}
		v = k.Median
		for k.AtLeast(v) > rare && k.AtLeast(v+step) > 0 { // a value no simulated shuffle reached has no odds to name
			v += step
		}
	}
	word := "or more"
	if !k.High {
		word = "or fewer"
	}
	p := k.AtLeast(v)
	f.OddsOne = 0
	if p > 0 {
		f.OddsOne = 1 / p
	}
	if p > .4 {
		return fmt.Sprintf("a fair shuffle leaves about %d", k.Median)
	}
	text := fmt.Sprintf("a fair shuffle leaves about %d, and %d %s %s", k.Median, v, word, OneIn(p))
	if k.Exact && v != k.Observed {
		text += fmt.Sprintf(" (%d %s: %s)", k.Observed, word, k.Odds(k.Observed))
	}
	return text
}

// hidden words a finding whose plain count is not unusual by itself.
var hidden = map[string]string{
	"rising": "The order still follows the old one closely, as far as the copies can be told apart",
	"kept":   "Neighbours of scarce cards stayed together",
	"turned": "Neighbours of scarce cards stayed together the other way round",
}

// looks says what kind of shuffle leaves a finding of order memory.
func (s *Scorer) looks(kind string, v Verdict) string {
	n := v.Cards
	switch kind {
	case "rising":
		switch r := v.Riffles; {
		case r != nil && r.Unlike:
			return "too few riffles or mashes, with something else besides"
		case r != nil && r.High == 0:
			return "a deck that was not riffled or mashed even once"
		case r != nil:
			return "no better than " + r.String()
		}
		return "too few riffles or mashes"
	case "turned":
		return turnedLooks
	}
	switch {
	case v.Effects.LongestBlock == n:
		return "nothing was done to the deck"
	case v.Effects.CyclicDescents <= 1 && v.Effects.KeptNeighbours >= n-2:
		return fmt.Sprintf("the deck was only cut (%d cards went from the bottom to the top)", v.Effects.BestCut)
	case v.Effects.RisingSequences <= 2:
		return "one riffle at most"
	case v.Effects.KeptNeighbours*3 >= 2*n:
		return "a few cuts, or one or two overhand shuffles"
	}
	return "overhand shuffles, or riffles that drop thick packets"
}

// word fills in the sentence of a finding.
func (s *Scorer) word(f *Finding, c coded, counts map[string]Count, v Verdict) {
	n := v.Cards
	if k, ok := counts[f.Kind]; ok && hidden[f.Kind] != "" && k.AtLeast(k.Observed) > .02 {
		// The plain count says little; the statistic behind it weighs scarce cards more than common ones.
		f.Observed, f.Fair = float64(k.Observed), float64(k.Median)
		if k.SD > 0 {
			f.Effect = (f.Observed - k.Mean) / k.SD
		}
		f.Sentence = fmt.Sprintf("%s; a fair shuffle does so %s.", hidden[f.Kind], Odds(f.P, s.opt.Draws))
		f.Looks = s.looks(f.Kind, v)
		f.OddsOne = 1 / f.P
		return
	}
	switch f.Kind {
	case "kept":
		k := counts["kept"]
		f.Sentence = fmt.Sprintf("%d of %d neighbours stayed together; %s.", k.Observed, n-1, clause(f, k))
		f.Looks = s.looks(f.Kind, v)
	case "rising":
		k := counts["rising"]
		f.Sentence = fmt.Sprintf("The old sequence runs through the deck in %s; %s.", plural(k.Observed, "strand"), clause(f, k))
		f.Looks = s.looks(f.Kind, v)
	case "stride":
		k := counts["stride"]
		at := make([][]int, 256)
		for i, x := range c.spec.Before {
			if x != battery.Unread {
				at[x] = append(at[x], i)
			}
		}
		_, far := bestStride(at, c.after, n)
		d := min(far, n-far)
		if k.Observed > k.Median {
			f.Sentence = fmt.Sprintf("%d of %d neighbours lay %s apart before; %s.", k.Observed, n-1, plural(d, "place"), clause(f, k))
		} else {
			f.Observed, f.Fair = float64(k.Observed), float64(k.Median)
			f.Sentence = fmt.Sprintf("Cards near each other lay %s apart before more often than chance allows; a fair shuffle shows this %s.", plural(d, "place"), Odds(f.P, s.opt.Draws))
		}
		f.Looks = fmt.Sprintf("a deal into %d piles, which moves cards by a rule and mixes nothing, with little shuffling after it", d)
		switch {
		case far == 1:
			f.Looks = keptLooks
		case d == 1:
			f.Looks = turnedLooks
		}
	case "turned":
		k := counts["turned"]
		f.Sentence = fmt.Sprintf("%d of %d neighbours stayed together the other way round; %s.", k.Observed, n-1, clause(f, k))
		f.Looks = s.looks(f.Kind, v)
	case "ends":
		top, bottom := keptEnds(c.spec.Before, c.after)
		k := counts["ends"]
		f.Sentence = fmt.Sprintf("The top %s and the bottom %s were not touched, %d in all; %s.", plural(top, "card"), plural(bottom, "card"), top+bottom, clause(f, k))
		if bottom == 0 {
			f.Sentence = fmt.Sprintf("The top %s not touched; %s.", cardsWere(top), clause(f, k))
		} else if top == 0 {
			f.Sentence = fmt.Sprintf("The bottom %s not touched; %s.", cardsWere(bottom), clause(f, k))
		}
		f.Looks = "a shuffle that holds cards back at the top or the bottom"
	case "near":
		f.Observed, f.Fair = v.Effects.CutFootrule, float64(n)/4
		f.Sentence = fmt.Sprintf("Cards lie %.0f places from where they were, on average, up to a cut; a fair shuffle moves them about %d and stays this close %s.",
			v.Effects.CutFootrule, n/4, Odds(f.P, s.opt.Draws))
		f.Looks = "shuffling that moves cards only a short way"
	case "even", "clump":
		s.wordClass(f, c, counts, n)
	case "copies-together":
		k := counts["copies"]
		f.Sentence = fmt.Sprintf("%d times two copies of one card lie on each other; %s.", k.Observed, clause(f, k))
		f.Looks = "a deck that was sorted, or played cards gathered up, and then shuffled too little"
	case "copies-even":
		f.Sentence = fmt.Sprintf("Copies of the same card are spaced too evenly; a fair shuffle spaces them so %s.", Odds(f.P, s.opt.Draws))
		f.Looks = "a pile deal of a sorted deck, or copies placed by hand"
	}
	if f.OddsOne == 0 && f.P > 0 {
		f.OddsOne = 1 / f.P
	}
}

func (s *Scorer) wordClass(f *Finding, c coded, counts map[string]Count, n int) {
	k := mainClass(c)
	if k < 0 {
		return
	}
	name := c.classes[k]
	in := func(x uint8) bool { return x != battery.Unread && c.spec.Class[x] == uint8(k) }
	m := 0
	for _, x := range c.after {
		if in(x) {
			m++
		}
	}
	if f.Kind == "even" {
		e := counts["even"]
		f.Observed, f.Fair = float64(e.Observed)/10, float64(e.Median)/10
		if e.SD > 0 {
			f.Effect = (float64(e.Observed) - e.Mean) / e.SD
		}
		f.Sentence = fmt.Sprintf("The %d %s cards are spread very evenly: counted from the top they are never more than %.1f cards ahead of or behind an even spread; a fair shuffle strays by %.1f, and is as even as this in all %s.",
			m, name, float64(e.Observed)/10, float64(e.Median)/10, Odds(f.P, s.opt.Draws))
		f.Looks = "cards of one kind woven between the others, with little shuffling after it"
		return
	}
	depth, count, p := endCount(c.after, in, m)
	where := "top"
	if depth < 0 {
		where, depth = "bottom", -depth
	}
	f.Observed, f.Fair = float64(count), float64(depth*m)/float64(n)
	f.OddsOne = 1 / f.P
	if p < .02 {
		f.OddsOne = 1 / p
		f.Sentence = fmt.Sprintf("%d of the %d %s cards lie among the %s %d; a fair shuffle puts about %.0f there, and a count as far out at that depth %s.",
			count, m, name, where, depth, f.Fair, OneIn(p))
	} else {
		f.Sentence = fmt.Sprintf("The %s cards lie together more than a fair shuffle leaves them %s.", name, Odds(f.P, s.opt.Draws))
	}
	f.Looks = "a deck that was stacked, or sorted by kind, and then shuffled too little"
}

// endCount finds the depth at the top (positive) or bottom (negative) where the count of class
// cards is least likely.
func endCount(after []uint8, in func(uint8) bool, m int) (depth, count int, p float64) {
	n := len(after)
	p = 1
	top, bottom := 0, 0
	for k := 1; k <= n/2; k++ {
		if in(after[k-1]) {
			top++
		}
		if in(after[n-k]) {
			bottom++
		}
		if k < 5 {
			continue // fewer cards cannot be far out
		}
		law := theory.Hypergeometric(n, m, k)
		for _, x := range []struct{ count, sign int }{{top, 1}, {bottom, -1}} {
			low := 0.0
			for i := 0; i <= x.count && i < len(law); i++ {
				low += law[i]
			}
			if q := min(low, theory.AtLeast(law, x.count)); q < p {
				depth, count, p = x.sign*k, x.count, q
			}
		}
	}
	return depth, count, p
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func cardsWere(n int) string {
	if n == 1 {
		return "card was"
	}
	return fmt.Sprintf("%d cards were", n)
}

// String says the estimate in words.
func (r RiffleEstimate) String() string {
	name := func(k int) string {
		if k == r.Most {
			return fmt.Sprintf("%d or more", k)
		}
		return fmt.Sprint(k)
	}
	switch {
	case r.Unlike:
		return "no number of riffles"
	case r.High == 0:
		return "no riffle at all"
	}
	if r.High == r.Most && r.Low < r.Most { // beyond some number more riffles leave no trace
		return "at least " + plural(r.Low, "average riffle")
	}
	if r.Best == r.Low && r.Best == r.High {
		return "about " + name(r.Best) + " average " + map[bool]string{true: "riffle", false: "riffles"}[r.Best == 1]
	}
	return fmt.Sprintf("about %s average %s (%s to %s)", name(r.Best), map[bool]string{true: "riffle", false: "riffles"}[r.Best == 1], name(r.Low), name(r.High))
}

// sentence is the whole verdict in words a judge can read to a player.
func sentence(v Verdict, o Options) string {
	var s string
	switch v.Level {
	case Sufficient:
		s = "Nothing about this order stands out from a fair shuffle."
		if v.P < .2 {
			s = fmt.Sprintf("Nothing about this order is unusual enough to act on: a fair shuffle looks at least this odd %s.", Odds(v.P, o.Draws/v.Looks))
		}
	case Questionable, Insufficient:
		s = fmt.Sprintf("A fair shuffle looks at least this odd %s.", Odds(v.P, o.Draws/v.Looks))
		if len(v.Findings) > 0 {
			s = v.Findings[0].Sentence + " It looks like " + v.Findings[0].Looks + ". " + s
		}
	}
	if v.Range != nil && v.Range.From != v.Range.To {
		s += fmt.Sprintf(" Depending on the cards that were not read surely, the level lies between %s and %s.", v.Range.From, v.Range.To)
	}
	return s
}
