package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/visiontest"
)

// faceDeck writes stills of cards that lie face up, and returns their faces.
func faceDeck(t *testing.T, dir string, edit func(d *visiontest.Deck)) []int {
	t.Helper()
	if testing.Short() {
		t.Skip("a deck of faces is rendered")
	}
	f := visiontest.RandomFaces(5, visiontest.FaceRanges{Cards: 4, Copies: 1, Foils: -1, Turns: -1, LookAlike: -1, Styles: []visiontest.FaceStyle{visiontest.Framed}})
	f.Of = []int{0, 1, 1, 2, 0, 3, 2, 1}
	f.Foil, f.Turned = make([]bool, 8), make([]bool, 8)
	f.Turned[4] = true
	d := visiontest.Deck{Cards: 8, Seed: 5, Fronts: &f, Sensor: visiontest.Sensor{Exposure: 0.8}}
	if edit != nil {
		edit(&d)
	}
	st, err := visiontest.New(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.WriteFolder(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "truth.json")); err != nil {
		t.Fatal(err)
	}
	return f.Of
}

// ranOK runs the program and wants an exit code.
func ranOK(t *testing.T, want int, args ...string) *ui.Fake {
	t.Helper()
	term := &ui.Fake{}
	if code := run(t.Context(), args, term); code != want {
		t.Fatalf("%v ended with %d, want %d:\n%s", args, code, want, term.Stderr())
	}
	return term
}

// TestOrder: the order of faces goes through the CSV into shuffle score; names,
// lists and answers are taken; what cannot be read is a gap with exit code 3.
func TestOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "faces")
	of := faceDeck(t, dir, nil)
	term := ranOK(t, exitOK, "order", dir)
	rows, err := csv.NewReader(strings.NewReader(term.Stdout())).ReadAll()
	if err != nil || len(rows) != len(of)+1 {
		t.Fatalf("%d rows, %v:\n%s", len(rows), err, term.Stdout())
	}
	names := map[int]string{}
	for i, face := range of {
		if n := rows[i+1][1]; names[face] == "" {
			names[face] = n
		} else if names[face] != n {
			t.Errorf("place %d is %s, a copy of it is %s", i+1, n, names[face])
		}
	}
	if len(names) != 4 {
		t.Errorf("%d faces: %v", len(names), names)
	}
	file := filepath.Join(t.TempDir(), "order.csv")
	if err := os.WriteFile(file, []byte(term.Stdout()), 0o644); err != nil {
		t.Fatal(err)
	}
	// Nothing was shuffled, and that is seen.
	ranOK(t, exitFlagged, "shuffle", "score", "--draws", "5000", "--before", file, "--after", file, "--json")

	work := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out := filepath.Join(work, "out")
	ranOK(t, exitOK, "order", "--out", out, "--names", write("names.csv", "place,name,class\n1,Alpha,land\n2,Beta,\n4,Gamma,\n6,Delta,\n"),
		"--list", write("list.txt", "[land]\n2 Alpha\n[spell]\n3 Beta\n3 Gamma\n1 Delta\n"), "--answers", write("answers.csv", "a,b,answer\n2,3,same\n"), dir)
	data, err := os.Open(filepath.Join(out, "check.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	c, err := record.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !c.List.Matched || c.List.Lines[2].Name != "Gamma" || c.List.Lines[2].Count != 3 || c.List.Lines[2].Seen != 2 {
		t.Errorf("the list: %+v", c.List)
	}
	beta := c.FaceOf(c.Order.Cards[1].Face)
	if beta.Name != "Beta" || beta.NamedBy != record.BySettledPerson || beta.Class != "spell" || beta.ClassBy != record.ByList || !slices.Equal(beta.Places, []int{2, 3, 8}) {
		t.Errorf("a named face: %+v", beta)
	}
	if p := c.Order.Cards[2]; p.SettledBy != record.BySettledPerson || p.Face != c.Order.Cards[1].Face {
		t.Errorf("an answered place: %+v", p)
	}

	// A picture that is none keeps its place as a gap.
	if err := os.WriteFile(filepath.Join(dir, "back_002.jpg"), []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	term = ranOK(t, exitInput, "order", "--json", dir)
	var order struct{ Cards []struct{ Face *string } }
	if err := json.Unmarshal([]byte(term.Stdout()), &order); err != nil || len(order.Cards) != 8 || order.Cards[2].Face != nil || order.Cards[3].Face == nil {
		t.Errorf("%v: %s", err, term.Stdout())
	}
}

// TestCheckTwoPasses: backs and faces as pictures give one check in which the
// sleeves have their faces, in the reverse order too.
func TestCheckTwoPasses(t *testing.T) {
	work := t.TempDir()
	of := faceDeck(t, filepath.Join(work, "faces"), nil)
	faceDeck(t, filepath.Join(work, "backs"), func(d *visiontest.Deck) { d.Fronts = nil })
	term := &ui.Fake{}
	// What the sleeves show is not this test's.
	run(t.Context(), []string{"check", "--json", "--backs", filepath.Join(work, "backs"), "--faces", filepath.Join(work, "faces"), "--reversed"}, term)
	c, err := record.Decode(strings.NewReader(term.Stdout()))
	if err != nil {
		t.Fatalf("%v\n%s", err, term.Stderr())
	}
	if c.Order == nil || c.Order.By != record.OrderTwoPasses || len(c.Order.Cards) != 8 {
		t.Fatalf("the order: %+v", c.Order)
	}
	slices.Reverse(of)
	seen := map[int]string{}
	for i, p := range c.Order.Cards {
		if p.Sleeve != i+1 {
			t.Errorf("place %d has sleeve %d", i+1, p.Sleeve)
		}
		if f := seen[of[i]]; f != "" && f != p.Face {
			t.Errorf("place %d is %s and its copy %s", i+1, p.Face, f)
		}
		seen[of[i]] = p.Face
	}
}

// TestCheckUsage: wrong use is told before anything is looked at.
func TestCheckUsage(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"check"}, {"check", dir}, {"check", "--backs", dir}, {"check", "--reversed", "0"}, {"check", "--backs", "0", "--faces", "1"}, {"check", "--backs", dir, "--faces", dir, "0"},
		{"order"}, {"order", "0", "1"},
	} {
		ranOK(t, exitUsage, args...)
	}
	bad := filepath.Join(dir, "bad.txt")
	for name, text := range map[string]string{"--list": "Island\n", "--names": "x,y\n1,2\n", "--answers": "a,b,answer\n1,2,perhaps\n"} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if term := ranOK(t, exitInput, "order", name, bad, dir); !strings.Contains(fmt.Sprint(term.Stderr()), "bad.txt") {
			t.Errorf("%s: the file is not named: %s", name, term.Stderr())
		}
	}
}
