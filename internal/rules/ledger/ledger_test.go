package ledger

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairdeck/internal/rules"
)

func book(tb testing.TB, id string) *rules.Book {
	tb.Helper()
	shelf, err := rules.Open(nil)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := shelf.Book(id)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

var noon = time.Date(2026, 8, 6, 12, 0, 0, 0, time.UTC)

// give adds a penalty and fails the test where it is refused.
func give(tb testing.TB, l *Ledger, player, clause, penalty string) Entry {
	tb.Helper()
	e, err := l.Append(penaltyOf(player, clause, penalty))
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func penaltyOf(player, clause, penalty string) Entry {
	return Entry{Type: Penalty, At: noon, Player: player, Level: 1, Clause: clause, Penalty: penalty, DecidedBy: "Judge A", Role: rules.HeadJudge, Evidence: []string{"check-1"}}
}

func tally(tb testing.TB, s Standing, id, key string) Tally {
	tb.Helper()
	for _, t := range s.Tallies {
		if t.Rule.ID == id && t.Key == key {
			return t
		}
	}
	tb.Fatalf("no tally %s %q in %+v", id, key, s.Tallies)
	return Tally{}
}

func TestCNCAddsUp(t *testing.T) {
	cases := []struct {
		given []string // c = caution, w = warning
		sum   int
		due   int
		tips  []string
	}{
		{nil, 0, 0, nil},
		{[]string{"c"}, 1, 0, nil},
		{[]string{"c", "c"}, 2, 0, []string{"warning"}},
		{[]string{"w"}, 2, 0, []string{"warning"}},
		{[]string{"c", "w"}, 3, 0, []string{"caution", "warning"}},
		{[]string{"c", "c", "c"}, 3, 0, []string{"caution", "warning"}},
		{[]string{"w", "w"}, 4, 1, nil},
		{[]string{"c", "c", "c", "c"}, 4, 1, nil},
		{[]string{"c", "c", "w"}, 4, 1, nil},
		{[]string{"c", "w", "w"}, 5, 1, nil},
		{[]string{"w", "w", "w", "w"}, 8, 2, nil},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.given, ""), func(t *testing.T) {
			l := New("cup", book(t, "cnc-2011"))
			for i, p := range c.given {
				clause := []string{"p6-faint", "p7", "p3b", "duel3"}[i] // different offences: the sum is of all
				give(t, l, "p1", clause, map[string]string{"c": "caution", "w": "warning"}[p])
			}
			give(t, l, "p2", "p7", "warning") // another player's does not count
			got := tally(t, l.Standing("p1"), "sum", "")
			if got.Sum != c.sum || got.Outstanding != c.due {
				t.Errorf("sum %d, outstanding %d; want %d and %d", got.Sum, got.Outstanding, c.sum, c.due)
			}
			if !slices.Equal(got.TipsNext, c.tips) {
				t.Errorf("tips over next: %v, want %v", got.TipsNext, c.tips)
			}
			if (got.To != nil) != (c.due > 0) || got.To != nil && got.To.From.ID != "game-loss" {
				t.Errorf("leads to %v", got.To)
			}
		})
	}
}

func TestCNCGameLossIsCarriedOut(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	give(t, l, "p1", "p6-faint", "warning")
	give(t, l, "p1", "p7", "warning")
	e := penaltyOf("p1", "p1-sum", "game-loss")
	e.Follows = "sum"
	if _, err := l.Append(e); err != nil {
		t.Fatal(err)
	}
	got := tally(t, l.Standing("p1"), "sum", "")
	if got.Outstanding != 0 || got.Sum != 4 {
		t.Errorf("outstanding %d with sum %d; want 0 and 4", got.Outstanding, got.Sum)
	}
}

func TestCNCRepeatMayBeRaised(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	give(t, l, "p1", "p6-faint", "caution")
	if s := tally(t, l.Standing("p1"), "repeat", "第二部分 罚则 6"); s.MayRaise {
		t.Error("the first offence may not be raised as a repeat")
	}
	give(t, l, "p1", "p6-obvious", "caution") // the same rule, quoted in another place
	s := tally(t, l.Standing("p1"), "repeat", "第二部分 罚则 6")
	if !s.MayRaise || s.To == nil || s.To.From.ID != "warning" || s.Outstanding != 0 {
		t.Errorf("a repeat: %+v; want that it may be raised one step, to a warning", s)
	}
}

