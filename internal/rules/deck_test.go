package rules

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCheckCounts(t *testing.T) {
	type row struct {
		book   string
		part   Part
		lo, hi int
		want   Count
	}
	for _, r := range []row{
		{"cnc-2011", MainDeck, 40, 40, ""},
		{"cnc-2011", MainDeck, 39, 39, TooFew}, // 39 or fewer, whatever the reason
		{"cnc-2011", MainDeck, 0, 0, TooFew},
		{"cnc-2011", MainDeck, 60, 60, ""},
		{"cnc-2011", MainDeck, 61, 61, TooMany},
		{"cnc-2011", MainDeck, 39, 40, ""}, // two cards may have stuck together: no accusation
		{"cnc-2011", MainDeck, 38, 39, TooFew},
		{"cnc-2011", SideDeck, 0, 0, ""},
		{"cnc-2011", SideDeck, 15, 15, ""},
		{"cnc-2011", SideDeck, 16, 16, TooMany},
		{"konami-asia-2008", MainDeck, 39, 39, TooFew},
		{"konami-asia-2008", MainDeck, 61, 61, TooMany},
		{"konami-asia-2008", ExtraDeck, 15, 15, ""},
		{"konami-asia-2008", ExtraDeck, 16, 16, TooMany},
		{"konami-asia-2008", SideDeck, 16, 17, TooMany},
	} {
		findings, unruled := book(t, r.book).CheckCounts([]CardCount{{Part: r.part, Min: r.lo, Max: r.hi, Ref: "counts/0"}}, nil, ListNone)
		if len(unruled) != 0 {
			t.Errorf("%+v: not checked", r)
		}
		var got Count
		if len(findings) == 1 {
			got = findings[0].Facts.Count
			if err := findings[0].Validate(); err != nil {
				t.Error(err)
			}
		}
		if got != r.want || len(findings) > 1 {
			t.Errorf("%+v: got %q (%d findings)", r, got, len(findings))
		}
	}
}

