package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

// schemaDoctor names the version of doctor's JSON.
const schemaDoctor = "doctor/v1"

func newDoctorCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether this machine is fit for a station, and say what to do",
		Long: `Look whether this machine is fit for a station: OpenCV and its codecs, cameras,
memory, disk, calibration, locale and fonts. Each line is ok, a warning (works,
but not everything or not well) or a problem (fairdeck cannot do its job), with
the remedy. Nothing is changed and no camera is opened.

With a problem the exit code is 4. --json prints an object of schema
"doctor/v1": lines of name, status, text and remedy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lines := a.machine.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if asJSON {
				b, err := json.MarshalIndent(struct {
					Schema string      `json:"schema"`
					Lines  []diagnosis `json:"lines"`
				}{schemaDoctor, lines}, "", "  ")
				if err != nil {
					return err
				}
				if _, err := a.term.Out().Write(append(b, '\n')); err != nil {
					return err
				}
			}
			var outcome error
			for _, l := range lines {
				if l.Status == statusProblem {
					outcome = outcomeNotGood
				}
				if asJSON {
					continue
				}
				a.term.Print(fmt.Sprintf("%-8s %-11s %s", l.Status, l.Name, l.Text))
				if l.Remedy != "" {
					a.term.Print(fmt.Sprintf("%-20s → %s", "", l.Remedy))
				}
			}
			return outcome
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the lines as JSON and nothing else")
	return cmd
}
