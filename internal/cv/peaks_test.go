package cv_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/colour"
)

func planes(rng *rand.Rand, n int) (r [3][]float32) {
	for c := range r {
		r[c] = make([]float32, n)
		for i := range r[c] {
			r[c][i] = float32(rng.NormFloat64())
		}
	}
	return r
}

// TestPeaks compares with the definition, place by place.
func TestPeaks(t *testing.T) {
	const w, h, tile, tw = 37, 23, 8, 5
	r := planes(rand.New(rand.NewPCG(1, 2)), w*h)
	// Equal neighbours: one of them counts.
	for c := range r {
		r[c][5*w+6], r[c][5*w+7], r[c][6*w+6] = 3, 3, 3
	}
	white := [6]float64{1, 0.2, 1.1, -0.1, 0.3, 0.9}
	q := make([]float32, w*h)
	var w32 [6]float32
	for i, v := range white {
		w32[i] = float32(v)
	}
	cv.Squares(r[0], r[1], r[2], w32, q)
	want := map[[2]int]bool{}
	sums := make([]float64, tw*3)
	for y := range h {
		for x := range w {
			v := q[y*w+x]
			sums[y/tile*tw+x/tile] += math.Min(float64(v), 4)
			top := v > 2.5
			for yy := max(0, y-1); yy <= min(h-1, y+1); yy++ {
				for xx := max(0, x-1); xx <= min(w-1, x+1); xx++ {
					o := q[yy*w+xx]
					top = top && !(o > v || o == v && (yy < y || yy == y && xx < x))
				}
			}
			if top {
				want[[2]int{x, y}] = r[1][y*w+x] < 0
			}
		}
	}
	got := make([]float64, len(sums))
	found := cv.Peaks(r, w, h, white, [3]float32{0, 1, 0}, tile, tw, 4, 2.5, got)
	if len(found) != len(want) {
		t.Errorf("%d peaks, want %d", len(found), len(want))
	}
	for _, p := range found {
		dark, ok := want[[2]int{p.X, p.Y}]
		if !ok || dark != p.Dark || math.Abs(float64(p.Square-q[p.Y*w+p.X])) > 1e-5 {
			t.Errorf("%+v is no peak (%v), or of %g, dark %v", p, ok, q[p.Y*w+p.X], dark)
		}
	}
	for i := range sums {
		if math.Abs(sums[i]-got[i]) > 1e-3 {
			t.Errorf("tile %d adds up to %g, want %g", i, got[i], sums[i])
		}
	}
}

func TestLinePlaneAndShares(t *testing.T) {
	const w, h, tile, tw = 13, 11, 4, 4
	r := planes(rand.New(rand.NewPCG(3, 2)), w*h)
	mask, factor := make([]float32, w*h), make([]float32, tw*3)
	for i := range mask {
		mask[i] = float32(i % 3 / 2)
	}
	for i := range factor {
		factor[i] = float32(i) / 5
	}
	out, q := make([]float32, w*h), slices.Clone(r[0])
	cv.LinePlane(r, mask, w, h, [3]float32{1, -2, 0.5}, factor, tile, tw, 1.5, out)
	cv.Shares(q, mask, w, h, factor, tile, tw)
	for i := range out {
		f := factor[i/w/tile*tw+i%w/tile]
		v, s := max(-1.5, min(1.5, (r[0][i]-2*r[1][i]+0.5*r[2][i])*f)), r[0][i]*f
		if mask[i] <= 0.5 {
			v, s = 0, 0
		}
		if math.Abs(float64(out[i]-v)) > 1e-5 || math.Abs(float64(q[i]-s)) > 1e-5 {
			t.Fatalf("place %d: %g and %g, want %g and %g", i, out[i], q[i], v, s)
		}
	}
}

func TestRaise(t *testing.T) {
	// A ramp stays one; what is higher already stays.
	const w, h, dw, dh = 6, 5, 11, 9
	q, mask, e := make([]float32, w*h), make([]float32, dw*dh), make([]float32, dw*dh)
	for i := range q {
		q[i] = float32(2*(i%w) + 20*(i/w))
	}
	for i := range mask {
		mask[i] = 1
	}
	e[3*dw+4], mask[0], mask[1] = 999, 0, 0
	cv.Raise(q, w, h, 0.5, mask, e, dw, dh)
	for y := range dh {
		for x := range dw {
			want := float32(x + 10*y)
			switch {
			case y == 3 && x == 4:
				want = 999
			case y == 0 && x < 2:
				want = 0
			}
			if got := e[y*dw+x]; got != want {
				t.Errorf("%d, %d is %g, want %g", x, y, got, want)
			}
		}
	}
}

