package visiontest

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Art is a printed back. The zero value is plain.
type Art struct {
	Style ArtStyle
	// Seed chooses the picture; 0 means the deck's seed.
	Seed uint64
	// Symmetric makes the print look the same turned by 180 degrees.
	Symmetric bool
	// BorderMM is the width of an unprinted border of colour Border ("" means
	// White); 0 means none.
	BorderMM float64
	Border   Colour
}

// ArtStyle names a procedural design.
type ArtStyle string

// The designs.
const (
	Rosette   ArtStyle = "rosette"   // fine curves around a centre, frames, lettering
	Filigree  ArtStyle = "filigree"  // a dense two-colour repeat, as on playing cards
	Portrait  ArtStyle = "portrait"  // large flat shapes, one side up
	Landscape ArtStyle = "landscape" // soft as a photograph
	Emblem    ArtStyle = "emblem"    // an emblem on a plain ground
	Geometric ArtStyle = "geometric" // stripes, frames and boxes
	Grain     ArtStyle = "grain"     // like wood
	Carbon    ArtStyle = "carbon"    // a fine woven repeat
)

// ArtStyles lists all designs.
func ArtStyles() []ArtStyle {
	return []ArtStyle{Rosette, Filigree, Portrait, Landscape, Emblem, Geometric, Grain, Carbon}
}

// bleedMM is how far a print goes on beyond the outline, so that it can shift.
const bleedMM = 3.0

// design is a print: its ground as a function, shapes on top.
type design struct {
	w, h   float64
	ground func(x, y, footprint float64) [3]float64 // from the middle
	shapes blots
}

func paintArt(s Sleeve, ground [3]float64, seed uint64, pxPerMM float64) (*texture, error) {
	if s.Art.Seed != 0 {
		seed = s.Art.Seed
	}
	r := stream(seed, streamDesign, 0)
	d := &design{w: s.WidthMM, h: s.HeightMM}
	draw := map[ArtStyle]func(*design, *rand.Rand, [3]float64){
		Rosette: drawRosette, Filigree: drawFiligree, Portrait: drawPortrait, Landscape: drawLandscape,
		Emblem: drawEmblem, Geometric: drawGeometric, Grain: drawGrain, Carbon: drawCarbon,
	}[s.Art.Style]
	if draw == nil {
		return nil, fmt.Errorf("visiontest: unknown art style %q", s.Art.Style)
	}
	draw(d, r, ground)
	if s.Art.Symmetric {
		d.makeSymmetric()
	}
	d.shapes.bin(-d.w/2-bleedMM, -d.h/2-bleedMM, d.w/2+bleedMM, d.h/2+bleedMM)
	border := White
	if s.Art.Border != "" {
		border = s.Art.Border
	}
	blank, err := border.linear()
	if err != nil {
		return nil, err
	}
	t := newTexture(-bleedMM, -bleedMM, s.WidthMM+bleedMM, s.HeightMM+bleedMM, pxPerMM)
	fp := 1 / pxPerMM
	edge := newBlot(0, 0, 0, d.w-2*s.Art.BorderMM, d.h-2*s.Art.BorderMM, 1.5, 0, [3]float64{}, 1)
	for j := range t.height {
		for i := range t.width {
			x, y := t.left+float64(i)*fp-d.w/2, t.top+float64(j)*fp-d.h/2
			c := d.ground(x, y, fp)
			d.shapes.paint(x, y, fp, &c)
			if s.Art.BorderMM > 0 {
				k := edge.cover(x, y, fp)
				for n := range 3 {
					c[n] = blank[n] + (c[n]-blank[n])*k
				}
			}
			for n := range 3 {
				// Inks never absorb or reflect everything.
				t.pix[3*(j*t.width+i)+n] = float32(clamp(c[n], 0.008, 0.88))
			}
		}
	}
	return t, nil
}

