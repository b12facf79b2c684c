package camera_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
)

// A folder of pictures is read as a source of frames in time.
func ExampleOpenSource() {
	dir, err := os.MkdirTemp("", "deal-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i, jpg := range cameratest.Film(3, 64, 48) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("card_%d.jpg", i+1)), jpg, 0o600); err != nil {
			panic(err)
		}
	}

	ctx := context.Background()
	src, err := camera.OpenSource(ctx, dir, camera.SourceOptions{PictureGap: 500 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	defer src.Close()
	for {
		f, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(f.Index, filepath.Base(f.Path), f.Time, f.Image.Width, f.Image.Height)
	}
	// Output:
	// 0 card_1.jpg 0s 64 48
	// 1 card_2.jpg 500ms 64 48
	// 2 card_3.jpg 1s 64 48
}

// A live source is watched over; its reader learns of what was missed.
func ExampleWatch() {
	cam, err := cameratest.NewMJPEG(cameratest.MJPEGOptions{Frames: cameratest.Film(3, 64, 48), Interval: time.Millisecond})
	if err != nil {
		panic(err)
	}
	defer cam.Stop()
	states := make(chan camera.State, 10)
	src, err := camera.OpenSource(context.Background(), cam.URL(), camera.SourceOptions{
		Watch: camera.WatchOptions{OnStatus: func(s camera.Status) { states <- s.State }},
	})
	if err != nil {
		panic(err)
	}
	defer src.Close()
	f, err := src.Next(context.Background())
	fmt.Println(f.Index == f.Dropped, f.Format, err)
	fmt.Println(<-states, src.Info().Live)
	// Output:
	// true jpeg <nil>
	// connected true
}
