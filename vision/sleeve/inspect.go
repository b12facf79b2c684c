package sleeve

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// defaults fills the zero values.
func (o Options) defaults() Options {
	if !(o.FalseAlarmRate > 0) || o.FalseAlarmRate >= 1 {
		o.FalseAlarmRate = 0.01
	}
	if !(o.ViewingDistanceMM > 0) {
		o.ViewingDistanceMM = 400
	}
	return o
}

// minCompare is the least number of sleeves that a consensus can rest on: of
// two that differ, either may be the marked one.
const minCompare = 3

// Inspect compares the sleeves of a deck. Inputs that cannot be compared get
// a reason in Sleeve.Unusable; decks too small to compare get a warning and
// no marks. The error is the context's, or OpenCV's.
//
// The result is the same for the same inputs whatever Options.Workers is.
func Inspect(ctx context.Context, in []Input, opt Options) (*Result, error) {
	opt = opt.defaults()
	res := &Result{
		Sleeves: make([]Sleeve, len(in)), Groups: []Group{}, Warnings: []Warning{},
		FalseAlarmRate: opt.FalseAlarmRate,
	}
	for i := range res.Sleeves {
		res.Sleeves[i].Marks, res.Sleeves[i].NotInspected = []Mark{}, []Area{}
	}
	d := newDeck(ctx, in, opt, res)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(d.plates) == 0 {
		return res, nil
	}
	res.PxPerMM, res.MarginMM = d.px, d.margin
	if err := d.inspect(res); err != nil {
		return nil, fmt.Errorf("comparing %d sleeves: %w", len(d.plates), err)
	}
	return res, nil
}

// newDeck takes the views that agree in size; the others are marked unusable.
func newDeck(ctx context.Context, in []Input, opt Options, res *Result) *deck {
	type size struct {
		w, h       int
		px, margin float64
	}
	sizeOf := func(i int) size {
		v := in[i].View
		return size{v.Image.Width, v.Image.Height, v.PxPerMM, v.MarginMM}
	}
	count := map[size]int{}
	var best size
	for i := range in {
		if why := viewFault(in[i]); why != "" {
			res.Sleeves[i].Unusable = why
			continue
		}
		s := sizeOf(i)
		if count[s]++; count[s] > count[best] {
			best = s
		}
	}
	d := &deck{ctx: ctx, opt: opt, w: best.w, h: best.h, px: best.px, margin: best.margin}
	for i := range in {
		if res.Sleeves[i].Unusable != "" {
			continue
		}
		if s := sizeOf(i); s != best {
			res.Sleeves[i].Unusable = fmt.Sprintf("the view is %d x %d pixels at %g px/mm where the deck's are %d x %d at %g: rectify all sleeves alike", s.w, s.h, s.px, best.w, best.h, best.px)
			continue
		}
		v := in[i].View
		if len(d.plates) == 0 {
			d.wMM, d.hMM, d.source = v.WidthMM, v.HeightMM, v.SourcePxPerMM
		}
		d.source = math.Min(d.source, v.SourcePxPerMM)
		d.plates = append(d.plates, &plate{input: i, view: v})
	}
	return d
}

