package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// picture is what is kept of a picture once it has been looked at.
type picture struct {
	path   string
	err    error // could not be read
	twin   int   // index of an earlier picture with the same bytes, or -1
	source record.Source
	notes  []camera.Note
	cards  []found
	hints  []string // the finder's remarks
	other  bool     // the profile is not for pictures of this size
	decode time.Duration
	find   time.Duration
}

// found is a card with the pixels around it.
type found struct {
	card.Detection
	crop   *frame.Image     // nil when the card is not usable
	toCrop plane.Homography // frame pixels to crop pixels
	blurMM float64          // standard deviation of the edge's blur; NaN not known
}

// cropMarginMM is the table kept around a card: the view's own margin, and
// room for a bicubic kernel.
const cropMarginMM = viewMarginMM + 1

// look finds the cards of every picture, and records sources, problems and
// warnings in their order.
func look(ctx context.Context, files *camera.Files, o Options, c draft) ([]picture, error) {
	pics := make([]picture, len(files.Paths))
	l := &looker{o: o, pics: pics, total: len(pics)}
	// The first picture with a card fixes by how much large pictures are
	// reduced, the same for all; then the rest go in parallel.
	todo := make([]int, 0, len(pics))
	for i := range pics {
		if l.reduce != 0 {
			todo = append(todo, i)
			continue
		}
		if err := l.run(ctx, files, []int{i}, card.Options{Size: o.Size}, StageRead); err != nil {
			return nil, err
		}
		for _, f := range pics[i].cards {
			if f.Unusable == "" {
				l.reduce = reduction(f.PxPerMM)
				crop := &pics[i].cards
				for k := range *crop {
					(*crop)[k].shrink(l.reduce)
				}
				break
			}
		}
	}
	l.reduce = max(1, l.reduce)
	// The first pictures say where the cards lie, the rest is looked at there
	// first. They are the same whatever the number of workers.
	first := min(len(todo), max(0, usualOf-(len(pics)-len(todo))))
	if err := l.run(ctx, files, todo[:first], card.Options{Size: o.Size}, StageRead); err != nil {
		return nil, err
	}
	how := card.Options{Size: o.Size, Near: usualQuads(pics[:len(pics)-len(todo)+first])}
	if err := l.run(ctx, files, todo[first:], how, StageRead); err != nil {
		return nil, err
	}
	if err := l.again(ctx, files); err != nil {
		return nil, err
	}
	twins(pics)
	for i := range pics {
		p := &pics[i]
		c.Timings.Decode += p.decode.Seconds()
		c.Timings.Find += p.find.Seconds()
		var e *camera.Error
		switch {
		case errors.As(p.err, &e):
			c.problem(inputProblem(e))
			continue
		case p.err != nil:
			return nil, fmt.Errorf("%s: %w", p.path, p.err)
		}
		p.source.Cards, p.source.Part = len(p.cards), c.part
		c.Sources = append(c.Sources, p.source)
		for _, n := range p.notes {
			c.warn("picture", n.Path, n.Text)
		}
		if p.other {
			c.warnForeign(o, &p.source)
		}
		for _, h := range p.hints {
			c.warn("frame", p.path, h)
		}
		if p.twin >= 0 {
			c.warn("same-picture", p.path, "byte for byte the same picture as "+pics[p.twin].path+": used once")
		}
	}
	return pics, nil
}

// maxViewPxPerMM bounds the resolution at which sleeves are compared: at 20
// px/mm a 0.1 mm dot, the least that a person sees at all, has two pixels,
// and 60 views take 480 MB.
const maxViewPxPerMM = 20

// reduction is by what whole number a picture's pixels are averaged.
func reduction(pxPerMM float64) int { return max(1, int(math.Ceil(pxPerMM/maxViewPxPerMM))) }

type looker struct {
	o      Options
	pics   []picture
	reduce int // 0: not known yet

	mu          sync.Mutex
	done, total int
}

