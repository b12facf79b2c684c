package check_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/internal/testutil"
)

// TestNoticesAreTranslated: what the settler tells a person stands in the
// check, too, and so in every language.
func TestNoticesAreTranslated(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := texts.For(locale.Japanese)
	files, err := filepath.Glob(filepath.Join(testutil.ModuleRoot(t), "vision", "settle", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			lit, ok := node.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			// Words for a person are sentences; errors begin with the package,
			// and what a developer reads has fractions in it.
			if err != nil || strings.Count(s, " ") < 4 || strings.HasPrefix(s, "settle: ") || strings.Contains(s, "%.") || strings.Contains(s, "%+v") {
				return true
			}
			n++
			if _, known := p.Said(strings.ReplaceAll(s, "%d", "7")); !known {
				t.Errorf("%s: %q is not in the catalogues (said.…)", set.Position(lit.Pos()), s)
			}
			return true
		})
	}
	if n < 4 {
		t.Errorf("only %d notices were found in the code", n)
	}
}
