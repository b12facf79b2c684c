package randomness

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairdeck/randomness/battery"
)

// Limits of what a reader accepts; a file beyond them is no deck.
const (
	maxFile = 1 << 20 // bytes
	maxName = 200     // bytes of a card name
)

// readAll reads a file within the limit and refuses text that is not UTF-8.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, &ReadError{Name: name, Msg: "reading failed", Err: err}
	}
	if len(data) > maxFile {
		return nil, &ReadError{Name: name, Msg: fmt.Sprintf("larger than %d bytes: this is no deck", maxFile)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // spreadsheets like to write a byte order mark
	if !utf8.Valid(data) {
		return nil, &ReadError{Name: name, Msg: "not UTF-8 text; save the file as UTF-8"}
	}
	return data, nil
}

// cardName checks a name and turns "?" into a gap.
func cardName(s, name string, line int) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", &ReadError{Name: name, Line: line, Msg: "empty card name; write ? for a card that was not read"}
	case len(s) > maxName:
		return "", &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("card name longer than %d bytes", maxName)}
	case strings.ContainsFunc(s, unprintable):
		return "", &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("card name %q holds control characters", s)}
	case s == "?":
		return Gap, nil
	}
	return s, nil
}

// unprintable characters move the cursor of a terminal, or turn the text around them.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

func finish(o Order, name string) (Order, error) {
	if len(o.Cards) == 0 {
		return Order{}, &ReadError{Name: name, Msg: "no cards"}
	}
	if len(o.Cards) > battery.MaxCards {
		return Order{}, &ReadError{Name: name, Line: o.Cards[battery.MaxCards].Line, Msg: fmt.Sprintf("%d cards; at most %d can be scored", len(o.Cards), battery.MaxCards)}
	}
	o.Name = name
	return o, nil
}

// ReadText reads an order from plain text, one card per line, top first. "?" is a card that was not
// read; lines that begin with # are comments; empty lines are allowed only at the end. name is used
// in messages.
func ReadText(r io.Reader, name string) (Order, error) {
	data, err := readAll(r, name)
	if err != nil {
		return Order{}, err
	}
	var o Order
	blank := 0
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, maxFile+1)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if strings.HasPrefix(text, "#") {
			continue
		}
		if text == "" {
			if blank == 0 {
				blank = line
			}
			continue
		}
		if blank > 0 {
			return Order{}, &ReadError{Name: name, Line: blank, Msg: "empty line inside the deck; write ? for a card that was not read"}
		}
		face, err := cardName(text, name, line)
		if err != nil {
			return Order{}, err
		}
		o.Cards = append(o.Cards, Card{Face: face, Line: line})
	}
	if err := sc.Err(); err != nil {
		return Order{}, &ReadError{Name: name, Msg: "reading failed", Err: err}
	}
	return finish(o, name)
}

// table reads a CSV file with a header of known columns, of any where none are named. It returns
// the columns, and the rows with their lines.
func table(data []byte, name string, known ...string) (head []string, rows []map[string]string, lines []int, err error) {
	cr := csv.NewReader(bytes.NewReader(data))
	cr.FieldsPerRecord = -1
	for {
		rec, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var pe *csv.ParseError
			if errors.As(err, &pe) {
				return nil, nil, nil, &ReadError{Name: name, Line: pe.Line, Msg: "not valid CSV", Err: pe.Err}
			}
			return nil, nil, nil, &ReadError{Name: name, Msg: "not valid CSV", Err: err}
		}
		line, _ := cr.FieldPos(0)
		if head == nil {
			seen := map[string]bool{}
			for _, h := range rec {
				h = strings.ToLower(strings.TrimSpace(h))
				ok := len(known) == 0
				for _, k := range known {
					ok = ok || h == k
				}
				if !ok {
					return nil, nil, nil, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("unknown column %q; the columns are %s", h, strings.Join(known, ", "))}
				}
				if seen[h] {
					return nil, nil, nil, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("column %q twice", h)}
				}
				seen[h] = true
				head = append(head, h)
			}
			continue
		}
		if len(rec) != len(head) {
			return nil, nil, nil, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("%d fields, the header has %d", len(rec), len(head))}
		}
		row := make(map[string]string, len(head))
		for i, h := range head {
			row[h] = rec[i]
		}
		rows, lines = append(rows, row), append(lines, line)
	}
	if head == nil {
		return nil, nil, nil, &ReadError{Name: name, Msg: "empty file; the first line names the columns"}
	}
	return head, rows, lines, nil
}

