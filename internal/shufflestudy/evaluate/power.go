package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"

	"fairdeck/internal/shufflestudy"
	"fairdeck/randomness/battery"
	"fairdeck/randomness/theory"
)

func distinctPower(ctx context.Context, s settings) error {
	trials := s.n(20_000)
	say("## Few riffles of distinct cards, level 1%%\n")
	say("Shares noticed against \"uniformly random\". \"Riffle question only\" is the rising-sequence statistic with its tie-breaks alone; the optimum is the exact power of the most powerful test of exact level 1%%")
	say("(Neyman and Pearson), and of the test that rejects whole values of R. The last two columns are the levels a judge sees, for which seven riffles and a cut count as fair too. %d trials, standard error at most %.2f points.\n", trials, 50/math.Sqrt(float64(trials)))
	say("| cards | riffles | optimum, exact level | optimum, whole R | riffle question only | difference | full verdict | price of the full verdict | level questionable or worse | insufficient |\n|---|---|---|---|---|---|---|---|---|---|")
	worstOne, worstFull := 0.0, 0.0
	for _, n := range []int{40, 52, 60} {
		d, err := shufflestudy.FindDeck(fmt.Sprintf("distinct%d", n))
		if err != nil {
			return err
		}
		d.ClassFaces = 0
		// Several null tables: the chance error of one would move every power of its line the same way.
		const tables = 5
		spec := d.Spec(1, false)
		b, err := battery.New(spec)
		if err != nil {
			return err
		}
		var uniform, riffled [tables]*battery.Table
		for i := range tables {
			opt := battery.NullOptions{Seed: uint64(2001 + i)}
			if uniform[i], err = b.NewTable(ctx, battery.Null{}, battery.DefaultWeights(true), opt); err != nil {
				return err
			}
			if riffled[i], err = b.NewTable(ctx, battery.Null{Riffles: 7}, battery.DefaultWeights(true), opt); err != nil {
				return err
			}
		}
		null, err := theory.Uniform(n)
		if err != nil {
			return err
		}
		test, err := theory.OptimalTest(null, .01)
		if err != nil {
			return err
		}
		for k := 3; k <= 8; k++ {
			log.Printf("distinct power: %d cards, %d riffles", n, k)
			l, err := theory.AfterRiffles(n, k)
			if err != nil {
				return err
			}
			plain, exact := test.Power(l)
			var r shufflestudy.Rates
			for i := range tables {
				part, err := shufflestudy.Measure(ctx, b, spec, fmt.Sprintf("riffle:%d", k), trials/tables, uint64(31*n+k+1000*i), nil, uniform[i], riffled[i])
				if err != nil {
					return err
				}
				r.Trials += part.Trials
				r.Overall[0] += part.Overall[0]
				r.Stat[battery.Rising] += part.Stat[battery.Rising]
				r.Fair[0] += part.Fair[0]
				r.Fair[1] += part.Fair[1]
			}
			one, full := r.Share(r.Stat[battery.Rising]), r.Share(r.Overall[0])
			worstOne, worstFull = max(worstOne, math.Abs(one-exact)), max(worstFull, exact-full)
			say("| %d | %d | %.4f | %.4f | %.4f | %+.2f points | %.4f | %.2f points | %.4f | %.4f |", n, k, exact, plain, one, 100*(one-exact), full, 100*(exact-full), r.Share(r.Fair[0]), r.Share(r.Fair[1]))
		}
	}
	say("\nThe riffle question alone is at most %.2f points from the optimum, the full verdict at most %.2f points below it: the price of also looking for piles, kept blocks and held-back cards.\n", 100*worstOne, 100*worstFull)
	return nil
}

// starts are the orders before that powers with copies are averaged over: the arrangement of copies
// before changes what a shuffle leaves visible.
const starts = 6

// span is a mean with its smallest and largest value.
type span struct{ v []float64 }

func (s *span) add(x float64) { s.v = append(s.v, x) }
func (s span) mean() float64 {
	sum := 0.0
	for _, x := range s.v {
		sum += x
	}
	return sum / float64(len(s.v))
}
func (s span) String() string {
	return fmt.Sprintf("%.3f (%.3f-%.3f)", s.mean(), slices.Min(s.v), slices.Max(s.v))
}

