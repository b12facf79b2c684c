package visiontest

import (
	"image"
	"math"
)

// sheet is one side of a sleeve as it leaves light towards the camera from its
// zone, defocus included: linear light, lightOne for a white surface in the
// middle of the table.
type sheet struct {
	width, height int // texels
	pxPerMM       float64
	wide, high    float64 // mm
	radius        float64
	pix           []uint16 // red, green, blue
}

// lightOne leaves one stop above white for glare.
const lightOne = 32768

func toLight(v float64) uint16 { return uint16(clamp(v*lightOne+0.5, 0, 65535)) }

// newSheet renders the card's side at pxPerMM.
func newSheet(s *shader, pxPerMM, blurPx float64) *sheet {
	t := &sheet{pxPerMM: pxPerMM, wide: s.width, high: s.height, radius: s.radius,
		width: int(math.Ceil(s.width*pxPerMM)) + 1, height: int(math.Ceil(s.height*pxPerMM)) + 1}
	l := newLayer(image.Rect(0, 0, t.width, t.height))
	a := step{ux: 1 / s.view.scale, vy: 1 / s.view.scale}
	const cell = 8
	cols, rows := t.width/cell+2, t.height/cell+2
	nodes := make([]smooth, cols*rows)
	for j := range rows {
		for i := range cols {
			u, v := float64(i*cell)/pxPerMM, float64(j*cell)/pxPerMM
			z, _, _ := s.surface(u, v)
			p := s.view.project(s.toWorld(u, v, z))
			d := s.view.ray(clamp(p.X, 0, float64(s.view.width)), clamp(p.Y, 0, float64(s.view.height)))
			nodes[j*cols+i] = s.smoothAt(u, v, d)
		}
	}
	for y := range t.height {
		row := l.row(y)
		j, fy := y/cell, float64(y%cell)/cell
		for x := range t.width {
			i, fx := x/cell, float64(x%cell)/cell
			n := [4]*smooth{&nodes[j*cols+i], &nodes[j*cols+i+1], &nodes[(j+1)*cols+i], &nodes[(j+1)*cols+i+1]}
			var m smooth
			for k := range m {
				top, bottom := n[0][k]+(n[1][k]-n[0][k])*fx, n[2][k]+(n[3][k]-n[2][k])*fx
				m[k] = top + (bottom-top)*fy
			}
			c := s.shade(&m, a)
			row[3*x], row[3*x+1], row[3*x+2] = float32(c[0]), float32(c[1]), float32(c[2])
		}
	}
	l = blur(l, l.Rectangle, blurPx*pxPerMM/s.view.scale)
	t.pix = make([]uint16, len(l.pix))
	for i, v := range l.pix {
		t.pix[i] = toLight(float64(v))
	}
	return t
}

// turnOver lays the sheet the other way round; its light goes with it, which over a
// card that lies under soft lamps is little.
func (t *sheet) turnOver() {
	for i, j := 0, len(t.pix)-3; i < j; i, j = i+3, j-3 {
		for c := range 3 {
			t.pix[i+c], t.pix[j+c] = t.pix[j+c], t.pix[i+c]
		}
	}
}

// distance is the signed distance in mm to the outline, negative inside.
func (t *sheet) distance(u, v float64) float64 {
	qx := math.Abs(u-t.wide/2) - t.wide/2 + t.radius
	qy := math.Abs(v-t.high/2) - t.high/2 + t.radius
	d := max(qx, qy)
	if qx > 0 && qy > 0 {
		d = math.Sqrt(qx*qx + qy*qy)
	}
	return d - t.radius
}

// canvas is the picture in linear light.
type canvas struct {
	w, h int
	pix  []uint16
}

func (c *canvas) bounds() image.Rectangle { return image.Rect(0, 0, c.w, c.h) }

func (c *canvas) row(y int) []uint16 { return c.pix[3*y*c.w:][:3*c.w] }

func (c *canvas) copyFrom(src *canvas, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(c.row(y)[3*r.Min.X:3*r.Max.X], src.row(y)[3*r.Min.X:3*r.Max.X])
	}
}

// cut copies r out.
func (c *canvas) cut(r image.Rectangle) []uint16 {
	out := make([]uint16, 0, 3*r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		out = append(out, c.row(y)[3*r.Min.X:3*r.Max.X]...)
	}
	return out
}

