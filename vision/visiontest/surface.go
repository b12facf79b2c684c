package visiontest

import (
	"fmt"
	"math"
)

// newSurface readies a table. Textures are in millimetres and drop what is
// finer than the footprint.
func newSurface(t Table, seed uint64) (*surface, error) {
	ground, err := t.Colour.linear()
	if err != nil {
		return nil, err
	}
	s := uint32(mix(seed))
	k := t.Strength
	shaded := func(f float64, out *[3]float64) { *out = scaled(ground, max(0.05, f)) }
	switch t.Kind {
	case Paper:
		return &surface{roughness: 0.6, shine: 0.5, albedo: func(x, y, fp float64, out *[3]float64) {
			shaded(1+k*0.012*fractal(x/9, y/9, fp/9, 5, 0.7, s), out)
		}}, nil
	case Plain:
		// A laminate or desk pad: even, a little shiny, a few scratches.
		return &surface{roughness: 0.25, shine: 0.7, albedo: func(x, y, fp float64, out *[3]float64) {
			shaded(1+k*0.01*fractal(x/40, y/40, fp/40, 7, 0.6, s), out)
			lint(x, y, fp, 60, 25, 0.08, 0.5*k, [3]float64{0.7, 0.7, 0.7}, s, out)
		}}, nil
	case Playmat:
		return &surface{roughness: 0.6, shine: 0.5, albedo: func(x, y, fp float64, out *[3]float64) {
			shaded(1+k*(0.10*fractal(x/30, y/30, fp/30, 7, 0.75, s)+weave(x, y, 0.6, fp, s)), out)
			lint(x, y, fp, 12, 3, 0.06, 0.35*k, [3]float64{0.5, 0.5, 0.5}, s, out)
		}}, nil
	case Felt:
		return &surface{roughness: 0.7, shine: 0.3, albedo: func(x, y, fp float64, out *[3]float64) {
			// Fibres: noise stretched along a direction that wanders.
			a := 3 * noise(x/6, y/6, s+4)
			sin, cos := math.Sincos(a)
			fibre := noise((x*cos+y*sin)/1.6, (y*cos-x*sin)/0.25, s+5)
			shaded(1+k*(0.16*fractal(x/4, y/4, fp/4, 5, 0.8, s)+0.22*fibre*clamp(0.5/fp, 0, 1)), out)
			lint(x, y, fp, 7, 4, 0.1, 0.55*k, [3]float64{0.6, 0.58, 0.55}, s, out)
		}}, nil
	case Wood:
		return &surface{roughness: 0.15, shine: 0.6, albedo: func(x, y, fp float64, out *[3]float64) {
			// Planks along x; each with its own years, which bend a little,
			// and its own tone. Pores are fine streaks.
			const plank = 95.0
			row := math.Floor(y / plank)
			tone := 0.1 * float64(lattice(int32(row), 3, s))
			px := x + 700*float64(lattice(int32(row), 7, s))
			w := y + 14*fractal(px/260, y/60, fp/60, 3, 0.5, s)
			ring := 0.5 + 0.5*math.Sin(w*0.55+3*noise(px/400, w/14, s+3))
			streak := fractal(px/28, w/0.7, fp/0.7, 3, 0.7, s+5)
			shaded(1+k*(tone+0.24*(ring*ring-0.4)+0.08*streak), out)
			joint := thin(y-math.Round(y/plank)*plank, 0.7, fp)
			*out = scaled(*out, 1-0.75*k*joint)
		}}, nil
	case Marble:
		return &surface{roughness: 0.04, shine: 1, albedo: func(x, y, fp float64, out *[3]float64) {
			wx, wy := 25*fractal(x/60, y/60, fp/60, 5, 0.55, s), 25*fractal(x/60, y/60, fp/60, 5, 0.55, s+31)
			vein := 1 - math.Abs(fractal((x+wx)/70, (y+wy)/70, fp/70, 5, 0.6, s+3))
			vein = math.Pow(clamp(vein, 0, 1), 14)
			shaded(1-k*(0.5*vein+0.05*fractal(x/15, y/15, fp/15, 5, 0.6, s+8)), out)
		}}, nil
	case Carpet:
		return &surface{roughness: 0.8, shine: 0.1, albedo: func(x, y, fp float64, out *[3]float64) {
			// Loops of 2.5 mm, dark between them, two yarns.
			x2, y2 := x+0.8*noise(x/3, y/3, s), y+0.8*noise(x/3, y/3, s+1)
			loop := math.Abs(math.Sin(x2*math.Pi/2.5) * math.Sin(y2*math.Pi/2.5))
			yarn := smoothstep(-0.1, 0.1, fractal(x/18, y/18, fp/18, 3, 0.6, s+2))
			shaded((0.55+0.7*k*(loop-0.3)+0.2*k*fractal(x/1.5, y/1.5, fp/1.5, 3, 0.7, s+6))*(1-0.45*k*yarn)+0.35, out)
		}}, nil
	case PrintedMat:
		print := printedMat(ground, seed)
		return &surface{roughness: 0.6, shine: 0.4, albedo: func(x, y, fp float64, out *[3]float64) {
			*out = print.ground(x, y, fp)
			print.shapes.paint(x, y, fp, out)
			*out = scaled(*out, 1+k*(0.5*weave(x, y, 0.6, fp, s)+0.03*fractal(x/8, y/8, fp/8, 5, 0.7, s)))
		}}, nil
	}
	return nil, fmt.Errorf("visiontest: %q is no kind of table", t.Kind)
}

