// Package reference finds the published tables and recordings that the tests of randomness compare with.
package reference

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Skipper is the part of testing.TB that is needed here.
type Skipper interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// shared returns the folder that holds fixtures/ and stats/: beside the fixtures named by FAIRDECK_FIXTURES, else ../shared beside
// the module root.
func shared() (string, error) {
	if f := os.Getenv("FAIRDECK_FIXTURES"); f != "" {
		return filepath.Dir(filepath.Clean(f)), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared"), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
}

// Path returns the path of a file in the shared folder and skips the test when it is not there.
func Path(t Skipper, elem ...string) string {
	t.Helper()
	root, err := shared()
	if err != nil {
		t.Fatalf("finding the shared folder: %v", err)
	}
	p := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("%s is not here; set FAIRDECK_FIXTURES to the fixtures folder to run this test", filepath.Join(elem...))
	}
	return p
}

// Row is a line of a table with named columns.
type Row map[string]string

// F reads a column as a number.
func (r Row) F(t Skipper, col string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[col], 64)
	if err != nil {
		t.Fatalf("column %s: %v", col, err)
	}
	return v
}

// I reads a column as a whole number.
func (r Row) I(t Skipper, col string) int {
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
func Table(t Skipper, elem ...string) []Row {
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
