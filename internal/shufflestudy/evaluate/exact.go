package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"strings"

	"fairdeck/internal/shufflestudy"
	"fairdeck/randomness/simulate"
	"fairdeck/randomness/theory"
)

func head(_ context.Context, s settings) error {
	say("# Randomness: what the shuffle scores are worth\n")
	say("Written by `scripts/evaluate-randomness.sh`; no figure is typed by hand. Commit %s. %s.%s\n", s.commit, s.host,
		map[bool]string{true: " **Quick run: a tenth of the trials.**", false: ""}[s.quick])
	say("What is measured here: the exact laws, the false-alarm rate, how surely poor shuffles are noticed, seven real riffles, unread and misread cards, speed. The scores are described in")
	say("the package comments of `randomness` and `randomness/battery`. \"Reference\" is the project's table of an earlier, independent implementation (`stats/SHUFFLE.md` and the CSV files beside it).\n")
	return nil
}

// groupedTV estimates the total variation distance of sorted decks with copies by the exact
// likelihood: the mean over riffled decks of 1 - 1/LR where positive.
func groupedTV(ctx context.Context, s settings) error {
	samples := s.n(1000)
	say("## Sorted decks with copies\n")
	say("Total variation distance after k riffles of a deck whose copies lay together, from the exact likelihood of %d riffled decks (mean and standard error), and the reference's 4,000.\n", samples)
	say("| deck | riffles | ours | reference |\n|---|---|---|---|")
	ref := map[string]string{}
	if p := s.path("stats", "tv_multiset_grouped_start_MC.csv"); p != "" {
		rs, err := rows(p)
		if err != nil {
			return err
		}
		for _, r := range rs {
			ref[r["deck"]+r["k"]] = r["tv"]
		}
	}
	far, cells := 0, 0
	for _, name := range []string{"limited40", "ygo40", "pkmn60", "mtg60_15x4", "mtg60_4dual"} {
		log.Printf("sorted decks: %s", name)
		d, err := shufflestudy.FindDeck(name)
		if err != nil {
			return err
		}
		g, err := theory.NewGrouped(d.Counts)
		if err != nil {
			return err
		}
		n := d.N()
		face := make([]int, 0, n)
		for f, m := range d.Counts {
			for range m {
				face = append(face, f)
			}
		}
		for k := 4; k <= 8; k++ {
			rng := simulate.NewRand(uint64(k), 0x6709)
			sum, square := 0.0, 0.0
			deck := make([]int, n)
			for range samples {
				if err := ctx.Err(); err != nil {
					return err
				}
				for i := range deck {
					deck[i] = i
				}
				simulate.Riffle{Times: k}.Shuffle(rng, deck, nil)
				places := make([][]int, len(d.Counts))
				for p, c := range deck {
					places[face[c]] = append(places[face[c]], p)
				}
				l, err := g.LogLR(places, math.Exp2(float64(k)))
				if err != nil {
					return err
				}
				v := max(0, 1-math.Exp(-l))
				sum += v
				square += v * v
			}
			mean := sum / float64(samples)
			se := math.Sqrt(max(square/float64(samples)-mean*mean, 0) / float64(samples))
			printed := ref[fmt.Sprint(name, k)]
			if printed == "" {
				printed = "-"
			} else {
				cells++
				if math.Abs(flt(printed)-mean) > 3*math.Hypot(se, se/2) {
					far++
				}
			}
			say("| %s | %d | %.4f +- %.4f | %s |", name, k, mean, se, printed)
		}
	}
	say("\n%d of %d figures differ by more than three standard errors of both.\n", far, cells)
	return nil
}

// rows reads a CSV file with a header.
func rows(path string) ([]map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	recs, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []map[string]string
	for _, r := range recs[1:] {
		m := map[string]string{}
		for i, h := range recs[0] {
			m[h] = r[i]
		}
		out = append(out, m)
	}
	return out, nil
}

