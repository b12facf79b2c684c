package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fairdeck/internal/record"

	"github.com/google/go-cmp/cmp"
)

// whole is a check of a main deck of three sleeves, of which the second was
// not seen, and a side deck of two.
func whole() *record.Check {
	c := sample()
	c.Ruling = nil
	base := c.Sleeves[0]
	c.Sleeves, c.Sources = nil, nil
	for _, s := range []struct {
		n, place int
		part     string
	}{{1, 1, "main"}, {3, 3, "main"}, {4, 1, "side"}, {5, 2, "side"}} {
		one := base
		one.Sleeve, one.Part, one.Place, one.File = s.n, s.part, s.place, fmt.Sprintf("%s/%d.jpg", s.part, s.place)
		one.Unusable = ""
		c.Sleeves = append(c.Sleeves, one)
		c.Sources = append(c.Sources, record.Source{File: one.File, Part: s.part, Format: "png", WidthPx: 1, HeightPx: 1, Bytes: 1, SHA256: strings.Repeat("ab", 32)})
	}
	c.Groups = []record.Group{{Name: "A", Part: "main", Sleeves: []int{1, 3}}, {Name: "B", Part: "side", Sleeves: []int{4}}, {Name: "A", Part: "side", Sleeves: []int{5}, DeltaE: 9, Visibility: "obvious", What: "colour"}}
	c.Problems = []record.Problem{{Code: "no-card", Part: "main", File: "main/2.jpg", Sleeve: 2, Text: "no card", Remedy: "again"}, {Code: "x", Part: "side", Sleeve: 5, Text: "t", Remedy: "r"}}
	c.Warnings = []record.Warning{{Code: "frame", Part: "side", Text: "t"}, {Code: "part-light", Text: "of both"}}
	part := func(name string, n, seen int, with string) record.Part {
		return record.Part{
			Part: name, Level: record.Flagged, Lines: [3]string{"a", "b", "c"}, Count: record.Count{Sleeves: n, Inspected: seen, Flagged: 1},
			Cards: record.Cards{Min: seen, Max: n, By: record.CountedByPictures}, ComparedWith: []string{with}, Layout: c.Layout, Limits: c.Limits,
		}
	}
	c.Parts = []record.Part{part("main", 3, 2, "side"), part("side", 2, 2, "main")}
	c.Relations = []record.Relation{{Parts: [2]string{"main", "side"}, Groups: [2]string{"A", "B"}, DeltaE: 9, Visibility: "obvious", What: "colour"}}
	c.Told = &record.Told{Languages: "several", List: "none", Clear: []string{"side"}, Allowed: []record.Allowed{{Part: "main", Min: 50, Max: 50}}}
	c.Verdict.Count = record.Count{Sleeves: 5, Inspected: 4, Flagged: 4}
	c.Normalise()
	return c
}

func TestWholeIsWrittenAndRead(t *testing.T) {
	c := whole()
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	s := schema(t)
	if err := valid(t, s, b.Bytes()); err != nil {
		t.Error(err)
	}
	again, err := record.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, again); d != "" {
		t.Errorf("-written +read:\n%s", d)
	}
	for name, change := range map[string]func(*record.Check){
		"a part of no name":       func(c *record.Check) { c.Parts[0].Part = "graveyard" },
		"guessed languages":       func(c *record.Check) { c.Told.Languages = "probably one" },
		"cards counted by rumour": func(c *record.Check) { c.Parts[0].Cards.By = "rumour" },
		"a relation unseen":       func(c *record.Check) { c.Relations[0].Visibility = "" },
		"a part without a level":  func(c *record.Check) { c.Parts[1].Level = "" },
	} {
		bad := whole()
		change(bad)
		data, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		if valid(t, s, data) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

// TestSplit: each part is a check by itself, numbered from 1, and the check
// that was split stays as it was.
func TestSplit(t *testing.T) {
	c := whole()
	views := c.Split()
	if d := cmp.Diff(whole(), c); d != "" {
		t.Errorf("splitting changed the check:\n%s", d)
	}
	if len(views) != 2 {
		t.Fatalf("%d views", len(views))
	}
	main, side := views[0], views[1]
	numbers := func(v *record.Check) (text string) {
		for _, s := range v.Sleeves {
			text += fmt.Sprint(" ", s.Sleeve)
		}
		for _, g := range v.Groups {
			text += fmt.Sprint(" ", g.Name, g.Sleeves)
		}
		for _, p := range v.Problems {
			text += fmt.Sprint(" ", p.Code, p.Sleeve)
		}
		return text + fmt.Sprint(" ", len(v.Warnings), len(v.Sources), v.Verdict.Count.Sleeves)
	}
	if got, want := numbers(main), " 1 3 A[1 3] no-card2 0 2 3"; got != want {
		t.Errorf("main:%s, want%s", got, want)
	}
	if got, want := numbers(side), " 1 2 B[1] A[2] x2 1 2 2"; got != want {
		t.Errorf("side:%s, want%s", got, want)
	}
	if len(side.Parts) != 0 || side.Ruling != nil || len(side.Relations) != 0 {
		t.Error("a part has parts")
	}
	one := sample()
	if v := one.Split(); len(v) != 1 || v[0] != one {
		t.Error("a check without parts is its own part")
	}
	for n, want := range map[int]string{1: "main 1", 2: "main 2", 3: "main 3", 4: "side 1", 5: "side 2", 6: " 1", 0: "main 0"} {
		if part, place := c.Spot(n); fmt.Sprint(part, " ", place) != want {
			t.Errorf("sleeve %d lies at %s %d, want %s", n, part, place, want)
		}
	}
	e := &record.Evidence{PxPerMM: 1, MarginMM: 2, Sleeves: make([]record.Pictures, 4)}
	for i := range e.Sleeves {
		e.Sleeves[i].DeltaE = []uint8{uint8(i)}
	}
	parts := e.Split(c)
	if len(parts) != 2 || len(parts[1].Sleeves) != 2 || parts[1].Sleeves[0].DeltaE[0] != 2 || parts[1].PxPerMM != 6 || parts[1].MarginMM != 2 {
		t.Errorf("pictures: %+v", parts[1])
	}
}
