package house

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestNoInit: a package does nothing when it is loaded.
func TestNoInit(t *testing.T) {
	for _, f := range sources(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init", f.set.Position(fn.Pos()))
			}
		}
	}
}

// TestNoMutableGlobals: package-level variables are set once, where they are
// declared. (Tables and compiled patterns are such; a counter is not.)
func TestNoMutableGlobals(t *testing.T) {
	files := sources(t)
	globals := map[string]map[string]bool{} // folder to names
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if n.Name == "_" {
						continue
					}
					if globals[f.dir] == nil {
						globals[f.dir] = map[string]bool{}
					}
					globals[f.dir][n.Name] = true
				}
			}
		}
	}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			local := localNames(fn)
			assigned := func(e ast.Expr) {
				for {
					switch x := e.(type) {
					case *ast.IndexExpr:
						e = x.X
						continue
					case *ast.SelectorExpr:
						e = x.X
						continue
					case *ast.ParenExpr:
						e = x.X
						continue
					case *ast.StarExpr:
						e = x.X
						continue
					case *ast.Ident:
						if globals[f.dir][x.Name] && !local[x.Name] {
							t.Errorf("%s: the package's variable %s is changed", f.set.Position(x.Pos()), x.Name)
						}
					}
					return
				}
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch s := n.(type) {
				case *ast.AssignStmt:
					if s.Tok != token.DEFINE {
						for _, l := range s.Lhs {
							assigned(l)
						}
					}
				case *ast.IncDecStmt:
					assigned(s.X)
				case *ast.RangeStmt:
					if s.Tok == token.ASSIGN {
						assigned(s.Key)
						assigned(s.Value)
					}
				}
				return true
			})
		}
	}
}

// localNames are all names that a function declares somewhere: a use of one of
// them is taken for the local one.
func localNames(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	fields := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, f := range l.List {
			for _, n := range f.Names {
				names[n.Name] = true
			}
		}
	}
	fields(fn.Recv)
	ast.Inspect(fn, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.FuncType:
			fields(s.Params)
			fields(s.Results)
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, l := range s.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						names[id.Name] = true
					}
				}
			}
		case *ast.RangeStmt:
			if s.Tok == token.DEFINE {
				for _, e := range []ast.Expr{s.Key, s.Value} {
					if id, ok := e.(*ast.Ident); ok {
						names[id.Name] = true
					}
				}
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// TestPackageComments: every package explains itself.
func TestPackageComments(t *testing.T) {
	said := map[string]bool{}
	seen := map[string]bool{}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		seen[f.dir] = true
		if f.ast.Doc != nil && len(strings.Fields(f.ast.Doc.Text())) >= 8 {
			said[f.dir] = true
		}
	}
	for dir := range seen {
		if !said[dir] {
			t.Errorf("%s has no package comment that teaches", dir)
		}
	}
}
