package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// said checks that an error is of a kind and tells where and what to do.
func said(t *testing.T, err, kind error, where string) {
	t.Helper()
	var e *Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	if e.Remedy == "" || !strings.Contains(err.Error(), where) {
		t.Errorf("%q does not name %s and a remedy", err, where)
	}
}

func TestDiskFull(t *testing.T) {
	t.Run("database", func(t *testing.T) {
		s := openDir(t, t.TempDir())
		first := mustAppend(t, s, draft(1))
		s.db.SetMaxOpenConns(1) // the limit below holds for one connection
		var pages int
		if err := s.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+1)); err != nil {
			t.Fatal(err)
		}
		d := draft(2)
		d.Body = append(append([]byte(`"`), bytes.Repeat([]byte("x"), 1<<20)...), '"')
		_, err := s.Append(context.Background(), d)
		said(t, err, ErrFull, databaseFile)
		verified(t, s, first.Head())
		if _, err := s.db.Exec("PRAGMA max_page_count = 1000000"); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, s, d) // after making room
	})
	t.Run("pictures", func(t *testing.T) {
		dir := t.TempDir()
		s := openDir(t, dir)
		first := mustAppend(t, s, draft(1))
		d := draft(2)
		d.Pictures[0].Open = func() (io.ReadCloser, error) { return io.NopCloser(fullDisk{}), nil }
		_, err := s.Append(context.Background(), d)
		said(t, err, ErrFull, pictureDir)
		if v := verified(t, s, first.Head()); v.Records != 1 {
			t.Errorf("%d records", v.Records)
		}
		for _, e := range must(os.ReadDir(filepath.Join(dir, pictureDir))) {
			if strings.HasPrefix(e.Name(), tempPrefix) {
				t.Errorf("%s was left behind", e.Name())
			}
		}
	})
	t.Run("whole disk", func(t *testing.T) {
		dir := t.TempDir()
		if err := mountSmall(dir); err != nil {
			t.Skip("a small disk cannot be mounted here:", err)
		}
		t.Cleanup(func() { unmount(dir) })
		s := openDir(t, dir)
		var heads []Head
		rnd := rand.NewChaCha8([32]byte{1})
		for n := range 200 {
			d := draft(n)
			picture := make([]byte, 20_000)
			rnd.Read(picture)
			d.Pictures[0].Open = Bytes(picture)
			r, err := s.Append(context.Background(), d)
			if err != nil {
				said(t, err, ErrFull, dir)
				break
			}
			heads = append(heads, r.Head())
		}
		if len(heads) == 0 || len(heads) == 200 {
			t.Fatalf("%d stores on a disk of 1 MB", len(heads))
		}
		if err := s.Close(); err != nil {
			t.Log("closing on a full disk:", err)
		}
		s = openDir(t, dir)
		if v := verified(t, s, heads...); v.Records != len(heads) {
			t.Errorf("%d records, %d were acknowledged", v.Records, len(heads))
		}
		s.Close()
	})
}

// fullDisk is a copy that stops as on a full disk.
type fullDisk struct{}

