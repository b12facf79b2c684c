package main

import (
	"io"
	"strings"
	"time"

	"fairdeck/internal/ui"
	"fairdeck/vision/camera/v4l2"

	"github.com/spf13/cobra"
)

// app is what every command is given.
type app struct {
	term    ui.Terminal
	now     func() time.Time
	in      io.Reader // a person's keys; nil: nobody sits there
	open    opener
	machine *machine
	devices v4l2.System // the zero value is this machine
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "fairdeck",
		Short: "A camera station for the deck-check table",
		Long: `fairdeck photographs the sleeves of a deck and picks out those that can be told
from the rest. It measures and suggests; the judge decides.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(a.term.Out())
	root.SetErr(errWriter{a.term})
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		newInspectCommand(a),
		newRecordCommand(a),
		newReplayCommand(a),
		newRecordingsCommand(a),
		newEvaluateCommand(a),
		newCalibrateCommand(a),
		newEdgesCommand(a),
		newCheckCommand(a),
		newOrderCommand(a),
		newShuffleCommand(a),
		newRulesCommand(a),
		newLedgerCommand(a),
		newEvidenceCommand(a),
		newForgetCommand(a),
		newCamerasCommand(a),
		newDoctorCommand(a),
		newVersionCommand(a),
	)
	finish(root)
	return root
}

// group is a command that only has others beneath it; alone it shows its help.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// finish gives the commands what all of them share: help that ends with the
// exit codes, and wrong arguments that count as wrong use.
func finish(cmd *cobra.Command) {
	// Sections may follow the flags; the exit codes come last.
	cmd.SetUsageTemplate(strings.TrimRight(cmd.UsageTemplate(), "\n") + "\n" + exitHelp + "\n")
	var wrap func(c *cobra.Command)
	wrap = func(c *cobra.Command) {
		if check := c.Args; check != nil {
			c.Args = func(c *cobra.Command, args []string) error {
				if err := check(c, args); err != nil {
					return &usageError{err}
				}
				return nil
			}
		}
		for _, sub := range c.Commands() {
			wrap(sub)
		}
	}
	wrap(cmd)
}

// errWriter lets cobra write to the terminal's error side.
type errWriter struct{ term ui.Terminal }

func (w errWriter) Write(p []byte) (int, error) {
	w.term.Error(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
