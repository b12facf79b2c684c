package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/record"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema compiles the embedded schema, formats included.
func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(record.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("check-v1.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("check-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t testing.TB, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// TestOldFilesStayReadable reads every check that an earlier fairdeck wrote,
// and writes it again byte for byte.
func TestOldFilesStayReadable(t *testing.T) {
	files, err := filepath.Glob("testdata/check-v1*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files (%v)", err)
	}
	s := schema(t)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := record.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := valid(t, s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var out bytes.Buffer
		if err := c.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(data), out.String()); d != "" {
			t.Errorf("%s is written differently (-was +is):\n%s", name, d)
		}
	}
}

func TestDecodeIsStrict(t *testing.T) {
	c := sample()
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for name, bad := range map[string]string{
		"unknown key":    strings.Replace(good, `"tool"`, `"extra": 1, "tool"`, 1),
		"something more": good + "{}",
		"cut off":        good[:len(good)-3],
		"wrong type":     strings.Replace(good, `"sleeves": [`, `"sleeves": 3, "x": [`, 1),
		"empty":          "",
	} {
		if _, err := record.Decode(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	var se *record.SchemaError
	if _, err := record.Decode(strings.NewReader(strings.Replace(good, "check/v1", "check/v2", 1))); !errors.As(err, &se) || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a later schema gave %v", err)
	}
	got, err := record.Decode(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, got); d != "" {
		t.Errorf("written and read (-want +got):\n%s", d)
	}
}

// TestDecodeRefusesContradictions: what somebody made of a check by hand is
// not taken for one.
func TestDecodeRefusesContradictions(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "check-v1-parts.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(c *record.Check){
		"no verdict":             func(c *record.Check) { *c = record.Check{Schema: record.SchemaCheck} },
		"another verdict":        func(c *record.Check) { c.Verdict.Level = record.NothingToSee },
		"fewer flagged":          func(c *record.Check) { c.Verdict.Count.Flagged = 0 },
		"flags taken away":       func(c *record.Check) { c.Sleeves[1].Flags = nil },
		"more inspected":         func(c *record.Check) { c.Verdict.Count.Inspected = 1e6 },
		"fewer than none":        func(c *record.Check) { c.Verdict.Count.Sleeves = -1 },
		"a sleeve too far":       func(c *record.Check) { c.Sleeves[8].Sleeve = 999 },
		"a sleeve twice":         func(c *record.Check) { c.Sleeves[4].Sleeve = 4 },
		"a sleeve that moved":    func(c *record.Check) { c.Sleeves[8].Part = "main" },
		"a part too many":        func(c *record.Check) { c.Parts = append(c.Parts, record.Part{Part: "side"}) },
		"a part of no deck":      func(c *record.Check) { c.Parts[1].Part = "graveyard" },
		"a part with fewer":      func(c *record.Check) { c.Parts[0].Count.Sleeves-- },
		"cards less than none":   func(c *record.Check) { c.Parts[0].Cards.Min = -1 },
		"cards from 9 down to 3": func(c *record.Check) { c.Parts[0].Cards = record.Cards{Min: 9, Max: 3} },
	} {
		c, err := record.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		edit(c)
		var b bytes.Buffer
		if err := c.Encode(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := record.Decode(&b); err == nil || !strings.Contains(err.Error(), "contradicts itself") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEncodeRefusesNaN: a number that JSON does not know is a fault, not a
// file that nobody can read.
func TestEncodeRefusesNaN(t *testing.T) {
	c := sample()
	c.Sleeves[0].Marks[0].PeakDeltaE = math.NaN()
	var b bytes.Buffer
	if err := c.Encode(&b); err == nil || b.Len() != 0 {
		t.Errorf("NaN was written: %v, %d bytes", err, b.Len())
	}
}

// TestSchemaKnowsGoTypes compares the schema with the Go types, key by key:
// the same names, and required exactly where Go always writes them.
func TestSchemaKnowsGoTypes(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal([]byte(record.Schema()), &root); err != nil {
		t.Fatal(err)
	}
	defs := root["$defs"].(map[string]any)
	compared := 0
	var compare func(path string, ty reflect.Type, node map[string]any)
	compare = func(path string, ty reflect.Type, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			node = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		if one, ok := node["oneOf"].([]any); ok { // null or the type
			compare(path, ty.Elem(), one[1].(map[string]any))
			return
		}
		if ty.Kind() == reflect.Pointer { // an optional object
			ty = ty.Elem()
		}
		switch {
		case ty == reflect.TypeFor[time.Time]():
			return
		case ty.Kind() == reflect.Slice || ty.Kind() == reflect.Array:
			items, ok := node["items"].(map[string]any)
			if !ok {
				t.Errorf("%s: the schema has no items", path)
				return
			}
			compare(path+"[]", ty.Elem(), items)
			return
		case ty.Kind() != reflect.Struct:
			return
		}
		compared++
		props := node["properties"].(map[string]any)
		var required []string
		for _, r := range node["required"].([]any) {
			required = append(required, r.(string))
		}
		if node["additionalProperties"] != false {
			t.Errorf("%s: the schema allows keys that Go does not know", path)
		}
		known := map[string]bool{}
		for i := range ty.NumField() {
			f := ty.Field(i)
			name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				t.Errorf("%s.%s has no JSON name", path, f.Name)
				continue
			}
			known[name] = true
			child, ok := props[name].(map[string]any)
			if !ok {
				t.Errorf("%s.%s is not in the schema", path, name)
				continue
			}
			if always := !strings.Contains(rest, "omitempty"); always != slices.Contains(required, name) {
				t.Errorf("%s.%s: Go always writes it: %v; the schema requires it: %v", path, name, always, !always)
			}
			compare(path+"."+name, f.Type, child)
		}
		for name := range props {
			if !known[name] {
				t.Errorf("%s.%s is in the schema and not in Go", path, name)
			}
		}
	}
	compare("check", reflect.TypeFor[record.Check](), root)
	if compared < 18 {
		t.Errorf("only %d types were compared", compared)
	}
}

// TestSchemaRefuses: the schema is not so wide that anything passes.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	for name, change := range map[string]func(*record.Check){
		"a level of no meaning":       func(c *record.Check) { c.Verdict.Level = "guilty" },
		"a sleeve number 0":           func(c *record.Check) { c.Sleeves[0].Sleeve = 0 },
		"a share above 1":             func(c *record.Check) { c.Sleeves[0].Inspected = 1.2 },
		"a turn of 90":                func(c *record.Check) { v := 90; c.Sleeves[0].TurnedDeg = &v },
		"a flag twice":                func(c *record.Check) { c.Sleeves[0].Flags = []record.Flag{"mark", "mark"} },
		"an empty sentence":           func(c *record.Check) { c.Verdict.Lines[1] = "" },
		"a list that is null":         func(c *record.Check) { c.Sleeves[0].Marks = nil },
		"a checksum that is not":      func(c *record.Check) { c.Sources[0].SHA256 = "abc" },
		"a negative ΔE":               func(c *record.Check) { c.Sleeves[0].Marks[0].PeakDeltaE = -1 },
		"a face without a place list": func(c *record.Check) { c.Faces[0].Places = nil },
		"a confidence above 1":        func(c *record.Check) { c.Order.Cards[0].Confidence = 1.5 },
		"an order by guess":           func(c *record.Check) { c.Order.By = "guess" },
		"a finding from nothing":      func(c *record.Check) { c.Ruling.Findings[0].Evidence = []record.Evidenced{} },
		"three ends of a range": func(c *record.Check) {
			o := &c.Ruling.Findings[0].Outcomes[0]
			o.Suggested = append(o.Suggested, o.Suggested[0])
		},
	} {
		c := sample()
		change(c)
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if valid(t, s, b) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
	b, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(t, s, b); err != nil {
		t.Errorf("the schema refuses the sample: %v", err)
	}
}

// FuzzDecode: whatever is accepted is written and read again without a
// change.
func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":"check/v1"}`))
	f.Add([]byte(`{"schema":"check/v1","created":"0000-01-01T00:00:00Z","profile":null,"sleeves":[{"corners_px":[{"x":1e308}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := record.Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		var once bytes.Buffer
		if err := c.Encode(&once); err != nil {
			t.Fatalf("accepted and cannot be written: %v", err)
		}
		again, err := record.Decode(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("written and cannot be read: %v", err)
		}
		var twice bytes.Buffer
		if err := again.Encode(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("not the same the second time (%v)", err)
		}
	})
}

// sample uses every key once.
func sample() *record.Check {
	turned := 180
	size := record.Size{Name: "standard sleeve", WidthMM: 66, HeightMM: 91}
	c := &record.Check{
		Schema:   record.SchemaCheck,
		Tool:     record.Tool{Name: "fairdeck", Version: "0.1.0", Revision: "abc", OpenCV: "4.6.0", Go: "go1.26"},
		Created:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Verdict:  record.Verdict{Level: record.Flagged, Lines: [3]string{"One.", "Two.", "Three."}, Count: record.Count{Sleeves: 1, Inspected: 1}},
		Settings: record.Settings{FalseAlarmRate: 0.01, ViewingDistanceMM: 400, Size: &size, Layout: "auto"},
		Layout:   record.Layout{Kind: "grid", By: "geometry", Text: "A grid."},
		Profile:  &record.Profile{Name: "table 3", SHA256: strings.Repeat("0f", 32)},
		Sources:  []record.Source{{File: "a.jpg", Format: "jpeg", WidthPx: 10, HeightPx: 20, Bytes: 30, SHA256: strings.Repeat("ab", 32), Cards: 1}},
		Sleeves: []record.Sleeve{{
			Sleeve: 1, File: "a.jpg", Card: 1, Size: size, PxPerMM: 6, Flags: []record.Flag{record.FlagMark, record.FlagTurned}, TurnedDeg: &turned,
			Group: "A", Visibility: "obvious", Inspected: 0.9, Unusable: "for the test",
			Marks:        []record.Mark{{Kind: "pen_dot", KindConfidence: 0.5, Visibility: "obvious", PValue: 0.001, PeakDeltaE: 12}},
			NotInspected: []record.Area{{Reason: "glare", Fraction: 0.1}},
		}},
		Groups:   []record.Group{{Name: "A", Sleeves: []int{1}, Visibility: "visible", What: "colour"}},
		Problems: []record.Problem{{Code: "input-missing", File: "b.jpg", Sleeve: 2, Text: "no such file", Remedy: "check the name"}},
		Warnings: []record.Warning{{Code: "input", File: "c.txt", Text: "left aside"}},
		Faces: []record.Face{
			{Face: "F1", Name: "Island", NamedBy: record.ByList, Class: "land", ClassBy: record.BySuggestion, Places: []int{1}, Foil: []int{1}, Picture: "faces/001.png"},
		},
		Order: &record.Order{By: record.OrderOnePass, Cards: []record.Placed{
			{Place: 1, Face: "F1", Confidence: 0.99, RunnerUp: "F2", Margin: 9, TurnedDeg: &turned, Sleeve: 1, SettledBy: record.BySettledPerson, File: "faces/001.png"},
			{Place: 2, Gap: "glare"},
		}, Questions: []record.FaceQuestion{{ID: "q1", Places: [2]int{1, 2}, Same: 0.5, AtMM: plane.Point{X: 3, Y: 4}, Answer: record.AnswerSame}}},
		List: &record.DeckList{File: "list.csv", Cards: 4, Matched: true, Lines: []record.ListLine{{Name: "Island", Class: "land", Part: "main", Count: 4, Seen: 1}}},
		Patterns: &record.Patterns{MaxChance: 0.01, Asked: 2, Notes: []string{"A note."}, Facts: []record.PatternFact{{
			Trait: "nick", AtMM: &plane.Point{X: 1, Y: 2}, Sleeves: []int{1}, Feature: "face", Value: "Island", Cards: 2, Of: 1, Bearers: 1, Both: 1,
			P: 0.5, Chance: 0.7, Odds: "about even", Shared: true, Seen: "visible", Sentence: "One of one.",
		}}},
		Limits:  record.Limits{PxPerMM: 6, SmallestMarkMM: 0.5},
		Timings: record.Timings{Total: 1, Decode: 0.1, Find: 0.2, Inspect: 0.7},
		Ruling: &record.Ruling{Book: "b", Origin: "built in", SHA256: strings.Repeat("cd", 32), Level: 2, Findings: []record.Finding{{
			Kind: "mark.isolated", Visibility: "visible", Part: "main", Sleeves: []int{1}, Evidence: []record.Evidenced{{Ref: "sleeves/0", Note: "3 mm"}},
			Withheld: "visibility-not-stated", Ask: []string{"shared"}, Outcomes: []record.Outcome{{
				Given: []map[string]string{{"shared": "no"}}, Clauses: []record.Clause{{ID: "c", Number: "5.11.1", Quote: "原文"}},
				Suggested: []record.Penalty{{ID: "caution", Original: "口头注意"}, {ID: "warning", Original: "警告"}}, Condition: "x", Action: "y", Remedies: []string{"replace"},
			}},
		}}},
	}
	c.Normalise()
	return c
}

func TestPlacesText(t *testing.T) {
	for want, places := range map[string][]int{
		"":                  nil,
		"7":                 {7},
		"4 and 5":           {4, 5},
		"4–6":               {4, 5, 6},
		"1, 4–9, 12 and 13": {1, 4, 5, 6, 7, 8, 9, 12, 13},
	} {
		if got := record.PlacesText(places); got != want {
			t.Errorf("%v: %q, want %q", places, got, want)
		}
	}
}
