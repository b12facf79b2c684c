package rules

import "testing"

func open(tb testing.TB) *Shelf {
	tb.Helper()
	s, err := Open(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func book(tb testing.TB, id string) *Book {
	tb.Helper()
	b, err := open(tb).Book(id)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
