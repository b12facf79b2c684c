package sleeve

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fairdeck/internal/cv"
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
	d.dropUnplaced(in, res)
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
		p := &plate{input: i, view: v}
		for k, px := range in[i].Card.SigmaPx {
			p.sigmaMM[k] = px / v.SourcePxPerMM
		}
		d.plates = append(d.plates, p)
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
	d.report(res, known)
	d.reasons = nil
	parts, printed := d.designs()
	main := 0
	for i, part := range parts {
		if len(part) > len(parts[main]) {
			main = i
		}
	}
	parts, printed, main = d.dropStretched(parts, printed, main, res)
	for i, part := range parts {
		sub := d.subset(part)
		if i != main {
			// Which way up another design lies is a matter among its own.
			for _, p := range sub.plates {
				if p.turned {
					p.turned = false
					p.thumb.turn()
				}
			}
			known, _ := sub.orient()
			sub.report(res, known)
		}
		sub.printed = printed[i]
		if err := sub.compare(res); err != nil {
			return err
		}
	}
	if len(d.plates) >= minCompare {
		for i := range res.Groups {
			if len(parts) > 1 && !slices.Contains(res.Groups[i].Sleeves, d.plates[parts[main][0]].input) && res.Groups[i].What == "" {
				res.Groups[i].What = "design"
			}
		}
		nameGroups(res)
		warnAreas(res)
	} else {
		res.Groups = []Group{}
	}
	tellLost(res)
	return nil
}

// report writes the orientations into the result.
func (d *deck) report(res *Result, known bool) {
	for _, p := range d.plates {
		s := &res.Sleeves[p.input]
		s.OrientationKnown, s.TurnedDeg = known, 0
		if p.turned {
			s.TurnedDeg = 180
		}
	}
}

// subset is the same deck with some of its plates.
func (d *deck) subset(part []int) *deck {
	sub := &deck{ctx: d.ctx, opt: d.opt, w: d.w, h: d.h, px: d.px, source: d.source, margin: d.margin, wMM: d.wMM, hMM: d.hMM}
	for _, k := range part {
		sub.plates = append(sub.plates, d.plates[k])
	}
	return sub
}

// compare inspects sleeves of one design against each other.
func (d *deck) compare(res *Result) error {
	if err := d.load(); err != nil {
		return err
	}
	d.reasons = make([]byte, len(d.plates)*d.w*d.h)
	d.hueShift()
	all := make([]int, len(d.plates))
	for i := range all {
		all[i] = i
	}
	if len(d.plates) < minCompare {
		d.tooFew(res)
		return nil
	}
	o, t, err := d.settle()
	if err != nil {
		return err
	}
	if dropped, err := d.dropAstray(t, res); err != nil {
		return err
	} else if dropped {
		all = allOf(len(d.plates))
		if len(d.plates) < minCompare {
			d.tooFew(res)
			return nil
		}
		if o, err = d.consensusOf(all); err != nil {
			return err
		}
		t = d.newTemplate(o.mid)
	}
	d.radius = d.cornerRadius(t)
	d.table = d.tableColour(o)
	d.judgeSides(o)
	d.tableRim = d.tableRims(o)
	d.findMisplaced(o)
	d.warnMisplaced(res)
	d.warnUnsure(res)
	d.measureOuter()
	parts := d.batches()
	// The noise and the typical sleeve are the main batch's; the other
	// batches have typical sleeves of their own where they are many enough.
	if len(parts) > 1 {
		if o, err = d.consensusOf(parts[0]); err != nil {
			return err
		}
		t = d.newTemplate(o.mid)
	}
	b := d.newFilterBank(t, o, d.sleeveMask(d.radius))
	for i, part := range parts {
		mid := o.mid
		var main []int
		if i > 0 {
			main = parts[0]
			if len(part) >= minBatchConsensus {
				own, err := d.consensusOf(part)
				if err != nil {
					return err
				}
				mid = own.mid
			}
		}
		for _, k := range part {
			d.plates[k].batch = i
		}
		b.mids = append(b.mids, mid)
		b.labs = append(b.labs, labOfMid(mid))
		g := d.batchGroup(part, main)
		g.Consensus = consensusImage(d, mid)
		res.Groups = append(res.Groups, g)
	}
	if err := d.learnWhitening(b); err != nil {
		return err
	}
	d.learnLightDir(b)
	scans := make([]*scan, len(d.plates))
	if err := d.parallel(len(d.plates), func(k int) error {
		var err error
		scans[k], err = d.scan(b, k)
		return err
	}); err != nil {
		return err
	}
	if err := d.scanRim(b, scans); err != nil {
		return err
	}
	b.learnPlaces(scans)
	d.learnVeil(b, scans)
	b.judge(scans)
	for _, part := range parts {
		d.acceptShared(b, scans, part)
	}
	if len(b.shared) > 0 {
		// The typical sleeves have changed.
		for i, mid := range b.mids {
			b.labs[i] = labOfMid(mid)
		}
		for i := range parts {
			res.Groups[len(res.Groups)-len(parts)+i].Consensus = consensusImage(d, b.mids[i])
		}
	}
	for _, s := range scans {
		s.kept = nil
	}
	d.warnShared(b, res)
	if d.opt.probe != nil {
		d.opt.probe(d, b, scans)
	}
	// Of several designs the figure of the worst holds for the deck.
	if mm := d.smallestMarkMM(b); res.SmallestMarkMM == 0 || mm > res.SmallestMarkMM {
		res.SmallestMarkMM = mm
	}
	d.warnQuality(res)
	done := 0
	err = d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		s := &res.Sleeves[p.input]
		s.Aligned = &frame.Image{Width: d.w, Height: d.h, Pix: d.view(k)}
		d.findMarks(b, scans[k], k, s)
		d.describeAreas(b, k, s)
		if d.opt.Progress != nil {
			d.mu.Lock()
			done++
			d.opt.Progress(done, len(d.plates))
			d.mu.Unlock()
		}
		return nil
	})
	d.recallShared(res)
	d.excuseHairlines(res)
	return err
}

