package sleeve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// stroke paints a line of the given width between two places.
func stroke(v *card.View, a, z plane.Point, mm float64, b, g, r uint8) {
	u := z.Sub(a)
	n := u.Norm()
	for y := range v.Image.Height {
		for x := range v.Image.Width {
			p := v.MM(plane.Point{X: float64(x), Y: float64(y)}).Sub(a)
			along := clamp(p.Dot(u)/n, 0, n)
			if p.Sub(u.Mul(along/n)).Norm() <= mm/2 {
				v.Image.SetBGR(x, y, b, g, r)
			}
		}
	}
}

// seen returns the visibility of each sleeve of a plain deck with something
// drawn on sleeve 4.
func seen(t *testing.T, n int, draw func(i int, v *card.View)) *Result {
	t.Helper()
	res, err := Inspect(context.Background(), plainDeck(n, draw), Options{})
	if err != nil {
		t.Fatal(err)
	}
	finite(t, res)
	return res
}

// TestFibresSideBySide: two fibres that lie near each other are listed and
// accuse nobody; the dashes of one line, as dark and as long, do.
func TestFibresSideBySide(t *testing.T) {
	const odd = 4
	for _, c := range []struct {
		name   string
		a, b   [2]plane.Point
		accuse bool
	}{
		{"crossing directions", [2]plane.Point{{X: 10, Y: 20}, {X: 14, Y: 20}}, [2]plane.Point{{X: 15, Y: 20.8}, {X: 16.5, Y: 24.2}}, false},
		{"one line", [2]plane.Point{{X: 10, Y: 20}, {X: 14, Y: 20}}, [2]plane.Point{{X: 15, Y: 20}, {X: 19, Y: 20}}, true},
	} {
		res := seen(t, 12, func(i int, v *card.View) {
			if i == odd {
				stroke(v, c.a[0], c.a[1], 0.25, 185, 135, 120)
				stroke(v, c.b[0], c.b[1], 0.25, 185, 135, 120)
			}
		})
		s := res.Sleeves[odd]
		if len(s.Marks) == 0 {
			t.Errorf("%s: nothing was listed", c.name)
			continue
		}
		if got := s.Visibility.Rank() >= Visible.Rank(); got != c.accuse {
			t.Errorf("%s: accused %v, want %v: %+v", c.name, got, c.accuse, s.Marks)
		}
	}
}

// TestWhatOthersHaveInALesserDegree: the strongest of a trend is no mark; the
// same spot on one sleeve alone, or alike on several, is.
func TestWhatOthersHaveInALesserDegree(t *testing.T) {
	const side, n, ground = 40, 16, 120
	for _, c := range []struct {
		name  string
		share func(k int) float64 // of the spot's strength; sleeve 0 has all of it
		want  bool
	}{
		{"a trend", func(k int) float64 { return 1 - float64(k)/n }, true},
		{"one alone", func(k int) float64 { return map[bool]float64{true: 1}[k == 0] }, false},
		{"two populations", func(k int) float64 { return map[bool]float64{true: 1}[k < 5] }, false},
	} {
		r := rand.New(rand.NewPCG(6, 6))
		d := &deck{w: side, h: side, px: 4, margin: 2, wMM: 6, hMM: 6}
		d.reasons = make([]byte, n*side*side)
		b := &filterBank{mids: [][]uint16{make([]uint16, 3*side*side)}}
		for i := range b.mids[0] {
			b.mids[0][i] = ground << 8
		}
		for ch := range b.inv {
			b.inv[ch] = make([]float32, side*side)
			for i := range b.inv[ch] {
				b.inv[ch][i] = 0.5
			}
		}
		spot := &region{}
		for i := range side * side {
			if x, y := i%side-20, i/side-20; x*x+y*y <= 9 {
				spot.pixels = append(spot.pixels, i)
			}
		}
		for k := range n {
			p := &plate{pix: make([]byte, 3*side*side)}
			for i := range p.pix {
				p.pix[i] = byte(ground + 2*r.NormFloat64())
			}
			for _, i := range spot.pixels {
				for ch := range 3 {
					p.pix[3*i+ch] -= byte(40 * c.share(k))
				}
			}
			d.plates = append(d.plates, p)
		}
		if got := d.othersToo(b, 0, spot, Visible); got != c.want {
			t.Errorf("%s: others have it too: %v, want %v", c.name, got, c.want)
		}
		if d.othersToo(b, 0, spot, CameraOnly) {
			t.Errorf("%s: asked of what accuses nobody", c.name)
		}
	}
}

