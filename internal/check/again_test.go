package check

import (
	"context"
	"path/filepath"
	"testing"

	"fairdeck/internal/testutil"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
)

// TestSecondLook: a picture in which nothing was found, and one in which
// something of another scale was taken for the card, are searched again at
// the deck's scale; the others are left alone.
func TestSecondLook(t *testing.T) {
	pattern := filepath.Join(testutil.ModuleRoot(t), "testdata", "decks", "d2_marks_matte_blue", "back_00[0-5].jpg")
	files, err := camera.Open(context.Background(), pattern)
	if err != nil || len(files.Paths) != 6 {
		t.Fatalf("%d pictures (%v)", len(files.Paths), err)
	}
	again := 0
	l := &looker{pics: make([]picture, 6), reduce: 1, total: 6, o: Options{Workers: 2, Progress: func(s Stage, _, _ int) {
		if s == StageAgain {
			again++
		}
	}}}
	if err := l.run(context.Background(), files, []int{0, 1, 2, 3, 4, 5}, card.Options{}, StageRead); err != nil {
		t.Fatal(err)
	}
	good := l.pics[1].cards[0].Corners
	l.pics[1].cards = nil
	mid := l.pics[4].cards[0].Corners.Centre()
	for i, p := range l.pics[4].cards[0].Corners {
		l.pics[4].cards[0].Corners[i] = mid.Add(p.Sub(mid).Mul(0.9))
	}
	if err := l.again(context.Background(), files); err != nil {
		t.Fatal(err)
	}
	if again != 2 {
		t.Errorf("%d pictures were looked at again, want 2", again)
	}
	if c := l.pics[1].cards; len(c) != 1 || c[0].Corners.IoU(good) < 0.99 || c[0].crop == nil {
		t.Errorf("the missed card was not found again: %+v", c)
	}
	if s := areaScale(l.pics[4].cards[0].Corners, 1) / areaScale(good, 1); s < 0.98 || s > 1.02 {
		t.Errorf("the card of another scale is still there: %.3f of the usual", s)
	}
}
