package study

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/simulate"
)

var altNames = map[string]string{
	"gsr1": "riffle:1", "gsr2": "riffle:2", "gsr3": "riffle:3", "gsr4": "riffle:4", "gsr5": "riffle:5", "gsr6": "riffle:6", "gsr7": "riffle:7",
	"gsr3+cut": "riffle:3+cut", "gsr4+cut": "riffle:4+cut", "gsr5+cut": "riffle:5+cut",
	"sloppy3(g3)": "sloppy:3", "sloppy4(g3)": "sloppy:4", "sloppy5(g3)": "sloppy:5", "sloppy6(g3)": "sloppy:6", "sloppy7(g3)": "sloppy:7",
	"mash3": "mash:3", "mash4": "mash:4", "mash5": "mash:5", "mash6": "mash:6", "mash8": "mash:8",
	"overhand2(m8)": "overhand:2", "overhand4(m8)": "overhand:4", "overhand6(m8)": "overhand:6", "overhand10(m8)": "overhand:10", "overhand20(m8)": "overhand:20", "overhand40(m8)": "overhand:40",
	"cut1": "cut", "cut3restack": "cut:3", "pile7": "pile:7", "pile7rand": "pile:7:random", "pile6rand": "pile:6:random", "pile5+pile7": "pile:5+pile:7", "pile7rand+gsr1": "pile:7:random+riffle:1", "pile7rand+gsr2": "pile:7:random+riffle:2",
	"pile6+gsr1": "pile:6+riffle:1", "pile6+mash1": "pile:6+mash:1", "pile6+mash2": "pile:6+mash:2",
	"weave+gsr0": "weave", "weave+gsr1": "weave+riffle:1", "weave+gsr2": "weave+riffle:2", "weave+gsr3": "weave+riffle:3",
	"clump10+gsr0": "clump:10", "clump10+gsr1": "clump:10+riffle:1", "clump10+gsr2": "clump:10+riffle:2", "clump10+gsr3": "clump:10+riffle:3", "botStack6": "stack:6", "top5kept+uniform": "top:5", "bottom10kept+uniform": "bottom:10", "uniform": "random",
}

func TestDev(t *testing.T) {
	if os.Getenv("DEV") == "" {
		t.Skip("dev")
	}
	ref := map[string][]string{}
	var order []string
	f, _ := os.Open("/work/shared/stats/shuffle_power_two_verdict.csv")
	rows, _ := csv.NewReader(f).ReadAll()
	col := map[string]int{}
	for i, c := range rows[0] {
		col[c] = i
	}
	for _, r := range rows[1:] {
		if r[2] == "0.01" {
			ref[r[0]+" "+r[1]] = r
			if r[0] == "distinct60" {
				order = append(order, r[1])
			}
		}
	}
	trials := 2000
	for _, name := range strings.Split(os.Getenv("DEV"), ",") {
		d, _ := FindDeck(name)
		seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
		spec := d.Spec(seed, false)
		b, err := battery.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		tb, err := b.NewTable(context.Background(), battery.Null{}, battery.DefaultWeights(b.Distinct()), battery.NullOptions{Seed: 11})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\n%s: alt ref-two ours | refA ours | refB ours | capHi ours | singles\n", name)
		for _, alt := range order {
			m := altNames[alt]
			if m == "" || (os.Getenv("ALT") != "" && !strings.Contains(alt, os.Getenv("ALT"))) {
				continue
			}
			model, err := simulate.Parse(m)
			if err != nil {
				t.Fatal(err)
			}
			var n, a, bb int
			var st [battery.NumStats]int
			Trials(context.Background(), b, spec, model, trials, 77, []*battery.Table{tb}, func(_ battery.Codes, js []battery.Judgement) {
				j := js[0]
				if j.Overall <= .01 {
					n++
				}
				if j.Family[0] <= .01 {
					a++
				}
				if j.Family[1] <= .01 {
					bb++
				}
				for i, p := range j.Stat {
					if p <= .01 {
						st[i]++
					}
				}
			})
			r := ref[name+" "+alt]
			if r == nil {
				r = make([]string, len(rows[0]))
			}
			pc := func(k int) float64 { return float64(k) / float64(trials) }
			two, _ := strconv.ParseFloat(r[col["TWO_VERDICT"]], 64)
			flag := "  "
			if pc(n) < two-.025 {
				flag = "<<"
			}
			fmt.Printf("%-18s %s %s %.3f | %s %.3f | %s %.3f | %s %.3f |", alt, flag, r[col["TWO_VERDICT"]], pc(n), r[col["HMP_order"]], pc(a), r[col["HMP_after"]], pc(bb), r[col["capHi(th3.5)"]], pc(st[0]))
			for i, k := range st {
				if battery.Stat(i) != 0 && pc(k) > .03 {
					fmt.Printf(" %s %.2f", battery.Stat(i), pc(k))
				}
			}
			fmt.Println()
		}
	}
}
