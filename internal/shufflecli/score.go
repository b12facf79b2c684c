package shufflecli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/internal/report/shuffle"
	"fairdeck/randomness"
	"fairdeck/randomness/simulate"
)

// Common are the options that all scoring commands share. The zero value is the default.
type Common struct {
	JSON    bool   // write shuffle/v1 JSON instead of text
	HTML    string // also write a page to this file
	Seed    uint64 // seed of the simulations
	Draws   int    // fair orders per null law; 0 means 100,000
	Workers int    // goroutines; 0 means one per processor
	Stdin   io.Reader
	Print   locale.Printer // language of the page; zero: English
}

// Limits of Draws. A verdict cannot get below a few parts in Draws, so fewer could call no deck
// insufficient; more need a gigabyte.
const (
	minDraws = 5_000
	maxDraws = 10_000_000
)

// check refuses what cannot be computed.
func (c Common) check() error {
	if c.Draws != 0 && (c.Draws < minDraws || c.Draws > maxDraws) {
		return usage("%d draws: from %d to %d", c.Draws, minDraws, maxDraws)
	}
	return nil
}

func (c Common) options() randomness.Options {
	return randomness.Options{Seed: c.Seed, Draws: c.Draws, Workers: c.Workers}
}

func (c Common) settings() shuffle.Settings {
	o := c.options().Effective()
	return shuffle.Settings{Seed: o.Seed, Draws: o.Draws, Riffles: o.Riffles, Questionable: o.Questionable, Insufficient: o.Insufficient}
}

// say writes the document in the ways asked for; text is used when JSON is not.
func (c Common) say(w io.Writer, d shuffle.Document, text func(io.Writer) error) error {
	var page error
	if c.HTML != "" {
		page = writeFile(c.HTML, func(w io.Writer) error { return d.WriteHTML(w, c.Print) })
	}
	if c.JSON {
		return errors.Join(page, d.WriteJSON(w))
	}
	return errors.Join(page, text(w))
}

// Score judges orders in files. Give Before and After, or Order alone, or Series.
type Score struct {
	Common
	Before, After string // order files: .csv, .json, or text with one card per line
	Order         string // one order, nothing known before
	Series        string // CSV, one column per order
	Classes       string // CSV with card,class
	Deck          string // deck list; also gives classes
	Against       string // with Order and Deck: take an order of the list as the order before, "list" (as written) or "sorted" (by class and name)
	Looks         int    // times this deck's order was looked at
}

// maxLooks at one deck: more make any p-value 1.
const maxLooks = 1000

// curveTrials per point of the power curve in a page: a standard error of at most 2.5 points.
const curveTrials = 400

// Run scores, writes the result to w and returns the level; of a series, the level of its steps together.
func (o Score) Run(ctx context.Context, w io.Writer) (randomness.Level, error) {
	if err := o.check(); err != nil {
		return "", err
	}
	if o.Looks < 0 || o.Looks > maxLooks {
		return "", usage("%d looks: from 1 to %d", o.Looks, maxLooks)
	}
	classes := randomness.Classes{}
	d := shuffle.Document{Settings: o.settings(), Inputs: shuffle.Inputs{Before: o.Before, After: o.After, Series: o.Series, Classes: o.Classes, Deck: o.Deck}}
	var err error
	if o.Classes != "" {
		if classes, err = withFile(o.Classes, o.Stdin, randomness.ReadClasses); err != nil {
			return "", err
		}
	}
	var req randomness.Request
	if o.Deck != "" {
		list, err := withFile(o.Deck, o.Stdin, randomness.ReadDeck)
		if err != nil {
			return "", err
		}
		req.Deck = &list
	}
	scorer := randomness.NewScorer(o.options())
	if o.Series != "" {
		if o.Before != "" || o.After != "" || o.Order != "" {
			return "", usage("a series stands alone, without before, after and order")
		}
		if req.Deck != nil {
			for f, k := range req.Deck.Classes() {
				if classes[f] == "" {
					classes[f] = k
				}
			}
		}
		series, err := withFile(o.Series, o.Stdin, randomness.ReadSeries)
		if err != nil {
			return "", err
		}
		v, err := scorer.Series(ctx, series, classes)
		if err != nil {
			return "", err
		}
		d.Kind, d.Series = shuffle.KindSeries, &v
		return v.Evidence.Level, o.say(w, d, func(w io.Writer) error { return seriesText(w, v) })
	}
	if req, err = o.orders(req); err != nil {
		return "", err
	}
	d.Inputs.Before, d.Inputs.After = "", req.After.Name
	if req.Before != nil {
		d.Inputs.Before = req.Before.Name
	}
	req.Classes, req.Looks = classes, o.Looks
	v, err := scorer.Score(ctx, req)
	if err != nil {
		return "", err
	}
	d.Kind, d.Verdict = shuffle.KindScore, &v
	if o.HTML != "" && req.Before != nil && v.Level != randomness.Undecided {
		for k := 1; k <= 8; k++ {
			p := randomness.PowerRequest{Start: req.Before, Model: simulate.Riffle{Times: k}, Trials: curveTrials, Classes: classes}
			if req.Deck != nil {
				p.Deck = *req.Deck
			}
			point, err := scorer.Power(ctx, p)
			if err != nil {
				return "", err
			}
			d.Power = append(d.Power, point)
		}
	}
	return v.Level, o.say(w, d, func(w io.Writer) error { return scoreText(w, v) })
}

