package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/rules"
	"fairdeck/internal/store"

	"github.com/spf13/pflag"
)

// storeOptions say where checks and ledgers are kept.
type storeOptions struct {
	data     string
	database string
}

func (o *storeOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "", "folder of the store (default: fairdeck's folder among the user's data)")
	f.StringVar(&o.database, "database", "", "address of a PostgreSQL database that several stations share, such as postgres://judge@host/cup; its password may stand in PGPASSWORD or ~/.pgpass (default: SQLite in the folder)")
}

func (o *storeOptions) open(ctx context.Context) (*store.Store, error) {
	s, err := store.Open(ctx, store.Options{Dir: o.data, URL: o.database})
	return s, storeError(err)
}

// storeError tells what a person can put right from a fault of ours.
func storeError(err error) error {
	var e *store.Error
	if errors.As(err, &e) && e.Kind != nil {
		return &inputError{err}
	}
	return err
}

// bookOptions choose a rule book and the language of its answers.
type bookOptions struct {
	ruleset  string
	rulesDir string
	level    int
	lang     string
}

func (o *bookOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.ruleset, "ruleset", rules.Neutral, "rule book: see 'fairdeck rules list'")
	f.IntVar(&o.level, "level", 0, "tournament level, for rule books that have levels")
	o.addShelf(f)
}

// addShelf declares the flags of commands that only read books.
func (o *bookOptions) addShelf(f *pflag.FlagSet) {
	f.StringVar(&o.rulesDir, "rules-dir", "", "folder with rule books of the organiser, which add to or replace the built-in ones")
	o.addLanguage(f)
}

func (o *bookOptions) addLanguage(f *pflag.FlagSet) {
	f.StringVar(&o.lang, "lang", "", "language: en, zh-Hans, zh-Hant or ja (default: the system's)")
}

func (o *bookOptions) shelf() (*rules.Shelf, error) {
	if o.rulesDir == "" {
		return rules.Open(nil)
	}
	s, err := rules.Open(os.DirFS(o.rulesDir))
	if err != nil {
		return nil, &inputError{fmt.Errorf("--rules-dir %s: %w", o.rulesDir, err)}
	}
	return s, nil
}

func (o *bookOptions) book() (*rules.Book, error) {
	s, err := o.shelf()
	if err != nil {
		return nil, err
	}
	b, err := s.Book(o.ruleset)
	if err != nil {
		return nil, usagef("--ruleset: %w", err)
	}
	if o.level == 0 && len(b.Levels) > 0 || !b.HasLevel(rules.Level(o.level)) {
		var list []string
		for _, l := range b.Levels {
			list = append(list, fmt.Sprintf("%d (%s)", l.ID, l.Name.En))
		}
		return nil, usagef("--level %d: rule book %s has levels %s", o.level, b.ID, strings.Join(list, ", "))
	}
	return b, nil
}

// reading are the books and the language in which they are read.
func (o *bookOptions) reading() (*rules.Shelf, locale.Printer, error) {
	p, err := o.printer()
	if err != nil {
		return nil, p, err
	}
	s, err := o.shelf()
	return s, p, err
}

// bookAndPrinter are the chosen book and the language in which it is read.
func (o *bookOptions) bookAndPrinter() (*rules.Book, locale.Printer, error) {
	p, err := o.printer()
	if err != nil {
		return nil, p, err
	}
	b, err := o.book()
	return b, p, err
}

func (o *bookOptions) printer() (locale.Printer, error) {
	c, err := locale.Load()
	if err != nil {
		return locale.Printer{}, err
	}
	if o.lang == "" {
		return c.For(locale.Detect(os.Getenv)), nil
	}
	l, err := locale.Parse(o.lang)
	if err != nil {
		return locale.Printer{}, usagef("--lang: %w", err)
	}
	return c.For(l), nil
}

// playerOptions name a player. Both are personal data and stay in the store.
type playerOptions struct{ name, id string }

func (o *playerOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.name, "player", "", "the player's name (optional; kept in the local store only)")
	f.StringVar(&o.id, "player-id", "", "the player's ID (optional; kept in the local store only)")
}

// find returns the player, or nil when none was named. With add, a player who
// is not in the store yet is added.
func (o *playerOptions) find(ctx context.Context, s *store.Store, add bool) (*store.Person, error) {
	p, err := o.known(ctx, s)
	text := cmp.Or(o.id, o.name)
	switch {
	case err != nil || p != nil || text == "":
		return p, err
	case !add:
		return nil, &inputError{fmt.Errorf("no such player in the store: %s; 'fairdeck ledger show' without a player lists those with entries", plain.Line(text))}
	case store.IsToken(text):
		return nil, &inputError{fmt.Errorf("the store knows no player %s, or has forgotten them; give the player's name or ID", text)}
	}
	added, ok, err := s.MeetPerson(ctx, o.name, o.id)
	if err != nil {
		return nil, storeError(err)
	}
	if !ok { // another station was a moment earlier
		return o.known(ctx, s)
	}
	return &added, nil
}

// known returns the player, or nil where none was named or the store has none
// of that name.
//
// A penalty on the wrong person is not undone by a correction: where name and
// ID are both given, both must be those of the player found.
func (o *playerOptions) known(ctx context.Context, s *store.Store) (*store.Person, error) {
	text := cmp.Or(o.id, o.name)
	if text == "" {
		return nil, nil
	}
	found, err := s.FindPersons(ctx, text)
	if err != nil {
		return nil, storeError(err)
	}
	if o.id != "" { // somebody's name may read like an ID
		found = slices.DeleteFunc(found, func(p store.Person) bool { return p.PlayerID != o.id && p.Token != o.id })
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
	default:
		return nil, usagef("%d players are called that; name one by --player-id or by its token: %s", len(found), tokens(found))
	}
	p := &found[0]
	if o.id != "" && o.name != "" && p.Name != "" && !store.SameName(p.Name, o.name) {
		return nil, usagef("--player-id %s is in the store as %s, not as %s; give the ID alone if it is right, or another ID", plain.Line(o.id), plain.Line(p.Name), plain.Line(o.name))
	}
	return p, nil
}

func tokens(list []store.Person) string {
	var t []string
	for _, p := range list {
		label := p.Token
		if p.PlayerID != "" {
			label += " (ID " + plain.Line(p.PlayerID) + ")"
		}
		t = append(t, label)
	}
	return strings.Join(t, ", ")
}

// withStore opens the store for the time of f.
func (o *storeOptions) withStore(ctx context.Context, f func(*store.Store) error) error {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}
