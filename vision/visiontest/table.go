package visiontest

import (
	"fmt"
	"image"
	"math"
)

// TableKind is what the cards lie on.
type TableKind string

// Tables. The zero value means Paper.
const (
	Paper   TableKind = "paper"
	Playmat TableKind = "playmat"
	Wood    TableKind = "wood"
)

// Table is the surface under the cards. The zero value is white paper.
type Table struct {
	Kind TableKind
	// Colour is the ground; "" means the kind's usual one.
	Colour Colour
	// Strength scales the texture; 0 means 1, negative none.
	Strength float64
}

func (t Table) withDefaults() Table {
	if t.Kind == "" {
		t.Kind = Paper
	}
	if t.Colour == "" {
		t.Colour = map[TableKind]Colour{Paper: "#e9e7e2", Playmat: "#26272a", Wood: "#b08a5c"}[t.Kind]
	}
	t.Strength = defaulted(t.Strength, 1)
	return t
}

// surface is a table made ready: albedo in linear light at world (x, y) mm,
// for a footprint of the given size in mm.
type surface struct {
	albedo    func(x, y, footprint float64, out *[3]float64)
	roughness float64
	shine     float64
}

func newSurface(t Table, seed uint64) (*surface, error) {
	ground, err := t.Colour.linear()
	if err != nil {
		return nil, err
	}
	s := uint32(mix(seed))
	k := t.Strength
	shaded := func(f float64, out *[3]float64) {
		for c := range 3 {
			out[c] = ground[c] * f
		}
	}
	switch t.Kind {
	case Paper:
		return &surface{roughness: 0.6, shine: 0.5, albedo: func(x, y, fp float64, out *[3]float64) {
			shaded(1+k*(0.012*fractal(x/9, y/9, fp/9, 5, 0.7, s)), out)
		}}, nil
	case Playmat:
		return &surface{roughness: 0.6, shine: 0.5, albedo: func(x, y, fp float64, out *[3]float64) {
			weave := math.Sin(x*5.2+0.4*noise(x, y, s)) * math.Sin(y*5.2+0.4*noise(x, y, s+1)) * clamp(0.5/fp-0.6, 0, 1)
			shaded(1+k*(0.10*fractal(x/30, y/30, fp/30, 7, 0.75, s)+0.10*weave), out)
		}}, nil
	case Wood:
		return &surface{roughness: 0.15, shine: 0.6, albedo: func(x, y, fp float64, out *[3]float64) {
			// Years run along x, bent a little; pores are fine streaks.
			w := y + 14*fractal(x/260, y/60, fp/60, 3, 0.5, s)
			ring := 0.5 + 0.5*math.Sin(w*0.55+3*noise(x/400, w/14, s+3))
			streak := fractal(x/28, w/0.7, fp/0.7, 3, 0.7, s+5)
			shaded(1+k*(0.22*(ring*ring-0.4)+0.07*streak), out)
		}}, nil
	}
	return nil, fmt.Errorf("visiontest: %q is no kind of table", t.Kind)
}

// paintTable renders the empty table as the camera sees it.
func paintTable(s *surface, g *lighting, v *viewer, r image.Rectangle) *layer {
	l := newLayer(r)
	// The light changes slowly: a value every 16 px, joined linearly.
	const step = 16
	n := r.Dx()/step + 2
	type cell struct{ e [3]float64 }
	lightRow := func(y int) []cell {
		cs := make([]cell, n)
		for i := range cs {
			d := v.ray(math.Min(float64(r.Min.X+i*step), float64(r.Max.X)), float64(y))
			px, py := v.onPlane(d, 0)
			cs[i].e, _, _, _ = g.irradiance(vec{px, py, 0})
		}
		return cs
	}
	var above, below []cell
	fp := 1 / v.scale
	for y := r.Min.Y; y < r.Max.Y; y++ {
		k := (y - r.Min.Y) % step
		if k == 0 {
			above, below = lightRow(y), lightRow(min(y+step, r.Max.Y))
		}
		fy := float64(k) / step
		row := l.row(y)
		for i := range r.Dx() {
			d := v.ray(float64(r.Min.X+i), float64(y))
			px, py := v.onPlane(d, 0)
			var a, shine [3]float64
			s.albedo(px, py, fp, &a)
			g.mirror(vec{px, py, 0}, d, 0, 0, s.roughness, s.shine, &shine)
			j, fx := i/step, float64(i%step)/step
			for c := range 3 {
				e := (above[j].e[c]*(1-fx)+above[j+1].e[c]*fx)*(1-fy) + (below[j].e[c]*(1-fx)+below[j+1].e[c]*fx)*fy
				row[3*i+c] = float32(a[c]*e + shine[c])
			}
		}
	}
	return l
}
