package settle

import "image"

// handIn reports whether something reaches from the zone's border into the
// zone that was not there before: an arm. Shadows keep the colour of what they
// fall on.
func (p *place) handIn(before, s *still) bool {
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
	g := b.gain(a)
	// Along a frame one cell inside the zone's border: the longest row of
	// changed cells.
	long, row := 0, 0
	look := func(x, y int) {
		i := y*a.w + x
		if changedCell(a, b, i, g) {
			row++
			long = max(long, row)
		} else {
			row = 0
		}
	}
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
	// An arm is as wide as a card nearly, a finger a seventh of it; a zone is
	// some two cards wide.
	return long*step >= min(p.rect.Dx(), p.rect.Dy())/12
}

// changedCell reports whether a cell shows something else, not only another
// light.
func changedCell(a, b *sketch, i int, gain float32) bool {
	la, lb := a.luma[i]*gain+4, b.luma[i]+4
	ratio := lb / la
	db, dr := b.blue[i]/lb-a.blue[i]*gain/la, b.red[i]/lb-a.red[i]*gain/la
	return ratio < 0.45 || ratio > 1.6 || abs(db)+abs(dr) > 0.15
}

// sketchesAlike reports whether a zone shows the same.
func sketchesAlike(a, b *sketch, r image.Rectangle) bool {
	step := a.step
	g := b.gain(a)
	n, all := 0, 0
	for y := (r.Min.Y + step - 1) / step; y < min(a.h, r.Max.Y/step); y++ {
		for x := (r.Min.X + step - 1) / step; x < min(a.w, r.Max.X/step); x++ {
			all++
			if changedCell(a, b, y*a.w+x, g) {
				n++
			}
		}
	}
	return n*50 < all
}
