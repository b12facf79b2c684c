package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func builtInFile(tb testing.TB, id string) string {
	tb.Helper()
	data, err := builtIn.ReadFile("books/" + id + ".toml")
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// TestReadRefuses changes one thing in a good book and expects the message,
// with the line where there is one.
func TestReadRefuses(t *testing.T) {
	cnc := builtInFile(t, "cnc-2011")
	bush := builtInFile(t, "bushiroad-floor")
	lineOfText := func(book, s string) int { return 1 + strings.Count(book[:strings.Index(book, s)], "\n") }
	cases := map[string]struct {
		book, old, new string
		message        string
		line           int
	}{
		"unknown key":      {cnc, "edition =", "editon =", `unknown key "editon"`, lineOfText(cnc, "edition =")},
		"not TOML":         {cnc, "edition =", "edition", "toml", lineOfText(cnc, "edition =")},
		"wrong type":       {cnc, "max = 60", `max = "sixty"`, "", lineOfText(cnc, "max = 60")},
		"other schema":     {cnc, "rulebook/v1", "rulebook/v9", "rulebook/v9", 0},
		"bad id":           {cnc, `id = "cnc-2011"`, `id = "../cnc"`, "lower-case", lineOfText(cnc, `id = "cnc-2011"`)},
		"unknown language": {cnc, `original = "zh-Hans"`, `original = "zh"`, "not a language", 0},
		"missing text":     {cnc, `ja = "注意" }`, `ja = " " }`, "no text in ja", lineOfText(cnc, `id = "caution"`)},
		"unknown clause":   {cnc, `clause = "p1-sum"`, `clause = "p1-sums"`, `no clause "p1-sums"`, lineOfText(cnc, `clause = "p1-sum"`)},
		"unknown penalty":  {cnc, `suggest = [{ from = "caution" }]`, `suggest = [{ from = "slap" }]`, `no penalty "slap"`, 0},
		"unknown remedy":   {cnc, `remedies = ["match-list"]`, `remedies = ["match-lists"]`, `no remedy "match-lists"`, 0},
		"unknown finding":  {cnc, `finding = "mark.obvious"`, `finding = "mark.odd"`, "no such kind", lineOfText(cnc, `finding = "mark.obvious"`)},
		"downward range":   {bush, `from = "verbal-caution", to = "warning"`, `from = "warning", to = "verbal-caution"`, "downward", 0},
		"level missing":    {bush, `{ levels = [2, 3], from = "warning" }]`, `{ levels = [2], from = "warning" }]`, "level 3 has 0 suggestions", 0},
		"level twice":      {bush, `{ levels = [2, 3], from = "warning" }]`, `{ levels = [1, 2, 3], from = "warning" }]`, "level 1 has 2 suggestions", 0},
		"kind unmapped":    {cnc, "finding = \"sleeve.worn\"", "finding = \"sleeve.overprint\"", "sleeve.worn: missing", 0},
		"case uncovered":   {cnc, `when = { layers = ["uneven"] }`, `when = { layers = ["many"] }`, "exactly one must", 0},
		"foreign fact":     {cnc, `when = { layers = ["uneven"] }`, `when = { list = ["none"] }`, "cannot depend on list", 0},
		"unknown value":    {cnc, `when = { layers = ["uneven"] }`, `when = { layers = ["odd"] }`, `layers "odd"`, 0},
		"asserts intent":   {cnc, "if = \"judge-finds-deliberate\"\nremedies = [\"unmark\"]", "remedies = [\"unmark\"]", "never asserts", 0},
		"penalty for head judge": {bush, "action = \"call-head-judge\"\nnamed = [\"disqualification\"]\nsee = [\"4.2.4\"]\nremedies = [\"evidence\"]\nnotes = [\"intent-is-the-judges\"]\n\n[[mappings]]\nfinding = \"sleeve.mixed\"",
			"suggest = [{ from = \"disqualification\" }]\nremedies = [\"evidence\"]\n\n[[mappings]]\nfinding = \"sleeve.mixed\"", "only calls the head judge", 0},
		"long quote":            {cnc, "quote = \"不可以使用卡底\"", "quote = \"" + strings.Repeat("卡", 81) + "\"", "short phrase", 0},
		"two groups":            {cnc, `groups = [["main", "side"], ["extra"]]`, `groups = [["main", "side"], ["main"]]`, "two groups", 0},
		"huge count":            {cnc, "max = 60", "max = 60000", "not a range", 0},
		"bad weight":            {cnc, "weights = { caution = 1, warning = 2 }", "weights = { caution = 0, warning = 2 }", "not positive", 0},
		"twice the same clause": {cnc, `id = "p2a"`, `id = "p2b"`, "stands twice", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(c.book, c.old) {
				t.Fatalf("the book has no %q to change", c.old)
			}
			_, err := Read("my.toml", []byte(strings.Replace(c.book, c.old, c.new, 1)))
			var re *ReadError
			if !errors.As(err, &re) {
				t.Fatalf("got %v, want a ReadError", err)
			}
			if !strings.Contains(err.Error(), c.message) || re.File != "my.toml" {
				t.Errorf("got %v, want it to say %q", err, c.message)
			}
			if c.line > 0 && !strings.Contains(err.Error(), fmt.Sprintf("my.toml:%d:", c.line)) {
				t.Errorf("got %v, want line %d", err, c.line)
			}
		})
	}
}

