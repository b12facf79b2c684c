// Package shuffle writes what the randomness package found: as shuffle/v1 JSON and as one
// self-contained HTML page.
//
//	randomness.Verdict, SeriesVerdict, Power ──► Document ──► JSON (shuffle/v1, schema beside this file)
//	                                                     └──► HTML (html/template, SVG drawn here, nothing loaded from elsewhere)
package shuffle

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"fairdeck/randomness"
)

// Schema names the JSON contract. Fields may be added within a version; a change of meaning makes a
// new one.
const Schema = "shuffle/v1"

// SchemaJSON is the JSON Schema of the contract.
//
//go:embed shuffle-v1.schema.json
var SchemaJSON []byte

// Kinds of a Document.
const (
	KindScore  = "score"
	KindSeries = "series"
	KindPower  = "power"
)

// Document is what a command says.
type Document struct {
	Schema   string                    `json:"schema"`
	Kind     string                    `json:"kind"`
	Settings Settings                  `json:"settings"`
	Inputs   Inputs                    `json:"inputs"`
	Verdict  *randomness.Verdict       `json:"verdict,omitempty"`
	Series   *randomness.SeriesVerdict `json:"series,omitempty"`
	Power    []randomness.Power        `json:"power,omitempty"`
}

// Settings are the numbers a result depends on; with the inputs they reproduce it.
type Settings struct {
	Seed         uint64  `json:"seed"`
	Draws        int     `json:"draws"`
	Riffles      int     `json:"riffles"` // the honest shuffle of the second null
	Questionable float64 `json:"questionable"`
	Insufficient float64 `json:"insufficient"`
}

// Inputs names what was judged.
type Inputs struct {
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Series  string `json:"series,omitempty"`
	Classes string `json:"classes,omitempty"`
	Deck    string `json:"deck,omitempty"`
}

// WriteJSON writes the document, indented, with a newline at the end.
func (d Document) WriteJSON(w io.Writer) error {
	d.Schema = Schema
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("writing the shuffle document: %w", err)
	}
	return nil
}

// ReadJSON reads a shuffle/v1 document. Unknown fields are passed over, since a later program of
// the same version may have added some.
func ReadJSON(r io.Reader) (Document, error) {
	var d Document
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return Document{}, fmt.Errorf("reading a shuffle document: %w", err)
	}
	if d.Schema != Schema {
		return Document{}, fmt.Errorf("reading a shuffle document: schema %q, want %q", d.Schema, Schema)
	}
	return d, nil
}
