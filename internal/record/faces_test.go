package record_test

import (
	"bytes"
	"strings"
	"testing"

	"fairdeck/internal/record"
)

// TestOrderRefusesContradictions: an order that was edited by hand does not
// name cards, faces or sleeves that the check does not have.
func TestOrderRefusesContradictions(t *testing.T) {
	for name, edit := range map[string]func(c *record.Check){
		"a face of no name":      func(c *record.Check) { c.Faces[0].Face = "" },
		"a face twice":           func(c *record.Check) { c.Faces = append(c.Faces, c.Faces[0]) },
		"faces without an order": func(c *record.Check) { c.Order = nil },
		"a place left out":       func(c *record.Check) { c.Order.Cards[1].Place = 3 },
		"a gap without a reason": func(c *record.Check) { c.Order.Cards[1].Gap = "" },
		"a face that is none":    func(c *record.Check) { c.Order.Cards[0].Face = "F9" },
		"a sleeve that is none":  func(c *record.Check) { c.Order.Cards[0].Sleeve = 7 },
		"a sleeve twice":         func(c *record.Check) { c.Order.Cards[1].Sleeve = 1 },
		"a copy too many":        func(c *record.Check) { c.Faces[0].Places = []int{1, 2} },
	} {
		c := sample()
		c.Sleeves[0].Flags = c.Sleeves[0].Flags[:0] // sample's sleeve is unusable and counts as none
		c.Verdict.Count.Flagged = 0
		var good, bad bytes.Buffer
		if err := c.Encode(&good); err != nil {
			t.Fatal(err)
		}
		if _, err := record.Decode(&good); err != nil {
			t.Fatalf("before the edit: %v", err)
		}
		edit(c)
		if err := c.Encode(&bad); err != nil {
			t.Fatal(err)
		}
		if _, err := record.Decode(&bad); err == nil || !strings.Contains(err.Error(), "contradicts itself") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
