package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	pictureDir = "pictures"
	tempPrefix = ".writing-"
	// maxPicture bounds one picture: the largest camera frames stay below 100 MB
	// even uncompressed.
	maxPicture = 1 << 30
	// staleTemp: a picture is written in seconds; what is a day old was left by
	// a crash.
	staleTemp = 24 * time.Hour
)

// picturePath is where a picture lies: by its hash, in 256 folders.
func (s *Store) picturePath(sha string) string {
	return filepath.Join(s.dir, pictureDir, sha[:2], sha)
}

// putPicture writes a picture so that it is on the disk, whole and under its
// hash, before it returns. Writing it again is harmless, and repairs a damaged
// copy.
func (s *Store) putPicture(src Source) (Picture, error) {
	in, err := src.Open()
	if err != nil {
		return Picture{}, fmt.Errorf("picture %q: %w", src.Name, err)
	}
	defer in.Close()
	root := filepath.Join(s.dir, pictureDir)
	tmp, err := os.CreateTemp(root, tempPrefix)
	if err != nil {
		return Picture{}, s.wrap("write a picture in", root, err)
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, h), io.LimitReader(in, maxPicture+1))
	if err == nil && n > maxPicture {
		err = fmt.Errorf("larger than %d bytes, which no picture is", maxPicture)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return Picture{}, s.wrap("write a picture in", root, err)
	}
	p := Picture{Name: src.Name, Type: src.Type, SHA256: hex.EncodeToString(h.Sum(nil)), Size: n}
	if s.checkPicture(p) == nil {
		return p, nil // the same picture is there and whole
	}
	path := s.picturePath(p.SHA256)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Picture{}, s.wrap("write a picture in", root, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return Picture{}, s.wrap("write a picture in", root, err)
	}
	for _, dir := range []string{filepath.Dir(path), root} { // the names must be on the disk too
		if err := syncDir(dir); err != nil {
			return Picture{}, s.wrap("write a picture in", root, err)
		}
	}
	return p, nil
}

// OpenPicture opens a stored picture. Its content is not checked; Verify does.
func (s *Store) OpenPicture(_ context.Context, p Picture) (io.ReadCloser, error) {
	if len(p.SHA256) != 2*sha256.Size || strings.Trim(p.SHA256, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("store: %q is not a picture's hash", p.SHA256)
	}
	f, err := os.Open(s.picturePath(p.SHA256))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &Error{Op: "read picture", Where: s.picturePath(p.SHA256), Kind: ErrPicture, Err: err, Remedy: "restore the pictures folder from a backup"}
		}
		return nil, s.wrap("read picture", s.picturePath(p.SHA256), err)
	}
	return f, nil
}

// checkPicture reports whether the stored picture is there and whole.
func (s *Store) checkPicture(p Picture) error {
	f, err := s.OpenPicture(context.Background(), p)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return s.wrap("read picture", s.picturePath(p.SHA256), err)
	}
	if n != p.Size || hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
		return &Error{Op: "read picture", Where: s.picturePath(p.SHA256), Kind: ErrPicture, Err: errors.New("its content has changed"), Remedy: "restore it from a backup or an evidence file"}
	}
	return nil
}

// sweep removes what a crash left half-written.
func (s *Store) sweep() error {
	root := filepath.Join(s.dir, pictureDir)
	entries, err := os.ReadDir(root)
	if err != nil {
		return s.wrap("open", root, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleTemp {
			// Not being able to remove it is no reason to refuse to work.
			_ = os.Remove(filepath.Join(root, e.Name()))
		}
	}
	return nil
}
