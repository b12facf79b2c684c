package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"
	"fairdeck/internal/store"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newRulesCommand(a *app) *cobra.Command {
	return group("rules", "Look up rule books, and what one says about a check", `Look up rule books, and what one says about a check.

A rule book says which clause a finding falls under, what it suggests and what
puts it right. The judge decides. docs/rules.md tells how to add one.`,
		newRulesListCommand(a), newRulesShowCommand(a), newRulesApplyCommand(a), newRulesDeckCommand(a))
}

func newRulesListCommand(a *app) *cobra.Command {
	var o bookOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rule books",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			shelf, p, err := o.reading()
			if err != nil {
				return err
			}
			for _, b := range shelf.Books() {
				a.term.Print(fmt.Sprintf("%-18s %s (%s)", b.ID, b.Name.In(p.Language()), plain.Line(b.Origin)))
			}
			return nil
		},
	}
	o.addShelf(cmd.Flags())
	return cmd
}

func newRulesShowCommand(a *app) *cobra.Command {
	var o bookOptions
	cmd := &cobra.Command{
		Use:   "show BOOK",
		Short: "Print a rule book's penalties and clauses",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			shelf, p, err := o.reading()
			if err != nil {
				return err
			}
			b, err := shelf.Book(args[0])
			if err != nil {
				return &usageError{err}
			}
			a.term.Print(b.Name.In(p.Language()))
			a.term.Print(plain.Line(b.Source))
			a.term.Print("")
			for _, pen := range b.Scale {
				a.term.Print(fmt.Sprintf("%-22s %s", pen.ID, ruling.Penalty(p, pen)))
			}
			a.term.Print("")
			for _, c := range b.Clauses {
				a.term.Print(fmt.Sprintf("%-16s %s: %s", c.ID, c.Number, c.Text.In(p.Language())))
			}
			return nil
		},
	}
	o.addShelf(cmd.Flags())
	return cmd
}

// applyOptions are the flags of rules apply.
type applyOptions struct {
	bookOptions
	part    string
	shared  string
	receipt string
	until   time.Duration
	player  string
	event   string
	stored  string
	source  storeOptions
	answers deckAnswers
	counted handCounts
}

