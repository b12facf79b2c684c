package check_test

import (
	"context"
	"testing"

	"fairdeck/internal/check"
	"fairdeck/internal/testutil"
	"fairdeck/vision/sleeve"
)

// TestReflectionsAccuseNobody inspects a gloss deck over which a reflection
// drifts, corners found by the finder: no sleeve bears a mark, so none may be
// said to have one that a player sees.
func TestReflectionsAccuseNobody(t *testing.T) {
	deck := testutil.Fixtures(t, "decks", "d4_batch_gloss_art")
	c, _, err := check.Run(context.Background(), check.Options{Patterns: []string{deck}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sleeves) != 40 {
		t.Fatalf("%d sleeves of 40", len(c.Sleeves))
	}
	for _, s := range c.Sleeves {
		if s.Group != "A" {
			continue // another batch, with its print elsewhere
		}
		for _, m := range s.Marks {
			if sleeve.Visibility(m.Visibility).Rank() >= sleeve.Visible.Rank() {
				t.Errorf("sleeve %d: %s %s at %v, p %g", s.Sleeve, m.Visibility, m.Kind, m.CentreMM, m.PValue)
			}
		}
	}
}