// makeSymmetric adds to every shape its turned twin and averages the ground
// with the turned ground.
func (d *design) makeSymmetric() {
	ground := d.ground
	d.ground = func(x, y, fp float64) [3]float64 {
		a, b := ground(x, y, fp), ground(-x, -y, fp)
		for n := range 3 {
			a[n] = (a[n] + b[n]) / 2
		}
		return a
	}
	// Twins side by side, not one set on top of the other: where two shapes
	// overlap, the order must be the same from both ends. Only shapes that lie
	// wholly in the upper half are kept beside those centred on the middle.
	var kept []blot
	for _, b := range d.shapes.all {
		switch {
		case math.Abs(b.x) < 1e-9 && math.Abs(b.y) < 1e-9:
			kept = append(kept, b)
		case b.y+b.reach <= 0:
			turned := b
			turned.x, turned.y = -b.x, -b.y
			kept = append(kept, b, turned)
		}
	}
	d.shapes.all = kept
}

func flat(c [3]float64) func(x, y, fp float64) [3]float64 {
	return func(_, _, _ float64) [3]float64 { return c }
}

func scaled(c [3]float64, f float64) [3]float64 { return [3]float64{c[0] * f, c[1] * f, c[2] * f} }

func mixed(a, b [3]float64, t float64) [3]float64 {
	for n := range 3 {
		a[n] += (b[n] - a[n]) * t
	}
	return a
}

// frames draws one to three inner frames: borders that are not the edge.
func (d *design) frames(r *rand.Rand, c [3]float64) {
	inset := between(r, 1.2, 4)
	for range 1 + r.IntN(3) {
		width := between(r, 0.2, 0.7)
		d.shapes.add(0, 0, 0, d.w-2*inset, d.h-2*inset, between(r, 0, 3), width, c, between(r, 0.6, 1))
		inset += between(r, 0.7, 2)
	}
}

// thin is the cover of a line of the given width at distance dist.
func thin(dist, width, fp float64) float64 {
	return clamp(0.5-(math.Abs(dist)-width/2)/fp, 0, min(1, width/fp))
}

func drawRosette(d *design, r *rand.Rand, ground [3]float64) {
	p := palette(r, 5)
	dark := mixed(ground, [3]float64{0.01, 0.02, 0.03}, 0.5)
	type curve struct {
		radius, swing, phase, width float64
		petals                      float64
		c                           [3]float64
	}
	var cs []curve
	for range 6 + r.IntN(8) {
		cs = append(cs, curve{radius: between(r, 6, 26), swing: between(r, 1, 6), phase: r.Float64() * 6,
			width: between(r, 0.15, 0.5), petals: float64(2 * (2 + r.IntN(10))), c: p[r.IntN(len(p))]})
	}
	waveY, waveN := between(r, 26, 36), between(r, 0.3, 1.2)
	d.ground = func(x, y, fp float64) [3]float64 {
		c := mixed(ground, dark, smoothstep(10, 60, math.Hypot(x, y)))
		radius, angle := math.Hypot(x, y), math.Atan2(y, x)
		for i := range cs {
			k := &cs[i]
			sin, cos := math.Sincos(k.petals*angle + k.phase)
			slope := k.swing * k.petals * cos / max(radius, 1)
			dist := (radius - k.radius - k.swing*sin) / math.Sqrt(1+slope*slope)
			c = mixed(c, k.c, thin(dist, k.width, fp))
		}
		for i := range 3 {
			// Waves across, above and below.
			wave := math.Abs(y) - waveY - float64(i)*1.3 - math.Sin(x*waveN*float64(i+1))
			c = mixed(c, cs[i].c, 0.8*thin(wave/1.4, 0.3, fp))
		}
		return c
	}
	d.frames(r, p[0])
	d.shapes.text(r, -d.w*0.3, -d.h/2+9, 0, d.w*0.6, 2.2, p[1], 0.9)
	d.shapes.text(r, -d.w*0.25, d.h/2-9, 0, d.w*0.5, 1.8, p[2], 0.9)
	d.shapes.add(0, -1.5, 0, 12, 12, 6, 0, p[3], 0.9)
	d.shapes.add(0, 2, 0, 11, 7, 3.5, 0, p[4], 0.9)
}

