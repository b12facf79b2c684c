package check

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"pgregory.net/rapid"
)

// shows makes a picture with so many usable cards.
func shows(n int) picture {
	p := picture{path: fmt.Sprintf("p%d.jpg", n), twin: -1}
	for i := range n {
		f := found{Detection: card.Detection{Corners: plane.Rect(float64(100*i), 0, 66, 91), PxPerMM: 6, Confidence: 1 - float64(i)/10}, blurMM: math.NaN()}
		p.cards = append(p.cards, f)
	}
	return p
}

func several(counts ...int) []picture {
	var out []picture
	for i, n := range counts {
		p := shows(n)
		p.path = fmt.Sprintf("p%d.jpg", i+1)
		out = append(out, p)
	}
	return out
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts []int
		asked  Layout
		kind   string
		by     string
	}{
		{"singles", []int{1, 1, 1, 1}, Auto, "one-per-frame", "geometry"},
		{"singles, one missing, one neighbour", []int{1, 1, 0, 2, 1}, Auto, "one-per-frame", "geometry"},
		{"one grid", []int{12}, Auto, "grid", "geometry"},
		{"grids, the last with three left over", []int{12, 12, 3}, Auto, "grid", "geometry"},
		{"grids, the last with one left over", []int{12, 12, 1}, Auto, "mixed", "geometry"},
		{"mixed", []int{9, 1, 1, 1}, Auto, "mixed", "geometry"},
		{"two in every picture", []int{2, 2, 2}, Auto, "grid", "geometry"},
		{"nothing found", []int{0, 0}, Auto, "one-per-frame", "geometry"},
		{"asked for one", []int{2, 2, 2}, OnePerFrame, "one-per-frame", "user"},
		{"asked for grid", []int{1, 1, 1}, Grid, "grid", "user"},
	} {
		kind, by, text := decide(several(c.counts...), c.asked)
		if kind != c.kind || by != c.by || text == "" {
			t.Errorf("%s: %s by %s (%q), want %s by %s", c.name, kind, by, text, c.kind, c.by)
		}
	}
}

// TestArrangeKeepsPlaces: with one card a picture, the number of a sleeve is
// the number of its picture, whatever went wrong before it.
func TestArrangeKeepsPlaces(t *testing.T) {
	pics := several(1, 0, 1, 2, 1, 1)
	pics[2].err = &camera.Error{Path: pics[2].path, Problem: camera.Truncated}
	pics[2].cards = nil
	pics[4].cards[0].Unusable = "cut by the frame"
	c := newCheck(Options{})
	c.Problems = append(c.Problems, record.Problem{Code: "input-truncated", File: pics[2].path, Text: "cut", Remedy: "copy"})
	places := arrange(pics, Options{}, c)
	var got []string
	for _, p := range places {
		got = append(got, fmt.Sprintf("%d:%s:%d:%s", p.number, p.file, p.card, p.unusable))
	}
	if want := "1:p1.jpg:1: 4:p4.jpg:1: 5:p5.jpg:1:cut by the frame 6:p6.jpg:1:"; strings.Join(got, " ") != want {
		t.Errorf("places %v, want %s", got, want)
	}
	if c.Verdict.Count.Sleeves != 6 {
		t.Errorf("%d places in the deck, want 6", c.Verdict.Count.Sleeves)
	}
	told := map[string]int{}
	for _, p := range c.Problems {
		told[p.Code] = p.Sleeve
	}
	if told["no-card"] != 2 || told["input-truncated"] != 3 || told["extra-cards"] != 4 || told["card-unusable"] != 5 {
		t.Errorf("problems %v", told)
	}
}

// TestStrayNeighbour: of two cards in a picture, the one that lies where the
// cards of the other pictures lie is the deck's, whatever the finder likes.
func TestStrayNeighbour(t *testing.T) {
	pics := several(1, 1, 2, 1)
	move := func(f *found, x float64) { f.Corners = plane.Rect(x, 10, 66, 91) }
	for _, i := range []int{0, 1, 3} {
		move(&pics[i].cards[0], 300+float64(i))
	}
	move(&pics[2].cards[0], 20)
	move(&pics[2].cards[1], 305)
	places := arrange(pics, Options{}, newCheck(Options{}))
	if len(places) != 4 || places[2].card != 2 {
		t.Errorf("card %d was used, want 2", places[2].card)
	}
	pics[2].cards[1].Unusable = "cut by the frame"
	if places = arrange(pics, Options{}, newCheck(Options{})); places[2].card != 1 || places[2].unusable != "" {
		t.Errorf("card %d was used, want the usable one", places[2].card)
	}
}

