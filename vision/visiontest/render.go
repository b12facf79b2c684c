package visiontest

import (
	"image"
	"math"

	"fairdeck/vision/plane"
)

// card is one sleeve of the deck, ready to render.
type card struct {
	shape
	index       int
	orientation int // 0 or 180
	batch       string
	look        *look
	tint        [3]float64 // a batch's own colour, as a factor on the light
	rotation    float64    // radians, world, counter-clockwise, the turn included
	centre      plane.Point
	printOffset plane.Point
	grainShift  plane.Point
	marks       []*Mark
}

// toWorld returns the world point of the sleeve's (u, v) at height z.
func (c *card) toWorld(u, v, z float64) vec {
	s, co := math.Sincos(c.rotation)
	x, y := u-c.width/2, c.height/2-v
	return vec{c.centre.X + co*x - s*y, c.centre.Y + s*x + co*y, z}
}

func (c *card) corner(i int) vec {
	u, v := 0.0, 0.0
	if i == 1 || i == 2 {
		u = c.width
	}
	if i >= 2 {
		v = c.height
	}
	z, _, _ := c.surface(u, v)
	return c.toWorld(u, v, z)
}

// layer is a rectangle of the picture in linear light, three values (red,
// green, blue) a pixel.
type layer struct {
	image.Rectangle
	pix []float32
}

func newLayer(r image.Rectangle) *layer {
	return &layer{r, make([]float32, 3*r.Dx()*r.Dy())}
}

func (l *layer) row(y int) []float32 {
	w := 3 * l.Dx()
	k := (y - l.Min.Y) * w
	return l.pix[k : k+w : k+w]
}

// shader is one card under one light: everything that changes slowly over
// the sleeve is tabulated.
type shader struct {
	*card
	light    *lighting
	view     *viewer
	over     *overlay // nil: clean
	sin, cos float64
	cells    [(cells + 1) * (cells + 1)]cell
	share    float64
	outer    float64 // width of the clear border of an outer sleeve
}

const cells = 8

type cell struct {
	e            [3]float64
	fromX, fromY float64
}

func newShader(c *card, light *lighting, view *viewer, over *overlay) *shader {
	s := &shader{card: c, light: light, view: view, over: over}
	s.sin, s.cos = math.Sincos(c.rotation)
	for j := range cells + 1 {
		for i := range cells + 1 {
			p := c.toWorld(c.width*float64(i)/cells, c.height*float64(j)/cells, c.thickness)
			q := &s.cells[j*(cells+1)+i]
			q.e, q.fromX, q.fromY, s.share = light.irradiance(p)
		}
	}
	if c.look.outer {
		s.outer = outerBorderMM
	}
	return s
}

// toSleeve returns (u, v) of a world point.
func (s *shader) toSleeve(x, y float64) (u, v float64) {
	x, y = x-s.centre.X, y-s.centre.Y
	return s.width/2 + s.cos*x + s.sin*y, s.height/2 + s.sin*x - s.cos*y
}

// meet returns where a ray meets the bowed top surface. The surface is
// nearly level and the ray nearly vertical, so that the height settles to
// 0.001 mm in three steps.
func (s *shader) meet(d vec) (u, v float64) {
	z := s.thickness + s.lift + (s.bow[0]+s.bow[1])/2
	for range 3 {
		u, v = s.toSleeve(s.view.onPlane(d, z))
		z, _, _ = s.surface(u, v)
	}
	return u, v
}

// sample is one pixel's footprint on the sleeve: its centre and the steps of
// one pixel to the right and down, in mm.
type sample struct {
	u, v           float64
	ux, vx, uy, vy float64
}