// ReadCSV reads an order from CSV with the columns card (needed), place (1 for the top, must count
// up) and confidence (0 to 1).
func ReadCSV(r io.Reader, name string) (Order, error) {
	data, err := readAll(r, name)
	if err != nil {
		return Order{}, err
	}
	_, rows, lines, err := table(data, name, "place", "card", "confidence")
	if err != nil {
		return Order{}, err
	}
	var o Order
	for i, row := range rows {
		text, ok := row["card"]
		if !ok {
			return Order{}, &ReadError{Name: name, Line: 1, Msg: "no column named card"}
		}
		face, err := cardName(text, name, lines[i])
		if err != nil {
			return Order{}, err
		}
		if p, ok := row["place"]; ok {
			if v, err := strconv.Atoi(strings.TrimSpace(p)); err != nil || v != i+1 {
				return Order{}, &ReadError{Name: name, Line: lines[i], Msg: fmt.Sprintf("place %q where %d must follow", p, i+1)}
			}
		}
		conf := 0.0
		if c, ok := row["confidence"]; ok && strings.TrimSpace(c) != "" {
			v, err := strconv.ParseFloat(strings.TrimSpace(c), 64)
			if err != nil || !(v >= 0 && v <= 1) {
				return Order{}, &ReadError{Name: name, Line: lines[i], Msg: fmt.Sprintf("confidence %q is not a number from 0 to 1", c)}
			}
			if conf = v; v == 0 {
				face = Gap
			}
		}
		o.Cards = append(o.Cards, Card{Face: face, Confidence: conf, Line: lines[i]})
	}
	return finish(o, name)
}

// OrderSchema names the JSON form of an order.
const OrderSchema = "order/v1"

type orderJSON struct {
	Schema string     `json:"schema"`
	Cards  []cardJSON `json:"cards"`
}

type cardJSON struct {
	Face       *string  `json:"face"` // null for a card that was not read
	Confidence *float64 `json:"confidence,omitempty"`
}

// ReadJSON reads an order/v1 document:
//
//	{"schema": "order/v1", "cards": [{"face": "Island", "confidence": 0.98}, {"face": null}]}
//
// Unknown keys, another schema and text after the document are errors.
func ReadJSON(r io.Reader, name string) (Order, error) {
	data, err := readAll(r, name)
	if err != nil {
		return Order{}, err
	}
	var doc orderJSON
	if err := strictJSON(data, name, &doc); err != nil {
		return Order{}, err
	}
	if doc.Schema != OrderSchema {
		return Order{}, &ReadError{Name: name, Msg: fmt.Sprintf("schema %q, want %q", doc.Schema, OrderSchema)}
	}
	var o Order
	for i, c := range doc.Cards {
		card := Card{}
		if c.Face != nil {
			if card.Face, err = cardName(*c.Face, name, 0); err != nil {
				return Order{}, fmt.Errorf("card %d: %w", i+1, err)
			}
		}
		if c.Confidence != nil {
			if card.Confidence = *c.Confidence; !(card.Confidence >= 0 && card.Confidence <= 1) {
				return Order{}, &ReadError{Name: name, Msg: fmt.Sprintf("card %d: confidence %v is not from 0 to 1", i+1, card.Confidence)}
			}
			if card.Confidence == 0 {
				card.Face = Gap
			}
		}
		o.Cards = append(o.Cards, card)
	}
	return finish(o, name)
}

// strictJSON decodes one document and nothing else; faults carry their line.
func strictJSON(data []byte, name string, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		at := dec.InputOffset()
		var se *json.SyntaxError
		var te *json.UnmarshalTypeError
		if errors.As(err, &se) {
			at = se.Offset
		} else if errors.As(err, &te) {
			at = te.Offset
		}
		line := 1 + bytes.Count(data[:min(int(at), len(data))], []byte("\n"))
		return &ReadError{Name: name, Line: line, Msg: "not the JSON that is wanted", Err: err}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &ReadError{Name: name, Line: 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n")), Msg: "text after the end of the document"}
	}
	return nil
}

// ReadOrder reads an order in the format that the name's ending says: .csv, .json, or text for
// anything else.
func ReadOrder(r io.Reader, name string) (Order, error) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".csv"):
		return ReadCSV(r, name)
	case strings.HasSuffix(lower, ".json"):
		return ReadJSON(r, name)
	}
	return ReadText(r, name)
}