func TestOrganisersFolder(t *testing.T) {
	house := strings.Replace(builtInFile(t, "cnc-2011"), `max = 60`, `max = 80`, 1)
	folder := fstest.MapFS{
		"house.toml":      {Data: []byte(house)},
		"own.toml":        {Data: []byte(strings.Replace(builtInFile(t, Neutral), `id = "neutral"`, `id = "my-cup"`, 1))},
		"notes.txt":       {Data: []byte("not a rule book")},
		"old/broken.toml": {Data: []byte("[")},
	}
	s, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Book("cnc-2011")
	if err != nil {
		t.Fatal(err)
	}
	if l, _, _ := b.CountLimits(MainDeck); l.Max != 80 || b.Origin != "house.toml" {
		t.Errorf("limits %v from %q; want the organiser's", l, b.Origin)
	}
	if b.SHA256 == book(t, "cnc-2011").SHA256 {
		t.Error("a changed book has the digest of the built-in one")
	}
	if _, err := s.Book("my-cup"); err != nil {
		t.Error(err)
	}
	if n := len(s.Books()); n != 5 {
		t.Errorf("%d books, want 5", n)
	}
	if _, err := s.Book("nothing"); err == nil || !strings.Contains(err.Error(), "my-cup") {
		t.Errorf("%v, want a list of the books there are", err)
	}
}

func TestOrganisersFolderErrors(t *testing.T) {
	twice := fstest.MapFS{"a.toml": {Data: []byte(builtInFile(t, Neutral))}, "b.toml": {Data: []byte(builtInFile(t, Neutral))}}
	if _, err := Open(twice); err == nil || !strings.Contains(err.Error(), "also in a.toml") {
		t.Errorf("two books with one id: %v", err)
	}
	if _, err := Open(fstest.MapFS{"a.toml": {Data: []byte("schema = 1")}}); err == nil || !strings.Contains(err.Error(), "a.toml:1") {
		t.Errorf("a broken book: %v", err)
	}
	if _, err := Open(os.DirFS(filepath.Join(t.TempDir(), "nowhere"))); err == nil {
		t.Error("a missing folder was taken for an empty one")
	}
	odd := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(odd, "endless.toml")); err != nil {
		t.Skip(err)
	}
	if _, err := Open(os.DirFS(odd)); err == nil || !strings.Contains(err.Error(), "endless.toml: is not a file") {
		t.Errorf("a device: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", Neutral} {
		f.Add([]byte(builtInFile(f, id)))
	}
	f.Add([]byte("schema = \"rulebook/v1\"\n[[mappings]]\nfinding = \"mark.isolated\"\n"))
	f.Add([]byte("[sleeves]\ngroups = [[\"main\"],[\"main\"]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read("fuzz.toml", data)
		if err != nil {
			return
		}
		// A book that was accepted must answer for every finding at every level.
		for _, k := range Kinds() {
			for _, level := range everyLevel(b) {
				if _, err := b.Advise(found(k, Facts{}), level); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
