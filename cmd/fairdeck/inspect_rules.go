package main

import (
	"context"
	"fmt"
	"io"

	"fairdeck/internal/evidence"
	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
	"fairdeck/internal/ruling"
	"fairdeck/internal/store"

	"github.com/spf13/pflag"
)

// rulingName is the page that inspect writes beside the report when a rule
// book was chosen.
const rulingName = evidence.RulingName

// inspectRules are inspect's flags about rule books and the store. Without
// --ruleset nothing is said about rules; without --keep nothing is stored.
type inspectRules struct {
	applyOptions // its receipt flags are not offered here
	keep         bool
	where        storeOptions
	who          playerOptions

	book  *rules.Book
	given ruling.Known
	print locale.Printer
}

func (o *inspectRules) AddFlags(f *pflag.FlagSet) {
	o.bookOptions.AddFlags(f)
	ruleset := f.Lookup("ruleset")
	o.ruleset, ruleset.DefValue = "", ""
	ruleset.Usage = "rule book to look the findings up in: see 'fairdeck rules list' (default: none)"
	o.addKnown(f)
	f.BoolVar(&o.keep, "keep", false, "store the check with its pictures, so that any later change shows")
	o.where.AddFlags(f)
	o.who.AddFlags(f)
	f.StringVar(&o.event, "tournament", "", "the tournament's name, for the store")
}

// prepare checks the flags before the work begins, and that the store can be
// opened: a judge must not learn after the work that nothing is kept.
func (o *inspectRules) prepare(ctx context.Context, hasFolder bool) error {
	if o.keep && !hasFolder {
		return usagef("--keep stores what is written; with --json give --out as well")
	}
	var err error
	if o.print, err = o.printer(); err != nil {
		return err
	}
	if o.ruleset != "" {
		if o.given, err = o.known(); err != nil {
			return err
		}
		if o.book, err = o.bookOptions.book(); err != nil {
			return err
		}
	}
	if !o.keep {
		return nil
	}
	return o.where.withStore(ctx, func(s *store.Store) error {
		_, err := o.who.known(ctx, s)
		return err
	})
}

// sheet looks the check up and writes the findings into it; nil where no rule
// book was chosen.
func (o *inspectRules) sheet(c *record.Check) (*ruling.Sheet, error) {
	if o.book == nil {
		return nil, nil
	}
	s, err := ruling.Make(c, o.book, rules.Level(o.level), o.given)
	if err != nil {
		return nil, err
	}
	texts, err := locale.Load()
	if err != nil {
		return nil, err
	}
	s.Enter(c, texts.For(locale.English))
	return s, nil
}

// alike are the parts of a whole deck whose sleeves have to be the same: by
// the rule book, or by the neutral one where none was chosen.
func (o *inspectRules) alike() (sets [][]string, err error) {
	b := o.book
	if b == nil {
		shelf, err := rules.Open(nil)
		if err != nil {
			return nil, err
		}
		if b, err = shelf.Book(rules.Neutral); err != nil {
			return nil, err
		}
	}
	for _, group := range b.Sleeves.Groups {
		var set []string
		for _, p := range group {
			set = append(set, string(p))
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// addFile adds the ruling to the files that are written.
func (o *inspectRules) addFile(files map[string]func(io.Writer) error, s *ruling.Sheet) {
	if s != nil {
		files[rulingName] = func(w io.Writer) error { return s.WriteHTML(w, o.print) }
	}
}

// store keeps what was written to a folder.
func (o *inspectRules) store(ctx context.Context, a *app, folder string) error {
	if !o.keep {
		return nil
	}
	err := o.where.withStore(ctx, func(s *store.Store) error {
		r, err := keepFolder(ctx, s, folder, "", o.event, o.who)
		if err == nil {
			a.term.Error("Stored as " + r.Envelope.ID + ", record " + fmt.Sprint(r.Envelope.Seq) + ", hash " + r.Hash)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the check is in %s and was not stored: %w; then store it with 'fairdeck evidence keep' and that folder", folder, err)
	}
	return nil
}