// TestArrangeGrid counts on through the pictures, and drops a picture that is
// given twice.
func TestArrangeGrid(t *testing.T) {
	pics := several(4, 4, 0, 2)
	pics[1].twin = 0
	c := newCheck(Options{})
	places := arrange(pics, Options{Layout: Grid}, c)
	if len(places) != 6 || places[5].number != 6 || places[5].file != "p4.jpg" || places[5].card != 2 {
		t.Errorf("%d places, the last %+v", len(places), places[len(places)-1])
	}
	if len(c.Problems) != 1 || c.Problems[0].Code != "no-card" {
		t.Errorf("problems %v, want the picture without a card", c.Problems)
	}
}

func TestTooPoor(t *testing.T) {
	ok := found{Detection: card.Detection{PxPerMM: 6}, blurMM: 0.2}
	if why := tooPoor(ok); why != "" {
		t.Errorf("a good card is refused: %s", why)
	}
	ok.blurMM = math.NaN()
	if why := tooPoor(ok); why != "" {
		t.Errorf("a card whose blur is not known is refused: %s", why)
	}
	if why := tooPoor(found{Detection: card.Detection{PxPerMM: 2.9}}); !strings.HasPrefix(why, "too coarse") {
		t.Errorf("2.9 px/mm: %q", why)
	}
	if why := tooPoor(found{Detection: card.Detection{PxPerMM: 6}, blurMM: 0.5}); !strings.HasPrefix(why, "blurred") {
		t.Errorf("0.5 mm of blur: %q", why)
	}
}

// TestEdgeBlur measures blur that is known, on bright and dark cards, turned
// and noisy.
func TestEdgeBlur(t *testing.T) {
	for _, sigma := range []float64{0.7, 1.2, 2, 3} {
		for _, c := range []struct{ card, table float64 }{{0.6, 0.05}, {0.03, 0.5}, {0.2, 0.35}} {
			for _, turn := range []float64{0, 0.1, 0.7} {
				img, quad := blurredCard(sigma, c.card, c.table, turn)
				got := edgeBlur(img, quad)
				// The tone curve is undone, so what is left is noise, pixels
				// (0.3 px of their own) and interpolation.
				want := math.Sqrt(sigma*sigma + 0.3*0.3)
				if !(math.Abs(got-want) < 0.25*want) {
					t.Errorf("card %.2f on %.2f, turned %.1f: blur %.2f px, want %.2f", c.card, c.table, turn, got, want)
				}
			}
		}
	}
	img, quad := blurredCard(1, 0.3, 0.3, 0)
	if got := edgeBlur(img, quad); !math.IsNaN(got) {
		t.Errorf("a card that does not stand out has a blur of %.2f px", got)
	}
}

// blurredCard draws a card's outline as a Gaussian step of the given sigma in
// linear light.
func blurredCard(sigma, cardLight, tableLight, turn float64) (*frame.Image, plane.Quad) {
	img := frame.New(330, 400)
	c, s := math.Cos(turn), math.Sin(turn)
	mid := plane.Point{X: 165, Y: 200}
	const w, h = 99, 136 // half sides
	q := plane.Rect(-w, -h, 2*w, 2*h)
	for i, p := range q {
		q[i] = plane.Point{X: mid.X + c*p.X - s*p.Y, Y: mid.Y + s*p.X + c*p.Y}
	}
	step := func(d float64) float64 { return 0.5 * math.Erfc(-d/sigma/math.Sqrt2) }
	state := uint32(1)
	for y := range img.Height {
		for x := range img.Width {
			dx, dy := float64(x)-mid.X, float64(y)-mid.Y
			u, v := c*dx+s*dy, -s*dx+c*dy
			inside := step(w-u) * step(w+u) * step(h-v) * step(h+v)
			light := tableLight + (cardLight-tableLight)*inside
			state = state*1664525 + 1013904223
			noise := (float64(state>>16)/65535 - 0.5) * 4 // codes
			code := math.Pow(light, 1/2.2)*255 + noise
			g := uint8(math.Max(0, math.Min(255, code+0.5)))
			img.SetBGR(x, y, g, g, g)
		}
	}
	return img, q
}

