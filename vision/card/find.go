package card

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Options says what Find looks for. The zero value finds cards of any known
// size in a frame of an unknown camera.
type Options struct {
	// Size is the cards' outer size; zero: estimated among [KnownSizes].
	Size Size

	// Lens undoes the camera's distortion in the judgement of shapes. The
	// corners stay in pixels of the frame as it is. Zero: not known.
	Lens plane.Lens

	// PxPerMM is the resolution that cards have in this frame, from the
	// station's profile or other frames of the deck; 0: not known. Quads of
	// another scale (off by more than 8%) are not cards then.
	PxPerMM float64

	// SidesPx are the lengths, short and long, that the sides of this deck's
	// cards have in this frame, as [TypicalOf] other frames tells; zero: not
	// known. Where several lines may be a side, those of a card of that size
	// are likelier; a card that is clearly of another size, by up to 7%, is found
	// as it is.
	SidesPx [2]float64

	// Near are the quads in which cards of this deck lay in other frames of a
	// fixed camera, in pixels of the frame. They save time and change nothing
	// else: what is found there has been found as ever, further cards are
	// found, and where a card is missing the frame is searched without them.
	Near []plane.Quad

	// MaxCards stops the search at so many cards, best first; 0: 200.
	MaxCards int
}

// Result is what Find saw.
type Result struct {
	// Cards are in reading order, rows from the top and from the left. Those
	// with an Unusable reason are reported, not to be inspected.
	Cards []Detection `json:"cards"`

	// Warnings are remarks for the user on the frame as a whole.
	Warnings []string `json:"warnings,omitempty"`
}

// Usable returns the cards that can be inspected.
func (r Result) Usable() []Detection {
	var out []Detection
	for _, d := range r.Cards {
		if d.Unusable == "" {
			out = append(out, d)
		}
	}
	return out
}

const (
	searchLongPx    = 640 // long side of the level where cards are sought
	defaultMaxCards = 200
	maxLooks        = 2 // after the first, at a frame of many cards
)

