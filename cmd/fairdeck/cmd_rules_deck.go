package main

import (
	"strconv"
	"strings"

	"fairdeck/internal/plain"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"

	"github.com/spf13/cobra"
)

// deckOptions are the flags of rules deck. A count below 0 was not given.
type deckOptions struct {
	bookOptions
	cards     map[rules.Part]*int
	sleeves   map[rules.Part]*string
	limits    []string
	languages string
	list      string
	clear     []string
}

func newRulesDeckCommand(a *app) *cobra.Command {
	o := deckOptions{cards: map[rules.Part]*int{}, sleeves: map[rules.Part]*string{}}
	cmd := &cobra.Command{
		Use:   "deck",
		Short: "Check main, side and extra deck against a rule book",
		Long: `Check a whole deck against a rule book: how many cards its parts hold, and
whether the sleeves of the parts go together as the book wants.

Sleeves are named by any word; the same word means that they look the same.
Where the book leaves the numbers to the game, give them with --allow.`,
		Example: `  fairdeck rules deck --ruleset cnc-2011 --main 39 --side 15 --main-sleeves blue --side-sleeves blue --extra-sleeves red --languages one
  fairdeck rules deck --ruleset bushiroad-floor --level 1 --main 49 --allow main=50-50 --list none`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(a) },
	}
	f := cmd.Flags()
	o.AddFlags(f)
	for _, p := range deckParts() {
		o.cards[p] = f.Int(string(p), -1, "cards in the "+string(p)+" deck, as counted")
		o.sleeves[p] = f.String(string(p)+"-sleeves", "", "sleeves of the "+string(p)+" deck, by any word")
	}
	f.StringSliceVar(&o.limits, "allow", nil, "numbers of cards that the organiser allows, such as main=50-50; before the book's own")
	f.StringVar(&o.languages, "languages", "", "are the cards in one or several languages: one or several")
	f.StringVar(&o.list, "list", "", "the registered deck list: none, right (keeps the rules) or wrong")
	f.StringSliceVar(&o.clear, "clear", nil, "parts whose sleeves show the backs of the cards: main, side, extra")
	return cmd
}

func deckParts() []rules.Part { return []rules.Part{rules.MainDeck, rules.SideDeck, rules.ExtraDeck} }

func (o *deckOptions) run(a *app) error {
	b, err := o.book()
	if err != nil {
		return err
	}
	p, err := o.printer()
	if err != nil {
		return err
	}
	if err := oneOf("--languages", o.languages, rules.FactLanguages); err != nil {
		return err
	}
	if err := oneOf("--list", o.list, rules.FactList); err != nil {
		return err
	}
	limits, err := parseLimits(o.limits)
	if err != nil {
		return err
	}
	var counted []rules.CardCount
	var sleeves []rules.PartSleeves
	for _, part := range deckParts() {
		if n := *o.cards[part]; n >= 0 {
			counted = append(counted, rules.CardCount{Part: part, Min: n, Max: n, Ref: "counts/" + string(part)})
		}
		// Whoever names two kinds of sleeves has seen the difference.
		sleeves = append(sleeves, rules.PartSleeves{Part: part, Look: plain.Line(*o.sleeves[part]), Visibility: rules.Visible, Ref: "parts/" + string(part)})
	}
	for _, c := range o.clear {
		i := indexOfPart(c)
		if i < 0 {
			return usagef("--clear %q: want main, side or extra", c)
		}
		sleeves[i].Clear = rules.Yes
	}
	findings, unruled := b.CheckCounts(counted, limits, rules.List(o.list))
	for _, part := range unruled {
		a.term.Error("note: " + b.ID + " leaves the number of cards in the " + string(part) + " deck to the game; it was not checked (--allow " + string(part) + "=MIN-MAX)")
	}
	findings = append(findings, b.CheckSleeves(sleeves, rules.Languages(o.languages))...)
	sheet, err := ruling.Of(nil, findings, b, rules.Level(o.level))
	if err != nil {
		return err
	}
	for _, line := range sheet.Lines(p) {
		a.term.Print(line)
	}
	if len(findings) > 0 {
		return outcomeFlagged
	}
	return nil
}

func indexOfPart(name string) int {
	for i, p := range deckParts() {
		if string(p) == name {
			return i
		}
	}
	return -1
}

// oneOf checks a flag that answers a fact.
func oneOf(flag, value string, fact rules.Fact) error {
	if value == "" {
		return nil
	}
	for _, v := range fact.Values() {
		if v == value {
			return nil
		}
	}
	return usagef("%s %q: want %s", flag, value, strings.Join(fact.Values(), ", "))
}

// parseLimits reads PART=MIN-MAX.
func parseLimits(list []string) (map[rules.Part]rules.Limits, error) {
	out := map[rules.Part]rules.Limits{}
	for _, text := range list {
		name, numbers, ok := strings.Cut(text, "=")
		low, high, ok2 := strings.Cut(numbers, "-")
		lo, err1 := strconv.ParseUint(low, 10, 16)
		hi, err2 := strconv.ParseUint(high, 10, 16)
		if !ok || !ok2 || err1 != nil || err2 != nil || lo > hi || indexOfPart(name) < 0 {
			return nil, usagef("--allow %q: want PART=MIN-MAX such as main=50-50", text)
		}
		out[rules.Part(name)] = rules.Limits{Min: int(lo), Max: int(hi)}
	}
	return out, nil
}
