package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	var decode, whole, long []float64
	peak, peakLong := 0.0, 0.0
	for k := range times {
		s, err := b.decodeAll(small)
		if err != nil {
			return err
		}
		decode = append(decode, s)
		s, mb, err := b.runInspect(small)
		if err != nil {
			return err
		}
		whole, peak = append(whole, s), max(peak, mb)
		b.say("%d of %d: decoding %.2f s, inspection %.2f s, %.0f MB", k+1, times, decode[k], s, mb)
		if k%2 == 0 {
			s, mb, err := b.runInspect(large)
			if err != nil {
				return err
			}
			long, peakLong = append(long, s), max(peakLong, mb)
			b.say("%d sleeves: %.2f s, %.0f MB", more, s, mb)
		}
	}
	ratio := median(whole) / median(decode)
	growth := median(long) / float64(more) / (median(whole) / float64(cards))
	d.Raw("## Inspecting a deck\n\n")
	d.Para("`fairdeck inspect` of %d JPEG files of 1920 x 1080 pixels, quality %d, as a process of its own with its report and check.json, against decoding the same files on the same cores and doing nothing with them. "+
		"Median (and range) of %d alternating runs; %d runs with %d sleeves, the same pictures with other noise.", cards, jpegQuality, times, len(long), more)
	d.Table([]string{"what", "seconds", "ratio", "peak memory"}, [][]string{
		{fmt.Sprintf("decoding %d files alone", cards), spread(decode), "1", ""},
		{fmt.Sprintf("inspecting %d sleeves", cards), spread(whole), fmt.Sprintf("%.2f x decoding", ratio), fmt.Sprintf("%.0f MB", peak)},
		{fmt.Sprintf("inspecting %d sleeves", more), spread(long), fmt.Sprintf("%.2f x the time a sleeve", growth), fmt.Sprintf("%.0f MB", peakLong)},
	})
	b.target(fmt.Sprintf("inspecting %d sleeves against decoding them", cards), fmt.Sprintf("≤ %g x", maxDecodeRatio), fmt.Sprintf("%.2f x", ratio), ratio <= maxDecodeRatio)
	b.target("peak memory of that", fmt.Sprintf("≤ %d MB", maxPeakMB), fmt.Sprintf("%.0f MB", peak), peak <= maxPeakMB)
	b.target(fmt.Sprintf("%d sleeves scale linearly: time a sleeve against %d", more, cards), fmt.Sprintf("≤ %g x", maxGrowth), fmt.Sprintf("%.2f x", growth), growth <= maxGrowth)
	return nil
}

func median(v []float64) float64 {
	m, _ := stats.Median(v) // empty: 0
	return m
}

func spread(v []float64) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(v), slices.Min(v), slices.Max(v))
}

// decodeAll reads and decodes every file of a folder on all cores, and
// returns the seconds it took.
func (b *bench) decodeAll(dir string) (float64, error) {
	// As an inspection sets it: one file a core.
	if err := cv.SetThreads(1); err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if err != nil {
		return 0, err
	}
	runtime.GC()
	start := time.Now()
	err = parallel(b.ctx, len(files), func(i int) error {
		data, err := os.ReadFile(files[i])
		if err != nil {
			return err
		}
		_, err = cv.Decode(data, 1920, 1080)
		return err
	})
	return time.Since(start).Seconds(), err
}

// runInspect runs the command and returns its seconds and peak memory in MB.
func (b *bench) runInspect(dir string) (seconds, peakMB float64, err error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(out)
	cmd := exec.CommandContext(b.ctx, b.fairdeck, "inspect", "--out", out, dir)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	start := time.Now()
	err = cmd.Run()
	seconds = time.Since(start).Seconds()
	var exit *exec.ExitError
	// 10: something was flagged, as it should be.
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 10) {
		return 0, 0, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(text.String()))
	}
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = float64(use.Maxrss) / 1024 // Linux counts in KiB
		if runtime.GOOS == "darwin" {
			peakMB /= 1024
		}
	}
	return seconds, peakMB, nil
}