func TestBushiroadAddsUpByCategory(t *testing.T) {
	l := New("cup", book(t, "bushiroad-floor"))
	give(t, l, "p1", "5.11.1", "warning")
	give(t, l, "p1", "5.12", "warning")
	st := l.Standing("p1")
	for _, key := range []string{"5.11", "5.12"} {
		got := tally(t, st, "warnings", key)
		if got.MayRaise || got.Sum != 1 {
			t.Errorf("%s: %+v; warnings of different categories do not add up", key, got)
		}
		if !slices.Equal(got.TipsNext, []string{"warning"}) {
			t.Errorf("%s: tips next %v", key, got.TipsNext)
		}
	}
	give(t, l, "p1", "5.11.2", "warning") // another clause of the same heading
	got := tally(t, l.Standing("p1"), "warnings", "5.11")
	if !got.MayRaise || got.Outstanding != 0 || got.To.From.ID != "round-loss" || got.To.To.ID != "disqualification" {
		t.Errorf("%+v; want: may be raised to round loss or disqualification, nothing by itself", got)
	}
}

// TestBushiroadVerbalCautions: 4.2.1 names no category for them.
func TestBushiroadVerbalCautions(t *testing.T) {
	l := New("cup", book(t, "bushiroad-floor"))
	give(t, l, "p1", "5.11.1", "verbal-caution")
	if got := tally(t, l.Standing("p1"), "verbal-cautions", ""); got.MayRaise || got.Sum != 1 {
		t.Errorf("one: %+v", got)
	}
	give(t, l, "p1", "5.13", "verbal-caution")
	got := tally(t, l.Standing("p1"), "verbal-cautions", "")
	if !got.MayRaise || got.Outstanding != 0 || got.To.To.ID != "warning" {
		t.Errorf("two: %+v; want: may be raised to a warning", got)
	}
}

