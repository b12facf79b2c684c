package settle

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// fromBare finds a card as what differs from the bare zone, where its outline
// alone does not show it: a busy print, a sleeve of the table's colour. Nil
// where that has no card's shape.
func (p *place) fromBare(s *still) *lying {
	if p.bare == nil {
		return nil
	}
	a, b := p.bare.sketch, s.sketch
	if a.w != b.w || a.h != b.h {
		return nil
	}
	step := a.step
	x0, y0 := (p.rect.Min.X+step-1)/step, (p.rect.Min.Y+step-1)/step
	w, h := min(a.w, p.rect.Max.X/step)-x0, min(a.h, p.rect.Max.Y/step)-y0
	if w < 8 || h < 8 {
		return nil
	}
	g := ringGain(a, b, x0, y0, w, h)
	mask := make([]bool, w*h)
	for y := range h {
		for x := range w {
			i := (y+y0)*a.w + x + x0
			mask[y*w+x] = changedCell(a, b, i, g) || abs(b.luma[i]-g*a.luma[i]) > 10+0.1*b.luma[i]
		}
	}
	points, cells := largest(mask, w, h)
	q, area := smallestBox(hull(points))
	if area < 60 || float64(cells) < 0.75*area {
		return nil
	}
	sides := q.Sides()
	short, long := sides[0], sides[1]
	if short > long {
		q = plane.Quad{q[1], q[2], q[3], q[0]}
		short, long = long, short
	}
	// Cards are 0.68 to 0.73 wide for their height; a camera may lean.
	if r := short / long; r < 0.58 || r > 0.83 {
		return nil
	}
	size := p.o.Size
	if size.WidthMM == 0 {
		size = card.KnownSizes()[0]
	}
	now := &lying{still: s}
	for i, c := range q {
		now.quad[i] = s.fromFrame(plane.Point{X: (c.X+float64(x0))*float64(step) - 0.5, Y: (c.Y+float64(y0))*float64(step) - 0.5})
	}
	for range 2 {
		now.quad = sharpen(s.small, now.quad)
	}
	for i, c := range now.quad {
		now.Corners[i] = s.toFrame(c)
		now.SigmaPx[i] = float64(s.bin)
	}
	now.Size = size
	now.PxPerMM = math.Sqrt(now.Corners.Area() / (size.WidthMM * size.HeightMM))
	now.Confidence = 0.5
	if !now.Corners.Convex() {
		return nil
	}
	return now
}

// largest returns the corners of the cells of the largest connected part, and
// how many cells it has.
func largest(mask []bool, w, h int) (points []plane.Point, cells int) {
	seen := make([]bool, len(mask))
	var best, stack, part []int
	for i, m := range mask {
		if !m || seen[i] {
			continue
		}
		part = part[:0]
		stack = append(stack[:0], i)
		seen[i] = true
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			part = append(part, k)
			x, y := k%w, k/w
			for _, n := range [4][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
				if n[0] < 0 || n[1] < 0 || n[0] >= w || n[1] >= h {
					continue
				}
				if j := n[1]*w + n[0]; mask[j] && !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
		if len(part) > len(best) {
			best = slices.Clone(part)
		}
	}
	for _, k := range best {
		x, y := float64(k%w), float64(k/w)
		points = append(points, plane.Point{X: x, Y: y}, plane.Point{X: x + 1, Y: y}, plane.Point{X: x, Y: y + 1}, plane.Point{X: x + 1, Y: y + 1})
	}
	return points, len(best)
}

// hull is the convex hull, clockwise on the screen (Andrew's monotone chain).
func hull(points []plane.Point) []plane.Point {
	slices.SortFunc(points, func(a, b plane.Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	half := func(from []plane.Point) []plane.Point {
		var out []plane.Point
		for _, p := range from {
			for len(out) >= 2 && out[len(out)-1].Sub(out[len(out)-2]).Cross(p.Sub(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out
	}
	if len(points) < 3 {
		return points
	}
	lower := half(points)
	slices.Reverse(points)
	upper := half(points)
	return append(lower[:len(lower)-1], upper[:len(upper)-1]...)
}

// smallestBox is the rectangle of the least area round a hull: one of its
// sides lies along one of the hull's (Freeman & Shapira 1975).
func smallestBox(h []plane.Point) (best plane.Quad, area float64) {
	area = math.Inf(1)
	for i := range h {
		u := h[(i+1)%len(h)].Sub(h[i])
		n := u.Norm()
		if n == 0 {
			continue
		}
		u = u.Mul(1 / n)
		v := plane.Point{X: -u.Y, Y: u.X}
		lu, hu, lv, hv := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
		for _, p := range h {
			lu, hu = min(lu, p.Dot(u)), max(hu, p.Dot(u))
			lv, hv = min(lv, p.Dot(v)), max(hv, p.Dot(v))
		}
		if a := (hu - lu) * (hv - lv); a < area {
			area = a
			at := func(p, q float64) plane.Point { return u.Mul(p).Add(v.Mul(q)) }
			best = plane.Quad{at(lu, lv), at(hu, lv), at(hu, hv), at(lu, hv)}
		}
	}
	if math.IsInf(area, 1) {
		return plane.Quad{}, 0
	}
	return best, area
}
