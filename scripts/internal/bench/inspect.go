package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"

	"github.com/montanaflynn/stats"
)

// The limits that were set for an inspection.
const (
	maxDecodeRatio = 3.0
	maxPeakMB      = 600
	maxGrowth      = 1.2 // time a sleeve at 200 over that at 60: linear, within the noise of a run
)

// inspect measures the whole command against decoding alone.
func (b *bench) inspect(d *markdown.Document) error {
	cards, more, times := 60, 200, 5
	if b.quick {
		cards, more, times = 20, 60, 3
	}
	b.say("rendering %d frames of 1920 x 1080", cards)
	small, large, err := writeDecks(b.ctx, b.dir, cards, more)
	if err != nil {
		return err
	}
	var decode, whole, long spent
	peak, peakLong := 0.0, 0.0
	for k := range times {
		c, err := b.decodeAll(small)
		if err != nil {
			return err
		}
		decode.add(c)
		c, mb, err := b.runInspect(small)
		if err != nil {
			return err
		}
		whole.add(c)
		peak = max(peak, mb)
		b.say("%d of %d: decoding %s, inspection %s, %.0f MB", k+1, times, decode.last(), whole.last(), mb)
		if k%2 == 0 {
			c, mb, err := b.runInspect(large)
			if err != nil {
				return err
			}
			long.add(c)
			peakLong = max(peakLong, mb)
			b.say("%d sleeves: %s, %.0f MB", more, long.last(), mb)
		}
	}
	ratio, cpuRatio := median(whole.wall)/median(decode.wall), median(whole.cpu)/median(decode.cpu)
	share := float64(cards) / float64(more)
	growth, cpuGrowth := share*median(long.wall)/median(whole.wall), share*median(long.cpu)/median(whole.cpu)
	d.Raw("## Inspecting a deck\n\n")
	d.Para("`fairdeck inspect` of %d JPEG files of 1920 x 1080 pixels, quality %d, as a process of its own with its report and check.json, against decoding the same files on the same cores and doing nothing with them. "+
		"Median (and range) of %d alternating runs; %d runs with %d sleeves, the same pictures with other noise. Processor time is that of all cores together, user and system: other work on the machine lengthens it less than the time that passes.",
		cards, jpegQuality, times, len(long.wall), more)
	d.Table([]string{"what", "seconds", "ratio", "processor seconds", "ratio", "peak memory"}, [][]string{
		{fmt.Sprintf("decoding %d files alone", cards), spread(decode.wall), "1", spread(decode.cpu), "1", ""},
		{fmt.Sprintf("inspecting %d sleeves", cards), spread(whole.wall), fmt.Sprintf("%.2f x decoding", ratio), spread(whole.cpu), fmt.Sprintf("%.2f x decoding", cpuRatio), fmt.Sprintf("%.0f MB", peak)},
		{fmt.Sprintf("inspecting %d sleeves", more), spread(long.wall), fmt.Sprintf("%.2f x the time a sleeve", growth), spread(long.cpu), fmt.Sprintf("%.2f x the time a sleeve", cpuGrowth), fmt.Sprintf("%.0f MB", peakLong)},
	})
	b.target(fmt.Sprintf("inspecting %d sleeves against decoding them", cards), fmt.Sprintf("≤ %g x", maxDecodeRatio), fmt.Sprintf("%.2f x", ratio), ratio <= maxDecodeRatio)
	b.target("the same in processor time", fmt.Sprintf("≤ %g x", maxDecodeRatio), fmt.Sprintf("%.2f x", cpuRatio), cpuRatio <= maxDecodeRatio)
	b.target("peak memory of that", fmt.Sprintf("≤ %d MB", maxPeakMB), fmt.Sprintf("%.0f MB", peak), peak <= maxPeakMB)
	b.target(fmt.Sprintf("%d sleeves scale linearly: time a sleeve against %d", more, cards), fmt.Sprintf("≤ %g x", maxGrowth), fmt.Sprintf("%.2f x", growth), growth <= maxGrowth)
	b.target("the same in processor time", fmt.Sprintf("≤ %g x", maxGrowth), fmt.Sprintf("%.2f x", cpuGrowth), cpuGrowth <= maxGrowth)
	return nil
}

// cost is what one run took, in seconds.
type cost struct{ wall, cpu float64 }

func (c cost) String() string { return fmt.Sprintf("%.2f s (processor %.2f s)", c.wall, c.cpu) }

// spent are the costs of several runs.
type spent struct{ wall, cpu []float64 }

func (s *spent) add(c cost) { s.wall, s.cpu = append(s.wall, c.wall), append(s.cpu, c.cpu) }

func (s *spent) last() cost { return cost{s.wall[len(s.wall)-1], s.cpu[len(s.cpu)-1]} }

// processor is the time that a process has spent, user and system.
func processor(u *syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func median(v []float64) float64 {
	m, _ := stats.Median(v) // empty: 0
	return m
}

func spread(v []float64) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(v), slices.Min(v), slices.Max(v))
}

// decodeAll reads and decodes every file of a folder on all cores, and
// returns what it took.
func (b *bench) decodeAll(dir string) (cost, error) {
	// As an inspection sets it: one file a core.
	if err := cv.SetThreads(1); err != nil {
		return cost{}, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if err != nil {
		return cost{}, err
	}
	runtime.GC()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		return cost{}, err
	}
	start := time.Now()
	err = parallel(b.ctx, len(files), func(i int) error {
		data, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		_, err = cv.Decode(data, 1920, 1080)
		return err
	})
	c := cost{wall: time.Since(start).Seconds()}
	if err == nil {
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	}
	c.cpu = processor(&after) - processor(&before)
	return c, err
}

// runInspect runs the command and returns its cost and peak memory in MB.
func (b *bench) runInspect(dir string) (c cost, peakMB float64, err error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return c, 0, err
	}
	defer os.RemoveAll(out)
	args := []string{b.fairdeck, "inspect", "--out", out, dir}
	r, err := b.runner.run(b.ctx, args...)
	if err != nil {
		return c, 0, err
	}
	// 10: something was flagged, as it should be.
	if r.Exit != 0 && r.Exit != 10 {
		return c, 0, fmt.Errorf("%s: exit code %d: %s", strings.Join(args, " "), r.Exit, strings.TrimSpace(r.Text))
	}
	return cost{wall: r.Wall, cpu: r.CPU}, r.PeakMB, b.ctx.Err()
}
