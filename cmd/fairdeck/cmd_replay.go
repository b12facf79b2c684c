package main

import (
	"cmp"
	"errors"

	"fairdeck/internal/check"

	"github.com/spf13/cobra"
)

func newReplayCommand(a *app) *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "replay RECORDING",
		Short: "Inspect a recorded pass again",
		Long: `Inspect a recording, as if the deck were dealt again: the same frames with the
same times, what was taken back then, and the settings of then. On the same
machine the check is the same byte for byte, apart from its own times; flags
that are given take the place of the settings.

RECORDING is a folder that 'fairdeck record' or an inspection has made. One
that was cut off is read up to its last whole frame.`,
		Example: `  fairdeck replay ~/.local/share/fairdeck/recordings/20261130-143000
  fairdeck replay --out again --size japanese round3-table12`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("which recording? Give its folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := replaySettings(args[0])
			if err != nil {
				return err
			}
			f := cmd.Flags()
			if !f.Changed("size") {
				o.size = s.Size
			}
			if !f.Changed("false-alarm-rate") && s.Rate != 0 {
				o.rate = s.Rate
			}
			if !f.Changed("distance") && s.Distance != 0 {
				o.distance = s.Distance
			}
			if !f.Changed("cards") {
				o.stream.pass.cards = s.Cards
			}
			if !f.Changed("zone") {
				o.stream.zone = cmp.Or(s.Zone, check.WholeFrame)
			}
			o.stream.unused = s.Unused
			if f.Changed("profile") {
				o.stream.unused = ""
			}
			return o.run(cmd.Context(), a, args)
		},
	}
	o.addOutput(cmd.Flags())
	o.addInspection(cmd.Flags())
	cmd.Flags().IntVar(&o.stream.pass.cards, "cards", 0, "how many cards the deck has (default: as then)")
	addStationFlags(cmd.Flags(), &o.stream.zone)
	o.rules.AddFlags(cmd.Flags())
	return cmd
}
