package ruling

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/record"
	"fairdeck/internal/rules"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestRecord: what is kept in the check says what the sheet says, fits the
// schema, and cites nothing for what only a camera sees.
func TestRecord(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(record.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("check.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("check.json#/$defs/ruling")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
		c := deck()
		s, err := Make(c, book(t, id), 2, Known{})
		if err != nil {
			t.Fatal(err)
		}
		c.Ruling = s.Record()
		c.Normalise()
		var b bytes.Buffer
		if err := c.Encode(&b); err != nil {
			t.Fatal(err)
		}
		again, err := record.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(whole.(map[string]any)["ruling"]); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if len(again.Ruling.Findings) != len(s.Advice) {
			t.Fatalf("%s: %d findings, the sheet has %d", id, len(again.Ruling.Findings), len(s.Advice))
		}
		quiet := false
		for i, f := range again.Ruling.Findings {
			if !slices.Equal(f.Sleeves, s.Places[i]) || len(f.Outcomes) != len(s.Advice[i].Outcomes) {
				t.Errorf("%s, %s: sleeves %v, %d outcomes", id, f.Kind, f.Sleeves, len(f.Outcomes))
			}
			for j, o := range f.Outcomes {
				want := s.Advice[i].Outcomes[j]
				if (want.Suggested != nil) != (len(o.Suggested) == 2) || len(o.Clauses) != len(want.Clauses) {
					t.Errorf("%s, %s: %+v", id, f.Kind, o)
				}
				if f.Visibility == "camera-only" {
					quiet = true
					if len(o.Clauses)+len(o.Suggested)+len(o.Remedies) > 0 || f.Withheld != "camera-only" {
						t.Errorf("%s: what only a camera sees leads to %+v", id, o)
					}
				}
			}
		}
		if !quiet {
			t.Errorf("%s: no finding that only a camera sees was looked at", id)
		}
	}
}
