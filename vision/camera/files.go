package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Files is a source of still pictures on disk, in order.
type Files struct {
	// Paths are the pictures found: in the order in which the patterns were
	// given, in natural order (back_2 before back_10) inside a folder or glob.
	Paths []string

	// Problems are patterns and files that cannot be used. They are found
	// before anything is decoded; Each may find more.
	Problems []*Error

	// Notes tell what was left aside.
	Notes []Note
}

// Open lists the pictures of files, folders (not their sub-folders) and
// globs. What cannot be used is in Problems, never an error of the whole; the
// error is ctx's.
func Open(ctx context.Context, patterns ...string) (*Files, error) {
	return open(ctx, MaxPictures, patterns...)
}

// open is Open with another limit.
func open(ctx context.Context, limit int, patterns ...string) (*Files, error) {
	l := lister{files: &Files{}, seen: map[string]string{}}
	for _, p := range patterns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.pattern(p)
	}
	if n := len(l.files.Paths); n > limit {
		l.files.Problems = append(l.files.Problems, &Error{
			Path: l.files.Paths[limit], Problem: TooLarge,
			Text:   fmt.Sprintf("%d pictures were given; from here on they are left out, one check takes %d", n, limit),
			Remedy: "give the pictures of one deck",
		})
		l.files.Paths = l.files.Paths[:limit]
	}
	return l.files, nil
}

type lister struct {
	files *Files
	seen  map[string]string // resolved path to the name it was first given by
}

func (l *lister) problem(e *Error) { l.files.Problems = append(l.files.Problems, e) }

func (l *lister) note(path, format string, args ...any) {
	l.files.Notes = append(l.files.Notes, Note{Path: path, Text: fmt.Sprintf(format, args...)})
}

func (l *lister) pattern(p string) {
	if strings.Contains(p, "://") {
		l.problem(&Error{Path: p, Problem: Unsupported, Text: "this is an address, and pictures are read from files", Remedy: "save the pictures and give their folder"})
		return
	}
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		l.folder(p)
	case err == nil:
		l.file(p, info)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(p, "*?["):
		l.glob(p)
	default:
		l.problem(statError(p, err))
	}
}

func (l *lister) glob(p string) {
	matches, err := filepath.Glob(p)
	if err != nil {
		l.problem(&Error{Path: p, Problem: Missing, Text: "the pattern cannot be understood", Remedy: "use * for any characters and ? for one", Err: err})
		return
	}
	if len(matches) == 0 {
		l.problem(&Error{Path: p, Problem: Missing, Text: "no file matches", Remedy: "check the folder and the pattern"})
		return
	}
	slices.SortFunc(matches, compareNatural)
	for _, m := range matches {
		info, err := os.Stat(m)
		switch {
		case err != nil:
			l.problem(statError(m, err))
		case info.IsDir():
			l.note(m, "a folder among the files of %s: not entered", p)
		default:
			l.file(m, info)
		}
	}
}

func compareNatural(a, b string) int {
	switch {
	case naturalLess(a, b):
		return -1
	case naturalLess(b, a):
		return 1
	}
	return 0
}

// file takes one file that was named or matched.
func (l *lister) file(p string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		l.problem(notAFile(p, info.Mode()))
		return
	}
	resolved, err := filepath.EvalSymlinks(p)
	if err == nil {
		resolved, err = filepath.Abs(resolved)
	}
	if err != nil {
		l.problem(statError(p, err))
		return
	}
	if first, again := l.seen[resolved]; again {
		l.note(p, "given twice (first as %s): used once", first)
		return
	}
	l.seen[resolved] = p
	l.files.Paths = append(l.files.Paths, p)
}

// pictureNames are the endings by which a file says that it is a picture or a
// film. Such a file is never left aside: when it cannot be read, that is a
// problem to show.
var pictureNames = []string{
	".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".tif", ".tiff", ".webp", ".bmp",
	".gif", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".pdf", ".psd",
	".raw", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2",
	".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v",
}

func (l *lister) folder(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		l.problem(statError(dir, err))
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return compareNatural(a.Name(), b.Name()) })
	var aside, folders []string
	taken := 0
	for _, e := range entries {
		name, p := e.Name(), filepath.Join(dir, e.Name())
		named := slices.Contains(pictureNames, strings.ToLower(filepath.Ext(name)))
		hidden := strings.HasPrefix(name, ".")
		info, err := os.Stat(p) // follows links
		switch {
		case err == nil && info.IsDir():
			if !hidden {
				folders = append(folders, name)
			}
		case hidden:
			// Thumbnails and the shadows that file managers leave
			// ("._back_1.jpg") are not what a person put there.
			aside = append(aside, name)
		case err != nil:
			l.problem(statError(p, err))
			taken++
		case named, info.Mode().IsRegular() && isPicture(p):
			l.file(p, info)
			taken++
		default:
			aside = append(aside, name)
		}
	}
	if len(aside) > 0 {
		l.note(dir, "not pictures, left aside: %s", few(aside))
	}
	if len(folders) > 0 {
		l.note(dir, "folders in it are not entered: %s", few(folders))
	}
	if taken == 0 {
		remedy := "give the folder that holds the photos"
		if len(folders) > 0 {
			remedy = fmt.Sprintf("perhaps you mean one of the folders in it: %s", few(folders))
		}
		l.problem(&Error{Path: dir, Problem: NoPictures, Text: "the folder holds no pictures", Remedy: remedy})
	}
}

// few names the first of a list.
func few(names []string) string {
	const show = 5 // enough to recognise the folder by
	if len(names) <= show {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:show], ", "), len(names)-show)
}

// isPicture looks into a regular file that does not say by its name what it
// is.
func isPicture(p string) bool {
	f, err := openRegular(p)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	k := sniff(head[:n])
	return k.format != "" || k.problem == Unsupported
}

func notAFile(p string, mode fs.FileMode) *Error {
	what, remedy := "a special file", "give a picture file or a folder"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return &Error{Path: p, Problem: NotAFile, Text: "this is " + what + ", not a picture file", Remedy: remedy}
}

// statError words the failure to look at or open a path.
func statError(p string, err error) *Error {
	e := &Error{Path: p, Problem: Unreadable, Text: "cannot be read: " + cause(err), Remedy: "check the disk or the card reader", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem, e.Text, e.Remedy = Missing, "no such file or folder", "check the name"
		if link, lerr := os.Readlink(p); lerr == nil {
			e.Text, e.Remedy = "a link to "+link+", which is not there", "copy the picture itself"
		}
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Text, e.Remedy = Denied, "permission denied", "give the user who runs fairdeck the right to read it (chmod a+r)"
	case errors.Is(err, syscall.ELOOP):
		e.Problem, e.Text, e.Remedy = NotAFile, "a link that leads back to itself", "give the picture itself"
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Problem, e.Text, e.Remedy = Missing, "the name is too long for a file", "check the name"
	}
	return e
}

// cause is the innermost message, without the path that the reader sees
// already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
