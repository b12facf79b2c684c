package settle_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairdeck/internal/cv"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"
	"fairdeck/vision/visiontest"
)

// watch runs a deal through a Settler and returns the sightings of each zone
// and all notices.
func watch(tb testing.TB, d visiontest.Deal, o settle.Options) (*visiontest.DealTruth, map[string][]*settle.Sighting, []*settle.Notice) {
	tb.Helper()
	stream, err := visiontest.NewDealStream(d)
	if err != nil {
		tb.Fatal(err)
	}
	truth := stream.Truth()
	for _, z := range truth.Zones {
		o.Zones = append(o.Zones, settle.Zone{Name: z.Name, Rect: image.Rect(z.Rect[0], z.Rect[1], z.Rect[2], z.Rect[3])})
	}
	s := settle.New(o)
	seen := map[string][]*settle.Sighting{}
	var notices []*settle.Notice
	take := func(events []settle.Event, err error) {
		if err != nil {
			tb.Fatal(err)
		}
		for _, e := range events {
			if e.Notice != nil {
				notices = append(notices, e.Notice)
			} else {
				seen[e.Sighting.Zone] = append(seen[e.Sighting.Zone], e.Sighting)
			}
		}
	}
	ctx := context.Background()
	for {
		f, ok, err := stream.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if !ok {
			break
		}
		take(s.Add(ctx, cameraFrame(f)))
	}
	take(s.Flush(ctx))
	return truth, seen, notices
}

func cameraFrame(f visiontest.DealFrame) *camera.Frame {
	return &camera.Frame{Index: f.Index, Image: f.Image, Time: time.Duration(f.Seconds * float64(time.Second)), Encoded: f.JPEG, Dropped: f.Dropped}
}

// cards are the cards of the truth that were on top while the sightings were
// made.
func cards(truth *visiontest.DealTruth, zone string, seen []*settle.Sighting) []int {
	out := []int{}
	for _, g := range seen {
		mid, card := (g.Start+g.End).Seconds()/2, -1
		for _, r := range truth.Rests {
			if r.Zone == zone && r.From <= mid && mid < r.To {
				card = r.Card
			}
		}
		out = append(out, card)
	}
	return out
}

func TestDeals(t *testing.T) {
	for _, c := range []struct {
		kind visiontest.DealKind
		rate float64
		seed uint64
	}{
		{visiontest.BacksDeal, 1, 4},
		{visiontest.BacksDeal, 2, 20},
		{visiontest.FacesDeal, 1, 6},
		{visiontest.SinglesDeal, 1, 0},
		{visiontest.OnePassDeal, 1, 1},
	} {
		t.Run(fmt.Sprintf("%s %g a second", c.kind, c.rate), func(t *testing.T) {
			t.Parallel()
			d := visiontest.RandomDeal(c.seed, visiontest.DealRanges{Cards: 8, Kinds: []visiontest.DealKind{c.kind}, CardsPerSecond: c.rate, MaxPixels: 640 * 480, NoJPEG: true})
			truth, seen, _ := watch(t, d, settle.Options{})
			for _, z := range truth.Zones {
				if diff := cmp.Diff(truth.Sightings(z.Name), cards(truth, z.Name, seen[z.Name])); diff != "" {
					t.Errorf("zone %s (-truth +seen):\n%s", z.Name, diff)
				}
				for i, g := range seen[z.Name] {
					if g.Index != i || len(g.Frames) == 0 || g.End < g.Start || g.Image.Empty() {
						t.Errorf("sighting %d: index %d, frames %v, %v to %v", i, g.Index, g.Frames, g.Start, g.End)
					}
				}
			}
		})
	}
}

// TestDisturbances deals a few plain cards and lets one kind of thing happen
// to each of them: none is counted again.
func TestDisturbances(t *testing.T) {
	for name, x := range map[string]visiontest.Disturbances{
		"hand over": {HandOver: 1},
		"hand rest": {HandRest: 1},
		"held":      {Held: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := visiontest.Deal{Kind: visiontest.BacksDeal, Disturb: x, Flicker: 0.01,
				Deck: visiontest.Deck{Seed: 3, Cards: 4, Camera: visiontest.Camera{WidthPx: 640, HeightPx: 480}, Sensor: visiontest.Sensor{JPEGQuality: -1}}}
			truth, seen, _ := watch(t, d, settle.Options{})
			if diff := cmp.Diff(truth.Sightings("back"), cards(truth, "back", seen["back"])); diff != "" {
				t.Errorf("(-truth +seen):\n%s", diff)
			}
		})
	}
}

func TestStuckTogetherIsNoticed(t *testing.T) {
	d := visiontest.Deal{Kind: visiontest.BacksDeal, Disturb: visiontest.Disturbances{Double: 0.4},
		Deck: visiontest.Deck{Seed: 5, Cards: 8, Camera: visiontest.Camera{WidthPx: 640, HeightPx: 480}, Sensor: visiontest.Sensor{JPEGQuality: -1}}}
	truth, seen, notices := watch(t, d, settle.Options{Expected: 8})
	if len(truth.Hidden) == 0 {
		t.Fatal("the deal has no two cards that stick together")
	}
	if n := len(seen["back"]); n != 8-len(truth.Hidden) {
		t.Errorf("%d sightings of %d cards, %d of them hidden", n, 8, len(truth.Hidden))
	}
	told := false
	for _, n := range notices {
		told = told || n.Code == "count"
	}
	if !told {
		t.Errorf("no notice of the count among %v", notices)
	}
}

