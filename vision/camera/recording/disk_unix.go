//go:build unix

package recording

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// syncDir makes the names in a folder survive a power cut.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}

// freeBytes is what the user may still write to the disk of a folder, or of
// the nearest one above it that exists.
func freeBytes(path string) (int64, bool) {
	var s unix.Statfs_t
	for {
		_, err := os.Stat(path)
		if up := filepath.Dir(path); err == nil || up == path {
			break
		} else {
			path = up
		}
	}
	if err := unix.Statfs(path, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
