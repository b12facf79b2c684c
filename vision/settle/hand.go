package settle

import (
	"slices"

	"fairdeck/vision/plane"
)

// handIn reports whether something reaches from the zone's border into the
// zone that was not there before: an arm. Shadows keep the colour of what they
// fall on.
func (p *place) handIn(before, s *still) bool { return p.reaches(before, s, nil) }

// handBeside is handIn for what reaches in elsewhere than a card (pixels of
// small) does itself.
func (p *place) handBeside(before, s *still, q region) bool {
	var cells region
	for i, c := range q {
		f := s.toFrame(c)
		cells[i] = plane.Point{X: f.X / float64(s.sketch.step), Y: f.Y / float64(s.sketch.step)}
	}
	cells = cells.grown(2)
	return p.reaches(before, s, &cells)
}

// reaches is handIn, leaving out the cells of a card.
func (p *place) reaches(before, s *still, but *region) bool {
	a, b := before.sketch, s.sketch
	if a.w != b.w || a.h != b.h {
		return false
	}
	step := a.step
	x0, y0 := (p.rect.Min.X+step-1)/step, (p.rect.Min.Y+step-1)/step
	x1, y1 := min(a.w, p.rect.Max.X/step), min(a.h, p.rect.Max.Y/step)
	if x1-x0 < 8 || y1-y0 < 8 {
		return false
	}
	g := ringGain(a, b, x0, y0, x1-x0, y1-y0)
	// The longest row of changed cells.
	long, row := 0, 0
	for _, i := range ring(a.w, x0, y0, x1-x0, y1-y0) {
		own := but != nil && plane.Quad(*but).Contains(plane.Point{X: float64(i%a.w) + 0.5, Y: float64(i/a.w) + 0.5})
		if !own && changedCell(a, b, i, g) {
			row++
			long = max(long, row)
		} else {
			row = 0
		}
	}
	// An arm is as wide as a card nearly, a finger a seventh of it; a zone is
	// some two cards wide.
	return long*step >= min(p.rect.Dx(), p.rect.Dy())/12
}

// beside reports whether what reaches into the zone stays clear of a card
// (pixels of small): the hand that just let go of it, or waits to take it.
func (p *place) beside(before, s *still, q region) bool {
	a, b := before.sketch, s.sketch
	step := a.step
	x0, y0 := (p.rect.Min.X+step-1)/step, (p.rect.Min.Y+step-1)/step
	w, h := min(a.w, p.rect.Max.X/step)-x0, min(a.h, p.rect.Max.Y/step)-y0
	g := ringGain(a, b, x0, y0, w, h)
	var cells region
	for i, c := range q {
		f := s.toFrame(c)
		cells[i] = plane.Point{X: f.X / float64(step), Y: f.Y / float64(step)}
	}
	inner, near := plane.Quad(cells.grown(1)), plane.Quad(cells.grown(3))
	seen := make(map[int]bool)
	var stack []int
	push := func(x, y int) {
		i := y*a.w + x
		if x < x0 || y < y0 || x >= x0+w || y >= y0+h || seen[i] || !changedCell(a, b, i, g) || inner.Contains(plane.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}) {
			return
		}
		seen[i] = true
		stack = append(stack, i)
	}
	for _, i := range ring(a.w, x0, y0, w, h) {
		push(i%a.w, i/a.w)
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := i%a.w, i/a.w
		if near.Contains(plane.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}) {
			return false
		}
		push(x-1, y)
		push(x+1, y)
		push(x, y-1)
		push(x, y+1)
	}
	return true
}

// ring is the cells along a frame one cell inside a rectangle of cells, in
// order.
func ring(stride, x0, y0, w, h int) (cells []int) {
	x1, y1 := x0+w, y0+h
	look := func(x, y int) { cells = append(cells, y*stride+x) }
	for x := x0 + 1; x < x1-1; x++ {
		look(x, y0+1)
	}
	for y := y0 + 1; y < y1-1; y++ {
		look(x1-2, y)
	}
	for x := x1 - 2; x > x0; x-- {
		look(x, y1-2)
	}
	for y := y1 - 2; y > y0; y-- {
		look(x0+1, y)
	}
	return cells
}

// ringGain is the change of light along the zone's border, of which an arm
// covers less than half.
func ringGain(a, b *sketch, x0, y0, w, h int) float32 {
	var ratios []float32
	for _, i := range ring(a.w, x0, y0, w, h) {
		ratios = append(ratios, (b.luma[i]+4)/(a.luma[i]+4))
	}
	if len(ratios) == 0 {
		return 1
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// changedCell reports whether a cell shows something else, not only another
// light.
func changedCell(a, b *sketch, i int, gain float32) bool {
	la, lb := a.luma[i]*gain+4, b.luma[i]+4
	ratio := lb / la
	db, dr := b.blue[i]/lb-a.blue[i]*gain/la, b.red[i]/lb-a.red[i]*gain/la
	return ratio < 0.45 || ratio > 1.6 || abs(db)+abs(dr) > 0.15
}

// lyingOn reports whether something of another colour lies on a part of a plain
// card, which an arm of the table's colour does unseen: the next sleeve is as
// plain, and of the colour of the one before.
func (p *place) lyingOn(top *lying, s *still, q region) bool {
	a, b := top.sketch, s.sketch
	if a.w != b.w || a.h != b.h || top.bin != s.bin {
		return false
	}
	c := plane.Quad(top.quad).Centre()
	if compare(top.small, top.small, similar{cx: c.X, cy: c.Y, gain: 1, ok: true}, top.quad.grown(-4), top.noise).blocks >= plainBlocks {
		return false
	}
	var before, now region
	for i := range q {
		u, v := top.toFrame(top.quad[i]), s.toFrame(q[i])
		before[i], now[i] = u.Mul(1/float64(a.step)), v.Mul(1/float64(b.step))
	}
	before, now = before.grown(-2), now.grown(-2)
	g := b.gain(a)
	changed, all := 0, 0
	y0, y1 := now.rows(b.h)
	for y := y0; y < y1; y++ {
		x0, x1 := now.span(float64(y), b.w)
		u0, u1 := before.span(float64(y), b.w)
		for x := max(x0, u0); x < min(x1, u1); x++ {
			all++
			if changedCell(a, b, y*b.w+x, g) {
				changed++
			}
		}
	}
	return all > 0 && float64(changed) > 0.08*float64(all) && float64(changed) < 0.9*float64(all)
}

// plainBlocks is how many blocks of a card may show anything for it to be plain.
const plainBlocks = 10
