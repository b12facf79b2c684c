package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/rules"
	"fairdeck/internal/rules/ledger"
	"fairdeck/internal/ruling"
	"fairdeck/internal/store"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ledgerOptions choose a tournament's ledger.
type ledgerOptions struct {
	storeOptions
	bookOptions
	tournament string
}

func (o *ledgerOptions) AddFlags(f *pflag.FlagSet) {
	o.storeOptions.AddFlags(f)
	o.bookOptions.AddFlags(f)
	f.StringVar(&o.tournament, "tournament", "", "the tournament's name (required)")
}

// with opens the store, the book and the ledger for the time of f.
func (o *ledgerOptions) with(ctx context.Context, a *app, f func(*store.Store, *rules.Book, *ledger.Ledger, locale.Printer) error) error {
	if o.tournament == "" {
		return usagef("--tournament is missing: a ledger belongs to one tournament")
	}
	shelf, p, err := o.reading()
	if err != nil {
		return err
	}
	b, err := shelf.Book(o.ruleset)
	if err != nil {
		return usagef("--ruleset: %w", err)
	}
	return o.withStore(ctx, func(s *store.Store) error {
		l, warnings, err := s.LoadLedger(ctx, o.tournament, b)
		if err != nil {
			var entry *ledger.EntryError
			if errors.As(err, &entry) {
				return usagef("the ledger of %q does not fit --ruleset %s: %w", o.tournament, b.ID, err)
			}
			return storeError(err)
		}
		for _, w := range warnings {
			a.term.Error(fmt.Sprintf("note: entry %d %s", w.Seq, plain.Line(w.Text)))
		}
		return f(s, b, l, p)
	})
}

func newLedgerCommand(a *app) *cobra.Command {
	return group("ledger", "Keep what judges decided, and see what adds up", `Keep what judges decided during a tournament, and see what adds up.

Entries are never edited: a mistake is put right by 'ledger correct', and both
stay. The ledger gives no penalty by itself; it says what is due by the rule
book, or may be raised, and a judge enters it.`,
		newLedgerShowCommand(a), newLedgerAddCommand(a), newLedgerCorrectCommand(a), newLedgerSignCommand(a), newLedgerExportCommand(a))
}

func newLedgerShowCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var player playerOptions
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the entries and where each player stands",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd.Context(), a, func(s *store.Store, b *rules.Book, l *ledger.Ledger, p locale.Printer) error {
				players := l.Players()
				one, err := player.find(cmd.Context(), s, false)
				if err != nil {
					return err
				}
				if one != nil {
					players = []string{one.Token}
				}
				a.term.Print(p.Text("ledger.title", locale.Args{"tournament": plain.Line(o.tournament)}) + ", " + p.Count("count.entries", len(l.Entries()), nil))
				if len(players) == 0 {
					a.term.Print(p.Text("ledger.empty", nil))
				}
				for _, token := range players {
					a.term.Print("")
					a.term.Print(playerName(cmd.Context(), s, token))
					tellStanding(a, b, l.Standing(token), p)
				}
				return nil
			})
		},
	}
	o.AddFlags(cmd.Flags())
	player.AddFlags(cmd.Flags())
	return cmd
}

// playerName shows a player by name where the store still knows it.
func playerName(ctx context.Context, s *store.Store, token string) string {
	p, err := s.Person(ctx, token)
	if err != nil {
		return token // forgotten
	}
	return strings.TrimSpace(plain.Line(p.Name)+" "+plain.Line(p.PlayerID)) + " (" + token + ")"
}