func copiesPower(ctx context.Context, s settings) error {
	trials := s.n(4000)
	say("## Few riffles of decks with copies, level 1%%\n")
	say("The tilted chain statistic alone, %d trials a start. From a random order: mean (smallest-largest) over %d orders before. From a sorted deck, where the likelihood can be computed exactly: one order. The reference columns are its", trials, starts)
	say("own chain (four capacity passes; ours makes one) and the exact or sampled likelihood ratio, each on one order before.\n")
	say("| start | deck | riffles | ours | reference chain | reference likelihood |\n|---|---|---|---|---|---|")
	for _, grouped := range []bool{false, true} {
		file, start := "power_multiset_random_start.csv", "random"
		if grouped {
			file, start = "power_multiset_grouped_start.csv", "grouped"
		}
		ref := map[string]map[string]string{}
		if p := s.path("stats", file); p != "" {
			rs, err := rows(p)
			if err != nil {
				return err
			}
			for _, r := range rs {
				if flt(r["alpha"]) == .01 {
					ref[r["deck"]+r["k"]] = r
				}
			}
		}
		for _, name := range []string{"ygo40", "limited40", "pkmn60", "mtg60_15x4", "mtg60_4dual", "mtg60_24mono"} {
			d, err := shufflestudy.FindDeck(name)
			if err != nil {
				return err
			}
			var res [6]span
			n := starts
			if grouped {
				n = 1
			}
			for st := range n {
				log.Printf("copies power: %s, %s start %d", name, start, st+1)
				b, spec, t, err := tablesFor(ctx, d, uint64(20+st), grouped, nil)
				if err != nil {
					return err
				}
				for k := 3; k <= 5; k++ {
					r, err := shufflestudy.Measure(ctx, b, spec, fmt.Sprintf("riffle:%d", k), trials, uint64(700+10*st+k), nil, t)
					if err != nil {
						return err
					}
					res[k].add(r.Share(r.Stat[battery.Rising]))
				}
			}
			for k := 3; k <= 5; k++ {
				r := ref[fmt.Sprint(name, k)]
				chain, lr := "-", "-"
				if r != nil {
					chain, lr = r["cap4"], r["LR_exact_or_SMC"]
				}
				ours := res[k].String()
				if grouped {
					ours = fmt.Sprintf("%.3f", res[k].mean())
				}
				say("| %s | %s | %d | %s | %s | %s |", start, name, k, ours, chain, lr)
			}
		}
	}
	say("\nThe sampled likelihood of the reference degenerates at three riffles from a random order (it is zero once a sampled assignment has more than eight rising sequences); the chain is the right statistic there.\n")
	return nil
}

func alternatives(ctx context.Context, s settings) error {
	trials := s.n(2000)
	say("## Every alternative, full verdict, level 1%%\n")
	say("Share noticed against \"uniformly random\": ours, mean (smallest-largest) over %d orders before with %d trials each; reference (its two verdicts together, 2,000 trials on one order before). Decks: 60 distinct cards with 24 of a class,", starts, trials)
	say("and three decks with copies. The standard error of one order before is at most %.1f points, and orders before differ by more than that where copies are many. **Bold** where the reference lies above our largest by more than three standard errors.\n", 50/math.Sqrt(float64(trials)))
	decks := []string{"distinct60", "mtg60_4dual", "pkmn60", "limited40"}
	ref := map[string]float64{}
	if p := s.path("stats", "shuffle_power_two_verdict.csv"); p != "" {
		rs, err := rows(p)
		if err != nil {
			return err
		}
		for _, r := range rs {
			if flt(r["alpha"]) == .01 {
				ref[r["deck"]+" "+r["alt"]] = flt(r["TWO_VERDICT"])
			}
		}
	}
	alts := shufflestudy.Alternatives()
	res := map[string]*span{}
	for _, name := range decks {
		d, err := shufflestudy.FindDeck(name)
		if err != nil {
			return err
		}
		for st := range starts {
			log.Printf("alternatives: %s, start %d", name, st+1)
			b, spec, t, err := tablesFor(ctx, d, uint64(40+st), false, nil)
			if err != nil {
				return err
			}
			for i, a := range alts {
				r, err := shufflestudy.Measure(ctx, b, spec, a.Model, trials, uint64(9000+100*st+i), nil, t)
				if err != nil {
					return err
				}
				key := name + " " + a.Name
				if res[key] == nil {
					res[key] = &span{}
				}
				res[key].add(r.Share(r.Overall[0]))
			}
		}
	}
	head, rule := "| shuffle |", "|---|"
	for _, name := range decks {
		head += " " + name + " | ref. |"
		rule += "---|---|"
	}
	say("%s\n%s", head, rule)
	below, cells, better, worse := 0, 0, 0, 0
	for _, a := range alts {
		line := "| " + a.Name + " |"
		for _, name := range decks {
			key := name + " " + a.Name
			v, ok := ref[key]
			text := "-"
			if ok {
				cells++
				text = fmt.Sprintf("%.3f", v)
				se := math.Sqrt(max(v*(1-v), 1e-4) * (1.0/2000 + 1/float64(trials)))
				if v > slices.Max(res[key].v)+3*se {
					text = "**" + text + "**"
					below++
				}
				mean := res[key].mean()
				if mean > v+3*se {
					better++
				}
				if mean < v-3*se {
					worse++
				}
			}
			line += fmt.Sprintf(" %s | %s |", res[key], text)
		}
		say("%s", line)
	}
	if cells > 0 {
		say("\nOf %d powers, the reference lies above all our orders before by more than three standard errors in %d; our mean lies above the reference by more than three standard errors in %d and below it in %d.\n", cells, below, better, worse)
	}
	return nil
}

