// Command edges measures how well vision/edge counts and compares layers, and
// prints the markdown tables of docs/ACCURACY.md: a synthetic sweep, the
// rendered edge decks and the photographs of sheet stacks. With -overlays it
// writes what was read as PNG files to look at.
//
//	go run ./scripts/internal/edges -seeds 200 -decks ../shared/fixtures/decks \
//	    -photos ../shared/fixtures/real/sheet-stacks -overlays /tmp/overlays
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/vision/edge"
	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

func main() {
	seeds := flag.Int("seeds", 200, "synthetic stacks")
	marks := flag.Int("marks", 20, "synthetic stacks for each protrusion, and clean ones")
	decks := flag.String("decks", "", "folder of rendered decks")
	photos := flag.String("photos", "", "folder of photographs")
	overlays := flag.String("overlays", "", "folder for overlay pictures")
	flag.Parse()
	if err := run(*seeds, *marks, *decks, *photos, *overlays); err != nil {
		fmt.Fprintln(os.Stderr, "edges:", err)
		os.Exit(1)
	}
}

func run(seeds, marks int, decks, photos, overlays string) error {
	if overlays != "" {
		if err := os.MkdirAll(overlays, 0o755); err != nil {
			return err
		}
	}
	if seeds > 0 {
		for _, told := range []bool{false, true} {
			if err := sweep(seeds, told); err != nil {
				return err
			}
		}
	}
	if marks > 0 {
		if err := protrusions(marks); err != nil {
			return err
		}
	}
	if decks != "" {
		files, err := filepath.Glob(filepath.Join(decks, "e*", "*.jpg"))
		if err != nil {
			return err
		}
		if err := pictures("rendered decks", files, overlays); err != nil {
			return err
		}
	}
	if photos != "" {
		files, err := filepath.Glob(filepath.Join(photos, "*.jpeg"))
		if err != nil {
			return err
		}
		return pictures("photographs", files, overlays)
	}
	return nil
}

// sweep counts random stacks, with or without being told whether a side is
// open.
func sweep(seeds int, told bool) error {
	type tally struct{ n, exact, holds, wrong, refused, width int }
	classes := []string{"closed", "double", "open", "below 8 px", "8 to 12 px", "12 px and more", "all"}
	got := map[string]*tally{}
	for _, c := range classes {
		got[c] = &tally{}
	}
	for seed := range seeds {
		sc := visiontest.RandomStack(uint64(seed + 1))
		img, _ := sc.Render()
		opt := edge.Options{}
		if told {
			switch {
			case sc.Open:
				opt.Side = edge.ShortOpen
			case sc.SideMM > 80:
				opt.Side = edge.LongSide
			default:
				opt.Side = edge.ShortClosed
			}
		}
		s, err := edge.Inspect(context.Background(), img, opt)
		if err != nil {
			return err
		}
		class := []string{"closed", "8 to 12 px", "all"}
		switch {
		case sc.Open:
			class[0] = "open"
		case sc.Double:
			class[0] = "double"
		}
		total := 0.0
		for _, l := range sc.Layers {
			total += l.ThicknessMM
		}
		switch px := total / float64(len(sc.Layers)) * sc.FocalPx / sc.DistanceMM; {
		case px < 8:
			class[1] = "below 8 px"
		case px >= 12:
			class[1] = "12 px and more"
		}
		for _, c := range class {
			t, n := got[c], len(sc.Layers)
			t.n++
			switch {
			case s.Count.Refused != nil:
				t.refused++
			case s.Count.Low > n || s.Count.High < n:
				t.wrong++
			default:
				t.holds++
				t.width += s.Count.High - s.Count.Low
				if s.Count.Exact() {
					t.exact++
				}
			}
		}
	}
	how := "which side a picture shows is not told"
	if told {
		how = "long, short and open or short and closed is told"
	}
	fmt.Printf("\nSynthetic stacks, %d seeds; %s\n\n| stacks | n | exact | interval holds the truth | mean width | truth outside | refused |\n|---|---|---|---|---|---|---|\n", seeds, how)
	for _, c := range classes {
		t := got[c]
		fmt.Printf("| %s | %d | %d | %d | %.2f | %d | %d |\n", c, t.n, t.exact, t.holds, float64(t.width)/float64(max(1, t.holds)), t.wrong, t.refused)
	}
	return nil
}