func (c *canvas) paste(r image.Rectangle, pix []uint16) {
	n := 3 * r.Dx()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(c.row(y)[3*r.Min.X:3*r.Max.X], pix[(y-r.Min.Y)*n:][:n])
	}
}

// placed is a sheet in a pose under a camera.
type placed struct {
	*sheet
	pose
	view     *viewer
	sin, cos float64
	soft     float64 // width of the outline's ramp, px
}

func place(t *sheet, q pose, v *viewer, soft float64) *placed {
	p := &placed{sheet: t, pose: q, view: v, soft: soft}
	p.sin, p.cos = math.Sincos(q.turn)
	return p
}

// onCard returns the place on the card, mm, that pixel (x, y) sees.
func (p *placed) onCard(x, y float64) (u, v float64) {
	wx, wy := p.view.onPlane(p.view.ray(x, y), p.z)
	wx, wy = wx-p.x, wy-p.y
	squeeze := math.Max(0.05, math.Abs(p.flip))
	return p.wide/2 + (p.cos*wx+p.sin*wy)/squeeze, p.high/2 + p.sin*wx - p.cos*wy
}

// bounds is where the card is in the picture, grown by mm.
func (p *placed) bounds(mm float64) image.Rectangle {
	lo, hi := plane2{math.Inf(1), math.Inf(1)}, plane2{math.Inf(-1), math.Inf(-1)}
	for _, sx := range []float64{-1, 1} {
		for _, sy := range []float64{-1, 1} {
			x, y := sx*(p.wide/2*math.Abs(p.flip)+mm), sy*(p.high/2+mm)
			k := p.view.project(vec{p.x + p.cos*x - p.sin*y, p.y + p.sin*x + p.cos*y, p.z})
			lo, hi = plane2{min(lo.x, k.X), min(lo.y, k.Y)}, plane2{max(hi.x, k.X), max(hi.y, k.Y)}
		}
	}
	// Far outside the picture the lens's polynomial means nothing.
	f := func(v float64) int { return int(clamp(v, -1e6, 1e6)) }
	return image.Rect(f(lo.x)-3, f(lo.y)-3, f(hi.x)+4, f(hi.y)+4)
}

type plane2 struct{ x, y float64 }

// cell is the side of the squares over which the map is taken as linear.
const sheetCell = 16

// each calls f for the cells of r with the map's corners and steps.
func (p *placed) each(r image.Rectangle, f func(c image.Rectangle, u, v, ux, vx, uy, vy float64)) {
	for y := r.Min.Y; y < r.Max.Y; y += sheetCell {
		for x := r.Min.X; x < r.Max.X; x += sheetCell {
			c := image.Rect(x, y, min(x+sheetCell, r.Max.X), min(y+sheetCell, r.Max.Y))
			w, h := float64(c.Dx()), float64(c.Dy())
			u0, v0 := p.onCard(float64(c.Min.X), float64(c.Min.Y))
			u1, v1 := p.onCard(float64(c.Max.X), float64(c.Min.Y))
			u2, v2 := p.onCard(float64(c.Min.X), float64(c.Max.Y))
			f(c, u0, v0, (u1-u0)/w, (v1-v0)/w, (u2-u0)/h, (v2-v0)/h)
		}
	}
}

// draw paints the card; with acc it adds the share of a motion-blurred card
// instead.
func (p *placed) draw(dst *canvas, acc *smearing, share float32) {
	r := p.bounds(0).Intersect(dst.bounds())
	if r.Empty() {
		return
	}
	p.each(r, func(c image.Rectangle, u, v, ux, vx, uy, vy float64) {
		w, h := float64(c.Dx()), float64(c.Dy())
		size := math.Abs(ux)*w + math.Abs(vx)*w + math.Abs(uy)*h + math.Abs(vy)*h
		d := p.distance(u+(ux*w+uy*h)/2, v+(vx*w+vy*h)/2)
		if d > size {
			return
		}
		inside := d < -size
		perPx := math.Sqrt(math.Abs(ux*vy - uy*vx))
		ramp := 1 / (perPx * p.soft)
		for y := c.Min.Y; y < c.Max.Y; y++ {
			dy := float64(y - c.Min.Y)
			pu, pv := u+uy*dy, v+vy*dy
			row := dst.row(y)
			for x := c.Min.X; x < c.Max.X; x++ {
				alpha := float32(1)
				if !inside {
					alpha = float32(smoothstep(0, 1, 0.5-p.distance(pu, pv)*ramp))
				}
				if alpha > 0 {
					if acc != nil {
						acc.add(x, y, p.nearest(pu, pv), alpha*share)
					} else {
						p.mix(row[3*x:3*x+3:3*x+3], pu, pv, alpha)
					}
				}
				pu += ux
				pv += vx
			}
		}
	})
}