func TestCountsTheBookLeavesToTheGame(t *testing.T) {
	b := book(t, "bushiroad-floor")
	counted := []CardCount{{Part: MainDeck, Min: 49, Max: 49, Ref: "counts/main"}}
	findings, unruled := b.CheckCounts(counted, nil, ListNone)
	if len(findings) != 0 || !slices.Equal(unruled, []Part{MainDeck}) {
		t.Errorf("without the game's number: %v, unruled %v; it must be said that nothing was checked", findings, unruled)
	}
	findings, unruled = b.CheckCounts(counted, map[Part]Limits{MainDeck: {50, 50}}, ListRight)
	if len(findings) != 1 || len(unruled) != 0 {
		t.Fatalf("with the organiser's number: %v, unruled %v", findings, unruled)
	}
	a, err := b.Advise(findings[0], 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Outcomes[0].Clauses[0].ID; got != "5.1.3" {
		t.Errorf("clause %s, want 5.1.3", got)
	}
}

func TestCheckCopies(t *testing.T) {
	counts := []FaceCount{{"a", MainDeck, 3, "f/a"}, {"a", SideDeck, 1, "f/a2"}, {"b", MainDeck, 3, "f/b"}, {"c", MainDeck, 1, "f/c"}, {"d", MainDeck, 1, "f/d"}}
	findings, ruled := book(t, "cnc-2011").CheckCopies(counts, map[string]int{"c": 0, "d": 1, "b": 9}, ListNone)
	if !ruled || len(findings) != 2 {
		t.Fatalf("%d findings (ruled %v), want a (3+1 over main and side) and c (forbidden)", len(findings), ruled)
	}
	if got := findings[0].Evidence; len(got) != 2 || got[0].Ref != "f/a" {
		t.Errorf("evidence %v", got)
	}
	if got := findings[1].Evidence[0].Ref; got != "f/c" {
		t.Errorf("second finding is about %s", got)
	}
	if _, ruled := book(t, "bushiroad-floor").CheckCopies(counts, nil, ListNone); ruled {
		t.Error("the floor rules give no number of copies, yet copies were judged")
	}
}

func TestSleeveRelations(t *testing.T) {
	want := map[string]map[[2]Part]Relation{
		"cnc-2011":         {{MainDeck, SideDeck}: MustMatch, {MainDeck, ExtraDeck}: MayDiffer, {SideDeck, ExtraDeck}: MayDiffer, {ExtraDeck, ExtraDeck}: MustMatch},
		"konami-asia-2008": {{MainDeck, SideDeck}: MustMatch, {MainDeck, ExtraDeck}: MustMatch, {SideDeck, ExtraDeck}: MustMatch},
		"bushiroad-floor":  {{MainDeck, MainDeck}: MustMatch, {MainDeck, SideDeck}: NotRuled, {ExtraDeck, ExtraDeck}: NotRuled},
	}
	for id, pairs := range want {
		for pair, relation := range pairs {
			if got := book(t, id).SleeveRelation(pair[0], pair[1]); got != relation {
				t.Errorf("%s, %v: %s, want %s", id, pair, got, relation)
			}
			if got := book(t, id).SleeveRelation(pair[1], pair[0]); got != relation {
				t.Errorf("%s, %v the other way round: %s", id, pair, got)
			}
		}
	}
}

func TestCheckSleeves(t *testing.T) {
	look := func(main, side, extra string) []PartSleeves {
		return []PartSleeves{{Part: MainDeck, Look: main, Visibility: Visible, Ref: "main"}, {Part: SideDeck, Look: side, Visibility: Obvious, Ref: "side"}, {Part: ExtraDeck, Look: extra, Ref: "extra"}}
	}
	clear := []PartSleeves{{Part: MainDeck, Clear: Yes, Layers: 3, Ref: "main"}}
	cases := []struct {
		name      string
		book      string
		parts     []PartSleeves
		languages Languages
		want      []Kind
	}{
		{"all alike", "konami-asia-2008", look("red", "red", "red"), OneLanguage, nil},
		{"extra differs", "konami-asia-2008", look("red", "red", "blue"), OneLanguage, []Kind{SleeveMixed}},
		{"extra may differ", "cnc-2011", look("red", "red", "blue"), OneLanguage, nil},
		{"side differs", "cnc-2011", look("red", "blue", "blue"), OneLanguage, []Kind{SleeveMixed}},
		{"side is not ruled", "bushiroad-floor", look("red", "blue", "green"), OneLanguage, nil},
		{"not inspected", "konami-asia-2008", look("red", "", ""), OneLanguage, nil},
		{"clear, one language", "cnc-2011", clear, OneLanguage, nil},
		{"clear, several", "cnc-2011", clear, SeveralLanguages, []Kind{SleeveTransparent}},
		{"clear, not asked", "cnc-2011", clear, "", []Kind{SleeveTransparent}},
		{"clear is never enough", "konami-asia-2008", clear, OneLanguage, []Kind{SleeveTransparent}},
		{"three layers", "bushiroad-floor", clear, OneLanguage, []Kind{SleeveLayers}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, c.book)
			var got []Kind
			for _, f := range b.CheckSleeves(c.parts, c.languages) {
				got = append(got, f.Kind)
				if _, err := b.Advise(f, everyLevel(b)[0]); err != nil {
					t.Error(err)
				}
				if f.Kind == SleeveMixed && (f.Facts.Part != Across || f.Facts.Visibility != Obvious) {
					t.Errorf("facts %+v, want across and the stronger visibility", f.Facts)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLanguagesAreAsked: where nobody said in how many languages the deck is,
// the advice asks instead of guessing.
func TestLanguagesAreAsked(t *testing.T) {
	b := book(t, "cnc-2011")
	f := b.CheckSleeves([]PartSleeves{{Part: MainDeck, Clear: Yes, Ref: "main"}}, "")[0]
	a, err := b.Advise(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Ask, []Fact{FactLanguages}) || len(a.Outcomes) != 2 {
		t.Errorf("asks %v with %d outcomes", a.Ask, len(a.Outcomes))
	}
}

func TestTimes(t *testing.T) {
	for _, id := range []string{"cnc-2011", "konami-asia-2008"} {
		b := book(t, id)
		if _, late := b.CheckTime(TimeBetweenGames, 3*time.Minute, "clock"); late {
			t.Errorf("%s: three minutes are allowed", id)
		}
		f, late := b.CheckTime(TimeBetweenGames, 3*time.Minute+time.Second, "clock")
		if !late || f.Kind != ShuffleSlow || f.Validate() != nil {
			t.Errorf("%s: three minutes and a second: %v %v", id, f, late)
		}
		if l, _, _ := b.TimeLimit(TimeMatch); l != 40*time.Minute {
			t.Errorf("%s: a match has %s", id, l)
		}
	}
	b := book(t, "bushiroad-floor")
	if l, c, known := b.TimeLimit(TimeShuffle); !known || l != 0 || c.Number != "2.4" {
		t.Errorf("bushiroad: %v %v %v; the book asks for haste without a number", l, c, known)
	}
	if _, late := b.CheckTime(TimeShuffle, time.Hour, "clock"); late {
		t.Error("bushiroad: a finding although the book gives no number")
	}
}
