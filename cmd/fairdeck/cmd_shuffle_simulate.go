package main

import (
	"fairdeck/internal/shufflecli"

	"github.com/spf13/cobra"
)

func newShuffleSimulateCommand(a *app) *cobra.Command {
	var o shufflecli.Simulate
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Shuffle a deck the way people do and print the order",
		Long: `Shuffle a deck by a model and print the order, one card per line, top first.
With --count the shuffles follow one another and are printed as CSV, one
column for each order, the first being the order before.

` + shuffleWords,
		Example: `  fairdeck shuffle simulate --deck 1x52 --shuffle riffle:3 --seed 7
  fairdeck shuffle simulate --from before.txt --shuffle overhand:6 > after.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdin = cmd.InOrStdin()
			return shuffleError(o.Run(cmd.Context(), a.term.Out()))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Deck, "deck", "", "composition such as 4x15 or land:24x1,spell:4x9")
	f.StringVar(&o.List, "list", "", "deck list file instead of a composition")
	f.StringVar(&o.From, "from", "", "order file to start from")
	f.StringVar(&o.Classes, "classes", "", "CSV with the columns card and class")
	f.StringVar(&o.Mark, "mark", "", "the class that weave, clump and stack move")
	f.StringVar(&o.Shuffle, "shuffle", "riffle:7", "what is done")
	f.Uint64Var(&o.Seed, "seed", 0, "seed; the same seed gives the same orders")
	f.IntVar(&o.Count, "count", 1, "shuffles, each from the order before it")
	f.BoolVar(&o.Sorted, "sorted", false, "start from the order of the list instead of a random one")
	return cmd
}
