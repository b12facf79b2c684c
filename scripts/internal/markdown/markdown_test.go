package markdown_test

import (
	"os"
	"path/filepath"
	"testing"

	"fairdeck/scripts/internal/markdown"

	"github.com/google/go-cmp/cmp"
)

func TestDocument(t *testing.T) {
	var d markdown.Document
	d.Para("%d%%", 5)
	d.Table([]string{"a", "b"}, [][]string{{"x|y", "1"}, {"short"}, {"two\nlines", "2"}})
	d.Table([]string{"a"}, nil)
	d.List([]string{"one"})
	d.Targets([]markdown.Target{{"t", "≤ 1", "2", false}})
	want := "5%\n\n| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n| short |  |\n| two lines | 2 |\n\n(nothing was measured)\n\n- one\n\n" +
		"| target | limit | measured | met |\n| --- | ---: | ---: | ---: |\n| t | ≤ 1 | 2 | **no** |\n\n"
	if diff := cmp.Diff(want, d.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteFileReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs", "x.md")
	for _, text := range []string{"one", "two"} {
		if err := markdown.WriteFile(path, text); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Fatalf("%q, %v", got, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Fatalf("%d files are left, %v", len(left), err)
	}
}
