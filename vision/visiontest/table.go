package visiontest

import (
	"image"
	"math"
	"runtime"
	"sync"
)

// TableKind is what the cards lie on.
type TableKind string

// Tables. The zero value means Paper.
const (
	Paper      TableKind = "paper"   // white, nearly even
	Plain      TableKind = "plain"   // a laminate of any colour
	Playmat    TableKind = "playmat" // black rubber with a cloth face
	Felt       TableKind = "felt"    // fibres and fluff
	Wood       TableKind = "wood"    // planks with grain, light or dark by colour
	PrintedMat TableKind = "art"     // a playmat with a picture, lines and boxes
	Marble     TableKind = "marble"  // polished: lamps are mirrored
	Carpet     TableKind = "carpet"
)

// TableKinds lists all tables.
func TableKinds() []TableKind {
	return []TableKind{Paper, Plain, Playmat, Felt, Wood, PrintedMat, Marble, Carpet}
}

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
		t.Colour = map[TableKind]Colour{Paper: "#e9e7e2", Plain: Grey, Playmat: "#26272a", Felt: "#2c5a3c", Wood: "#b08a5c",
			PrintedMat: "#3a4a6a", Marble: "#dcdad6", Carpet: "#7a6a5e"}[t.Kind]
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

// paintTable renders the part r of the empty table as the camera sees it, on
// all processors.
func paintTable(s *surface, g *lighting, v *viewer, r image.Rectangle) *layer {
	l := newLayer(r)
	var wg sync.WaitGroup
	bands := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for y := range bands {
				paintBand(s, g, v, l, y, min(y+lightStep, r.Max.Y))
			}
		})
	}
	for y := r.Min.Y; y < r.Max.Y; y += lightStep {
		bands <- y
	}
	close(bands)
	wg.Wait()
	return l
}

// lightStep: the light changes slowly; a value every 16 px, joined linearly,
// is right to a thousandth.
const lightStep = 16

func paintBand(s *surface, g *lighting, v *viewer, l *layer, y0, y1 int) {
	n := l.Dx()/lightStep + 2
	lightRow := func(y int) [][3]float64 {
		es := make([][3]float64, n)
		for i := range es {
			d := v.ray(math.Min(float64(l.Min.X+i*lightStep), float64(l.Max.X)), float64(y))
			px, py := v.onPlane(d, 0)
			es[i], _, _, _ = g.irradiance(vec{px, py, 0})
		}
		return es
	}
	above, below := lightRow(y0), lightRow(y1)
	fp := 1 / v.scale
	for y := y0; y < y1; y++ {
		fy := float64(y-y0) / float64(y1-y0)
		row := l.row(y)
		for i := range l.Dx() {
			d := v.ray(float64(l.Min.X+i), float64(y))
			px, py := v.onPlane(d, 0)
			var a, shine [3]float64
			s.albedo(px, py, fp, &a)
			g.mirror(vec{px, py, 0}, d, 0, 0, s.roughness, s.shine, &shine)
			j, fx := i/lightStep, float64(i%lightStep)/lightStep
			for c := range 3 {
				e := (above[j][c]*(1-fx)+above[j+1][c]*fx)*(1-fy) + (below[j][c]*(1-fx)+below[j+1][c]*fx)*fy
				row[3*i+c] = float32(a[c]*e + shine[c])
			}
		}
	}
}