// same compares a value with a printed figure to all its digits.
func same(v float64, printed string) bool {
	digits := 0
	if i := strings.IndexByte(printed, '.'); i >= 0 {
		digits = len(printed) - i - 1
	}
	if strconv.FormatFloat(v, 'f', digits, 64) == printed {
		return true
	}
	f, err := strconv.ParseFloat(printed, 64)
	return err == nil && math.Abs(v-f) <= .5000001*math.Pow(10, -float64(digits))
}

func num(s string) int { v, _ := strconv.Atoi(s); return v }
func flt(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func exactTables(_ context.Context, s settings) error {
	say("## Exact tables\n")
	say("Total variation distance to uniform after k riffles (Bayer and Diaconis 1992), by big rationals:\n")
	say("| cards | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |")
	say("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, n := range []int{40, 52, 60, 100} {
		line := fmt.Sprintf("| %d |", n)
		for k := 1; k <= 12; k++ {
			l, err := theory.AfterRiffles(n, k)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %.4f |", l.TotalVariation())
		}
		say("%s", line)
	}
	say("")
	if s.path("stats", "tv_exact.csv") == "" {
		say("The reference tables are not on this machine; nothing was compared.\n")
		return nil
	}
	cells, wrong := 0, 0
	check := func(v float64, printed string) {
		cells++
		if !same(v, printed) {
			wrong++
		}
	}
	tv, err := rows(s.path("stats", "tv_exact.csv"))
	if err != nil {
		return err
	}
	for _, r := range tv {
		l, err := theory.AfterRiffles(num(r["n"]), num(r["k"]))
		if err != nil {
			return err
		}
		mean, sd := l.MeanSD()
		check(l.TotalVariation(), r["tv"])
		check(l.Separation(), r["separation"])
		check(l.Bits(), r["kl_bits"])
		check(mean, r["mean_R"])
		check(sd, r["sd_R"])
	}
	say("| reference table | figures compared | that differ in a printed digit |\n|---|---|---|")
	say("| total variation, separation, bits, mean and sd of R | %d | %d |", cells, wrong)
	cells, wrong = 0, 0
	op, err := rows(s.path("stats", "power_optimal_distinct.csv"))
	if err != nil {
		return err
	}
	for _, r := range op {
		null, err := theory.Uniform(num(r["n"]))
		if err != nil {
			return err
		}
		t, err := theory.OptimalTest(null, flt(r["alpha"]))
		if err != nil {
			return err
		}
		l, err := theory.AfterRiffles(num(r["n"]), num(r["k"]))
		if err != nil {
			return err
		}
		plain, exact := t.Power(l)
		check(float64(t.RejectAtMost), r["crit_R_le"])
		check(t.Size, r["size_nonrandomised"])
		check(t.Gamma, r["gamma_at_crit_plus1"])
		check(plain, r["power_nonrandomised"])
		check(exact, r["power_randomised_exact_level"])
	}
	say("| optimal test and its power | %d | %d |", cells, wrong)
	cells, wrong = 0, 0
	cr, err := rows(s.path("stats", "critical_R_composite_null.csv"))
	if err != nil {
		return err
	}
	for _, r := range cr {
		null, err := theory.AfterRiffles(num(r["n"]), num(r["null_riffles"]))
		if err != nil {
			return err
		}
		t, err := theory.OptimalTest(null, flt(r["alpha"]))
		if err != nil {
			return err
		}
		check(float64(t.RejectAtMost), r["reject_if_R_le"])
		check(t.Size, r["size_at_null"])
		for k := 3; k <= 6; k++ {
			l, err := theory.AfterRiffles(num(r["n"]), k)
			if err != nil {
				return err
			}
			plain, _ := t.Power(l)
			check(plain, r[fmt.Sprintf("power_k%d", k)])
		}
	}
	say("| rejection limits when 7 or 8 riffles are fair | %d | %d |\n", cells, wrong)
	say("The laws of kept neighbours, runs and squared gaps are compared in the same way by `go test ./randomness/theory`.\n")
	return nil
}
