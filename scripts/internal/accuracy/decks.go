package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
	"fairdeck/vision/visiontest/score"
)

// evaluated is one deck in the output of `fairdeck evaluate --json`.
type evaluated struct {
	score.Record
	Error string `json:"error"`
}

// evaluate runs the command itself, so that what is measured is what a user
// gets.
func (r *run) evaluate(dirs ...string) ([]evaluated, error) {
	cmd := exec.CommandContext(r.ctx, r.fairdeck, append([]string{"evaluate", "--json"}, dirs...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || out.Len() == 0) {
		return nil, fmt.Errorf("%s evaluate: %w: %s", r.fairdeck, err, strings.TrimSpace(errs.String()))
	}
	var v []evaluated
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		return nil, fmt.Errorf("%s evaluate: %w", r.fairdeck, err)
	}
	return v, nil
}

// wholeSum sums up decks that were inspected as a user would.
type wholeSum struct {
	cards, found, spurious     int
	squares, most              float64
	obvious, visible, camera   metric.Share
	falseFlags                 metric.Share
	orientation, batches       int
	agree, marksFound          float64
	rows                       [][]string
	decks, decksWithFalseFlags int
}

func wholeHeads() []string {
	return []string{"deck", "cards", "missed", "spurious", "corner RMS px", "max px", "obvious", "visible", "camera-only", "word ±1 step", "false flags", "turned wrong", "batch wrong", "s", "decoding s"}
}

func (w *wholeSum) add(e evaluated) {
	if e.Error != "" {
		w.rows = append(w.rows, []string{e.Deck, "not evaluated: " + e.Error})
		return
	}
	share := func(c score.Count) metric.Share { return metric.Share{K: c.Found, N: c.Truth} }
	agree := "–"
	if v := e.VisibilityAgreement; v != nil {
		n := float64(e.Marks.Obvious.Found + e.Marks.Visible.Found + e.Marks.CameraOnly.Found)
		agree = fmt.Sprintf("%.0f%%", 100**v)
		w.agree += *v * n
		w.marksFound += n
	}
	flags := metric.Share{K: e.FalseFlags, N: e.CleanSleeves}
	w.rows = append(w.rows, []string{e.Deck, fmt.Sprint(e.Cards), fmt.Sprint(e.Missed), fmt.Sprint(e.Spurious), fmt.Sprintf("%.2f", e.CornerRMSPx), fmt.Sprintf("%.2f", e.CornerMaxPx),
		share(e.Marks.Obvious).String(), share(e.Marks.Visible).String(), share(e.Marks.CameraOnly).String(), agree, flags.String(),
		fmt.Sprint(e.OrientationErrors), fmt.Sprint(e.BatchErrors), fmt.Sprintf("%.1f", e.Seconds), fmt.Sprintf("%.1f", e.DecodeSeconds)})
	w.decks++
	if e.FalseFlags > 0 {
		w.decksWithFalseFlags++
	}
	w.cards += e.Cards
	w.found += e.Found
	w.spurious += e.Spurious
	w.squares += e.CornerRMSPx * e.CornerRMSPx * float64(e.Found)
	w.most = math.Max(w.most, e.CornerMaxPx)
	w.obvious, w.visible, w.camera = w.obvious.Plus(share(e.Marks.Obvious)), w.visible.Plus(share(e.Marks.Visible)), w.camera.Plus(share(e.Marks.CameraOnly))
	w.falseFlags = w.falseFlags.Plus(flags)
	w.orientation += e.OrientationErrors
	w.batches += e.BatchErrors
}

func (w *wholeSum) rms() float64 { return math.Sqrt(w.squares / math.Max(1, float64(w.found))) }

func (w *wholeSum) table(d *markdown.Document) {
	agree := "–"
	if w.marksFound > 0 {
		agree = fmt.Sprintf("%.0f%%", 100*w.agree/w.marksFound)
	}
	rows := append(w.rows, []string{"all", fmt.Sprint(w.cards), fmt.Sprint(w.cards - w.found), fmt.Sprint(w.spurious), fmt.Sprintf("%.2f", w.rms()), fmt.Sprintf("%.2f", w.most),
		w.obvious.String(), w.visible.String(), w.camera.String(), agree, w.falseFlags.String(), fmt.Sprint(w.orientation), fmt.Sprint(w.batches)})
	d.Table(wholeHeads(), rows)
}

