package check

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"fairdeck/calibrate"
	"fairdeck/vision/settle"
)

// WholeFrame is the name by which [DealZone] is asked for no zone at all.
const WholeFrame = "frame"

// backZone is where the deck's backs are seen, whichever way it is dealt: the
// top of the face-down deck before it is turned, or the pile of backs.
const backZone = "back"

// DealZone is where a pass looks for the deck's backs: exactly one zone of the
// profile, or none, which is the whole frame.
//
// Without a name it is the back zone. Backs are seen there in every way of
// dealing: as the top of the deck that is dealt from, and as the pile that is
// dealt to. The other zones are left out even where they show backs, too: a
// card that went from one zone to the other would be two. A profile without a
// back zone, or none, leaves the whole frame.
//
// name is one of the profile's zones in which backs can be dealt, or
// [WholeFrame]; one that the profile has not is an error that says which there
// are.
func DealZone(p *calibrate.Profile, name string) ([]settle.Zone, error) {
	if name == WholeFrame {
		return nil, nil
	}
	var names []string
	if p != nil {
		for _, z := range p.Zones {
			names = append(names, z.Name)
		}
	}
	asked := name
	if asked == "" {
		asked = backZone
	}
	i := slices.Index(names, asked)
	switch {
	case asked == "edge":
		return nil, fmt.Errorf("in the zone %q the deck's sides are seen; backs are dealt in another", asked)
	case i < 0 && name == "":
		return nil, nil
	case i < 0 && p == nil:
		return nil, fmt.Errorf("the zone %q is not known without a profile: make one with fairdeck calibrate zones, or give --zone %s", asked, WholeFrame)
	case i < 0:
		has := "none"
		if len(names) > 0 {
			has = strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("the profile has no zone %q; it has: %s", asked, has)
	}
	return []settle.Zone{{Name: asked, Rect: zoneRect(p, i)}}, nil
}

// zoneRect is the box of whole pixels around a zone, inside the frame.
func zoneRect(p *calibrate.Profile, i int) image.Rectangle {
	c := p.Zones[i].Corners
	x0, y0, x1, y1 := c[0].X, c[0].Y, c[0].X, c[0].Y
	for _, q := range c {
		x0, y0, x1, y1 = min(x0, q.X), min(y0, q.Y), max(x1, q.X), max(y1, q.Y)
	}
	// A pixel's centre has whole coordinates.
	r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1))+1, int(math.Ceil(y1))+1)
	return r.Intersect(image.Rect(0, 0, p.WidthPx, p.HeightPx))
}

// Settling are the options with which a pass under this profile finds its
// sightings.
func (o Options) Settling(zones []settle.Zone) settle.Options {
	s := settle.Options{Size: o.Size, Zones: zones}
	if o.Profile != nil {
		s.Lens = o.Profile.Lens
	}
	return s
}
