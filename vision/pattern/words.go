package pattern

import (
	"fmt"
	"math"
	"strings"
)

// Odds are a chance in words: "1 in 33,000" with two figures, "about even"
// where it is nothing special.
func Odds(chance float64) string {
	switch {
	case math.IsNaN(chance):
		return "not known"
	case chance > 0.4:
		return "nothing unusual"
	case chance <= 1e-15:
		return "less than 1 in a million billions"
	}
	return "1 in " + thousands(round2(1/chance))
}

// round2 rounds to two significant figures.
func round2(v float64) float64 {
	if v < 10 {
		return math.Round(v)
	}
	scale := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(v/scale) * scale
}

func thousands(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Sentence says a fact of this result in English, counts first. It says what
// is and never why.
func (r Result) Sentence(f Fact) string {
	t := r.Traits[f.Trait]
	have, has := "carry "+t.name(), "does"
	switch {
	case t.Kind == TurnedTrait:
		have, has = "lie turned", "does"
	case !t.HasPlace && !t.Unlike:
		have, has = fmt.Sprintf("are %q", t.Kind), "is"
	}
	odds := "chance " + Odds(f.Chance)
	if f.Chance > 0.4 {
		odds = "nothing unusual"
	}
	switch f.Feature {
	case ByHeight:
		return fmt.Sprintf("The %d cards that %s lie nearer the %s of the deck; %s.", f.Bearers, have, f.Value, odds)
	case ByNeighbours:
		if f.Value == "together" {
			return fmt.Sprintf("The %d cards that %s lie together in the deck; %s.", f.Bearers, have, odds)
		}
		return fmt.Sprintf("The %d cards that %s lie evenly spread in the deck; %s.", f.Bearers, have, odds)
	}
	what := valueName(f)
	switch {
	case f.Exact() && f.Feature == ByFace:
		return fmt.Sprintf("All %d copies of %s %s; no other card %s; %s.", f.Of, what, have, has, odds)
	case f.Exact():
		return fmt.Sprintf("All %d %s %s; no other card %s; %s.", f.Of, what, have, has, odds)
	case f.Both == f.Of:
		return fmt.Sprintf("All %d %s %s, and %d of the other %d; %s.", f.Of, what, have, f.Bearers-f.Both, f.Cards-f.Of, odds)
	}
	return fmt.Sprintf("%d of the %d cards that %s are %s, of which the deck has %d in %d; %s.", f.Both, f.Bearers, have, what, f.Of, f.Cards, odds)
}

func valueName(f Fact) string {
	switch f.Feature {
	case ByFace:
		return fmt.Sprintf("%q", f.Value)
	case ByZone:
		return fmt.Sprintf("cards of the %s deck", f.Value)
	case ByOrientation:
		return f.Value + " cards"
	}
	return fmt.Sprintf("%q cards", f.Value)
}

// name is the trait with an article.
func (t Trait) name() string {
	if t.Unlike {
		return "a mark of any kind"
	}
	kind := strings.ReplaceAll(t.Kind, "_", " ")
	if kind == Unclear {
		kind = "mark"
	}
	article := "a "
	if strings.ContainsAny(kind[:1], "aeiou") {
		article = "an "
	}
	return article + kind + " at the same place"
}