// TestReplay: the same frames give the same events to the last bit.
func TestReplay(t *testing.T) {
	d := visiontest.RandomDeal(5, visiontest.DealRanges{Cards: 4, Kinds: []visiontest.DealKind{visiontest.BacksDeal}, MaxPixels: 640 * 480})
	_, a, n := watch(t, d, settle.Options{Expected: 9})
	_, b, m := watch(t, d, settle.Options{Expected: 9})
	if len(a["back"]) == 0 {
		t.Fatal("nothing was seen")
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("sightings differ:\n%s", diff)
	}
	if diff := cmp.Diff(n, m); diff != "" {
		t.Errorf("notices differ:\n%s", diff)
	}
}

// still returns frames of one picture with noise of the given standard
// deviation.
func stillFrames(n int, sigma float64) (clean *frame.Image, frames []*camera.Frame) {
	r := rand.New(rand.NewPCG(1, 2))
	clean = frame.New(640, 480)
	for y := range 480 {
		for x := range 640 {
			v := uint8(180)
			if x >= 220 && x < 430 && y >= 90 && y < 380 {
				v = uint8(90 + (x/20+y/20)%2*20)
			}
			clean.SetBGR(x, y, v, v, v-10)
		}
	}
	for i := range n {
		m := clean.Clone()
		for k, v := range m.Pix {
			m.Pix[k] = uint8(math.Max(0, math.Min(255, float64(v)+sigma*r.NormFloat64()+0.5)))
		}
		frames = append(frames, &camera.Frame{Index: i, Image: m, Time: time.Duration(i) * time.Second / 30})
	}
	return clean, frames
}

// TestAveragingLowersNoise: twelve frames leave 29% of the noise of one.
func TestAveragingLowersNoise(t *testing.T) {
	const sigma = 6
	clean, frames := stillFrames(20, sigma)
	s := settle.New(settle.Options{})
	var seen []*settle.Sighting
	for _, f := range frames {
		events, err := s.Add(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Sighting != nil {
				seen = append(seen, e.Sighting)
			}
		}
	}
	if len(seen) != 1 {
		t.Fatalf("%d sightings", len(seen))
	}
	g := seen[0]
	sum := 0.0
	crop := clean.Crop(image.Rectangle{Min: g.Origin, Max: g.Origin.Add(image.Pt(g.Image.Width, g.Image.Height))})
	for i, v := range g.Image.Pix {
		d := float64(v) - float64(crop.Pix[i])
		sum += d * d
	}
	left := math.Sqrt(sum/float64(len(g.Image.Pix))) / sigma
	want := 1 / math.Sqrt(float64(len(g.Frames)))
	t.Logf("%d frames: %.3f of the noise left, %.3f expected", len(g.Frames), left, want)
	if len(g.Frames) != 12 || left > 1.1*want {
		t.Errorf("%d frames leave %.3f of the noise, want 12 and %.3f", len(g.Frames), left, want)
	}
}

func TestBadFrames(t *testing.T) {
	s := settle.New(settle.Options{})
	ctx := context.Background()
	for name, f := range map[string]*camera.Frame{
		"nil":     nil,
		"empty":   {},
		"torn":    {Image: &frame.Image{Width: 9, Height: 9, Pix: make([]uint8, 8)}},
		"no size": {Image: frame.New(0, 0)},
	} {
		if _, err := s.Add(ctx, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Add(done, &camera.Frame{Image: frame.New(64, 48)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Tiny pictures and a stream that changes its size do no harm.
	for i, size := range []int{1, 2, 5, 17, 64, 17} {
		for k := range 15 {
			f := &camera.Frame{Index: 15*i + k, Image: frame.New(size, size), Time: time.Duration(15*i+k) * time.Second / 30}
			if _, err := s.Add(ctx, f); err != nil {
				t.Fatalf("%d x %d: %v", size, size, err)
			}
		}
	}
}

// cpu is the processor time of the process so far: others may use the machine.
func cpu(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAgainstDecoding gives the cost of settling a 1920 x 1080 stream as
// a share of that of decoding it.
func BenchmarkAgainstDecoding(b *testing.B) {
	d := visiontest.RandomDeal(3, visiontest.DealRanges{Cards: 8, Kinds: []visiontest.DealKind{visiontest.OnePassDeal}, MaxPixels: 1280 * 720})
	d.Deck.Camera.WidthPx, d.Deck.Camera.HeightPx, d.FPS = 1920, 1080, 30
	stream, err := visiontest.NewDealStream(d)
	if err != nil {
		b.Fatal(err)
	}
	var frames []visiontest.DealFrame
	for {
		f, ok, err := stream.Next()
		if err != nil {
			b.Fatal(err)
		}
		if !ok {
			break
		}
		f.Image = nil
		frames = append(frames, f)
	}
	truth := stream.Truth()
	var zones []settle.Zone
	for _, z := range truth.Zones {
		zones = append(zones, settle.Zone{Name: z.Name, Rect: image.Rect(z.Rect[0], z.Rect[1], z.Rect[2], z.Rect[3])})
	}
	ctx := context.Background()
	b.ResetTimer()
	var decode, work time.Duration
	n := 0
	for range b.N {
		s := settle.New(settle.Options{Zones: zones})
		for _, f := range frames {
			t0 := cpu(b)
			img, err := cv.Decode(f.JPEG, 1920, 1080)
			if err != nil {
				b.Fatal(err)
			}
			t1 := cpu(b)
			c := cameraFrame(f)
			c.Image = img
			if _, err := s.Add(ctx, c); err != nil {
				b.Fatal(err)
			}
			decode += t1 - t0
			work += cpu(b) - t1
			n++
		}
	}
	b.ReportMetric(decode.Seconds()*1000/float64(n), "decode-ms/frame")
	b.ReportMetric(work.Seconds()*1000/float64(n), "settle-ms/frame")
	b.ReportMetric(work.Seconds()/decode.Seconds(), "settle/decode")
}