func TestKonamiAndNeutralAddUpNothing(t *testing.T) {
	for id, clause := range map[string]string{"konami-asia-2008": "2c-slow", rules.Neutral: "pace"} {
		l := New("cup", book(t, id))
		give(t, l, "p1", clause, "caution")
		give(t, l, "p1", clause, "caution")
		if got := l.Standing("p1").Tallies; len(got) != 0 {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

func TestCorrections(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	first := give(t, l, "p1", "p6-faint", "warning")
	before := l.Entries()

	fix := penaltyOf("p1", "p7", "caution")
	fix.Type, fix.Refers, fix.Reason = Correction, first.Seq, "wrong clause"
	if _, err := l.Append(fix); err != nil {
		t.Fatal(err)
	}
	if got := tally(t, l.Standing("p1"), "sum", ""); got.Sum != 1 {
		t.Errorf("sum %d after the warning became a caution, want 1", got.Sum)
	}
	withdraw := Entry{Type: Correction, At: noon, Player: "p1", DecidedBy: "Judge A", Role: rules.Judge, Refers: first.Seq, Reason: "the mark was on the table"}
	if _, err := l.Append(withdraw); err != nil {
		t.Fatal(err)
	}
	st := l.Standing("p1")
	if got := tally(t, st, "sum", ""); got.Sum != 0 || len(st.InForce()) != 0 || st.Penalties[0].Status != Withdrawn {
		t.Errorf("a withdrawn penalty counts: %+v", st)
	}
	if diff := cmp.Diff(before, l.Entries()[:1]); diff != "" {
		t.Errorf("the first entry was changed:\n%s", diff)
	}
	if _, err := l.Append(withdraw); err == nil {
		t.Error("withdrawn twice")
	}
}

func TestThreeJudgesSignOff(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	e := give(t, l, "p1", "p4-deliberate", "prizes-forfeited")
	sign := func(name string) error {
		_, err := l.Append(Entry{Type: SignOff, At: noon, Player: "p1", DecidedBy: name, Role: rules.Judge, Refers: e.Seq})
		return err
	}
	status := func() Status { s, _ := l.State(e.Seq); return s.Status }
	if status() != Pending {
		t.Fatalf("one judge: %s", status())
	}
	if err := sign(" judge  a "); err == nil {
		t.Error("the judge who decided signed off too")
	}
	if err := sign("Judge B"); err != nil {
		t.Fatal(err)
	}
	if status() != Pending {
		t.Errorf("two judges: %s", status())
	}
	if err := sign("JUDGE B"); err == nil {
		t.Error("one judge signed off twice")
	}
	if err := sign("Judge C"); err != nil {
		t.Fatal(err)
	}
	if status() != InForce {
		t.Errorf("three judges: %s", status())
	}
	fix := penaltyOf("p1", "p4-deliberate", "prizes-forfeited")
	fix.Type, fix.Refers, fix.Reason = Correction, e.Seq, "other evidence"
	if _, err := l.Append(fix); err != nil {
		t.Fatal(err)
	}
	if status() != Pending {
		t.Errorf("after a correction the earlier agreement still counts: %s", status())
	}
	// A penalty that is pending is in no sum.
	if n := len(l.Standing("p1").InForce()); n != 0 {
		t.Errorf("%d penalties in force", n)
	}
}

func TestRoles(t *testing.T) {
	l := New("cup", book(t, "bushiroad-floor"))
	e := penaltyOf("p1", "6.3", "disqualification")
	e.Role = rules.Judge
	if _, err := l.Append(e); !errors.Is(err, ErrRole) {
		t.Errorf("a judge disqualified: %v", err)
	}
	e.Role = rules.HeadJudge
	if _, err := l.Append(e); err != nil {
		t.Error(err)
	}
	// What the head judge gave, a judge does not take back or make lighter.
	for name, lighter := range map[string]bool{"withdrawn": false, "made lighter": true} {
		fix := penaltyOf("p1", "", "")
		if lighter {
			fix = penaltyOf("p1", "5.11.1", "warning")
		}
		fix.Type, fix.Refers, fix.Reason, fix.Role = Correction, 1, "a mistake", rules.Judge
		if _, err := l.Append(fix); !errors.Is(err, ErrRole) {
			t.Errorf("%s by a judge: %v", name, err)
		}
	}
	fix := penaltyOf("p1", "", "")
	fix.Type, fix.Refers, fix.Reason, fix.Role = Correction, 1, "a mistake", rules.HeadJudge
	if _, err := l.Append(fix); err != nil {
		t.Error(err)
	}
	if s, _ := l.State(1); s.Status != Withdrawn || s.First.Penalty != "disqualification" {
		t.Errorf("withdrawn: %s, and it was %q", s.Status, s.First.Penalty)
	}
}

func TestPreviewAddsNothing(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	give(t, l, "p1", "p7", "warning")
	st, err := l.Preview(penaltyOf("p1", "p6-faint", "warning"))
	if err != nil {
		t.Fatal(err)
	}
	if got := tally(t, st, "sum", ""); got.Outstanding != 1 {
		t.Errorf("preview: %+v", got)
	}
	if len(l.Entries()) != 1 || tally(t, l.Standing("p1"), "sum", "").Sum != 2 {
		t.Error("the preview stayed in the ledger")
	}
}

func TestAppendRefuses(t *testing.T) {
	change := map[string]func(*Entry){
		"no time":          func(e *Entry) { e.At = time.Time{} },
		"no player":        func(e *Entry) { e.Player = " " },
		"no judge":         func(e *Entry) { e.DecidedBy = "" },
		"no role":          func(e *Entry) { e.Role = "king" },
		"no clause":        func(e *Entry) { e.Clause = "" },
		"foreign clause":   func(e *Entry) { e.Clause = "5.11.1" },
		"foreign penalty":  func(e *Entry) { e.Penalty = "round-loss" },
		"penalty refers":   func(e *Entry) { e.Refers = 1 },
		"unknown sum":      func(e *Entry) { e.Follows = "bonus" },
		"unknown type":     func(e *Entry) { e.Type = "edit" },
		"refers ahead":     func(e *Entry) { e.Type, e.Refers, e.Reason = Correction, 9, "x" },
		"no reason":        func(e *Entry) { e.Type, e.Refers = Correction, 1 },
		"other player":     func(e *Entry) { e.Type, e.Refers, e.Reason, e.Player = Correction, 1, "x", "p2" },
		"half correction":  func(e *Entry) { e.Type, e.Refers, e.Reason, e.Clause = Correction, 1, "x", "" },
		"sign-off decides": func(e *Entry) { e.Type, e.Refers, e.DecidedBy = SignOff, 1, "Judge B" },
		"endless reason":   func(e *Entry) { e.Reason = strings.Repeat("x", 10000) },
		"not UTF-8":        func(e *Entry) { e.DecidedBy = "\xff" },
	}
	for name, f := range change {
		t.Run(name, func(t *testing.T) {
			l := New("cup", book(t, "cnc-2011"))
			give(t, l, "p1", "p7", "caution")
			e := penaltyOf("p1", "p7", "caution")
			f(&e)
			_, err := l.Append(e)
			var ee *EntryError
			if !errors.As(err, &ee) || ee.Seq != 2 {
				t.Errorf("got %v, want an EntryError for entry 2", err)
			}
			if len(l.Entries()) != 1 {
				t.Error("a refused entry was added")
			}
		})
	}
	l := New("cup", book(t, "bushiroad-floor"))
	e := penaltyOf("p1", "5.12", "warning")
	e.Level = 0
	if _, err := l.Append(e); !errors.Is(err, rules.ErrLevel) {
		t.Errorf("no level: %v", err)
	}
}

func TestCorrectionOfCorrectionNamesThePenalty(t *testing.T) {
	l := New("cup", book(t, "cnc-2011"))
	give(t, l, "p1", "p7", "caution")
	fix := penaltyOf("p1", "p7", "warning")
	fix.Type, fix.Refers, fix.Reason = Correction, 1, "x"
	if _, err := l.Append(fix); err != nil {
		t.Fatal(err)
	}
	fix.Refers = 2
	if _, err := l.Append(fix); err == nil || !strings.Contains(err.Error(), "entry 1") {
		t.Errorf("got %v, want it to name entry 1", err)
	}
}

// drawLedger makes a ledger by random attempts, of which some are refused.
func drawLedger(t *rapid.T, b *rules.Book) *Ledger {
	l := New("cup", b)
	n := rapid.IntRange(0, 25).Draw(t, "n")
	for i := range n {
		e := Entry{
			Type:      rapid.SampledFrom([]Type{Penalty, Penalty, Penalty, Correction, SignOff}).Draw(t, "type"),
			At:        noon.Add(time.Duration(i) * time.Minute),
			Player:    rapid.SampledFrom([]string{"p1", "p2"}).Draw(t, "player"),
			Level:     1,
			DecidedBy: rapid.SampledFrom([]string{"A", "B", "C", "=1+1", "\u202eD"}).Draw(t, "judge"),
			Role:      rules.HeadJudge,
			Refers:    rapid.IntRange(0, n).Draw(t, "refers"),
			Reason:    rapid.SampledFrom([]string{"", "mistake", "a,\"b\"\nc"}).Draw(t, "reason"),
		}
		if e.Type == Penalty {
			e.Refers = 0
		}
		if e.Type == Penalty || e.Type == Correction && rapid.Bool().Draw(t, "replace") {
			e.Clause = rapid.SampledFrom(b.Clauses).Draw(t, "clause").ID
			e.Penalty = rapid.SampledFrom(b.Scale).Draw(t, "penalty").ID
		}
		before := l.Entries()
		if _, err := l.Append(e); err == nil {
			if diff := cmp.Diff(before, l.Entries()[:len(before)]); diff != "" {
				t.Fatalf("an entry changed earlier ones:\n%s", diff)
			}
		}
	}
	return l
}

func TestSumsAreOfWhatIsInForce(t *testing.T) {
	b := book(t, "cnc-2011")
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t, b)
		for _, p := range l.Players() {
			st := l.Standing(p)
			sum := 0
			for _, s := range st.InForce() {
				sum += map[string]int{"caution": 1, "warning": 2}[s.Entry.Penalty]
				if s.Entry.Penalty == "prizes-forfeited" && len(s.Agreed) < 3 {
					t.Fatal("in force with fewer than three judges")
				}
			}
			for _, tl := range st.Tallies {
				if tl.Rule.ID == "sum" && (tl.Sum != sum || tl.Outstanding != sum/4) {
					t.Fatalf("sum %d, outstanding %d; recounted %d", tl.Sum, tl.Outstanding, sum)
				}
				if !tl.Rule.Binding && tl.Outstanding != 0 {
					t.Fatal("a rule that only lets a judge raise made something due")
				}
			}
		}
	})
}

