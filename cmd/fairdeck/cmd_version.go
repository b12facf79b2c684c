package main

import (
	"fmt"

	"fairdeck/internal/cv"
	"fairdeck/internal/version"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of fairdeck and of what it stands on",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			line := "fairdeck " + version.Number
			if rev := version.Revision(); rev != "" {
				line += " (" + rev + ")"
			}
			a.term.Print(line)
			a.term.Print(fmt.Sprintf("OpenCV %s, gocv %s, %s", cv.Version(), cv.GoCVVersion(), version.Go()))
			return nil
		},
	}
}
