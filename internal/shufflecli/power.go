package shufflecli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fairdeck/internal/report/shuffle"
	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
)

// Power tells how surely a poor shuffle would be noticed in a deck.
type Power struct {
	Common
	Deck    string // composition such as 4x15, or land:24x1,spell:4x9
	List    string // deck list file
	Shuffle string // what is done, as in "riffle:4+cut"; empty with Riffles 0 means a curve over 1 to 8 riffles
	Riffles int    // short for riffle:N
	Trials  int    // simulated decks; 0 means 2,000
	Sorted  bool   // start from the order of the list instead of a random one
	Blind   bool   // judge the order after alone
}

// maxTrials gives shares to a twentieth of a point; more take hours.
const maxTrials = 1_000_000

// Run simulates and writes the result to w.
func (o Power) Run(ctx context.Context, w io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Trials < 0 || o.Trials > maxTrials {
		return usage("%d trials: from 1 to %d", o.Trials, maxTrials)
	}
	d, err := deck(o.List, o.Deck, o.Stdin)
	if err != nil {
		return err
	}
	if o.Shuffle != "" && o.Riffles != 0 {
		return usage("--riffles is short for a shuffle; give one of them")
	}
	var models []simulate.Model
	switch {
	case o.Shuffle != "":
		for _, text := range strings.Split(o.Shuffle, ",") {
			m, err := simulate.Parse(text)
			if err != nil {
				return usage("%v", err)
			}
			models = append(models, m)
		}
	case o.Riffles != 0:
		m, err := simulate.Parse(fmt.Sprintf("riffle:%d", o.Riffles))
		if err != nil {
			return usage("%v", err)
		}
		models = append(models, m)
	default:
		for k := 1; k <= 8; k++ {
			models = append(models, simulate.Riffle{Times: k})
		}
	}
	scorer := randomness.NewScorer(o.options())
	doc := shuffle.Document{Kind: shuffle.KindPower, Settings: o.settings(), Inputs: shuffle.Inputs{Deck: d.Name}}
	for _, m := range models {
		p, err := scorer.Power(ctx, randomness.PowerRequest{Deck: d, Model: m, Trials: o.Trials, Sorted: o.Sorted, Blind: o.Blind})
		if errors.Is(err, randomness.ErrNoClass) {
			return usage("%v", err)
		}
		if err != nil {
			return err
		}
		doc.Power = append(doc.Power, p)
	}
	return o.say(w, doc, func(w io.Writer) error { return powerText(w, doc.Power) })
}

func powerText(w io.Writer, ps []randomness.Power) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %24s %24s\n", "shuffle", "questionable or worse", "insufficient")
	for _, p := range ps {
		q, i := p.QuestionableInterval, p.InsufficientInterval
		fmt.Fprintf(&b, "%-28s %9.1f%% (%4.1f to %5.1f) %8.1f%% (%4.1f to %5.1f)\n", p.Model, 100*p.Questionable, 100*q[0], 100*q[1], 100*p.Insufficient, 100*i[0], 100*i[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Simulate shuffles a deck and writes the orders.
type Simulate struct {
	Deck    string // composition
	List    string // deck list file
	From    string // order file to start from, instead of Deck and List
	Classes string // CSV with card,class, for models that move a class
	Shuffle string // what is done
	Mark    string // the class that weave, clump and stack move; empty means that of the first card of the list, else the first class by name
	Seed    uint64
	Count   int  // orders; 0 means one. More than one is written as a series, each from the order before it
	Sorted  bool // with Deck or List: start from the order of the list instead of a random one
	Stdin   io.Reader
}

// maxCount bounds the orders of one run.
const maxCount = 1000

// Run writes one order as text, one card per line, or a series as CSV.
func (o Simulate) Run(_ context.Context, w io.Writer) error {
	m, err := simulate.Parse(o.Shuffle)
	if err != nil {
		return usage("%v", err)
	}
	if o.Count < 0 || o.Count > maxCount {
		return usage("%d orders: from 1 to %d", o.Count, maxCount)
	}
	classes := randomness.Classes{}
	var start randomness.Order
	if o.From != "" {
		if o.Deck != "" || o.List != "" {
			return usage("start from an order or from a deck, not both")
		}
		if start, err = withFile(o.From, o.Stdin, randomness.ReadOrder); err != nil {
			return err
		}
	} else {
		d, err := deck(o.List, o.Deck, o.Stdin)
		if err != nil {
			return err
		}
		start, classes = d.Order(), d.Classes()
		if o.Mark == "" {
			o.Mark = classes[d.Lines[0].Face]
		}
		if !o.Sorted {
			rng := simulate.NewRand(o.Seed, 1)
			rng.Shuffle(len(start.Cards), func(i, j int) { start.Cards[i], start.Cards[j] = start.Cards[j], start.Cards[i] })
		}
	}
	if o.Classes != "" {
		if classes, err = withFile(o.Classes, o.Stdin, randomness.ReadClasses); err != nil {
			return err
		}
	}
	n := start.Len()
	kind := o.Mark
	if names := classes.Names(); kind == "" && len(names) > 0 {
		kind = names[0]
	}
	marked := make([]bool, n)
	for i, c := range start.Cards {
		marked[i] = kind != "" && classes[c.Face] == kind
	}
	if simulate.NeedsClass(m) && (!slices.Contains(marked, true) || !slices.Contains(marked, false)) {
		return usage("%s: %v", m, randomness.ErrNoClass)
	}
	rng := simulate.NewRand(o.Seed, 2)
	orders := [][]int{make([]int, n)}
	for i := range n {
		orders[0][i] = i
	}
	for range max(o.Count, 1) {
		next := append([]int(nil), orders[len(orders)-1]...)
		m.Shuffle(rng, next, marked)
		orders = append(orders, next)
	}
	var b strings.Builder
	name := func(card int) string {
		if f := start.Cards[card].Face; f != randomness.Gap {
			return f
		}
		return "?"
	}
	if o.Count <= 1 {
		for _, card := range orders[1] {
			b.WriteString(name(card) + "\n")
		}
		_, err = io.WriteString(w, b.String())
		return err
	}
	for k := range orders {
		if k > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "order %d", k)
	}
	b.WriteByte('\n')
	for i := range n {
		for k, order := range orders {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(csvField(name(order[i])))
		}
		b.WriteByte('\n')
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func csvField(s string) string {
	if strings.ContainsAny(s, ",\"\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
