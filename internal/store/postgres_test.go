package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestPostgres starts a PostgreSQL of its own, from Debian's package or
// wherever initdb is found, and runs the same suite.
func TestPostgres(t *testing.T) {
	server := startPostgres(t)
	var n atomic.Int64
	suite(t, func(t *testing.T) opener {
		name := fmt.Sprintf("store%d", n.Add(1))
		admin, err := sql.Open("pgx", server("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close()
		if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		return func(tb testing.TB) *Store {
			tb.Helper()
			s, err := Open(context.Background(), Options{Dir: dir, URL: server(name)})
			if err != nil {
				tb.Fatal(err)
				return nil
			}
			tb.Cleanup(func() { s.Close() })
			return s
		}
	})
}

// startPostgres starts a server on a socket in a temporary folder and returns
// its address for a database. The test is skipped where PostgreSQL is absent.
func startPostgres(t *testing.T) func(database string) string {
	bin := postgresBin()
	if bin == "" {
		t.Skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
	// Not t.TempDir: the path of a socket has at most 107 bytes.
	dir, err := os.MkdirTemp("", "fdpg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		if os.Getuid() == 0 { // PostgreSQL refuses to run as root
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: asPostgres(t, dir)}
		}
		log, err := os.Create(filepath.Join(t.TempDir(), "log")) // a pipe would stay open in the server
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
	data := filepath.Join(dir, "data")
	run("initdb", "-D", data, "-A", "trust", "-U", "fairdeck", "--no-sync", "-E", "UTF8", "--locale=C")
	// Durability is not under test here, so the server need not wait for the disk.
	run("pg_ctl", "-D", data, "-w", "-t", "60", "-l", filepath.Join(dir, "server.log"),
		"-o", "-k "+dir+" -c listen_addresses='' -c fsync=off -c full_page_writes=off", "start")
	t.Cleanup(func() { run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop") })
	return func(database string) string {
		return "host=" + dir + " user=fairdeck dbname=" + database
	}
}

func postgresBin() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// asPostgres gives the folder to the user that runs the server.
func asPostgres(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			t.Skip("PostgreSQL does not run as root and there is no other user")
		}
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		t.Fatalf("user %s has ids %s and %s", u.Username, u.Uid, u.Gid)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func TestPostgresAddressWithoutPassword(t *testing.T) {
	for _, url := range []string{"postgres://judge:secret@nowhere.invalid/cup?connect_timeout=1", "postgres://judge:secret@[::broken/cup"} {
		_, err := Open(context.Background(), Options{Dir: t.TempDir(), URL: url})
		if err == nil {
			t.Fatal("opened a server that is not there")
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("the message tells the password: %v", err)
		}
	}
}
