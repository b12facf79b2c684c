package visiontest_test

import (
	"bytes"
	"slices"
	"testing"

	"fairdeck/vision/visiontest"
)

// play renders a deal and returns a sum of its pixels for each frame.
func play(t *testing.T, d visiontest.Deal) (sums []uint64, truth *visiontest.DealTruth) {
	t.Helper()
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		t.Fatal(err)
	}
	last := -1.0
	for {
		f, ok, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return sums, s.Truth()
		}
		if f.Index != len(sums) || f.Seconds < last {
			t.Errorf("frame %d at %v s after %v s", f.Index, f.Seconds, last)
		}
		last = f.Seconds
		sum := uint64(14695981039346656037) // FNV-1a
		for _, v := range f.Image.Pix {
			sum = (sum ^ uint64(v)) * 1099511628211
		}
		sums = append(sums, sum)
	}
}

func TestDealRepeats(t *testing.T) {
	d := visiontest.RandomDeal(11, visiontest.DealRanges{Cards: 3, MaxPixels: 640 * 480, CardsPerSecond: 2})
	a, at := play(t, d)
	b, bt := play(t, d)
	if !slices.Equal(a, b) {
		t.Error("equal deals give other pixels")
	}
	var x, y bytes.Buffer
	if err := at.Write(&x); err != nil {
		t.Fatal(err)
	}
	if err := bt.Write(&y); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Error("equal deals give another truth")
	}
	d.Deck.Seed++
	if c, _ := play(t, d); slices.Equal(a, c) {
		t.Error("another seed gives the same pixels")
	}
}

// TestDealTruth: every card is seen once in every zone, in the order of the
// deal, and lies clear of the hand for some frames.
func TestDealTruth(t *testing.T) {
	for _, kind := range visiontest.DealKinds() {
		t.Run(string(kind), func(t *testing.T) {
			d := visiontest.RandomDeal(2, visiontest.DealRanges{Cards: 4, Kinds: []visiontest.DealKind{kind}, MaxPixels: 640 * 480, NoJPEG: true})
			_, truth := play(t, d)
			for _, z := range truth.Zones {
				if got := truth.Sightings(z.Name); !slices.Equal(got, []int{0, 1, 2, 3}) {
					t.Errorf("zone %s shows %v", z.Name, got)
				}
			}
			for _, r := range truth.Rests {
				if !(r.From < r.To) || r.ClearFrames < 3 {
					t.Errorf("card %d in %s from %v to %v, clear for %d frames", r.Card, r.Zone, r.From, r.To, r.ClearFrames)
				}
			}
		})
	}
}

// TestDealHasNeighboursAlike: every deck of faces has two of a kind in a row.
func TestDealHasNeighboursAlike(t *testing.T) {
	for seed := range uint64(30) {
		s, err := visiontest.NewDealStream(visiontest.Deal{Kind: visiontest.FacesDeal,
			Deck: visiontest.Deck{Seed: seed, Cards: 12, Camera: visiontest.Camera{WidthPx: 64, HeightPx: 48}}})
		if err != nil {
			t.Fatal(err)
		}
		f := s.Truth().Faces
		alike := false
		for i := 1; i < len(f); i++ {
			alike = alike || f[i] == f[i-1]
		}
		if !alike {
			t.Errorf("seed %d: %v", seed, f)
		}
	}
}
