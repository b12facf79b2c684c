package main

import (
	"github.com/spf13/cobra"
)

func newCalibrateShowCommand(a *app) *cobra.Command {
	var o profileFlags
	cmd := &cobra.Command{
		Use:   "show [PROFILE]",
		Short: "Say in words what a profile holds and what it lacks",
		Long: `Say in words what a profile holds, what it rests on, what it lacks, and the
smallest mark that the station can see with it. --json prints the profile
itself (schema "profile/v1", docs/formats/profile.md).`,
		Example: `  fairdeck calibrate show
  fairdeck calibrate show table3.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.path != "" {
					return usagef("the profile is given twice")
				}
				o.path = args[0]
			}
			p, err := o.existing()
			if err != nil {
				return err
			}
			if o.json {
				return p.Write(a.term.Out())
			}
			for _, l := range p.Words(a.now()) {
				a.term.Print(l)
			}
			return nil
		},
	}
	o.addPath(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print the profile and nothing else")
	return cmd
}