// protrusions measures what share of marked layers is found and how many clean
// stacks are flagged.
func protrusions(n int) error {
	fmt.Printf("\nProtrusion at 12 px per layer, %d stacks each, three marked layers per stack\n\n| protrusion, mm | found | other layers flagged visible | stacks not counted |\n|---|---|---|---|\n", n)
	for _, p := range []float64{0, 0.3, 0.4, 0.7, 1} {
		found, marked, others, refused := 0, 0, 0, 0
		for seed := range n {
			sc := visiontest.NewStack(60, 12, uint64(seed+1))
			at := map[int]bool{}
			if p > 0 {
				for _, k := range []int{14 + seed%5, 31 + seed%4, 47 + seed%6} {
					sc.Layers[k].ProtrusionMM = p
					at[k+1] = true
				}
			}
			img, _ := sc.Render()
			s, err := edge.Inspect(context.Background(), img, edge.Options{Side: edge.LongSide, FocalPx: sc.FocalPx})
			if err != nil {
				return err
			}
			if s.Count.Refused != nil {
				refused++
				continue
			}
			marked += len(at)
			seen := map[int]bool{}
			for _, o := range s.Outliers {
				switch {
				case at[o.Layer] && o.Kind == edge.Protrudes:
					seen[o.Layer] = true
				case !at[o.Layer] && o.Visibility.Rank() >= sleeve.Visible.Rank():
					others++
				}
			}
			found += len(seen)
		}
		fmt.Printf("| %.1f | %d of %d | %d | %d |\n", p, found, marked, others, refused)
	}
	return nil
}

// pictures inspects files and lists them.
func pictures(title string, files []string, overlays string) error {
	fmt.Printf("\n%s\n\n| picture | count | truth | px per layer | layers that stand out | seconds |\n|---|---|---|---|---|---|\n", title)
	for _, f := range files {
		img, err := load(f)
		if err != nil {
			return err
		}
		start := time.Now()
		s, err := edge.Inspect(context.Background(), img, edge.Options{})
		if err != nil {
			return err
		}
		took := time.Since(start)
		what := s.Count.String()
		if s.Count.Refused != nil {
			what += " (" + string(s.Count.Refused.Code) + ")"
		}
		stand := ""
		for _, o := range s.Outliers {
			stand += fmt.Sprintf("%d %s %.1f %s; ", o.Layer, o.Kind, o.Amount, o.Unit)
		}
		fmt.Printf("| %s | %s | %s | %.1f | %s | %.2f |\n", filepath.Base(f), what, truth(f), s.PxPerLayer, stand, took.Seconds())
		if overlays != "" {
			png, err := cv.EncodePNG(edge.Overlay(img, s), 3)
			if err != nil {
				return err
			}
			name := filepath.Base(filepath.Dir(f)) + "_" + filepath.Base(f) + ".png"
			if err := os.WriteFile(filepath.Join(overlays, name), png, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func load(path string) (*frame.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cv.Decode(data, c.Width, c.Height)
}

// truth is the layer count stated beside the picture, if any.
func truth(path string) string {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "truth.json"))
	if err != nil {
		return "not stated"
	}
	var t struct {
		Frames []struct {
			File       string `json:"file"`
			LayerCount int    `json:"layer_count"`
		} `json:"frames"`
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return "unreadable"
	}
	for _, f := range t.Frames {
		if f.File == filepath.Base(path) {
			return fmt.Sprint(f.LayerCount)
		}
	}
	return "not stated"
}
