package check

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/settle"
)

// Deal collects the sightings of a pass for a check: the deck's backs, dealt
// one at a time.
//
//	capture.Run ──Look──▶ Deal: the card cut out, measured, or a reason to
//	                       │    deal it again
//	                       └──Check──▶ the same as [Run] makes of pictures
//
// Of each frame only the card is kept.
type Deal struct {
	o      Options
	seen   []dealt
	reduce int // 0: not known yet
	kept   int // sightings with their picture
}

// dealt is one sighting.
type dealt struct {
	zone   string
	size   [2]int // of the frame, px
	reason string // why it cannot be compared
	found
}

// NewDeal begins a deal. Patterns and Parts of the options are not used.
func NewDeal(o Options) *Deal { return &Deal{o: o.withDefaults()} }

// withDefaults fills in what Run documents.
func (o Options) withDefaults() Options {
	o.FalseAlarmRate = cmp.Or(o.FalseAlarmRate, defaultFalseAlarmRate)
	o.ViewingDistanceMM = cmp.Or(o.ViewingDistanceMM, defaultViewingDistanceMM)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Progress == nil {
		o.Progress = func(Stage, int, int) {}
	}
	return o
}

// Look takes the next sighting; number is from 1 and ascending. It returns
// why the card cannot be compared, so that it can be dealt again at once, or
// nothing.
func (d *Deal) Look(number int, s *settle.Sighting) (reason string) {
	if d.kept >= camera.MaxPictures {
		return fmt.Sprintf("more than %d cards: one check is of one deck", camera.MaxPictures)
	}
	for len(d.seen) < number {
		d.seen = append(d.seen, dealt{})
	}
	t := &d.seen[number-1]
	t.zone, t.size = s.Zone, [2]int{s.Image.Width, s.Image.Height}
	t.Detection = s.Detection
	if t.reason = s.Detection.Unusable; t.reason != "" {
		return t.reason
	}
	// The sighting's picture is a crop of the frame.
	img := s.Image
	if d.o.Profile != nil {
		// The frame's size is the profile's: the caller compared them when the
		// source was opened.
		img = d.o.Profile.ApplyFlatCrop(img, s.Origin)
	}
	origin := plane.Point{X: float64(s.Origin.X), Y: float64(s.Origin.Y)}
	toImage := plane.Homography{1, 0, -origin.X, 0, 1, -origin.Y, 0, 0, 1}
	if last := d.roots(number-1-fitLast, number-1); len(last) >= fitLeast && misfits(t.root(), last) && !t.refit(img, toImage, median(last)) {
		t.reason = unusableMisfit
		return t.reason
	}
	inImage := found{Detection: t.Detection}
	inImage.Corners = toImage.ApplyQuad(t.Corners)
	inImage.cut(img)
	t.crop, t.toCrop = inImage.crop, inImage.toCrop.Mul(toImage)
	t.blurMM = edgeBlur(t.crop, t.toCrop.ApplyQuad(t.Corners)) / t.PxPerMM
	// On a pile the cards below widen the rim of the top one on most sides, and
	// nothing narrows an edge: where the settler measured a sharper side, that
	// is the blur.
	if s.SharpnessPx > 0 && s.SharpnessPx/t.PxPerMM < t.blurMM {
		t.blurMM = s.SharpnessPx / t.PxPerMM
	}
	if t.reason = tooPoor(t.found); t.reason != "" {
		t.crop = nil
		return t.reason
	}
	if d.reduce == 0 {
		d.reduce = reduction(t.PxPerMM)
	}
	t.shrink(d.reduce)
	d.kept++
	return ""
}

// Glance is Look for a sighting that is not kept.
func Glance(s *settle.Sighting) (reason string) { return NewDeal(Options{}).Look(1, s) }

// SetProgress replaces the options' Progress.
func (d *Deal) SetProgress(f func(stage Stage, done, total int)) { d.o.Progress = f }

// SightingDir is the folder of the pictures, beside the check.
const SightingDir = "sightings"

