package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed migrations
var migrations embed.FS

// databaseFile is the SQLite file's name in the store's folder.
const databaseFile = "fairdeck.db"

// Options say where a store is. The zero value is a SQLite database in the
// user's data folder.
type Options struct {
	// Dir is the folder of pictures and of the SQLite file; it is made when it
	// is not there. Default: DefaultDir.
	Dir string
	// URL of a PostgreSQL database ("postgres://user@host/name"); empty:
	// SQLite in Dir.
	URL string
	// Busy is how long to wait for another program that is writing; default 5 s.
	Busy time.Duration
}

// Store is an open store. It is safe for concurrent use, and several
// processes may have the same store open.
type Store struct {
	db       *sql.DB
	dir      string
	where    string // for messages
	postgres bool
}

// DefaultDir is fairdeck's folder among the user's data: $XDG_DATA_HOME or
// ~/.local/share on Unix, Application Support on macOS, %LocalAppData% on
// Windows.
func DefaultDir() (string, error) {
	home, err := os.UserHomeDir()
	switch {
	case os.Getenv("XDG_DATA_HOME") != "":
		return filepath.Join(os.Getenv("XDG_DATA_HOME"), "fairdeck"), nil
	case runtime.GOOS == "windows" && os.Getenv("LocalAppData") != "":
		return filepath.Join(os.Getenv("LocalAppData"), "fairdeck"), nil
	case err != nil:
		return "", fmt.Errorf("store: no home folder to keep data in: %w", err)
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "fairdeck"), nil
	}
	return filepath.Join(home, ".local", "share", "fairdeck"), nil
}

// Open opens a store and brings it to this release's form. Errors are *Error.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Busy == 0 {
		o.Busy = 5 * time.Second
	}
	if o.Dir == "" {
		dir, err := DefaultDir()
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	s := &Store{dir: o.Dir, postgres: o.URL != ""}
	// 0700: names of players are nobody else's business on a shared computer.
	if err := os.MkdirAll(filepath.Join(o.Dir, pictureDir), 0o700); err != nil {
		return nil, s.wrap("open", o.Dir, err)
	}
	open := s.openSQLite
	if s.postgres {
		open = s.openPostgres
	}
	if err := open(o); err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(s.wrap("open", s.where, err), s.db.Close())
	}
	if err := s.sweep(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.wrap("close", s.where, s.db.Close()) }

func (s *Store) openSQLite(o Options) error {
	s.where = filepath.Join(o.Dir, databaseFile)
	path, err := filepath.Abs(s.where)
	if err != nil {
		return s.wrap("open", s.where, err)
	}
	q := url.Values{}
	for _, pragma := range []string{
		"busy_timeout(" + strconv.FormatInt(o.Busy.Milliseconds(), 10) + ")",
		"journal_mode(WAL)",
		"synchronous(FULL)", // a commit is on the disk before it is acknowledged
		"secure_delete(ON)", // forgotten names are overwritten, not just unlinked
		"foreign_keys(ON)",
	} {
		q.Add("_pragma", pragma)
	}
	q.Set("_txlock", "immediate") // a transaction that will write takes its lock at once
	dsn := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + q.Encode()
	if s.db, err = sql.Open("sqlite", dsn); err != nil {
		return s.wrap("open", s.where, err)
	}
	s.db.SetMaxOpenConns(4) // readers beside one writer
	return nil
}

func (s *Store) openPostgres(o Options) error {
	cfg, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// pgx's error may quote the URL with its password.
		return &Error{Op: "open", Where: "PostgreSQL", Kind: ErrUnavailable, Remedy: "give an address such as postgres://user@host/name", Err: errors.New("the address cannot be read")}
	}
	s.where = "PostgreSQL " + cfg.Host + "/" + cfg.Database
	cfg.RuntimeParams["synchronous_commit"] = "on"
	cfg.RuntimeParams["lock_timeout"] = strconv.FormatInt(o.Busy.Milliseconds(), 10)
	cfg.RuntimeParams["application_name"] = "fairdeck"
	s.db = stdlib.OpenDB(*cfg)
	s.db.SetMaxOpenConns(4)
	return nil
}

// migrate brings the database to this release's form. A database of a newer
// release is refused and not touched.
func (s *Store) migrate(ctx context.Context) error {
	dialect, folder := goose.DialectSQLite3, "migrations/sqlite"
	opts := []goose.ProviderOption{goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true)}
	if s.postgres {
		dialect, folder = goose.DialectPostgres, "migrations/postgres"
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return err
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, s.db, files, opts...)
	if err != nil {
		return err
	}
	// Two stations may open a new SQLite store at the same moment; the second
	// then fails on a table that the first has just made, and succeeds when it
	// looks again.
	const attempts = 5
	for i := 0; ; i++ {
		current, target, err := provider.GetVersions(ctx)
		if err == nil && current > target {
			return &Error{Op: "open", Where: s.where, Kind: ErrNewer, Remedy: remedies[ErrNewer], Err: fmt.Errorf("form %d, this release knows %d", current, target)}
		}
		if err == nil && current < target {
			_, err = provider.Up(ctx)
		}
		if err == nil {
			return nil
		}
		if kind := classify(err); kind != nil || s.postgres || i == attempts || ctx.Err() != nil {
			return err
		}
	}
}

// q writes a statement for the database at hand: ?1 becomes $1.
func (s *Store) q(statement string) string {
	if s.postgres {
		return strings.ReplaceAll(statement, "?", "$")
	}
	return statement
}