// TestASpotIsWiderThanAPoint: the fit tells the camera's blur from a pen's
// dot, and a line from both.
func TestASpotIsWiderThanAPoint(t *testing.T) {
	const w, h = 41, 41
	window := func(draw func(x, y float64) float64) *spotWindow {
		r := rand.New(rand.NewPCG(3, 1))
		var z [3][]float32
		mask := make([]float32, w*h)
		for c := range z {
			z[c] = make([]float32, w*h)
		}
		for i := range mask {
			mask[i] = 1
			z[1][i] = float32(20*draw(float64(i%w)-20.3, float64(i/w)-19.6) + 0.5*r.NormFloat64())
		}
		return newSpotWindow(z, [3]float32{0, 1, 0}, mask, w, h, 20, 20, 8)
	}
	round := func(sigma float64) func(x, y float64) float64 {
		return func(x, y float64) float64 { return math.Exp(-(x*x + y*y) / (2 * sigma * sigma)) }
	}
	for _, sigma := range []float64{1, 1.6, 2.5} {
		f := window(round(sigma)).fit(1.4)
		if math.Abs(f.sigma-sigma) > 0.1*sigma+0.05 || f.line >= spotRound {
			t.Errorf("a spot of sigma %g is fitted with %g, a line explains %.2f of it", sigma, f.sigma, f.line)
		}
		if math.Hypot(f.x-20.3, f.y-19.6) > 0.2 {
			t.Errorf("a spot at (20.3, 19.6) is fitted at (%.2f, %.2f)", f.x, f.y)
		}
	}
	line := window(func(x, y float64) float64 { return math.Exp(-y*y/(2*0.7*0.7)) * math.Exp(-x*x/(2*25)) }).fit(1.4)
	if line.line < spotRound {
		t.Errorf("a line passes for a spot: it explains only %.2f of what a round one does", line.line)
	}
	b := &filterBank{point: pointDefaultPx}
	if b.isSpot(peak{fit: &spotFit{sigma: 1.05, line: 0.5}}) || !b.isSpot(peak{fit: &spotFit{sigma: 1.5, line: 0.5}}) || b.isSpot(peak{fit: &line}) {
		t.Error("points, spots and lines are not told apart")
	}
}

// TestColourInBlocks: colour noise that is nothing in most places and a whole
// step in a few is widened to its outer quantile; what is normal stays.
func TestColourInBlocks(t *testing.T) {
	const n = 20000
	luma := [3]float64{0.114, 0.587, 0.299}
	for _, blocks := range []bool{false, true} {
		r := rand.New(rand.NewPCG(9, 9))
		var resp [3][]float32
		m := make([]float32, n)
		for c := range resp {
			resp[c] = make([]float32, n)
		}
		for i := range n {
			m[i] = 1
			grey, colour := r.NormFloat64(), 0.3*r.NormFloat64()
			if blocks && r.Float64() < 0.03 {
				colour += 3
			}
			resp[0][i], resp[1][i], resp[2][i] = float32(grey+colour), float32(grey), float32(grey)
		}
		// What a robust covariance makes of it: the blocks do not count.
		cov := [6]float64{1 + 0.09, 1, 1, 1, 1, 1}
		widen := chromaTails(m, resp, cov, luma)
		if wide := math.Max(widen[0], widen[1]); (wide > 2) != blocks || wide > 1.2 && !blocks {
			t.Errorf("blocks %v: colour is widened by %.2f", blocks, wide)
		}
		if !blocks {
			continue
		}
		// Widened, the outer quantile is a normal distribution's again, and
		// lightness has stayed.
		wider := widenChroma(cov, luma, widen)
		again := chromaTails(m, resp, wider, luma)
		if again[0] > 1.3 || again[1] > 1.3 {
			t.Errorf("widened once, colour is still to be widened by %v", again)
		}
		variance := func(c [6]float64) float64 {
			full := [3][3]float64{{c[0], c[1], c[3]}, {c[1], c[2], c[4]}, {c[3], c[4], c[5]}}
			v := 0.0
			for i := range luma {
				for j := range luma {
					v += luma[i] * full[i][j] * luma[j]
				}
			}
			return v
		}
		if a, b := variance(cov), variance(wider); math.Abs(a-b) > 0.02*a {
			t.Errorf("the variance of lightness went from %.3f to %.3f", a, b)
		}
	}
}

// TestAnOutlineElsewhereIsNoWear: a sleeve that is a little narrower along a
// part of its side shows the table there, mixed in as at any edge; a worn
// stretch that reaches further in is wear.
func TestAnOutlineElsewhereIsNoWear(t *testing.T) {
	const odd = 4
	for _, wear := range []bool{false, true} {
		res := seen(t, 12, func(i int, v *card.View) {
			if i != odd {
				return
			}
			for y := range v.Image.Height {
				p := v.MM(plane.Point{X: 0, Y: float64(y)})
				if p.Y < 20 || p.Y > 30 {
					continue
				}
				for x := range v.Image.Width {
					mm := v.MM(plane.Point{X: float64(x), Y: float64(y)}).X
					in := clamp(0.5+4*(mm-0.3), 0, 1)
					switch {
					case mm > 2:
					case wear && mm > 0.2:
						v.Image.SetBGR(x, y, 210, 190, 185)
					case !wear:
						set := func(sleeve, table float64) uint8 { return uint8(table + (sleeve-table)*in) }
						v.Image.SetBGR(x, y, set(150, 215), set(80, 220), set(60, 222))
					}
				}
			}
		})
		if got := res.Sleeves[odd].Visibility.Rank() >= Visible.Rank(); got != wear {
			t.Errorf("worn: %v, but accused: %v: %+v", wear, got, res.Sleeves[odd].Marks)
		}
	}
}
