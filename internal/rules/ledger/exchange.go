package ledger

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
	"time"

	"fairdeck/internal/plain"
	"fairdeck/internal/rules"
)

// maxEntryBytes bounds one line of an import; an entry has about 500 bytes.
const maxEntryBytes = 1 << 20

// Export writes the entries as JSON, one to a line, oldest first.
func (l *Ledger) Export(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true)
	for _, e := range l.entries {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("ledger export: %w", err)
		}
	}
	return nil
}

// Import reads what Export wrote, strictly: an unknown key, a gap, a reference
// to nothing or anything else that Append would not have taken is an error
// naming the line.
func Import(r io.Reader, tournament string, book *rules.Book) (*Ledger, []Warning, error) {
	var entries []Entry
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEntryBytes)
	for n := 1; lines.Scan(); n++ {
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		var e Entry
		if err := dec.Decode(&e); err != nil {
			return nil, nil, fmt.Errorf("ledger line %d: %w", n, err)
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil, nil, fmt.Errorf("ledger line %d: something follows the entry", n)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("ledger: %w", err)
	}
	return Restore(tournament, book, entries)
}

// columns of ExportCSV; a spreadsheet's users rely on their order.
var columns = []string{"seq", "type", "at", "tournament", "level", "player", "book", "clause", "finding", "penalty", "status", "follows", "decided_by", "role", "evidence", "refers", "reason"}

// ExportCSV writes the entries for a spreadsheet, with a heading. Text from
// outside is made harmless (see package plain). player names a player by
// token; nil leaves the tokens.
func (l *Ledger) ExportCSV(w io.Writer, player func(token string) string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // as RFC 4180 has it
	rows := [][]string{columns}
	for _, e := range l.entries {
		status := ""
		if s, ok := l.State(e.Seq); ok {
			status = string(s.Status)
		}
		name := e.Player
		if player != nil {
			name = player(e.Player)
		}
		number := e.Clause
		if c, ok := l.book.Clause(e.Clause); ok {
			number = c.Number
		}
		rows = append(rows, []string{
			strconv.Itoa(e.Seq), string(e.Type), e.At.Format(time.RFC3339), plain.Cell(e.Tournament), number0(int(e.Level)), plain.Cell(name),
			plain.Cell(e.Book), plain.Cell(number), plain.Cell(string(e.Finding)), plain.Cell(e.Penalty), status, plain.Cell(e.Follows),
			plain.Cell(e.DecidedBy), string(e.Role), plain.Cell(strings.Join(e.Evidence, " ")), number0(e.Refers), plain.Cell(e.Reason),
		})
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("ledger export: %w", err)
	}
	return nil
}

// number0 leaves a cell empty where there is no number.
func number0(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
