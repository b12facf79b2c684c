package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairdeck/internal/testutil"
)

const module = "fairdeck"

// file is one Go file of the module.
type file struct {
	path string // slash-separated, from the module's root
	dir  string
	test bool
	ast  *ast.File
	set  *token.FileSet
}

// sources parses every Go file of the module, whatever its build tags.
func sources(t *testing.T) []file {
	t.Helper()
	root := testutil.ModuleRoot(t)
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			// Hidden folders and those of other tools hold no Go of ours.
			if p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, file{path: rel, dir: path.Dir(rel), test: strings.HasSuffix(name, "_test.go"), ast: parsed, set: set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d Go files were found under %s", len(files), root)
	}
	return files
}

func (f *file) imports() []string {
	var out []string
	for _, s := range f.ast.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

func within(dir string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") })
}

// closure returns every package that the packages of a folder import, with
// the way there, following imports inside the module.
func closure(files []file, dir string) map[string][]string {
	direct := map[string]map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		if direct[f.dir] == nil {
			direct[f.dir] = map[string]bool{}
		}
		for _, p := range f.imports() {
			direct[f.dir][p] = true
		}
	}
	way := map[string][]string{}
	var walk func(dir string, trail []string)
	walk = func(dir string, trail []string) {
		for p := range direct[dir] {
			if _, seen := way[p]; seen {
				continue
			}
			way[p] = append(slices.Clone(trail), p)
			if rel, ours := strings.CutPrefix(p, module+"/"); ours {
				walk(rel, way[p])
			}
		}
	}
	walk(dir, []string{dir})
	return way
}

const gocv = "gocv.io/x/gocv"

// input and output, by the packages that do them.
var inputOutput = []string{"os", "os/exec", "net", "net/http", "io/ioutil", "syscall", "database/sql", "plugin"}

// TestPureParts: randomness and vision/pattern compute on what they are given,
// without OpenCV and without input or output, at any depth inside the module.
func TestPureParts(t *testing.T) {
	files := sources(t)
	for _, dir := range dirs(files) {
		pure := within(dir, "randomness", "vision/pattern")
		// These are pure Go as well, but may read what they are handed.
		noOpenCV := pure || within(dir, "vision/frame", "vision/plane", "vision/colour", "vision/face", "vision/light", "vision/visiontest", "internal/rules", "internal/record")
		if !noOpenCV {
			continue
		}
		way := closure(files, dir)
		bad := []string{gocv, module + "/internal/cv", "C"}
		if pure {
			bad = append(bad, inputOutput...)
		}
		for _, b := range bad {
			if trail, found := way[b]; found {
				t.Errorf("%s must not import %s, but does: %s", dir, b, strings.Join(trail, " -> "))
			}
		}
	}
}

// TestArrowsRunDownward: what lies below never imports what lies above, and
// programs import each other nowhere.
func TestArrowsRunDownward(t *testing.T) {
	// Each row may import the rows after it, not those before it.
	layers := [][]string{
		{"cmd"},
		{"internal/station"},
		{"internal/evidence"},
		{"internal/capture", "internal/check", "internal/report", "internal/store", "internal/shufflecli"},
		{"internal/ruling", "internal/wording"},
		{"internal/rules/ledger"},
		{"calibrate", "vision", "randomness", "internal/rules", "internal/record"},
		{"internal/cv", "internal/decklist", "internal/locale", "internal/plain", "internal/ui", "internal/version"},
	}
	// A folder belongs to the row that names it most closely.
	level := func(dir string) int {
		at, longest := -1, ""
		for i, l := range layers {
			for _, name := range l {
				if within(dir, name) && len(name) > len(longest) {
					at, longest = i, name
				}
			}
		}
		return at
	}
	// Every package of the product stands in the table; what tests and studies
	// share does not.
	apart := []string{"internal/house", "internal/testutil", "internal/shufflestudy"}
	seen := map[string]bool{}
	for _, f := range sources(t) {
		from := level(f.dir)
		if from < 0 && !f.test && within(f.dir, "internal", "cmd", "vision") && !within(f.dir, apart...) && !seen[f.dir] {
			seen[f.dir] = true
			t.Errorf("%s is in no row of the table of layers", f.dir)
		}
		if from < 0 || f.test {
			continue
		}
		for _, p := range f.imports() {
			rel, ours := strings.CutPrefix(p, module+"/")
			if !ours {
				continue
			}
			to := level(rel)
			// vision/frame is the leaf that pictures travel in; OpenCV's
			// wrapper hands it out.
			if rel == "vision/frame" || rel == "vision/plane" || rel == "vision/colour" {
				continue
			}
			if to >= 0 && to < from {
				t.Errorf("%s imports %s: arrows run downward only", f.path, p)
			}
		}
	}
}

// TestOpenCVStaysBelow: gocv is imported only where frames are looked at, so
// that its types cannot appear in anybody else's signatures, and C and C++
// live in internal/cv alone.
func TestOpenCVStaysBelow(t *testing.T) {
	for _, f := range sources(t) {
		for _, p := range f.imports() {
			if (p == gocv || strings.HasPrefix(p, gocv+"/")) && !within(f.dir, "vision", "calibrate", "internal/cv") {
				t.Errorf("%s imports %s; only vision, calibrate and internal/cv may", f.path, p)
			}
			if p == "C" && !within(f.dir, "internal/cv") {
				t.Errorf("%s uses cgo; only internal/cv may", f.path)
			}
		}
	}
	root := testutil.ModuleRoot(t)
	for _, pattern := range []string{".c", ".cc", ".cpp", ".h", ".hpp", ".s"} {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == ".tools") {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			if filepath.Ext(p) == pattern && !within(path.Dir(filepath.ToSlash(rel)), "internal/cv") {
				t.Errorf("%s: C and C++ belong to internal/cv", rel)
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func dirs(files []file) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.dir)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