// mix lays the bilinear texel over px.
func (p *placed) mix(px []uint16, u, v float64, alpha float32) {
	x, y := clamp(u*p.pxPerMM, 0, float64(p.width)-1.001), clamp(v*p.pxPerMM, 0, float64(p.height)-1.001)
	i, j := int(x), int(y)
	fx, fy := float32(x-float64(i)), float32(y-float64(j))
	k := 3 * (j*p.width + i)
	a, b := p.pix[k:k+6:k+6], p.pix[k+3*p.width:k+3*p.width+6:k+3*p.width+6]
	for c := range 3 {
		top := float32(a[c]) + (float32(a[c+3])-float32(a[c]))*fx
		bottom := float32(b[c]) + (float32(b[c+3])-float32(b[c]))*fx
		s := top + (bottom-top)*fy
		d := float32(px[c])
		px[c] = uint16(d + (s-d)*alpha + 0.5)
	}
}

func (p *placed) nearest(u, v float64) []uint16 {
	i, j := min(max(int(u*p.pxPerMM+0.5), 0), p.width-1), min(max(int(v*p.pxPerMM+0.5), 0), p.height-1)
	k := 3 * (j*p.width + i)
	return p.pix[k : k+3 : k+3]
}

// darken lays the contact shadow of a resting card round it; where cards lie
// on each other their shadows do not add up beyond half of what bare shows.
func (p *placed) darken(dst, bare *canvas, thick float64) {
	reach := 6 * thick
	r := p.bounds(reach).Intersect(dst.bounds())
	p.each(r, func(c image.Rectangle, u, v, ux, vx, uy, vy float64) {
		w, h := float64(c.Dx()), float64(c.Dy())
		size := math.Abs(ux)*w + math.Abs(vx)*w + math.Abs(uy)*h + math.Abs(vy)*h
		if d := p.distance(u+(ux*w+uy*h)/2, v+(vx*w+vy*h)/2); d > size+reach || d < -size {
			return
		}
		for y := c.Min.Y; y < c.Max.Y; y++ {
			dy := float64(y - c.Min.Y)
			pu, pv := u+uy*dy, v+vy*dy
			row, light := dst.row(y), bare.row(y)
			for x := c.Min.X; x < c.Max.X; x++ {
				// Half of the room's light is hidden at the foot of the wall.
				f := float32(1 - 0.4*math.Exp(-math.Max(0, p.distance(pu, pv))/(1.5*thick)))
				for k := 3 * x; k < 3*x+3; k++ {
					row[k] = max(uint16(float32(row[k])*f+0.5), min(row[k], light[k]/2))
				}
				pu += ux
				pv += vx
			}
		}
	})
}

// smearing gathers a moving thing over the exposure.
type smearing struct {
	r   image.Rectangle
	pix []float32 // red, green, blue, cover
}

func newSmearing(r image.Rectangle) *smearing {
	return &smearing{r, make([]float32, 4*r.Dx()*r.Dy())}
}

func (s *smearing) add(x, y int, c []uint16, share float32) {
	if x < s.r.Min.X || x >= s.r.Max.X || y < s.r.Min.Y || y >= s.r.Max.Y {
		return
	}
	k := 4 * ((y-s.r.Min.Y)*s.r.Dx() + x - s.r.Min.X)
	p := s.pix[k : k+4 : k+4]
	p[0] += share * float32(c[0])
	p[1] += share * float32(c[1])
	p[2] += share * float32(c[2])
	p[3] += share
}

func (s *smearing) lay(dst *canvas) {
	for y := s.r.Min.Y; y < s.r.Max.Y; y++ {
		row := dst.row(y)[3*s.r.Min.X:]
		in := s.pix[4*(y-s.r.Min.Y)*s.r.Dx():][:4*s.r.Dx()]
		for x := range s.r.Dx() {
			p := in[4*x : 4*x+4 : 4*x+4]
			if p[3] == 0 {
				continue
			}
			for c := range 3 {
				row[3*x+c] = uint16(min(65535, float32(row[3*x+c])*(1-min(1, p[3]))+p[c]+0.5))
			}
		}
	}
}
