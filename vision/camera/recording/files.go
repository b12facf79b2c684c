package recording

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// disk is what a Writer needs of a file system; tests put one in its place
// that loses power.
type disk interface {
	// make makes the recording's folder, which is not there yet, for its owner
	// alone.
	make() error
	// create opens a new file in the folder for writing.
	create(name string) (file, error)
	// rename gives a file in the folder its final name.
	rename(from, to string) error
	// sync makes the names in the folder survive a power cut.
	sync() error
	// free is how many bytes may still be written; ok is false where that is
	// not known.
	free() (bytes int64, ok bool)
}

type file interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// folder is the disk itself.
type folder string

func (d folder) make() error {
	parent := filepath.Dir(string(d))
	// 0700: what lies on a table with a player at it is nobody else's
	// business on a shared computer.
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	err := os.Mkdir(string(d), 0o700)
	if errors.Is(err, os.ErrExist) {
		// An empty folder that somebody made for the purpose will do.
		entries, rerr := os.ReadDir(string(d))
		if rerr != nil || len(entries) > 0 {
			return err
		}
		return os.Chmod(string(d), 0o700)
	}
	if err != nil {
		return err
	}
	return syncDir(parent)
}

func (d folder) create(name string) (file, error) {
	return os.OpenFile(filepath.Join(string(d), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d folder) rename(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

func (d folder) sync() error { return syncDir(string(d)) }

func (d folder) free() (int64, bool) { return freeBytes(string(d)) }
