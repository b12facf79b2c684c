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
	wear        float64
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

// shader is one card under one light.
type shader struct {
	*card
	light    *lighting
	view     *viewer
	over     *overlay // nil: clean
	sin, cos float64
	outer    float64 // width of the clear border of an outer sleeve
}

func newShader(c *card, light *lighting, view *viewer, over *overlay) *shader {
	s := &shader{card: c, light: light, view: view, over: over}
	s.sin, s.cos = math.Sincos(c.rotation)
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

// meet returns where a ray meets the bowed top surface, from a guess of the
// height there. The surface is nearly level and the ray nearly vertical: each
// step divides the error by about 50.
func (s *shader) meet(d vec, guess float64, steps int) (u, v, z float64) {
	z = guess
	for range steps {
		u, v = s.toSleeve(s.view.onPlane(d, z))
		z, _, _ = s.surface(u, v)
	}
	return u, v, z
}

// smooth is what changes slowly over the picture: exact every nodeStep
// pixels, linear between.
type smooth [numSmooth]float64

const (
	atU = iota // on the sleeve, mm
	atV
	groundX // where the ray meets the table
	groundY
	height // of the surface, mm
	slopeU // of the bow
	slopeV
	rayX
	rayY
	rayZ
	lightR // irradiance
	lightG
	lightB
	lampX // slope from which the lamps shine
	lampY
	lampShare // of all light
	numSmooth
)

// smoothAt computes everything for the ray d that meets the surface at (u, v).
func (s *shader) smoothAt(u, v float64, d vec) (m smooth) {
	m[atU], m[atV] = u, v
	m[height], m[slopeU], m[slopeV] = s.surface(u, v)
	m[groundX], m[groundY] = s.view.onPlane(d, 0)
	m[rayX], m[rayY], m[rayZ] = d[0], d[1], d[2]
	e, x, y, share := s.light.irradiance(s.world(u, v, m[height]))
	m[lightR], m[lightG], m[lightB] = e[0], e[1], e[2]
	m[lampX], m[lampY], m[lampShare] = x, y, share
	return m
}

// world is toWorld with the sine at hand.
func (s *shader) world(u, v, z float64) vec {
	x, y := u-s.width/2, s.height/2-v
	return vec{s.centre.X + s.cos*x - s.sin*y, s.centre.Y + s.sin*x + s.cos*y, z}
}

// step is one pixel's footprint on the sleeve: the way of one pixel to the
// right and down, in mm.
type step struct{ ux, vx, uy, vy float64 }

// shade returns the light leaving the sleeve towards the camera.
func (s *shader) shade(m *smooth, a step) (out [3]float64) {
	u, v, hu, hv := m[atU], m[atV], m[slopeU], m[slopeV]
	var albedo [3]float64
	var cover, dim, shine float64
	var add [3]float64
	rim, ru, rv, curve := s.relief(u, v)
	hu, hv = hu+ru, hv+rv

	if s.look.print == nil {
		albedo = s.look.plain
	} else {
		s.look.print.at(u-s.printOffset.X, v-s.printOffset.Y, &albedo)
	}
	if s.over != nil && !s.over.clear(u, v) {
		// Four samples at a quarter of a pixel: with an overlay of twice the
		// camera's resolution that is a box filter.
		for _, f := range [4][2]float64{{-0.25, -0.25}, {0.25, -0.25}, {-0.25, 0.25}, {0.25, 0.25}} {
			t := s.over.at(u+f[0]*a.ux+f[1]*a.uy, v+f[0]*a.vx+f[1]*a.vy)
			if t == nil {
				continue
			}
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
	g := embossing().at(u+s.grainShift.X, v+s.grainShift.Y)
	hu += s.look.grain * float64(g[0])
	hv += s.look.grain * float64(g[1])
	k := (1 + s.look.mottle*float64(g[2])) * rim * (1 - dim/4) * (1 - cover/4)
	sx, sy := hu*s.cos+hv*s.sin, hu*s.sin-hv*s.cos
	facing := max(0, 1-m[lampShare]*(sx*m[lampX]+sy*m[lampY]))
	for c := range 3 {
		out[c] = (albedo[c]*s.tint[c]*k + add[c]/4) * m[lightR+c] * facing
	}
	p, d := s.world(u, v, m[height]), vec{m[rayX], m[rayY], m[rayZ]}
	// Where the relief curves, the slope changes within the pixel; that
	// spreads the mirror image as roughness does (normal filtering, Toksvig
	// 2005), and keeps glints from breaking up into dots.
	roughness := math.Sqrt(sq(s.look.roughness) + sq(0.5*curve*(math.Abs(a.ux)+math.Abs(a.vx))))
	s.light.mirror(p, d, sx, sy, roughness, max(0, 1+shine/4), &out)
	if s.outer > 0 {
		s.light.mirror(p, d, sx, sy, 0.05, 0.8, &out)
	}
	return out
}

// outerBorderMM is how far a clear outer sleeve stands out on every side.
const outerBorderMM = 1.2

// relief is the sleeve's own shape: the film rounds off at the outline, and
// the card inside shows as a step 1 to 2 mm from it, nearer at the bottom
// because the sleeve opens at the top. It returns a factor on the albedo, the
// slopes, and the slope's change per mm across the outline.
func (s *shader) relief(u, v float64) (factor, su, sv, curve float64) {
	// Only within 4 mm of the outline is there anything to see.
	if m := min(min(u, s.width-u), min(v, s.height-v)); m > 4 {
		return 1, 0, 0, 0
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
	const rim, fall = 0.25, 0.35
	if d > -rim {
		t := min(1, (d+rim)/rim)
		su, sv, curve = -fall*t*t*gu, -fall*t*t*gv, 2*fall*t/rim
	}
	if s.look.bare {
		return factor, su, sv, curve
	}
	w, h := s.width-2*s.outer-3, s.height-2*s.outer-3
	d, gu, gv = gradient(w, h, s.width/2, s.height/2+0.5, 2.5)
	const step, width = 0.16, 0.3
	if d > -4*width && d < 4*width {
		k := -step * math.Exp(-sq(d/width))
		su, sv, curve = su+k*gu, sv+k*gv, curve+2*math.Abs(k*d)/(width*width)
	}
	if d > 0 {
		factor = 0.97 // two films without a card behind them
	}
	return factor, su, sv, curve
}

// nodeStep: between nodes the maps from picture to sleeve are linear to
// 0.001 px for any camera of RandomSpec.
const nodeStep = 8

// draw composes the card and its shadow onto the layer.
func (s *shader) draw(l *layer) {
	r := s.bounds().Intersect(l.Rectangle)
	if r.Empty() {
		return
	}
	cols, rows := (r.Dx()+nodeStep-1)/nodeStep+1, (r.Dy()+nodeStep-1)/nodeStep+1
	nodes := make([]smooth, cols*rows)
	for j := range rows {
		z := s.thickness + s.lift + (s.bow[0]+s.bow[1])/2
		for i := range cols {
			d := s.view.ray(float64(r.Min.X+i*nodeStep), float64(r.Min.Y+j*nodeStep))
			var u, v float64
			u, v, z = s.meet(d, z, 4)
			nodes[j*cols+i] = s.smoothAt(u, v, d)
		}
	}
	sh := s.newShadow()
	for j := range rows - 1 {
		for i := range cols - 1 {
			n := [4]*smooth{&nodes[j*cols+i], &nodes[j*cols+i+1], &nodes[(j+1)*cols+i], &nodes[(j+1)*cols+i+1]}
			from := image.Pt(r.Min.X+i*nodeStep, r.Min.Y+j*nodeStep)
			s.drawCell(l, n, image.Rectangle{from, from.Add(image.Pt(nodeStep, nodeStep))}.Intersect(r), sh)
		}
	}
}

// drawCell draws the pixels between four nodes.
func (s *shader) drawCell(l *layer, n [4]*smooth, r image.Rectangle, sh *shadow) {
	near, far := math.Inf(1), math.Inf(-1)
	for _, m := range n {
		d := s.distance(m[atU], m[atV])
		near, far = min(near, d), max(far, d)
	}
	size := math.Abs(n[3][atU]-n[0][atU]) + math.Abs(n[3][atV]-n[0][atV])
	if near > shadowReachMM+size {
		return
	}
	inside := far < -size
	var a step
	a.ux, a.vx = (n[1][atU]-n[0][atU]+n[3][atU]-n[2][atU])/(2*nodeStep), (n[1][atV]-n[0][atV]+n[3][atV]-n[2][atV])/(2*nodeStep)
	a.uy, a.vy = (n[2][atU]-n[0][atU]+n[3][atU]-n[1][atU])/(2*nodeStep), (n[2][atV]-n[0][atV]+n[3][atV]-n[1][atV])/(2*nodeStep)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		fy := float64(y-r.Min.Y) / nodeStep
		var m, delta smooth
		for k := range m {
			m[k] = n[0][k] + (n[2][k]-n[0][k])*fy
			delta[k] = (n[1][k] + (n[3][k]-n[1][k])*fy - m[k]) / nodeStep
		}
		row := l.row(y)[3*(r.Min.X-l.Min.X):]
		for x := range r.Dx() {
			px := row[3*x:][:3:3]
			if inside {
				c := s.shade(&m, a)
				px[0], px[1], px[2] = float32(c[0]), float32(c[1]), float32(c[2])
			} else {
				s.drawRim(px, &m, a, sh)
			}
			for k := range m {
				m[k] += delta[k]
			}
		}
	}
}

// drawRim draws a pixel that the outline may cross.
func (s *shader) drawRim(px []float32, m *smooth, a step, sh *shadow) {
	d := s.distance(m[atU], m[atV])
	if d > shadowReachMM {
		return
	}
	perPx := s.distancePerPx(m[atU], m[atV], a, d)
	top := clamp(0.5-d/perPx, 0, 1)
	if top < 1 {
		s.surround(px, m, top, perPx, sh)
	}
	if top == 0 {
		return
	}
	c := s.shade(m, a)
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

// distancePerPx is how far the signed distance moves within one pixel, in the
// direction in which it moves.
func (s *shader) distancePerPx(u, v float64, a step, d float64) float64 {
	size := math.Abs(a.ux) + math.Abs(a.vx)
	if d < -3*size || d > 3*size {
		return size // far from the outline only the sign matters
	}
	gx := s.distance(u+a.ux, v+a.vx) - d
	gy := s.distance(u+a.uy, v+a.vy) - d
	return max(1e-9, math.Sqrt(gx*gx+gy*gy))
}

// surround darkens the table beside the card and adds the side of the sleeve
// where the camera sees it below the top surface.
func (s *shader) surround(px []float32, m *smooth, top, perPx float64, sh *shadow) {
	f := sh.at(m[groundX], m[groundY])
	for k := range px {
		px[k] *= float32(f)
	}
	// The ray's way over the table per mm of height.
	dx, dy := m[rayX]/m[rayZ], m[rayY]/m[rayZ]
	side := 0.0
	for _, part := range [...]float64{0, 0.5} {
		z := (s.thickness + s.lift) * part
		u, v := s.toSleeve(m[groundX]+z*dx, m[groundY]+z*dy)
		side = max(side, clamp(0.5-s.distance(u, v)/perPx, 0, 1))
	}
	if side > top {
		// Of the wall only half the sky is seen.
		share := (side - top) / (1 - top)
		for k := range px {
			wall := 0.5 * (0.8*s.look.plain[k]*s.tint[k] + 0.02) * m[lightR+k]
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
				lo = plane.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
				hi = plane.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
			}
		}
	}
	return image.Rect(int(lo.X)-1, int(lo.Y)-1, int(hi.X)+2, int(hi.Y)+2)
}