// SightingFile is the name of the picture of the deck's card n, from 1.
func SightingFile(n int) string { return fmt.Sprintf("%s/%03d.png", SightingDir, n) }

// Dealt is a check of a deal and what belongs to it.
type Dealt struct {
	Check    *record.Check
	Evidence *record.Evidence

	// Pictures are the cards as they were compared, PNG, in the order of the
	// check's sources, whose names they bear.
	Pictures [][]byte
}

// NothingSeenError is a pass without a card that could be compared.
type NothingSeenError struct{ Problems []record.Problem }

func (e *NothingSeenError) Error() string { return list("no card was seen", e.Problems) }

// Check compares the sightings whose numbers are given, in that order, and
// says how the pass went. The error is ctx's, a *[NothingSeenError], or a
// fault of ours.
func (d *Deal) Check(ctx context.Context, numbers []int, pass *record.Capture) (*Dealt, error) {
	start := time.Now()
	o := d.o
	c := newCheck(o)
	texts, err := locale.Load()
	if err != nil {
		return nil, err
	}
	c.Capture = pass
	tellPass(c, pass)
	part, pictures, err := d.part(ctx, numbers, c)
	if err != nil {
		return nil, err
	}
	if len(pictures) == 0 {
		if pass.Again == 0 {
			c.problem(record.Problem{
				Code: "no-sighting", Text: "no card lay still in view",
				Remedy: "lay the cards down one at a time, and take the hand away for a moment",
			})
		}
		return nil, &NothingSeenError{c.Problems}
	}
	c.Verdict.Count.Sleeves = part.number
	evidence, err := compare(ctx, []*deckPart{part}, o, c, texts.For(locale.English))
	if err != nil {
		return nil, err
	}
	c.Timings.Total = finite(time.Since(start).Seconds())
	c.Timings.Inspect = finite(c.Timings.Inspect)
	c.Normalise()
	return &Dealt{c.Check, evidence, pictures}, nil
}

// part is the deck: a place for each number.
func (d *Deal) part(ctx context.Context, numbers []int, c draft) (*deckPart, [][]byte, error) {
	p := &deckPart{number: len(numbers)}
	p.layout = record.Layout{Kind: string(OnePerFrame), By: "user", Text: "The cards were dealt one at a time: the order in which they were seen is the deck's."}
	c.Layout = p.layout
	p.cards = record.Cards{Min: len(numbers), Max: len(numbers), By: record.CountedByPictures}
	var crops []*frame.Image
	for i, n := range numbers {
		if n < 1 || n > len(d.seen) || d.seen[n-1].crop == nil {
			return nil, nil, fmt.Errorf("check: sighting %d was asked for and is not one that can be compared", n)
		}
		t := &d.seen[n-1]
		pl := place{number: i + 1, file: SightingFile(i + 1), card: 1, found: t.found}
		if around := d.around(numbers, i); len(around) >= fitLeast && misfits(t.root(), around) {
			if t.refit(t.crop, t.toCrop, median(around)) {
				pl.found = t.found
			} else {
				pl.unusable = unusableMisfit
			}
		}
		p.places = append(p.places, pl)
		crops = append(crops, t.crop)
	}
	tellMisfits(c, p.places)
	pictures, err := encodePNGs(ctx, crops, d.o.Workers)
	if err != nil {
		return nil, nil, err
	}
	for i, data := range pictures {
		m := crops[i]
		c.Sources = append(c.Sources, record.Source{
			File: SightingFile(i + 1), Format: "png", WidthPx: m.Width, HeightPx: m.Height, Bytes: int64(len(data)), SHA256: sumHex(data), Cards: 1,
		})
	}
	return p, pictures, nil
}

// encodePNGs compresses pictures without loss, several at once.
func encodePNGs(ctx context.Context, images []*frame.Image, workers int) ([][]byte, error) {
	out := make([][]byte, len(images))
	errs := make([]error, len(images))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, workers) {
		wg.Go(func() {
			for i := range next {
				// Level 1: a tenth larger than 9, in a fifth of the time.
				out[i], errs[i] = cv.EncodePNG(images[i], 1)
			}
		})
	}
	for i := range images {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
