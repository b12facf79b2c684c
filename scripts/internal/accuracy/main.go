// Command accuracy measures fairdeck against pictures with known truth and
// writes what it finds as Markdown. scripts/evaluate.sh runs it.
//
//	visiontest.Deck ──render──▶ views with true corners ──▶ sleeve.Inspect ─┐
//	      │                ├──▶ frames ──▶ card.Find ──────────────────────┤
//	      │                └──▶ JPEG files ──▶ check.Run (clean decks) ─────┤
//	      └──truth─────────────────────────────────────────────────────────┤
//	rendered decks, photographs ──▶ the same code as `fairdeck evaluate` ───┤
//	                                                                        ▼
//	                                        score, metric ──▶ tables, targets
//
// Where finding the cards is not what is measured, views are rendered tightly
// and rectified by their true corners, moved by the finder's own error
// (cornerSigmaPx): that is five times faster. Every number comes with the
// seeds that made it; the same seeds give the same numbers on any machine, up
// to the rounding of its processor. Seeds from visiontest.HeldOut on are used
// by the published run only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
)

func main() {
	if err := mainError(); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func mainError() error {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "a small part of every table, in under three minutes")
	flag.BoolVar(&o.heldOut, "held-out", false, "use the seeds kept for published runs")
	flag.StringVar(&o.out, "o", "", "file to write (default: standard output)")
	flag.StringVar(&o.fixtures, "fixtures", os.Getenv("FAIRDECK_FIXTURES"), "folder with decks/ and real/")
	flag.StringVar(&o.only, "only", "", "sections to run, separated by commas (default: all)")
	flag.StringVar(&o.command, "command", "scripts/evaluate.sh", "what to name as the command that made the document")
	flag.StringVar(&o.commit, "commit", "unknown", "what to name as the commit")
	flag.StringVar(&o.photos, "photos", "", "file with the tables of scripts/internal/photos")
	flag.StringVar(&o.deals, "deals", "", "file with the tables of scripts/internal/deals")
	flag.StringVar(&o.edges, "edges", "", "file with the tables of scripts/internal/edges")
	flag.StringVar(&o.fairdeck, "fairdeck", filepath.Join("bin", "fairdeck"), "the program itself")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := cv.Setup(); err != nil {
		return err
	}
	// The decks share the cores; OpenCV's own threads would only fight them.
	if err := cv.SetThreads(1); err != nil {
		return err
	}
	r := newRun(ctx, o)
	known := map[string]bool{}
	for _, s := range sections() {
		known[s.name] = true
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(o.only, ",") {
		if name = strings.TrimSpace(name); name != "" && !known[name] {
			return fmt.Errorf("no section is called %q", name)
		} else if name != "" {
			wanted[name] = true
		}
	}
	for k, s := range sections() {
		if len(wanted) > 0 && !wanted[s.name] {
			continue
		}
		if err := r.section(k, s); err != nil {
			return err
		}
	}
	if len(r.failures) > 0 {
		return fmt.Errorf("%d decks could not be inspected; the document lists them", len(r.failures))
	}
	return nil
}

// section is one part of the document.
type section struct {
	name, title string
	run         func(*run, *markdown.Document) error
}

func sections() []section {
	return []section{
		{"decks", "Rendered decks", (*run).renderedDecks},
		{"whole", "Whole inspections of random decks", (*run).wholeDecks},
		{"gallery", "Marks by kind, contrast and size", (*run).gallery},
		{"limits", "The smallest marks", (*run).limits},
		{"odd", "Sleeves that differ as a whole", (*run).odd},
		{"clean", "Clean decks", (*run).clean},
		{"groups", "Marks shared by many, turned sleeves, batches", (*run).groups},
		{"reference", "Against three reference methods", (*run).references},
		{"finding", "Finding cards", (*run).finding},
		{"photos", "Photographs", (*run).photographs},
		{"template", "Template pairs: the residual stage alone", (*run).templatePairs},
		{"edges", "The deck's sides", (*run).sides},
		{"deals", "Deals under a live camera", (*run).liveDeals},
	}
}
