package rules

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawFinding draws any valid finding.
func drawFinding(t *rapid.T) Finding {
	k := rapid.SampledFrom(Kinds()).Draw(t, "kind")
	f := Finding{Kind: k, Evidence: []Evidence{{Ref: "sleeves/3/marks/0"}}}
	for _, name := range AllFacts() {
		values := append([]string{""}, name.domain()...)
		if name == FactVisibility {
			values = append(values, string(CameraOnly))
		}
		f.Facts = f.Facts.with(name, rapid.SampledFrom(values).Draw(t, string(name)))
	}
	if f.Validate() != nil {
		t.Skip("facts that contradict the kind")
	}
	return f
}

func drawAdvice(t *rapid.T, shelf *Shelf) (*Book, Advice) {
	b := rapid.SampledFrom(shelf.Books()).Draw(t, "book")
	a, err := b.Advise(drawFinding(t), rapid.SampledFrom(everyLevel(b)).Draw(t, "level"))
	if err != nil {
		t.Fatal(err)
	}
	return b, a
}

func TestCameraOnlyNeverSuggestsAPenalty(t *testing.T) {
	shelf := open(t)
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(shelf.Books()).Draw(t, "book")
		f := drawFinding(t)
		f.Facts.Visibility = CameraOnly
		if f.Validate() != nil {
			t.Skip("mark.obvious is not camera-only")
		}
		a, err := b.Advise(f, rapid.SampledFrom(everyLevel(b)).Draw(t, "level"))
		if err != nil {
			t.Fatal(err)
		}
		if a.Withheld != WithheldCameraOnly {
			t.Fatalf("withheld = %q", a.Withheld)
		}
		for _, o := range a.Outcomes {
			if o.Suggested != nil || o.If != "" {
				t.Fatalf("%s suggests %v if %q for what only a camera sees", b.ID, o.Suggested, o.If)
			}
			if !f.Kind.IsHeadJudge() && (len(o.Clauses) > 0 || o.Action != ActionNone || len(o.Named) > 0) {
				t.Fatalf("%s cites %v, action %q for what only a camera sees", b.ID, numbersOf(o.Clauses), o.Action)
			}
		}
		if len(a.Ask) > 0 {
			t.Fatalf("asks %v about what only a camera sees", a.Ask)
		}
	})
}

// TestVisibilityMustBeStated: an appearance that does not say how visible it
// is leads to no suggestion either.
func TestVisibilityMustBeStated(t *testing.T) {
	shelf := open(t)
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(shelf.Books()).Draw(t, "book")
		f := drawFinding(t)
		f.Facts.Visibility = ""
		if !f.Kind.IsAppearance() || f.Kind == MarkObvious { // the kind itself says how visible it is
			t.Skip("not about looks")
		}
		a, err := b.Advise(f, rapid.SampledFrom(everyLevel(b)).Draw(t, "level"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range a.Outcomes {
			if o.Suggested != nil {
				t.Fatalf("%s suggests %v", b.ID, o.Suggested)
			}
		}
	})
}

// TestIntentIsNeverAsserted: whatever is found, a suggestion never rests on a
// clause about intent unless it says that the judge must find the intent, and
// what calls the head judge suggests nothing.
func TestIntentIsNeverAsserted(t *testing.T) {
	shelf := open(t)
	rapid.Check(t, func(t *rapid.T) {
		b, a := drawAdvice(t, shelf)
		for _, o := range a.Outcomes {
			for _, c := range o.Clauses {
				if c.Intent && o.Suggested != nil && o.If != ConditionDeliberate {
					t.Fatalf("%s suggests %s under clause %s without the judge", b.ID, o.Suggested.From.ID, c.Number)
				}
			}
			if a.Finding.Kind.IsHeadJudge() && (o.Suggested != nil || o.Action != ActionHeadJudge) {
				t.Fatalf("%s: %s does more than call the head judge", b.ID, a.Finding.Kind)
			}
		}
	})
}

