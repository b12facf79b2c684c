package settle

import (
	"context"
	"fmt"
	"image"

	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// scout finds the zones where none are given: it watches the frame outside the
// zones that there are, and makes one round each card that comes to rest.
type scout struct {
	o     Options
	all   image.Rectangle
	run   *run
	last  *sketch // what was looked at last
	moved bool    // something moved before
}

const (
	// zoneGrow is how far a zone reaches beyond its first card on every side,
	// in widths of the card: a pile's scatter, and an arm's breadth.
	zoneGrow = 0.4

	// scoutMoving is how many cells of the whole picture are a movement.
	scoutMoving = 12

	// scoutCells is how many cells must have changed for another look.
	scoutCells = 30
)

// outside calls f for the cells that are in no zone, until it returns false.
func (c *scout) outside(s *sketch, places []*place, f func(i int) bool) {
	for y := range s.h {
		for x := range s.w {
			at := image.Pt(x*s.step+s.step/2, y*s.step+s.step/2)
			in := false
			for _, p := range places {
				in = in || at.In(p.rect)
			}
			if !in && !f(y*s.w+x) {
				return
			}
		}
	}
}

// step takes the next frame and returns the zones that it showed, with the
// run in which their cards came to rest.
func (c *scout) step(ctx context.Context, f *camera.Frame, s *sketch, m *motion, places []*place) ([]*place, error) {
	still := m != nil
	if still {
		n, limit := 0, m.limit()
		c.outside(s, places, func(i int) bool {
			if m.value[i] > limit {
				n++
			}
			return n < scoutMoving
		})
		still = n < scoutMoving
		c.moved = c.moved || !still
	}
	if !still {
		found, err := c.look(ctx, places)
		c.run = &run{frames: []*camera.Frame{f}, sketch: s, start: f.Time, end: f.Time}
		return found, err
	}
	r := c.run
	r.end, r.sketch = f.Time, s
	if r.judged {
		return nil, nil
	}
	r.unsteady = r.unsteady || m.factor > 1
	r.frames = append(r.frames, f)
	if len(r.frames) < c.o.frames() {
		return nil, nil
	}
	return c.look(ctx, places)
}

// look makes zones of the cards in the run.
func (c *scout) look(ctx context.Context, places []*place) ([]*place, error) {
	r := c.run
	if r == nil || r.judged || !r.quiet() {
		return nil, nil
	}
	r.judged = true
	defer func() { r.frames = r.frames[:1] }()
	if c.last != nil {
		n, g := 0, r.sketch.gain(c.last)
		c.outside(r.sketch, places, func(i int) bool {
			if changedCell(c.last, r.sketch, i, g) || abs(r.sketch.luma[i]-g*c.last.luma[i]) > 12 {
				n++
			}
			return n < scoutCells
		})
		if n < scoutCells {
			return nil, nil
		}
	}
	c.last = r.sketch
	s := r.average(c.all, c.all)
	found, err := card.Find(ctx, s.image, card.Options{Size: c.o.Size, Lens: c.o.Lens})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	var out []*place
	known := func(p plane.Point) bool {
		at := image.Pt(int(p.X), int(p.Y))
		for _, q := range places {
			if at.In(q.rect) {
				return true
			}
		}
		return false
	}
	for _, d := range found.Cards {
		if d.Unusable == unusableCut || d.Confidence < 0.5 || known(d.Corners.Centre()) {
			continue
		}
		p := &place{o: c.o}
		if r.unsteady {
			// The zone of a camera in a hand is all that it sees.
			p.rect = c.all
		} else {
			side := d.Corners.Sides()
			p.rect = quadBounds(d.Corners, zoneGrow*min(side[0], side[1])).Intersect(c.all)
			p.zone.Name = c.name(places)
		}
		p.zone.Rect = p.rect
		run := *r
		run.frames, run.judged = append([]*camera.Frame(nil), r.frames...), false
		p.run = &run
		places, out = append(places, p), append(out, p)
		if r.unsteady {
			break
		}
	}
	return out, nil
}

// name is "back" for a card that lay there before anything moved, as a deck
// does, and "face" for what comes to lie beside such a one.
func (c *scout) name(places []*place) string {
	switch {
	case len(places) == 0 && !c.moved:
		return "back"
	case len(places) == 1 && places[0].zone.Name == "back":
		return "face"
	case len(places) == 0:
		return ""
	}
	return fmt.Sprintf("zone %d", len(places)+1)
}
