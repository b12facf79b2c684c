package card_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// alike compares the cards that two searches found in one frame, and returns
// the squared corner differences, px^2.
func alike(full, near card.Result) (sumSq, corners float64, err error) {
	if len(full.Cards) != len(near.Cards) {
		return 0, 0, fmt.Errorf("%d cards where the search in full finds %d", len(near.Cards), len(full.Cards))
	}
	for i, f := range full.Cards {
		n := near.Cards[i]
		if f.Unusable != n.Unusable || f.Size != n.Size {
			return 0, 0, fmt.Errorf("card %d is %q of size %v, in full %q of %v", i+1, n.Unusable, n.Size, f.Unusable, f.Size)
		}
		for k, p := range f.Corners {
			d := p.Sub(n.Corners[k])
			sumSq += d.Dot(d)
			corners++
		}
	}
	return sumSq, corners, nil
}

func findBoth(t *testing.T, img *frame.Image, near []plane.Quad) (full, hinted card.Result) {
	t.Helper()
	full, err := card.Find(context.Background(), img, card.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if hinted, err = card.Find(context.Background(), img, card.Options{Near: near}); err != nil {
		t.Fatal(err)
	}
	return full, hinted
}

// TestNearChangesNothing: where cards are expected, and where they are wrongly
// expected, the same cards are found as without: cards that moved, turned or
// are gone, a further card, a hand's shadow.
func TestNearChangesNothing(t *testing.T) {
	rosette := visiontest.Sleeve{Colour: visiontest.Blue, Art: visiontest.Art{Style: visiontest.Rosette}}
	for _, c := range []struct {
		name string
		deck visiontest.Deck
	}{
		{"art on playmat", visiontest.Deck{Seed: 41, Cards: 3, Empty: 1, Hands: []int{2}, Sleeve: rosette, Table: visiontest.Table{Kind: visiontest.Playmat}}},
		{"white on wood", visiontest.Deck{Seed: 42, Cards: 2, Empty: 1, Sleeve: visiontest.Sleeve{Colour: visiontest.White}, Table: visiontest.Table{Kind: visiontest.Wood}}},
		{"black on paper", visiontest.Deck{Seed: 43, Cards: 3, Cut: []int{2}, Aliens: []visiontest.Alien{{Kind: visiontest.EmptyFrame, Frames: []int{1}, AtMM: plane.Point{X: 75, Y: 5}}},
			Sleeve: visiontest.Sleeve{Colour: visiontest.Black}}},
		{"two cards", visiontest.Deck{Seed: 44, Cards: 2, Sleeve: rosette, Layout: visiontest.Layout{Rows: 1, Cols: 2, GapMM: 30}}},
		{"a grid", visiontest.Deck{Seed: 45, Cards: 6, Sleeve: visiontest.Sleeve{Colour: visiontest.Red}, Layout: visiontest.Layout{Rows: 2, Cols: 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st, err := visiontest.New(c.deck)
			if err != nil {
				t.Fatal(err)
			}
			usual := truthQuads(st.Truth().Frames[0])
			sum, n := 0.0, 0.0
			for i := range st.Frames() {
				img, err := st.Frame(i)
				if err != nil {
					t.Fatal(err)
				}
				side := math.Sqrt(usual[0].Area())
				moved := plane.Quad{}
				for k, p := range usual[0] {
					moved[k] = p.Add(plane.Point{X: 0.09 * side, Y: -0.06 * side})
				}
				for what, near := range map[string][]plane.Quad{
					"as in the first": usual, "the first alone": usual[:1], "moved": {moved}, "across": {across(usual[0])},
				} {
					full, hinted := findBoth(t, img, near)
					s, k, err := alike(full, hinted)
					if err != nil {
						t.Errorf("frame %d, expected %s: %v", i, what, err)
					}
					sum, n = sum+s, n+k
				}
			}
			rms := math.Sqrt(sum / max(1, n))
			t.Logf("corners differ by %.4f px rms", rms)
			if rms > 0.1 {
				t.Errorf("corners differ by %.3f px", rms)
			}
		})
	}
}

// across is a quad turned by a quarter about its middle.
func across(q plane.Quad) plane.Quad {
	c := q.Centre()
	for i, p := range q {
		d := p.Sub(c)
		q[i] = c.Add(plane.Point{X: -d.Y, Y: d.X})
	}
	return q
}

func TestNearNonsense(t *testing.T) {
	img, truth := render(t, visiontest.Deck{Seed: 46, Cards: 1})
	q := truthQuads(truth)[0]
	for what, near := range map[string][]plane.Quad{
		"nothing": {{}}, "not a number": {{plane.Point{X: math.NaN()}}}, "inside out": {{q[0], q[3], q[2], q[1]}}, "twice": {q, q},
	} {
		full, hinted := findBoth(t, img, near)
		if _, _, err := alike(full, hinted); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
