package main

import (
	"fairdeck/internal/shufflecli"

	"github.com/spf13/cobra"
)

func newShuffleScoreCommand(a *app) *cobra.Command {
	var o shufflecli.Score
	var lang bookOptions
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score an order, or orders before and after a shuffle",
		Long: `Score an order of cards. Give --before and --after, or --order alone, or
--series.

With the order before, two questions are asked: does the order remember the
one before, and are classes and copies spread as chance would. With one order
alone only the second can be asked. The level is

  sufficient     nothing a fair shuffle would not show often enough
  questionable   a fair shuffle looks this odd at most once in 100 times
  insufficient   ... at most once in 1,000 times

where a uniformly random order and seven riffles with a cut both count as
fair. A level is advice: the judge decides.

An order may also be a recording or a video in which the deck's faces are dealt
one at a time; before and after are then read together, so that a card is the
same card in both.`,
		Example: `  fairdeck shuffle score --before before.txt --after after.txt --html report.html
  fairdeck shuffle score --order deck.csv --classes classes.csv
  fairdeck shuffle score --order deck.txt --deck list.txt --against list
  fairdeck shuffle score --before recordings/20261130-143000 --after recordings/20261130-143400
  fairdeck shuffle score --series shuffles.csv --json | jq .series.evidence`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdin = cmd.InOrStdin()
			if o.Looks < 1 {
				return usagef("--looks %d: at least 1", o.Looks)
			}
			var err error
			if o.Print, err = lang.printer(); err != nil {
				return err
			}
			remove, err := a.ordersOfPasses(cmd.Context(), &o, &facePass{print: o.Print, noRecord: true})
			defer remove()
			if err != nil {
				return shuffleError(err)
			}
			level, err := o.Run(cmd.Context(), a.term.Out())
			if err != nil {
				return shuffleError(err)
			}
			return shuffleOutcome(level)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Before, "before", "", "order before the shuffle")
	f.StringVar(&o.After, "after", "", "order after the shuffle")
	f.StringVar(&o.Order, "order", "", "one order, with nothing known before")
	f.StringVar(&o.Series, "series", "", "CSV with one column for each order, first the one before the first shuffle")
	f.StringVar(&o.Classes, "classes", "", "CSV with the columns card and class (land and spell, trigger and normal ...)")
	f.StringVar(&o.Deck, "deck", "", `deck list ("4 Island" a line, classes as headings in brackets); the cards must match`)
	f.StringVar(&o.Against, "against", "", "with --order and --deck: the order before is that of the list as written (list) or by class and name (sorted)")
	f.IntVar(&o.Looks, "looks", 1, "how often this deck's order was looked at in this check")
	addShuffleCommon(f, &o.Common, &lang)
	return cmd
}
