package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"fairdeck/internal/shufflestudy"
	"fairdeck/randomness"
	"fairdeck/randomness/battery"
)

// Size is measured over several null tables: a table of 100,000 draws has its own chance error,
// which a single table would hand to every trial.
const sizeTables = 10

func size(ctx context.Context, s settings) error {
	trials := s.n(200_000)
	say("## False alarms\n")
	say("%d decks per line, spread over %d null tables of 100,000 draws. The standard error of a rate near 1%% is %.3f points, near 0.1%% %.3f points. \"Fair p\" is the larger p-value of both nulls, which sets the level.\n",
		trials, sizeTables, 100*math.Sqrt(.01*.99/float64(trials)), 100*math.Sqrt(.001*.999/float64(trials)))
	say("| deck | what was done | order before | p against uniform <= 1%% | <= 0.1%% | fair p <= 1%% | <= 0.1%% | mean e-value |\n|---|---|---|---|---|---|---|---|")
	worst := 0.0
	for _, name := range []string{"distinct60", "mtg60_4dual", "pkmn60", "limited40", "ygo40"} {
		d, err := shufflestudy.FindDeck(name)
		if err != nil {
			return err
		}
		for _, known := range []bool{true, false} {
			models := []string{"random"}
			if known {
				models = append(models, "riffle:7+cut", "riffle:8+cut", "riffle:10")
			}
			sum := make([]shufflestudy.Rates, len(models))
			for t := range sizeTables {
				log.Printf("size: %s, known %v, table %d", name, known, t+1)
				spec := d.Spec(uint64(100+t), false)
				judged := spec
				if !known {
					judged.Before = nil
				}
				b, err := battery.New(judged)
				if err != nil {
					return err
				}
				w := battery.DefaultWeights(!known || b.Distinct())
				opt := battery.NullOptions{Seed: uint64(1000 + t)}
				uniform, err := b.NewTable(ctx, battery.Null{}, w, opt)
				if err != nil {
					return err
				}
				tables := []*battery.Table{uniform}
				if known {
					riffled, err := b.NewTable(ctx, battery.Null{Riffles: 7}, w, opt)
					if err != nil {
						return err
					}
					tables = append(tables, riffled)
				}
				for i, m := range models {
					r, err := shufflestudy.Measure(ctx, b, spec, m, trials/sizeTables, uint64(5000+97*t+i), randomness.EValue, tables...)
					if err != nil {
						return err
					}
					sum[i].Trials += r.Trials
					sum[i].E += r.E
					for l := range shufflestudy.Levels {
						sum[i].Overall[l] += r.Overall[l]
						sum[i].Fair[l] += r.Fair[l]
					}
				}
			}
			for i, m := range models {
				r := sum[i]
				say("| %s | %s | %s | %.3f%% | %.4f%% | %.3f%% | %.4f%% | %.3f |", name, m, map[bool]string{true: "known", false: "not known"}[known],
					100*r.Share(r.Overall[0]), 100*r.Share(r.Overall[1]), 100*r.Share(r.Fair[0]), 100*r.Share(r.Fair[1]), r.E/float64(r.Trials))
				for l, level := range shufflestudy.Levels {
					se := math.Sqrt(level * (1 - level) / float64(r.Trials))
					worst = max(worst, (r.Share(r.Fair[l])-level)/se)
					if m == "random" {
						worst = max(worst, (r.Share(r.Overall[l])-level)/se)
					}
				}
			}
		}
	}
	say("\nThe largest excess over the nominal rate, among fair decks against uniform and all lines for fair p, is %.1f standard errors.", worst)
	say("Seven honest riffles and a cut are judged insufficient no more often than stated because the second null is exactly that; against uniform alone they would be noticed as the fourth column says.\n")
	return nil
}

// tablesFor makes the uniform table of a deck at a start.
func tablesFor(ctx context.Context, d shufflestudy.Deck, start uint64, grouped bool, w *battery.Weights) (*battery.Battery, battery.Spec, *battery.Table, error) {
	spec := d.Spec(start, grouped)
	b, err := battery.New(spec)
	if err != nil {
		return nil, spec, nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	weights := battery.DefaultWeights(b.Distinct())
	if w != nil {
		weights = *w
	}
	t, err := b.NewTable(ctx, battery.Null{}, weights, battery.NullOptions{Seed: 2000 + start})
	return b, spec, t, err
}
