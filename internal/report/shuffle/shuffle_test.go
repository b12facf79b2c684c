package shuffle

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

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
	if err := d.WriteHTML(&page); err != nil {
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
	if err := (Document{Kind: KindScore, Verdict: &v, Inputs: Inputs{After: evil}}).WriteHTML(&page); err != nil {
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
			if err := d.WriteHTML(&page); err != nil {
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