// tellStanding lists a player's penalties and what they add up to.
func tellStanding(a *app, b *rules.Book, st ledger.Standing, p locale.Printer) {
	for _, s := range st.Penalties {
		e := s.Entry
		if s.Status == ledger.Withdrawn { // the list shows what was withdrawn
			e = s.First
		}
		status := p.Text("ledger.status."+string(s.Status), locale.Args{"have": strconv.Itoa(len(s.Agreed)), "need": strconv.Itoa(s.Needs)})
		what := ""
		if pen, _, ok := b.Penalty(e.Penalty); ok {
			what = ruling.Penalty(p, pen)
		}
		clause := e.Clause
		if c, ok := b.Clause(e.Clause); ok {
			clause = c.Number
		}
		a.term.Print(fmt.Sprintf("  %d  %s  %s  %s  %s: %s", s.Seq, e.At.Format("2006-01-02 15:04"), what, clause, status, plain.Line(strings.Join(s.Agreed, ", "))))
		if s.Entry.Reason != "" {
			a.term.Print("     " + plain.Line(s.Entry.Reason))
		}
	}
	for _, t := range st.Tallies {
		if t.Sum == 0 {
			continue
		}
		line := "  " + p.Text("ledger.sum", locale.Args{"sum": strconv.Itoa(t.Sum), "threshold": strconv.Itoa(t.Rule.Threshold)})
		clause, _ := b.Clause(t.Rule.Clause)
		if of := cmp.Or(t.Key, clause.Number); of != "" { // several sums may stand below each other
			line += " (" + of + ")"
		}
		a.term.Print(line)
		if t.To != nil {
			key := "ledger.may-raise"
			if t.Outstanding > 0 {
				key = "ledger.due"
			}
			a.term.Print("  " + p.Text(key, locale.Args{"penalty": ruling.Suggestion(p, rules.Outcome{Suggested: t.To}), "clause": clause.Number}))
		}
		for _, next := range t.TipsNext {
			if pen, _, ok := b.Penalty(next); ok {
				a.term.Print("  " + p.Text("ledger.tips", locale.Args{"penalty": ruling.Penalty(p, pen)}))
			}
		}
	}
}

// decision is the part of an entry that flags give.
type decision struct {
	clause, penalty, follows, finding string
	by, role, reason                  string
	checks                            []string
}

func (d *decision) addJudge(f *pflag.FlagSet) {
	f.StringVar(&d.by, "by", "", "who decides (required)")
	f.StringVar(&d.role, "role", string(rules.Judge), "judge, head-judge or organiser")
}

// whoAndWhy says which flag is missing, in the words of the command line.
func (d *decision) whoAndWhy(correction bool) error {
	switch {
	case strings.TrimSpace(d.by) == "":
		return usagef("--by is missing: who decides?")
	case correction && strings.TrimSpace(d.reason) == "":
		return usagef("--reason is missing: why is the entry corrected?")
	}
	return nil
}

func (d *decision) addPenalty(f *pflag.FlagSet) {
	f.StringVar(&d.clause, "clause", "", "clause, by its ID in 'fairdeck rules show'")
	f.StringVar(&d.penalty, "penalty", "", "penalty, by its ID in 'fairdeck rules show'")
	f.StringVar(&d.finding, "finding", "", "kind of finding it rests on, such as mark.pattern")
	f.StringVar(&d.follows, "follows", "", "sum that this penalty carries out, such as 'sum' of cnc-2011")
	f.StringSliceVar(&d.checks, "check", nil, "ID of a check that it rests on; may be given again")
}

func (d *decision) entry(a *app, t ledger.Type, level int) ledger.Entry {
	return ledger.Entry{
		Type: t, At: a.now(), Level: rules.Level(level), Clause: d.clause, Penalty: d.penalty, Follows: d.follows, Finding: rules.Kind(d.finding),
		DecidedBy: d.by, Role: rules.Role(d.role), Reason: d.reason, Evidence: d.checks,
	}
}

func newLedgerAddCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var player playerOptions
	var d decision
	cmd := &cobra.Command{
		Use:     "add",
		Short:   "Enter a penalty that a judge decided on",
		Example: `  fairdeck ledger add --tournament Cup --ruleset cnc-2011 --player-id 0042 --clause p6-faint --penalty caution --by 'A. Judge' --check check-17`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.whoAndWhy(false); err != nil {
				return err
			}
			return o.with(cmd.Context(), a, func(s *store.Store, b *rules.Book, l *ledger.Ledger, p locale.Printer) error {
				e := d.entry(a, ledger.Penalty, o.level)
				probe := e
				probe.Player = "nobody yet" // an entry that is refused must not leave a player behind
				if _, err := l.Prepare(probe); err != nil {
					return usageOf(err)
				}
				for _, id := range d.checks {
					if _, err := s.Get(cmd.Context(), id); err != nil {
						return storeError(err)
					}
				}
				who, err := player.find(cmd.Context(), s, true)
				if err != nil {
					return err
				}
				if who == nil {
					return usagef("who is it about? Give --player or --player-id")
				}
				e.Player = who.Token
				return saveEntry(cmd.Context(), a, s, b, l, p, e)
			})
		},
	}
	o.AddFlags(cmd.Flags())
	player.AddFlags(cmd.Flags())
	d.addJudge(cmd.Flags())
	d.addPenalty(cmd.Flags())
	return cmd
}

