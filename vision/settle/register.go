package settle

import (
	"math"

	"fairdeck/vision/plane"
)

// similar is a small similarity about a centre, with what the light did:
// b(x + d(x)) = gain*a(x) + offset + a plane.
type similar struct {
	cx, cy   float64
	tx, ty   float64 // px
	grow     float64 // relative change of size
	turn     float64 // radians
	gain     float64
	rms      float64 // of what is left, codes
	contrast float64 // of a in the region, codes (standard deviation)
	ok       bool
}

// at returns where a point of a lies in b.
func (s similar) at(p plane.Point) plane.Point {
	x, y := p.X-s.cx, p.Y-s.cy
	return plane.Point{X: p.X + s.tx + s.grow*x - s.turn*y, Y: p.Y + s.ty + s.turn*x + s.grow*y}
}

// moved is the farthest that a corner of the region went, px.
func (s similar) moved(q plane.Quad) float64 {
	far := 0.0
	for _, p := range q {
		far = max(far, s.at(p).Sub(p).Norm())
	}
	return far
}

func (q region) quad() plane.Quad { return plane.Quad(q) }

// region is a convex quadrilateral in pixels of a grey.
type region plane.Quad

// grown moves the sides outwards (negative: inwards) by about px.
func (q region) grown(px float64) region {
	c := plane.Quad(q).Centre()
	var out region
	for i, p := range q {
		d := p.Sub(c)
		if n := d.Norm(); n > 0 {
			d = d.Mul((n + px*math.Sqrt2) / n)
		}
		out[i] = c.Add(d)
	}
	return out
}

func (q region) scaled(f float64) (out region) {
	for i, p := range q {
		out[i] = p.Mul(f)
	}
	return out
}

// span returns the pixels of row y inside the region.
func (q region) span(y float64, w int) (x0, x1 int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		if (a.Y <= y) == (b.Y <= y) {
			continue
		}
		x := a.X + (b.X-a.X)*(y-a.Y)/(b.Y-a.Y)
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo > hi {
		return 0, 0
	}
	return max(1, int(math.Ceil(lo))), min(w-1, int(math.Floor(hi))+1)
}

func (q region) rows(h int) (y0, y1 int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range q {
		lo, hi = min(lo, p.Y), max(hi, p.Y)
	}
	return max(1, int(math.Ceil(lo))), min(h-1, int(math.Floor(hi))+1)
}

// half is the grey at half the resolution.
func (g *grey) half() *grey {
	h := &grey{w: g.w / 2, h: g.h / 2}
	h.pix = make([]float32, h.w*h.h)
	for y := range h.h {
		a, b := g.pix[2*y*g.w:][:g.w], g.pix[(2*y+1)*g.w:][:g.w]
		out := h.pix[y*h.w:][:h.w]
		for x := range out {
			out[x] = (a[2*x] + a[2*x+1] + b[2*x] + b[2*x+1]) / 4
		}
	}
	return h
}

const lightTerms = 4 // gain, offset and the offset's slopes

