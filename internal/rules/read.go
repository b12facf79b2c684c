package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxBookBytes bounds what Read takes in; the largest built-in book has about
// 40 kB.
const maxBookBytes = 1 << 20

// ReadError is what is wrong with a rule book file.
type ReadError struct {
	File string
	Line int    // 0: the file as a whole
	Item string // what it is about, such as "mapping mark.pattern"; may be empty
	Err  error
}

func (e *ReadError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Item != "" {
		b.WriteString(e.Item)
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

func (e *ReadError) Unwrap() error { return e.Err }

// Read reads a rule book strictly: an unknown key is an error with its line,
// and so is anything Book's checks find. File is the name for messages.
//
// All errors are *ReadError, joined when there are several.
func Read(file string, data []byte) (*Book, error) {
	if len(data) > maxBookBytes {
		return nil, &ReadError{File: file, Err: fmt.Errorf("larger than %d bytes, which no rule book is", maxBookBytes)}
	}
	var b Book
	if err := decodeStrict(data, &b); err != nil {
		return nil, fileError(file, err)
	}
	sum := sha256.Sum256(data)
	b.SHA256 = hex.EncodeToString(sum[:])
	b.Origin = file
	common, err := commonTexts()
	if err != nil {
		return nil, err
	}
	b.addCommon(common)
	if problems := b.check(); len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = &ReadError{File: file, Line: lineOf(data, p.near), Item: p.item, Err: errors.New(p.text)}
		}
		return nil, errors.Join(errs...)
	}
	return &b, nil
}

func decodeStrict(data []byte, into any) error {
	return toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
}

// fileError gives a TOML error its file and line.
func fileError(file string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		var errs []error
		for i := range strict.Errors {
			row, _ := strict.Errors[i].Position()
			errs = append(errs, &ReadError{File: file, Line: row, Err: fmt.Errorf("unknown key %q", strings.Join(strict.Errors[i].Key(), "."))})
		}
		return errors.Join(errs...)
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		return &ReadError{File: file, Line: row, Err: err}
	}
	return &ReadError{File: file, Err: err}
}

// lineOf finds the line on which something of a decoded book stands, for
// messages about what the book says: the line that gives it as an ID, or else
// the only one that has it in quotes. 0 when that does not tell.
func lineOf(data []byte, word string) int {
	if word == "" {
		return 0
	}
	for _, text := range []string{"id = \"" + word + "\"", "\"" + word + "\""} {
		if bytes.Count(data, []byte(text)) == 1 {
			return 1 + bytes.Count(data[:bytes.Index(data, []byte(text))], []byte("\n"))
		}
	}
	return 0
}
