// Command outlines measures whether the finder's sides lie on the cards' own
// edges, and whether the uncertainty it states is true.
//
//	go run ./scripts/internal/outlines -cache DIR [-overlay DIR] [-set NAME] [-seed N]
//
//	visiontest.Deck ──render once──▶ DIR ──card.Find──▶ sides against truth
//	                                                       │
//	        wrong line (> wrongPx)  ·  sub-pixel error  ◀──┘──▶ z, AUROC of SigmaPx
//
// The pictures are kept in DIR, so that a second run takes the finder's own
// time only. Seeds are those of development unless -held-out is given.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

type options struct {
	cache, overlay string
	heldOut, list  bool
	sets           string
	near           bool
	first          uint64
	deck           bool
}

func main() {
	var o options
	flag.StringVar(&o.cache, "cache", "", "folder in which rendered pictures are kept")
	flag.StringVar(&o.overlay, "overlay", "", "folder for pictures of cards with a side on a wrong line")
	flag.StringVar(&o.sets, "set", "tables,decks", "sets to measure: tables, decks, grids")
	flag.BoolVar(&o.heldOut, "held-out", false, "use the seeds kept for published runs")
	flag.BoolVar(&o.list, "list", false, "list every side that lies on a wrong line")
	flag.BoolVar(&o.near, "near", false, "tell the finder where the deck's first cards lay")
	flag.Uint64Var(&o.first, "seed", firstSeed, "first seed")
	flag.BoolVar(&o.deck, "deck", false, "find cards that differ from the deck's typical size once more, with that size")
	flag.Parse()
	if o.cache == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := measure(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "outlines:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options) error {
	if err := cv.Setup(); err != nil {
		return err
	}
	if err := cv.SetThreads(1); err != nil {
		return err
	}
	all := newTally("all")
	for _, name := range strings.Split(o.sets, ",") {
		decks, err := decksOf(name, o.first, o.heldOut)
		if err != nil {
			return err
		}
		set := newTally(name)
		groups := map[string]*tally{}
		for _, c := range decks {
			got, err := look(ctx, c, o)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			for _, f := range got {
				set.add(f)
				all.add(f)
				for _, g := range c.groups {
					if groups[g] == nil {
						groups[g] = newTally(g)
					}
					groups[g].add(f)
				}
			}
		}
		fmt.Printf("\n%s\n", heads())
		names := make([]string, 0, len(groups))
		for n := range groups {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			fmt.Println(groups[n].row())
		}
		fmt.Println(set.row())
	}
	fmt.Println(all.row())
	fmt.Print(all.honesty())
	fmt.Print(all.causes())
	return nil
}

// picture is one frame with what was found in it.
type picture struct {
	name  string
	img   *frame.Image
	cards []card.Detection
	truth visiontest.TruthFrame
	scale float64 // px per mm
	took  time.Duration
}

// look finds the cards of a deck's pictures, which are rendered where they
// are not in the cache.
func look(ctx context.Context, c testDeck, o options) ([]picture, error) {
	dir := filepath.Join(o.cache, c.name)
	if _, err := os.Stat(filepath.Join(dir, "truth.json")); err != nil {
		st, err := visiontest.New(c.deck)
		if err != nil {
			return nil, err
		}
		if err := st.WriteFolder(ctx, dir); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(filepath.Join(dir, "truth.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	truth, err := visiontest.ReadTruth(f)
	if err != nil {
		return nil, err
	}
	var out []picture
	var opts card.Options
	for i, tf := range truth.Frames {
		data, err := os.ReadFile(filepath.Join(dir, tf.File))
		if err != nil {
			return nil, err
		}
		cam := truth.Cameras[tf.Camera]
		img, err := cv.Decode(data, cam.WidthPx, cam.HeightPx)
		if err != nil {
			return nil, err
		}
		if o.near && i == 3 {
			for _, p := range out {
				for _, d := range p.cards {
					if d.Unusable == "" {
						opts.Near = append(opts.Near, d.Corners)
					}
				}
				if len(p.cards) > 0 {
					break
				}
			}
		}
		start := processorTime()
		res, err := card.Find(ctx, img, opts)
		if err != nil {
			return nil, err
		}
		for _, d := range res.Usable() {
			if _, err := card.Rectify(img, d, card.RectifyOptions{MarginMM: 2}); err != nil {
				return nil, err
			}
		}
		p := picture{name: c.name + "/" + tf.File, img: img, cards: res.Cards, truth: tf, took: processorTime() - start}
		out = append(out, p)
	}
	if o.deck {
		if err := again(ctx, out, opts); err != nil {
			return nil, err
		}
	}
	for i := range out {
		if o.overlay != "" {
			if err := out[i].draw(o.overlay); err != nil {
				return nil, err
			}
		}
		if o.list {
			out[i].list()
		}
		out[i].img = nil
	}
	return out, nil
}

// again looks at the cards that differ from the deck's typical size once more.
func again(ctx context.Context, pics []picture, opts card.Options) error {
	var deck []card.Detection
	for _, p := range pics {
		deck = append(deck, p.cards...)
	}
	typical, ok := card.TypicalOf(deck)
	if !ok {
		return nil
	}
	opts.SidesPx = typical.SidesPx()
	for i := range pics {
		p := &pics[i]
		if !slices.ContainsFunc(p.cards, func(d card.Detection) bool { return d.Unusable == "" && typical.Differs(d) }) {
			continue
		}
		res, err := card.Find(ctx, p.img, opts)
		if err != nil {
			return err
		}
		p.cards = res.Cards
		if n := len(res.Cards); n > 0 && slices.ContainsFunc(p.cards, typical.Differs) {
			fmt.Printf("%s: still of another size\n", p.name)
		}
	}
	return nil
}

// processorTime is what the process has used so far: on a shared machine it
// says more than the clock.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func quadOf(c visiontest.TruthCard) (plane.Quad, bool) {
	if c.Cut {
		return plane.Quad{}, false
	}
	return c.Quad()
}