// refine improves s by one Gauss-Newton step of the least squares fit
// (Lucas & Kanade 1981; the gradient of a as in Baker & Matthews 2004) over
// the region of a, every stride-th row.
func (s *similar) refine(a, b *grey, in region, stride int) bool {
	const n = lightTerms + 4
	var m [n][n]float64
	var v [n]float64
	var sumT, sumA, sumAA float64
	count := 0
	scale := 1 / float64(a.w)
	y0, y1 := in.rows(a.h)
	for y := y0; y < y1; y += stride {
		x0, x1 := in.span(float64(y), a.w)
		up, here, down := a.pix[(y-1)*a.w:][:a.w], a.pix[y*a.w:][:a.w], a.pix[(y+1)*a.w:][:a.w]
		Y := (float64(y) - s.cy)
		for x := x0; x < x1; x++ {
			X := float64(x) - s.cx
			px, py := float64(x)+s.tx+s.grow*X-s.turn*Y, float64(y)+s.ty+s.turn*X+s.grow*Y
			i, j := int(px), int(py)
			if px < 0 || py < 0 || i >= b.w-1 || j >= b.h-1 {
				continue
			}
			fx, fy := float32(px-float64(i)), float32(py-float64(j))
			p, r := b.pix[j*b.w+i:][:2], b.pix[(j+1)*b.w+i:][:2]
			t0, t1 := p[0]+(p[1]-p[0])*fx, r[0]+(r[1]-r[0])*fx
			t := float64(t0 + (t1-t0)*fy)
			gx, gy := float64(here[x-1]-here[x+1])/2, float64(up[x]-down[x])/2
			u := float64(here[x])
			q := [n]float64{u, 1, X * scale, Y * scale, gx, gy, gx*X + gy*Y, gy*X - gx*Y}
			for k := range n {
				qk := q[k]
				for l := k; l < n; l++ {
					m[k][l] += qk * q[l]
				}
				v[k] += qk * t
			}
			sumT += t * t
			sumA += u
			sumAA += u * u
			count++
		}
	}
	if count < 50 {
		return false
	}
	for k := range n {
		for l := range k {
			m[k][l] = m[l][k]
		}
		// A little stiffness keeps what the picture does not show at rest.
		if k >= lightTerms {
			ridge := 1e-3 * float64(count)
			if k >= lightTerms+2 {
				ridge *= 1e3
			}
			m[k][k] += ridge
		}
	}
	p, ok := solve(m, v)
	if !ok || !(p[0] > 0.05) {
		return false
	}
	left := sumT
	for k := range p {
		left -= p[k] * v[k]
	}
	s.gain = p[0]
	s.rms = math.Sqrt(max(0, left/float64(count)))
	mean := sumA / float64(count)
	s.contrast = math.Sqrt(max(0, sumAA/float64(count)-mean*mean))
	s.tx += p[4] / p[0]
	s.ty += p[5] / p[0]
	s.grow += p[6] / p[0]
	s.turn += p[7] / p[0]
	s.ok = true
	return true
}

// solve solves a symmetric positive system by Gaussian elimination.
func solve(m [8][8]float64, v [8]float64) (p [8]float64, ok bool) {
	const n = 8
	for i := range n {
		if !(m[i][i] > 1e-9) {
			return p, false
		}
		for j := i + 1; j < n; j++ {
			f := m[j][i] / m[i][i]
			for k := i; k < n; k++ {
				m[j][k] -= f * m[i][k]
			}
			v[j] -= f * v[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		p[i] = v[i]
		for k := i + 1; k < n; k++ {
			p[i] -= m[i][k] * p[k]
		}
		p[i] /= m[i][i]
	}
	return p, true
}

// register finds the similarity that takes the region of a to b, from coarse
// to fine: it follows movements up to about an eighth of the region.
func register(a, b *grey, in region) similar {
	type level struct {
		a, b *grey
		f    float64
	}
	levels := []level{{a, b, 1}}
	for {
		l := levels[len(levels)-1]
		// At some 16 px across there is nothing left to see of a card.
		if math.Sqrt(math.Abs(plane.Quad(in).Area()))*l.f < 40 || min(l.a.w, l.a.h) < 16 {
			break
		}
		levels = append(levels, level{l.a.half(), l.b.half(), l.f / 2})
	}
	c := plane.Quad(in).Centre()
	s := similar{cx: c.X, cy: c.Y, gain: 1}
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		// The centre of pixel 0 of the half is 0.5 px of the whole.
		to := func(v float64) float64 { return (v+0.5)*l.f - 0.5 }
		k := s
		k.cx, k.cy, k.tx, k.ty = to(s.cx), to(s.cy), s.tx*l.f, s.ty*l.f
		var r region
		for j, p := range in {
			r[j] = plane.Point{X: to(p.X), Y: to(p.Y)}
		}
		steps, stride := 4, 1
		if i == 0 {
			steps, stride = 2, 2
		}
		for range steps {
			if !k.refine(l.a, l.b, r, stride) {
				return similar{}
			}
		}
		s.tx, s.ty, s.grow, s.turn, s.gain, s.rms, s.contrast, s.ok = k.tx/l.f, k.ty/l.f, k.grow, k.turn, k.gain, k.rms, k.contrast, k.ok
		if far := s.moved(plane.Quad(in)); far > 0.5*math.Sqrt(math.Abs(plane.Quad(in).Area())) {
			return similar{}
		}
	}
	return s
}