func usageOf(err error) error {
	var e *ledger.EntryError
	if errors.As(err, &e) {
		return &usageError{err}
	}
	return storeError(err)
}

// saveEntry stores an entry and shows where the player stands then.
func saveEntry(ctx context.Context, a *app, s *store.Store, b *rules.Book, l *ledger.Ledger, p locale.Printer, e ledger.Entry) error {
	taken, r, err := s.SaveEntry(ctx, l, e)
	if errors.Is(err, store.ErrExists) {
		return &inputError{errors.New("another station entered something at the same moment; look at 'ledger show' and enter it again")}
	}
	if err != nil {
		return usageOf(err)
	}
	a.term.Print(fmt.Sprintf("entry %d, record %d, hash %s", taken.Seq, r.Envelope.Seq, r.Hash))
	a.term.Print(playerName(ctx, s, taken.Player))
	tellStanding(a, b, l.Standing(taken.Player), p)
	return nil
}

// refer fills in what an entry about an earlier one needs.
func refer(l *ledger.Ledger, e ledger.Entry, arg string) (ledger.Entry, error) {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return e, usagef("%q is not the number of an entry", arg)
	}
	s, ok := l.State(n)
	if !ok {
		return e, usagef("entry %d is not a penalty of this ledger", n)
	}
	e.Refers, e.Player = n, s.Entry.Player
	return e, nil
}

func newLedgerCorrectCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var d decision
	cmd := &cobra.Command{
		Use:   "correct ENTRY",
		Short: "Withdraw a penalty, or replace it (with --clause and --penalty)",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.whoAndWhy(true); err != nil {
				return err
			}
			return o.with(cmd.Context(), a, func(s *store.Store, b *rules.Book, l *ledger.Ledger, p locale.Printer) error {
				e, err := refer(l, d.entry(a, ledger.Correction, o.level), args[0])
				if err != nil {
					return err
				}
				return saveEntry(cmd.Context(), a, s, b, l, p, e)
			})
		},
	}
	o.AddFlags(cmd.Flags())
	d.addJudge(cmd.Flags())
	d.addPenalty(cmd.Flags())
	cmd.Flags().StringVar(&d.reason, "reason", "", "why (required)")
	return cmd
}

func newLedgerSignCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var d decision
	cmd := &cobra.Command{
		Use:   "sign ENTRY",
		Short: "Agree with a penalty that needs several judges",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.whoAndWhy(false); err != nil {
				return err
			}
			return o.with(cmd.Context(), a, func(s *store.Store, b *rules.Book, l *ledger.Ledger, p locale.Printer) error {
				e, err := refer(l, d.entry(a, ledger.SignOff, 0), args[0])
				if err != nil {
					return err
				}
				return saveEntry(cmd.Context(), a, s, b, l, p, e)
			})
		},
	}
	o.AddFlags(cmd.Flags())
	d.addJudge(cmd.Flags())
	return cmd
}

func newLedgerExportCommand(a *app) *cobra.Command {
	var o ledgerOptions
	var out string
	var asCSV, names bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the ledger as JSON lines, or as CSV for a spreadsheet",
		Long: `Write the ledger as JSON lines (schema "ledger/v1"), or as CSV for a
spreadsheet. Players are tokens, unless --names is given (CSV only). Texts are
written so that no spreadsheet takes them for formulas.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if names && !asCSV {
				return usagef("--names goes with --csv; the JSON lines hold tokens only")
			}
			return o.with(cmd.Context(), a, func(s *store.Store, _ *rules.Book, l *ledger.Ledger, _ locale.Printer) error {
				write := l.Export
				if asCSV {
					var of func(string) string
					if names {
						of = func(token string) string { return playerName(cmd.Context(), s, token) }
					}
					write = func(w io.Writer) error { return l.ExportCSV(w, of) }
				}
				if out == "" {
					return write(a.term.Out())
				}
				return writeNew(out, write)
			})
		},
	}
	o.AddFlags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: standard output)")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "CSV for a spreadsheet")
	cmd.Flags().BoolVar(&names, "names", false, "players' names instead of tokens")
	return cmd
}
