package shufflecli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairdeck/internal/report/shuffle"
	"fairdeck/randomness"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(shuffle.SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:fairdeck:shuffle:v1", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:fairdeck:shuffle:v1")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, data []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Fatalf("not shuffle/v1: %v", err)
	}
}

// files makes a before, an after and a class file in a fresh folder.
func files(t *testing.T, how string) (before, after, classes string) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	var b, a bytes.Buffer
	ctx := context.Background()
	deck := "land:4x6,spell:4x9"
	if err := (Simulate{Deck: deck, Shuffle: "random", Seed: 3}).Run(ctx, &b); err != nil {
		t.Fatal(err)
	}
	before = put("before.txt", b.String())
	var c strings.Builder
	c.WriteString("card,class\n")
	d, err := randomness.ParseComposition(deck)
	if err != nil {
		t.Fatal(err)
	}
	for f, k := range d.Classes() {
		c.WriteString(f + "," + k + "\n")
	}
	classes = put("classes.csv", c.String())
	if err := (Simulate{From: before, Classes: classes, Mark: "land", Shuffle: how, Seed: 4}).Run(ctx, &a); err != nil {
		t.Fatal(err)
	}
	return before, put("after.txt", a.String()), classes
}

func TestScoreSaysWhatHappened(t *testing.T) {
	for _, c := range []struct{ how, kind string }{
		{"overhand:3", "kept"}, {"pile:7", "stride"}, {"riffle:2", "rising"}, {"weave", "even"}, {"top:8", "ends"}, {"stack:14", "clump"},
	} {
		t.Run(c.how, func(t *testing.T) {
			before, after, classes := files(t, c.how)
			page := filepath.Join(t.TempDir(), "page.html")
			if dir := os.Getenv("FAIRDECK_KEEP_PAGES"); dir != "" {
				page = filepath.Join(dir, strings.ReplaceAll(c.how, ":", "-")+".html")
			}
			var out bytes.Buffer
			o := Score{Before: before, After: after, Classes: classes, Common: Common{JSON: true, HTML: page, Draws: 50_000}}
			level, err := o.Run(context.Background(), &out)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, out.Bytes())
			d, err := shuffle.ReadJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if d.Verdict.Level != randomness.Insufficient || level != d.Verdict.Level {
				t.Errorf("called %s: %s", d.Verdict.Level, d.Verdict.Sentence)
			}
			if len(d.Verdict.Findings) == 0 || d.Verdict.Findings[0].Kind != c.kind {
				t.Errorf("findings %+v, want %s first", d.Verdict.Findings, c.kind)
			}
			t.Log(d.Verdict.Sentence)
			html, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"http://", "https://", "<script", "ZgotmplZ", "NaN", "src="} {
				if bytes.Contains(html, []byte(bad)) {
					t.Errorf("the page holds %q", bad)
				}
			}
			if !bytes.Contains(html, []byte("<svg")) {
				t.Error("the page has no picture")
			}
		})
	}
}

func TestOneOrderAlone(t *testing.T) {
	_, after, classes := files(t, "weave")
	var out bytes.Buffer
	if _, err := (Score{Order: after, Classes: classes, Common: Common{JSON: true}}).Run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	valid(t, out.Bytes())
	var d shuffle.Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Verdict.Level != randomness.Insufficient || d.Verdict.Findings[0].Kind != "even" {
		t.Errorf("a weave is %s: %s", d.Verdict.Level, d.Verdict.Sentence)
	}
	out.Reset()
	if _, err := (Score{Order: after, Classes: classes}).Run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "INSUFFICIENT") || !strings.Contains(s, "no offence by itself") {
		t.Errorf("text:\n%s", s)
	}
}

// A deck that still lies as its list names it, or sorted, is recognised from one order alone.
func TestAgainstTheList(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte("[spell]\n4 Bolt\n4 Counterspell\n4 Growth\n4 Ritual\n[land]\n4 Swamp\n4 Island\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for against, order := range map[string][]string{
		"list":   {"Bolt", "Counterspell", "Growth", "Ritual", "Swamp", "Island"},
		"sorted": {"Island", "Swamp", "Bolt", "Counterspell", "Growth", "Ritual"},
	} {
		path := filepath.Join(dir, against)
		var text strings.Builder
		for _, f := range order {
			text.WriteString(strings.Repeat(f+"\n", 4))
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		level, err := Score{Order: path, Deck: list, Against: against, Common: Common{Draws: 50_000}}.Run(context.Background(), &out)
		if err != nil || level != randomness.Insufficient || !strings.Contains(out.String(), "nothing was done") {
			t.Errorf("%s: %s, %v\n%s", against, level, err, out.String())
		}
	}
}

func TestPowerAndSeries(t *testing.T) {
	ctx := context.Background()
	var out bytes.Buffer
	if err := (Power{Deck: "1x52", Common: Common{JSON: true, Draws: 5000}, Trials: 200, Shuffle: "riffle:3,random"}).Run(ctx, &out); err != nil {
		t.Fatal(err)
	}
	valid(t, out.Bytes())
	d, err := shuffle.ReadJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d.Power[0].Insufficient < .99 || d.Power[1].Questionable > .05 {
		t.Errorf("power %+v", d.Power)
	}
	var csv bytes.Buffer
	if err := (Simulate{Deck: "1x52", Shuffle: "riffle:1", Count: 3, Seed: 5}).Run(ctx, &csv); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if _, err := (Score{Series: "-", Common: Common{JSON: true, Draws: 5000, Stdin: &csv, HTML: filepath.Join(t.TempDir(), "s.html")}}).Run(ctx, &out); err != nil {
		t.Fatal(err)
	}
	valid(t, out.Bytes())
	if d, err = shuffle.ReadJSON(&out); err != nil {
		t.Fatal(err)
	}
	if len(d.Series.Steps) != 3 || d.Series.Evidence.Level != randomness.Insufficient {
		t.Errorf("series: %s", d.Series.Sentence)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	ctx := context.Background()
	before, after, _ := files(t, "riffle:3")
	for name, run := range map[string]func() error{
		"nothing given":   func() error { _, err := Score{}.Run(ctx, &bytes.Buffer{}); return err },
		"order and after": func() error { _, err := Score{Order: after, After: after}.Run(ctx, &bytes.Buffer{}); return err },
		"no deck":         func() error { return Power{}.Run(ctx, &bytes.Buffer{}) },
		"bad shuffle":     func() error { return Power{Deck: "4x15", Shuffle: "riffel"}.Run(ctx, &bytes.Buffer{}) },
		"list missing":    func() error { _, err := Score{Order: after, Against: "list"}.Run(ctx, &bytes.Buffer{}); return err },
	} {
		if err := run(); !errors.Is(err, ErrUsage) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
	data, err := os.ReadFile(after)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines[7] = "card 99"
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Score{Before: before, After: bad}.Run(ctx, &bytes.Buffer{})
	var mm *randomness.MismatchError
	if !errors.As(err, &mm) || !strings.Contains(err.Error(), `"card 99" (line 8)`) {
		t.Errorf("another card: %v", err)
	}
	if _, err := (Score{Before: "nowhere.txt", After: bad}).Run(ctx, &bytes.Buffer{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nowhere.txt") {
		t.Errorf("missing file: %v", err)
	}
}