func TestExportImport(t *testing.T) {
	b := book(t, "bushiroad-floor")
	rapid.Check(t, func(t *rapid.T) {
		l := drawLedger(t, b)
		var out bytes.Buffer
		if err := l.Export(&out); err != nil {
			t.Fatal(err)
		}
		back, warnings, err := Import(bytes.NewReader(out.Bytes()), "cup", b)
		if err != nil || len(warnings) != 0 {
			t.Fatal(err, warnings)
		}
		if diff := cmp.Diff(l.Entries(), back.Entries()); diff != "" {
			t.Fatal(diff)
		}
		var table bytes.Buffer
		if err := l.ExportCSV(&table, nil); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil || len(rows) != len(l.Entries())+1 {
			t.Fatal(err, len(rows))
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
					t.Fatalf("cell %q is a formula", cell)
				}
			}
		}
	})
}

func TestRestore(t *testing.T) {
	b := book(t, "cnc-2011")
	l := New("cup", b)
	give(t, l, "p1", "p7", "caution")
	give(t, l, "p1", "p7", "caution")
	entries := l.Entries()

	gap := []Entry{entries[0], entries[0]}
	if _, _, err := Restore("cup", b, gap); err == nil {
		t.Error("an entry that stands twice was taken")
	}
	if _, _, err := Restore("other", b, entries); err == nil {
		t.Error("entries of another tournament were taken")
	}
	if _, _, err := Restore("cup", book(t, "konami-asia-2008"), entries); err == nil {
		t.Error("entries of another rule book were taken")
	}
	entries[1].BookSHA256 = "other"
	entries[0].Clause = "gone"
	_, warnings, err := Restore("cup", b, entries)
	if err != nil || len(warnings) != 2 {
		t.Errorf("a changed rule book: %v, %v; want two warnings", warnings, err)
	}
}