func drawFiligree(d *design, r *rand.Rand, ground [3]float64) {
	white := [3]float64{0.78, 0.77, 0.74}
	n, m := between(r, 0.9, 1.8), between(r, 0.9, 1.8)
	a, b := between(r, 0.5, 2), between(r, 0.5, 2)
	d.ground = func(x, y, fp float64) [3]float64 {
		// A sum of even waves is the same turned by 180 degrees.
		f := math.Cos(n*x)*math.Cos(m*y) + 0.6*math.Cos(2.3*n*x+a*math.Cos(0.4*y))*math.Cos(1.7*m*y+b*math.Cos(0.3*x)) +
			0.3*math.Cos(3.7*n*(x+y*0.3))*math.Cos(3.1*m*(y-x*0.3))
		return mixed(ground, white, smoothstep(-1.5, 1.5, (math.Abs(f)-0.25)/(1.2*fp)))
	}
	d.shapes.add(0, 0, 0, d.w-9, d.h-9, 2, 0.8, white, 1)
	d.shapes.add(0, 0, 0, d.w-12, d.h-12, 1.5, 0.4, ground, 1)
	// Two medallions; asymmetric designs get different ones.
	for _, side := range []float64{-1, 1} {
		y := side * d.h * 0.24
		d.shapes.add(0, y, 0, 22, 22, 11, 0, white, 1)
		d.shapes.add(0, y, 0, 20, 20, 10, 0, ground, 1)
		for range 9 {
			t, q := r.Float64()*6.28, between(r, 2, 8)
			d.shapes.add(q*math.Cos(t), y+q*math.Sin(t), t, between(r, 1, 4), between(r, 0.5, 1.5), 1, 0, white, 1)
		}
	}
	d.shapes.add(0, 0, math.Pi/4, 9, 9, 0, 0, white, 1)
}

func drawPortrait(d *design, r *rand.Rand, ground [3]float64) {
	p := palette(r, 8)
	s := uint32(r.Uint64())
	d.ground = func(x, y, fp float64) [3]float64 {
		c := mixed(ground, p[0], smoothstep(-50, 50, y+10*noise(x/20, y/20, s)))
		// Hatching, as engravers shade.
		h := x*0.8 + y*0.6
		return mixed(c, scaled(c, 0.6), 0.5*smoothstep(0, 0.8, noise(x/12, y/12, s+1))*thin(h-math.Round(h/1.1)*1.1, 0.35, fp))
	}
	// A figure: body, head, hair, eyes, a blade across.
	d.shapes.add(between(r, -6, 6), d.h*0.32, 0, between(r, 34, 46), d.h*0.55, 14, 0, p[1], 1)
	d.shapes.add(between(r, -8, 8), -d.h*0.05, between(r, -0.3, 0.3), 24, 30, 12, 0, p[2], 1)
	hx, hy := between(r, -4, 4), -d.h*0.16
	d.shapes.add(hx, hy-6, 0, 23, 24, 11, 0, p[3], 1)
	d.shapes.add(hx, hy, 0, 17, 22, 8.5, 0, [3]float64{0.65, 0.42, 0.3}, 1)
	for _, e := range []float64{-3.6, 3.6} {
		d.shapes.add(hx+e, hy-1, 0, 3.8, 2.4, 1.2, 0, [3]float64{0.8, 0.8, 0.8}, 1)
		d.shapes.add(hx+e, hy-1, 0, 1.8, 2.2, 0.9, 0, p[4], 1)
	}
	d.shapes.add(hx, hy+5.5, 0, 4, 1, 0.5, 0, [3]float64{0.35, 0.06, 0.06}, 1)
	d.shapes.add(between(r, -8, 8), between(r, 0, 20), between(r, 0.4, 1), 3, 80, 0.5, 0, [3]float64{0.55, 0.58, 0.62}, 1)
	for range 40 {
		d.shapes.add(between(r, -d.w/2, d.w/2), between(r, -d.h/2, d.h/2), r.Float64()*3, between(r, 0.5, 6), between(r, 0.3, 2), 1, 0, p[r.IntN(8)], between(r, 0.3, 0.9))
	}
	d.shapes.text(r, -d.w*0.35, d.h/2-8, 0, d.w*0.7, 4, [3]float64{0.8, 0.75, 0.6}, 1)
}

