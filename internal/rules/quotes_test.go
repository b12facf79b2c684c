package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairdeck/internal/testutil"
)

// originals names the text of each book whose original is at hand for tests.
var originals = map[string]string{
	"cnc-2011":         "cnc-2011.zh-Hans.txt",
	"konami-asia-2008": "konami-asia-2008.zh-Hant.txt",
	"bushiroad-floor":  "bushiroad-floor.zh-Hans.txt",
}

// TestQuotesStandInTheOriginal looks up every quote letter by letter. The
// originals lie beside the fixtures ($FAIRDECK_FIXTURES/../rules).
func TestQuotesStandInTheOriginal(t *testing.T) {
	root := os.Getenv("FAIRDECK_FIXTURES")
	if root == "" {
		root = filepath.Join(testutil.ModuleRoot(t), "..", "shared", "fixtures")
	}
	folder := filepath.Join(root, "..", "rules")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the originals of the rule books are not here (set FAIRDECK_FIXTURES)")
	}
	shelf := open(t)
	for id, file := range originals {
		data, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		// A quote may run over a line's end in the original.
		original := strings.Join(strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n"), "")
		book, err := shelf.Book(id)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range book.Clauses {
			if !strings.Contains(original, c.Quote) {
				t.Errorf("%s, clause %s (%s): %q is not in the original", id, c.ID, c.Number, c.Quote)
			}
		}
		for _, p := range book.Scale {
			if !strings.Contains(original, p.Original) {
				t.Errorf("%s, penalty %s: %q is not in the original", id, p.ID, p.Original)
			}
		}
	}
}
