package locale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairdeck/internal/testutil"
)

var inTemplate = regexp.MustCompile(`(?:[{( ][tn]|\.Head) "([a-z-]+\.[a-z. -]+)"`)

// keysInCode finds the keys that the module's code asks for: whole ones, and
// the beginnings of those that end in a value ("finding." + kind).
func keysInCode(t *testing.T) (whole, begin map[string]string) {
	t.Helper()
	whole, begin = map[string]string{}, map[string]string{}
	note := func(e ast.Expr, where string) {
		// "finding." + string(kind): the leftmost operand is the beginning.
		joined := false
		for {
			b, ok := e.(*ast.BinaryExpr)
			if !ok {
				break
			}
			e, joined = b.X, true
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		key, err := strconv.Unquote(lit.Value)
		if err != nil || !strings.Contains(key, ".") {
			return
		}
		if joined {
			begin[key] = where
		} else {
			whole[key] = where
		}
	}
	err := filepath.WalkDir(testutil.ModuleRoot(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".html") {
			// Templates ask by {{t "key"}} and {{n "key" number}}.
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range inTemplate.FindAllStringSubmatch(string(data), -1) {
				whole[m[1]] = path
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if file.Name.Name != "locale" && !slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"fairdeck/internal/locale"` }) {
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && id.Name == "key" && i < len(n.Rhs) {
						note(n.Rhs[i], set.Position(n.Pos()).String())
					}
				}
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.SelectorExpr:
					name = f.Sel.Name
				case *ast.Ident:
					name = f.Name
				}
				if (name == "Text" || name == "Count" || name == "line") && len(n.Args) > 1 {
					note(n.Args[0], set.Position(n.Pos()).String())
				}
				if name == "known" && len(n.Args) > 1 {
					note(n.Args[1], set.Position(n.Pos()).String())
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole, begin
}

func TestKeysInCode(t *testing.T) {
	known := load(t).Keys(English)
	whole, begin := keysInCode(t)
	if len(whole) < 20 || len(begin) < 5 {
		t.Fatalf("only %d keys and %d beginnings were found in the code", len(whole), len(begin))
	}
	for key, where := range whole {
		if !slices.Contains(known, key) {
			t.Errorf("%s: the catalogues lack %q", where, key)
		}
	}
	for start, where := range begin {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, start) }) {
			t.Errorf("%s: no key of the catalogues begins with %q", where, start)
		}
	}
	for _, k := range known {
		used := whole[k] != ""
		for start := range begin {
			used = used || strings.HasPrefix(k, start)
		}
		if !used {
			t.Errorf("nothing uses %q; remove it", k)
		}
	}
}
