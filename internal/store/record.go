package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
	"unicode/utf8"
)

// EnvelopeSchema is the version of the envelope's format.
const EnvelopeSchema = "record/v1"

// Kind says what a record's body is.
type Kind string

// The kinds of records.
const (
	Check  Kind = "check"  // body: check.json
	Ledger Kind = "ledger" // body: one ledger entry
	Forgot Kind = "forgot" // body: {"token": ...}; a player's data were deleted
)

// Draft is a record that is to be stored.
type Draft struct {
	Kind       Kind
	ID         string // unique in the store: letters, digits, ". _ : -"
	Created    time.Time
	Tournament string // may be empty
	Player     string // token from AddPerson; may be empty
	// Body is stored byte for byte. It must be JSON and must not hold the
	// player's name or ID.
	Body     []byte
	Pictures []Source
}

// Source is a picture that is to be stored with a record.
type Source struct {
	Name string // as the body refers to it; any text
	Type string // media type, such as image/png
	Open func() (io.ReadCloser, error)
}

// Bytes returns a Source's Open for a picture in memory.
func Bytes(data []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// Picture is a stored picture as the envelope names it.
type Picture struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Commitment ties a record to a player without saying who it is.
type Commitment struct {
	Token      string `json:"token"`
	Commitment string `json:"commitment"`
}

// Envelope is the link of the chain. The order of its fields is part of the
// format: the hash is over exactly these bytes.
type Envelope struct {
	Schema     string      `json:"schema"`
	Seq        int64       `json:"seq"` // 1 is the first
	Kind       Kind        `json:"kind"`
	ID         string      `json:"id"`
	Created    string      `json:"created"` // RFC 3339, UTC
	Tournament string      `json:"tournament,omitempty"`
	Player     *Commitment `json:"player,omitempty"`
	BodySHA256 string      `json:"body_sha256"`
	Pictures   []Picture   `json:"pictures,omitempty"`
	Previous   string      `json:"previous"` // hash of the record before; zeros for the first
}

// Record is a stored record.
type Record struct {
	Envelope Envelope
	Raw      []byte // the envelope's bytes, which Hash is over
	Hash     string
	Body     []byte
}

// Head names the end of a chain at some time.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// noHash stands for the record before the first.
const noHash = "0000000000000000000000000000000000000000000000000000000000000000"

// Head returns the head of the chain that ends with this record.
func (r Record) Head() Head { return Head{r.Envelope.Seq, r.Hash} }

// HashEnvelope returns the hash of an envelope: SHA-256 over a line that names
// the format and the envelope's bytes.
func HashEnvelope(raw []byte) string {
	h := sha256.New()
	h.Write([]byte(EnvelopeSchema + "\n"))
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

// ParseEnvelope reads an envelope and refuses bytes that this format would not
// have written: they could say the same and hash differently.
func ParseEnvelope(raw []byte) (Envelope, error) {
	var e Envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("envelope: %w", err)
	}
	if e.Schema != EnvelopeSchema {
		return e, fmt.Errorf("envelope: schema %q, this release reads %q", e.Schema, EnvelopeSchema)
	}
	again, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("envelope: %w", err)
	}
	if !bytes.Equal(raw, again) {
		return e, errors.New("envelope: not in its own form; it was edited")
	}
	return e, nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

var idShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// GoodID reports whether a record may have this ID.
func GoodID(id string) bool { return idShape.MatchString(id) }

// maxName bounds what a record may call its tournament and pictures.
const maxName = 1000

func (d Draft) check() error {
	switch d.Kind {
	case Check, Ledger, Forgot:
	default:
		return fmt.Errorf("record: no such kind %q", d.Kind)
	}
	if !GoodID(d.ID) {
		return fmt.Errorf("record: id %q must be up to 200 letters, digits and . _ : -", d.ID)
	}
	if d.Created.IsZero() || d.Created.Year() < 1 || d.Created.Year() > 9999 {
		return fmt.Errorf("record %s: the time is missing", d.ID)
	}
	if !json.Valid(d.Body) {
		return fmt.Errorf("record %s: the body is not JSON", d.ID)
	}
	if !shortText(d.Tournament) {
		return fmt.Errorf("record %s: the tournament's name is not valid UTF-8 or longer than %d characters", d.ID, maxName)
	}
	seen := map[string]bool{}
	for _, p := range d.Pictures {
		if p.Name == "" || !shortText(p.Name) || !shortText(p.Type) || p.Open == nil {
			return fmt.Errorf("record %s: a picture without a usable name or source", d.ID)
		}
		if seen[p.Name] {
			return fmt.Errorf("record %s: two pictures are called %q", d.ID, p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

func shortText(s string) bool {
	// NUL is valid UTF-8, but PostgreSQL's text does not take it.
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxName && !bytes.ContainsRune([]byte(s), 0)
}