// tooFew says that the sleeves alike are too few to compare, and shows them.
func (d *deck) tooFew(res *Result) {
	res.Warnings = append(res.Warnings, Warning{Code: "too-few-to-compare", Text: fmt.Sprintf(
		"%d alike of the %d sleeves that a comparison needs at least: their marks cannot be told. Show more sleeves of this kind.", len(d.plates), minCompare)})
	for k, p := range d.plates {
		s := &res.Sleeves[p.input]
		s.Aligned = &frame.Image{Width: d.w, Height: d.h, Pix: d.view(k)}
	}
	if len(d.plates) > 0 {
		res.Groups = append(res.Groups, d.batchGroup(allOf(len(d.plates)), nil))
	}
}

// sortMarks puts the most visible first.
func (s *Sleeve) sortMarks() {
	slices.SortStableFunc(s.Marks, func(a, b Mark) int {
		if a.Visibility != b.Visibility {
			return b.Visibility.Rank() - a.Visibility.Rank()
		}
		if a.perceived > b.perceived {
			return -1
		}
		return 1
	})
}

func (d *deck) findMarks(b *filterBank, sc *scan, k int, s *Sleeve) {
	s.BelowLimit = d.belowLimit(b, sc)
	cand := append(d.candidates(b, sc, k), d.sharedCandidates(b, k)...)
	if len(cand) == 0 && !d.opt.KeepMaps {
		return
	}
	diff := d.labDifference(b, k)
	size := deltaE76Plane(&diff)
	for _, r := range d.regions(b, sc, k, cand, &diff) {
		if !r.fine {
			if why := d.lightLike(b, k, &r, false); why != reasonNone {
				for _, i := range r.pixels {
					d.reason(k)[i] = why
				}
				continue
			}
		}
		if why := d.covered(b, k, &r); why != reasonNone {
			for _, i := range r.pixels {
				d.reason(k)[i] = why
			}
			continue
		}
		sh := d.shapeOf(&r, size)
		m := d.mark(b, k, &r, sh, &diff)
		if d.rimGlare(b, k, &r, sh, &m) {
			for _, i := range r.pixels {
				d.reason(k)[i] = reasonGlare
			}
			continue
		}
		s.Marks = append(s.Marks, m)
		if m.Visibility.Rank() > s.Visibility.Rank() {
			s.Visibility = m.Visibility
		}
	}
	if slices.ContainsFunc(s.Marks, func(m Mark) bool { return m.slipped }) {
		// Where the print lies elsewhere in one place, it was stretched, and
		// what it leaves in other places need not look like a shift.
		s.Visibility = CameraOnly
		for i := range s.Marks {
			s.Marks[i].Visibility, s.Marks[i].asSeen = CameraOnly, CameraOnly
		}
	}
	s.sortMarks()
	s.DeltaE = make([]uint8, d.w*d.h)
	cv.DeltaEMap(b.labs[d.plates[k].batch], diff, s.DeltaE)
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

// minBatchConsensus is how many sleeves make a typical one of their own;
// fewer are compared with the main batch's, after light.
const minBatchConsensus = 5

func consensusImage(d *deck, mid []uint16) *frame.Image {
	m := frame.New(d.w, d.h)
	for i, v := range mid {
		m.Pix[i] = uint8((int(v) + 128) >> 8)
	}
	return m
}
