package report

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/cv/cvtest"
	"fairdeck/internal/record"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

var update = flag.Bool("update", false, "write the golden files anew")

const hostile = `<script>alert("1")</script>'" onerror=x .jpg`

// deck is a check with everything in it: an obvious and a visible mark, a
// turned sleeve, a second group, a camera-only mark, glare, an unusable card
// and a missing file, with a hostile name.
func deck() (*record.Check, *record.Evidence) {
	zero, half := 0, 180
	size := record.Size{Name: "standard sleeve", WidthMM: 66, HeightMM: 91}
	c := &record.Check{
		Schema: record.SchemaCheck, Tool: record.Tool{Name: "fairdeck", Version: "0.0.0", OpenCV: "4.6.0", Go: "go1.26"},
		Created:  time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC),
		Settings: record.Settings{FalseAlarmRate: 0.01, ViewingDistanceMM: 400, Layout: "auto"},
		Layout:   record.Layout{Kind: "one-per-frame", By: "geometry", Text: "One card a picture."},
		Verdict: record.Verdict{
			Level: record.Flagged, Lines: [3]string{"4 of 8 sleeves can be told from the rest.", "Which.", "How sure."},
			Count: record.Count{Sleeves: 8, Inspected: 6, Flagged: 4, Obvious: 1, Turned: 1, OtherGroup: 1, CameraOnly: 1},
		},
		Groups: []record.Group{
			{Name: "A", Sleeves: []int{1, 2, 3, 4, 5}, Colour: colour.Lab{L: 40, A: 5, B: -30}},
			{Name: "B", Sleeves: []int{6}, Colour: colour.Lab{L: 44, A: 2, B: -25}, DeltaE: 4.2, Visibility: "visible", What: "colour"},
		},
		Problems: []record.Problem{
			{Code: "card-unusable", File: "deck/7.jpg", Sleeve: 7, Text: "the card cannot be compared: cut by the frame", Remedy: "move it"},
			{Code: "no-card", File: hostile, Sleeve: 8, Text: "no card was found in the picture", Remedy: "lay one card in view"},
		},
		Warnings: []record.Warning{{Code: "x", Text: "a warning", File: hostile}},
		Limits:   record.Limits{PxPerMM: 4, SmallestMarkMM: 0.6},
	}
	mark := func(kind, visibility string, x, y, length, width float64) record.Mark {
		return record.Mark{
			Kind: kind, KindConfidence: 0.9, CentreMM: plane.Point{X: x, Y: y}, MinMM: plane.Point{X: x - length/2, Y: y - width/2},
			MaxMM: plane.Point{X: x + length/2, Y: y + width/2}, LengthMM: length, WidthMM: width, AreaMM2: length * width,
			PeakDeltaE: 20, MeanDeltaE: 12.3, DeltaESigma: 0.4, Visibility: visibility,
		}
	}
	const px, margin = 4, 2
	e := &record.Evidence{PxPerMM: px, MarginMM: margin}
	blank := func() *frame.Image {
		m := frame.New((66+2*margin)*px, (91+2*margin)*px)
		for i := range m.Pix {
			m.Pix[i] = uint8(90 + i%3*20)
		}
		return m
	}
	for i := 1; i <= 7; i++ {
		s := record.Sleeve{
			Sleeve: i, File: fmt.Sprintf("deck/%d.jpg", i), Card: 1, Size: size, PxPerMM: px, TurnedDeg: &zero, Group: "A", Inspected: 1,
		}
		pics := record.Pictures{View: blank()}
		switch i {
		case 2:
			s.File = "deck/" + strings.ReplaceAll(hostile, "/", "|")
			s.Flags, s.Visibility = []record.Flag{record.FlagMark}, "obvious"
			s.Marks = []record.Mark{mark("pen_dot", "obvious", 21, 30, 1.5, 1.4), mark("scratch", "camera-only", 60, 80, 8, 0.3)}
			pics.DeltaE = make([]uint8, pics.View.Width*pics.View.Height)
			pics.DeltaE[len(pics.DeltaE)/2] = 200
		case 3:
			s.Flags, s.Visibility = []record.Flag{record.FlagMark}, "visible"
			s.Marks = []record.Mark{mark("something_new", "visible", 1, 1, 2, 2)}
		case 4:
			s.Flags, s.TurnedDeg = []record.Flag{record.FlagTurned}, &half
		case 5:
			s.Visibility = "camera-only"
			s.Marks = []record.Mark{mark("dent", "camera-only", 33, 45, 2, 2)}
			s.NotInspected = []record.Area{{Reason: "glare", Fraction: 0.12}}
		case 6:
			s.Flags, s.Group = []record.Flag{record.FlagGroup}, "B"
			s.NotInspected = []record.Area{{Reason: "shadow", Fraction: 0.01}}
		case 7:
			s.Unusable, s.Group, s.TurnedDeg, s.Inspected = "cut by the frame", "", nil, 0
			pics = record.Pictures{}
		}
		c.Sleeves = append(c.Sleeves, s)
		e.Sleeves = append(e.Sleeves, pics)
		c.Sources = append(c.Sources, record.Source{File: s.File})
	}
	e.Consensus = []*frame.Image{blank(), blank()}
	c.Normalise()
	return c, e
}

