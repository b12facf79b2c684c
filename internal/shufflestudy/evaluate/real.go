package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	"fairdeck/internal/shufflestudy"
	"fairdeck/randomness"
	"fairdeck/randomness/battery"
	"fairdeck/randomness/simulate"
)

func realShuffles(ctx context.Context, s settings) error {
	say("## Seven real riffles of a 52-card deck\n")
	p := s.path("fixtures", "real", "shuffles", "blue-deck.csv")
	if p == "" {
		say("The recording is not on this machine.\n")
		return nil
	}
	f, err := os.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	series, err := randomness.ReadSeries(f, "blue-deck.csv")
	if err != nil {
		return err
	}
	v, err := randomness.NewScorer(randomness.Options{Seed: 1}).Series(ctx, series, nil)
	if err != nil {
		return err
	}
	say("| riffle | this step looks like | level | from the start looks like | R | level | p |\n|---|---|---|---|---|---|---|")
	for i := range v.Steps {
		a, b := v.Steps[i], v.FromHere[i]
		say("| %d | %s | %s | %s | %d | %s | %.2g |", i+1, a.Riffles, a.Level, b.Riffles, b.Effects.RisingSequences, b.Level, b.P)
	}
	say("\n%s Hands riffle neater than the model and repeat themselves, so an estimate is a number of average riffles, not a count.\n", v.Sentence)
	return nil
}

// readingErrors judges orders in which cards were misread or not read at all, on null tables of the
// readings as they are.
func readingErrors(ctx context.Context, s settings) error {
	trials, draws := s.n(100), 5000
	say("## Unread and misread cards, level 1%%\n")
	say("Every trial has its own readings and so its own null table (%d draws); %d trials a cell, standard error at most %.0f points. A misread card is read as another card of the deck; an unread one stays in its place as \"?\". Deck mtg60_4dual. The full verdict with its\nsmall table would be blunt, so the single statistics are shown: rising (riffles), kept (overhand), stride-wide (piles), class-even (weave).\n",
		draws, trials, 50/math.Sqrt(float64(trials)))
	say("| shuffle | misread | unread | rising | kept | stride-wide | class-even |\n|---|---|---|---|---|---|---|")
	d, err := shufflestudy.FindDeck("mtg60_4dual")
	if err != nil {
		return err
	}
	stats := []battery.Stat{battery.Rising, battery.Kept, battery.StrideWide, battery.ClassEven}
	for mi, model := range []string{"random", "riffle:3", "overhand:6", "pile:7:random+riffle:1", "weave+riffle:1"} {
		for ci, c := range []struct {
			misread float64
			unread  int
		}{{0, 0}, {.05, 0}, {.1, 0}, {0, 3}, {.03, 2}} {
			log.Printf("reading errors: %s, misread %v, unread %d", model, c.misread, c.unread)
			count := make([]int, len(stats))
			m, err := simulate.Parse(model)
			if err != nil {
				return err
			}
			for t := range trials {
				spec := d.Spec(uint64(t), false)
				rng := simulate.NewRand(uint64(77+10*mi+ci), uint64(t))
				n := len(spec.Before)
				deck, marked := make([]int, n), make([]bool, n)
				for i := range deck {
					deck[i] = i
					marked[i] = spec.Class[spec.Before[i]] == 0
				}
				m.Shuffle(rng, deck, marked)
				after := make([]uint8, n)
				for i, card := range deck {
					after[i] = spec.Before[card]
					if rng.Float64() < c.misread {
						after[i] = uint8(rng.IntN(len(d.Counts)))
					}
				}
				for _, i := range rng.Perm(n)[:c.unread] {
					after[i] = battery.Unread
				}
				spec.Readings = slices.Clone(after)
				b, err := battery.New(spec)
				if err != nil {
					return err
				}
				tb, err := b.NewTable(ctx, battery.Null{}, battery.DefaultWeights(false), battery.NullOptions{Draws: draws, Seed: uint64(t)})
				if err != nil {
					return err
				}
				codes, err := b.Codes(after, b.NewScratch())
				if err != nil {
					return err
				}
				for i, st := range stats {
					if tb.P(st, codes) <= .01 {
						count[i]++
					}
				}
			}
			line := fmt.Sprintf("| %s | %.0f%% | %d |", model, 100*c.misread, c.unread)
			for _, k := range count {
				line += fmt.Sprintf(" %.3f |", float64(k)/float64(trials))
			}
			say("%s", line)
		}
	}
	say("")
	return nil
}

func speed(_ context.Context, s settings) error {
	say("## Speed\n")
	if s.bench == "" {
		say("Not measured in this run; see `scripts/bench-randomness.sh`.")
		return nil
	}
	data, err := os.ReadFile(s.bench)
	if err != nil {
		return err
	}
	say("`scripts/bench-randomness.sh` on the same machine, one core for everything that is compared:\n")
	say("```\n%s\n```", strings.TrimSpace(string(bytes.TrimSpace(data))))
	return nil
}
