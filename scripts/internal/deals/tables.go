package main

import (
	"context"
	"fmt"
	"os"

	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/visiontest"
)

// tables prints what docs/ACCURACY.md says of deals.
func (s *settings) tables(ctx context.Context) error {
	d := new(markdown.Document)
	d.Para("Synthetic deals of %d cards with two neighbours alike in each: a hand that passes, rests, holds and nudges, motion blur, refocus, exposure steps, shadows, mains flicker, lost frames, JPEG. "+
		"Each of %d seeds is another deck, table, camera and kind of deal. A one-pass deal has two zones, and each card is expected in both. "+
		"Exact deals have every card once and in order; lost, counted twice and seen where nothing lay are cards. "+
		"Outlines are beside the truth, the largest error of the four corners; processor time is for settling, a frame.", s.ranges.Cards, s.to-s.from)
	var rows [][]string
	for _, group := range []struct {
		name string
		set  func(*settings)
	}{
		{"one card a second", func(c *settings) { c.ranges.CardsPerSecond = 1 }},
		{"two cards a second", func(c *settings) { c.ranges.CardsPerSecond = 2 }},
		{"one a second, every third card nudged", func(c *settings) { c.nudge = 1. / 3; c.few() }},
		{"one a second, every tenth card taken away and put back", func(c *settings) {
			c.takeBack = 0.1
			c.ranges.Kinds = []visiontest.DealKind{visiontest.BacksDeal, visiontest.FacesDeal}
			c.few()
		}},
		{"one a second, cameras of 10 frames a second and more", func(c *settings) { c.ranges.MinFPS = 10; c.few() }},
	} {
		c := *s
		group.set(&c)
		var all tally
		for seed := c.from; seed < c.to; seed++ {
			t, err := c.deal(ctx, seed)
			if err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			fmt.Fprintln(os.Stderr, t.line(seed))
			all.add(t)
		}
		rows = append(rows, []string{group.name, fmt.Sprintf("%d of %d", all.perfect, all.deals), fmt.Sprint(all.expected), fmt.Sprint(all.lost), fmt.Sprint(all.doubled), fmt.Sprint(all.spurious), fmt.Sprint(all.unordered),
			fmt.Sprintf("%d", quantile(all.frames, 0.5)), fmt.Sprintf("%.1f, %.1f mm", quantile(all.corner, 0.5), quantile(all.corner, 0.95)),
			fmt.Sprintf("%.1f ms", all.settle.Seconds()*1000/float64(max(1, all.count)))})
	}
	d.Table([]string{"deals", "exact", "cards", "lost", "counted twice", "nothing there", "out of order", "frames averaged (median)", "outline off: median, 95%", "processor time"}, rows)
	fmt.Print(d.String())
	return nil
}

// few leaves out all but the first quarter of the seeds.
func (s *settings) few() { s.to = s.from + max(1, (s.to-s.from)/4) }