func newRulesApplyCommand(a *app) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [CHECK]",
		Short: "Say which clauses a check's findings fall under",
		Long: `Say which clauses of a rule book a check's findings fall under.

CHECK is a check.json, or the folder that holds it; --stored takes a check from
the store instead, and the receipt then names its record and hash. What the check does not
know is asked, and both answers are shown; --part and --shared answer.
With --receipt a page for the player is written: what was seen, what to
replace and until when, and no penalties.`,
		Example: `  fairdeck rules apply --ruleset bushiroad-floor --level 2 round3-table12
  fairdeck rules apply --ruleset cnc-2011 --part main --shared no --receipt receipt.html --until 15m deck`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || (len(args) == 1) == (o.stored != "") {
				return errors.New("which check? Give one check.json or folder, or --stored ID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	f := cmd.Flags()
	o.AddFlags(f)
	f.StringVar(&o.stored, "stored", "", "ID of a check in the store, instead of CHECK")
	o.source.AddFlags(f)
	o.addKnown(f)
	o.answers.AddFlags(f)
	o.counted.addCounts(f)
	f.StringVar(&o.receipt, "receipt", "", "file for the player's receipt (HTML)")
	f.DurationVar(&o.until, "until", 0, "time the player has, such as 15m, for the receipt")
	f.StringVar(&o.player, "player", "", "the player's name, for the receipt only")
	f.StringVar(&o.event, "tournament", "", "the tournament's name, for the receipt")
	return cmd
}

// addKnown declares the flags that answer what a check does not know.
func (o *applyOptions) addKnown(f *pflag.FlagSet) {
	f.StringVar(&o.part, "part", "", "part of the deck: main, side or extra")
	f.StringVar(&o.shared, "shared", "", "do the marked cards share a feature: yes or no")
}

func (o *applyOptions) known() (ruling.Known, error) {
	k := ruling.Known{Part: rules.Part(o.part), Shared: rules.Answer(o.shared)}
	switch k.Part {
	case "", rules.MainDeck, rules.SideDeck, rules.ExtraDeck:
	default:
		return k, usagef("--part %q: want main, side or extra", o.part)
	}
	switch k.Shared {
	case "", rules.Yes, rules.No:
	default:
		return k, usagef("--shared %q: want yes or no", o.shared)
	}
	return k, nil
}

// check reads the check, from a file or from the store.
func (o *applyOptions) check(ctx context.Context, args []string) (c *record.Check, r store.Record, err error) {
	if o.stored == "" {
		c, _, err = readCheck(args[0])
		return c, r, err
	}
	err = o.source.withStore(ctx, func(s *store.Store) error {
		if r, err = s.Get(ctx, o.stored); err != nil {
			return storeError(err)
		}
		if r.Envelope.Kind != store.Check {
			return &inputError{fmt.Errorf("record %s is not a check", o.stored)}
		}
		c, err = record.Decode(bytes.NewReader(r.Body))
		return err
	})
	return c, r, err
}

func (o *applyOptions) run(ctx context.Context, a *app, args []string) error {
	if o.until < 0 {
		return usagef("--until %s: that is over already; give a time such as 15m", o.until)
	}
	known, err := o.known()
	if err != nil {
		return err
	}
	b, p, err := o.bookAndPrinter()
	if err != nil {
		return err
	}
	c, r, err := o.check(ctx, args)
	if err != nil {
		return err
	}
	told, err := o.answers.told()
	if err != nil {
		return err
	}
	c.Told = amend(c.Told, told)
	err = o.counted.each(func(part string, n int) bool {
		i := slices.IndexFunc(c.Parts, func(q record.Part) bool { return q.Part == part })
		if i >= 0 {
			c.Parts[i].Cards = record.Cards{Min: n, Max: n, By: record.CountedByPerson}
		}
		return i >= 0
	})
	if err != nil {
		return err
	}
	sheet, err := ruling.Make(c, b, rules.Level(o.level), known)
	if err != nil {
		return err
	}
	sheet.Enter(c, p) // for the outcome; the check itself stays as it is
	for _, line := range sheet.Lines(p) {
		a.term.Print(line)
	}
	if o.receipt != "" {
		page := ruling.Receipt{Check: c, Sheet: sheet, Tournament: o.event, Player: o.player, ID: r.Envelope.ID, Hash: r.Hash}
		if o.event == "" {
			page.Tournament = r.Envelope.Tournament
		}
		if o.until > 0 {
			page.Until = a.now().Add(o.until)
		}
		if err := writeNew(o.receipt, func(w io.Writer) error { return page.WriteHTML(w, p) }); err != nil {
			return err
		}
	}
	return verdictOutcome(c)
}

// readCheck reads a check.json, or the one in a folder, and returns its bytes
// as well.
func readCheck(path string) (*record.Check, []byte, error) {
	path = checkPath(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, &inputError{fmt.Errorf("%w; give a check.json or the folder that inspect wrote", err)}
	}
	c, err := record.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, nil, &inputError{fmt.Errorf("%s: %w", path, err)}
	}
	return c, data, nil
}

// checkPath is the check.json of a folder, or the file itself.
func checkPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, "check.json")
	}
	return path
}

// writeNew writes a file that is not there yet; a failed one is removed.
func writeNew(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		if os.IsExist(err) {
			return usagef("%s is there already; give another name", path)
		}
		return &inputError{fmt.Errorf("%w; give another place", err)}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(path) // half a file helps nobody
		}
	}()
	if err := write(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w; free some space or give another place", path, err)
	}
	return f.Close()
}