// shade returns the light leaving the sleeve at a sample towards the camera
// (ray d).
func (s *shader) shade(a sample, d vec) (out [3]float64) {
	z, hu, hv := s.surface(a.u, a.v)
	var albedo [3]float64
	var cover, dim, shine float64
	var add [3]float64
	rim, ru, rv := s.relief(a.u, a.v)
	hu, hv = hu+ru, hv+rv

	if s.look.print == nil {
		albedo = s.look.plain
	}
	for i := range 4 {
		// Four samples at a quarter of a pixel: with textures of twice the
		// camera's resolution that is a box filter.
		fx, fy := 0.25, 0.25
		if i&1 == 0 {
			fx = -0.25
		}
		if i&2 == 0 {
			fy = -0.25
		}
		u, v := a.u+fx*a.ux+fy*a.uy, a.v+fx*a.vx+fy*a.vy
		if s.look.print != nil {
			s.look.print.at(u-s.printOffset.X, v-s.printOffset.Y, &albedo)
		}
		if s.over != nil {
			if t := s.over.at(u, v); t != nil {
				cover += float64(t.cover)
				dim += float64(t.dimming)
				shine += float64(t.shine)
				hu += float64(t.su) / 4
				hv += float64(t.sv) / 4
				for c := range 3 {
					add[c] += float64(t.add[c])
				}
			}
		}
	}
	if s.look.print != nil {
		for c := range 3 {
			albedo[c] /= 4
		}
	}
	if g := s.look.grain; g > 0 {
		// Embossing of about 0.35 mm: two decorrelated noises make the slope.
		gu, gv := (a.u+s.grainShift.X)/0.35, (a.v+s.grainShift.Y)/0.35
		hu += g * noise(gu, gv, s.look.seed)
		hv += g * noise(gu, gv, s.look.seed+1)
	}
	m := 1 + s.look.mottle*noise((a.u+s.grainShift.X)/0.8, (a.v+s.grainShift.Y)/0.8, s.look.seed+2)
	m *= rim * (1 - dim/4)

	sx, sy := hu*s.cos+hv*s.sin, hu*s.sin-hv*s.cos
	e, fromX, fromY := s.lightAt(a.u, a.v)
	facing := math.Max(0, 1-s.share*(sx*fromX+sy*fromY))
	for c := range 3 {
		out[c] = (albedo[c]*s.tint[c]*m*(1-cover/4) + add[c]/4) * e[c] * facing
	}
	p := s.toWorld(a.u, a.v, z)
	s.light.mirror(p, d, sx, sy, s.look.roughness, math.Max(0, 1+shine/4), &out)
	if s.outer > 0 {
		s.light.mirror(p, d, hu*s.cos+hv*s.sin, sy, 0.05, 0.8, &out)
	}
	return out
}

func (s *shader) lightAt(u, v float64) (e [3]float64, fromX, fromY float64) {
	x, y := clamp(u/s.width, 0, 0.9999)*cells, clamp(v/s.height, 0, 0.9999)*cells
	i, j := int(x), int(y)
	fx, fy := x-float64(i), y-float64(j)
	k := j*(cells+1) + i
	a, b, c, d := &s.cells[k], &s.cells[k+1], &s.cells[k+cells+1], &s.cells[k+cells+2]
	w00, w10, w01, w11 := (1-fx)*(1-fy), fx*(1-fy), (1-fx)*fy, fx*fy
	for n := range 3 {
		e[n] = w00*a.e[n] + w10*b.e[n] + w01*c.e[n] + w11*d.e[n]
	}
	return e, w00*a.fromX + w10*b.fromX + w01*c.fromX + w11*d.fromX, w00*a.fromY + w10*b.fromY + w01*c.fromY + w11*d.fromY
}

// outerBorderMM is how far a clear outer sleeve stands out on every side.
const outerBorderMM = 1.2

// relief is the sleeve's own shape: the film rounds off at the outline, and
// the card inside shows as a step 1 to 2 mm from it, nearer at the bottom
// because the sleeve opens at the top. It returns a factor on the albedo and
// the slopes.
func (s *shader) relief(u, v float64) (factor, su, sv float64) {
	// Only within 4 mm of the outline is there anything to see.
	if m := math.Min(math.Min(u, s.width-u), math.Min(v, s.height-v)); m > 4 {
		return 1, 0, 0
	}
	factor = 1
	gradient := func(w, h, cu, cv, r float64) (d, gu, gv float64) {
		x, y := u-cu, v-cv
		qx, qy := math.Abs(x)-w/2+r, math.Abs(y)-h/2+r
		switch {
		case qx > 0 && qy > 0:
			l := math.Sqrt(qx*qx + qy*qy)
			d, gu, gv = l-r, qx/l, qy/l
		case qx > qy:
			d, gu = qx-r, 1
		default:
			d, gv = qy-r, 1
		}
		return d, math.Copysign(gu, x), math.Copysign(gv, y)
	}
	d, gu, gv := gradient(s.width, s.height, s.width/2, s.height/2, s.radius)
	// Rounding of the rim: over the last 0.25 mm the surface falls away.
	if d > -0.25 {
		k := -0.35 * sq((d+0.25)/0.25)
		su, sv = k*gu, k*gv
	}
	if s.look.bare {
		return factor, su, sv
	}
	inset := s.outer
	w, h := s.width-2*inset-3, s.height-2*inset-3
	d, gu, gv = gradient(w, h, s.width/2, s.height/2+0.5, 2.5)
	if d > -1.2 && d < 1.2 {
		k := -0.16 * math.Exp(-sq(d/0.3))
		su, sv = su+k*gu, sv+k*gv
	}
	if d > 0 {
		factor = 0.97 // two films without a card behind them
	}
	return factor, su, sv
}

