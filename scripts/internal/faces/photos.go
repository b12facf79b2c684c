package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fairdeck/scripts/internal/markdown"
)

//go:embed testdata/alpha_deck.txt
var alphaDeck string

// photographs groups the cards of real pictures and counts pairs: of pairs
// that were put together the share that belongs together (precision), and of
// pairs that belong together the share that was put together (recall).
func photographs(ctx context.Context, d *markdown.Document, program string) error {
	root := os.Getenv("FAIRDECK_FIXTURES")
	if program == "" || root == "" {
		d.Para("Photographs were left out: they need the built program and FAIRDECK_FIXTURES.")
		return nil
	}
	var rows [][]string
	row := func(name, picture, truth string, size ...string) error {
		if _, err := os.Stat(picture); err != nil {
			rows = append(rows, []string{name, "not here"})
			return nil
		}
		args := append([]string{"order", "--json"}, size...)
		cmd := exec.CommandContext(ctx, program, append(args, picture)...)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 4) {
			rows = append(rows, []string{name, "could not be read: " + strings.TrimSpace(strings.SplitN(said.String(), "\n", 2)[0])})
			return nil
		}
		var order struct {
			Cards []struct{ Face *string }
		}
		if err := json.Unmarshal(out.Bytes(), &order); err != nil {
			return fmt.Errorf("%s: %w", picture, err)
		}
		var want []string
		for line := range strings.Lines(truth) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				want = append(want, line)
			}
		}
		if len(want) != len(order.Cards) {
			rows = append(rows, []string{name, fmt.Sprint(len(want)), fmt.Sprintf("%d cards were found; their order is not comparable", len(order.Cards))})
			return nil
		}
		together, belong, both := 0, 0, 0
		for i := range want {
			for j := range i {
				a, b := order.Cards[i].Face, order.Cards[j].Face
				got := a != nil && b != nil && *a == *b
				if got {
					together++
				}
				if want[i] == want[j] {
					belong++
					if got {
						both++
					}
				}
			}
		}
		pct := func(k, n int) string {
			if n == 0 {
				return "no pairs"
			}
			return fmt.Sprintf("%.3f (%d/%d)", float64(k)/float64(n), k, n)
		}
		rows = append(rows, []string{name, fmt.Sprint(len(want)), pct(both, together), pct(both, belong)})
		return nil
	}
	alpha := ""
	for line := range strings.Lines(alphaDeck) {
		if !strings.HasPrefix(line, "#") {
			alpha += strings.Join(strings.Fields(line), "\n") + "\n"
		}
	}
	if err := row("tables-mtg/alpha_deck.jpg", filepath.Join(root, "real", "tables-mtg", "alpha_deck.jpg"), alpha); err != nil {
		return err
	}
	sets, err := filepath.Glob(filepath.Join(root, "real", "set-game", "*.png"))
	if err != nil {
		return err
	}
	for _, s := range sets {
		truth, err := os.ReadFile(strings.TrimSuffix(s, ".png") + ".txt")
		if err != nil {
			return err
		}
		if err := row("set-game/"+filepath.Base(s), s, string(truth)); err != nil {
			return err
		}
	}
	d.Para("Photographs by others, read by `fairdeck order`; pairs of cards put together:")
	d.Table([]string{"picture", "cards", "precision", "recall"}, rows)
	return nil
}
