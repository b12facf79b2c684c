package ledger

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fairdeck/internal/rules"
)

// ErrRole is returned for a penalty that only another office may give.
var ErrRole = errors.New("the book reserves this penalty for another office")

// Ledger holds the entries of one tournament under one rule book. It is not
// safe for concurrent use.
type Ledger struct {
	tournament string
	book       *rules.Book
	entries    []Entry
}

// New returns an empty ledger.
func New(tournament string, book *rules.Book) *Ledger {
	return &Ledger{tournament: tournament, book: book}
}

// Warning says what is odd about entries that were taken up nevertheless.
type Warning struct {
	Seq  int
	Text string
}

// Restore builds a ledger from entries that were taken earlier. What depends
// on the book's text is a warning, since the book may have been changed after
// the entry was made; gaps, foreign entries and references to nothing are
// errors of type *EntryError.
func Restore(tournament string, book *rules.Book, entries []Entry) (*Ledger, []Warning, error) {
	l := New(tournament, book)
	var warnings []Warning
	for i, e := range entries {
		if e.Seq != i+1 {
			return nil, nil, &EntryError{i + 1, fmt.Errorf("has number %d; an entry is missing or stands twice", e.Seq)}
		}
		if err := l.checkPlace(e); err != nil {
			return nil, nil, &EntryError{e.Seq, err}
		}
		if err := l.checkBook(e); err != nil {
			warnings = append(warnings, Warning{e.Seq, err.Error()})
		} else if e.BookSHA256 != book.SHA256 {
			warnings = append(warnings, Warning{e.Seq, "was made under another text of the rule book"})
		}
		l.entries = append(l.entries, e.clone())
	}
	return l, warnings, nil
}

// Append adds an entry and returns it as it was taken, with schema, number,
// tournament and book filled in. The error is an *EntryError; ErrRole is
// among its causes where an office is not enough.
func (l *Ledger) Append(e Entry) (Entry, error) {
	e, err := l.Prepare(e)
	if err != nil {
		return Entry{}, err
	}
	l.entries = append(l.entries, e)
	return e.clone(), nil
}

// Prepare returns the entry that Append would add, without adding it. Where
// entries are stored, they are stored before the ledger holds them.
func (l *Ledger) Prepare(e Entry) (Entry, error) {
	e = e.clone()
	e.Schema, e.Seq, e.Tournament = Schema, len(l.entries)+1, l.tournament
	e.Book, e.BookSHA256 = l.book.ID, l.book.SHA256
	e.At = e.At.UTC().Round(0)
	if err := l.checkPlace(e); err != nil {
		return Entry{}, &EntryError{e.Seq, err}
	}
	if err := l.checkBook(e); err != nil {
		return Entry{}, &EntryError{e.Seq, err}
	}
	return e, nil
}

// Entries returns a copy of all entries, oldest first.
func (l *Ledger) Entries() []Entry {
	list := make([]Entry, len(l.entries))
	for i, e := range l.entries {
		list[i] = e.clone()
	}
	return list
}

// Players lists the tokens of the players with entries, in order of appearance.
func (l *Ledger) Players() []string {
	var list []string
	seen := map[string]bool{}
	for _, e := range l.entries {
		if !seen[e.Player] {
			seen[e.Player] = true
			list = append(list, e.Player)
		}
	}
	return list
}

// checkPlace checks an entry against the ledger it is to join.
func (l *Ledger) checkPlace(e Entry) error {
	if err := e.checkForm(); err != nil {
		return err
	}
	if e.Tournament != l.tournament {
		return fmt.Errorf("belongs to tournament %q", e.Tournament)
	}
	if e.Book != l.book.ID {
		return fmt.Errorf("was made under rule book %q, the tournament has %q", e.Book, l.book.ID)
	}
	if e.Type == Penalty {
		return nil
	}
	if e.Refers < 1 || e.Refers > len(l.entries) {
		return fmt.Errorf("refers to entry %d, which is not there", e.Refers)
	}
	about := l.entries[e.Refers-1]
	if about.Type != Penalty {
		return fmt.Errorf("refers to entry %d, which is a %s; refer to the penalty itself (entry %d)", e.Refers, about.Type, about.Refers)
	}
	if about.Player != e.Player {
		return fmt.Errorf("refers to entry %d of another player", e.Refers)
	}
	if e.Type == SignOff {
		return l.checkSignOff(e)
	}
	if e.Penalty == "" && l.state(e.Refers).Status == Withdrawn {
		return fmt.Errorf("entry %d is withdrawn already", e.Refers)
	}
	return nil
}

func (l *Ledger) checkSignOff(e Entry) error {
	s := l.state(e.Refers)
	if s.Status == Withdrawn {
		return fmt.Errorf("entry %d is withdrawn", e.Refers)
	}
	if e.Role == rules.Organiser {
		return fmt.Errorf("%w: judges sign off", ErrRole)
	}
	for _, name := range s.Agreed {
		if samePerson(name, e.DecidedBy) {
			return fmt.Errorf("%s has agreed with entry %d already; another judge is needed", e.DecidedBy, e.Refers)
		}
	}
	return nil
}

// checkBook checks what depends on the text of the book.
func (l *Ledger) checkBook(e Entry) error {
	if e.Type == Correction {
		// What only the head judge gives, only the head judge takes back.
		if err := l.mayGive(l.state(e.Refers).Entry.Penalty, e.Role); err != nil {
			return fmt.Errorf("takes back entry %d: %w", e.Refers, err)
		}
	}
	if e.Type == SignOff || e.Penalty == "" {
		return nil
	}
	if !l.book.HasLevel(e.Level) {
		return fmt.Errorf("%w: %d is not one of its levels", rules.ErrLevel, e.Level)
	}
	if _, ok := l.book.Clause(e.Clause); !ok {
		return fmt.Errorf("rule book %s has no clause %q", l.book.ID, e.Clause)
	}
	if _, _, ok := l.book.Penalty(e.Penalty); !ok {
		return fmt.Errorf("rule book %s has no penalty %q", l.book.ID, e.Penalty)
	}
	if err := l.mayGive(e.Penalty, e.Role); err != nil {
		return err
	}
	if e.Follows != "" {
		for _, a := range l.book.Accumulations {
			if a.ID == e.Follows {
				return nil
			}
		}
		return fmt.Errorf("rule book %s adds up nothing called %q", l.book.ID, e.Follows)
	}
	return nil
}

// mayGive says whether somebody of a role may give a penalty: the office that
// the book names, or the organiser, who is above all of them. A penalty that
// the book does not have is nobody's.
func (l *Ledger) mayGive(penalty string, role rules.Role) error {
	p, _, _ := l.book.Penalty(penalty)
	if p.GivenBy == "" || p.GivenBy == rules.Judge || p.GivenBy == role || role == rules.Organiser {
		return nil
	}
	return fmt.Errorf("%w: %s is given by the %s (--role %s)", ErrRole, p.ID, p.GivenBy, p.GivenBy)
}

// samePerson compares names as people write them.
func samePerson(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// Now returns the time for an entry. It exists so that commands need not
// repeat the rounding: stored times have whole seconds.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }
