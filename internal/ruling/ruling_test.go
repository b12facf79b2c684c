package ruling

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/rules"
)

func deck() *record.Check {
	turned := 180
	c := &record.Check{Schema: record.SchemaCheck, Created: time.Date(2026, 8, 6, 10, 0, 0, 0, time.UTC)}
	for i := 1; i <= 40; i++ {
		s := record.Sleeve{Sleeve: i, Group: "A"}
		switch i {
		case 7, 8, 9:
			s.Marks, s.Visibility, s.Flags = []record.Mark{{Kind: "scratch", LengthMM: 3.1, MeanDeltaE: 14}}, "visible", []record.Flag{record.FlagMark}
		case 12:
			s.Marks, s.Visibility, s.Flags = []record.Mark{{Kind: "nick"}}, "obvious", []record.Flag{record.FlagMark}
		case 20:
			s.Marks, s.Visibility = []record.Mark{{Kind: "speck"}}, "camera-only"
		case 30:
			s.TurnedDeg, s.Flags = &turned, []record.Flag{record.FlagTurned}
		case 35, 36:
			s.Group, s.Flags = "B", []record.Flag{record.FlagGroup}
		}
		c.Sleeves = append(c.Sleeves, s)
	}
	c.Groups = []record.Group{{Name: "A"}, {Name: "B", DeltaE: 6, Visibility: "visible", What: "colour"}}
	c.Verdict.Level, c.Verdict.Count = record.Flagged, record.Count{Sleeves: 40, Inspected: 40, Flagged: 7}
	return c
}

func book(tb testing.TB, id string) *rules.Book {
	tb.Helper()
	shelf, err := rules.Open(nil)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := shelf.Book(id)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func kinds(list []rules.Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, string(f.Kind)+"/"+string(f.Facts.Visibility))
	}
	return out
}

func TestFindings(t *testing.T) {
	got := kinds(Findings(deck(), Known{}))
	want := []string{
		"mark.obvious/obvious",
		"mark.isolated/obvious", "mark.pattern/obvious", // nobody knows the faces
		"mark.isolated/visible", "mark.pattern/visible",
		"mark.isolated/camera-only",
		"orientation.mixed/visible",
		"sleeve.mixed/visible",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for answer, kind := range map[rules.Answer]rules.Kind{rules.Yes: rules.MarkIsolated, rules.No: rules.MarkPattern} {
		for _, f := range Findings(deck(), Known{Shared: answer}) {
			if f.Kind == kind && f.Facts.Visibility != rules.CameraOnly {
				t.Errorf("shared %s, yet %s", answer, f.Kind)
			}
			if err := f.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	if got := Findings(&record.Check{}, Known{}); len(got) != 0 {
		t.Errorf("nothing was seen, yet %v", kinds(got))
	}
	spoiled := deck()
	for i := range spoiled.Sleeves {
		spoiled.Sleeves[i].Unusable, spoiled.Sleeves[i].Flags = "glare", nil
	}
	spoiled.Groups = nil
	if got := Findings(spoiled, Known{}); len(got) != 0 {
		t.Errorf("no sleeve was usable, yet %v", kinds(got))
	}
}

func TestSheetAsks(t *testing.T) {
	s, err := Make(deck(), book(t, "bushiroad-floor"), 2, Known{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Asks(); !slices.Equal(got, []rules.Fact{rules.FactShared, rules.FactPart, rules.FactOrdered}) {
		t.Errorf("asks %v", got)
	}
	s, err = Make(deck(), book(t, "cnc-2011"), 0, Known{Part: rules.MainDeck, Shared: rules.No})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Asks(); len(got) != 0 {
		t.Errorf("everything was answered, yet it asks %v", got)
	}
	if _, err := Make(deck(), book(t, "bushiroad-floor"), 0, Known{}); !errors.Is(err, rules.ErrLevel) {
		t.Errorf("no level: %v", err)
	}
}

func TestLinesInEveryLanguage(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor", rules.Neutral} {
		b := book(t, id)
		s, err := Make(deck(), b, 1, Known{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range locale.Languages() {
			text := strings.Join(s.Lines(cat.For(l)), "\n")
			for _, bad := range []string{"ruling.", "finding.", "answer.", "ask.", "action.", "withheld.", "condition.", "{", "visibility."} {
				if strings.Contains(text, bad) {
					t.Errorf("%s in %s shows %q:\n%s", id, l, bad, text)
				}
			}
			for _, a := range s.Advice {
				for _, o := range a.Outcomes {
					for _, c := range o.Clauses {
						if !strings.Contains(text, c.Number) || !strings.Contains(text, c.Quote) {
							t.Errorf("%s in %s lacks clause %s or its original", id, l, c.Number)
						}
					}
				}
			}
		}
	}
}

// TestCatalogueCoversRules: every kind, fact, value, action, condition and
// reason that rules can give has its text.
func TestCatalogueCoversRules(t *testing.T) {
	cat, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, k := range rules.Kinds() {
		keys = append(keys, "finding."+string(k))
	}
	for _, f := range rules.AllFacts() {
		keys = append(keys, "ask."+string(f))
		for _, v := range f.Values() {
			keys = append(keys, "answer."+string(f)+"."+v)
		}
	}
	for _, a := range []rules.Action{rules.ActionHeadJudge, rules.ActionMayForbid, rules.ActionProhibited, rules.ActionJudge, rules.ActionUnmentioned, rules.ActionAllowed} {
		keys = append(keys, "action."+string(a))
	}
	keys = append(keys, "condition."+string(rules.ConditionDeliberate), "withheld."+string(rules.WithheldCameraOnly), "withheld."+string(rules.WithheldVisibility), "withheld."+string(rules.WithheldProvisional))
	for _, v := range []rules.Visibility{rules.CameraOnly, rules.Visible, rules.Obvious} {
		keys = append(keys, "visibility."+string(v))
	}
	for _, key := range keys {
		if !cat.For(locale.English).Has(key) {
			t.Errorf("the catalogues lack %s", key)
		}
	}
}

func receipt(tb testing.TB, r Receipt, l locale.Language) string {
	tb.Helper()
	cat, err := locale.Load()
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteHTML(&b, cat.For(l)); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestReceipt(t *testing.T) {
	s, err := Make(deck(), book(t, "cnc-2011"), 0, Known{Part: rules.MainDeck})
	if err != nil {
		t.Fatal(err)
	}
	r := Receipt{Check: deck(), Sheet: s, Tournament: "CNC", Player: "Ada", Until: time.Date(2026, 8, 6, 10, 20, 0, 0, time.UTC), ID: "check-17", Hash: "abc"}
	en := receipt(t, r, locale.English)
	for _, want := range []string{"7–9", "10:20", "Ada", "check-17", "not a penalty", "Change the card&#39;s sleeve"} {
		if !strings.Contains(en, want) {
			t.Errorf("the receipt lacks %q", want)
		}
	}
	for _, l := range locale.Languages() {
		page := receipt(t, r, l)
		if !strings.Contains(page, `lang="`+string(l)+`"`) || strings.Contains(page, "receipt.") || strings.Contains(page, "{") && strings.Contains(page, "{name}") {
			t.Errorf("%s: %s", l, page)
		}
		// Nothing of the ruling, and nothing that only a camera sees.
		for _, secret := range []string{"game loss", "警诫", "警誡", "caution", "敗北", "sleeve 20", ">20<", "camera"} {
			if strings.Contains(page, secret) {
				t.Errorf("%s: the receipt tells %q", l, secret)
			}
		}
	}
	// What the cards share is not told, and the sleeves are listed all the same.
	shared, err := Make(deck(), book(t, "cnc-2011"), 0, Known{Shared: rules.Yes})
	if err != nil {
		t.Fatal(err)
	}
	if page := receipt(t, Receipt{Check: deck(), Sheet: shared}, locale.English); !strings.Contains(page, "7–9") || strings.Contains(page, "share") {
		t.Error(page)
	}
	clean := &record.Check{Created: r.Check.Created, Verdict: record.Verdict{Count: record.Count{Sleeves: 40, Inspected: 39}}}
	s, err = Make(clean, book(t, "cnc-2011"), 0, Known{})
	if err != nil {
		t.Fatal(err)
	}
	page := receipt(t, Receipt{Check: clean, Sheet: s, Until: r.Until}, locale.English)
	if !strings.Contains(page, "Nothing has to be replaced") || !strings.Contains(page, "Not every sleeve") || strings.Contains(page, "Until") {
		t.Error(page)
	}
}

func TestHostileNamesAreInert(t *testing.T) {
	s, err := Make(deck(), book(t, "cnc-2011"), 0, Known{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "\u202egnp", strings.Repeat("長", 10000), "{{.}}", "{time}"} {
		page := receipt(t, Receipt{Check: deck(), Sheet: s, Tournament: name, Player: name}, locale.English)
		for _, bad := range []string{"<script", "<img", "\u202e"} {
			if strings.Contains(page, bad) {
				t.Errorf("%q acts in the receipt", name)
			}
		}
		if len(page) > 20_000 {
			t.Errorf("a receipt of %d bytes", len(page))
		}
	}
}