// weights shows what the weights of the omnibus buy.
func weights(ctx context.Context, s settings) error {
	trials := s.n(2000)
	say("## Why these weights\n")
	say("Mean power at 1%% over groups of alternatives (those that are neither always nor never noticed), deck mtg60_4dual and 60 distinct cards with a class, own seeds. The score is a weighted harmonic mean of p-values per verdict; weights move power between groups and never touch")
	say("the false-alarm rate, since the score is calibrated on the null table. \"Equal\" gives every statistic the same weight and both verdicts half; \"without\" lines set one weight to zero.\n")
	groups := map[string][]string{
		"riffles":  {"riffle:3", "riffle:4", "riffle:5", "riffle:6", "riffle:4+cut"},
		"sloppy":   {"sloppy:5", "sloppy:6", "sloppy:7", "mash:4", "mash:5"},
		"overhand": {"overhand:6", "overhand:10", "overhand:20"},
		"piles":    {"pile:7:random+riffle:1", "pile:7:random+riffle:2", "pile:6+mash:2"},
		"ends":     {"top:3", "top:4", "bottom:5"},
		"even":     {"weave+riffle:1", "weave+riffle:2"},
		"clump":    {"clump:10+riffle:1", "clump:10+riffle:2", "stack:6"},
	}
	order := []string{"riffles", "sloppy", "overhand", "piles", "ends", "even", "clump"}
	for _, name := range []string{"mtg60_4dual", "distinct60"} {
		d, err := shufflestudy.FindDeck(name)
		if err != nil {
			return err
		}
		say("%s:\n", name)
		say("| weights | riffles | sloppy, mash | overhand | piles + a little | ends kept | weave | clump |\n|---|---|---|---|---|---|---|---|")
		variants := []struct {
			name string
			w    battery.Weights
		}{{"default", battery.DefaultWeights(name == "distinct60")}, {"equal", equalWeights()}}
		for _, st := range []battery.Stat{battery.Rising, battery.Sticky, battery.Kept, battery.StrideWide, battery.Ends, battery.ClassEven, battery.ClassClump, battery.ClassEnds} {
			w := battery.DefaultWeights(name == "distinct60")
			w.Stat[st] = 0
			variants = append(variants, struct {
				name string
				w    battery.Weights
			}{"without " + st.String(), w})
		}
		for _, v := range variants {
			log.Printf("weights: %s, %s", name, v.name)
			b, spec, t, err := tablesFor(ctx, d, 60, false, &v.w)
			if err != nil {
				return err
			}
			line := "| " + v.name + " |"
			for gi, g := range order {
				sum := 0.0
				for i, m := range groups[g] {
					r, err := shufflestudy.Measure(ctx, b, spec, m, trials/2, uint64(400+10*gi+i), nil, t)
					if err != nil {
						return err
					}
					sum += r.Share(r.Overall[0])
				}
				line += fmt.Sprintf(" %.3f |", sum/float64(len(groups[g])))
			}
			say("%s", line)
		}
		say("")
	}
	return nil
}

func equalWeights() battery.Weights {
	var w battery.Weights
	for s := range battery.NumStats {
		w.Stat[s] = 1
	}
	for f := range battery.NumFamilies {
		w.Family[f] = .5
	}
	return w
}
