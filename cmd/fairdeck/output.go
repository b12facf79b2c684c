package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"fairdeck/internal/check"
	"fairdeck/internal/evidence"
)

// outDir is the folder that a command writes its results to. Nothing is made
// before there are results, and every file appears whole or not at all.
type outDir struct {
	path string
}

// reportFiles are what inspect writes.
var reportFiles = []string{"check.json", "report.html", tableName, rulingName}

// tableName is what inspect --csv writes.
const tableName = evidence.TableName

// newOutDir checks, before the work begins, that the results may go there.
func newOutDir(path string, sources []string, now time.Time, force bool) (*outDir, error) {
	if path == "" {
		path = defaultOut(sources, now)
		for i := 2; exists(path); i++ {
			path = fmt.Sprintf("%s-%d", defaultOut(sources, now), i)
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := mayWrite(filepath.Dir(path)); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, usagef("--out: %w; give another folder", err)
	case !info.IsDir():
		return nil, usagef("--out %s: this is a file; give a folder", path)
	default:
		for _, name := range reportFiles {
			if !force && exists(filepath.Join(path, name)) {
				return nil, usagef("--out %s: there is a report in it already; give another folder, or --force to overwrite it", path)
			}
		}
		if err := mayWrite(path); err != nil {
			return nil, err
		}
	}
	return &outDir{path: path}, nil
}

// mayWrite says, before minutes of work, that a folder or the nearest one
// above it that exists does not take files.
func mayWrite(dir string) error {
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	const writeAndEnter = 2 | 1 // W_OK and X_OK of access(2)
	if err := syscall.Access(dir, writeAndEnter); err != nil {
		return usagef("--out: %s: %w; give another folder", dir, err)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usagef("--out: %s is a file; give another folder", dir)
	}
	return nil
}

// write makes the files. Each is written beside its place and renamed when
// complete; when one fails, or ctx ends, none is left half done.
func (d *outDir) write(ctx context.Context, files map[string]func(io.Writer) error) (err error) {
	made := !exists(d.path)
	folders := []string{d.path}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
		if in := filepath.Join(d.path, filepath.Dir(name)); !slices.Contains(folders, in) {
			folders = append(folders, in)
		}
	}
	slices.Sort(names)
	for _, in := range folders {
		if err := os.MkdirAll(in, 0o755); err != nil {
			return fmt.Errorf("the report cannot be written: %w; give another folder with --out", err)
		}
	}
	var temps []string
	defer func() {
		if err == nil {
			return
		}
		for _, t := range temps {
			// It may have been renamed already; then it is whole.
			_ = os.Remove(t)
		}
		if made {
			// Removes folders only when they are empty.
			for _, in := range slices.Backward(folders) {
				_ = os.Remove(in)
			}
		}
	}()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := os.CreateTemp(filepath.Join(d.path, filepath.Dir(name)), "."+filepath.Base(name)+"-*")
		if err != nil {
			return fmt.Errorf("the report cannot be written: %w; give another folder with --out", err)
		}
		temps = append(temps, f.Name())
		werr := files[name](f)
		// CreateTemp's files are private; a report is for everyone.
		werr = errors.Join(werr, f.Chmod(0o644), f.Close())
		if werr != nil {
			return fmt.Errorf("the report cannot be written: %s: %w; free some space or give another folder with --out", name, werr)
		}
	}
	// With --force: what an earlier inspection wrote and this one does not
	// would contradict the new report.
	for _, name := range d.earlier() {
		if _, written := files[name]; !written {
			if err := os.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("the report cannot be written: %w", err)
			}
		}
	}
	for i, name := range names {
		if err := os.Rename(temps[i], filepath.Join(d.path, name)); err != nil {
			return fmt.Errorf("the report cannot be written: %w", err)
		}
	}
	return nil
}

// earlier are the files of an inspection that may be there from before.
func (d *outDir) earlier() []string {
	names := slices.Clone(reportFiles)
	entries, err := os.ReadDir(filepath.Join(d.path, check.SightingDir))
	if err != nil {
		return names // none
	}
	for _, e := range entries {
		// Nothing is removed that a person put there.
		if name := check.SightingDir + "/" + e.Name(); sightingName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// sightingName are the names that [check.SightingFile] gives.
var sightingName = regexp.MustCompile(`^` + check.SightingDir + `/\d{3,4}\.png$`)
