package main

import (
	"errors"
	"fmt"

	"fairdeck/internal/store"

	"github.com/spf13/cobra"
)

func newForgetCommand(a *app) *cobra.Command {
	var where storeOptions
	cmd := &cobra.Command{
		Use:   "forget PLAYER",
		Short: "Delete a player's name and ID for good",
		Long: `Delete a player's name and ID from the store for good. PLAYER is the name, the
ID, or the token that 'ledger show' prints.

Checks and rulings stay, under a token that then stands for nobody, and the
chain verifies as before. Evidence files that were exported with the name keep
it; export with --anonymous where that must not be.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return where.withStore(cmd.Context(), func(s *store.Store) error {
				found, err := s.FindPersons(cmd.Context(), args[0])
				if err != nil {
					return storeError(err)
				}
				switch len(found) {
				case 0:
					return &inputError{errors.New("no such player in the store")}
				case 1:
				default:
					return usagef("%d players are called that; name one by ID or token: %s", len(found), tokens(found))
				}
				r, err := s.Forget(cmd.Context(), found[0].Token, a.now())
				if err != nil {
					return storeError(err)
				}
				a.term.Print(fmt.Sprintf("forgotten; record %d, hash %s", r.Envelope.Seq, r.Hash))
				return nil
			})
		},
	}
	where.AddFlags(cmd.Flags())
	return cmd
}
