package calibrate

import (
	"context"
	"fmt"
	"slices"

	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// ZoneOptions of finding zones; the zero value names the cards in reading
// order back, face, edge.
type ZoneOptions struct {
	Names    []string   // of the cards in reading order; empty: back, face, edge
	MarginMM float64    // around the card; zero: 20, a hand's inaccuracy in dealing
	Size     card.Size  // of the cards; zero: estimated
	Lens     plane.Lens // zero: straight
}

// FindZones makes a zone around each card of a picture in which one card lies
// at each place. Zones that would reach out of the frame end at its rim; zones
// that would overlap share the space between their cards.
func FindZones(ctx context.Context, img *frame.Image, o ZoneOptions) ([]Zone, error) {
	names := o.Names
	if len(names) == 0 {
		names = ZoneNames()
	}
	if o.MarginMM == 0 {
		o.MarginMM = 20
	}
	res, err := card.Find(ctx, img, card.Options{Size: o.Size, Lens: o.Lens})
	if err != nil {
		return nil, err
	}
	cards := res.Usable()
	switch {
	case len(cards) == 0:
		return nil, &Rejected{Reason: NoCard, Text: "no card is seen", Remedy: "lay one card where the deck will lie and one where cards are dealt to"}
	case len(cards) > len(names):
		return nil, &Rejected{Reason: NoCard, Text: fmt.Sprintf("%d cards are seen, for %d zones", len(cards), len(names)), Remedy: "leave one card at each place and take the others off the table"}
	case len(o.Names) > 0 && len(cards) < len(names):
		return nil, &Rejected{Reason: NoCard, Text: fmt.Sprintf("%d cards are seen, for %d zones", len(cards), len(names)), Remedy: "lay one card at each place, flat and wholly in view"}
	}
	var out []Zone
	for i, d := range cards {
		z := Zone{Name: names[i]}
		rect := plane.Rect(0, 0, d.Size.WidthMM, d.Size.HeightMM)
		h, err := plane.QuadToQuad(rect, d.Corners)
		if err != nil {
			return nil, err
		}
		m := o.MarginMM
		z.Corners = upright(h.ApplyQuad(plane.Rect(-m, -m, d.Size.WidthMM+2*m, d.Size.HeightMM+2*m)))
		out = append(out, z)
	}
	share(out, cards)
	for i := range out {
		out[i].Corners = inside(out[i].Corners, img.Width, img.Height)
	}
	return out, validZones(out, img.Width, img.Height)
}

// upright is the box around a quadrilateral: a zone is a region of the frame,
// whatever way the card lies in it.
func upright(q plane.Quad) plane.Quad {
	x0, y0, x1, y1 := q[0].X, q[0].Y, q[0].X, q[0].Y
	for _, p := range q {
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	return plane.Rect(x0, y0, x1-x0, y1-y0)
}

func inside(q plane.Quad, width, height int) plane.Quad {
	for i := range q {
		q[i].X = min(max(q[i].X, 0), float64(width-1))
		q[i].Y = min(max(q[i].Y, 0), float64(height-1))
	}
	return q
}

// share cuts boxes that overlap half way between their cards, along the axis
// on which the cards are farther apart.
func share(zones []Zone, cards []card.Detection) {
	box := func(d card.Detection) plane.Quad { return upright(d.Corners) }
	for i := range zones {
		for j := range i {
			a, b := &zones[i].Corners, &zones[j].Corners
			if a.Overlap(*b) == 0 {
				continue
			}
			ca, cb := box(cards[i]), box(cards[j])
			gapX := max(ca[0].X-cb[2].X, cb[0].X-ca[2].X)
			gapY := max(ca[0].Y-cb[2].Y, cb[0].Y-ca[2].Y)
			if gapX >= gapY {
				if ca[0].X > cb[0].X {
					cutX(b, a, (ca[0].X+cb[2].X)/2)
				} else {
					cutX(a, b, (cb[0].X+ca[2].X)/2)
				}
			} else if ca[0].Y > cb[0].Y {
				cutY(b, a, (ca[0].Y+cb[2].Y)/2)
			} else {
				cutY(a, b, (cb[0].Y+ca[2].Y)/2)
			}
		}
	}
}

func cutX(left, right *plane.Quad, x float64) {
	left[1].X, left[2].X = min(left[1].X, x), min(left[2].X, x)
	right[0].X, right[3].X = max(right[0].X, x), max(right[3].X, x)
}

func cutY(above, below *plane.Quad, y float64) {
	above[2].Y, above[3].Y = min(above[2].Y, y), min(above[3].Y, y)
	below[0].Y, below[1].Y = max(below[0].Y, y), max(below[1].Y, y)
}

// SetZone adds a zone to the profile or replaces the one of its name.
func (p *Profile) SetZone(z Zone) error {
	zones := slices.DeleteFunc(slices.Clone(p.Zones), func(o Zone) bool { return o.Name == z.Name })
	zones = append(zones, z)
	slices.SortFunc(zones, func(a, b Zone) int {
		return slices.Index(ZoneNames(), a.Name) - slices.Index(ZoneNames(), b.Name)
	})
	if err := validZones(zones, p.WidthPx, p.HeightPx); err != nil {
		return err
	}
	p.Zones = zones
	return nil
}