func drawLandscape(d *design, r *rand.Rand, ground [3]float64) {
	p := palette(r, 4)
	s := uint32(r.Uint64())
	size := between(r, 10, 40)
	d.ground = func(x, y, fp float64) [3]float64 {
		f := fractal(x/size, y/size, fp/size, 9, 0.55, s)
		g := fractal(x/size+40+f, y/size, fp/size, 9, 0.6, s+77)
		c := mixed(ground, p[0], smoothstep(-0.8, 0.8, f))
		c = mixed(c, p[1], smoothstep(0, 0.9, g))
		// A horizon with hills in front of the sky.
		hill := y - 8 - 12*fractal(x/30, 0.5, fp/30, 6, 0.5, s+5)
		c = mixed(c, scaled(p[2], 0.5+0.4*fractal(x/4, y/4, fp/4, 6, 0.7, s+9)), clamp(0.5+hill/(2*fp), 0, 1)*0.85)
		return c
	}
	if r.Float64() < 0.5 {
		d.shapes.add(between(r, -15, 15), -d.h*0.3, 0, 14, 14, 7, 0, [3]float64{0.85, 0.8, 0.6}, 0.9)
	}
}

func drawEmblem(d *design, r *rand.Rand, ground [3]float64) {
	p := palette(r, 4)
	d.ground = flat(ground)
	if r.Float64() < 0.6 {
		d.frames(r, p[0])
	}
	size := between(r, 14, 34)
	d.shapes.add(0, 0, between(r, 0, 1), size, size, between(r, 0, size/2), between(r, 0.8, 3), p[1], 1)
	d.shapes.add(0, -size*0.05, 0.78, size*0.5, size*0.5, between(r, 0, 3), 0, p[2], 1)
	d.shapes.add(size*0.1, size*0.15, 0.2, size*0.3, size*0.2, 1, 0, p[3], 1)
	d.shapes.text(r, -d.w*0.22, -size*0.5-6, 0, d.w*0.44, 3, p[1], 1)
	d.shapes.text(r, -d.w*0.2, size*0.5+5, 0, d.w*0.4, between(r, 1.2, 3), p[1], 1)
}

func drawGeometric(d *design, r *rand.Rand, ground [3]float64) {
	p := palette(r, 5)
	turn, period := r.Float64()*3, between(r, 2, 9)
	sin, cos := math.Sincos(turn)
	d.ground = func(x, y, fp float64) [3]float64 {
		h := x*cos + y*sin
		return mixed(ground, p[0], thin(h-math.Round(h/period)*period, period*0.4, fp))
	}
	d.frames(r, p[1])
	for range 14 {
		w, h := between(r, 4, 40), between(r, 4, 40)
		line := 0.0
		if r.Float64() < 0.6 {
			line = between(r, 0.3, 2)
		}
		d.shapes.add(between(r, -d.w/2, d.w/2), between(r, -d.h/2, d.h/2), float64(r.IntN(4))*math.Pi/8, w, h, between(r, 0, 3), line, p[r.IntN(5)], between(r, 0.5, 1))
	}
	d.frames(r, p[2])
}

func drawGrain(d *design, r *rand.Rand, ground [3]float64) {
	s := uint32(r.Uint64())
	d.ground = func(x, y, fp float64) [3]float64 {
		w := x + 5*fractal(x/25, y/90, fp/25, 3, 0.5, s)
		ring := 0.5 + 0.5*math.Sin(w*1.3+3*noise(w/8, y/160, s+3))
		return scaled(ground, 1+0.35*(ring*ring-0.4)+0.1*fractal(w/0.5, y/14, fp/0.5, 3, 0.7, s+5))
	}
}

func drawCarbon(d *design, r *rand.Rand, ground [3]float64) {
	cell := between(r, 1.2, 2.5)
	light := mixed(ground, [3]float64{0.4, 0.4, 0.4}, 0.3)
	d.ground = func(x, y, fp float64) [3]float64 {
		i, j := math.Floor(x/cell), math.Floor(y/cell)
		fx, fy := x/cell-i, y/cell-j
		k := fy
		if int(i+j)&1 == 0 {
			k = fx
		}
		return mixed(ground, light, math.Sin(math.Pi*k))
	}
	p := palette(r, 2)
	if r.Float64() < 0.5 {
		d.frames(r, p[0])
	}
}
