package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// jpegQuality is a webcam's.
const jpegQuality = 92

// benchDeck is a printed deck with a few marks, so that no part of an
// inspection is idle.
func benchDeck(cards int) visiontest.Deck {
	// Two millimetres: every sleeve lies wholly in its frame.
	d := visiontest.Deck{Seed: 11, Cards: cards, Camera: visiontest.Camera{WidthPx: 1920, HeightPx: 1080}, Layout: visiontest.Layout{ShiftMM: 2, TurnDeg: 2},
		Sleeve: visiontest.Sleeve{Finish: visiontest.Satin, Art: visiontest.Art{Style: visiontest.Rosette}},
		Table:  visiontest.Table{Kind: visiontest.Playmat}}
	for i := 0; i < cards; i += 12 {
		d.Marks = append(d.Marks, visiontest.Mark{Kind: visiontest.PenDot, Cards: []int{i}, SizeMM: 1, DeltaE: 15,
			WhereMM: plane.Point{X: 15 + float64(i%30), Y: 20 + float64(i%50)}})
	}
	return d
}

// writeDecks renders one deck and writes it as a folder; a larger deck is
// written from the same frames with new noise, since rendering 200 is slow and
// equal files would be one sleeve seen twice.
func writeDecks(ctx context.Context, dir string, cards, more int) (small, large string, err error) {
	st, err := visiontest.New(benchDeck(cards))
	if err != nil {
		return "", "", err
	}
	frames := make([]*frame.Image, st.Frames())
	err = parallel(ctx, len(frames), func(i int) (err error) {
		frames[i], err = st.Frame(i)
		return err
	})
	if err != nil {
		return "", "", err
	}
	small, large = filepath.Join(dir, fmt.Sprint(cards)), filepath.Join(dir, fmt.Sprint(more))
	for _, d := range []string{small, large} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", "", err
		}
	}
	err = parallel(ctx, cards+more, func(i int) error {
		folder, k := small, i
		if i >= cards {
			folder, k = large, i-cards
		}
		m := frames[k%cards].Clone()
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for p := range m.Pix {
			// One code up or down: less than the noise that is there.
			m.Pix[p] = uint8(min(255, max(0, int(m.Pix[p])+int(r.Uint32()%3)-1)))
		}
		data, err := cv.EncodeJPEG(m, jpegQuality)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, fmt.Sprintf("back_%03d.jpg", k)), data, 0o644)
	})
	return small, large, err
}

// parallel runs do for 0 to n-1 on all cores.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
