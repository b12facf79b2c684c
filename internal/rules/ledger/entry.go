package ledger

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"fairdeck/internal/rules"
)

// Schema is the version of the entries' format.
const Schema = "ledger/v1"

// Type is what an entry does.
type Type string

// The types.
const (
	// Penalty: a judge decided on a penalty.
	Penalty Type = "penalty"
	// Correction: an earlier penalty is withdrawn or replaced.
	Correction Type = "correction"
	// SignOff: another judge agrees with a penalty.
	SignOff Type = "sign-off"
)

// Entry is one line of the ledger.
type Entry struct {
	Schema     string    `json:"schema"`
	Seq        int       `json:"seq"` // 1 is the first of the tournament
	Type       Type      `json:"type"`
	At         time.Time `json:"at"` // UTC
	Tournament string    `json:"tournament"`
	Player     string    `json:"player"` // token, never a name

	Book       string      `json:"book"`
	BookSHA256 string      `json:"book_sha256"`
	Level      rules.Level `json:"level,omitempty"`

	Clause  string     `json:"clause,omitempty"`  // ID in the book
	Penalty string     `json:"penalty,omitempty"` // ID on the scale; empty in a correction: withdrawn
	Finding rules.Kind `json:"finding,omitempty"`
	// Follows names the accumulation this penalty carries out, such as "sum"
	// for a game loss that is due after two warnings.
	Follows string `json:"follows,omitempty"`

	DecidedBy string     `json:"decided_by"`
	Role      rules.Role `json:"role"`
	// Evidence lists what the decision rests on: IDs of checks.
	Evidence []string `json:"evidence,omitempty"`
	// Refers is the Seq of the penalty that a correction or sign-off is about.
	Refers int `json:"refers,omitempty"`
	// Reason is required of a correction.
	Reason string `json:"reason,omitempty"`
}

// EntryError says why an entry cannot be taken.
type EntryError struct {
	Seq int // the place it would have had
	Err error
}

func (e *EntryError) Error() string { return fmt.Sprintf("ledger entry %d: %v", e.Seq, e.Err) }
func (e *EntryError) Unwrap() error { return e.Err }

// maxText bounds names and reasons; ten thousand characters are no reason.
const maxText = 2000

// checkForm checks what an entry must have whatever the book says.
func (e *Entry) checkForm() error {
	if e.Schema != Schema {
		return fmt.Errorf("schema %q, this release reads %q", e.Schema, Schema)
	}
	for name, s := range map[string]string{"tournament": e.Tournament, "player": e.Player, "book": e.Book, "decided_by": e.DecidedBy} {
		if strings.TrimSpace(s) == "" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for _, s := range append([]string{e.Tournament, e.Player, e.Book, e.BookSHA256, e.Clause, e.Penalty, string(e.Finding), e.Follows, e.DecidedBy, e.Reason}, e.Evidence...) {
		if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxText {
			return fmt.Errorf("a text is not valid UTF-8 or longer than %d characters", maxText)
		}
	}
	if e.At.IsZero() || e.At.Year() < 1 || e.At.Year() > 9999 {
		return fmt.Errorf("the time is missing")
	}
	switch e.Role {
	case rules.Judge, rules.HeadJudge, rules.Organiser:
	default:
		return fmt.Errorf("role %q is not judge, head-judge or organiser", e.Role)
	}
	switch e.Type {
	case Penalty:
		if e.Penalty == "" || e.Clause == "" {
			return fmt.Errorf("a penalty names its clause and its step on the scale")
		}
		if e.Refers != 0 {
			return fmt.Errorf("a penalty refers to no other entry")
		}
	case Correction:
		if strings.TrimSpace(e.Reason) == "" {
			return fmt.Errorf("a correction gives its reason")
		}
		if (e.Penalty == "") != (e.Clause == "") {
			return fmt.Errorf("a correction names clause and penalty, or neither to withdraw it")
		}
	case SignOff:
		if e.Penalty != "" || e.Clause != "" || e.Follows != "" {
			return fmt.Errorf("a sign-off agrees with a penalty and names none of its own")
		}
	default:
		return fmt.Errorf("type %q is not penalty, correction or sign-off", e.Type)
	}
	return nil
}

// clone copies an entry so that nobody outside holds a part of the ledger.
func (e Entry) clone() Entry {
	e.Evidence = append([]string(nil), e.Evidence...)
	return e
}
