package cv_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/colour"
)

// TestRelight: a view under a field of light comes out as the typical sleeve,
// and one without keeps its codes.
func TestRelight(t *testing.T) {
	const w, h, step = 37, 21, 8
	const gw, gh = (w-1)/step + 2, (h-1)/step + 2
	for name, field := range map[string][6]float32{
		"none": {}, "lamp": {0.1, 0.2, -0.1, 0, 0, 0}, "glare": {0, 0, 0, 0.02, 0.03, 0.01},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			mid, pix := make([]uint16, 3*w*h), make([]byte, 3*w*h)
			var grid []float32
			for range gw * gh {
				grid = append(grid, field[:]...)
			}
			for i := range pix {
				v := 20 + rng.IntN(200)
				mid[i] = uint16(v << 8)
				l := (1+float64(field[i%3]))*colour.Linear(uint8(v)) + float64(field[3+i%3])
				pix[i] = uint8(math.Round(colour.Encode(l)))
			}
			cv.Relight(pix, mid, w, h, grid, step, gw)
			for i, v := range pix {
				if d := int(v) - int(mid[i]>>8); d < -1 || d > 1 || d != 0 && name == "none" {
					t.Fatalf("byte %d is %d, want %d", i, v, mid[i]>>8)
				}
			}
		})
	}
}

// TestLightSums compares with a loop over the samples.
func TestLightSums(t *testing.T) {
	at := cv.Samples{NX: 23, NY: 17, X0: 5, Y0: 7, Stride: 2, Tile: 9, TW: 6}
	n, tiles := at.NX*at.NY, 6*5
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	rest, s, v, use, gain, offset := draw(n), draw(n), draw(n), make([]float32, n), draw(tiles), draw(tiles)
	wantS, wantV := make([]float64, tiles), make([]float64, tiles)
	for k := range n {
		if k%5 == 0 {
			continue
		}
		use[k] = 1
		tile := (at.Y0+k/at.NX*at.Stride)/at.Tile*at.TW + (at.X0+k%at.NX*at.Stride)/at.Tile
		fit := float64(gain[tile]*s[k] + offset[tile]*v[k])
		d := fit + max(-0.7, min(0.7, float64(rest[k])-fit))
		wantS[tile] += float64(s[k]) * d
		wantV[tile] += float64(v[k]) * d
	}
	sd, vd := make([]float64, tiles), make([]float64, tiles)
	cv.LightSums(rest, s, v, use, at, gain, offset, 0.7, sd, vd)
	for i := range sd {
		if math.Abs(sd[i]-wantS[i]) > 1e-4 || math.Abs(vd[i]-wantV[i]) > 1e-4 {
			t.Errorf("tile %d: %v, %v, want %v, %v", i, sd[i], vd[i], wantS[i], wantV[i])
		}
	}
}

// TestMatch: a view that is the typical sleeve plus a multiple of its
// derivative gives that multiple, left-out pixels aside, and loses it.
func TestMatch(t *testing.T) {
	const w, h, tile = 40, 30, 10
	mid, pix := make([]uint16, 3*w*h), make([]byte, 3*w*h)
	dev, root, skip := make([]float32, 3*w*h), make([]float32, 3*w*h), make([]byte, w*h)
	code := func(x, y, c int) float64 {
		return 120 + 50*math.Sin(0.5*float64(x)+float64(c)) + 30*math.Cos(0.4*float64(y))
	}
	const shift = -0.6
	for y := range h {
		for x := range w {
			for c := range 3 {
				i := 3*(y*w+x) + c
				mid[i] = uint16(math.Round(256 * code(x, y, c)))
				pix[i] = uint8(math.Round(code(x, y, c) + shift*(code(x+1, y, c)-code(x-1, y, c))/2))
				root[i] = float32(math.Sqrt(1e-3))
			}
		}
	}
	pix[3*(12*w+12)], skip[12*w+12] = 255, 1
	a := cv.Window{Width: w, X0: 2, X1: w - 2, Y0: 3, Y1: h - 1, Tile: tile, TW: 4, TH: 3}
	right := make([][6]float64, a.TW*a.TH)
	cv.MatchSums(pix, mid, skip, dev, root, a, right)
	var sum, norm float64
	for _, q := range right {
		sum += q[0]
	}
	for y := a.Y0; y < a.Y1; y++ {
		for x := a.X0; x < a.X1; x++ {
			for c := range 3 {
				if g := (code(x+1, y, c) - code(x-1, y, c)) / 2; skip[y*w+x] == 0 {
					norm += 1e-3 * g * g
				}
			}
		}
	}
	if got := sum / norm; math.Abs(got-shift) > 0.01 {
		t.Errorf("the multiple is %.4f, want %.4f", got, shift)
	}
	coef := make([][6]float32, a.TW*a.TH)
	for i := range coef {
		coef[i][0] = shift
	}
	cv.MatchApply(pix, mid, dev, a, coef)
	for y := a.Y0; y < a.Y1; y++ {
		for x := a.X0; x < a.X1; x++ {
			for c := range 3 {
				if i := 3*(y*w+x) + c; skip[y*w+x] == 0 && math.Abs(float64(pix[i])-float64(mid[i])/256) > 1.1 {
					t.Fatalf("%d, %d channel %d is %d, want %.2f", x, y, c, pix[i], float64(mid[i])/256)
				}
			}
		}
	}
}

// TestSideParabola: the parabola under noise, and past a nick that takes up a
// tenth of the side; lengths that are no whole number of vectors.
func TestSideParabola(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{20, 63, 64, 501} {
		r := make([]float32, n)
		for i := range r {
			x := 2*float64(i)/float64(n-1) - 1
			r[i] = float32(3 - 2*x + 4*x*x + 0.2*rng.NormFloat64())
		}
		for i := range n / 10 {
			r[n/3+i] += 25
		}
		c := cv.SideParabola(r)
		for k, want := range [3]float64{3, -2, 4} {
			if math.Abs(c[k]-want) > 0.5 {
				t.Errorf("%d values: term %d is %.3f, want %.1f", n, k, c[k], want)
			}
		}
	}
	if c := cv.SideParabola([]float32{1, 2}); c != [3]float64{} {
		t.Errorf("two values fix %v", c)
	}
}

// TestStraighten: a row's own parabola goes, a reflection that no parabola
// describes stays as it is, and so does every other row.
func TestStraighten(t *testing.T) {
	const w, h = 50, 40
	mid, pix := make([]uint16, 3*w*h), make([]byte, 3*w*h)
	for i := range mid {
		mid[i], pix[i] = 100<<8, 100
	}
	for x := range w {
		u := 2*float64(x)/(w-1) - 1
		for c := range 3 {
			pix[3*(7*w+x)+c] = uint8(math.Round(100 + 6 - 4*u + float64(c)*u*u))
		}
	}
	for y := range h / 4 {
		pix[3*(y*w+20)+1] = 220
	}
	pix[3*(7*w+20)+1] = 100
	cv.Straighten(pix, mid, 7*w, 1, w, 20, 40)
	before := pix[3*(3*w+20)+1]
	cv.Straighten(pix, mid, 20, w, h, 20, 40)
	if got := pix[3*(3*w+20)+1]; got < before-40 {
		t.Errorf("of the reflection %d is left, of %d", got, before)
	}
	for i, v := range pix {
		if x, y := i/3%w, i/3/w; x != 20 && (v < 98 || v > 102) {
			t.Fatalf("%d, %d is %d, want 100", x, y, v)
		}
	}
}
