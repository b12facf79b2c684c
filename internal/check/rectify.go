package check

import (
	"context"
	"fmt"
	"math"
	"sync"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// viewMarginMM is the table shown around a sleeve: enough for the shape of
// its rim and a ring of light around it.
const viewMarginMM = 2

// viewGeometry is shared by all views of a deck, so that equal pixels are
// equal places on every sleeve.
type viewGeometry struct {
	size    card.Size
	pxPerMM float64
	up      plane.Point // direction of the cards' long side in the frames; zero: no common one
}

// geometry chooses the common view: the most usual size, and about the median
// resolution of the deck.
func geometry(places []place, o Options) viewGeometry {
	g := viewGeometry{size: o.Size}
	if g.size.WidthMM == 0 {
		sizes := map[card.Size]int{}
		for i := range places {
			if places[i].unusable == "" {
				sizes[places[i].Size]++
			}
		}
		g.size = mostUsual(sizes)
	}
	var scales []float64
	var axis plane.Point
	n := 0.0
	for i := range places {
		p := &places[i]
		if p.unusable != "" {
			continue
		}
		q := p.toCrop.ApplyQuad(p.Corners)
		scales = append(scales, areaScale(q, g.size.WidthMM*g.size.HeightMM))
		// Directions without a sign are averaged at the doubled angle
		// (Mardia & Jupp 2000, Directional Statistics, 1.4).
		u := upward(p.Corners)
		a := 2 * math.Atan2(u.Y, u.X)
		axis = axis.Add(plane.Point{X: math.Cos(a), Y: math.Sin(a)})
		n++
	}
	if n == 0 {
		return g
	}
	g.pxPerMM = viewScale(median(scales))
	// Cards thrown down in all directions have no common one: a mean
	// resultant below one half is a spread of about 60 degrees.
	if axis.Norm()/n > 0.5 {
		a := math.Atan2(axis.Y, axis.X) / 2
		g.up = plane.Point{X: math.Cos(a), Y: math.Sin(a)}
		// Upwards in the picture, or to the left where it lies level.
		if g.up.Y > 0 || g.up.Y == 0 && g.up.X > 0 {
			g.up = g.up.Mul(-1)
		}
	}
	return g
}

// viewScale rounds a resolution to whole pixels per mm: up, but for the last
// 3%, which no mark is lost by. Rounding 6.05 px/mm up to 7 would make a third
// more pixels without anything in them.
func viewScale(pxPerMM float64) float64 {
	const within = 0.97
	return math.Ceil(within * pxPerMM)
}

// upward is the direction from the middle of a card's bottom to its top.
func upward(q plane.Quad) plane.Point {
	u := q[0].Add(q[1]).Sub(q[2]).Sub(q[3])
	return u.Mul(1 / max(u.Norm(), 1e-9))
}

// turn gives the card the half turn by which its top points the same way as
// the others', so that a card turned by hand differs from them.
func (g viewGeometry) turn(d *card.Detection) {
	if upward(d.Corners).Dot(g.up) < 0 {
		d.Corners = d.Corners.Turn(2)
		s := d.SigmaPx
		d.SigmaPx = [4]float64{s[2], s[3], s[0], s[1]}
	}
}

// rectify makes the views of the usable places, in order, and drops the crops.
func rectify(ctx context.Context, places []place, g viewGeometry, o Options) ([]sleeve.Input, error) {
	var which []int
	for i := range places {
		if places[i].unusable == "" {
			which = append(which, i)
		}
	}
	inputs := make([]sleeve.Input, len(which))
	errs := make([]error, len(which))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, o.Workers) {
		wg.Go(func() {
			for k := range next {
				inputs[k], errs[k] = view(&places[which[k]], g)
				mu.Lock()
				done++
				o.Progress(StageRectify, done, len(which))
				mu.Unlock()
			}
		})
	}
	for k := range which {
		if ctx.Err() != nil {
			break
		}
		next <- k
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
	return inputs, nil
}

func view(p *place, g viewGeometry) (sleeve.Input, error) {
	g.turn(&p.Detection)
	inCrop := p.Detection
	inCrop.Corners = p.toCrop.ApplyQuad(p.Corners)
	v, err := card.Rectify(p.crop, inCrop, card.RectifyOptions{Size: g.size, PxPerMM: g.pxPerMM, MarginMM: viewMarginMM})
	if err != nil {
		return sleeve.Input{}, fmt.Errorf("%s: %w", p.file, err)
	}
	toFrame, err := p.toCrop.Inverse()
	if err != nil {
		return sleeve.Input{}, fmt.Errorf("%s: %w", p.file, err)
	}
	v.ToFrame = toFrame.Mul(v.ToFrame)
	p.crop = nil
	return sleeve.Input{Name: fmt.Sprintf("sleeve %d (%s)", p.number, p.file), View: v, Card: p.Detection}, nil
}
