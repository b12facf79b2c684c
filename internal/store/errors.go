package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What can go wrong, for callers that must tell it apart.
var (
	ErrNotFound    = errors.New("not in the store")
	ErrExists      = errors.New("already in the store")
	ErrLocked      = errors.New("the database is in use")
	ErrFull        = errors.New("the disk is full")
	ErrReadOnly    = errors.New("the store cannot be written")
	ErrCorrupt     = errors.New("the database is damaged")
	ErrUnavailable = errors.New("the database cannot be reached")
	ErrNewer       = errors.New("the store was written by a newer fairdeck")
	ErrPersonal    = errors.New("the body holds the player's name or ID")
	ErrPicture     = errors.New("a stored picture is missing or damaged")
)

// Error says what failed, where, and what to do about it. errors.Is finds
// both the kind above and the cause.
type Error struct {
	Op     string // "open", "append", ...
	Where  string // file, folder or server (without password)
	Kind   error  // one of the errors above; nil when it is none of them
	Remedy string
	Err    error
}

func (e *Error) Error() string {
	s := "store: " + e.Op
	if e.Where != "" {
		s += " " + e.Where
	}
	if e.Kind != nil {
		s += ": " + e.Kind.Error()
	}
	if e.Err != nil {
		// Drivers write over several lines.
		s += " (" + strings.Join(strings.Fields(e.Err.Error()), " ") + ")"
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

func (e *Error) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// remedies by kind, in the imperative, for the person at the station.
var remedies = map[error]string{
	ErrLocked:      "close the other program that uses it, then try again; nothing was lost",
	ErrFull:        "free some space or choose another folder, then store it again; what was stored before is safe",
	ErrReadOnly:    "check the folder's permissions or choose another folder",
	ErrCorrupt:     "keep a copy of the file as it is and restore a backup; evidence files that were exported stay valid",
	ErrUnavailable: "check the address, the network and that the server runs",
	ErrNewer:       "use that release, or another folder",
}

// wrap turns an error of a driver or the file system into an *Error.
func (s *Store) wrap(op, where string, err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	kind := classify(err)
	return &Error{Op: op, Where: where, Kind: kind, Remedy: remedies[kind], Err: err}
}

func classify(err error) error {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff { // the rest tells variants of the same
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return ErrLocked
		case sqlite3.SQLITE_FULL:
			return ErrFull
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			return ErrReadOnly
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return ErrCorrupt
		}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch { // classes of SQLSTATE, PostgreSQL 15 manual, appendix A
		case pg.Code == "53100":
			return ErrFull
		case pg.Code == "25006" || pg.Code == "42501":
			return ErrReadOnly
		case pg.Code == "55P03" || pg.Code == "40P01":
			return ErrLocked
		case len(pg.Code) == 5 && (pg.Code[:2] == "08" || pg.Code[:2] == "57" || pg.Code[:2] == "28" || pg.Code[:2] == "3D"):
			return ErrUnavailable
		case len(pg.Code) == 5 && pg.Code[:2] == "XX":
			return ErrCorrupt
		}
	}
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &connect):
		return ErrUnavailable
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return ErrReadOnly
	case errors.Is(err, context.DeadlineExceeded):
		return ErrLocked
	}
	return nil
}
