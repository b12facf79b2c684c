package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// sizeCards gives each card its size and resolution. Without a size it is
// chosen among [KnownSizes]: by width and height where the resolution is
// known, else by the aspect, for all cards of about one size together, since
// a degree of tilt more or less shifts one card's aspect as much as the sizes
// differ.
func sizeCards(cards []Detection, view viewer, l *level, o Options) {
	done := make([]bool, len(cards))
	for i := range cards {
		if done[i] {
			continue
		}
		var group []int
		for j := range cards {
			r := math.Sqrt(cards[j].Corners.Area() / cards[i].Corners.Area())
			if !done[j] && r < sameScale && r > 1/sameScale {
				group = append(group, j)
			}
		}
		size := o.Size
		if size.WidthMM == 0 {
			size = commonSize(cards, group, view, l, o.PxPerMM)
		}
		for _, j := range group {
			done[j] = true
			d := &cards[j]
			d.Size = size
			d.PxPerMM = pxPerMM(d.Corners, size)
		}
	}
}

// pxPerMM is the resolution at the centre of a card.
func pxPerMM(q plane.Quad, s Size) float64 {
	rect := plane.Rect(0, 0, s.WidthMM, s.HeightMM)
	h, err := plane.QuadToQuad(rect, q)
	if err != nil {
		return math.Sqrt(q.Area() / (s.WidthMM * s.HeightMM))
	}
	return h.Scale(rect.Centre())
}

func commonSize(cards []Detection, group []int, view viewer, l *level, expected float64) Size {
	var aspects, sides []float64
	for _, j := range group {
		if cards[j].Unusable != "" && len(group) > 1 {
			continue
		}
		q := cards[j].Corners
		for i := range q {
			q[i] = l.fromFrame(q[i])
		}
		aspects = append(aspects, view.aspect(q))
		sides = append(sides, math.Sqrt(cards[j].Corners.Area()))
	}
	if len(aspects) == 0 {
		return KnownSizes()[0]
	}
	slices.Sort(aspects)
	slices.Sort(sides)
	aspect, side := aspects[len(aspects)/2], sides[len(sides)/2]
	return slices.MinFunc(KnownSizes(), func(a, b Size) int {
		return compare(sizeMisfit(a, aspect, side, expected), sizeMisfit(b, aspect, side, expected))
	})
}

// sizeMisfit is the squared distance of a size from what was seen, in
// standard deviations: 1% of the aspect, 2% of the size.
func sizeMisfit(s Size, aspect, side, expected float64) float64 {
	d := math.Log(s.WidthMM/s.HeightMM/aspect) / 0.01
	m := d * d
	if expected > 0 {
		d = math.Log(side/expected/math.Sqrt(s.WidthMM*s.HeightMM)) / 0.02
		m += d * d
	}
	return m
}

// aspect is the width over the height of the rectangle that looks like q, by
// the focal length that makes it most nearly a rectangle.
func (v viewer) aspect(q plane.Quad) float64 {
	best := math.Inf(1)
	s := q.Sides()
	out := (s[0] + s[2]) / (s[1] + s[3])
	for _, f := range v.focal {
		p, ok := poseOf(q, v.centre, f)
		if !ok {
			continue
		}
		if m := math.Abs(p.skew) + 0.05*p.tilt*p.tilt; m < best {
			best, out = m, p.aspect
		}
	}
	return out
}
