package decklist

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Read reads a list in the form that the file's name ends in: .csv, .ydk, or
// text for any other.
func Read(r io.Reader, file string) (*List, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the deck list: %w", file, err)
	}
	p := &parser{list: &List{File: file}, part: Main}
	switch {
	case len(data) > MaxBytes:
		return nil, p.fail(0, "larger than %d bytes: this is no deck list", MaxBytes)
	case !utf8.Valid(data):
		return nil, p.fail(0, "not UTF-8 text; save the list as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // of spreadsheets
	switch name := strings.ToLower(file); {
	case strings.HasSuffix(name, ".csv"):
		err = p.csv(data)
	case strings.HasSuffix(name, ".ydk"):
		err = p.ydk(data)
	default:
		err = p.text(data)
	}
	if err != nil {
		return nil, err
	}
	if len(p.list.Lines) == 0 {
		return nil, p.fail(0, "no cards; a line is a number and a name, as in \"4 Island\"")
	}
	return p.list, nil
}

type parser struct {
	list        *List
	class, part string
	cards       int
}

func (p *parser) fail(line int, format string, args ...any) error {
	return &Error{p.list.File, line, fmt.Sprintf(format, args...)}
}

// add puts count cards into the list; the same card again adds up.
func (p *parser) add(line, count int, name, class, part string) error {
	name, class = strings.TrimSpace(name), strings.TrimSpace(class)
	for what, s := range map[string]string{"name": name, "class": class} {
		switch {
		case what == "name" && (s == "" || s == "?"):
			return p.fail(line, "no card name")
		case len(s) > MaxName:
			return p.fail(line, "%s longer than %d bytes", what, MaxName)
		case strings.ContainsFunc(s, unprintable):
			return p.fail(line, "%s %q holds control characters", what, s)
		}
	}
	if count < 1 || count > MaxCards {
		return p.fail(line, "%d copies: want 1 to %d", count, MaxCards)
	}
	if p.cards += count; p.cards > MaxCards {
		return p.fail(line, "more than %d cards: this is no deck list", MaxCards)
	}
	for i := range p.list.Lines {
		x := &p.list.Lines[i]
		if x.Name != name {
			continue
		}
		if x.Class != "" && class != "" && x.Class != class {
			return p.fail(line, "%q is in class %q here and in class %q on line %d", name, class, x.Class, x.At)
		}
		if x.Part == part {
			x.Count += count
			if x.Class == "" {
				x.Class = class
			}
			return nil
		}
	}
	p.list.Lines = append(p.list.Lines, Line{Count: count, Name: name, Class: class, Part: part, At: line})
	return nil
}

// unprintable characters move a terminal's cursor, or turn the text around
// them.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// partNamed is the part that a heading names.
func partNamed(s string) (string, bool) {
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), ":#!/-=() "))
	for part, names := range map[string][]string{
		Main:  {"main", "deck", "main deck", "maindeck", "主卡组", "主牌组", "主牌", "メインデッキ", "メイン"},
		Side:  {"side", "sideboard", "side deck", "sidedeck", "副卡组", "備牌", "备牌", "サイドデッキ", "サイド"},
		Extra: {"extra", "extra deck", "extradeck", "额外卡组", "額外牌組", "エクストラデッキ", "エクストラ"},
	} {
		if slices.Contains(names, s) {
			return part, true
		}
	}
	return "", false
}

// text reads lines such as "4 Island" or "4x Island".
func (p *parser) text(data []byte) error {
	line := 0
	for raw := range strings.Lines(string(data)) {
		line++
		s := strings.TrimSpace(raw)
		part, isPart := partNamed(s)
		switch {
		case s == "":
			continue
		case isPart:
			p.part, p.class = part, ""
			continue
		case strings.HasPrefix(s, "#"), strings.HasPrefix(s, "//"):
			continue
		case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
			inside := s[1 : len(s)-1]
			if part, ok := partNamed(inside); ok {
				p.part, p.class = part, ""
			} else {
				p.class = strings.TrimSpace(inside)
			}
			continue
		}
		part = p.part
		if rest, ok := strings.CutPrefix(s, "SB:"); ok { // as some programs write side cards
			s, part = strings.TrimSpace(rest), Side
		}
		head, name, ok := strings.Cut(s, " ")
		count, err := strconv.Atoi(strings.TrimRight(head, "xX×"))
		if !ok || err != nil {
			return p.fail(line, "%q: want a number and a card, as in \"4 Island\", or a heading such as \"Sideboard\" or \"[land]\"", shown(s))
		}
		if err := p.add(line, count, name, p.class, part); err != nil {
			return err
		}
	}
	return nil
}

// shown shortens what a message quotes.
func shown(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// ydk reads the files of duel programs: a number of eight digits a line, under
// #main, #extra and !side.
func (p *parser) ydk(data []byte) error {
	line := 0
	for raw := range strings.Lines(string(data)) {
		line++
		s := strings.TrimSpace(raw)
		if part, ok := partNamed(s); ok && (s[0] == '#' || s[0] == '!') {
			p.part = part
			continue
		}
		if s == "" || s[0] == '#' || s[0] == '!' {
			continue
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) || len(s) > 12 {
			return p.fail(line, "%q: want a card's number, as YDK files hold", shown(s))
		}
		if err := p.add(line, 1, s, "", p.part); err != nil {
			return err
		}
	}
	return nil
}

// columnNamed is which column of ours a table's heading means; "": none.
func columnNamed(h string) string {
	switch strings.ToLower(strings.TrimSpace(h)) {
	case "card", "name", "card name":
		return "card"
	case "count", "copies", "quantity", "qty", "number":
		return "count"
	case "class", "type":
		return "class"
	case "part", "zone", "section", "board":
		return "part"
	}
	return ""
}

// csv reads a table with a header: card, and if there are such columns count,
// class and part. Without counts each row is one card.
func (p *parser) csv(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	at := map[string]int{}
	width := 0
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			var pe *csv.ParseError
			if errors.As(err, &pe) {
				return p.fail(pe.Line, "not valid CSV: %v", pe.Err)
			}
			return p.fail(0, "not valid CSV: %v", err)
		}
		line, _ := r.FieldPos(0)
		if width == 0 {
			if width = len(row); width > 50 {
				return p.fail(line, "%d columns: this is no deck list", width)
			}
			for i, h := range row {
				name := columnNamed(h)
				if name == "" {
					continue // set, price and what else tables hold
				}
				if _, twice := at[name]; twice {
					return p.fail(line, "two columns for the %s", name)
				}
				at[name] = i
			}
			if _, ok := at["card"]; !ok {
				return p.fail(line, "no column named card")
			}
			continue
		}
		if len(row) != width {
			return p.fail(line, "%d fields, the header has %d", len(row), width)
		}
		field := func(name string) string {
			if i, ok := at[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		count := 1
		if s := field("count"); s != "" {
			if count, err = strconv.Atoi(s); err != nil {
				return p.fail(line, "%q is not a number of copies", shown(s))
			}
		}
		part := Main
		if s := field("part"); s != "" {
			var ok bool
			if part, ok = partNamed(s); !ok {
				return p.fail(line, "part %q: want main, side or extra", shown(s))
			}
		}
		if err := p.add(line, count, field("card"), field("class"), part); err != nil {
			return err
		}
	}
}
