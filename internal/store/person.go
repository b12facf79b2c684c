package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Person is a player's personal data. It is kept in the local store only.
type Person struct {
	Token      string // what records call the player
	Name       string
	PlayerID   string // the number a publisher or organiser gave; may be empty
	Salt       []byte // 32 random bytes; without them the commitment tells nothing
	Commitment string
}

// Commit computes the commitment to a person's data: SHA-256 over a line that
// names the format, the salt, and name and ID each with its length.
//
// A commitment by a salted hash hides its content as long as the salt is
// secret and binds because SHA-256 has no known collisions.
func Commit(salt []byte, name, playerID string) string {
	h := sha256.New()
	h.Write([]byte("person/v1\n"))
	h.Write(salt)
	for _, field := range []string{name, playerID} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(field)))
		h.Write(n[:])
		io.WriteString(h, field) // a hash never fails to write
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AddPerson stores a player's data and returns them with a new random token.
// Name or ID may be empty, not both.
func (s *Store) AddPerson(ctx context.Context, name, playerID string) (Person, error) {
	return s.addPerson(ctx, s.db, name, playerID)
}

// MeetPerson is AddPerson for a player whom nobody has entered yet: where
// another program has just stored somebody of this ID (without an ID: of this
// name), nobody is added and ok is false. Two stations that meet a player at
// the same moment must not make two players of one.
func (s *Store) MeetPerson(ctx context.Context, name, playerID string) (p Person, ok bool, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		query, key := "SELECT count(*) FROM person WHERE player_id = ?1", playerID
		if playerID == "" {
			query, key = "SELECT count(*) FROM person WHERE name_key = ?1", nameKey(name)
		}
		var n int
		if err := tx.QueryRowContext(ctx, s.q(query), key).Scan(&n); err != nil || n > 0 {
			return err
		}
		ok = true
		var err error
		p, err = s.addPerson(ctx, tx, name, playerID)
		return err
	})
	if err != nil {
		return Person{}, false, s.wrap("append to", s.where, err)
	}
	return p, ok, nil
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (s *Store) addPerson(ctx context.Context, db execer, name, playerID string) (Person, error) {
	if name == "" && playerID == "" || !shortText(name) || !shortText(playerID) {
		return Person{}, fmt.Errorf("store: a player has a name or an ID, each up to %d characters of UTF-8", maxName)
	}
	p := Person{Name: name, PlayerID: playerID, Salt: make([]byte, 32)}
	rand.Read(p.Salt) // never fails since Go 1.24
	p.Token = "p-" + strings.ToLower(rand.Text())
	p.Commitment = Commit(p.Salt, name, playerID)
	_, err := db.ExecContext(ctx, s.q("INSERT INTO person (token, name, player_id, name_key, salt, commitment) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
		p.Token, p.Name, p.PlayerID, nameKey(name), p.Salt, p.Commitment)
	if err != nil {
		return Person{}, s.wrap("append to", s.where, err)
	}
	return p, nil
}

// nameKey is a name as it is looked up: the same for the ways in which people
// and keyboards write it (case, spaces, composed characters, full width).
func nameKey(name string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(name))), " ")
}

// SameName reports whether two names are one, however they are written.
func SameName(a, b string) bool { return nameKey(a) == nameKey(b) }

// tokenShape is what AddPerson makes: "p-" and the 26 letters and digits of
// [rand.Text], in lower case.
var tokenShape = regexp.MustCompile(`^p-[a-z2-7]{26}$`)

// IsToken reports whether a text has the form of a player's token.
func IsToken(text string) bool { return tokenShape.MatchString(text) }

const personColumns = "SELECT token, name, player_id, salt, commitment FROM person "

func scanPerson(row interface{ Scan(...any) error }) (p Person, err error) {
	err = row.Scan(&p.Token, &p.Name, &p.PlayerID, &p.Salt, &p.Commitment)
	return p, err
}

