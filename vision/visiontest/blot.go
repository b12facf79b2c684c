package visiontest

import (
	"math"
	"math/rand/v2"
)

// blot is one flat shape of a print: a rounded rectangle (a disc when the
// radius is half its side), filled or as an outline.
type blot struct {
	x, y, sin, cos float64
	halfW, halfH   float64
	radius         float64
	line           float64 // width of the outline; 0 means filled
	reach          float64
	colour         [3]float64
	alpha          float64
}

func newBlot(x, y, angle, w, h, radius, line float64, colour [3]float64, alpha float64) blot {
	b := blot{x: x, y: y, halfW: w / 2, halfH: h / 2, radius: min(radius, min(w, h)/2), line: line, colour: colour, alpha: alpha}
	b.sin, b.cos = math.Sincos(angle)
	b.reach = math.Hypot(w, h)/2 + line + 1
	return b
}

// cover is how much of a footprint of the given size at (x, y) is inked.
func (b *blot) cover(x, y, footprint float64) float64 {
	x, y = x-b.x, y-b.y
	if x*x+y*y > b.reach*b.reach {
		return 0
	}
	x, y = math.Abs(x*b.cos+y*b.sin), math.Abs(y*b.cos-x*b.sin)
	qx, qy := x-b.halfW+b.radius, y-b.halfH+b.radius
	d := max(qx, qy)
	if qx > 0 && qy > 0 {
		d = math.Hypot(qx, qy)
	}
	d -= b.radius
	if b.line > 0 {
		// A line thinner than the footprint keeps its weight.
		d = math.Abs(d) - b.line/2
		return clamp(0.5-d/footprint, 0, min(1, b.line/footprint))
	}
	return clamp(0.5-d/footprint, 0, 1)
}

// blots are many shapes, later ones on top, binned for speed.
type blots struct {
	all        []blot
	left, top  float64
	cols, rows int
	bins       [][]int32
}

// binMM is the side of a bin: a few shapes each for the prints drawn here.
const binMM = 6.0

// bin sorts the shapes into the rectangle's bins; outside it nothing is drawn.
func (s *blots) bin(left, top, right, bottom float64) {
	s.left, s.top = left, top
	s.cols, s.rows = int((right-left)/binMM)+1, int((bottom-top)/binMM)+1
	s.bins = make([][]int32, s.cols*s.rows)
	for k := range s.all {
		b := &s.all[k]
		i0, i1 := int(math.Floor((b.x-b.reach-left)/binMM)), int(math.Floor((b.x+b.reach-left)/binMM))
		j0, j1 := int(math.Floor((b.y-b.reach-top)/binMM)), int(math.Floor((b.y+b.reach-top)/binMM))
		for j := max(0, j0); j <= min(s.rows-1, j1); j++ {
			for i := max(0, i0); i <= min(s.cols-1, i1); i++ {
				s.bins[j*s.cols+i] = append(s.bins[j*s.cols+i], int32(k))
			}
		}
	}
}

func (s *blots) paint(x, y, footprint float64, out *[3]float64) {
	i, j := int(math.Floor((x-s.left)/binMM)), int(math.Floor((y-s.top)/binMM))
	if i < 0 || j < 0 || i >= s.cols || j >= s.rows {
		return
	}
	for _, k := range s.bins[j*s.cols+i] {
		b := &s.all[k]
		if c := b.cover(x, y, footprint) * b.alpha; c > 0 {
			for n := range 3 {
				out[n] += (b.colour[n] - out[n]) * c
			}
		}
	}
}

func (s *blots) add(x, y, angle, w, h, radius, line float64, colour [3]float64, alpha float64) {
	s.all = append(s.all, newBlot(x, y, angle, w, h, radius, line, colour, alpha))
}

// text adds a line of made-up letters: strokes on a grid, as fine as print.
func (s *blots) text(r *rand.Rand, x, y, angle, length, height float64, colour [3]float64, alpha float64) {
	sin, cos := math.Sincos(angle)
	pen := height / 7
	at := func(u, v, turn, w, h float64) {
		s.add(x+u*cos-v*sin, y+u*sin+v*cos, angle+turn, w, h, pen/2, 0, colour, alpha)
	}
	for u := 0.0; u < length; u += height * 0.85 {
		if r.Float64() < 0.15 {
			continue // a space
		}
		for range 2 + r.IntN(3) {
			switch r.IntN(3) {
			case 0:
				at(u+height*0.5*r.Float64(), 0, 0, pen, height)
			case 1:
				at(u+height*0.25, height*(r.Float64()-0.5), 0, height*0.55, pen)
			default:
				at(u+height*0.25, 0, between(r, 0.3, 0.9)*math.Copysign(1, r.Float64()-0.5), pen, height)
			}
		}
	}
}

// palette draws n colours that go together: a base hue, its neighbours and
// its opposite, in linear light.
func palette(r *rand.Rand, n int) [][3]float64 {
	hue := r.Float64()
	out := make([][3]float64, n)
	for i := range out {
		h := hue + between(r, -0.08, 0.08)
		if i%3 == 2 {
			h += 0.5
		}
		out[i] = fromHSV(h, between(r, 0.15, 0.85), between(r, 0.15, 0.95))
	}
	return out
}

// fromHSV gives linear light (the value is gamma-encoded, as in paint programs).
func fromHSV(h, s, v float64) [3]float64 {
	var out [3]float64
	for i, shift := range [3]float64{0, 2.0 / 3, 1.0 / 3} {
		_, f := math.Modf(h + shift + 10)
		k := clamp(math.Abs(f*6-3)-1, 0, 1)
		out[i] = math.Pow(v*(1-s*(1-k)), 2.2)
	}
	return out
}
