package main

import (
	"errors"

	"fairdeck/internal/shufflecli"
	"fairdeck/randomness"

	"github.com/spf13/cobra"
)

const shuffleWords = `A shuffle is made of these words, joined by +:
  riffle:4  sloppy:4  mash:4  overhand:6   so many times
  pile:7  pile:7:random                    dealt into piles
  cut  cut:3  weave  clump:10  stack:6  top:5  bottom:10  random  none`

func newShufflePowerCommand(a *app) *cobra.Command {
	var o shufflecli.Power
	var lang bookOptions
	cmd := &cobra.Command{
		Use:   "power",
		Short: "Say how surely a poor shuffle would be noticed in a deck",
		Long: `Simulate a shuffle many times in a deck like this one and count how often it
would be called questionable or insufficient. Without --riffles and --shuffle
one to eight riffles are tried.

A deck is a list, or a composition: 4x15 is fifteen faces of four copies;
land:24x1,spell:4x9 gives classes.

` + shuffleWords,
		Example: `  fairdeck shuffle power --deck 1x60 --riffles 5
  fairdeck shuffle power --deck land:6x2+4x3,spell:4x9 --shuffle pile:7+riffle:1,weave+riffle:1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdin = cmd.InOrStdin()
			var err error
			if o.Print, err = lang.printer(); err != nil {
				return err
			}
			err = o.Run(cmd.Context(), a.term.Out())
			if errors.Is(err, randomness.ErrTooFew) {
				a.term.Error("fairdeck: " + err.Error())
				return outcomeNotGood
			}
			return shuffleError(err)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Deck, "deck", "", "composition such as 4x15 or land:24x1,spell:4x9")
	f.StringVar(&o.List, "list", "", "deck list file instead of a composition")
	f.IntVar(&o.Riffles, "riffles", 0, "short for --shuffle riffle:N")
	f.StringVar(&o.Shuffle, "shuffle", "", "what is done; several separated by commas")
	f.IntVar(&o.Trials, "trials", 0, "simulated decks for each shuffle (default 2000)")
	f.BoolVar(&o.Sorted, "sorted", false, "start from the order of the list instead of a random one")
	f.BoolVar(&o.Blind, "blind", false, "judge the order after alone, as at a deck check")
	addShuffleCommon(f, &o.Common, &lang)
	return cmd
}