// draw composes the card and its shadow onto the layer. lit is false for
// renders that compare sleeves only.
func (s *shader) draw(l *layer) {
	r := s.bounds().Intersect(l.Rectangle)
	if r.Empty() {
		return
	}
	n := r.Dx() + 1
	type place struct{ u, v float64 }
	this, next := make([]place, n), make([]place, n)
	rays, below := make([]vec, n), make([]vec, n)
	fill := func(y int, ps []place, ds []vec) {
		for i := range n {
			ds[i] = s.view.ray(float64(r.Min.X+i), float64(y))
			ps[i].u, ps[i].v = s.meet(ds[i])
		}
	}
	fill(r.Min.Y, this, rays)
	shadow := s.newShadow()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		fill(y+1, next, below)
		row := l.row(y)
		for i := range n - 1 {
			p := this[i]
			a := sample{u: p.u, v: p.v,
				ux: this[i+1].u - p.u, vx: this[i+1].v - p.v,
				uy: next[i].u - p.u, vy: next[i].v - p.v}
			px := row[3*(r.Min.X+i-l.Min.X):][:3:3]
			d := s.distance(a.u, a.v)
			if d > shadowReachMM+2 {
				continue
			}
			perPx := s.distancePerPx(a, d)
			top := clamp(0.5-d/perPx, 0, 1)
			if top < 1 {
				s.surround(px, rays[i], top, perPx, shadow)
			}
			if top > 0 {
				c := s.shade(a, rays[i])
				through := 0.0
				if s.outer > 0 && d > -s.outer-0.5*perPx {
					// The clear border lets the table through, a little dimmed.
					through = 0.82 * clamp(0.5+(d+s.outer)/perPx, 0, 1)
				}
				for k := range 3 {
					bare := float64(px[k])
					px[k] = float32(bare*(1-top) + top*(c[k]*(1-through)+bare*through))
				}
			}
		}
		this, next = next, this
		rays, below = below, rays
	}
}

// distancePerPx is how far the signed distance moves within one pixel, in the
// direction in which it moves.
func (s *shader) distancePerPx(a sample, d float64) float64 {
	if d < -3*(math.Abs(a.ux)+math.Abs(a.vx)) || d > 3 {
		return math.Abs(a.ux) + math.Abs(a.vx)
	}
	gx := s.distance(a.u+a.ux, a.v+a.vx) - d
	gy := s.distance(a.u+a.uy, a.v+a.vy) - d
	return math.Max(1e-9, math.Sqrt(gx*gx+gy*gy))
}

// surround darkens the table beside the card and adds the side of the sleeve
// where the camera sees it below the top surface.
func (s *shader) surround(px []float32, d vec, top, perPx float64, sh *shadow) {
	x, y := s.view.onPlane(d, 0)
	f := sh.at(x, y)
	for k := range px {
		px[k] *= float32(f)
	}
	side := 0.0
	for _, part := range [...]float64{0.5, 1} {
		u, v := s.toSleeve(s.view.onPlane(d, (s.thickness+s.lift)*(1-part)))
		side = math.Max(side, clamp(0.5-s.distance(u, v)/perPx, 0, 1))
	}
	if side > top {
		// Of the wall only half the sky is seen.
		e, _, _ := s.lightAt(s.toSleeve(x, y))
		share := (side - top) / (1 - top)
		for k := range px {
			wall := 0.5 * (0.8*s.look.plain[k]*s.tint[k] + 0.02) * e[k]
			if s.outer > 0 {
				wall = float64(px[k]) * 0.85
			}
			px[k] = float32(float64(px[k])*(1-share) + share*wall)
		}
	}
}

// bounds is the rectangle of the picture that the card and its shadow can change.
func (s *shader) bounds() image.Rectangle {
	lo, hi := plane.Point{X: math.Inf(1), Y: math.Inf(1)}, plane.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	m := shadowReachMM
	for _, u := range []float64{-m, s.width / 2, s.width + m} {
		for _, v := range []float64{-m, s.height / 2, s.height + m} {
			for _, z := range []float64{0, s.thickness + s.lift + math.Abs(s.bow[0]) + math.Abs(s.bow[1])} {
				p := s.view.project(s.toWorld(u, v, z))
				lo = plane.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
				hi = plane.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
			}
		}
	}
	return image.Rect(int(lo.X)-1, int(lo.Y)-1, int(hi.X)+2, int(hi.Y)+2)
}
