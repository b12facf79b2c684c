// Command faces measures how well the faces of decks are told apart.
//
//	go run ./scripts/internal/faces [-seeds 0:20] [-held-out] [-o FILE]
//
// Synthetic decks of 60 cards are seen by synthetic stations (visiontest); of
// the photographs in $FAIRDECK_FIXTURES the cards are found and compared by the
// command order, as a user would. Without -o the tables go to standard output.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/face"
	"fairdeck/vision/visiontest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "faces:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	seeds := flag.String("seeds", "0:8", "first seed and the one after the last, of each style")
	heldOut := flag.Bool("held-out", false, "seeds count from the held-out ones")
	out := flag.String("o", "", "write the document there")
	styles := flag.String("styles", "framed,scroll,full-art,symbols", "layouts of the cards")
	program := flag.String("fairdeck", "", "the built program, for the photographs; without it they are left out")
	commit := flag.String("commit", "unknown", "commit for the document")
	stations := flag.String("stations", "good,random", "good: as a careful judge sets one up (visiontest.FaceStation's defaults); random: anything a judge might have")
	verbose := flag.Bool("v", false, "print every wrong reading")
	flag.Parse()
	var from, to uint64
	if _, err := fmt.Sscanf(*seeds, "%d:%d", &from, &to); err != nil || from >= to {
		return fmt.Errorf("-seeds %q: want two numbers such as 0:8", *seeds)
	}
	if *heldOut {
		from, to = from+visiontest.HeldOut, to+visiontest.HeldOut
	}
	d := &markdown.Document{}
	d.Para("# Accuracy: faces")
	d.Para("Written by `scripts/internal/faces -seeds %s`, which `scripts/evaluate.sh` runs, at commit %s. Each synthetic deck has 60 cards of one game, seen once each (`visiontest.RandomFaces`); good stations are `visiontest.FaceStation`'s defaults, random ones `RandomFaceStation`, as coarse as 4.2 px/mm, as blurred as 1.1 px and with a reflection on every fourth card. In every deck there are twins that differ in a word, a number or a colour, foils, turned cards, reflections, lint, drifting white balance. A reading is wrong when the card is not with most of its copies; sure means a confidence of 0.99 or more, below that a person is asked.", *seeds, *commit)
	var rows [][]string
	for _, kind := range combinations(*styles, *stations) {
		style := kind[0]
		sum := result{name: style + ", " + kind[1] + " stations"}
		for seed := from; seed < to; seed++ {
			r, err := one(ctx, seed, visiontest.FaceStyle(style), kind[1] == "good", *verbose)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s %d: wrong %d, sure and wrong %d, asked %d, %.1f s CPU\n", style, seed, r.wrong, r.sureWrong, r.asked, r.cpu.Seconds())
			sum.add(r)
		}
		rows = append(rows, sum.row())
	}
	d.Table([]string{"cards", "decks", "readings", "decks exact", "readings right", "sure and wrong", "questions", "foils noted", "turned right", "CPU s a deck"}, rows)
	if err := photographs(ctx, d, *program); err != nil {
		return err
	}
	if *out == "" {
		_, err := os.Stdout.WriteString(d.String())
		return err
	}
	return os.WriteFile(*out, []byte(d.String()), 0o644)
}

// combinations pairs every style with every kind of station.
func combinations(styles, stations string) (out [][2]string) {
	for _, k := range strings.Split(stations, ",") {
		for _, s := range strings.Split(styles, ",") {
			out = append(out, [2]string{s, k})
		}
	}
	return out
}

// result is what was counted of one deck or several.
type result struct {
	name                           string
	decks, exact, cards            int
	wrong, sureWrong, asked        int
	foils, noted, falseFoil        int
	turned, turnedRight, turnWrong int
	cpu                            time.Duration
}

func (r *result) add(o result) {
	r.decks += o.decks
	r.exact += o.exact
	r.cards += o.cards
	r.wrong += o.wrong
	r.sureWrong += o.sureWrong
	r.asked += o.asked
	r.foils += o.foils
	r.noted += o.noted
	r.falseFoil += o.falseFoil
	r.turned += o.turned
	r.turnedRight += o.turnedRight
	r.turnWrong += o.turnWrong
	r.cpu += o.cpu
}