// TestShrinkKeepsPlaces: a dot stays where it was, by the crop's own map.
func TestShrinkKeepsPlaces(t *testing.T) {
	img := frame.New(300, 300)
	for i := range img.Pix {
		img.Pix[i] = 40
	}
	at := plane.Point{X: 151, Y: 133}
	for dy := -4; dy <= 4; dy++ {
		for dx := -4; dx <= 4; dx++ {
			img.SetBGR(int(at.X)+dx, int(at.Y)+dy, 240, 240, 240)
		}
	}
	f := found{Detection: card.Detection{Corners: plane.Rect(101.3, 77.9, 120, 160), PxPerMM: 2}}
	f.cut(img)
	f.shrink(3)
	var sum, sx, sy float64
	for y := range f.crop.Height {
		for x := range f.crop.Width {
			b, _, _ := f.crop.BGR(x, y)
			w := float64(b) - 40
			sum, sx, sy = sum+w, sx+w*float64(x), sy+w*float64(y)
		}
	}
	got, want := plane.Point{X: sx / sum, Y: sy / sum}, f.toCrop.Apply(at)
	if d := got.Sub(want).Norm(); d > 0.05 {
		t.Errorf("the dot lies at %v, the map says %v", got, want)
	}
	if math.Abs(sum*9-200*81) > 0.02*200*81 {
		t.Errorf("the dot's light is %.0f, want %d", sum*9, 200*81)
	}
}

// TestTurnFollowsTheDeck: whatever end the finder calls the top, cards that
// lie alike get the same top, also when they lie across.
func TestTurnFollowsTheDeck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle")
		n := rapid.IntRange(1, 12).Draw(t, "cards")
		var places []place
		for i := range n {
			a := angle + rapid.Float64Range(-0.2, 0.2).Draw(t, "jitter")
			c, s := math.Cos(a), math.Sin(a)
			q := plane.Rect(-33, -45.5, 66, 91)
			for k, p := range q {
				q[k] = plane.Point{X: 500 + c*p.X - s*p.Y, Y: 500 + s*p.X + c*p.Y}
			}
			if rapid.Bool().Draw(t, "turned") {
				q = q.Turn(2)
			}
			places = append(places, place{number: i + 1, found: found{
				Detection: card.Detection{Corners: q, Size: card.Size{WidthMM: 66, HeightMM: 91}, PxPerMM: 1, SigmaPx: [4]float64{1, 2, 3, 4}},
				toCrop:    plane.Identity(),
			}})
		}
		g := geometry(places, Options{})
		for i := range places {
			before := places[i].Corners
			g.turn(&places[i].Detection)
			d := places[i].Detection
			if upward(d.Corners).Dot(upward(places[0].Corners)) < 0.5 {
				t.Fatalf("card %d points the other way", i)
			}
			if d.Corners != before && d.SigmaPx != [4]float64{3, 4, 1, 2} {
				t.Fatalf("the uncertainties did not turn along: %v", d.SigmaPx)
			}
		}
	})
}

// TestMostUsual: the size of the deck does not hang on the order of a map.
func TestMostUsual(t *testing.T) {
	a, b := card.Size{WidthMM: 66, HeightMM: 91}, card.Size{WidthMM: 62, HeightMM: 89}
	if got := mostUsual(map[card.Size]int{a: 2, b: 5}); got != b {
		t.Errorf("%v", got)
	}
	for range 20 {
		if got := mostUsual(map[card.Size]int{a: 3, b: 3}); got != a {
			t.Fatalf("equal counts gave %v", got)
		}
	}
	if got := mostUsual(nil); got != (card.Size{}) {
		t.Errorf("%v of nothing", got)
	}
}

func TestInputErrorNamesFilesAndRemedies(t *testing.T) {
	err := error(&InputError{[]record.Problem{{File: "a.jpg", Text: "is empty", Remedy: "copy it"}}})
	if !strings.Contains(err.Error(), "a.jpg: is empty; copy it") {
		t.Error(err)
	}
	var none *InputError
	if !errors.As(fmt.Errorf("x: %w", err), &none) {
		t.Error("not found when wrapped")
	}
}

// TestViewScale: never more than 3% below the deck's resolution, and not a
// pixel per mm above it for the sake of a hundredth.
func TestViewScale(t *testing.T) {
	for px, want := range map[float64]float64{6: 6, 6.05: 6, 6.18: 6, 6.2: 7, 5.8: 6, 14.3: 14, 0.4: 1} {
		if got := viewScale(px); got != want || got < 0.97*px {
			t.Errorf("%g px/mm are viewed at %g, want %g", px, got, want)
		}
	}
}
