package cv_test

import (
	"math"
	"testing"

	"fairdeck/internal/cv"

	"pgregory.net/rapid"
)

// at reads a plane; beyond the rim the rim repeats.
func at(p []float32, w, h, x, y int) float64 {
	return float64(p[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)])
}

func close32(a float32, b float64) bool { return math.Abs(float64(a)-b) <= 1e-4*(1+math.Abs(b)) }

// TestPlanes compares the plane loops with their definitions, at all sizes:
// narrower than a window, and no whole number of vectors wide.
func TestPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		r := rapid.IntRange(0, 11).Draw(t, "r")
		n := w * h
		plane := func(name string) []float32 {
			return rapid.SliceOfN(rapid.Float32Range(-5, 5), n, n).Draw(t, name)
		}
		z, mask, ic, is := plane("z"), plane("mask"), plane("ic"), plane("is")
		box, soft, resp, smooth := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
		cv.Box(z, box, w, h, r)
		cv.Binomial(z, soft, w, h)
		cv.Spots(z, mask, ic, is, w, h, r, resp, smooth)
		kernel := [3]float64{0.25, 0.5, 0.25}
		for y := range h {
			for x := range w {
				i := y*w + x
				var sum, want float64
				for dy := -r; dy <= r; dy++ {
					for dx := -r; dx <= r; dx++ {
						sum += at(z, w, h, x+dx, y+dy)
					}
				}
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						want += kernel[dx+1] * kernel[dy+1] * at(z, w, h, x+dx, y+dy)
					}
				}
				side := float64(2*r + 1)
				if !close32(box[i], sum/side/side) {
					t.Fatalf("box at %d, %d of %d x %d, radius %d: %v, want %v", x, y, w, h, r, box[i], sum/side/side)
				}
				if !close32(soft[i], want) || soft[i] != smooth[i] {
					t.Fatalf("binomial at %d, %d: %v and %v, want %v", x, y, soft[i], smooth[i], want)
				}
				spot := 0.0
				if mask[i] > 0.5 {
					spot = want*float64(ic[i]) - sum*float64(is[i])
				}
				if math.Abs(float64(resp[i])-spot) > 1e-2 {
					t.Fatalf("spots at %d, %d: %v, want %v", x, y, resp[i], spot)
				}
			}
		}
	})
}

// TestNormalise and its squares, element by element.
func TestNormalise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		pix := rapid.SliceOfN(rapid.Byte(), 3*n, 3*n).Draw(t, "pix")
		mid := rapid.SliceOfN(rapid.Uint16Range(0, 255*256), 3*n, 3*n).Draw(t, "mid")
		skip := rapid.SliceOfN(rapid.ByteRange(0, 1), n, n).Draw(t, "skip")
		mask := make([]float32, n)
		var inv, out [3][]float32
		for c := range inv {
			inv[c] = rapid.SliceOfN(rapid.Float32Range(0, 2), n, n).Draw(t, "inv")
			out[c] = make([]float32, n)
		}
		for i := range mask {
			mask[i] = float32(i % 3 % 2)
		}
		cv.Normalise(pix, mid, mask, skip, inv, 40, out)
		for c := range out {
			for i, v := range out[c] {
				want := 0.0
				if mask[i] != 0 && skip[i] == 0 {
					want = max(-40, min(40, (float64(pix[3*i+c])-float64(mid[3*i+c])/256)*float64(inv[c][i])))
				}
				if !close32(v, want) {
					t.Fatalf("channel %d of %d: %v, want %v", c, i, v, want)
				}
			}
		}
		q := make([]float32, n)
		cv.Squares(out[0], out[1], out[2], [6]float32{1, 2, 3, 4, 5, 6}, q)
		for i, v := range q {
			x, y, z := float64(out[0][i]), float64(out[1][i]), float64(out[2][i])
			a, b, c := x, 2*x+3*y, 4*x+5*y+6*z
			if !close32(v, a*a+b*b+c*c) {
				t.Fatalf("square of %d: %v, want %v", i, v, a*a+b*b+c*c)
			}
		}
	})
}

// TestPlanesPanic: a plane shorter than stated is caught before C++ sees it.
func TestPlanesPanic(t *testing.T) {
	short, full := make([]float32, 11), make([]float32, 12)
	for name, f := range map[string]func(){
		"box":          func() { cv.Box(full, short, 4, 3, 1) },
		"box radius":   func() { cv.Box(full, full, 4, 3, -1) },
		"binomial":     func() { cv.Binomial(short, full, 4, 3) },
		"empty":        func() { cv.Binomial(nil, nil, 0, 0) },
		"relight":      func() { cv.Relight(make([]byte, 3), nil, 1, 1, nil, 8, 2) },
		"match window": func() { cv.MatchApply(nil, nil, nil, cv.Window{Width: 4, X1: 4, Y1: 3}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func BenchmarkSpots(b *testing.B) {
	const w, h = 420, 570
	p := make([][]float32, 6)
	for i := range p {
		p[i] = make([]float32, w*h)
		for j := range p[i] {
			p[i][j] = float32((i + j) % 7)
		}
	}
	for b.Loop() {
		cv.Spots(p[0], p[1], p[2], p[3], w, h, 4, p[4], p[5])
	}
}