func (r *result) row() []string {
	share := func(k, n int) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprintf("%d/%d", k, n)
	}
	return []string{r.name, fmt.Sprint(r.decks), fmt.Sprint(r.cards), share(r.exact, r.decks),
		fmt.Sprintf("%.2f%%", 100*float64(r.cards-r.wrong)/float64(max(1, r.cards))), fmt.Sprint(r.sureWrong), fmt.Sprint(r.asked),
		fmt.Sprintf("%s, %d false", share(r.noted, r.foils), r.falseFoil), fmt.Sprintf("%s, %d false", share(r.turnedRight, r.turned), r.turnWrong),
		fmt.Sprintf("%.1f", r.cpu.Seconds()/float64(max(1, r.decks)))}
}

// one measures a deck.
func one(ctx context.Context, seed uint64, style visiontest.FaceStyle, good, verbose bool) (result, error) {
	deck := visiontest.RandomFaces(seed, visiontest.FaceRanges{Styles: []visiontest.FaceStyle{style}})
	station := visiontest.RandomFaceStation(seed)
	if good {
		station = visiontest.FaceStation{Seed: seed}
	}
	vs, err := visiontest.NewFaceViews(deck, station)
	if err != nil {
		return result{}, err
	}
	var sightings []face.Sighting
	for i := range deck.Of {
		v, err := vs.View(i, 0)
		if err != nil {
			return result{}, err
		}
		sightings = append(sightings, face.Sighting{Views: []face.View{{Image: v.Image, PxPerMM: v.PxPerMM, WidthMM: v.WidthMM, HeightMM: v.HeightMM}}})
	}
	start := cpuTime()
	res, err := face.Learn(ctx, sightings, face.Options{})
	if err != nil {
		return result{}, err
	}
	r := result{decks: 1, cards: len(deck.Of), asked: len(res.Questions), cpu: cpuTime() - start}
	owner := owners(res, deck.Of)
	for f := range res.Faces {
		for _, i := range res.Faces[f].Sightings {
			if owner[deck.Of[i]] != f {
				r.wrong++
				if verbose {
					fmt.Fprintf(os.Stderr, "  card %d, %+v, foil %v: with %v, %+v\n", i, deck.Faces[deck.Of[i]], deck.Foil[i], res.Faces[f].Sightings, res.Readings[i])
				}
				if res.Readings[i].Confidence >= 0.99 {
					r.sureWrong++
				}
			}
		}
		for _, i := range res.Faces[f].Foil {
			if deck.Foil[i] {
				r.noted++
			} else {
				r.falseFoil++
			}
		}
	}
	if r.wrong == 0 {
		r.exact = 1
	}
	for i := range deck.Of {
		if deck.Foil[i] {
			r.foils++
		}
		switch turned := res.Readings[i].Turned; {
		case deck.Turned[i]:
			r.turned++
			if turned == 180 {
				r.turnedRight++
			}
		case turned == 180:
			r.turnWrong++
		}
	}
	return r, nil
}

// owners says which learned face stands for which true one: the one that has
// most of its cards.
func owners(res *face.Result, of []int) map[int]int {
	count := map[[2]int]int{} // true face, learned face
	for f := range res.Faces {
		for _, i := range res.Faces[f].Sightings {
			count[[2]int{of[i], f}]++
		}
	}
	owner, most := map[int]int{}, map[int]int{}
	for f := range res.Faces {
		// A learned face stands for the true one that most of its cards are of.
		best, n := -1, 0
		for k, c := range count {
			if k[1] == f && (c > n || c == n && k[0] < best) {
				best, n = k[0], c
			}
		}
		if n > most[best] {
			owner[best], most[best] = f, n
		}
	}
	for _, t := range of {
		if _, ok := owner[t]; !ok {
			owner[t] = -1
		}
	}
	return owner
}
