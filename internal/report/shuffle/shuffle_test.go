package shuffle

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/randomness"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled is the schema of the contract.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file written by the first version stays valid, readable and printable.
func TestOldFileStaysReadable(t *testing.T) {
	data, err := os.ReadFile("testdata/score-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t).Validate(doc); err != nil {
		t.Errorf("no longer valid: %v", err)
	}
	d, err := ReadJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict.Level != randomness.Insufficient || d.Verdict.Cards != 20 || d.Verdict.Gaps != 1 || d.Verdict.Riffles.Best != 2 {
		t.Errorf("read %+v", d.Verdict)
	}
	var page, again bytes.Buffer
	if err := d.WriteHTML(&page, locale.Printer{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "place before") {
		t.Error("the page lacks the dot plot")
	}
	if err := d.WriteJSON(&again); err != nil {
		t.Fatal(err)
	}
	e, err := ReadJSON(&again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, e); diff != "" {
		t.Errorf("written and read again:\n%s", diff)
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for name, text := range map[string]string{
		"another schema": `{"schema":"shuffle/v2","kind":"power","settings":{"seed":0,"draws":1,"riffles":7,"questionable":0.01,"insufficient":0.001},"inputs":{},"power":[]}`,
		"no verdict":     `{"schema":"shuffle/v1","kind":"score","settings":{"seed":0,"draws":1,"riffles":7,"questionable":0.01,"insufficient":0.001},"inputs":{}}`,
		"p above 1":      `{"schema":"shuffle/v1","kind":"power","settings":{"seed":0,"draws":1,"riffles":7,"questionable":1.01,"insufficient":0.001},"inputs":{},"power":[]}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(doc) == nil {
			t.Errorf("%s is valid", name)
		}
	}
	if _, err := ReadJSON(strings.NewReader(`{"schema":"check/v1"}`)); err == nil {
		t.Error("another document was read")
	}
}

// Card names come from outside: nothing of them may become markup.
func TestNamesAreEscaped(t *testing.T) {
	evil := `<script>alert("x")</script>`
	before := randomness.NewOrder(evil, "b&b", `"q"`, "d", "e", "f", "g", "h", evil, "b&b")
	v, err := randomness.NewScorer(randomness.Options{Draws: 200}).Score(context.Background(), randomness.Request{Before: &before, After: before,
		Classes: randomness.Classes{evil: `<img src=x onerror=y>`, "d": "'kind'"}})
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := (Document{Kind: KindScore, Verdict: &v, Inputs: Inputs{After: evil}}).WriteHTML(&page, locale.Printer{}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "ZgotmplZ", "http:", "https:"} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// Every kind of verdict has a page, undecided ones too.
func TestEveryVerdictHasAPage(t *testing.T) {
	s := randomness.NewScorer(randomness.Options{Draws: 300})
	for _, o := range []randomness.Order{randomness.NewOrder("a"), randomness.NewOrder("a", "?", "b", "a", "b", "c"), randomness.NewOrder("a", "b", "c", "d", "e", "f", "g")} {
		before := o
		for _, b := range []*randomness.Order{nil, &before} {
			v, err := s.Score(context.Background(), randomness.Request{Before: b, After: o})
			if err != nil {
				t.Fatal(err)
			}
			var page, doc bytes.Buffer
			d := Document{Kind: KindScore, Verdict: &v, Settings: Settings{Draws: 300, Riffles: 7}}
			if err := d.WriteHTML(&page, locale.Printer{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(page.String(), string(v.Level)) || strings.Contains(page.String(), "NaN") {
				t.Errorf("%d cards: page without its level, or with NaN", o.Len())
			}
			if err := d.WriteJSON(&doc); err != nil {
				t.Fatal(err)
			}
			parsed, err := jsonschema.UnmarshalJSON(&doc)
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled(t).Validate(parsed); err != nil {
				t.Errorf("%d cards: %v", o.Len(), err)
			}
		}
	}
}

// A curve joins numbers of riffles; different shuffles are points.
func TestPowerPlotJoinsRifflesOnly(t *testing.T) {
	for names, want := range map[string]int{"riffle:1 riffle:2 riffle:3": 2, "riffle:1 riffle:2+cut": 0, "overhand:6 none": 0} {
		var ps []randomness.Power
		for i, m := range strings.Fields(names) {
			ps = append(ps, randomness.Power{Model: m, Trials: 10, Questionable: 1 / float64(i+1), Insufficient: .1})
		}
		if got := strings.Count(string(powerPlot(ps, english(t))), "<polyline"); got != want {
			t.Errorf("%s: %d lines, want %d", names, got, want)
		}
	}
}

// The axis under a law names whole numbers in equal steps, and at least two of them.
func TestLawPlotAxis(t *testing.T) {
	for _, c := range []randomness.Count{
		{Scale: 1, From: 0, Law: []float64{.4, .3, .2, .05, .03, .02}, Observed: 2},
		{Scale: 1, From: 0, Law: []float64{.97, .03}, Observed: 0},
		{Scale: 1, From: 20, Law: []float64{.25, .25, .25, .25}, Observed: 3},
		{Scale: 10, From: 14, Law: []float64{.25, .25, .25, .25}, Observed: 61},
	} {
		var at []int
		for _, m := range regexp.MustCompile(`text-anchor="middle">(\d+)</text>`).FindAllStringSubmatch(string(lawPlot(c, english(t))), -1) {
			v, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, v)
		}
		for i := 2; i < len(at); i++ {
			if at[i]-at[i-1] != at[1]-at[0] {
				t.Errorf("%+v: %v", c, at)
			}
		}
		if len(at) < 2 || len(at) > 9 {
			t.Errorf("%+v: %v", c, at)
		}
	}
}
