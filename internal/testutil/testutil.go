// Package testutil finds what tests need outside their own folder.
package testutil

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// ModuleRoot is the folder that holds go.mod.
func ModuleRoot(tb testing.TB) string {
	tb.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		tb.Fatal("the path of the source files is not known")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Fixtures returns the path of a file or folder of the shared fixtures, such
// as Fixtures(t, "real", "tables-mtg"), and skips the test where it is absent.
// The fixtures lie in $FAIRDECK_FIXTURES, or else in ../shared/fixtures beside
// the module. They are read in place and never copied.
func Fixtures(tb testing.TB, elem ...string) string {
	tb.Helper()
	root := os.Getenv("FAIRDECK_FIXTURES")
	if root == "" {
		root = filepath.Join(ModuleRoot(tb), "..", "shared", "fixtures")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("fixtures not here: %s (set FAIRDECK_FIXTURES)", filepath.Join(elem...))
	}
	return path
}