// TestNoFactSpeaksOfIntent keeps the vocabulary clean: neither a kind nor a
// fact can say that somebody meant it.
func TestNoFactSpeaksOfIntent(t *testing.T) {
	words := []string{"deliberate", "cheat", "guilty", "malice"}
	var names []string
	for _, f := range AllFacts() {
		names = append(names, string(f))
		names = append(names, f.domain()...)
	}
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	for _, n := range names {
		for _, w := range words {
			if strings.Contains(n, w) {
				t.Errorf("%q asserts intent", n)
			}
		}
	}
}

// TestUnknownFactsAreAsked: leaving a fact open never gives another set of
// outcomes than answering it in all ways, and every open fact that matters is
// asked for.
func TestUnknownFactsAreAsked(t *testing.T) {
	shelf := open(t)
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(shelf.Books()).Draw(t, "book")
		level := rapid.SampledFrom(everyLevel(b)).Draw(t, "level")
		f := drawFinding(t)
		a, err := b.Advise(f, level)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Outcomes) == 0 {
			t.Fatal("no outcome")
		}
		if (len(a.Outcomes) > 1) != (len(a.Ask) > 0) {
			t.Fatalf("%d outcomes but asks %v", len(a.Outcomes), a.Ask)
		}
		// Answering every question leaves one outcome, and it is among those offered.
		answered := f
		for _, name := range a.Ask {
			v := rapid.SampledFrom(f.Kind.domain(name)).Draw(t, "answer "+string(name))
			answered.Facts = answered.Facts.with(name, v)
		}
		if answered.Validate() != nil || answered.Facts.Visibility == CameraOnly {
			t.Skip("the answers contradict the kind")
		}
		final, err := b.Advise(answered, level)
		if err != nil {
			t.Fatal(err)
		}
		if len(final.Outcomes) != 1 {
			t.Fatalf("after answering %v there are still %d outcomes", a.Ask, len(final.Outcomes))
		}
		got := numbersOf(final.Outcomes[0].Clauses)
		if !slices.ContainsFunc(a.Outcomes, func(o Outcome) bool { return slices.Equal(numbersOf(o.Clauses), got) }) {
			t.Fatalf("the outcome %v was not offered", got)
		}
	})
}

func TestAskBushiroadShared(t *testing.T) {
	b := book(t, "bushiroad-floor")
	a, err := b.Advise(found(OrientationMixed, Facts{Visibility: Visible, Ordered: No}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Outcomes) != 2 || !slices.Equal(a.Ask, []Fact{FactShared}) {
		t.Errorf("%d outcomes, asks %v; want 2 and shared", len(a.Outcomes), a.Ask)
	}
}

func TestLevelIsNeeded(t *testing.T) {
	f := found(MarkIsolated, visible)
	for _, level := range []Level{0, 4, -1} {
		if _, err := book(t, "bushiroad-floor").Advise(f, level); !errors.Is(err, ErrLevel) {
			t.Errorf("level %d: %v, want ErrLevel", level, err)
		}
	}
	if _, err := book(t, "cnc-2011").Advise(f, 3); err != nil {
		t.Errorf("a book without levels: %v", err)
	}
}

func TestFindingsRestOnEvidence(t *testing.T) {
	bad := map[string]Finding{
		"no evidence":       {Kind: MarkIsolated, Facts: visible},
		"empty reference":   {Kind: MarkIsolated, Facts: visible, Evidence: []Evidence{{}}},
		"unknown kind":      found("mark.suspicious", visible),
		"unknown value":     found(MarkIsolated, Facts{Visibility: "very"}),
		"shared isolated":   found(MarkIsolated, Facts{Shared: Yes}),
		"unshared pattern":  found(MarkPattern, Facts{Shared: No}),
		"invisible obvious": found(MarkObvious, visible),
		"list without one":  found(DeckList, Facts{List: ListNone}),
		"count of no part":  found(DeckCount, Facts{Part: Across}),
	}
	b := book(t, "cnc-2011")
	for name, f := range bad {
		if _, err := b.Advise(f, 0); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
