package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairdeck/internal/rules"
	"fairdeck/internal/rules/ledger"
)

var noon = time.Date(2026, 8, 6, 12, 0, 0, 0, time.UTC)

// opener opens the store of one test, again and again if need be.
type opener func(tb testing.TB) *Store

func TestSQLite(t *testing.T) {
	suite(t, func(t *testing.T) opener {
		dir := t.TempDir()
		return func(tb testing.TB) *Store { return openDir(tb, dir) }
	})
}

func openDir(tb testing.TB, dir string) *Store {
	tb.Helper()
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// suite is what every database must do. fresh gives each test a store of its
// own.
func suite(t *testing.T, fresh func(*testing.T) opener) {
	for name, test := range map[string]func(*testing.T, opener){
		"Append":         testAppend,
		"AppendRefuses":  testAppendRefuses,
		"Empty":          testEmpty,
		"Reopen":         testReopen,
		"Filter":         testFilter,
		"Hostile":        testHostile,
		"Tampering":      testTampering,
		"Truncation":     testTruncation,
		"Pictures":       testPictures,
		"Persons":        testPersons,
		"Meeting":        testMeeting,
		"Forget":         testForget,
		"Concurrent":     testConcurrent,
		"ConcurrentOpen": testConcurrentOpen,
		"Cancelled":      testCancelled,
		"Ledger":         testLedger,
		"Newer":          testNewer,
	} {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
}

func draft(n int) Draft {
	return Draft{
		Kind: Check, ID: fmt.Sprintf("check-%d", n), Created: noon.Add(time.Duration(n) * time.Second), Tournament: "cup",
		Body:     fmt.Appendf(nil, `{"schema":"check/v1","n":%d}`, n),
		Pictures: []Source{{Name: fmt.Sprintf("sleeve %d.png", n), Type: "image/png", Open: Bytes(fmt.Appendf(nil, "picture %d", n))}},
	}
}

func mustAppend(tb testing.TB, s *Store, d Draft) Record {
	tb.Helper()
	r, err := s.Append(context.Background(), d)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// verified checks that nothing is wrong and returns what was found.
func verified(tb testing.TB, s *Store, known ...Head) Verification {
	tb.Helper()
	v, err := s.Verify(context.Background(), known...)
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range v.Problems {
		tb.Error(p)
	}
	return v
}

func testAppend(t *testing.T, open opener) {
	s := open(t)
	var heads []Head
	for n := range 5 {
		r := mustAppend(t, s, draft(n))
		heads = append(heads, r.Head())
		back, err := s.Get(context.Background(), r.Envelope.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("stored and read differ:\n%s", diff)
		}
		if r.Envelope.Seq != int64(n+1) || n > 0 && r.Envelope.Previous != heads[n-1].Hash {
			t.Errorf("record %d does not continue the chain: %+v", n, r.Envelope)
		}
		p, err := s.OpenPicture(context.Background(), r.Envelope.Pictures[0])
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(p)
		p.Close()
		if string(data) != fmt.Sprintf("picture %d", n) {
			t.Errorf("picture reads %q", data)
		}
	}
	v := verified(t, s, heads...)
	if v.Records != 5 || v.Pictures != 5 || v.Head != heads[4] {
		t.Errorf("%+v", v)
	}
	if h, err := s.Head(context.Background()); err != nil || h != heads[4] {
		t.Errorf("head %v %v", h, err)
	}
}

func testAppendRefuses(t *testing.T, open opener) {
	s := open(t)
	mustAppend(t, s, draft(1))
	for name, change := range map[string]func(*Draft){
		"taken id":      func(d *Draft) { d.ID = "check-1" },
		"path as id":    func(d *Draft) { d.ID = "../x" },
		"empty id":      func(d *Draft) { d.ID = "" },
		"unknown kind":  func(d *Draft) { d.Kind = "note" },
		"no time":       func(d *Draft) { d.Created = time.Time{} },
		"not JSON":      func(d *Draft) { d.Body = []byte("{") },
		"no body":       func(d *Draft) { d.Body = nil },
		"unknown token": func(d *Draft) { d.Player = "p-nobody" },
		"same names":    func(d *Draft) { d.Pictures = append(d.Pictures, d.Pictures[0]) },
		"no picture":    func(d *Draft) { d.Pictures[0].Open = nil },
		"bad picture":   func(d *Draft) { d.Pictures[0].Open = func() (io.ReadCloser, error) { return nil, os.ErrNotExist } },
		"broken picture": func(d *Draft) {
			d.Pictures[0].Open = func() (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader("half"), brokenReader{})), nil
			}
		},
		"not UTF-8": func(d *Draft) { d.Tournament = "\xff" },
	} {
		d := draft(2)
		change(&d)
		if _, err := s.Append(context.Background(), d); err == nil {
			t.Errorf("%s: accepted", name)
		} else if name == "taken id" && !errors.Is(err, ErrExists) || name == "unknown token" && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v := verified(t, s); v.Records != 1 {
		t.Errorf("%d records after refusals, want 1", v.Records)
	}
	mustAppend(t, s, draft(2)) // it still works
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the camera was unplugged") }

func testEmpty(t *testing.T, open opener) {
	s := open(t)
	v := verified(t, s)
	if v.Records != 0 || v.Head.Seq != 0 || v.Head.Hash != noHash {
		t.Errorf("%+v", v)
	}
	if _, err := s.Get(context.Background(), "nothing"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if list, err := s.List(context.Background(), Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

func testReopen(t *testing.T, open opener) {
	s := open(t)
	first := mustAppend(t, s, draft(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t)
	second := mustAppend(t, s, draft(2))
	if second.Envelope.Previous != first.Hash {
		t.Error("the chain does not go on after opening again")
	}
	verified(t, s, first.Head(), second.Head())
}

func testFilter(t *testing.T, open opener) {
	s := open(t)
	ada, err := s.AddPerson(context.Background(), "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		d := draft(n)
		if n%2 == 0 {
			d.Tournament = "other"
		}
		if n%3 == 0 {
			d.Player = ada.Token
		}
		mustAppend(t, s, d)
	}
	for f, want := range map[Filter]int{{}: 6, {Kind: Check}: 6, {Kind: Ledger}: 0, {Tournament: "cup"}: 3, {Player: ada.Token}: 2, {Tournament: "cup", Player: ada.Token}: 1, {Tournament: "' OR 1=1 --"}: 0} {
		if list, err := s.List(context.Background(), f); err != nil || len(list) != want {
			t.Errorf("%+v: %d records %v, want %d", f, len(list), err, want)
		}
	}
}

// hostile are texts that somebody might enter.
var hostile = []string{`<script>alert(1)</script>`, `'; DROP TABLE record; --`, "\u202egnp.exe", "=HYPERLINK(\"x\")", "../../../etc/passwd", strings.Repeat("長", maxName), "a\nb\t\"c\"\\", "\U0001F0A1"}

func testHostile(t *testing.T, open opener) {
	s := open(t)
	for i, text := range hostile {
		p, err := s.AddPerson(context.Background(), text, text)
		if err != nil {
			t.Fatal(err)
		}
		d := draft(i)
		d.Tournament, d.Player, d.Pictures[0].Name = text, p.Token, text
		r := mustAppend(t, s, d)
		back, err := s.Get(context.Background(), r.Envelope.ID)
		if err != nil || back.Envelope.Tournament != text || back.Envelope.Pictures[0].Name != text {
			t.Errorf("%q does not come back as it was: %v", text, err)
		}
		found, err := s.FindPersons(context.Background(), text)
		if err != nil || len(found) != 1 || found[0].Name != text {
			t.Errorf("%q: found %v %v", text, found, err)
		}
	}
	verified(t, s)
	if _, err := s.AddPerson(context.Background(), strings.Repeat("x", 10000), ""); err == nil {
		t.Error("a name of 10,000 characters was taken")
	}
	// Nothing was written beside the store's own files.
	for _, e := range must(os.ReadDir(s.dir)) {
		if e.Name() != pictureDir && !strings.HasPrefix(e.Name(), databaseFile) {
			t.Errorf("%s was written", e.Name())
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// testTampering changes every column of the database and expects Verify to
// name the part.
func testTampering(t *testing.T, open opener) {
	s := open(t)
	for n := range 4 {
		mustAppend(t, s, draft(n))
	}
	p, err := s.AddPerson(context.Background(), "Ada", "17")
	if err != nil {
		t.Fatal(err)
	}
	d := draft(5)
	d.Player = p.Token
	mustAppend(t, s, d)
	last := must(s.Head(context.Background()))

	get := func(column string) any {
		var v any
		if err := s.db.QueryRow("SELECT " + column + " FROM record WHERE seq = 2").Scan(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	flip := func(v any) any {
		b := bytes.Clone(fmt.Append(nil, v))
		if raw, ok := v.([]byte); ok {
			b = bytes.Clone(raw)
		}
		b[len(b)/2] ^= 1
		if _, ok := v.([]byte); ok {
			return b
		}
		return string(b)
	}
	for column, part := range map[string]string{"id": "index", "kind": "index", "created": "index", "body": "body", "envelope": "envelope", "hash": "envelope"} {
		old := get(column)
		set := func(v any) {
			if _, err := s.db.Exec(s.q("UPDATE record SET "+column+" = ?1 WHERE seq = 2"), v); err != nil {
				t.Fatal(err)
			}
		}
		set(flip(old))
		if !hasProblem(t, s, 2, part) {
			t.Errorf("a change of %s was not found as %s", column, part)
		}
		set(old)
		verified(t, s, last)
	}
	// An envelope rewritten with a fitting hash breaks the link that follows.
	r := must(s.Get(context.Background(), "check-1"))
	e := r.Envelope
	e.Tournament = "another cup"
	raw := must(json.Marshal(e))
	if _, err := s.db.Exec(s.q("UPDATE record SET envelope = ?1, hash = ?2, tournament = 'another cup' WHERE seq = 2"), raw, HashEnvelope(raw)); err != nil {
		t.Fatal(err)
	}
	if !hasProblem(t, s, 3, "order") {
		t.Error("a rewritten envelope was not found")
	}
	if _, err := s.db.Exec(s.q("UPDATE record SET envelope = ?1, hash = ?2, tournament = 'cup' WHERE seq = 2"), r.Raw, r.Hash); err != nil {
		t.Fatal(err)
	}
	verified(t, s)
	// A player under the same token with another name.
	if _, err := s.db.Exec("UPDATE person SET name = 'Eve'"); err != nil {
		t.Fatal(err)
	}
	if !hasProblem(t, s, 0, "player") {
		t.Error("a changed name was not found")
	}
	salt := make([]byte, 32)
	if _, err := s.db.Exec(s.q("UPDATE person SET salt = ?1, commitment = ?2"), salt, Commit(salt, "Eve", "17")); err != nil {
		t.Fatal(err)
	}
	if !hasProblem(t, s, 0, "player") {
		t.Error("a changed name with a fitting commitment was not found")
	}
}

func hasProblem(t *testing.T, s *Store, seq int64, part string) bool {
	t.Helper()
	v, err := s.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(v.Problems, func(p Problem) bool { return p.Seq == seq && strings.HasPrefix(p.Part, part) })
}

func testTruncation(t *testing.T, open opener) {
	s := open(t)
	var heads []Head
	for n := range 4 {
		heads = append(heads, mustAppend(t, s, draft(n)).Head())
	}
	if _, err := s.db.Exec("DELETE FROM record WHERE seq = 2"); err != nil {
		t.Fatal(err)
	}
	if !hasProblem(t, s, 3, "order") {
		t.Error("a missing record was not found")
	}
	if _, err := s.db.Exec("DELETE FROM record WHERE seq >= 2"); err != nil {
		t.Fatal(err)
	}
	if v := must(s.Verify(context.Background())); len(v.Problems) != 0 {
		t.Errorf("a cut end cannot show by itself, yet %v", v.Problems)
	}
	v := must(s.Verify(context.Background(), heads[3]))
	if len(v.Problems) != 1 || v.Problems[0].Part != "head" {
		t.Errorf("with a known head: %v", v.Problems)
	}
	// Another history of the same length.
	for n := 4; n < 8; n++ {
		mustAppend(t, s, draft(n))
	}
	v = must(s.Verify(context.Background(), heads[3]))
	if len(v.Problems) != 1 || v.Problems[0].Part != "head" {
		t.Errorf("a rewritten history with a known head: %v", v.Problems)
	}
}

func testPictures(t *testing.T, open opener) {
	s := open(t)
	same := draft(1)
	mustAppend(t, s, same)
	again := draft(2)
	again.Pictures[0].Open = Bytes([]byte("picture 1"))
	r := mustAppend(t, s, again)
	if v := verified(t, s); v.Pictures != 1 {
		t.Errorf("one picture stored %d times", v.Pictures)
	}
	path := s.picturePath(r.Envelope.Pictures[0].SHA256)
	whole := must(os.ReadFile(path))
	next := 10
	for name, damage := range map[string]func() error{
		"flip":  func() error { return os.WriteFile(path, append([]byte{whole[0] ^ 1}, whole[1:]...), 0o600) },
		"short": func() error { return os.WriteFile(path, whole[1:], 0o600) },
		"long":  func() error { return os.WriteFile(path, append(whole, 0), 0o600) },
		"gone":  func() error { return os.Remove(path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if !hasProblem(t, s, 1, "picture sleeve 1.png") || !hasProblem(t, s, 2, "picture sleeve 2.png") {
			t.Errorf("%s: not found for both records", name)
		}
		next++
		d := draft(next)
		d.Pictures[0].Open = Bytes(whole)
		mustAppend(t, s, d) // storing the picture again repairs it
		verified(t, s)
	}
	if _, err := s.OpenPicture(context.Background(), Picture{SHA256: "../../x"}); err == nil {
		t.Error("a path was taken for a hash")
	}
	if _, err := s.OpenPicture(context.Background(), Picture{SHA256: strings.Repeat("0", 64)}); !errors.Is(err, ErrPicture) {
		t.Errorf("a picture that is not there: %v", err)
	}
}

// testMeeting: stations that meet one player at the same moment add one.
func testMeeting(t *testing.T, open opener) {
	s := open(t)
	for _, who := range [][2]string{{"Ada Lovelace", ""}, {"Grace", "0042"}} {
		var group sync.WaitGroup
		var added atomic.Int32
		for range 8 {
			group.Go(func() {
				_, ok, err := s.MeetPerson(context.Background(), who[0], who[1])
				if err != nil {
					t.Error(err)
				}
				if ok {
					added.Add(1)
				}
			})
		}
		group.Wait()
		found, err := s.FindPersons(context.Background(), who[0])
		if err != nil || len(found) != 1 || added.Load() != 1 {
			t.Errorf("%q: %d players, added %d times, %v", who, len(found), added.Load(), err)
		}
	}
	verified(t, s)
}

func testPersons(t *testing.T, open opener) {
	s := open(t)
	ada := must(s.AddPerson(context.Background(), "Ada  LOVELACE", "42"))
	must(s.AddPerson(context.Background(), "ada lovelace", "43"))
	must(s.AddPerson(context.Background(), "", "44"))
	for text, want := range map[string]int{"Ada Lovelace": 2, "ＡＤＡ lovelace": 2, "42": 1, ada.Token: 1, "44": 1, "": 0, "Ada": 0, "%": 0} {
		if found, err := s.FindPersons(context.Background(), text); err != nil || len(found) != want {
			t.Errorf("%q: %d found %v, want %d", text, len(found), err, want)
		}
	}
	if _, err := s.AddPerson(context.Background(), "", ""); err == nil {
		t.Error("nobody was added")
	}
	// A body must not name the player.
	for _, body := range []string{`{"deck":"ada lovelace"}`, `{"a":[1,{"b":"42"}]}`, `{"Ada Lovelace":1}`} {
		d := draft(1)
		d.Player, d.Body = ada.Token, []byte(body)
		if _, err := s.Append(context.Background(), d); !errors.Is(err, ErrPersonal) {
			t.Errorf("%s: %v, want ErrPersonal", body, err)
		}
	}
	d := draft(1)
	d.Player, d.Body = ada.Token, []byte(`{"seq":42,"player":"`+ada.Token+`"}`)
	mustAppend(t, s, d)
}

func testForget(t *testing.T, open opener) {
	s := open(t)
	const name, id = "Wilhelmina Vergissmeinnicht", "ID-9081726354"
	p := must(s.AddPerson(context.Background(), name, id))
	other := must(s.AddPerson(context.Background(), "Somebody Else", ""))
	d := draft(1)
	d.Player = p.Token
	before := mustAppend(t, s, d)
	d = draft(2)
	d.Player = other.Token
	mustAppend(t, s, d)
	verified(t, s)

	r, err := s.Forget(context.Background(), p.Token, noon)
	if err != nil {
		t.Fatal(err)
	}
	if r.Envelope.Kind != Forgot || r.Envelope.Player != nil {
		t.Errorf("%+v", r.Envelope)
	}
	verified(t, s, before.Head(), r.Head())
	if _, err := s.Person(context.Background(), p.Token); !errors.Is(err, ErrNotFound) {
		t.Errorf("the forgotten player: %v", err)
	}
	if found := must(s.FindPersons(context.Background(), name)); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	if back := must(s.Get(context.Background(), "check-1")); !bytes.Equal(back.Raw, before.Raw) {
		t.Error("the forgotten player's record was changed")
	}
	if found := must(s.FindPersons(context.Background(), "Somebody Else")); len(found) != 1 {
		t.Error("another player was forgotten too")
	}
	if _, err := s.Forget(context.Background(), p.Token, noon); !errors.Is(err, ErrNotFound) {
		t.Errorf("forgotten twice: %v", err)
	}
	d = draft(3)
	d.Player = p.Token
	if _, err := s.Append(context.Background(), d); !errors.Is(err, ErrNotFound) {
		t.Errorf("a record of a forgotten player: %v", err)
	}
	if !s.postgres {
		for _, e := range must(os.ReadDir(s.dir)) {
			if e.IsDir() {
				continue
			}
			data := must(os.ReadFile(s.dir + "/" + e.Name()))
			for _, trace := range [][]byte{[]byte(name), []byte(nameKey(name)), []byte(id), p.Salt} {
				if bytes.Contains(data, trace) {
					t.Errorf("%s still holds %q", e.Name(), trace)
				}
			}
		}
	}
}

func testConcurrent(t *testing.T, open opener) {
	const stations, each = 3, 12
	var wg sync.WaitGroup
	errs := make(chan error, stations*each)
	for i := range stations {
		s := open(t) // each with a connection of its own, as separate stations have
		wg.Go(func() {
			for j := range each {
				if _, err := s.Append(context.Background(), draft(i*each+j)); err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if v := verified(t, open(t)); v.Records != stations*each {
		t.Errorf("%d records, want %d", v.Records, stations*each)
	}
}

func testConcurrentOpen(t *testing.T, open opener) {
	var wg sync.WaitGroup
	stores := make([]*Store, 4)
	for i := range stores {
		wg.Go(func() { stores[i] = open(quietTB{t}) })
	}
	wg.Wait()
	for i, s := range stores {
		if s == nil {
			t.Fatalf("station %d could not open the new store", i)
		}
		mustAppend(t, s, draft(i))
	}
	verified(t, stores[0])
}

// quietTB lets open fail in a goroutine, where FailNow must not be called.
type quietTB struct{ testing.TB }

func (q quietTB) Fatal(args ...any) { q.TB.Error(args...) }

func testCancelled(t *testing.T, open opener) {
	s := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Append(ctx, draft(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustAppend(t, s, draft(1))
	verified(t, s)
}

func testLedger(t *testing.T, open opener) {
	shelf := must(rules.Open(nil))
	book := must(shelf.Book("cnc-2011"))
	s := open(t)
	p := must(s.AddPerson(context.Background(), "Ada", ""))
	entry := ledger.Entry{Type: ledger.Penalty, At: noon, Player: p.Token, Clause: "p7", Penalty: "warning", DecidedBy: "Ada", Role: rules.Judge, Evidence: []string{"check-1"}}

	one, _, err := s.LoadLedger(context.Background(), "cup", book)
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := s.LoadLedger(context.Background(), "cup", book)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.SaveEntry(context.Background(), one, entry); err != nil {
		t.Fatal(err)
	}
	// Another station that has not seen the entry must not fill the same place.
	if _, _, err := s.SaveEntry(context.Background(), two, entry); !errors.Is(err, ErrExists) {
		t.Errorf("two stations stored entry 1: %v", err)
	}
	if len(two.Entries()) != 0 {
		t.Error("the ledger holds an entry that was not stored")
	}
	two, _, err = s.LoadLedger(context.Background(), "cup", book)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.SaveEntry(context.Background(), two, entry); err != nil {
		t.Fatal(err)
	}
	back, warnings, err := s.LoadLedger(context.Background(), "cup", book)
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(two.Entries(), back.Entries()); diff != "" {
		t.Error(diff)
	}
	if got := back.Standing(p.Token).Tallies[0].Outstanding; got != 1 {
		t.Errorf("two warnings: %d game losses due, want 1", got)
	}
	bad := entry
	bad.Penalty = "round-loss"
	if _, _, err := s.SaveEntry(context.Background(), back, bad); err == nil {
		t.Error("a penalty of another book was stored")
	}
	verified(t, s)
}

func testNewer(t *testing.T, open opener) {
	s := open(t)
	mustAppend(t, s, draft(1))
	if _, err := s.db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, " + map[bool]string{true: "true", false: "1"}[s.postgres] + ")"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	f := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		open(f)
	}()
	if !errors.Is(f.err, ErrNewer) {
		t.Errorf("a store of a newer release: %v", f.err)
	}
}

// failing catches the error with which open fails.
type failing struct {
	testing.TB
	err error
}

func (f *failing) Fatal(args ...any) {
	f.err, _ = args[0].(error)
	panic(f.err)
}