// Person returns the data behind a token; ErrNotFound after Forget.
func (s *Store) Person(ctx context.Context, token string) (Person, error) {
	p, err := s.personTx(ctx, s.db, token)
	return p, s.wrap("read", s.where, err)
}

func (s *Store) personTx(ctx context.Context, q querier, token string) (Person, error) {
	p, err := scanPerson(q.QueryRowContext(ctx, s.q(personColumns+"WHERE token = ?1"), token))
	if errors.Is(err, sql.ErrNoRows) {
		return p, &Error{Op: "read", Where: s.where, Kind: ErrNotFound, Err: fmt.Errorf("player %s", token)}
	}
	return p, err
}

// FindPersons lists the players whose token, ID or name this is. Several
// players may have one name.
func (s *Store) FindPersons(ctx context.Context, text string) ([]Person, error) {
	rows, err := s.db.QueryContext(ctx, s.q(personColumns+"WHERE token = ?1 OR (player_id <> '' AND player_id = ?1) OR (name_key <> '' AND name_key = ?2) ORDER BY token"), text, nameKey(text))
	if err != nil {
		return nil, s.wrap("read", s.where, err)
	}
	defer rows.Close()
	var list []Person
	for rows.Next() {
		p, err := scanPerson(rows)
		if err != nil {
			return nil, s.wrap("read", s.where, err)
		}
		list = append(list, p)
	}
	return list, s.wrap("read", s.where, rows.Err())
}

// Forget deletes a player's data for good and adds a record that says so. The
// player's records stay, under a token that now stands for nobody; the chain
// verifies as before.
//
// SQLite overwrites the data in its file and empties its write-ahead log
// (another program reading at that moment may hold the log; then the error
// says so, and Forget may be called again). PostgreSQL keeps them in its own
// write-ahead log and backups until those rotate, and evidence files that were
// exported with names keep them.
func (s *Store) Forget(ctx context.Context, token string, at time.Time) (Record, error) {
	var r Record
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := s.personTx(ctx, tx, token); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, s.q("DELETE FROM person WHERE token = ?1"), token); err != nil {
			return err
		}
		body, err := json.Marshal(map[string]string{"schema": "forgot/v1", "token": token})
		if err != nil {
			return err
		}
		d := Draft{Kind: Forgot, ID: "forgot." + token, Created: at, Player: token, Body: body}
		if err := d.check(); err != nil {
			return err
		}
		r, err = s.appendTx(ctx, tx, d, Envelope{Schema: EnvelopeSchema, Kind: d.Kind, ID: d.ID, Created: at.UTC().Format(time.RFC3339Nano), BodySHA256: sum(body)})
		return err
	})
	if err != nil {
		return Record{}, s.wrap("forget in", s.where, err)
	}
	return r, s.scrub(ctx)
}

// scrub removes what deleted rows leave behind.
func (s *Store) scrub(ctx context.Context) error {
	if s.postgres {
		_, err := s.db.ExecContext(ctx, "VACUUM (FULL) person") // writes the table anew; it is small
		return s.wrap("forget in", s.where, err)
	}
	var busy, log, done int
	if err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done); err != nil {
		return s.wrap("forget in", s.where, err)
	}
	if busy != 0 {
		return &Error{Op: "forget in", Where: s.where, Kind: ErrLocked, Remedy: "the player is forgotten; the log is emptied when every other program that uses the store has closed it"}
	}
	return nil
}

// namedIn reports whether a JSON body holds the person's name or ID as a
// string of its own.
func (p Person) namedIn(body []byte) bool {
	dec := json.NewDecoder(strings.NewReader(string(body)))
	for {
		t, err := dec.Token()
		if err != nil {
			return false // the end; the body is known to be JSON
		}
		text, ok := t.(string)
		if !ok || text == "" {
			continue
		}
		if p.PlayerID != "" && text == p.PlayerID || p.Name != "" && nameKey(text) == nameKey(p.Name) {
			return true
		}
	}
}