func TestClippedCovariance(t *testing.T) {
	const n = 40_003
	r := planes(rand.New(rand.NewPCG(5, 2)), n)
	mask := make([]float32, n)
	for i := range mask {
		r[1][i] = 2*r[1][i] + r[0][i]
		mask[i] = 1
		switch i % 100 {
		case 0:
			r[2][i] = 1000 // a mark
		case 1:
			mask[i], r[0][i] = 0, 3
		}
	}
	got := cv.ClippedCovariance(r, mask)
	for i, want := range [6]float64{1, 1, 5, 0, 0, 1} {
		if math.Abs(got[i]-want) > 0.05*math.Max(1, want) {
			t.Errorf("element %d is %.3f, want %.3f", i, got[i], want)
		}
	}
}

// TestDeltaEMap compares with the formula in vision/colour, for colours all
// around the circle, greys and opposite hues among them.
func TestDeltaEMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const n = 20_000
	var lab, diff [3][]float32
	for c := range lab {
		lab[c], diff[c] = make([]float32, n), make([]float32, n)
	}
	for i := range n {
		chroma, hue := 60*rng.Float64(), 2*math.Pi*rng.Float64()
		if i%10 == 0 {
			chroma = 0.5 * rng.Float64()
		}
		lab[0][i], lab[1][i], lab[2][i] = float32(10+80*rng.Float64()), float32(chroma*math.Cos(hue)), float32(chroma*math.Sin(hue))
		for c := range diff {
			diff[c][i] = float32(4 * rng.NormFloat64())
		}
	}
	tenths := make([]byte, n)
	cv.DeltaEMap(lab, diff, tenths)
	off := 0
	for i := range n {
		p := colour.Lab{L: float64(lab[0][i]), A: float64(lab[1][i]), B: float64(lab[2][i])}
		q := colour.Lab{L: p.L + float64(diff[0][i]), A: p.A + float64(diff[1][i]), B: p.B + float64(diff[2][i])}
		want := math.Min(255, 10*colour.DeltaE2000(p, q))
		if d := math.Abs(float64(tenths[i]) - want); d > 2 && d > 0.03*want {
			off++
		}
	}
	// Opposite hues have no mean hue to speak of.
	if off > n/200 {
		t.Errorf("%d of %d differ by more than 0.2 and 3%%", off, n)
	}
}

func TestLabDifference(t *testing.T) {
	light := make([]float32, 256)
	for i := range light {
		light[i] = float32(colour.Linear(uint8(i)))
	}
	rng := rand.New(rand.NewPCG(8, 2))
	const n = 5000
	pix, mask, skip := make([]byte, 3*n), make([]float32, n), make([]byte, n)
	var lab, out [3][]float32
	for c := range lab {
		lab[c], out[c] = make([]float32, n), make([]float32, n)
	}
	for i := range pix {
		pix[i] = uint8(rng.IntN(256))
	}
	copy(pix, []byte{0, 0, 0, 255, 255, 255, 1, 2, 3})
	for i := range n {
		mask[i], lab[0][i], skip[i] = 1, 50, uint8(i%50/49)
	}
	cv.LabDifference(pix, lab, mask, skip, light, out)
	size := make([]float32, n)
	cv.Lengths(out, size)
	for i := range n {
		want := colour.FromBGR(pix[3*i], pix[3*i+1], pix[3*i+2])
		want.L -= 50
		if skip[i] != 0 {
			want = colour.Lab{}
		}
		got := colour.Lab{L: float64(out[0][i]), A: float64(out[1][i]), B: float64(out[2][i])}
		if colour.DeltaE76(want, got) > 2e-3 || math.Abs(float64(size[i])-colour.DeltaE76(got, colour.Lab{})) > 1e-3 {
			t.Fatalf("colour %d: %v, want %v", i, got, want)
		}
	}
}