// run looks at some of the pictures. A second look replaces the first one's
// cards only when it finds something.
func (l *looker) run(ctx context.Context, files *camera.Files, which []int, how card.Options, stage Stage) error {
	if len(which) == 0 {
		return nil
	}
	part := &camera.Files{}
	for _, i := range which {
		part.Paths = append(part.Paths, files.Paths[i])
	}
	return part.Each(ctx, l.o.Workers, func(k int, f *camera.Frame, decode time.Duration, err error) error {
		p := &l.pics[which[k]]
		p.path, p.err, p.twin, p.decode = part.Paths[k], err, -1, p.decode+decode
		if err == nil {
			p.source = record.Source{
				File: f.Path, Format: string(f.Format), WidthPx: f.Image.Width, HeightPx: f.Image.Height,
				Bytes: f.Bytes, SHA256: f.SHA256,
			}
			p.notes = f.Notes
			start := time.Now()
			img, lens, other, err := l.o.ready(f.Image)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			how := how // several pictures are looked at at once
			p.other, how.Lens = other, lens
			res, err := card.Find(ctx, img, how)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			if stage == StageRead || usable(res.Cards) > 0 {
				p.keep(img, res, l.reduce)
			}
			p.find += time.Since(start)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.done++
		l.o.Progress(stage, l.done, l.total)
		return nil
	})
}

// again searches pictures without a usable card, and single cards whose scale
// is not the deck's, once more at the deck's scale. A glance that took a
// sleeve's inner frame for its rim is put right here.
func (l *looker) again(ctx context.Context, files *camera.Files) error {
	var scales []float64
	sizes := map[card.Size]int{}
	for i := range l.pics {
		for _, f := range l.pics[i].cards {
			if f.Unusable == "" {
				sizes[f.Size]++
				scales = append(scales, areaScale(f.Corners, 1))
			}
		}
	}
	// A scale that few pictures agree on is no prior.
	if len(scales) < 3 || 2*len(scales) < len(l.pics) {
		return nil
	}
	root := median(scales) // of the area in px
	size := mostUsual(sizes)
	var which []int
	for i := range l.pics {
		p := &l.pics[i]
		if p.err != nil {
			continue
		}
		n, off := 0, false
		for _, f := range p.cards {
			if f.Unusable == "" {
				n++
				// Find's own tolerance is 8%; half of it is well beyond the
				// scatter of one camera over one table.
				off = off || math.Abs(math.Log(areaScale(f.Corners, 1)/root)) > 0.04
			}
		}
		if n == 0 || n == 1 && off {
			which = append(which, i)
		}
	}
	l.done, l.total = 0, len(which)
	return l.run(ctx, files, which, card.Options{Size: size, PxPerMM: root / math.Sqrt(size.WidthMM*size.HeightMM)}, StageAgain)
}

// areaScale is the resolution at which a card of area2 mm² fills a quad.
func areaScale(q plane.Quad, area2 float64) float64 { return math.Sqrt(math.Abs(q.Area()) / area2) }

func mostUsual(sizes map[card.Size]int) card.Size {
	var best card.Size
	for s, n := range sizes {
		// The order of a map is not fixed: equal counts go to the wider.
		if n > sizes[best] || n == sizes[best] && s.WidthMM > best.WidthMM {
			best = s
		}
	}
	return best
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func usable(cards []card.Detection) (n int) {
	for i := range cards {
		if cards[i].Unusable == "" {
			n++
		}
	}
	return n
}

// keep cuts the cards out of a frame.
func (p *picture) keep(img *frame.Image, res card.Result, reduce int) {
	p.cards, p.hints = nil, res.Warnings
	for _, d := range res.Cards {
		f := found{Detection: d, blurMM: math.NaN()}
		if d.Unusable == "" {
			f.cut(img)
			f.blurMM = edgeBlur(f.crop, f.toCrop.ApplyQuad(d.Corners)) / d.PxPerMM
			if reduce > 1 {
				f.shrink(reduce)
			}
		}
		p.cards = append(p.cards, f)
	}
}

// twins marks pictures whose file has the same bytes as an earlier one.
func twins(pics []picture) {
	first := map[string]int{}
	for i := range pics {
		p := &pics[i]
		p.twin = -1
		if p.err != nil {
			continue
		}
		if j, again := first[p.source.SHA256]; again {
			p.twin = j
		} else {
			first[p.source.SHA256] = i
		}
	}
}
