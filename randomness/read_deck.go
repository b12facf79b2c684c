package randomness

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fairdeck/randomness/battery"
)

// ReadSeries reads several orders of one deck from CSV: each column is an order, the header names
// it, each row is a place. All columns must hold the same cards up to gaps.
func ReadSeries(r io.Reader, name string) (Series, error) {
	data, err := readAll(r, name)
	if err != nil {
		return Series{}, err
	}
	head, rows, lines, err := table(data, name)
	if err != nil {
		return Series{}, err
	}
	var s Series
	for _, col := range head {
		var o Order
		for i, row := range rows {
			text := row[col]
			face, err := cardName(text, name, lines[i])
			if err != nil {
				return Series{}, err
			}
			o.Cards = append(o.Cards, Card{Face: face, Line: lines[i]})
		}
		if o, err = finish(o, name); err != nil {
			return Series{}, err
		}
		o.Name = fmt.Sprintf("%s, column %s", name, col)
		s.Orders = append(s.Orders, o)
	}
	if len(s.Orders) < 2 {
		return Series{}, &ReadError{Name: name, Line: 1, Msg: "one column; a series needs an order before and at least one after"}
	}
	for _, p := range s.Pairs() {
		if err := p.Check(); err != nil {
			return Series{}, err
		}
	}
	return s, nil
}

// ReadClasses reads the classes of faces from CSV with the columns card and class.
func ReadClasses(r io.Reader, name string) (Classes, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	_, rows, lines, err := table(data, name, "card", "class")
	if err != nil {
		return nil, err
	}
	out, at := Classes{}, map[string]int{}
	for i, row := range rows {
		face, err := cardName(row["card"], name, lines[i])
		if err != nil {
			return nil, err
		}
		class, err := cardName(row["class"], name, lines[i])
		if err != nil || face == Gap || class == Gap {
			return nil, &ReadError{Name: name, Line: lines[i], Msg: "each line needs a card and its class"}
		}
		if old, ok := out[face]; ok && old != class {
			return nil, &ReadError{Name: name, Line: lines[i], Msg: fmt.Sprintf("%q is in class %q here and in class %q on line %d", face, class, old, at[face])}
		}
		out[face], at[face] = class, lines[i]
	}
	if len(out) == 0 {
		return nil, &ReadError{Name: name, Msg: "no classes"}
	}
	return out, nil
}

// ReadDeck reads a deck list from text: lines such as "4 Island" or "4x Island", optionally under
// headings in brackets that name the class, as in "[land]". Lines that begin with # and empty lines
// are skipped.
func ReadDeck(r io.Reader, name string) (Deck, error) {
	data, err := readAll(r, name)
	if err != nil {
		return Deck{}, err
	}
	d := Deck{Name: name}
	class := ""
	cards := 0
	classAt := map[string]string{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, maxFile+1)
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			class = strings.TrimSpace(text[1 : len(text)-1])
			continue
		}
		head, rest, ok := strings.Cut(text, " ")
		count, err := strconv.Atoi(strings.TrimSuffix(strings.ToLower(head), "x"))
		if !ok || err != nil || count < 1 {
			return Deck{}, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("%q: want a number and a card, as in \"4 Island\"", text)}
		}
		face, err := cardName(rest, name, line)
		if err != nil {
			return Deck{}, err
		}
		if face == Gap {
			return Deck{}, &ReadError{Name: name, Line: line, Msg: "a deck list has no unread cards"}
		}
		if old, seen := classAt[face]; seen && old != class {
			return Deck{}, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("%q stands in class %q and in class %q", face, old, class)}
		}
		classAt[face] = class
		if cards += count; count > battery.MaxCards || cards > battery.MaxCards {
			return Deck{}, &ReadError{Name: name, Line: line, Msg: fmt.Sprintf("more than %d cards", battery.MaxCards)}
		}
		d.Lines = append(d.Lines, DeckLine{Count: count, Face: face, Class: class, Line: line})
	}
	if err := sc.Err(); err != nil {
		return Deck{}, &ReadError{Name: name, Msg: "reading failed", Err: err}
	}
	if cards == 0 {
		return Deck{}, &ReadError{Name: name, Msg: "no cards"}
	}
	return d, nil
}

// ParseComposition reads a deck's shape such as "4x10+12x1+8": ten faces of four copies, twelve
// single cards, one face of eight. The term before a colon is a class: "land:2x6+3x4,spell:9x4".
func ParseComposition(text string) (Deck, error) {
	d := Deck{Name: text}
	cards := 0
	for _, group := range strings.Split(text, ",") {
		class, terms, named := strings.Cut(group, ":")
		if !named {
			class, terms = "", group
		} else if class = strings.TrimSpace(class); class == "" {
			return Deck{}, fmt.Errorf("composition %q: empty class name", text)
		}
		for _, term := range strings.Split(terms, "+") {
			a, b, times := strings.Cut(strings.TrimSpace(term), "x")
			copies, err := strconv.Atoi(a)
			faces := 1
			if err == nil && times {
				faces, err = strconv.Atoi(b)
			}
			if err != nil || copies < 1 || faces < 1 || copies > battery.MaxCards || faces > battery.MaxCards {
				return Deck{}, fmt.Errorf("composition %q: %q is not a term such as 4x10 (ten faces of four copies)", text, term)
			}
			for range faces {
				if cards += copies; cards > battery.MaxCards {
					return Deck{}, fmt.Errorf("composition %q: more than %d cards", text, battery.MaxCards)
				}
				d.Lines = append(d.Lines, DeckLine{Count: copies, Face: fmt.Sprintf("card %d", len(d.Lines)+1), Class: class})
			}
		}
	}
	return d, nil
}