func render(t *testing.T, c *record.Check, e *record.Evidence) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, c, e, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden compares the page's structure and words with the golden file;
// pictures are named by their size alone, since encoders differ.
func TestGolden(t *testing.T) {
	c, e := deck()
	got := outline(t, render(t, c, e))
	name := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("the page has changed; look at it in a browser, then -update (-want +got):\n%s", d)
	}
}

// outline writes a page as indented elements and text.
func outline(t *testing.T, page string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		pad := strings.Repeat(" ", depth)
		switch n.Type {
		case html.TextNode:
			if s := strings.Join(strings.Fields(n.Data), " "); s != "" {
				b.WriteString(pad + s + "\n")
			}
			return
		case html.ElementNode:
			if n.DataAtom == atom.Style {
				return
			}
			b.WriteString(pad + "<" + n.Data)
			for _, a := range n.Attr {
				v := a.Val
				if strings.HasPrefix(v, "data:") {
					v = v[:strings.Index(v, ",")]
				}
				fmt.Fprintf(&b, " %s=%q", a.Key, v)
			}
			b.WriteString(">\n")
		}
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			walk(k, depth+1)
		}
	}
	walk(doc, 0)
	return b.String()
}

// TestNothingFromOutside: no script, no address but data:, no handler, and
// the policy that enforces it, whatever names the files have.
func TestNothingFromOutside(t *testing.T) {
	c, e := deck()
	page := render(t, c, e)
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	policy := false
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "object", "embed", "link", "form", "base", "foreignobject":
			t.Errorf("the page has a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			key := strings.ToLower(a.Key)
			switch {
			case strings.HasPrefix(key, "on"):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case key == "src", key == "href", key == "srcset", key == "action", key == "poster":
				if !strings.HasPrefix(a.Val, "data:image/jpeg;base64,") && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("<%s %s=%.60q>", n.Data, a.Key, a.Val)
				}
			case key == "http-equiv" && a.Val == "Content-Security-Policy":
				policy = true
			}
		}
	}
	if !policy {
		t.Error("the page has no content security policy")
	}
	if !strings.Contains(page, "default-src 'none'") {
		t.Error("the policy does not forbid what it does not name")
	}
	if regexp.MustCompile(`url\(|@import`).MatchString(styleCSS) {
		t.Error("the style fetches something")
	}
}

