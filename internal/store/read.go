package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Filter selects records; empty fields select all.
type Filter struct {
	Kind       Kind
	Tournament string
	Player     string // token
}

// Get returns the record with this ID, or ErrNotFound.
func (s *Store) Get(ctx context.Context, id string) (Record, error) {
	r, err := scan(s.db.QueryRowContext(ctx, s.q("SELECT envelope, body, hash FROM record WHERE id = ?1"), id))
	if errors.Is(err, sql.ErrNoRows) {
		return Record{}, &Error{Op: "read", Where: s.where, Kind: ErrNotFound, Err: fmt.Errorf("record %q", id), Remedy: "'fairdeck evidence list' shows the IDs of the checks"}
	}
	return r, s.wrap("read", s.where, err)
}

// List returns the records that a filter selects, oldest first.
func (s *Store) List(ctx context.Context, f Filter) ([]Record, error) {
	rows, err := s.db.QueryContext(ctx, s.q(`SELECT envelope, body, hash FROM record
		WHERE (?1 = '' OR kind = ?1) AND (?2 = '' OR tournament = ?2) AND (?3 = '' OR player = ?3) ORDER BY seq`),
		string(f.Kind), f.Tournament, f.Player)
	if err != nil {
		return nil, s.wrap("read", s.where, err)
	}
	defer rows.Close()
	var list []Record
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, s.wrap("read", s.where, err)
		}
		list = append(list, r)
	}
	return list, s.wrap("read", s.where, rows.Err())
}

func scan(row interface{ Scan(...any) error }) (Record, error) {
	var r Record
	if err := row.Scan(&r.Raw, &r.Body, &r.Hash); err != nil {
		return Record{}, err
	}
	var err error
	if r.Envelope, err = ParseEnvelope(r.Raw); err != nil {
		return Record{}, &Error{Op: "read", Kind: ErrCorrupt, Remedy: remedies[ErrCorrupt], Err: err}
	}
	return r, nil
}