func (fullDisk) Read([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	first := mustAppend(t, s, draft(1))
	other, err := Open(context.Background(), Options{Dir: dir, Busy: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := s.db.Begin() // immediate: holds the write lock
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Append(context.Background(), draft(2))
	said(t, err, ErrLocked, databaseFile)
	if _, err := other.Get(context.Background(), "check-1"); err != nil {
		t.Errorf("reading must go on while another writes: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, other, draft(2))
	verified(t, s, first.Head())
}

func TestNotADatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, databaseFile)
	junk := bytes.Repeat([]byte("this is a photo album, not a database. "), 200)
	if err := os.WriteFile(path, junk, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Options{Dir: dir})
	said(t, err, ErrCorrupt, databaseFile)
	if !bytes.Equal(must(os.ReadFile(path)), junk) {
		t.Error("the foreign file was changed")
	}
}

// TestDamagedDatabase flips bytes anywhere in the file. Either something says
// so, or every record still reads exactly as it was.
func TestDamagedDatabase(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	var want []Record
	for n := range 20 {
		want = append(want, mustAppend(t, s, draft(n)))
	}
	if err := s.scrub(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := must(os.ReadFile(filepath.Join(dir, databaseFile)))
	rnd := rand.New(rand.NewPCG(1, 2))
	silent := 0
	for range 60 {
		broken := bytes.Clone(whole)
		broken[rnd.IntN(len(broken))] ^= byte(1 << rnd.IntN(8))
		copyDir := t.TempDir()
		if err := os.WriteFile(filepath.Join(copyDir, databaseFile), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, pictureDir), filepath.Join(copyDir, pictureDir)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), Options{Dir: copyDir})
		if err != nil {
			continue
		}
		v, err := s.Verify(context.Background())
		if err == nil && len(v.Problems) == 0 {
			silent++
			got := must(s.List(context.Background(), Filter{}))
			if v.Records != len(want) || len(got) != len(want) {
				t.Errorf("records vanished without a word")
			}
			for i := range got {
				if got[i].Hash != want[i].Hash || !bytes.Equal(got[i].Body, want[i].Body) {
					t.Errorf("record %d changed without a word", i)
				}
			}
		}
		s.Close()
	}
	t.Logf("%d of 60 flips were in unused space", silent)
}

// openAndReport is the child without rights.
func openAndReport(dir string) {
	_, err := Open(context.Background(), Options{Dir: dir})
	switch {
	case err == nil:
		fmt.Println("opened")
	case errors.Is(err, ErrReadOnly):
		fmt.Println("read-only:", err)
	default:
		fmt.Println("other:", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	base, err := os.MkdirTemp("", "fdro")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "data")
	s := openDir(t, dir)
	first := mustAppend(t, s, draft(1))
	s.Close()
	exe := filepath.Join(base, "child") // the test binary's own folder is closed to others
	if err := os.WriteFile(exe, must(os.ReadFile(os.Args[0])), 0o755); err != nil {
		t.Fatal(err)
	}
	child := func() string {
		cmd := exec.Command(exe)
		cmd.Dir = base
		cmd.Env = []string{"FAIRDECK_STORE_CHILD=open", "FAIRDECK_STORE_DIR=" + dir}
		if os.Getuid() == 0 { // root may write everywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	for _, mode := range []os.FileMode{0o000, 0o555} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				err = os.Chmod(path, 0o444)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if got := child(); !strings.HasPrefix(got, "read-only:") || !strings.Contains(got, "permissions") {
			t.Errorf("folder with mode %o: %s", mode, got)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		verified(t, openDir(t, dir), first.Head())
	}
	// A file where the folder should be.
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(context.Background(), Options{Dir: filepath.Join(file, "data")})
	said(t, err, ErrReadOnly, file)
}

func TestOddFolderNames(t *testing.T) {
	for _, name := range []string{"with space", "percent%41", "question?x=1", "hash#y", "牌組", "quote'\""} {
		dir := filepath.Join(t.TempDir(), name)
		s := openDir(t, dir)
		mustAppend(t, s, draft(1))
		if _, err := os.Stat(filepath.Join(dir, databaseFile)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		s.Close()
	}
}

func TestSettings(t *testing.T) {
	s := openDir(t, t.TempDir())
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s %v, want %s", pragma, got, err, want)
		}
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/data")
	if dir, err := DefaultDir(); err != nil || dir != filepath.Join("/data", "fairdeck") {
		t.Errorf("%s %v", dir, err)
	}
}

func FuzzParseEnvelope(f *testing.F) {
	f.Add([]byte(`{"schema":"record/v1","seq":1,"kind":"check","id":"a","created":"2026-08-06T12:00:00Z","body_sha256":"x","previous":"y"}`))
	f.Add([]byte(`{"schema":"record/v1","seq":1e3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := ParseEnvelope(raw); err == nil && HashEnvelope(raw) == HashEnvelope(nil) {
			t.Fatal("the hash does not depend on the envelope")
		}
	})
}
