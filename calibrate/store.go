package calibrate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNoProfile is returned where no profile is stored.
var ErrNoProfile = errors.New("no profile")

// DefaultPath is where the profile of this computer's station lives:
// fairdeck/profile.json in the user's folder for settings.
func DefaultPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("profile: no folder for settings: %w; give a file with --profile", err)
	}
	return filepath.Join(dir, "fairdeck", "profile.json"), nil
}

// Load reads a profile from a file, with the checksum of its bytes. A file
// that is not there is [ErrNoProfile].
func Load(path string) (p *Profile, sum string, err error) {
	// Without waiting: a pipe in its place would hang beyond Ctrl-C.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("%s: %w; make one with fairdeck calibrate", path, ErrNoProfile)
	case err != nil:
		return nil, "", fmt.Errorf("profile: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "", errors.Join(err, fmt.Errorf("profile: %s is not a file; give the file that fairdeck calibrate made", path))
	}
	h := sha256.New()
	var b bytes.Buffer
	if _, err := b.ReadFrom(&limited{f, maxProfileBytes + 1}); err != nil {
		return nil, "", fmt.Errorf("profile: %s: %w", path, err)
	}
	h.Write(b.Bytes())
	if p, err = Read(&b); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return p, hex.EncodeToString(h.Sum(nil)), nil
}

// limited stops reading after n bytes; Read then refuses what is too long.
type limited struct {
	f *os.File
	n int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n <= 0 {
		return 0, fmt.Errorf("larger than %d bytes, which no profile is", maxProfileBytes)
	}
	n, err := l.f.Read(p[:min(int64(len(p)), l.n)])
	l.n -= int64(n)
	return n, err
}

// backup is where the previous profile is kept.
func backup(path string) string { return path + ".bak" }

// Save writes the profile to a file that appears whole or not at all; what was
// there before is kept beside it as .bak, for [Undo].
func (p *Profile) Save(path string) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := replace(backup(path), before); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the profile cannot be written: %w", err)
	}
	return replace(path, b.Bytes())
}

// Undo swaps the profile with the one before it, so that a second Undo brings
// it back. It fails with [ErrNoProfile] when there is none before.
func Undo(path string) error {
	before, err := os.ReadFile(backup(path))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w before this one", path, ErrNoProfile)
	}
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if _, err := Read(bytes.NewReader(before)); err != nil {
		return fmt.Errorf("%s: %w", backup(path), err)
	}
	now, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("profile: %w", err)
	}
	if err := replace(path, before); err != nil {
		return err
	}
	if now == nil {
		return nil
	}
	return replace(backup(path), now)
}

// replace writes a profile's file.
func replace(path string, data []byte) error {
	if err := WriteWhole(path, data); err != nil {
		return fmt.Errorf("the profile cannot be written: %w; free some space or give another file with --profile", err)
	}
	return nil
}

// WriteWhole writes a file that appears whole or not at all: beside its place,
// to the disk, then renamed. The folder is made where it is missing.
func WriteWhole(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, werr := f.Write(data)
	// CreateTemp's files are private; these are for everyone at the station.
	if err := errors.Join(werr, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