func FuzzImport(f *testing.F) {
	b := book(f, "cnc-2011")
	l := New("cup", b)
	give(f, l, "p1", "p4-deliberate", "prizes-forfeited")
	for i, name := range []string{"B", "C"} {
		if _, err := l.Append(Entry{Type: SignOff, At: noon, Player: "p1", DecidedBy: name, Role: rules.Judge, Refers: 1}); err != nil {
			f.Fatal(i, err)
		}
	}
	var out bytes.Buffer
	if err := l.Export(&out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"schema":"ledger/v1","seq":1,"type":"correction","refers":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, _, err := Import(bytes.NewReader(data), "cup", b)
		if err != nil {
			return
		}
		for _, p := range l.Players() {
			l.Standing(p)
		}
		var out bytes.Buffer
		if err := l.Export(&out); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Import(&out, "cup", b); err != nil {
			t.Fatalf("what was exported cannot be read back: %v", err)
		}
	})
}

func Example() {
	shelf, _ := rules.Open(nil)
	b, _ := shelf.Book("cnc-2011")
	l := New("CNC Cup", b)
	for _, clause := range []string{"p6-faint", "p7"} {
		_, _ = l.Append(Entry{Type: Penalty, At: noon, Player: "p-17", Clause: clause, Penalty: "warning", DecidedBy: "A. Judge", Role: rules.Judge})
	}
	sum := l.Standing("p-17").Tallies[0]
	fmt.Printf("sum %d of %d: %s is due\n", sum.Sum, sum.Rule.Threshold, sum.To.From.Name.En)
	// Output: sum 4 of 4: game loss is due
}
