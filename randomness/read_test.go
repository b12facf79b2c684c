package randomness_test

import (
	"bytes"
	"embed"
	"errors"
	"strings"
	"testing"

	"fairdeck/randomness"
	"github.com/google/go-cmp/cmp"
)

func faces(o randomness.Order) (out []string) {
	for _, c := range o.Cards {
		f := c.Face
		if f == randomness.Gap {
			f = "?"
		}
		out = append(out, f)
	}
	return out
}

func TestReaders(t *testing.T) {
	want := []string{"Island", "?", "Mountain, Snow", "Île \"d'or\""}
	for name, text := range map[string]string{
		"deck.txt":  "# top first\nIsland\n?\n  Mountain, Snow \nÎle \"d'or\"\n\n",
		"deck.csv":  "\xef\xbb\xbfplace,card,confidence\n1,Island,0.98\n2,?,\n3,\"Mountain, Snow\",1\n4,\"Île \"\"d'or\"\"\",\n",
		"short.csv": "card\r\nIsland\r\n?\r\n\"Mountain, Snow\"\r\n\"Île \"\"d'or\"\"\"\r\n",
		"deck.json": `{"schema":"order/v1","cards":[{"face":"Island","confidence":0.98},{"face":null},{"face":"Mountain, Snow"},{"face":"Île \"d'or\""}]}`,
	} {
		o, err := randomness.ReadOrder(strings.NewReader(text), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, faces(o)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
	o, err := randomness.ReadOrder(strings.NewReader("card,confidence\nIsland,0\nSwamp,0.5\n"), "c.csv")
	if err != nil || o.Cards[0].Face != randomness.Gap || o.Cards[1].Confidence != .5 || o.Cards[1].Line != 3 {
		t.Errorf("confidences: %+v, %v", o, err)
	}
}

func TestReadersNameTheLine(t *testing.T) {
	long := strings.Repeat("x\n", 251)
	for _, c := range []struct {
		name, text, want string
	}{
		{"a.txt", "", "a.txt: no cards"},
		{"a.txt", "Island\n\nSwamp\n", "a.txt:2: empty line"},
		{"a.txt", "Island\nSwa\x01mp\n", "a.txt:2: card name"},
		{"a.txt", "Island\nSwa\u009bmp\n", "a.txt:2: card name"}, // a terminal takes U+009B for escape and bracket
		{"a.txt", "Is\u202eland\nSwamp\n", "a.txt:1: card name"}, // turns the text after it around
		{"a.txt", "Isl\xffand\n", "not UTF-8"},
		{"a.txt", long, "a.txt:251: 251 cards"},
		{"a.txt", strings.Repeat("y", 300), "a.txt:1: card name longer"},
		{"a.csv", "", "empty file"},
		{"a.csv", "place,name\n1,x\n", `a.csv:1: unknown column "name"`},
		{"a.csv", "card,card\nx,y\n", `column "card" twice`},
		{"a.csv", "place,card\n1,Island\n3,Swamp\n", `a.csv:3: place "3" where 2`},
		{"a.csv", "card,confidence\nIsland,1.5\n", "a.csv:2: confidence"},
		{"a.csv", "card,confidence\nIsland,NaN\n", "a.csv:2: confidence"},
		{"a.csv", "card,confidence\nIsland\n", "a.csv:2: 1 fields"},
		{"a.csv", "card\n\"Island\nSwamp\n", "a.csv"},
		{"a.csv", "place\n1\n", "no column named card"},
		{"a.json", `{"schema":"order/v2","cards":[]}`, `schema "order/v2"`},
		{"a.json", "{\"schema\":\"order/v1\",\n\"cards\":[{\"face\":\"x\",\"foil\":true}]}", "a.json:2"},
		{"a.json", "{\"schema\":\"order/v1\",\"cards\":[{\"face\":\"x\"}]}\nmore", "text after the end"},
		{"a.json", `{"schema":"order/v1","cards":[{"face":""}]}`, "card 1"},
		{"a.json", `{"schema":"order/v1","cards":[{"face":"x","confidence":-1}]}`, "confidence -1"},
	} {
		_, err := randomness.ReadOrder(strings.NewReader(c.text), c.name)
		var re *randomness.ReadError
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &re) {
			t.Errorf("%q: %v, want %q", c.text[:min(30, len(c.text))], err, c.want)
		}
	}
}

func TestReadDeck(t *testing.T) {
	d, err := randomness.ReadDeck(strings.NewReader("# my deck\n[land]\n10 Island\n4x Fetch Land\n\n[spell]\n4 Bolt\n"), "list.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 18 || d.Classes()["Fetch Land"] != "land" || d.Counts()["Bolt"] != 4 || d.Lines[2].Line != 7 {
		t.Errorf("%+v", d)
	}
	if o := d.Order(); o.Len() != 18 || o.Cards[17].Face != "Bolt" {
		t.Errorf("list order %+v", o)
	}
	if o := d.Sorted(); o.Cards[0].Face != "Fetch Land" {
		t.Errorf("sorted order starts with %q", o.Cards[0].Face)
	}
	for text, want := range map[string]string{
		"":                            "no cards",
		"Island\n":                    "l:1",
		"0 Island\n":                  "l:1",
		"4 Island\n999 Swamp\n":       "l:2: more than 250",
		"4 ?\n":                       "no unread cards",
		"[a]\n1 Bolt\n[b]\n1 Bolt\n":  "l:4",
		"99999999999999999999 Bolt\n": "l:1",
	} {
		if _, err := randomness.ReadDeck(strings.NewReader(text), "l"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestReadClassesAndSeries(t *testing.T) {
	c, err := randomness.ReadClasses(strings.NewReader("card,class\nIsland,land\nBolt,spell\n"), "c.csv")
	if err != nil || c["Bolt"] != "spell" {
		t.Errorf("%v, %v", c, err)
	}
	for text, want := range map[string]string{
		"card,class\n":                            "no classes",
		"card,class\nIsland,\n":                   "c:2",
		"card,class\nIsland,land\nIsland,spell\n": `"Island" is in class "spell" here and in class "land" on line 2`,
		"card,class,colour\nIsland,land,blue\n":   "unknown column",
	} {
		if _, err := randomness.ReadClasses(strings.NewReader(text), "c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	s, err := randomness.ReadSeries(strings.NewReader("start,one,two\na,b,?\nb,a,b\n"), "s.csv")
	if err != nil || len(s.Orders) != 3 || s.Orders[2].Gaps() != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"start\na\n":            "one column",
		"start,one\na,b\nb,c\n": "not the same cards",
		"start,one\na,\n":       "s:2: empty card name",
	} {
		if _, err := randomness.ReadSeries(strings.NewReader(text), "s"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseComposition(t *testing.T) {
	d, err := randomness.ParseComposition("land:6x2+4x3,spell:4x9")
	if err != nil || d.Len() != 60 || len(d.Lines) != 14 || d.Classes()["card 5"] != "land" || d.Classes()["card 6"] != "spell" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = randomness.ParseComposition("24+4x9"); err != nil || d.Len() != 60 || len(d.Lines) != 10 {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{"", "x", "4x", "x4", "0x4", "4x0", "-1", "4x10+", "999", "250x2", "4x99999999", ":4", "a:"} {
		if _, err := randomness.ParseComposition(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// fuzzOrder checks what every order reader promises: an error, or a usable order.
func fuzzOrder(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := randomness.ReadOrder(bytes.NewReader(data), name)
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Fatalf("the message does not name the file: %v", err)
			}
			return
		}
		if o.Len() == 0 || o.Len() > 250 {
			t.Fatalf("%d cards", o.Len())
		}
		for _, c := range o.Cards {
			if c.Confidence < 0 || c.Confidence > 1 || c.Face == "?" || strings.TrimSpace(c.Face) != c.Face {
				t.Fatalf("card %+v", c)
			}
		}
		if err := (randomness.Pair{Before: o, After: o}).Check(); err != nil {
			t.Fatalf("an order is not itself: %v", err)
		}
	})
}

func FuzzReadText(f *testing.F) { fuzzOrder(f, "x.txt", "Island\n?\nSwamp\n", "# c\n\n", "\xff") }
func FuzzReadCSV(f *testing.F) {
	fuzzOrder(f, "x.csv", "place,card,confidence\n1,Island,0.5\n2,?,\n", "card\n\"a\"\"b\"\n", "card,confidence\nx,NaN\n", "card\n\"")
}
func FuzzReadJSON(f *testing.F) {
	fuzzOrder(f, "x.json", `{"schema":"order/v1","cards":[{"face":"Island","confidence":0.98},{"face":null}]}`, `{"schema":"order/v1","cards":[{}]}`, `{}`)
}

func FuzzReadSeries(f *testing.F) {
	f.Add([]byte("1,2\na,b\nb,a\n"))
	f.Add([]byte("\"a,b\",c\nx,x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := randomness.ReadSeries(bytes.NewReader(data), "x.csv")
		if err != nil {
			return
		}
		for _, o := range s.Orders {
			if len(s.Orders) < 2 || o.Len() != s.Orders[0].Len() {
				t.Fatalf("%d orders, one of %d cards", len(s.Orders), o.Len())
			}
		}
	})
}

func FuzzReadDeck(f *testing.F) {
	f.Add([]byte("[land]\n4 Island\n10x Swamp\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := randomness.ReadDeck(bytes.NewReader(data), "x")
		if err == nil && (d.Len() < 1 || d.Len() > 250 || d.Order().Len() != d.Len()) {
			t.Fatalf("%+v", d)
		}
	})
}

func FuzzReadClasses(f *testing.F) {
	f.Add([]byte("card,class\nIsland,land\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := randomness.ReadClasses(bytes.NewReader(data), "x")
		if err == nil && len(c) == 0 {
			t.Fatal("no classes and no error")
		}
	})
}

func FuzzParseComposition(f *testing.F) {
	f.Add("land:6x2+4x3,spell:4x9")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := randomness.ParseComposition(s)
		if err == nil && (d.Len() < 1 || d.Len() > 250) {
			t.Fatalf("%d cards", d.Len())
		}
	})
}

// Files of the first version stay readable.
func TestOldOrderFile(t *testing.T) {
	data, err := testdata.ReadFile("testdata/order-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	o, err := randomness.ReadOrder(bytes.NewReader(data), "order-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"Island", "?", "Mountain"}, faces(o)); d != "" || o.Cards[0].Confidence != .98 {
		t.Errorf("%+v\n%s", o, d)
	}
}

//go:embed testdata/order-v1.json
var testdata embed.FS
