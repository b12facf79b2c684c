package shufflestudy

import (
	"context"
	"math"
	"testing"

	"fairdeck/internal/shufflestudy/reference"
	"fairdeck/randomness"
	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

// built is a deck with its uniform null table.
func built(t *testing.T, name string, start uint64, draws int) (*battery.Battery, battery.Spec, *battery.Table) {
	t.Helper()
	d, err := FindDeck(name)
	if err != nil {
		t.Fatal(err)
	}
	spec := d.Spec(start, false)
	b, err := battery.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	tb, err := b.NewTable(context.Background(), battery.Null{}, battery.DefaultWeights(b.Distinct()), battery.NullOptions{Draws: draws, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return b, spec, tb
}

// A seeded part of what docs/RANDOMNESS.md shows in full: powers are not below those of the reference.
func TestPowersAgainstTheReference(t *testing.T) {
	ref := map[string]float64{}
	for _, r := range reference.Table(t, "stats", "shuffle_power_two_verdict.csv") {
		if r["alpha"] == "0.01" {
			ref[r["deck"]+" "+r["alt"]] = r.F(t, "TWO_VERDICT")
		}
	}
	try := map[string]bool{"gsr3": true, "gsr4": true, "gsr5": true, "gsr6": true, "sloppy5(g3)": true, "mash4": true, "overhand10(m8)": true, "pile7rand+gsr1": true,
		"weave+gsr1": true, "clump10+gsr1": true, "botStack6": true, "top5kept+uniform": true, "cut1": true}
	const trials, starts = 300, 2
	for _, deck := range []string{"distinct60", "mtg60_4dual", "pkmn60"} {
		got := map[string]float64{}
		for start := range uint64(starts) {
			b, spec, tb := built(t, deck, 70+start, 50_000)
			for i, a := range Alternatives() {
				if !try[a.Name] {
					continue
				}
				r, err := Measure(context.Background(), b, spec, a.Model, trials, 10*start+uint64(i), nil, tb)
				if err != nil {
					t.Fatal(err)
				}
				got[a.Name] += r.Share(r.Overall[0]) / starts
			}
		}
		for name, v := range got {
			want := ref[deck+" "+name]
			// Both are measured; three points more for the order before, which matters where copies are many.
			limit := want - 3.5*math.Sqrt(max(want*(1-want), .001)*(1.0/2000+1.0/(starts*trials))) - .03
			if v < limit {
				t.Errorf("%s, %s: noticed in %.3f, the reference in %.3f", deck, name, v, want)
			}
		}
	}
}

// The riffle question alone has the power of the best test there is.
func TestRiffleQuestionIsOptimal(t *testing.T) {
	const trials = 4000
	b, spec, tb := built(t, "distinct52", 1, 100_000)
	null, err := theory.Uniform(52)
	if err != nil {
		t.Fatal(err)
	}
	best, err := theory.OptimalTest(null, .01)
	if err != nil {
		t.Fatal(err)
	}
	for k, model := range map[int]string{4: "riffle:4", 5: "riffle:5", 6: "riffle:6"} {
		law, err := theory.AfterRiffles(52, k)
		if err != nil {
			t.Fatal(err)
		}
		_, want := best.Power(law)
		r, err := Measure(context.Background(), b, spec, model, trials, 3, nil, tb)
		if err != nil {
			t.Fatal(err)
		}
		se := math.Sqrt(want * (1 - want) / trials)
		if got := r.Share(r.Stat[battery.Rising]); math.Abs(got-want) > .01+3*se {
			t.Errorf("%d riffles: %.4f, the optimum is %.4f", k, got, want)
		}
		if full := r.Share(r.Overall[0]); full < want-.08-3*se {
			t.Errorf("%d riffles: the full verdict notices %.4f, the optimum %.4f", k, full, want)
		}
	}
}

// Fair decks: the rate of alarms is the level, and evidence averages at most 1.
func TestFairDecks(t *testing.T) {
	const trials = 20_000
	b, spec, tb := built(t, "limited40", 5, 50_000)
	r, err := Measure(context.Background(), b, spec, "random", trials, 8, randomness.EValue, tb)
	if err != nil {
		t.Fatal(err)
	}
	for i, level := range Levels {
		// standard errors of the trials and of the table together
		se := math.Sqrt(level * (1 - level) * (1.0/trials + 1.0/50_000))
		if got := r.Share(r.Overall[i]); math.Abs(got-level) > 4*se {
			t.Errorf("at %g: %.5f of fair decks", level, got)
		}
	}
	if e := r.E / trials; e > 1.2 {
		t.Errorf("mean e-value %.3f", e)
	}
}
