package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
	"fairdeck/vision/visiontest/score"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	inspectOptions
}

func newEvaluateCommand(a *app) *cobra.Command {
	var o evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate DIR...",
		Short: "Inspect decks whose truth is known and say how far the result is from it",
		Long: `Inspect decks whose truth is known and print how far the result is from it.

Each DIR holds the pictures of one deck and truth.json, which says where its
sleeves lie and what is on them. Organisers use it with a deck of known marks
to prove a station before an event.

With --json the output is an array with one object for each deck:
  deck, cards, found, missed, spurious   sleeves in the truth; found; not
                                         found; found where there is none
  corner_rms_px, corner_max_px           distance of found corners from true
  seconds, decode_seconds                the whole inspection; decoding alone,
                                         summed over pictures
  marks                                  obvious, visible, camera_only: how
                                         many there are (truth) and were found,
                                         within 2 mm on the same sleeve
  false_flags, clean_sleeves             clean sleeves that were flagged
  orientation_errors, batch_errors       sleeves turned or grouped wrongly
  visibility_agreement                   share of found marks whose visibility
                                         is the truth's or one step off
  visibility_exact                       ... is the truth's
A deck that could not be evaluated is an object of deck and error.`,
		Example: `  fairdeck evaluate decks/*/
  fairdeck evaluate --json known-deck/ | jq '.[0].marks.visible'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which decks? Give folders that hold pictures and truth.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array, one object for each deck, and nothing else")
	o.addInspection(cmd.Flags())
	return cmd
}

// evaluated is one line of the output: a score, or why there is none.
type evaluated struct {
	score.Record
	err error
}

// MarshalJSON writes the score, or the deck and its error.
func (e evaluated) MarshalJSON() ([]byte, error) {
	if e.err != nil {
		return json.Marshal(struct {
			Deck  string `json:"deck"`
			Error string `json:"error"`
		}{e.Deck, e.err.Error()})
	}
	return json.Marshal(e.Record)
}

func (o *evaluateOptions) run(ctx context.Context, a *app, dirs []string) error {
	opts, err := o.checkOptions()
	if err != nil {
		return err
	}
	var results []evaluated
	failed := false
	for _, dir := range dirs {
		opts.Now = a.now()
		r, whole, err := a.evaluate(ctx, dir, opts)
		failed = failed || !whole
		if err != nil {
			if code := exitCode(err); code != exitInput {
				return err
			}
			a.term.Error("problem: " + err.Error())
			r.Deck = filepath.Base(filepath.Clean(dir))
		}
		results = append(results, evaluated{r, err})
	}
	if o.json {
		b, err := json.MarshalIndent(results, "", "  ")
		if err != nil {
			return err
		}
		if _, err := a.term.Out().Write(append(b, '\n')); err != nil {
			return err
		}
	} else {
		a.term.Print(evaluationTable(results))
	}
	if failed {
		return outcomeInput
	}
	return nil
}

// evaluate inspects one deck and scores it; whole is false when one of its
// pictures could not be read.
func (a *app) evaluate(ctx context.Context, dir string, opts check.Options) (r score.Record, whole bool, err error) {
	truth, err := readTruth(dir)
	if err != nil {
		return r, false, err
	}
	// The truth says which pictures are the deck's; others in the folder,
	// such as its sides, are not looked at.
	opts.Patterns = nil
	seen := map[string]bool{}
	for _, f := range truth.Frames {
		if f.File != "" && !seen[f.File] {
			seen[f.File] = true
			opts.Patterns = append(opts.Patterns, filepath.Join(dir, filepath.FromSlash(f.File)))
		}
	}
	start := time.Now()
	c, _, err := a.check(ctx, opts)
	if err != nil {
		return r, false, err
	}
	seconds := time.Since(start).Seconds()
	whole = true
	for _, p := range c.Problems {
		a.term.Error(fmt.Sprintf("problem: %s: %s; %s", p.File, p.Text, p.Remedy))
		whole = whole && !unread(p)
	}
	r = score.Deck(truth, observed(c, dir), score.Options{})
	if r.Deck == "" {
		r.Deck = filepath.Base(filepath.Clean(dir))
	}
	r.Seconds, r.DecodeSeconds = seconds, c.Timings.Decode
	return r, whole, nil
}

// readTruth reads a deck's truth.json; its errors are input errors.
func readTruth(dir string) (*visiontest.Truth, error) {
	path := filepath.Join(dir, "truth.json")
	// Opened without waiting: a pipe in its place would never answer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		text := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			text = path + ": no such file; give a folder that holds pictures and their truth.json"
		}
		return nil, &inputError{errors.New(text)}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &inputError{fmt.Errorf("%s: this is not a file; give a folder that holds pictures and their truth.json", path)}
	}
	truth, err := visiontest.ReadTruth(f)
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w; see the format of truth.json in the documentation", path, err)}
	}
	cards := 0
	for _, f := range truth.Frames {
		cards += len(f.Cards)
	}
	if cards == 0 {
		return nil, &inputError{fmt.Errorf("%s: it names no sleeves; decks of sides or faces cannot be evaluated here", path)}
	}
	return truth, nil
}

// observed turns a check into what the score compares.
func observed(c *record.Check, dir string) []score.Frame {
	at := map[string]int{}
	var out []score.Frame
	for i := range c.Sleeves {
		s := &c.Sleeves[i]
		name, err := filepath.Rel(dir, s.File)
		if err != nil {
			name = filepath.Base(s.File)
		}
		name = filepath.ToSlash(name)
		k, ok := at[name]
		if !ok {
			k = len(out)
			at[name] = k
			out = append(out, score.Frame{File: name})
		}
		card := score.Card{
			Corners: plane.Quad(s.Corners), WidthMM: s.Size.WidthMM, HeightMM: s.Size.HeightMM,
			Orientation: visiontest.NotStated, Batch: s.Group, Flag: s.Visibility,
		}
		if s.TurnedDeg != nil {
			card.Orientation = *s.TurnedDeg
		}
		// A sleeve that is flagged for its group or its turn is flagged.
		if s.Flagged() && card.Flag != "obvious" {
			card.Flag = "visible"
		}
		for _, m := range s.Marks {
			card.Marks = append(card.Marks, score.Mark{Kind: m.Kind, MinMM: m.MinMM, MaxMM: m.MaxMM, Visibility: m.Visibility})
		}
		out[k].Cards = append(out[k].Cards, card)
	}
	return out
}

func evaluationTable(results []evaluated) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"deck", "cards", "found", "spurious", "corner rms px", "obvious", "visible", "camera-only", "false flags", "turned wrong", "batch wrong", "visibility ±1", "seconds", "decoding"})
	of := func(c score.Count) string { return fmt.Sprintf("%d/%d", c.Found, c.Truth) }
	for _, r := range results {
		if r.err != nil {
			t.AppendRow(table.Row{r.Deck, "not evaluated"})
			continue
		}
		agree := "-"
		if v := r.VisibilityAgreement; v != nil {
			agree = fmt.Sprintf("%.0f%%", 100**v)
		}
		t.AppendRow(table.Row{
			r.Deck, r.Cards, r.Found, r.Spurious, fmt.Sprintf("%.2f (max %.2f)", r.CornerRMSPx, r.CornerMaxPx),
			of(r.Marks.Obvious), of(r.Marks.Visible), of(r.Marks.CameraOnly),
			fmt.Sprintf("%d of %d", r.FalseFlags, r.CleanSleeves), r.OrientationErrors, r.BatchErrors, agree,
			fmt.Sprintf("%.1f", r.Seconds), fmt.Sprintf("%.1f", r.DecodeSeconds),
		})
	}
	s := t.Style()
	s.Format.Header = 0
	return strings.TrimRight(t.Render(), "\n")
}