func (d *deck) inspect(res *Result) error {
	err := d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		p.thumb = newThumb(p.view.Image, d.px, d.margin)
		p.tone = sleeveTone(p.thumb, d.wMM, d.hMM)
		return nil
	})
	if err != nil {
		return err
	}
	d.exposures()
	if err := d.parallel(len(d.plates), func(k int) error {
		d.plates[k].thumb.toLab(d.plates[k].gain)
		return nil
	}); err != nil {
		return err
	}
	known, _ := d.orient()
	for _, p := range d.plates {
		s := &res.Sleeves[p.input]
		s.OrientationKnown = known
		if p.turned {
			s.TurnedDeg = 180
		}
	}
	if err := d.load(); err != nil {
		return err
	}
	d.reasons = make([]byte, len(d.plates)*d.w*d.h)
	if len(d.plates) < minCompare {
		res.Warnings = append(res.Warnings, Warning{Code: "too-few-to-compare", Text: fmt.Sprintf(
			"%d of the %d sleeves that a comparison needs at least: no marks can be told. Show more sleeves of the deck.", len(d.plates), minCompare)})
		for k, p := range d.plates {
			s := &res.Sleeves[p.input]
			s.Aligned = &frame.Image{Width: d.w, Height: d.h, Pix: d.view(k)}
		}
		return nil
	}
	// Two rounds: see settle.
	o, t, err := d.settle(2)
	if err != nil {
		return err
	}
	d.radius = d.cornerRadius(t)
	d.table = d.tableColour(o)
	b := d.newFilterBank(t, o, d.sleeveMask(d.radius))
	b.lab = labOfMid(o.mid)
	if err := d.learnWhitening(b); err != nil {
		return err
	}
	scans := make([]*scan, len(d.plates))
	if err := d.parallel(len(d.plates), func(k int) error {
		scans[k] = d.scan(b, k)
		return nil
	}); err != nil {
		return err
	}
	b.learnPlaces(scans)
	b.judge(scans, d.opt.FalseAlarmRate)
	done := 0
	if err := d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		s := &res.Sleeves[p.input]
		s.Inspected = 1
		s.Aligned = &frame.Image{Width: d.w, Height: d.h, Pix: d.view(k)}
		d.findMarks(b, scans[k], k, s)
		if d.opt.Progress != nil {
			d.mu.Lock()
			done++
			d.opt.Progress(done, len(d.plates))
			d.mu.Unlock()
		}
		return nil
	}); err != nil {
		return err
	}
	d.groups(res, o)
	return nil
}

func (d *deck) findMarks(b *filterBank, sc *scan, k int, s *Sleeve) {
	cand := d.candidates(b, sc)
	if len(cand) == 0 {
		return
	}
	diff := d.labDifference(b, k)
	size := deltaE76Plane(&diff)
	for _, r := range d.regions(b, sc, k, cand, &diff) {
		m := d.mark(b, k, &r, &diff, size)
		s.Marks = append(s.Marks, m)
		if m.Visibility.Rank() > s.Visibility.Rank() {
			s.Visibility = m.Visibility
		}
	}
	slices.SortStableFunc(s.Marks, func(a, b Mark) int {
		if a.Visibility != b.Visibility {
			return b.Visibility.Rank() - a.Visibility.Rank()
		}
		if a.perceived > b.perceived {
			return -1
		}
		return 1
	})
	s.DeltaE = make([]uint8, d.w*d.h)
	for i := range s.DeltaE {
		if size[i] > 0 {
			s.DeltaE[i] = uint8(math.Min(255, math.Round(10*b.deltaE(&diff, i))))
		}
	}
}

// tableColour is the median code of the consensus's margin, B G R.
func (d *deck) tableColour(o *order) (c [3]float64) {
	var v [3][]float64
	for y := 0; y < d.h; y += 2 {
		for x := 0; x < d.w; x += 2 {
			p := d.placeMM(float64(x), float64(y))
			if d.insetMM(p.X, p.Y, 0) < -0.5 {
				for k := range v {
					v[k] = append(v[k], float64(o.mid[3*(y*d.w+x)+k])/256)
				}
			}
		}
	}
	for k := range c {
		c[k] = median(v[k])
	}
	return c
}

// groups names the batches.
func (d *deck) groups(res *Result, o *order) {
	g := Group{Name: "A", Consensus: consensusImage(d, o)}
	var l [3][]float64
	for i := 0; i < d.w*d.h; i += 5 {
		lab := colour.ToLab(linearFraction(o.mid[3*i+2]), linearFraction(o.mid[3*i+1]), linearFraction(o.mid[3*i]))
		l[0], l[1], l[2] = append(l[0], lab.L), append(l[1], lab.A), append(l[2], lab.B)
	}
	g.Colour = colour.Lab{L: median(l[0]), A: median(l[1]), B: median(l[2])}
	for _, p := range d.plates {
		g.Sleeves = append(g.Sleeves, p.input)
	}
	res.Groups = append(res.Groups, g)
}

func consensusImage(d *deck, o *order) *frame.Image {
	m := frame.New(d.w, d.h)
	for i, v := range o.mid {
		m.Pix[i] = uint8((int(v) + 128) >> 8)
	}
	return m
}
