package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// chainLock is the key under which PostgreSQL serialises appends; any fixed
// number does that no other program uses in this database.
const chainLock = 0x66616972 // "fair"

// Append stores a record at the end of the chain. When it returns without an
// error, body and pictures are on the disk; when it returns an error, the
// chain is as it was (pictures may lie unused in the folder).
//
// Errors: *Error, with ErrExists for an ID that is taken, ErrNotFound for an
// unknown player, ErrPersonal for a body that names the player.
func (s *Store) Append(ctx context.Context, d Draft) (Record, error) {
	if err := d.check(); err != nil {
		return Record{}, err
	}
	env := Envelope{
		Schema: EnvelopeSchema, Kind: d.Kind, ID: d.ID, Tournament: d.Tournament,
		Created: d.Created.UTC().Format(time.RFC3339Nano), BodySHA256: sum(d.Body),
	}
	for _, src := range d.Pictures { // first: a record must never name a picture that is not there
		p, err := s.putPicture(src)
		if err != nil {
			return Record{}, err
		}
		env.Pictures = append(env.Pictures, p)
	}
	var r Record
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var err error
		r, err = s.appendTx(ctx, tx, d, env)
		return err
	})
	if err != nil {
		return Record{}, s.wrap("append to", s.where, err)
	}
	return r, nil
}

// inTx runs f in a transaction in which nobody else can append.
func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil) // SQLite: BEGIN IMMEDIATE, see openSQLite
	if err != nil {
		return err
	}
	if s.postgres {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", chainLock); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if err := f(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			return errors.Join(err, back)
		}
		return err
	}
	return tx.Commit()
}

func (s *Store) appendTx(ctx context.Context, tx *sql.Tx, d Draft, env Envelope) (Record, error) {
	var taken int
	if err := tx.QueryRowContext(ctx, s.q("SELECT count(*) FROM record WHERE id = ?1"), d.ID).Scan(&taken); err != nil {
		return Record{}, err
	}
	if taken > 0 {
		return Record{}, &Error{Op: "append to", Where: s.where, Kind: ErrExists, Err: fmt.Errorf("record %s", d.ID), Remedy: "it is kept and stays as it is; to keep another check give it another ID"}
	}
	if d.Player != "" && d.Kind != Forgot {
		p, err := s.personTx(ctx, tx, d.Player)
		if err != nil {
			return Record{}, err
		}
		if d.Kind == Check && p.namedIn(d.Body) { // a judge may have the same name as a player
			return Record{}, &Error{Op: "append to", Where: s.where, Kind: ErrPersonal, Err: fmt.Errorf("record %s", d.ID), Remedy: "personal data belong to AddPerson only, or nobody could have them deleted"}
		}
		env.Player = &Commitment{Token: p.Token, Commitment: p.Commitment}
	}
	head, err := s.headTx(ctx, tx)
	if err != nil {
		return Record{}, err
	}
	env.Seq, env.Previous = head.Seq+1, head.Hash
	raw, err := json.Marshal(env)
	if err != nil {
		return Record{}, fmt.Errorf("record %s: %w", d.ID, err)
	}
	r := Record{Envelope: env, Raw: raw, Hash: HashEnvelope(raw), Body: d.Body}
	_, err = tx.ExecContext(ctx, s.q("INSERT INTO record (seq, id, kind, created, tournament, player, envelope, body, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
		env.Seq, env.ID, string(env.Kind), env.Created, env.Tournament, token(env), raw, d.Body, r.Hash)
	return r, err
}

func token(e Envelope) string {
	if e.Player == nil {
		return ""
	}
	return e.Player.Token
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) headTx(ctx context.Context, q querier) (Head, error) {
	h := Head{Hash: noHash}
	err := q.QueryRowContext(ctx, "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").Scan(&h.Seq, &h.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	return h, err
}

// Head returns the end of the chain; Seq 0 when it is empty.
func (s *Store) Head(ctx context.Context) (Head, error) {
	h, err := s.headTx(ctx, s.db)
	return h, s.wrap("read", s.where, err)
}