// orders reads the files of a score of one shuffle.
func (o Score) orders(req randomness.Request) (randomness.Request, error) {
	var err error
	switch {
	case o.Order != "" && (o.Before != "" || o.After != ""):
		return req, usage("give --order for one order alone, or --before and --after")
	case o.Order != "":
		if req.After, err = withFile(o.Order, o.Stdin, randomness.ReadOrder); err != nil {
			return req, err
		}
		if o.Against == "" {
			break
		}
		if req.Deck == nil {
			return req, usage("--against needs a deck list")
		}
		var from randomness.Order
		switch o.Against {
		case "list":
			from = req.Deck.Order()
		case "sorted":
			from = req.Deck.Sorted()
		default:
			return req, usage("--against %s: want list or sorted", o.Against)
		}
		req.Before = &from
	case o.Before != "" && o.After != "":
		before, err := withFile(o.Before, o.Stdin, randomness.ReadOrder)
		if err != nil {
			return req, err
		}
		req.Before = &before
		if req.After, err = withFile(o.After, o.Stdin, randomness.ReadOrder); err != nil {
			return req, err
		}
	default:
		return req, usage("give --before and --after, or --order, or --series")
	}
	return req, nil
}

// scoreText says a verdict in a terminal.
func scoreText(w io.Writer, v randomness.Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", strings.ToUpper(string(v.Level)), v.Sentence)
	for i, f := range v.Findings {
		if i == 0 {
			b.WriteString("\nseen (odds of each thing by itself; the level allows for everything that was looked at):\n")
		}
		fmt.Fprintf(&b, "  - %s\n    looks like %s\n", f.Sentence, f.Looks)
	}
	if v.Riffles != nil {
		fmt.Fprintf(&b, "\nlooks like %s (%.0f%% interval, %s)\n", v.Riffles, 100*v.Riffles.Confidence, v.Riffles.Method)
	}
	for _, r := range v.Results {
		null := "uniformly random orders"
		if r.Riffles > 0 {
			null = fmt.Sprintf("%d riffles and a cut", r.Riffles)
		}
		fmt.Fprintf(&b, "against %-24s p = %.3g  (order memory %.3g, arrangement %.3g)\n", null, r.Overall, r.Memory, r.Arrangement)
	}
	if v.Range != nil {
		fmt.Fprintf(&b, "over %d completions of unsure cards p runs from %.3g to %.3g (%s to %s)\n", v.Range.Completions, v.Range.LowP, v.Range.HighP, v.Range.From, v.Range.To)
	}
	if v.Level != randomness.Undecided {
		fmt.Fprintf(&b, "evidence %.3g to 1 (values of one player's shuffles multiply)\n", v.Evidence)
	}
	for _, x := range v.Warnings {
		fmt.Fprintf(&b, "note: %s\n", x.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func seriesText(w io.Writer, v randomness.SeriesVerdict) error {
	var b strings.Builder
	for i, s := range v.Steps {
		fmt.Fprintf(&b, "shuffle %d: %s, %s (evidence %.3g)\n", i+1, s.Level, s.Sentence, s.Evidence)
	}
	for i, s := range v.FromHere {
		looks := ""
		if s.Riffles != nil {
			looks = ", " + s.Riffles.String()
		}
		fmt.Fprintf(&b, "start to %d: %s%s\n", i+1, s.Level, looks)
	}
	fmt.Fprintf(&b, "%s\n", v.Sentence)
	_, err := io.WriteString(w, b.String())
	return err
}
