package store

import (
	"context"
	"fmt"
	"slices"
)

// Problem is one thing that does not fit.
type Problem struct {
	Seq  int64
	ID   string
	Part string // "envelope", "body", "order", "index", "picture NAME", "player", "head"
	Text string
}

func (p Problem) String() string {
	return fmt.Sprintf("record %d %s, %s: %s", p.Seq, p.ID, p.Part, p.Text)
}

// Verification is what Verify found.
type Verification struct {
	Records  int
	Pictures int // different pictures
	Head     Head
	Problems []Problem // empty: nothing has been changed since it was stored
}

// Verify checks every record, picture and link. Known are heads from outside
// the store (evidence files, receipts); a chain that was cut or rewritten does
// not hold them any more.
//
// The error is about reading the store; what was found is in the result.
func (s *Store) Verify(ctx context.Context, known ...Head) (Verification, error) {
	if !s.postgres {
		if err := s.quickCheck(ctx); err != nil {
			return Verification{}, err
		}
	}
	rows, err := s.db.QueryContext(ctx, "SELECT seq, id, kind, created, tournament, player, envelope, body, hash FROM record ORDER BY seq")
	if err != nil {
		return Verification{}, s.wrap("verify", s.where, err)
	}
	defer rows.Close()
	v := &verifier{store: s, known: known, pictures: map[string]error{}}
	v.Head.Hash = noHash
	for rows.Next() {
		var c columns
		if err := rows.Scan(&c.seq, &c.id, &c.kind, &c.created, &c.tournament, &c.player, &c.raw, &c.body, &c.hash); err != nil {
			return v.Verification, s.wrap("verify", s.where, err)
		}
		v.record(c)
	}
	if err := rows.Err(); err != nil {
		return v.Verification, s.wrap("verify", s.where, err)
	}
	v.Pictures = len(v.pictures)
	for _, h := range known {
		if h.Seq > v.Head.Seq {
			v.add(Problem{h.Seq, "", "head", fmt.Sprintf("the chain ends at %d; records are missing at its end", v.Head.Seq)})
		}
	}
	if err := s.verifyPersons(ctx, v); err != nil {
		return v.Verification, err
	}
	return v.Verification, nil
}

// quickCheck lets SQLite check its own pages.
func (s *Store) quickCheck(ctx context.Context) error {
	var result string
	if err := s.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return s.wrap("verify", s.where, err)
	}
	if result != "ok" {
		return &Error{Op: "verify", Where: s.where, Kind: ErrCorrupt, Remedy: remedies[ErrCorrupt], Err: fmt.Errorf("%s", result)}
	}
	return nil
}

type columns struct {
	seq                                   int64
	id, kind, created, tournament, player string
	raw, body                             []byte
	hash                                  string
}

type verifier struct {
	Verification
	store       *Store
	known       []Head
	pictures    map[string]error // by hash
	commitments []Commitment
}

func (v *verifier) add(p Problem) { v.Problems = append(v.Problems, p) }

func (v *verifier) record(c columns) {
	v.Records++
	add := func(part, format string, args ...any) {
		v.add(Problem{c.seq, c.id, part, fmt.Sprintf(format, args...)})
	}
	if c.seq != v.Head.Seq+1 {
		add("order", "follows record %d; records between them are missing", v.Head.Seq)
	}
	e, err := ParseEnvelope(c.raw)
	switch {
	case err != nil:
		add("envelope", "%v", err)
	case HashEnvelope(c.raw) != c.hash:
		add("envelope", "does not have the hash that was stored with it")
	case e.Previous != v.Head.Hash:
		add("order", "does not continue record %d", v.Head.Seq)
	}
	if err == nil {
		if e.Seq != c.seq || e.ID != c.id || string(e.Kind) != c.kind || e.Created != c.created || e.Tournament != c.tournament || token(e) != c.player {
			add("index", "the database's columns do not say what the envelope says")
		}
		if sum(c.body) != e.BodySHA256 {
			add("body", "was changed after it was stored")
		}
		for _, p := range e.Pictures {
			if err := v.picture(p); err != nil {
				add("picture "+p.Name, "%v", err)
			}
		}
		if e.Player != nil {
			v.commitments = append(v.commitments, *e.Player)
		}
	}
	// The next record must continue what this envelope really is.
	v.Head = Head{c.seq, HashEnvelope(c.raw)}
	for _, h := range v.known {
		if h.Seq == c.seq && h.Hash != v.Head.Hash {
			add("head", "is another record than the one that was given out under hash %s", h.Hash)
		}
	}
}

// picture checks each picture once, however many records show it.
func (v *verifier) picture(p Picture) error {
	key := fmt.Sprintf("%s %d", p.SHA256, p.Size)
	err, done := v.pictures[key]
	if !done {
		err = v.store.checkPicture(p)
		v.pictures[key] = err
	}
	return err
}

// verifyPersons checks that what is stored of players opens the commitments
// in the chain. Players who were forgotten have nothing to check.
func (s *Store) verifyPersons(ctx context.Context, v *verifier) error {
	rows, err := s.db.QueryContext(ctx, personColumns+"ORDER BY token")
	if err != nil {
		return s.wrap("verify", s.where, err)
	}
	defer rows.Close()
	for rows.Next() {
		p, err := scanPerson(rows)
		if err != nil {
			return s.wrap("verify", s.where, err)
		}
		changed := Commit(p.Salt, p.Name, p.PlayerID) != p.Commitment ||
			slices.ContainsFunc(v.commitments, func(c Commitment) bool { return c.Token == p.Token && c.Commitment != p.Commitment })
		if changed {
			v.add(Problem{0, p.Token, "player", "name or ID was changed after it was stored"})
		}
	}
	return s.wrap("verify", s.where, rows.Err())
}
