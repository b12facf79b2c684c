package ledger

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"fairdeck/internal/rules"
)

var update = flag.Bool("update", false, "write testdata for this version of the format; only for a new version")

// TestOldFilesStayReadable reads ledgers that earlier releases exported. The
// rule book may have changed since, which is a warning and no more.
func TestOldFilesStayReadable(t *testing.T) {
	b := book(t, "cnc-2011")
	name := filepath.Join("testdata", "ledger-v1.jsonl")
	if *update {
		l := New("cup", b)
		give(t, l, "p1", "p6-faint", "warning")
		give(t, l, "p1", "p4-deliberate", "prizes-forfeited")
		for _, e := range []Entry{
			{Type: Correction, At: noon, Player: "p1", DecidedBy: "A", Role: rules.Judge, Refers: 1, Reason: "wrong table"},
			{Type: SignOff, At: noon, Player: "p1", DecidedBy: "B", Role: rules.Judge, Refers: 2},
		} {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := l.Export(&out); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := Import(bytes.NewReader(data), "cup", b)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := l.Export(&out); err != nil || !bytes.Equal(out.Bytes(), data) {
		t.Errorf("it is written differently now: %v", err)
	}
	if s, _ := l.State(1); s.Status != Withdrawn {
		t.Errorf("entry 1 is %s", s.Status)
	}
	if s, _ := l.State(2); s.Status != Pending || len(s.Agreed) != 2 {
		t.Errorf("entry 2: %+v", s)
	}
}
