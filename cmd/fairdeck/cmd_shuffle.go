package main

import (
	"errors"
	"io/fs"

	"fairdeck/internal/shufflecli"
	"fairdeck/randomness"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newShuffleCommand(a *app) *cobra.Command {
	return group("shuffle", "Judge whether the order of a deck is random enough", `Judge orders of cards: one order alone, orders before and after a shuffle, or
several shuffles in a row. No camera is needed; orders come from files.

An order file holds one card per line, top first, with ? for a card that was
not read; or CSV with the columns place, card and confidence; or JSON
(order/v1).`,
		newShuffleScoreCommand(a), newShufflePowerCommand(a), newShuffleSimulateCommand(a))
}

// addShuffleCommon declares the flags that score and power share.
func addShuffleCommon(f *pflag.FlagSet, c *shufflecli.Common, lang *bookOptions) {
	lang.addLanguage(f)
	f.Lookup("lang").Usage = "language of the page: en, zh-Hans, zh-Hant or ja (default: the system's); the text here is English"
	f.BoolVar(&c.JSON, "json", false, `print a document of schema "shuffle/v1" and nothing else`)
	f.StringVar(&c.HTML, "html", "", "also write a page with pictures to this file")
	f.Uint64Var(&c.Seed, "seed", 0, "seed of the simulations; the same seed gives the same result")
	f.IntVar(&c.Draws, "draws", 0, "fair orders to compare with (default 100000)")
	f.IntVar(&c.Workers, "workers", 0, "processors to use (default all)")
}

// shuffleError sorts an error of the shuffle commands into ours.
func shuffleError(err error) error {
	var read *randomness.ReadError
	var mismatch *randomness.MismatchError
	var path *fs.PathError
	switch {
	case errors.Is(err, shufflecli.ErrOutput): // before the paths that could not be opened for reading
		return err
	case errors.Is(err, shufflecli.ErrUsage):
		return &usageError{err}
	case errors.As(err, &read), errors.As(err, &mismatch), errors.As(err, &path) && path.Op == "open":
		return &inputError{err}
	}
	return err
}

// shuffleOutcome is the exit code of a level.
func shuffleOutcome(l randomness.Level) error {
	switch l {
	case randomness.Questionable, randomness.Insufficient:
		return outcomeFlagged
	case randomness.Undecided:
		return outcomeNotGood
	}
	return nil
}
