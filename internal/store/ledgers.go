package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fairdeck/internal/rules"
	"fairdeck/internal/rules/ledger"
)

// LoadLedger returns a tournament's ledger as it is stored, with warnings
// about entries made under another text of the rule book.
func (s *Store) LoadLedger(ctx context.Context, tournament string, book *rules.Book) (*ledger.Ledger, []ledger.Warning, error) {
	records, err := s.List(ctx, Filter{Kind: Ledger, Tournament: tournament})
	if err != nil {
		return nil, nil, err
	}
	var entries []ledger.Entry
	for _, r := range records {
		dec := json.NewDecoder(bytes.NewReader(r.Body))
		dec.DisallowUnknownFields()
		var e ledger.Entry
		if err := dec.Decode(&e); err != nil {
			return nil, nil, &Error{Op: "read", Where: s.where, Kind: ErrCorrupt, Err: fmt.Errorf("record %s: %w", r.Envelope.ID, err)}
		}
		entries = append(entries, e)
	}
	return ledger.Restore(tournament, book, entries)
}

// SaveEntry adds an entry to a tournament's ledger and stores it. When another
// station stored an entry in the meantime the error is ErrExists and nothing
// was stored: load the ledger and decide again, since sums may have changed.
func (s *Store) SaveEntry(ctx context.Context, l *ledger.Ledger, e ledger.Entry) (ledger.Entry, Record, error) {
	// Not on l itself: it must not hold an entry that was not stored.
	taken, err := l.Prepare(e)
	if err != nil {
		return ledger.Entry{}, Record{}, err
	}
	body, err := json.Marshal(taken)
	if err != nil {
		return ledger.Entry{}, Record{}, fmt.Errorf("ledger entry %d: %w", taken.Seq, err)
	}
	r, err := s.Append(ctx, Draft{Kind: Ledger, ID: entryID(taken), Created: taken.At, Tournament: taken.Tournament, Player: taken.Player, Body: body})
	if err != nil {
		return ledger.Entry{}, Record{}, err
	}
	if _, err := l.Append(e); err != nil {
		return ledger.Entry{}, Record{}, err
	}
	return taken, r, nil
}

// entryID gives each place of a ledger one ID, so that two stations cannot
// both fill it. Tournament names are free text; the ID holds their hash.
func entryID(e ledger.Entry) string {
	h := sha256.Sum256([]byte(e.Tournament))
	return fmt.Sprintf("ledger.%s.%d", hex.EncodeToString(h[:8]), e.Seq)
}
