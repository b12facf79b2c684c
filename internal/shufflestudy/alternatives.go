package shufflestudy

import (
	"context"
	"fmt"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/simulate"
)

// Alternative is a shuffle of the reference power tables.
type Alternative struct {
	Name  string // as the reference tables call it
	Model string // as simulate.Parse reads it
	Group string
}

// Alternatives lists the shuffles of the reference power tables in their order.
func Alternatives() []Alternative {
	var out []Alternative
	add := func(group, name, model string) { out = append(out, Alternative{name, model, group}) }
	add("fair", "uniform", "random")
	add("untouched", "nochange", "none")
	for k := 1; k <= 8; k++ {
		add("riffles", fmt.Sprintf("gsr%d", k), fmt.Sprintf("riffle:%d", k))
	}
	for k := 3; k <= 5; k++ {
		add("riffles and a cut", fmt.Sprintf("gsr%d+cut", k), fmt.Sprintf("riffle:%d+cut", k))
	}
	for k := 2; k <= 7; k++ {
		add("sloppy riffles", fmt.Sprintf("sloppy%d(g3)", k), fmt.Sprintf("sloppy:%d", k))
	}
	for _, k := range []int{2, 3, 4, 5, 6, 8} {
		add("mashes", fmt.Sprintf("mash%d", k), fmt.Sprintf("mash:%d", k))
	}
	for _, k := range []int{1, 2, 4, 6, 10, 20, 40} {
		add("overhand", fmt.Sprintf("overhand%d(m8)", k), fmt.Sprintf("overhand:%d", k))
	}
	add("cuts", "cut1", "cut")
	add("cuts", "cut3restack", "cut:3")
	for _, k := range []int{5, 6, 7} {
		add("piles", fmt.Sprintf("pile%d", k), fmt.Sprintf("pile:%d", k))
		add("piles", fmt.Sprintf("pile%drand", k), fmt.Sprintf("pile:%d:random", k))
	}
	add("piles", "pile5+pile7", "pile:5+pile:7")
	add("piles and a little", "pile7rand+gsr1", "pile:7:random+riffle:1")
	add("piles and a little", "pile7rand+gsr2", "pile:7:random+riffle:2")
	add("piles and a little", "pile6+gsr1", "pile:6+riffle:1")
	add("piles and a little", "pile6+mash1", "pile:6+mash:1")
	add("piles and a little", "pile6+mash2", "pile:6+mash:2")
	for k := 0; k <= 3; k++ {
		add("weave", fmt.Sprintf("weave+gsr%d", k), fmt.Sprintf("weave+riffle:%d", k))
	}
	for k := 0; k <= 4; k++ {
		add("clump", fmt.Sprintf("clump10+gsr%d", k), fmt.Sprintf("clump:10+riffle:%d", k))
	}
	add("stack", "botStack6", "stack:6")
	add("ends kept", "top5kept+uniform", "top:5")
	add("ends kept", "bottom10kept+uniform", "bottom:10")
	return out
}

// Rates counts how often p-values fall to a level.
type Rates struct {
	Trials  int
	Overall [2]int // under the first table: at 1% and at 0.1%
	Fair    [2]int // the larger p of all tables
	Family  [battery.NumFamilies]int
	Stat    [battery.NumStats]int
	E       float64 // sum of e-values of the larger p
}

// Levels are the two levels that Rates counts.
var Levels = [2]float64{.01, .001}

// Share is a count over the trials.
func (r Rates) Share(k int) float64 { return float64(k) / float64(max(r.Trials, 1)) }

// Measure shuffles by a model and counts.
func Measure(ctx context.Context, b *battery.Battery, spec battery.Spec, model string, trials int, seed uint64, e func(float64) float64, tables ...*battery.Table) (Rates, error) {
	m, err := simulate.Parse(model)
	if err != nil {
		return Rates{}, err
	}
	r := Rates{Trials: trials}
	err = Trials(ctx, b, spec, m, trials, seed, tables, func(_ battery.Codes, js []battery.Judgement) {
		fair := 0.0
		for _, j := range js {
			fair = max(fair, j.Overall)
		}
		for i, l := range Levels {
			if js[0].Overall <= l {
				r.Overall[i]++
			}
			if fair <= l {
				r.Fair[i]++
			}
		}
		for f, p := range js[0].Family {
			if p <= Levels[0] {
				r.Family[f]++
			}
		}
		for s, p := range js[0].Stat {
			if p <= Levels[0] {
				r.Stat[s]++
			}
		}
		if e != nil {
			r.E += e(fair)
		}
	})
	return r, err
}
