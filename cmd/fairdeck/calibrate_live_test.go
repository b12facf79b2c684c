package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
)

// shown is a live camera before which boards are held, each for a while.
type shown struct {
	images []*frame.Image
	each   int // frames for each
	n      int
	closed int
}

func (s *shown) Info() camera.Info {
	return camera.Info{Kind: camera.KindUSB, Name: "fake camera", WidthPx: 960, HeightPx: 540, FPS: 10, Live: true}
}

func (s *shown) Next(ctx context.Context) (*camera.Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The first second is not looked at.
	i := max(0, s.n-10) / s.each
	if i >= len(s.images) {
		return nil, io.EOF
	}
	f := &camera.Frame{Index: s.n, Path: "fake", Image: s.images[i].Clone(), Time: time.Duration(s.n) * 100 * time.Millisecond}
	s.n++
	return f, nil
}

func (s *shown) Close() error { s.closed++; return nil }

func TestCalibrateLive(t *testing.T) {
	pics, err := stationPictures()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "profile.json")
	live := func(ctx context.Context, src *shown, args ...string) (int, *ui.Fake) {
		term := &ui.Fake{}
		a := &app{term: term, now: time.Now, machine: thisMachine(), in: strings.NewReader(""),
			open: func(context.Context, string, func(camera.Status)) (camera.Source, error) { return src, nil }}
		code := runApp(ctx, append([]string{"calibrate"}, append(args, "--profile", path)...), a)
		if src.closed != 1 {
			t.Errorf("%v: closed %d times", args, src.closed)
		}
		return code, term
	}
	boards := &shown{each: 6}
	for i := range 7 {
		boards.images = append(boards.images, pics[fmt.Sprintf("boards/b%d.png", i)])
	}
	boards.images = append(boards.images, pics["boards/cut.png"])
	code, term := live(context.Background(), boards, "lens", "0")
	said := term.Stderr()
	if code != 0 || term.Bells() != 7 || !strings.Contains(said, "board 7 taken") || !strings.Contains(said, "hold the board still") || !strings.Contains(said, "next: tilt") ||
		!strings.Contains(said, "reaches out of the picture") {
		t.Fatalf("exit code %d, %d boards:\n%s\n%s", code, term.Bells(), said, term.Stdout())
	}
	p, _, err := calibrate.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if p.Camera != "fake camera" || len(p.LensEvidence.Boards) != 7 || p.Lens.FocalXPx < 825 || p.Lens.FocalXPx > 835 || len(p.LensEvidence.Rejected) != 0 {
		t.Errorf("%q, %+v, %+v", p.Camera, p.Lens, p.LensEvidence)
	}
	// The plane and its check from the same camera.
	if code, term = live(context.Background(), &shown{images: []*frame.Image{pics["table/board.png"]}, each: 40}, "plane", "0"); code != 0 {
		t.Fatalf("exit code %d: %s", code, term.Stderr())
	}
	if code, term = live(context.Background(), &shown{images: []*frame.Image{pics["later/soft.png"]}, each: 40}, "check", "0"); code != exitNotGood || !strings.HasPrefix(term.Stdout(), "red: out of focus") {
		t.Fatalf("exit code %d: %s", code, term.Stdout())
	}
	// Ctrl-C leaves the profile alone.
	before, _, err := calibrate.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code, _ = live(ctx, &shown{images: []*frame.Image{pics["table/board.png"]}, each: 40}, "lens", "0"); code != exitInterrupted {
		t.Errorf("exit code %d after Ctrl-C", code)
	}
	after, _, err := calibrate.Load(path)
	if err != nil || !after.Created.Equal(before.Created) {
		t.Errorf("the profile changed: %v", err)
	}
}
