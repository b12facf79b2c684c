package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/testutil"
)

func texts(t *testing.T) *locale.Catalogues {
	t.Helper()
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// statements finds what the measuring parts say to people: the strings of
// fields and variables called Text, Remedy and the like.
func statements(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	says := regexp.MustCompile(`^(Text|text|Remedy|remedy|Unusable|remedy[A-Z]\w*|unusable\w*)$`)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		note := func(v ast.Expr) {
			// The string itself or a format; joined texts have other values.
			if call, ok := v.(*ast.CallExpr); ok && len(call.Args) > 0 {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" {
					v = call.Args[0]
				}
			}
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && s != "" {
					out[s] = set.Position(lit.Pos()).String()
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && says.MatchString(id.Name) {
					note(n.Value)
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if says.MatchString(id.Name) && i < len(n.Values) {
						note(n.Values[i])
					}
				}
			case *ast.ReturnStmt:
				for _, r := range n.Results {
					if forPeople(r) {
						note(r)
					}
				}
			case *ast.CallExpr:
				switch f := n.Fun.(type) {
				case *ast.SelectorExpr:
					if f.Sel.Name == "warn" || f.Sel.Name == "note" {
						for _, a := range n.Args[1:] {
							if forPeople(a) {
								note(a)
							}
						}
					}
				case *ast.Ident:
					if f.Name == "append" && len(n.Args) > 1 {
						if to, ok := n.Args[0].(*ast.SelectorExpr); ok && (to.Sel.Name == "notes" || to.Sel.Name == "Warnings") {
							note(n.Args[1])
						}
					}
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					name := ""
					switch l := l.(type) {
					case *ast.Ident:
						name = l.Name
					case *ast.SelectorExpr:
						name = l.Sel.Name
					}
					if says.MatchString(name) && i < len(n.Rhs) {
						note(n.Rhs[i])
					}
				}
			}
			return true
		})
	}
	return out
}

// forPeople tells words for people from names and codes.
func forPeople(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) > 0 {
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Sprintf" {
			return false
		}
		e = call.Args[0]
	}
	lit, ok := e.(*ast.BasicLit)
	return ok && strings.Count(lit.Value, " ") >= 2
}

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-z]`)

// elsewhere are formats whose values are words themselves: a list of names,
// and a sentence that internal/locale tests with its words.
var elsewhere = map[string]bool{
	"%s and %d more":                       true,
	"%s hid more than %.0f%% of %s %s: %s": true,
	"%v %d x %d":                           true, // a camera's mode, the same in every language
}

// TestEveryStatementIsTranslated: a new message of the measuring parts needs
// its text in the catalogues. Faults of ours, which a view of the wrong
// geometry is, stay English.
func TestEveryStatementIsTranslated(t *testing.T) {
	p := texts(t).For(locale.Japanese)
	root := testutil.ModuleRoot(t)
	n := 0
	for _, dir := range []string{"internal/check", "vision/camera", "vision/card", "vision/sleeve"} {
		for s, where := range statements(t, filepath.Join(root, dir)) {
			if elsewhere[s] || strings.HasPrefix(s, "the view ") || strings.HasPrefix(s, "the picture is %d x %d pixels but holds") {
				continue
			}
			filled := strings.ReplaceAll(verb.ReplaceAllString(strings.ReplaceAll(s, "%%", "\x00"), "7"), "\x00", "%")
			n++
			if _, known := p.Said(filled); !known {
				t.Errorf("%s: %q is not in the catalogues (said.…)", where, filled)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d statements were found in the code", n)
	}
}

func TestProblem(t *testing.T) {
	p := texts(t).For(locale.SimplifiedChinese)
	for _, tc := range []struct {
		problem      record.Problem
		text, remedy string
	}{
		{record.Problem{Code: "no-card", Text: "no card was found in the picture", Remedy: "take this picture again"}, "图片中没有找到卡片", "请重拍此图"},
		// Words that the catalogues do not know: the code, and the original.
		{record.Problem{Code: "input-damaged", Text: "chunk 7 is odd", Remedy: "take this picture again"}, "文件已损坏（英文：“chunk 7 is odd”）", "请重拍此图"},
		{record.Problem{Code: "of-tomorrow", Text: "x\u202ey", Remedy: "do z"}, "有内容无法使用（英文：“x\\u{202e}y”）", "do z"},
	} {
		if text, remedy := Problem(p, &tc.problem); text != tc.text || remedy != tc.remedy {
			t.Errorf("%q, %q; want %q, %q", text, remedy, tc.text, tc.remedy)
		}
	}
}

func TestMark(t *testing.T) {
	c := texts(t)
	for _, tc := range []struct {
		lang locale.Language
		mark record.Mark
		want string
	}{
		{locale.English, record.Mark{Kind: "pen_dot", KindConfidence: 0.9, LengthMM: 1.5, WidthMM: 1.4}, "Dot, 1.5 mm"},
		{locale.English, record.Mark{Kind: "scratch", KindConfidence: 0.3, LengthMM: 20, WidthMM: 0.3}, "Perhaps a scratch or line, 20 mm long, 0.3 mm wide"},
		{locale.English, record.Mark{Kind: "moon_dust", KindConfidence: 1, LengthMM: 2}, "Moon dust, 2.0 mm"},
		{locale.Japanese, record.Mark{Kind: "nick", KindConfidence: 0.9, LengthMM: 2.4, WidthMM: 2}, "縁の欠け、2.4 mm"},
		{locale.TraditionalChinese, record.Mark{Kind: "stain", KindConfidence: 0.2, LengthMM: 11, WidthMM: 8}, "可能是污漬，11 mm"},
	} {
		if got := Mark(c.For(tc.lang), &tc.mark); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.lang, got, tc.want)
		}
	}
	if got := Places(c.For(locale.SimplifiedChinese), []int{1, 4, 5, 6, 9}); got != "1、4–6和9" {
		t.Errorf("places %q", got)
	}
	if got := What(c.For(locale.Japanese), "colour, print offset"); got != "色と印刷のずれ" {
		t.Errorf("what %q", got)
	}
}

// TestPlacesAgree: English places are those of the record.
func TestPlacesAgree(t *testing.T) {
	p := texts(t).For(locale.English)
	for _, list := range [][]int{nil, {1}, {1, 2}, {1, 2, 3}, {1, 3, 4, 5, 9, 10}} {
		if got, want := Places(p, list), record.PlacesText(list); got != want {
			t.Errorf("%v: %q, the record says %q", list, got, want)
		}
	}
}
