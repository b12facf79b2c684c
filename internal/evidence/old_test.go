package evidence

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write testdata for this version of the format; only for a new version")

// TestOldFilesStayReadable verifies the files that earlier releases wrote.
func TestOldFilesStayReadable(t *testing.T) {
	if *update {
		b, _ := bundle(t)
		if err := os.WriteFile(filepath.Join("testdata", "evidence-v1.zip"), write(t, b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "evidence-*.zip"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no old files: %v", err)
	}
	for _, f := range files {
		r, err := VerifyFile(f)
		if err != nil || !r.Intact() || r.CheckID != "check-17" {
			t.Errorf("%s: %v %v", f, err, r.Problems)
		}
	}
}
