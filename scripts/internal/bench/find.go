package main

import (
	"fmt"
	"slices"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/card"
	"fairdeck/vision/visiontest"
)

// maxFindMS was set for finding and rectifying one card at 1280 x 720.
const maxFindMS = 10

// find measures the finder on single cards at 1280 x 720, one thread.
func (b *bench) find(d *markdown.Document) error {
	if err := cv.SetThreads(1); err != nil {
		return err
	}
	n := 6
	if b.quick {
		n = 2
	}
	var rows [][]string
	worst := 0.0
	for k, t := range visiontest.TableKinds() {
		st, err := visiontest.New(visiontest.Deck{Seed: uint64(21 + k), Cards: n, Table: visiontest.Table{Kind: t},
			Sleeve: visiontest.Sleeve{Finish: visiontest.Satin, Art: visiontest.Art{Style: visiontest.Rosette}}})
		if err != nil {
			return err
		}
		var both, alone, decoding []float64
		lost := 0
		for i := range st.Frames() {
			data, err := st.File(i)
			if err != nil {
				return err
			}
			for range 3 {
				start := time.Now()
				img, err := cv.Decode(data, 1280, 720)
				if err != nil {
					return err
				}
				decoding = append(decoding, ms(start))
				start = time.Now()
				res, err := card.Find(b.ctx, img, card.Options{})
				if err != nil {
					return err
				}
				alone = append(alone, ms(start))
				found := res.Usable()
				if len(found) == 0 {
					lost++
					continue
				}
				if _, err := card.Rectify(img, found[0], card.RectifyOptions{MarginMM: 2}); err != nil {
					return err
				}
				both = append(both, ms(start))
			}
		}
		b.say("finding on %s: %.1f ms", t, median(both))
		worst = max(worst, median(both))
		row := []string{string(t), fmt.Sprintf("%.1f", median(decoding)), fmt.Sprintf("%.1f", median(alone)), "–", "–"}
		if len(both) > 0 {
			row[3] = fmt.Sprintf("%.1f (%.1f to %.1f)", median(both), slices.Min(both), slices.Max(both))
			row[4] = fmt.Sprintf("%.1f x decoding", median(both)/median(decoding))
		}
		if lost > 0 {
			row[0] += fmt.Sprintf(" (no card in %d of %d)", lost/3, n)
		}
		rows = append(rows, row)
	}
	d.Raw("## Finding a card\n\n")
	d.Para("One card in a frame of 1280 x 720 pixels, one thread, size and scale not told; milliseconds, median of %d frames three times over.", n)
	d.Table([]string{"table", "decoding", "finding", "finding and rectifying", "ratio"}, rows)
	b.target("finding and rectifying a card at 1280 x 720, slowest table", fmt.Sprintf("≤ %d ms", maxFindMS), fmt.Sprintf("%.1f ms", worst), worst > 0 && worst <= maxFindMS)
	return nil
}

func ms(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }
