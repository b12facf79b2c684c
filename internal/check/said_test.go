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
	"fairdeck/vision/light"
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

// TestLightIsTranslated: what the light meter says and advises, joined as a
// pass joins them, is known in every language.
func TestLightIsTranslated(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := texts.For(locale.Japanese)
	name := filepath.Join(testutil.ModuleRoot(t), "vision", "light", "light.go")
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	said := func(s string) bool {
		_, alone := p.Said(s)
		text, joined := p.Said(s + "; wipe the lens")
		return alone || joined && text != ""
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		lit, ok := node.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		s, err := strconv.Unquote(lit.Value)
		// ", it was ..." goes into the sentence before it.
		if err != nil || strings.Count(s, " ") < 4 || strings.HasPrefix(s, "light: ") || strings.HasPrefix(s, ", ") {
			return true
		}
		n++
		filled := strings.NewReplacer("%.0f", "7", "%.1f", "7.5", "%d", "7", "%%", "%").Replace(s)
		for _, word := range []string{"top left", ", it was 2.0 when the station was set up"} {
			if strings.Contains(filled, "px%s") == strings.HasPrefix(word, ",") || !strings.Contains(filled, "%s") {
				if one := strings.ReplaceAll(filled, "%s", word); !said(one) {
					t.Errorf("%s: %q is not in the catalogues (said.…)", set.Position(lit.Pos()), one)
				}
			}
		}
		return true
	})
	if n < 12 {
		t.Errorf("only %d texts were found in the code", n)
	}
	for _, at := range []string{"top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right",
		light.Motion{AngleDeg: 0}.Words(), light.Motion{AngleDeg: 45}.Words(), light.Motion{AngleDeg: 90}.Words(), light.Motion{AngleDeg: 135}.Words()} {
		if _, ok := p.Said(at); !ok {
			t.Errorf("%q is not in the catalogues", at)
		}
	}
}
