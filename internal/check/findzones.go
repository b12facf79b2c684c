package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
	"fairdeck/vision/settle"
)

const (
	// zoneLook is how much of a pass is looked at for its zones, and zoneStep
	// how often: at one card a second some ten cards go over the table.
	zoneLook = 12 * time.Second
	zoneStep = 250 * time.Millisecond
	// zoneLeast is in how many of those pictures a pile must be seen: a card
	// in flight is in one.
	zoneLeast = 4
	// zoneRoom is the share of the card's size that is added on every side:
	// piles grow towards the camera and cards are not laid down exactly.
	zoneRoom = 0.18
)

// FindZones looks for the two piles of a one-pass deal in its first seconds:
// the one that lies there first is the deck. It reads src to there and leaves
// it open. Without two piles there are no zones, which is no error.
func FindZones(ctx context.Context, src camera.Source, o Options) ([]settle.Zone, error) {
	type pile struct {
		first time.Duration
		seen  int
		quads []plane.Quad
		at    plane.Point
		size  float64
	}
	var piles []*pile
	var bounds image.Rectangle
	next := time.Duration(-1)
	for {
		f, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the two piles: %w", err)
		}
		if f.Time > zoneLook {
			break
		}
		if f.Time < next {
			continue
		}
		next = f.Time + zoneStep
		bounds = f.Image.Bounds()
		img, lens, _, err := o.ready(f.Image)
		if err != nil {
			return nil, err
		}
		res, err := card.Find(ctx, img, card.Options{Size: o.Size, Lens: lens})
		if err != nil {
			return nil, fmt.Errorf("looking for the two piles: %w", err)
		}
		for _, d := range res.Cards {
			if d.Unusable != "" {
				continue
			}
			mid := d.Corners.Centre()
			size := math.Sqrt(math.Abs(d.Corners.Area()))
			i := slices.IndexFunc(piles, func(p *pile) bool { return mid.Sub(p.at).Norm() < 0.4*p.size })
			if i < 0 {
				i = len(piles)
				piles = append(piles, &pile{first: f.Time, at: mid, size: size})
			}
			p := piles[i]
			p.seen++
			p.quads = append(p.quads, d.Corners)
		}
	}
	piles = slices.DeleteFunc(piles, func(p *pile) bool { return p.seen < zoneLeast })
	slices.SortStableFunc(piles, func(a, b *pile) int { return b.seen - a.seen })
	if len(piles) < 2 {
		return nil, nil
	}
	two := piles[:2]
	slices.SortStableFunc(two, func(a, b *pile) int { return cmp.Compare(a.first, b.first) })
	if two[0].first == two[1].first {
		return nil, nil // both lie there from the beginning: nobody can say which is the deck
	}
	var zones []settle.Zone
	for i, p := range two {
		lo, hi := p.quads[0][0], p.quads[0][0]
		for _, q := range p.quads {
			for _, c := range q {
				lo = plane.Point{X: min(lo.X, c.X), Y: min(lo.Y, c.Y)}
				hi = plane.Point{X: max(hi.X, c.X), Y: max(hi.Y, c.Y)}
			}
		}
		room := zoneRoom * p.size
		r := image.Rect(int(lo.X-room), int(lo.Y-room), int(hi.X+room)+1, int(hi.Y+room)+1).Intersect(bounds)
		zones = append(zones, settle.Zone{Name: []string{backZone, "face"}[i], Rect: r})
	}
	// Zones must not share a place: what lies between them is divided.
	a, b := &zones[0].Rect, &zones[1].Rect
	if both := a.Intersect(*b); !both.Empty() {
		if both.Dx() < both.Dy() {
			mid := (both.Min.X + both.Max.X) / 2
			left, right := a, b
			if a.Min.X > b.Min.X {
				left, right = b, a
			}
			left.Max.X, right.Min.X = mid, mid
		} else {
			mid := (both.Min.Y + both.Max.Y) / 2
			top, bottom := a, b
			if a.Min.Y > b.Min.Y {
				top, bottom = b, a
			}
			top.Max.Y, bottom.Min.Y = mid, mid
		}
	}
	return zones, nil
}