// renderedDecks evaluates the decks that were rendered by another renderer.
func (r *run) renderedDecks(d *markdown.Document) error {
	dir, err := r.fixture("decks")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "truth.json"))
	if err != nil {
		return err
	}
	var dirs []string
	for _, f := range files {
		file, err := os.Open(f)
		if err != nil {
			return err
		}
		truth, err := visiontest.ReadTruth(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		n := 0
		for _, fr := range truth.Frames {
			n += len(fr.Cards)
		}
		if n > 0 { // decks of sides are measured by scripts/internal/edges
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	if len(dirs) == 0 {
		return &absentError{"a deck with truth.json"}
	}
	results, err := r.evaluate(dirs...)
	if err != nil {
		return err
	}
	var w wholeSum
	for _, e := range results {
		w.add(e)
	}
	d.Para("Decks rendered by another, physically based renderer, whose truth was set by hand; `fairdeck evaluate` on their JPEG files.")
	w.table(d)
	failed := len(results) - w.decks
	r.target("rendered decks: all cards found", "all", fmt.Sprintf("%d of %d, %d spurious, %d decks not evaluated", w.found, w.cards, w.spurious, failed), failed == 0 && w.found == w.cards && w.spurious == 0 && w.cards > 0)
	r.target("rendered decks: corner RMS", "≤ 0.35 px", fmt.Sprintf("%.2f px", w.rms()), w.rms() <= 0.35 && w.found > 0)
	seen := w.obvious.Plus(w.visible)
	r.target("rendered decks: obvious and visible marks", "all", seen.String(), seen.N > 0 && seen.K == seen.N)
	r.target("rendered decks: camera-only marks", "≥ 90%", w.camera.String(), w.camera.N > 0 && w.camera.Rate() >= 0.9)
	r.target("rendered decks: false flags", "0", w.falseFlags.String(), w.falseFlags.N > 0 && w.falseFlags.K == 0)
	r.target("rendered decks: turned and batch right", "all", fmt.Sprintf("%d and %d wrong", w.orientation, w.batches), w.orientation+w.batches == 0 && w.decks > 0)
	return nil
}

// wholeDecks writes random decks as folders of JPEG files and evaluates them
// as a user would: nothing is told about camera, size or lens.
func (r *run) wholeDecks(d *markdown.Document) error {
	n := r.count(12, 1)
	dir, err := os.MkdirTemp("", "fairdeck-accuracy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var w wholeSum
	for i := range n {
		seed := r.base + uint64(i)
		g := visiontest.Ranges{MinCards: 20, MaxCards: 40, MaxPixels: 1280 * 960}
		deck := visiontest.RandomSpec(seed, g)
		st, err := visiontest.New(deck)
		if err != nil {
			return err
		}
		folder := filepath.Join(dir, fmt.Sprint(seed))
		if err := st.WriteFolder(r.ctx, folder); err != nil {
			return err
		}
		results, err := r.evaluate(folder)
		if err != nil {
			if r.ctx.Err() != nil {
				return r.ctx.Err()
			}
			r.fail(deck.Name, err)
			continue
		}
		for _, e := range results {
			e.Deck = fmt.Sprintf("%d: %s %s on %s, %d x %d", seed, deck.Sleeve.Finish, styleName(deck.Sleeve.Art.Style), deck.Table.Kind, deck.Camera.WidthPx, deck.Camera.HeightPx)
			if deck.Layout.Rows > 0 {
				e.Deck += fmt.Sprintf(", grid %d x %d", deck.Layout.Rows, deck.Layout.Cols)
			}
			w.add(e)
		}
		os.RemoveAll(folder)
		r.say("random deck %d of %d", i+1, n)
	}
	d.Para("%d whole decks drawn by visiontest.RandomSpec, up to 1280 x 960, grids among them, some with hands, things on the table, cut cards and frames out of focus; `fairdeck evaluate` on their JPEG files, from finding the cards to the visibility of marks. "+
		"The lens is not known, as without a profile.", n)
	w.table(d)
	r.target("whole random decks: obvious and visible marks", "all", w.obvious.Plus(w.visible).WithInterval(), w.obvious.Plus(w.visible).N > 0 && w.obvious.Plus(w.visible).Rate() == 1)
	r.target("whole random decks: false flags", "0", w.falseFlags.WithInterval(), w.falseFlags.N > 0 && w.falseFlags.K == 0)
	return nil
}
