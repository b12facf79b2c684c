package face

import (
	"math"
	"slices"
)

// template is the common picture of cards that lie on the first of them
// through ms: the mean of what was not blown out, in the first one's light.
// Noise falls with the root of their number, lint and reflections with it. Nil
// cards are left out.
func template(cs []*card, ms []projective) *plate {
	first := cs[0].plate
	out := &plate{
		light: newPlane(first.light.w, first.light.h), half: newPlane(first.half.w, first.half.h),
		red: newPlane(first.half.w, first.half.h), blue: newPlane(first.half.w, first.half.h),
		blown: make([]uint8, len(first.blown)),
	}
	type layerOf struct {
		dst    *plane32
		of     func(*plate) plane32
		factor float64
		light  bool
	}
	ratio := make([]*plane32, len(cs))
	for k, c := range cs {
		if c == nil || k == 0 {
			continue
		}
		// Light differs slowly between sightings; it is brought to the first's.
		b := c.half.through(&ms[k], 1, nil)
		r := relight(first.half, b)
		ratio[k] = &r
	}
	blown := make([][]uint8, len(cs))
	for k, c := range cs {
		if c != nil {
			blown[k] = grown(blownThrough(c.plate, &ms[k], k == 0), first.light.w)
		}
	}
	for _, lay := range []layerOf{
		{&out.light, func(p *plate) plane32 { return p.light }, 2, true},
		{&out.half, func(p *plate) plane32 { return p.half }, 1, true},
		{&out.red, func(p *plate) plane32 { return p.red }, 1, false},
		{&out.blue, func(p *plate) plane32 { return p.blue }, 1, false},
	} {
		var seen []plane32
		var off [][]uint8
		var of []int
		for k, c := range cs {
			if c == nil {
				continue
			}
			src := lay.of(c.plate)
			o := make([]uint8, len(src.v))
			if k > 0 {
				src = src.through(&ms[k], lay.factor, o)
			}
			seen, off, of = append(seen, src), append(off, o), append(of, k)
		}
		f := int(lay.factor)
		base := lay.of(first)
		vals := make([]float32, 0, len(seen))
		for y := range base.h {
			for x := range base.w {
				i := y*base.w + x
				at := min(y*2/f, first.light.h-1)*first.light.w + min(x*2/f, first.light.w-1)
				vals = vals[:0]
				for n := range seen {
					if off[n][i] != 0 || blown[of[n]][at] != 0 {
						continue
					}
					v := seen[n].v[i]
					if lay.light && of[n] > 0 {
						v *= ratio[of[n]].v[min(y/f, first.half.h-1)*first.half.w+min(x/f, first.half.w-1)]
					}
					vals = append(vals, v)
				}
				if len(vals) == 0 {
					lay.dst.v[i] = base.v[i]
					continue
				}
				lay.dst.v[i] = vote(vals, lay.light)
			}
		}
	}
	// Blown only where every card is.
	for i := range out.blown {
		out.blown[i] = 1
	}
	for k, c := range cs {
		if c == nil {
			continue
		}
		for i, b := range blownThrough(c.plate, &ms[k], k == 0) {
			out.blown[i] &= b
		}
	}
	out.finish()
	return out
}

// apart is how many levels a value may lie from the middle one, or above the
// darker of two, before it is a reflection or lint and no noise.
const apart = 12

// vote is the mean of the values that agree. A reflection only adds light: of
// two that differ the darker one is the print.
func vote(v []float32, light bool) float32 {
	if len(v) == 1 {
		return v[0]
	}
	slices.Sort(v)
	mid := v[len(v)/2]
	if len(v) == 2 {
		if light && v[1] > v[0]+apart {
			return v[0]
		}
		return (v[0] + v[1]) / 2
	}
	if !light {
		return mid
	}
	s, n := float32(0), float32(0)
	for _, x := range v {
		if x >= mid-apart && x <= mid+apart {
			s += x
			n++
		}
	}
	return s / n
}

// grown adds the two pixels around every blown one: a lens and JPEG carry light
// there.
func grown(b []uint8, w int) []uint8 {
	out := slices.Clone(b)
	h := len(b) / w
	for i, v := range b {
		if v == 0 {
			continue
		}
		for y := max(0, i/w-2); y <= min(h-1, i/w+2); y++ {
			for x := max(0, i%w-2); x <= min(w-1, i%w+2); x++ {
				out[y*w+x] = 1
			}
		}
	}
	return out
}

// blownThrough is where p is blown out, as seen through m.
func blownThrough(p *plate, m *projective, same bool) []uint8 {
	if same {
		return p.blown
	}
	w, h := p.light.w, p.light.h
	out := make([]uint8, w*h)
	for y := range h {
		v := 2*float64(y)/float64(h) - 1
		for x := range w {
			dx, dy := m.move(2*float64(x)/float64(w)-1, v, p.light.aspect())
			i, j := int(float64(x)+2*dx+0.5), int(float64(y)+2*dy+0.5)
			if i >= 0 && j >= 0 && i < w && j < h {
				out[y*w+x] = p.blown[j*w+i]
			}
		}
	}
	return out
}

// relight is the factor by which b's light must be multiplied to be a's, where
// it changes slowly.
func relight(a, b plane32) plane32 {
	const r = 16 // 8 mm
	ma, mb := boxMean(a, r), boxMean(b, r)
	for i := range ma.v {
		ma.v[i] = float32(math.Min(math.Max(float64((ma.v[i]+4)/(mb.v[i]+4)), 0.4), 2.5))
	}
	return ma
}
