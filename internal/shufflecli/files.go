package shufflecli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"fairdeck/randomness"
)

// ErrUsage marks options that do not go together.
var ErrUsage = errors.New("usage")

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUsage, fmt.Sprintf(format, args...))
}

// withFile opens a file, "-" for standard input, and hands it to read under its name.
func withFile[T any](path string, stdin io.Reader, read func(io.Reader, string) (T, error)) (T, error) {
	if path == "-" {
		if stdin == nil {
			stdin = os.Stdin
		}
		return read(stdin, "standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		var zero T
		return zero, err // names the file and the cause
	}
	defer f.Close() // read only: nothing is lost when closing fails
	return read(f, path)
}

// ErrOutput marks a report that could not be written.
var ErrOutput = errors.New("no report")

// writeFile makes a file whole or not at all: it writes beside it and renames.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
			err = cause.Err // its path is the one made up above
		}
		return fmt.Errorf("%w: writing %s: %w", ErrOutput, path, err)
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: writing %s: %w", ErrOutput, path, err), os.Remove(f.Name()))
	}
	return nil
}

// deck reads a deck from a list file or a composition; exactly one must be given.
func deck(list, composition string, stdin io.Reader) (randomness.Deck, error) {
	switch {
	case list != "" && composition != "":
		return randomness.Deck{}, usage("give the deck as a list or as a composition, not both")
	case list != "":
		return withFile(list, stdin, randomness.ReadDeck)
	case composition != "":
		d, err := randomness.ParseComposition(composition)
		if err != nil {
			return d, usage("%v", err)
		}
		return d, nil
	}
	return randomness.Deck{}, usage("which deck? Give a deck list, or a composition such as 4x15 or land:24x1,spell:4x9")
}
