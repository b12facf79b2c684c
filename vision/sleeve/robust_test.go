package sleeve

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMedian compares with sorting, ties and odd orders included.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few distinct values make ties.
		v := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) })), 1, 300).Draw(t, "v")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(v)
		}
		s := slices.Sorted(slices.Values(v))
		want := (s[(len(s)-1)/2] + s[len(s)/2]) / 2
		if got := median(v); got != want {
			t.Fatalf("median %v, want %v", got, want)
		}
		if slices.Sort(v); !slices.Equal(s, v) {
			t.Fatal("the values changed")
		}
	})
}

// TestMedianEnds: all values equal, and one that is no number, end too.
func TestMedianEnds(t *testing.T) {
	v := make([]float64, 1000)
	if got := median(v); got != 0 {
		t.Errorf("median of zeros: %v", got)
	}
	for i := range v {
		v[i] = math.NaN()
	}
	median(v)
	if median(nil) != 0 {
		t.Error("no values have no median")
	}
}

// BenchmarkMedian is a pixel's column down a deck and a sleeve's sample.
func BenchmarkMedian(b *testing.B) {
	for name, n := range map[string]int{"60": 60, "20000": 20000} {
		v, w := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i] = float64((i * 7919) % 10007)
		}
		b.Run("select/"+name, func(b *testing.B) {
			for b.Loop() {
				copy(w, v)
				median(w)
			}
		})
		b.Run("sort/"+name, func(b *testing.B) {
			for b.Loop() {
				copy(w, v)
				slices.Sort(w)
			}
		})
	}
}
