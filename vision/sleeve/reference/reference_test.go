package reference_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve/reference"

	"pgregory.net/rapid"
)

// flat makes a deck of views that are everywhere of their own code.
func flat(codes ...uint8) reference.Deck {
	var d reference.Deck
	for _, c := range codes {
		m := frame.New(5, 4)
		for i := range m.Pix {
			m.Pix[i] = c
		}
		d.Views = append(d.Views, m)
	}
	return d
}

func scores(t testing.TB, m reference.Method, d reference.Deck) [][]float32 {
	t.Helper()
	s, err := m.Scores(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every pixel of a flat deck has the score worked out by hand.
func TestScoresByHand(t *testing.T) {
	root3 := math.Sqrt(3) // three channels differ alike
	for _, c := range []struct {
		name   string
		method reference.Method
		deck   reference.Deck
		want   []float64
	}{
		{"golden card", reference.GoldenCard{Index: 1}, flat(100, 110, 130), []float64{10 * root3, 10 * root3 * 2, 20 * root3}},
		// 10 codes from the others' mean 102, whose deviation is 2.
		{"mean of the others", reference.Variation{}, flat(100, 102, 104, 112), []float64{
			apart(100, 102, 104, 112), apart(102, 100, 104, 112), apart(104, 100, 102, 112), 5}},
		// Median 103, deviations 3, 1, 1, 9: their median is 2.
		{"median and MAD", reference.Robust{}, flat(100, 102, 104, 112), []float64{
			3 / (1.4826 * 2), 1 / (1.4826 * 2), 1 / (1.4826 * 2), 9 / (1.4826 * 2)}},
		// Two sleeves alike and one not: the deviation falls to its floor.
		{"the floor", reference.Robust{}, flat(100, 100, 100, 105), []float64{0, 0, 0, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := scores(t, c.method, c.deck)
			for k, want := range c.want {
				for i, v := range got[k] {
					if math.Abs(float64(v)-want) > 1e-4*math.Max(1, want) {
						t.Fatalf("view %d pixel %d: %g, want %g", k, i, v, want)
					}
				}
			}
		})
	}
}

// apart is how many standard deviations of the others p lies from their mean.
func apart(p float64, others ...float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range others {
		mean += v / float64(len(others))
	}
	for _, v := range others {
		sum += (v - mean) * (v - mean)
	}
	return math.Abs(p-mean) / math.Sqrt(sum/float64(len(others)-1))
}

// noisy makes n views of noise about one code.
func noisy(n int, seed uint64) reference.Deck {
	r := rand.New(rand.NewPCG(seed, 1))
	var d reference.Deck
	for range n {
		m := frame.New(40, 30)
		for i := range m.Pix {
			m.Pix[i] = uint8(math.Round(120 + 2*r.NormFloat64()))
		}
		d.Views = append(d.Views, m)
	}
	return d
}

func dot(m *frame.Image, x, y int, add uint8) {
	for dy := range 3 {
		for dx := range 3 {
			for c := range 3 {
				m.Pix[3*((y+dy)*m.Width+x+dx)+c] += add
			}
		}
	}
}

func TestEachFindsALoneDot(t *testing.T) {
	for _, m := range reference.Methods(0) {
		d := noisy(20, 3)
		dot(d.Views[7], 20, 10, 30)
		got := scores(t, m, d)
		best, at := float32(0), -1
		for k := range got {
			for i, v := range got[k] {
				if v > best {
					best, at = v, k*1200+i
				}
			}
		}
		if want := 7*1200 + 11*40 + 21; at != want {
			t.Errorf("%s: the strongest pixel is %d, want %d", m.Name(), at, want)
		}
	}
}

// What the references are known to fail at must show, or the comparison is
// with something else: a mark that many share hides from the two that model
// the deck.
func TestSharedMarkHides(t *testing.T) {
	at := 11*40 + 21
	alone, shared := noisy(20, 4), noisy(20, 4)
	for k := range 9 {
		dot(shared.Views[k], 20, 10, 30)
	}
	dot(alone.Views[3], 20, 10, 30)
	if v := scores(t, reference.Variation{}, shared)[3][at]; v > 2.5 {
		t.Errorf("mean and deviation: a mark on 9 of 20 scores %g", v)
	}
	one, many := scores(t, reference.Robust{}, alone)[3][at], scores(t, reference.Robust{}, shared)[3][at]
	if many > 0.6*one {
		t.Errorf("median and MAD: a mark on 9 of 20 scores %g, on one %g", many, one)
	}
	if v := scores(t, reference.GoldenCard{Index: 19}, shared)[3][at]; v < 40 {
		t.Errorf("against a clean card it scores %g", v)
	}
}

// The order of the deck changes nothing for the two that model the deck.
func TestOrderOfTheDeckIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := noisy(rapid.IntRange(3, 9).Draw(t, "n"), rapid.Uint64().Draw(t, "seed"))
		order := rapid.Permutation(func() []int {
			v := make([]int, len(d.Views))
			for i := range v {
				v[i] = i
			}
			return v
		}()).Draw(t, "order")
		var e reference.Deck
		for _, k := range order {
			e.Views = append(e.Views, d.Views[k])
		}
		for _, m := range []reference.Method{reference.Variation{}, reference.Robust{}} {
			a, err := m.Scores(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.Scores(context.Background(), e)
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range order {
				for p := range b[i] {
					if a[k][p] != b[i][p] {
						t.Fatalf("%s: view %d pixel %d: %g and %g", m.Name(), k, p, a[k][p], b[i][p])
					}
				}
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	odd := flat(1, 2, 3)
	odd.Views[1] = frame.New(3, 3)
	empty := flat(1, 2, 3)
	empty.Views[2] = &frame.Image{}
	for name, c := range map[string]struct {
		method reference.Method
		deck   reference.Deck
	}{
		"one view":        {reference.GoldenCard{}, flat(1)},
		"no such card":    {reference.GoldenCard{Index: 3}, flat(1, 2, 3)},
		"two views":       {reference.Variation{}, flat(1, 2)},
		"two views, MAD":  {reference.Robust{}, flat(1, 2)},
		"different sizes": {reference.Robust{}, odd},
		"no pixels":       {reference.Variation{}, empty},
	} {
		if _, err := c.method.Scores(context.Background(), c.deck); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range reference.Methods(0) {
		if _, err := m.Scores(ctx, flat(1, 2, 3)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s goes on after its context ended: %v", m.Name(), err)
		}
	}
}
