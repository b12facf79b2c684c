// Package reference finds the published tables and recordings that the tests of randomness compare with.
package reference

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"fairdeck/internal/testutil"
)

// Path returns the path of a file beside the fixtures, such as Path(t, "stats", "tv_exact.csv"),
// and skips the test when it is not there.
func Path(tb testing.TB, elem ...string) string {
	tb.Helper()
	return testutil.Fixtures(tb, append([]string{".."}, elem...)...)
}

// Row is a line of a table with named columns.
type Row map[string]string

// F reads a column as a number.
func (r Row) F(t testing.TB, col string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[col], 64)
	if err != nil {
		t.Fatalf("column %s: %v", col, err)
	}
	return v
}

// I reads a column as a whole number.
func (r Row) I(t testing.TB, col string) int {
	t.Helper()
	v, err := strconv.Atoi(r[col])
	if err != nil {
		t.Fatalf("column %s: %v", col, err)
	}
	return v
}

// Digits is how many digits a column shows after the point.
func (r Row) Digits(col string) int {
	s := r[col]
	for i := range s {
		if s[i] == '.' {
			return len(s) - i - 1
		}
	}
	return 0
}

// Table reads a CSV file whose first line names the columns; the test is skipped when the file is missing.
func Table(t testing.TB, elem ...string) []Row {
	t.Helper()
	f, err := os.Open(Path(t, elem...))
	if err != nil {
		t.Fatalf("opening the reference table: %v", err)
	}
	defer f.Close()
	recs, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("reading %s: %v", f.Name(), err)
	}
	if len(recs) < 2 {
		t.Fatalf("%s holds no rows", f.Name())
	}
	rows := make([]Row, 0, len(recs)-1)
	for _, rec := range recs[1:] {
		row := Row{}
		for i, name := range recs[0] {
			row[name] = rec[i]
		}
		rows = append(rows, row)
	}
	return rows
}
