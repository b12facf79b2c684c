package rules

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed books/*.toml
var builtIn embed.FS

// commonFile holds the remedies and notes that every book may refer to.
const commonFile = "books/common.toml"

// Neutral is the ID of the book for games whose rules fairdeck does not know.
// It suggests no penalties.
const Neutral = "neutral"

// Shelf holds the rule books that can be chosen.
type Shelf struct{ books []*Book }

// Open reads the built-in books and, when folder is not nil, those of an
// organiser: every *.toml in its top level. A book of the folder with the ID
// of a built-in one takes its place; Book.Origin then names the file, and
// whatever shows advice from it shows that.
//
// Every file that cannot be read is an error; a wrong book is never skipped
// silently.
func Open(folder fs.FS) (*Shelf, error) {
	s := &Shelf{}
	inside, err := fs.Glob(builtIn, "books/*.toml")
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	for _, name := range inside {
		if name == commonFile {
			continue
		}
		b, err := readFile(builtIn, name)
		if err != nil {
			return nil, fmt.Errorf("rules: a built-in book: %w", err)
		}
		b.Origin = "built in"
		s.books = append(s.books, b)
	}
	if folder == nil {
		return s, nil
	}
	entries, err := fs.ReadDir(folder, ".") // not Glob, which takes a missing folder for an empty one
	if err != nil {
		return nil, fmt.Errorf("rules: the organiser's folder: %w", err)
	}
	var errs []error
	from := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || path.Ext(name) != ".toml" {
			continue
		}
		b, err := readFile(folder, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, twice := from[b.ID]; twice {
			errs = append(errs, &ReadError{File: name, Err: fmt.Errorf("book %q is also in %s", b.ID, other)})
			continue
		}
		from[b.ID] = name
		s.put(b)
	}
	return s, errors.Join(errs...)
}

func (s *Shelf) put(b *Book) {
	if i := slices.IndexFunc(s.books, func(o *Book) bool { return o.ID == b.ID }); i >= 0 {
		s.books[i] = b
		return
	}
	s.books = append(s.books, b)
}

// Book returns the book with this ID, or an error that lists those there are.
func (s *Shelf) Book(id string) (*Book, error) {
	if b, ok := find(s.books, func(b *Book) bool { return b.ID == id }); ok {
		return b, nil
	}
	return nil, fmt.Errorf("no rule book %q; there are %s", id, strings.Join(s.IDs(), ", "))
}

// Books lists the books, sorted by ID.
func (s *Shelf) Books() []*Book {
	list := slices.Clone(s.books)
	slices.SortFunc(list, func(a, b *Book) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// IDs lists the IDs of the books, sorted.
func (s *Shelf) IDs() []string {
	var ids []string
	for _, b := range s.Books() {
		ids = append(ids, b.ID)
	}
	return ids
}

func readFile(from fs.FS, name string) (*Book, error) {
	// A pipe or a device would be waited for, or read, for ever.
	info, err := fs.Stat(from, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a file; remove it or give another folder")
	}
	if err != nil {
		return nil, fmt.Errorf("rule book %s: %w", path.Base(name), err)
	}
	f, err := from.Open(name)
	if err != nil {
		return nil, fmt.Errorf("rule book %s: %w", path.Base(name), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBookBytes+1)) // Read refuses the one byte too many
	if err != nil {
		return nil, fmt.Errorf("rule book %s: %w", path.Base(name), err)
	}
	return Read(path.Base(name), data)
}

// common is the content of commonFile.
type common struct {
	Remedies []Remedy `toml:"remedies"`
	Notes    []Note   `toml:"notes"`
}

func commonTexts() (common, error) {
	var c common
	data, err := builtIn.ReadFile(commonFile)
	if err != nil {
		return c, fmt.Errorf("rules: %w", err)
	}
	if err := decodeStrict(data, &c); err != nil {
		return c, fileError(path.Base(commonFile), err)
	}
	return c, nil
}

// addCommon adds the common texts that the book does not word itself.
func (b *Book) addCommon(c common) {
	for _, r := range c.Remedies {
		if _, own := find(b.Remedies, func(o Remedy) bool { return o.ID == r.ID }); !own {
			b.Remedies = append(b.Remedies, r)
		}
	}
	for _, n := range c.Notes {
		if _, own := find(b.Notes, func(o Note) bool { return o.ID == n.ID }); !own {
			b.Notes = append(b.Notes, n)
		}
	}
}
