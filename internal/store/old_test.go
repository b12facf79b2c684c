package store

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write testdata for this version of the format; only for a new version")

// TestOldStoresStayReadable opens copies of stores that earlier releases made,
// verifies them against the heads of that time, and goes on with them.
func TestOldStoresStayReadable(t *testing.T) {
	old := filepath.Join("testdata", "store-v1")
	if *update {
		if err := os.RemoveAll(old); err != nil {
			t.Fatal(err)
		}
		s := openDir(t, old)
		p := must(s.AddPerson(context.Background(), "Ada", "0042"))
		d := draft(1)
		d.Player = p.Token
		mustAppend(t, s, d)
		mustAppend(t, s, draft(2))
		if err := s.scrub(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(old)); err != nil {
		t.Fatal(err)
	}
	s := openDir(t, dir)
	if v := verified(t, s); v.Records != 2 || v.Pictures != 2 {
		t.Errorf("%+v", v)
	}
	if found := must(s.FindPersons(context.Background(), "0042")); len(found) != 1 || found[0].Name != "Ada" {
		t.Errorf("the player: %v", found)
	}
	mustAppend(t, s, draft(3))
	verified(t, s)
}
