package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairdeck/scripts/internal/accuracy/metric"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func hist(scores ...float32) *metric.Histogram {
	h := new(metric.Histogram)
	for _, s := range scores {
		h.Add(s)
	}
	return h
}

func TestAUROCByHand(t *testing.T) {
	for _, c := range []struct {
		name          string
		marked, clean []float32
		want          float64
	}{
		{"apart", []float32{3, 4}, []float32{1, 2}, 1},
		{"the wrong way round", []float32{1, 2}, []float32{3, 4}, 0},
		{"all alike", []float32{5, 5}, []float32{5, 5, 5}, 0.5},
		{"one pair of four lost", []float32{2, 4}, []float32{1, 3}, 0.75},
		{"a tie counts half", []float32{2}, []float32{1, 2}, 0.75},
		{"nothing scored", []float32{0, 0, 7}, []float32{0, 0}, (1 + 0.5 + 0.5) / 3},
	} {
		if got := metric.AUROC(hist(c.marked...), hist(c.clean...)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	if !math.IsNaN(metric.AUROC(hist(), hist(1))) || !math.IsNaN(metric.AUROC(hist(1), hist())) {
		t.Error("an empty side gives no area")
	}
}

// The histogram gives the area of all pairs compared one by one.
func TestAUROCIsThePairwiseShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Powers of two are in different bins or equal.
		score := rapid.Custom(func(t *rapid.T) float32 { return float32(int(1) << rapid.IntRange(0, 6).Draw(t, "e")) })
		marked := rapid.SliceOfN(score, 1, 20).Draw(t, "marked")
		clean := rapid.SliceOfN(score, 1, 20).Draw(t, "clean")
		sum := 0.0
		for _, m := range marked {
			for _, c := range clean {
				switch {
				case m > c:
					sum++
				case m == c:
					sum += 0.5
				}
			}
		}
		want := sum / float64(len(marked)*len(clean))
		got := metric.AUROC(hist(marked...), hist(clean...))
		if math.Abs(got-want) > 1e-9 {
			t.Fatalf("%g, want %g", got, want)
		}
		if back := metric.AUROC(hist(clean...), hist(marked...)); math.Abs(got+back-1) > 1e-9 {
			t.Fatalf("swapped: %g + %g", got, back)
		}
		var merged metric.Histogram
		for _, m := range marked {
			merged.Merge(hist(m))
		}
		if merged.N() != int64(len(marked)) || metric.AUROC(&merged, hist(clean...)) != got {
			t.Fatal("merging one by one is the same")
		}
	})
}

func TestRecallAt(t *testing.T) {
	clean := new(metric.Histogram)
	for i := range 200 {
		clean.Add(float32(i + 1)) // 1 to 200
	}
	// 1% of 200 may exceed the threshold: 199 and 200 (bins of the upper
	// values are wider than 1, so test values stand well apart).
	marked := hist(50, 190, 250, 300)
	if got := metric.RecallAt(0.01, marked, clean); got != 0.5 {
		t.Errorf("%g of the marked are found, want 0.5", got)
	}
	if got := metric.RecallAt(0.01, hist(0, 9, 9), hist(0, 0, 0)); math.Abs(got-2.0/3) > 1e-12 {
		t.Errorf("%g: what ties with clean scores is not found", got)
	}
	if got := metric.RecallAt(1, hist(0, 9), hist(0, 1)); got != 1 {
		t.Errorf("%g: everything may be wrong", got)
	}
	if !math.IsNaN(metric.RecallAt(0.01, hist(), clean)) {
		t.Error("no marked score, no recall")
	}
}

func TestPROByHand(t *testing.T) {
	clean := new(metric.Histogram)
	for range 1000 {
		clean.Add(1)
	}
	for _, c := range []struct {
		name    string
		regions []*metric.Histogram
		want    float64
	}{
		{"all found before the first false pixel", []*metric.Histogram{hist(9, 9), hist(5)}, 1},
		// Regions count alike: the small one is missed (it ties with the clean
		// pixels, so that its overlap grows linearly from 0 at rate 0 to 1 at
		// rate 1: the mean over rates up to 0.3 is 0.15).
		{"the small one missed", []*metric.Histogram{hist(9, 9, 9, 9), hist(1)}, (1 + 0.15) / 2},
		{"half of each", []*metric.Histogram{hist(9, 1), hist(9, 1)}, 0.5 + 0.5*0.15},
		// A score below every clean one comes after rate 1.
		{"none", []*metric.Histogram{hist(0), hist(0)}, 0},
		{"empty regions do not count", []*metric.Histogram{hist(9), hist()}, 1},
	} {
		if got := metric.PRO(c.regions, clean); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	if !math.IsNaN(metric.PRO(nil, clean)) || !math.IsNaN(metric.PRO([]*metric.Histogram{hist(1)}, hist())) {
		t.Error("nothing to compare gives no number")
	}
}

// One region whose pixels score like the clean ones: PRO is the area under
// the diagonal up to the limit.
func TestPROOfChanceIsHalfTheLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	clean, region := new(metric.Histogram), new(metric.Histogram)
	for range 200_000 {
		clean.Add(r.Float32())
		region.Add(r.Float32())
	}
	if got := metric.PRO([]*metric.Histogram{region}, clean); math.Abs(got-metric.ProLimit/2) > 0.003 {
		t.Errorf("%g, want %g", got, metric.ProLimit/2)
	}
}

func TestShareIntervalIsExact(t *testing.T) {
	// 0 of n has the closed form 1 - (a/2)^(1/n); 0 of 300 bounds a rate of
	// 1.2%, which is why 300 clean decks without a flag do not prove 1%.
	low, high := metric.Share{K: 0, N: 300}.Interval(0.95)
	if low != 0 || math.Abs(high-(1-math.Pow(0.025, 1.0/300))) > 1e-9 {
		t.Errorf("0/300: %g to %g", low, high)
	}
	low, high = metric.Share{K: 300, N: 300}.Interval(0.95)
	if high != 1 || math.Abs(low-math.Pow(0.025, 1.0/300)) > 1e-9 {
		t.Errorf("300/300: %g to %g", low, high)
	}
	if low, high = (metric.Share{}).Interval(0.95); low != 0 || high != 1 {
		t.Errorf("nothing tried: %g to %g", low, high)
	}
	// The definition: at the upper end, k or fewer have chance 2.5%.
	low, high = metric.Share{K: 7, N: 40}.Interval(0.95)
	if p := (distuv.Binomial{N: 40, P: high}).CDF(7); math.Abs(p-0.025) > 1e-6 {
		t.Errorf("upper tail %g", p)
	}
	if p := 1 - (distuv.Binomial{N: 40, P: low}).CDF(6); math.Abs(p-0.025) > 1e-6 {
		t.Errorf("lower tail %g", p)
	}
}

func TestShareWords(t *testing.T) {
	var s metric.Share
	if s.String() != "–" || !math.IsNaN(s.Rate()) {
		t.Error("no trials, no rate")
	}
	for i := range 60 {
		s.Add(i > 0)
	}
	if got := s.Plus(metric.Share{K: 1, N: 1}).String(); got != "60/61 (98.4%)" {
		t.Error(got)
	}
}
