package house

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"fairdeck/internal/testutil"
)

// TestManifest: every file under testdata is named in its manifest, with
// where it comes from, under which licence, and its checksum.
func TestManifest(t *testing.T) {
	root := filepath.Join(testutil.ModuleRoot(t), "testdata")
	data, err := os.ReadFile(filepath.Join(root, "MANIFEST.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Sets []struct {
			Folder, What, Origin, Licence string
			SHA256                        map[string]string
		}
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, s := range m.Sets {
		if s.Folder == "" || s.What == "" || s.Origin == "" || s.Licence == "" || len(s.SHA256) == 0 {
			t.Errorf("the set %q does not say what it is, its origin, licence and checksums", s.Folder)
		}
		for name, sum := range s.SHA256 {
			named[path.Join(s.Folder, name)] = sum
		}
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "MANIFEST.json" {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		want, ok := named[rel]
		if !ok {
			t.Errorf("testdata/%s is not in the manifest", rel)
			return nil
		}
		delete(named, rel)
		content, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("testdata/%s: sha256 %s, the manifest says %s", rel, got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range named {
		t.Errorf("testdata/%s is in the manifest and not there", name)
	}
}
