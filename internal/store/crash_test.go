package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
)

// appendUntilKilled is the child: it stores checks and says so after each.
func appendUntilKilled(dir string) error {
	s, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		return err
	}
	head, err := s.Head(context.Background())
	if err != nil {
		return err
	}
	for n := int(head.Seq); ; n++ {
		r, err := s.Append(context.Background(), draft(n))
		if err != nil {
			return err
		}
		fmt.Printf("stored %s %s\n", r.Envelope.ID, r.Hash)
	}
}

// TestKilledWhileStoring kills a process with SIGKILL at random moments during
// 500 stores. What it said was stored must be there, the database must open,
// and the chain must verify.
func TestKilledWhileStoring(t *testing.T) {
	if testing.Short() {
		t.Skip("500 stores with full sync")
	}
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(8, 500))
	stored := map[string]string{} // ID to hash
	kills := 0
	for len(stored) < 500 {
		kills++
		killAfter(t, dir, 10+rnd.IntN(60), stored)
		s := openDir(t, dir)
		verified(t, s)
		for id, hash := range stored {
			r, err := s.Get(context.Background(), id)
			if err != nil || r.Hash != hash {
				t.Fatalf("%s was acknowledged and is gone: %v", id, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d stores acknowledged, killed %d times", len(stored), kills)
}

// killAfter runs the child until it has acknowledged n stores and kills it.
func killAfter(t *testing.T, dir string, n int, stored map[string]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FAIRDECK_STORE_CHILD=append", "FAIRDECK_STORE_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); {
		var id, hash string
		if _, err := fmt.Sscanf(lines.Text(), "stored %s %s", &id, &hash); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		stored[id] = hash
		if seen++; seen == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
}
