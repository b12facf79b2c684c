package cv_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fairdeck/internal/cv"
)

func TestDeckOrderIsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 5, 7, 8, 33, 60, 200} {
		const stride = 77 // not a multiple of the vector width
		data := make([]byte, n*stride)
		for i := range data {
			data[i] = byte(100 + r.NormFloat64()*20)
		}
		planes := make([]int32, n)
		for i, p := range r.Perm(n) {
			planes[i] = int32(p)
		}
		mid, spread := make([]uint16, stride), make([]uint16, stride)
		if err := cv.DeckOrder(data, stride, planes, 0, stride, 0, mid, spread); err != nil {
			t.Fatal(err)
		}
		for j := range stride {
			col := make([]byte, n)
			for i := range n {
				col[i] = data[i*stride+j]
			}
			slices.Sort(col)
			short := 255
			for i := 0; i+n/2 < n; i++ {
				short = min(short, int(col[i+n/2])-int(col[i]))
			}
			if int(spread[j]) != short {
				t.Fatalf("n %d, position %d: shortest half %d, want %d", n, j, spread[j], short)
			}
			if n >= 5 && int(col[n/4+n/2])-int(col[n/4]) > 2*short+4 {
				continue // two populations: tested below
			}
			if want := (int(col[(n-1)/2]) + int(col[n/2])) * 128; int(mid[j]) != want {
				t.Fatalf("n %d, position %d: median %d, want %d", n, j, mid[j], want)
			}
		}
	}
}

func TestDeckOrderTakesTheDenserPopulation(t *testing.T) {
	const n = 60
	data, planes := make([]byte, n), make([]int32, n)
	for i := range data {
		planes[i] = int32(i)
		data[i] = byte(100 + i%3)
		if i >= 36 { // 24 sleeves share a mark
			data[i] = byte(60 + i%3)
		}
	}
	mid, spread := make([]uint16, 1), make([]uint16, 1)
	if err := cv.DeckOrder(data, 1, planes, 0, 1, 3, mid, spread); err != nil {
		t.Fatal(err)
	}
	if got := float64(mid[0]) / 256; got < 100 || got > 102 || spread[0] > 2 {
		t.Fatalf("consensus %g, shortest half %d: the 36 unmarked sleeves lie at 100 to 102", got, spread[0])
	}
}

func TestDeckOrderRefusesNonsense(t *testing.T) {
	d, m := make([]byte, 20), make([]uint16, 10)
	for name, err := range map[string]error{
		"no planes":      cv.DeckOrder(d, 10, nil, 0, 10, 0, m, m),
		"plane missing":  cv.DeckOrder(d, 10, []int32{2}, 0, 10, 0, m, m),
		"negative trim":  cv.DeckOrder(d, 10, []int32{0, 1}, 0, 10, -1, m, m),
		"range too long": cv.DeckOrder(d, 10, []int32{0, 1}, 0, 11, 0, m, m),
		"no room":        cv.DeckOrder(d, 10, []int32{0, 1}, 0, 10, 0, m[:3], m),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
