package settle

import "fairdeck/vision/plane"

// glimpse looks at how much of the top card's print is still in sight while
// something moves: a card that comes to lie on it, or leaves, takes all of it
// out of its place for a moment; a finger does not.
func (p *place) glimpse(s *sketch) {
	if p.top == nil {
		return
	}
	if p.looks == 0 {
		p.least = 1
	}
	if p.bare != nil {
		p.bared = max(p.bared, inBare(p.top.sketch, p.bare.sketch, s, plane.Quad(p.top.Corners)))
	}
	seen, all := inSight(p.top.sketch, s, plane.Quad(p.top.Corners))
	if all < glimpseCells {
		p.least = -1
		return
	}
	p.looks++
	p.least = min(p.least, float64(seen)/float64(all))
}

const (
	// glimpseCells is how many cells with print are enough to tell from.
	glimpseCells = 24

	// printCodes is the contrast of a cell that counts as print.
	printCodes = 8
)

// inSight counts the cells inside the quadrilateral (frame pixels) that show
// print, and those of them that show it in b as in a.
func inSight(a, b *sketch, q plane.Quad) (seen, all int) {
	if a.w != b.w || a.h != b.h {
		return 0, 0
	}
	var in region
	for i, c := range q {
		in[i] = plane.Point{X: c.X / float64(a.step), Y: c.Y / float64(a.step)}
	}
	ha, hb := a.relief(), b.relief()
	gain := b.gain(a)
	// Inside only: the outline of one card is where that of another was.
	in = in.grown(-2 * surround)
	y0, y1 := in.rows(a.h)
	for y := y0; y < y1; y++ {
		x0, x1 := in.span(float64(y), a.w)
		for x := x0; x < x1; x++ {
			i := y*a.w + x
			if abs(ha[i]) < printCodes {
				continue
			}
			all++
			// A shift by half a cell is not out of sight.
			slope := max(abs(ha[i+1]-ha[i-1]), abs(ha[i+a.w]-ha[i-a.w])) / 2
			if abs(hb[i]-gain*ha[i]) < 1+0.3*abs(ha[i])+0.25*slope {
				seen++
			}
		}
	}
	return seen, all
}

// inBare is the share of the cells inside the quadrilateral (frame pixels),
// of those in which the card differs from the bare zone, that show the bare
// zone: 0 where the two are too much alike to tell.
func inBare(top, bare, s *sketch, q plane.Quad) float64 {
	if top.w != s.w || top.h != s.h || bare.w != s.w || bare.h != s.h {
		return 0
	}
	var in region
	for i, c := range q {
		in[i] = plane.Point{X: c.X / float64(s.step), Y: c.Y / float64(s.step)}
	}
	g, gt := s.gain(bare), top.gain(bare)
	seen, all := 0, 0
	y0, y1 := in.rows(s.h)
	for y := y0; y < y1; y++ {
		x0, x1 := in.span(float64(y), s.w)
		for x := x0; x < x1; x++ {
			i := y*s.w + x
			if !changedCell(bare, top, i, gt) && abs(top.luma[i]-gt*bare.luma[i]) < 15 {
				continue
			}
			all++
			if !changedCell(bare, s, i, g) && abs(s.luma[i]-g*bare.luma[i]) < 5+0.08*s.luma[i] {
				seen++
			}
		}
	}
	if all < 4*glimpseCells {
		return 0
	}
	return float64(seen) / float64(all)
}

// relief is the luma less its surroundings, made once.
func (s *sketch) relief() []float32 {
	if s.fine == nil {
		mean := boxMean(s.luma, s.w, s.h, surround)
		s.fine = make([]float32, len(mean))
		for i, v := range s.luma {
			s.fine[i] = v - mean[i]
		}
	}
	return s.fine
}
