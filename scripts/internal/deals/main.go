// Command deals measures how well package settle counts the cards of
// synthetic deals with known truth.
//
//	go run ./scripts/internal/deals [-seeds 0:20] [-rate 1] [-kinds backs,faces] [-calm]
//	go run ./scripts/internal/deals -markdown -held-out -seeds 1:21   the tables of docs/ACCURACY.md
//
// For each deal it prints what was lost, doubled or seen where nothing lay,
// and for all together how the frames were averaged and what it cost. The
// program ends with status 1 when a card was lost or counted twice.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/settle"
	"fairdeck/vision/visiontest"
)

type settings struct {
	from, to  uint64
	heldOut   bool
	auto      bool
	nudge     float64
	takeBack  float64
	verbose   bool
	truthFile string
	folder    string
	only      bool
	pictures  string
	until     float64
	ranges    visiontest.DealRanges
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "deals:", err)
		os.Exit(1)
	}
}

func run() error {
	var s settings
	seeds := flag.String("seeds", "0:20", "first seed and the one after the last")
	kinds := flag.String("kinds", "", "kinds of deals, with commas: backs, faces, singles, one-pass; all")
	flag.BoolVar(&s.heldOut, "held-out", false, "seeds count from the held-out ones")
	flag.StringVar(&s.folder, "keep", "", "folder to keep the frames in, for another run with the same settings")
	flag.StringVar(&s.pictures, "pictures", "", "folder for pictures of the sightings that are wrong, outlines drawn")
	flag.Float64Var(&s.until, "until", 0, "end each deal after so many seconds, for a look at its beginning; 0: whole deals")
	flag.BoolVar(&s.only, "only-render", false, "do not watch the deals")
	flag.BoolVar(&s.auto, "auto", false, "no zones given: they are found")
	flag.BoolVar(&s.verbose, "v", false, "print every error, sighting by sighting")
	flag.Float64Var(&s.nudge, "nudge", -1, "chance that a card is nudged, instead of the seed's own")
	flag.Float64Var(&s.takeBack, "take-back", 0, "chance that a card is taken away and put back")
	flag.StringVar(&s.truthFile, "truth", "", "write the truth of the last deal there")
	flag.IntVar(&s.ranges.Cards, "cards", 60, "cards in a deal")
	flag.Float64Var(&s.ranges.CardsPerSecond, "rate", 1, "cards a second")
	flag.Float64Var(&s.ranges.MinFPS, "min-fps", 24, "slowest camera")
	flag.IntVar(&s.ranges.MaxPixels, "max-pixels", 1280*720, "largest camera")
	flag.BoolVar(&s.ranges.Calm, "calm", false, "without hands that only pass, rest or nudge")
	flag.BoolVar(&s.ranges.NoJPEG, "no-jpeg", false, "without compression")
	profile := flag.String("cpuprofile", "", "write where the processor's time goes there")
	tables := flag.Bool("markdown", false, "print tables of deals at one and at two cards a second, on slow cameras, and with nudges and cards taken back")
	flag.Parse()
	a, b, ok := strings.Cut(*seeds, ":")
	var err error
	if s.from, err = strconv.ParseUint(a, 10, 64); err != nil {
		return err
	}
	s.to = s.from + 1
	if ok {
		if s.to, err = strconv.ParseUint(b, 10, 64); err != nil {
			return err
		}
	}
	if *kinds != "" {
		for _, k := range strings.Split(*kinds, ",") {
			s.ranges.Kinds = append(s.ranges.Kinds, visiontest.DealKind(k))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if *tables {
		return s.tables(ctx)
	}
	var all tally
	for seed := s.from; seed < s.to; seed++ {
		t, err := s.deal(ctx, seed)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		fmt.Println(t.line(seed))
		all.add(t)
	}
	fmt.Println(all.summary())
	if all.lost+all.doubled+all.spurious+all.unordered > 0 {
		return fmt.Errorf("%d lost, %d doubled, %d spurious, %d out of order", all.lost, all.doubled, all.spurious, all.unordered)
	}
	return nil
}

// tally is what a deal, or all of them, came to.
type tally struct {
	kind                               visiontest.DealKind
	size                               string
	deals, perfect                     int
	expected, seen                     int
	lost, doubled, spurious, unordered int
	notices                            map[string]int
	frames                             []int     // averaged in each sighting
	corner                             []float64 // largest corner error, mm
	settle, render                     time.Duration
	count                              int // frames of the stream
	errors                             []string
}

func (t *tally) add(o tally) {
	t.deals++
	if o.lost+o.doubled+o.spurious+o.unordered == 0 {
		t.perfect++
	}
	t.expected += o.expected
	t.seen += o.seen
	t.lost += o.lost
	t.doubled += o.doubled
	t.spurious += o.spurious
	t.unordered += o.unordered
	if t.notices == nil {
		t.notices = map[string]int{}
	}
	for k, v := range o.notices {
		t.notices[k] += v
	}
	t.frames = append(t.frames, o.frames...)
	t.corner = append(t.corner, o.corner...)
	t.settle += o.settle
	t.render += o.render
	t.count += o.count
}

func (t *tally) line(seed uint64) string {
	s := fmt.Sprintf("seed %d %s %s: %d of %d, %d lost, %d doubled, %d spurious, %d out of order", seed, t.kind, t.size, t.seen, t.expected, t.lost, t.doubled, t.spurious, t.unordered)
	if len(t.notices) > 0 {
		s += fmt.Sprintf(", notices %v", t.notices)
	}
	s += fmt.Sprintf("; %.1f ms/frame", t.settle.Seconds()*1000/float64(max(1, t.count)))
	for _, e := range t.errors {
		s += "\n    " + e
	}
	return s
}

func quantile[T int | float64](v []T, q float64) T {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[int(q*float64(len(v)-1))]
}

func (t *tally) summary() string {
	return fmt.Sprintf("%d deals, %d exact; %d cards: %d lost, %d doubled, %d spurious, %d out of order; notices %v\n"+
		"frames averaged: median %d, 5%% below %d; largest corner error: median %.2f mm, 95%% below %.2f mm\n"+
		"settling %.2f ms of processor time a frame, rendering %.2f ms (%d frames)",
		t.deals, t.perfect, t.expected, t.lost, t.doubled, t.spurious, t.unordered, t.notices,
		quantile(t.frames, 0.5), quantile(t.frames, 0.05), quantile(t.corner, 0.5), quantile(t.corner, 0.95),
		t.settle.Seconds()*1000/float64(max(1, t.count)), t.render.Seconds()*1000/float64(max(1, t.count)), t.count)
}

// cpu is the processor time of the process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (s *settings) deal(ctx context.Context, seed uint64) (t tally, failed error) {
	if s.heldOut {
		seed += visiontest.HeldOut
	}
	d := visiontest.RandomDeal(seed, s.ranges)
	if s.nudge >= 0 {
		d.Disturb.Nudge = s.nudge
	}
	d.Disturb.TakeBack = s.takeBack
	stream, err := openFrames(d, s.folder)
	if err != nil {
		return tally{}, err
	}
	defer func() { failed = errors.Join(failed, stream.close()) }()
	truth := stream.truth()
	t = tally{kind: d.Kind, size: fmt.Sprintf("%dx%d@%g", d.Deck.Camera.WidthPx, d.Deck.Camera.HeightPx, d.FPS), notices: map[string]int{}}
	o := settle.Options{Expected: d.Deck.Cards}
	if !s.auto {
		for _, z := range truth.Zones {
			o.Zones = append(o.Zones, settle.Zone{Name: z.Name})
			o.Zones[len(o.Zones)-1].Rect.Min.X, o.Zones[len(o.Zones)-1].Rect.Min.Y = z.Rect[0], z.Rect[1]
			o.Zones[len(o.Zones)-1].Rect.Max.X, o.Zones[len(o.Zones)-1].Rect.Max.Y = z.Rect[2], z.Rect[3]
		}
	}
	settler := settle.New(o)
	var sightings []*settle.Sighting
	take := func(events []settle.Event) {
		for _, e := range events {
			if e.Notice != nil {
				t.notices[e.Notice.Code]++
				if s.verbose {
					t.errors = append(t.errors, fmt.Sprintf("%.2f notice %s %s: %s", e.Notice.Time.Seconds(), e.Notice.Zone, e.Notice.Code, e.Notice.Text))
				}
			} else {
				sightings = append(sightings, e.Sighting)
			}
		}
	}
	for {
		c := cpu()
		f, ok, err := stream.next()
		if err != nil {
			return t, err
		}
		if !ok || s.until > 0 && f.Seconds > s.until {
			break
		}
		c1 := cpu()
		t.render += c1 - c
		if s.only {
			t.count++
			if err := ctx.Err(); err != nil {
				return t, err
			}
			continue
		}
		events, err := settler.Add(ctx, &camera.Frame{Index: f.Index, Image: f.Image, Time: time.Duration(f.Seconds * float64(time.Second)), Encoded: f.JPEG, Dropped: f.Dropped})
		if err != nil {
			return t, err
		}
		t.settle += cpu() - c1
		t.count++
		take(events)
	}
	if s.only {
		return t, nil
	}
	events, err := settler.Flush(ctx)
	if err != nil {
		return t, err
	}
	take(events)
	t.judge(truth, sightings, s)
	if s.truthFile != "" {
		f, err := os.Create(s.truthFile)
		if err != nil {
			return t, err
		}
		defer f.Close()
		return t, json.NewEncoder(f).Encode(truth)
	}
	return t, nil
}

// judge compares sightings with the truth, zone by zone.
func (t *tally) judge(truth *visiontest.DealTruth, sightings []*settle.Sighting, s *settings) {
	mmPerPx := func(c []visiontest.Pair) float64 {
		return truth.SleeveMM[0] / math.Hypot(c[1][0]-c[0][0], c[1][1]-c[0][1])
	}
	if s.until > 0 {
		truth.Rests = slices.DeleteFunc(slices.Clone(truth.Rests), func(r *visiontest.DealRest) bool { return r.To > s.until })
	}
	for _, z := range truth.Zones {
		want := truth.Sightings(z.Name)
		t.expected += len(want)
		count := map[int]int{}
		last := -1
		for _, g := range sightings {
			mid := (g.Start + g.End).Seconds() / 2
			c := g.Detection.Corners.Centre()
			if len(truth.Zones) > 1 {
				in := c.X >= float64(z.Rect[0]) && c.X <= float64(z.Rect[2])
				if !in {
					continue
				}
			}
			t.seen++
			t.frames = append(t.frames, len(g.Frames))
			var rest *visiontest.DealRest
			far := math.Inf(1)
			for _, r := range truth.Rests {
				if r.Zone != z.Name || r.From > mid || mid >= r.To {
					continue
				}
				rest = r
				for _, turn := range []int{0, 1, 2, 3} {
					e := 0.0
					for i, q := range r.Corners {
						p := g.Detection.Corners[(i+turn)%4]
						e = max(e, math.Hypot(p.X-q[0], p.Y-q[1]))
					}
					far = min(far, e*mmPerPx(r.Corners))
				}
			}
			what := ""
			switch {
			case rest == nil:
				t.spurious++
				what = fmt.Sprintf("nothing lay there, seen at %.0f, confidence %.2f %s", g.Detection.Corners, g.Detection.Confidence, g.Detection.Unusable)
			case count[rest.Card] > 0:
				t.doubled++
				count[rest.Card]++
				what = fmt.Sprintf("card %d again", rest.Card)
			default:
				count[rest.Card]++
				t.corner = append(t.corner, far)
				if rest.Card < last {
					t.unordered++
					what = fmt.Sprintf("card %d after %d", rest.Card, last)
				} else if far > 3 {
					what = fmt.Sprintf("card %d outlined wrongly by %.1f mm", rest.Card, far)
				}
				last = rest.Card
			}
			if what != "" && s.pictures != "" {
				name := fmt.Sprintf("%s-%s-%07.2f.jpg", truth.Name, z.Name, g.Start.Seconds())
				if err := drawn(filepath.Join(s.pictures, name), g, rest); err != nil {
					t.errors = append(t.errors, err.Error())
				}
			}
			if what != "" && s.verbose {
				t.errors = append(t.errors, fmt.Sprintf("%.2f to %.2f %s frames %v: %s %s", g.Start.Seconds(), g.End.Seconds(), z.Name, g.Frames, what, near(truth, mid)))
			}
		}
		for _, c := range want {
			if count[c] == 0 {
				t.lost++
				for _, r := range truth.Rests {
					if r.Card == c && r.Zone == z.Name && s.verbose {
						t.errors = append(t.errors, fmt.Sprintf("%.2f to %.2f %s: card %d lost (%d clear frames) %s", r.From, r.To, z.Name, c, r.ClearFrames, near(truth, r.From)))
					}
				}
			}
		}
	}
	slices.Sort(t.errors)
}

// near names the events of the truth about a time.
func near(truth *visiontest.DealTruth, at float64) string {
	var s []string
	for _, e := range truth.Events {
		if math.Abs(e.At-at) < 1 {
			s = append(s, fmt.Sprintf("%s@%.2f", e.Kind, e.At))
		}
	}
	return strings.Join(s, " ")
}
