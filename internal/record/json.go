package record

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

//go:embed schema/check-v1.json
var schemaCheckV1 string

// Schema returns the JSON Schema (draft 2020-12) of [Check] as it is written.
func Schema() string { return schemaCheckV1 }

// SchemaError is a file of another schema.
type SchemaError struct{ Schema string }

func (e *SchemaError) Error() string {
	if strings.HasPrefix(e.Schema, "check/") {
		return fmt.Sprintf("this check has schema %q and this fairdeck reads %q; a newer fairdeck may read it", e.Schema, SchemaCheck)
	}
	return fmt.Sprintf("this is not a check: its schema is %q, want %q", e.Schema, SchemaCheck)
}

// Encode writes a check as indented JSON, byte for byte the same for equal
// checks. It fails on numbers that JSON does not know, which are a fault.
func (c *Check) Encode(w io.Writer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	// The text goes to files and pipes, not into a page.
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Decode reads a check. It is strict: a key that is not known, a second
// value, another schema ([*SchemaError]), or a check that contradicts itself
// is an error.
func Decode(r io.Reader) (*Check, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if head.Schema != SchemaCheck {
		return nil, &SchemaError{head.Schema}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	c := new(Check)
	if err := dec.Decode(c); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("record: something follows the check")
	}
	if err := c.sound(); err != nil {
		return nil, fmt.Errorf("record: the check contradicts itself: %w; it was cut or edited, inspect the deck again", err)
	}
	return c, nil
}

// Normalise makes empty lists out of missing ones, so that they are written
// as [] and not as null.
func (c *Check) Normalise() {
	list(&c.Sources)
	if c.Capture != nil {
		list(&c.Capture.Notices)
	}
	list(&c.Sleeves)
	list(&c.Groups)
	list(&c.Problems)
	list(&c.Warnings)
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		list(&s.Flags)
		list(&s.Marks)
		list(&s.NotInspected)
	}
	for i := range c.Groups {
		list(&c.Groups[i].Sleeves)
	}
	for i := range c.Parts {
		list(&c.Parts[i].ComparedWith)
	}
	c.normaliseFaces()
	c.Ruling.normalise()
}

func list[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}
