package main

import (
	"fairdeck/calibrate"

	"github.com/spf13/cobra"
)

func newCalibrateUndoCommand(a *app) *cobra.Command {
	var o profileFlags
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Bring back the profile as it was before the last calibration",
		Long: `Bring back the profile as it was before the last calibration. Doing it again
undoes that: the two are swapped.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := o.file()
			if err != nil {
				return err
			}
			if err := calibrate.Undo(path); err != nil {
				return &inputError{err}
			}
			a.term.Print("The profile before the last calibration is back in " + path)
			return nil
		},
	}
	o.addPath(cmd.Flags())
	return cmd
}