// weave is the threads of a cloth of the given pitch; where the camera cannot
// resolve them they vanish.
func weave(x, y, pitch, fp float64, s uint32) float64 {
	seen := clamp(pitch/fp/2-0.8, 0, 1)
	if seen == 0 {
		return 0
	}
	k := 2 * math.Pi / pitch
	wander := 0.4 * noise(x, y, s)
	return 0.1 * seen * math.Sin(k*x+wander) * math.Sin(k*y-wander)
}

// lint scatters straight fibres: one in each cell of the given side on
// average less than one, up to the given length.
func lint(x, y, fp, cell, length, width, strength float64, c [3]float64, s uint32, out *[3]float64) {
	i, j := math.Floor(x/cell), math.Floor(y/cell)
	pick := func(n uint32) float64 { return 0.5 + 0.5*float64(lattice(int32(i), int32(j), s+100+n)) }
	if pick(0) > 0.5 {
		return
	}
	length = min(length, cell*0.9) * (0.2 + 0.8*pick(1))
	cx, cy := (i+0.5)*cell+(cell-length)*(pick(2)-0.5), (j+0.5)*cell+(cell-length)*(pick(3)-0.5)
	sin, cos := math.Sincos(math.Pi * pick(4))
	dx, dy := x-cx, y-cy
	along, across := dx*cos+dy*sin, dy*cos-dx*sin
	across += 0.08 * length * math.Cos(along/length*math.Pi) // a little curved
	if math.Abs(along) > length/2 {
		return
	}
	*out = mixed(*out, c, strength*thin(across, width, fp))
}

// printedMat is a playmat with a picture: the strong lines, boxes and frames
// that look like cards and are none.
func printedMat(ground [3]float64, seed uint64) *design {
	const w, h = 900.0, 700.0 // beyond every station's field of view
	r := stream(seed, streamTable, 1)
	p := palette(r, 7)
	s := uint32(r.Uint64())
	d := &design{w: w, h: h}
	size := between(r, 40, 120)
	d.ground = func(x, y, fp float64) [3]float64 {
		f := fractal(x/size, y/size, fp/size, 8, 0.5, s)
		return mixed(ground, p[0], smoothstep(-0.7, 0.7, f))
	}
	place := func() (x, y float64) { return between(r, -w/2, w/2), between(r, -h/2, h/2) }
	for range 25 {
		x, y := place()
		q := between(r, 10, 120)
		line := 0.0
		if r.Float64() < 0.6 {
			line = between(r, 0.4, 5)
		}
		d.shapes.add(x, y, r.Float64()*3, q, q*between(r, 0.3, 1), between(r, 0, q/2), line, p[r.IntN(len(p))], between(r, 0.4, 1))
	}
	for range 30 {
		x, y := place()
		d.shapes.add(x, y, r.Float64()*3.2, between(r, 80, 500), between(r, 0.4, 3), 0.2, 0, p[r.IntN(len(p))], between(r, 0.5, 1))
	}
	// The places for cards that mats print, of nearly a card's size.
	turn := between(r, -0.05, 0.05)
	for i := -4; i <= 4; i++ {
		for j := -2; j <= 2; j++ {
			if r.Float64() < 0.6 {
				x, y := float64(i)*95+between(r, -3, 3), float64(j)*125+between(r, -3, 3)
				d.shapes.add(x, y, turn, between(r, 60, 74), between(r, 86, 100), between(r, 0, 4), between(r, 0.4, 1.2), p[r.IntN(len(p))], between(r, 0.5, 1))
				if r.Float64() < 0.4 {
					d.shapes.text(r, x-20, y, turn, 40, between(r, 2, 6), p[r.IntN(len(p))], 0.8)
				}
			}
		}
	}
	d.shapes.bin(-w/2, -h/2, w/2, h/2)
	return d
}
