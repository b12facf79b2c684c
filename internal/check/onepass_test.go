package check

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// dealTimes are when the backs and faces of n cards come to rest at one card a
// second: a back shows when the card above it is lifted, its face lies a
// period later.
func dealTimes(r *rand.Rand, n int, jitter float64) (back, face []time.Duration) {
	t := time.Duration(0)
	back = append(back, 0)
	t += 700 * time.Millisecond
	for i := range n {
		period := time.Duration((1 + jitter*r.NormFloat64()) * float64(time.Second))
		face = append(face, t+time.Duration((0.3+0.05*r.NormFloat64())*float64(time.Second)))
		if i+1 < n {
			back = append(back, t+time.Duration((0.15+0.05*r.NormFloat64())*float64(time.Second)))
		}
		t += max(period, 500*time.Millisecond)
	}
	return back, face
}

// TestPairTimes: every back gets its own face, and where a card was missed on
// one side or a speck was seen, only that place is without its other half.
func TestPairTimes(t *testing.T) {
	for name, c := range map[string]struct {
		noBack, noFace []int
	}{
		"all":                 {},
		"a face missed":       {noFace: []int{17}},
		"a back missed":       {noBack: []int{30}},
		"the first face":      {noFace: []int{0}},
		"two faces in a row":  {noFace: []int{20, 21}},
		"one on either side":  {noFace: []int{5}, noBack: []int{40}},
		"last back, and face": {noFace: []int{59}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				back, face := dealTimes(rand.New(rand.NewPCG(seed, 1)), 60, 0.1)
				var want []pairing
				var bs, fs []time.Duration
				for i := range 60 {
					p := pairing{-1, -1}
					if !slices.Contains(c.noBack, i) {
						p.back = len(bs)
						bs = append(bs, back[i])
					}
					if !slices.Contains(c.noFace, i) {
						p.face = len(fs)
						fs = append(fs, face[i])
					}
					want = append(want, p)
				}
				if d := cmp.Diff(want, pairTimes(bs, fs), cmp.AllowUnexported(pairing{})); d != "" {
					t.Fatalf("seed %d (-want +got):\n%s", seed, d)
				}
			}
		})
	}
}

// TestPairTimesKeepsAll: whatever the times, every sighting is in exactly one
// pair, in order, and no face is paired with a later back.
func TestPairTimesKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := func(name string) []time.Duration {
			v := rapid.SliceOfN(rapid.Int64Range(0, 60_000), 0, 40).Draw(t, name)
			slices.Sort(v)
			var out []time.Duration
			for _, ms := range v {
				out = append(out, time.Duration(ms)*time.Millisecond)
			}
			return out
		}
		back, face := times("back"), times("face")
		i, j := 0, 0
		for _, p := range pairTimes(back, face) {
			if p.back >= 0 {
				if p.back != i {
					t.Fatalf("back %d where %d follows", p.back, i)
				}
				i++
			}
			if p.face >= 0 {
				if p.face != j {
					t.Fatalf("face %d where %d follows", p.face, j)
				}
				j++
			}
			if p.back >= 0 && p.face >= 0 && face[p.face] <= back[p.back] {
				t.Fatalf("face at %v with the back at %v", face[p.face], back[p.back])
			}
		}
		if i != len(back) || j != len(face) {
			t.Fatalf("%d of %d backs and %d of %d faces", i, len(back), j, len(face))
		}
	})
}