// Find returns the cards of a frame. No card is a normal result, not an
// error. Errors are an empty or inconsistent picture, an impossible option,
// OpenCV's own, and the context's.
func Find(ctx context.Context, img *frame.Image, o Options) (Result, error) {
	if img.Empty() || !img.Valid() {
		return Result{}, fmt.Errorf("find cards: %w", errEmpty)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if o.MaxCards == 0 {
		o.MaxCards = defaultMaxCards
	}
	l, known, err := look{}, false, error(nil)
	if len(o.Near) > 0 {
		l, known, err = searchNear(ctx, img, o)
	}
	if err == nil && !known {
		l, err = search(ctx, img, o)
	}
	if err != nil {
		return Result{}, fmt.Errorf("find cards: %w", err)
	}
	view := newViewer(l.img.Width, l.img.Height, l.scale, o)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	res := Result{Cards: refine(img, l.level, l.chosen, view, o, 0)}
	for range maxLooks {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		again, trusted := l.complete(res.Cards, l.good)
		if trusted == 0 {
			break
		}
		res.Cards = refine(img, l.level, again, view, o, trusted)
	}
	sizeCards(res.Cards, view, l.level, o)
	slices.SortStableFunc(res.Cards, func(a, b Detection) int { return compare(b.Confidence, a.Confidence) })
	if len(res.Cards) > o.MaxCards {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d more cards than the %d asked for were left out", len(res.Cards)-o.MaxCards, o.MaxCards))
		res.Cards = res.Cards[:o.MaxCards]
	}
	readingOrder(res.Cards)
	return res, nil
}

// fits returns the test of a hypothesis's size against the expected
// resolution, or nil where none is known.
func (o Options) fits(scale float64) func(*hypothesis) bool {
	if o.SidesPx[0] > 0 && o.SidesPx[1] > 0 {
		return func(h *hypothesis) bool {
			short, long := sidesOf(h.quad)
			return withinShare(short*scale, o.SidesPx[0]) && withinShare(long*scale, o.SidesPx[1])
		}
	}
	if o.PxPerMM == 0 {
		return nil
	}
	sizes := KnownSizes()
	if o.Size.WidthMM > 0 {
		sizes = []Size{o.Size}
	}
	return func(h *hypothesis) bool {
		side := math.Sqrt(h.quad.Area()) * scale / o.PxPerMM
		return slices.ContainsFunc(sizes, func(s Size) bool {
			r := side / math.Sqrt(s.WidthMM*s.HeightMM)
			return r > 1/scaleSlack && r < scaleSlack
		})
	}
}

// withinShare reports whether a side of a hypothesis may be the expected one:
// seams and frames are 3 to 6% off and are told apart later.
func withinShare(side, expected float64) bool {
	return math.Abs(side-expected) < sideSlack*expected
}

const sideSlack = 0.07

// scaleSlack is how far a card's resolution may be from the expected one: tilt
// and lens make 8% over a frame.
const scaleSlack = 1.08

// A look is what a level of the frame shows: the hypotheses that were chosen
// and all that were good.
type look struct {
	*level
	chosen, good []hypothesis
}

// search looks at the frame at a reduced size. Small cards, as in a grid of
// many, and frames where nothing is found are looked at again with twice the
// pixels; so are cards that may be blocks of smaller ones, which give way only
// to at least twice as many.
func search(ctx context.Context, img *frame.Image, o Options) (look, error) {
	first, err := lookAt(ctx, img, o, searchLongPx)
	if err != nil || first.scale == 1 {
		return first, err
	}
	tiny := small(first.chosen)
	if !tiny && !first.blocks(first.chosen) {
		return first, nil
	}
	second, err := lookAt(ctx, img, o, 2*searchLongPx)
	if err != nil {
		return look{}, err
	}
	if n := len(second.chosen); tiny && n > 0 || n >= 2*len(first.chosen) && n > 0 {
		return second, nil
	}
	return first, nil
}

// lookAt proposes and chooses cards at one size of the frame.
func lookAt(ctx context.Context, img *frame.Image, o Options, long int) (look, error) {
	l, err := newLevel(img, long)
	if err != nil {
		return look{}, err
	}
	out := look{level: l}
	view := newViewer(l.img.Width, l.img.Height, l.scale, o)
	lines := joinSegments(l.segments(8))
	explained := 0.0
	for _, sl := range []slack{stationSlack, handSlack} {
		hs, err := l.propose(ctx, lines, view, sl)
		if err != nil {
			return look{}, err
		}
		good := l.weighAll(hs, o.fits(l.scale))
		if c, sum := l.chooseWhole(good, o.fits(l.scale)); sum > explained {
			out.chosen, out.good, explained = c, good, sum
		}
		if clear(out.chosen) {
			break
		}
	}
	return out, nil
}

// firstBatch is how many quads are weighed before the first choice. Frames of
// a plain table have fewer; the grain of wood makes thousands.
const firstBatch = 600

// weighAll returns the good ones of the quads, which come best covered first.
// Where a first batch shows cards beyond doubt, quads that reach into those
// are not looked at any more.
func (l *level) weighAll(hs []hypothesis, fits func(*hypothesis) bool) []hypothesis {
	first := min(len(hs), firstBatch)
	var good []hypothesis
	for i := range hs[:first] {
		if l.weigh(&hs[i], 1) {
			good = append(good, hs[i])
		}
	}
	good = distinct(good)
	if first == len(hs) {
		return good
	}
	var sure []candidate
	chosen, _ := l.chooseWhole(good, fits)
	for i := range chosen {
		if h := &chosen[i]; h.value() > sureValue && h.table < sureTable && !h.cut() {
			sure = append(sure, newCandidate(h))
		}
	}
	if len(sure) > maxSure {
		sure = nil
	}
rest:
	for i := range hs[first:] {
		h := &hs[first+i]
		c := candidate{hypothesis: h, side: math.Sqrt(h.quad.Area())}
		c.bounds()
		for k := range sure {
			if sure[k].clashes(&c) {
				continue rest
			}
		}
		if l.weigh(h, 1) {
			good = append(good, *h)
		}
	}
	return distinct(good)
}

// What is beyond doubt: nearly the greatest value there is, and no side with
// the table inside it.
const (
	sureValue = 0.9
	sureTable = 0.2
	// maxSure cards may rule out others: more are a grid, where two cards side by
	// side, or four, look like one.
	maxSure = 3
)

// clear reports whether the cards are beyond doubt, those of most of their
// area: rectangles that are not cards seldom have four good sides with one
// step all around.
func clear(hs []hypothesis) bool {
	sum, sure := 0.0, 0.0
	for i := range hs {
		a := math.Abs(hs[i].quad.Area())
		sum += a
		if hs[i].value() > 0.83 {
			sure += a
		}
	}
	return sure > 0 && 2*sure > sum
}

// blocks reports whether most of the quads look like two or four cards that
// touch: with a line across the middle. Their members may be too small for the
// level.
func (l *level) blocks(hs []hypothesis) bool {
	n := 0
	for i := range hs {
		q := hs[i].quad
		// Best of a few lines about the middle between two opposite sides.
		middle := func(a0, a1, b0, b1 plane.Point) float64 {
			best := 0.0
			for _, t := range []float64{0.46, 0.48, 0.5, 0.52, 0.54} {
				_, _, s := l.weighSide(a0.Add(a1.Sub(a0).Mul(t)), b0.Add(b1.Sub(b0).Mul(t)), 1)
				best = max(best, s.quality())
			}
			return best
		}
		long := middle(q[0], q[1], q[3], q[2])  // along the long sides
		short := middle(q[0], q[3], q[1], q[2]) // along the short sides
		if short > 0.6 || min(long, short) > 0.45 {
			n++
		}
	}
	return n > 0 && 2*n >= len(hs)
}

// small reports whether the cards are too small for the level that they were
// found at: below 90 px of width a sleeve's seam, 2 mm inside, is not resolved
// from its edge.
func small(hs []hypothesis) bool {
	if len(hs) == 0 {
		return true
	}
	var widths []float64
	for _, h := range hs {
		widths = append(widths, math.Sqrt(h.quad.Area()*midAspect))
	}
	slices.Sort(widths)
	return widths[len(widths)/2] < 90
}

// readingOrder sorts cards by rows from the top, each from the left. A row is
// what lies within half a card's height of its first card.
func readingOrder(cards []Detection) {
	slices.SortStableFunc(cards, func(a, b Detection) int { return compare(a.Corners.Centre().Y, b.Corners.Centre().Y) })
	for i := 0; i < len(cards); {
		first := cards[i].Corners
		j := i + 1
		for j < len(cards) && cards[j].Corners.Centre().Y-first.Centre().Y < 0.5*math.Sqrt(first.Area()) {
			j++
		}
		slices.SortStableFunc(cards[i:j], func(a, b Detection) int { return compare(a.Corners.Centre().X, b.Corners.Centre().X) })
		i = j
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