// TestAnchors: every link leads somewhere, every id is there once, every
// picture says what it shows.
func TestAnchors(t *testing.T) {
	c, e := deck()
	doc, err := html.Parse(strings.NewReader(render(t, c, e)))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	var links []string
	for n := range doc.Descendants() {
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
		}
		if id := attrs["id"]; id != "" {
			ids[id]++
		}
		if h := attrs["href"]; strings.HasPrefix(h, "#") {
			links = append(links, h[1:])
		}
		if n.Data == "img" && attrs["alt"] == "" {
			t.Error("a picture has no text beside it")
		}
		if n.Data == "svg" && attrs["role"] == "img" && attrs["aria-label"] == "" {
			t.Error("a drawing has no label")
		}
		if n.Type == html.ElementNode && n.Data == "html" && attrs["lang"] != "en" {
			t.Error("the page does not say its language")
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, l := range links {
		if ids[l] == 0 {
			t.Errorf("a link leads to #%s, which is not there", l)
		}
	}
	if len(links) == 0 {
		t.Error("no links were looked at")
	}
}

// TestNeverAccuses: a report states what was seen, never intent.
func TestNeverAccuses(t *testing.T) {
	c, e := deck()
	page := strings.ToLower(render(t, c, e))
	for _, word := range []string{"cheat", "deliberate", "on purpose", "intent", "guilty", "fraud"} {
		if strings.Contains(page, word) {
			t.Errorf("the page says %q", word)
		}
	}
	if !strings.Contains(page, "the judge decides") {
		t.Error("the page does not say that the judge decides")
	}
}

// TestWithoutPictures: a stored check is reported without its pictures.
func TestWithoutPictures(t *testing.T) {
	c, _ := deck()
	page := render(t, c, nil)
	if !strings.Contains(page, "No picture is kept") || !strings.Contains(page, "Dot, 1.5 mm") {
		t.Error("the page without pictures lacks its words")
	}
	for _, level := range []record.Level{record.NothingToSee, record.Incomplete, record.NotGoodEnough} {
		c := &record.Check{Verdict: record.Verdict{Level: level, Lines: [3]string{"One.", "Two.", "Three."}}}
		if page := render(t, c, nil); !strings.Contains(page, `class="verdict `+string(level)) {
			t.Errorf("%s: the page does not show its level", level)
		}
	}
}

// TestSize: 60 sleeves at a phone's resolution, every one of them marked,
// stay below 15 MB.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 60 large sleeves")
	}
	c, e := deck()
	const px = 16
	view := frame.New(70*px, 95*px)
	for i := range view.Pix {
		view.Pix[i] = uint8(100 + i*7919%23) // texture that JPEG cannot drop
	}
	e.PxPerMM = px
	e.Consensus = []*frame.Image{view, view}
	s := c.Sleeves[1]
	for len(s.Marks) < 3 {
		s.Marks = append(s.Marks, s.Marks[0])
	}
	c.Sleeves, e.Sleeves = nil, nil
	for i := range 60 {
		s.Sleeve = i + 1
		c.Sleeves = append(c.Sleeves, s)
		e.Sleeves = append(e.Sleeves, record.Pictures{View: view, DeltaE: make([]uint8, view.Width*view.Height)})
	}
	page := render(t, c, e)
	if mb := float64(len(page)) / 1e6; mb > 15 {
		t.Errorf("%.1f MB", mb)
	} else {
		t.Logf("%.1f MB", mb)
	}
}

func TestFit(t *testing.T) {
	// Averages keep the mean, whatever the ratio; a flat picture stays flat.
	m := frame.New(37, 23)
	for i := range m.Pix {
		m.Pix[i] = 77
	}
	for _, w := range []int{1, 5, 17, 36} {
		f := fit(m, w)
		if f.Width != w {
			t.Errorf("width %d, want %d", f.Width, w)
		}
		for _, v := range f.Pix {
			if v != 77 {
				t.Fatalf("width %d: a flat picture has a %d", w, v)
			}
		}
	}
	if fit(m, 37) != m || fit(m, 99) != m {
		t.Error("a picture that fits was changed")
	}
}

func TestHeatKeepsASinglePixel(t *testing.T) {
	d := make([]uint8, 300*200)
	d[150*300+123] = 255
	h := heat(d, 300, 200, 50)
	brightest := 0
	for i := 0; i < len(h.Pix); i += 3 {
		brightest = max(brightest, int(h.Pix[i+2]))
	}
	if h.Width > 50 || brightest < 250 {
		t.Errorf("%d wide, brightest red %d: the pixel is lost", h.Width, brightest)
	}
}

func TestDataURI(t *testing.T) {
	u, err := dataURI(frame.New(4, 4), 80)
	if err != nil {
		t.Fatal(err)
	}
	_, b64, _ := strings.Cut(string(u), ",")
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(b64))); err != nil {
		t.Error(err)
	}
	if _, err := dataURI(nil, 80); err == nil {
		t.Error("no picture has an address")
	}
}
