// Command virtualcamera is a camera without a table: it renders a synthetic
// deal and serves it as a phone-camera app does (MJPEG over HTTP), for trying
// out and measuring passes on a computer without a camera.
//
//	go run ./scripts/internal/virtualcamera -cards 10 -size 1920x1080 &
//	fairdeck inspect --cards 10 http://127.0.0.1:PORT/video
//
// The deal is rendered first, which takes longer than it lasts. It begins
// when somebody connects; the last picture goes on until the program is
// stopped.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/visiontest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "virtualcamera:", err)
		os.Exit(1)
	}
}

func run() error {
	cards := flag.Int("cards", 10, "cards in the deck")
	rate := flag.Float64("rate", 1, "cards a second")
	size := flag.String("size", "1280x720", "pixels, WIDTHxHEIGHT")
	seed := flag.Uint64("seed", 1, "of everything random")
	fps := flag.Float64("fps", 30, "frames a second")
	flag.Parse()
	d := visiontest.Deal{FPS: *fps, CardsPerSecond: *rate, Deck: visiontest.Deck{Cards: *cards, Seed: *seed}}
	if _, err := fmt.Sscanf(*size, "%dx%d", &d.Deck.Camera.WidthPx, &d.Deck.Camera.HeightPx); err != nil {
		return fmt.Errorf("-size %s: want WIDTHxHEIGHT", *size)
	}
	frames, err := render(d)
	if err != nil {
		return err
	}
	total := 0
	for _, f := range frames {
		total += len(f)
	}
	fmt.Printf("%d frames, %.0f KB each\n", len(frames), float64(total)/float64(len(frames))/1000)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, err := cameratest.NewMJPEG(cameratest.MJPEGOptions{
		Frames: frames, Interval: time.Duration(float64(time.Second) / *fps),
		Script: func(_, n int) cameratest.Fault {
			if n >= len(frames) {
				// Two in turn: a camera's pictures are never the same twice.
				return cameratest.Fault{Frame: frames[max(0, len(frames)-1-n%2)]}
			}
			return cameratest.Fault{}
		},
	})
	if err != nil {
		return err
	}
	defer m.Stop()
	fmt.Println(m.URL())
	<-ctx.Done()
	return nil
}

func render(d visiontest.Deal) ([][]byte, error) {
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for {
		f, ok, err := s.Next()
		if err != nil || !ok {
			return frames, err
		}
		frames = append(frames, f.JPEG)
	}
}
