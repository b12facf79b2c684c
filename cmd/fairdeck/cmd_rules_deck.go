package main

import (
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"

	"github.com/spf13/cobra"
)

// deckOptions are the flags of rules deck. A count below 0 was not given.
type deckOptions struct {
	bookOptions
	deckAnswers
	cards   map[rules.Part]*int
	sleeves map[rules.Part]*string
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
	o.bookOptions.AddFlags(f)
	for _, p := range deckParts() {
		o.cards[p] = f.Int(string(p), -1, "cards in the "+string(p)+" deck, as counted")
		o.sleeves[p] = f.String(string(p)+"-sleeves", "", "sleeves of the "+string(p)+" deck, by any word")
	}
	o.deckAnswers.AddFlags(f)
	return cmd
}

func (o *deckOptions) run(a *app) error {
	b, p, err := o.bookAndPrinter()
	if err != nil {
		return err
	}
	told, err := o.told()
	if err != nil {
		return err
	}
	limits := map[rules.Part]rules.Limits{}
	if told == nil {
		told = &record.Told{}
	}
	for _, l := range told.Allowed {
		limits[rules.Part(l.Part)] = rules.Limits{Min: l.Min, Max: l.Max}
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
	for _, part := range told.Clear {
		sleeves[indexOfPart(part)].Clear = rules.Yes
	}
	findings, unruled := b.CheckCounts(counted, limits, rules.List(o.list))
	for _, part := range unruled {
		a.term.Error("note: " + b.ID + " leaves the number of cards in the " + string(part) + " deck to the game; it was not checked (--allow " + string(part) + "=MIN-MAX)")
	}
	findings = append(findings, b.CheckSleeves(sleeves, rules.Languages(o.languages))...)
	sheet, err := ruling.Of(findings, b, rules.Level(o.level))
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
