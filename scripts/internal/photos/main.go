// Command photos measures the card finder on pictures with known content and
// prints Markdown tables for docs/ACCURACY.md.
//
//	go run ./scripts/internal/photos [-overlay DIR] FIXTURES
//
// FIXTURES is the folder that holds real/ and decks/. With -overlay, every
// picture is written to DIR with what was found drawn on it.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

type run struct {
	overlay string
	verbose bool
	opts    card.Options
}

func main() {
	overlay := flag.String("overlay", "", "folder for pictures with the found cards drawn in")
	only := flag.String("only", "", "sets to measure: mtg, playing, marked, set, moving or decks; empty for all")
	verbose := flag.Bool("v", false, "list corners that are off by more than a pixel")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r := &run{overlay: *overlay, verbose: *verbose}
	if err := r.all(flag.Arg(0), *only); err != nil {
		fmt.Fprintln(os.Stderr, "photos:", err)
		os.Exit(1)
	}
}

func (r *run) all(root, only string) error {
	for _, set := range []struct {
		name string
		do   func(string) error
	}{
		{"mtg", r.magic}, {"playing", r.playing}, {"marked", r.marked}, {"set", r.set}, {"moving", r.moving}, {"decks", r.decks},
	} {
		if only == "" || only == set.name {
			if err := set.do(root); err != nil {
				return fmt.Errorf("%s: %w", set.name, err)
			}
		}
	}
	return nil
}

// load reads a picture; EXIF rotation is applied by the decoder.
func load(path string) (*frame.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	img, err := cv.Decode(data, c.Width, c.Height)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return img, nil
}

func (r *run) find(path string) (card.Result, *frame.Image, time.Duration, error) {
	img, err := load(path)
	if err != nil {
		return card.Result{}, nil, 0, err
	}
	start := processorTime()
	res, err := card.Find(context.Background(), img, r.opts)
	took := processorTime() - start
	if err != nil {
		return res, nil, took, fmt.Errorf("%s: %w", path, err)
	}
	if r.overlay != "" {
		if err := draw(filepath.Join(r.overlay, filepath.Base(filepath.Dir(path))+"-"+filepath.Base(path)+".jpg"), img, res); err != nil {
			return res, img, took, err
		}
	}
	return res, img, took, nil
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

// draw writes the picture with usable cards in green and the others in red.
func draw(path string, img *frame.Image, res card.Result) error {
	img = img.Clone()
	thick := max(1, max(img.Width, img.Height)/900)
	for _, d := range res.Cards {
		b, g, rd := uint8(0), uint8(255), uint8(0)
		if d.Unusable != "" {
			g, rd = 0, 255
		}
		for i := range d.Corners {
			stroke(img, d.Corners[i], d.Corners[(i+1)%4], thick, b, g, rd)
			if i == 0 { // the top side once more, inset, to show the orientation
				in := d.Corners.Centre()
				stroke(img, d.Corners[0].Mul(.95).Add(in.Mul(.05)), d.Corners[1].Mul(.95).Add(in.Mul(.05)), thick, 255, 0, 255)
			}
		}
	}
	data, err := cv.EncodeJPEG(img, 90)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func stroke(img *frame.Image, a, b plane.Point, thick int, bl, gr, rd uint8) {
	n := int(b.Sub(a).Norm()) + 1
	for i := range n {
		p := a.Add(b.Sub(a).Mul(float64(i) / float64(n)))
		for dx := -thick / 2; dx <= thick/2; dx++ {
			for dy := -thick / 2; dy <= thick/2; dy++ {
				x, y := int(p.X+.5)+dx, int(p.Y+.5)+dy
				if x >= 0 && y >= 0 && x < img.Width && y < img.Height {
					img.SetBGR(x, y, bl, gr, rd)
				}
			}
		}
	}
}
