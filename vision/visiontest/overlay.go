package visiontest

import (
	"math"

	"fairdeck/vision/plane"
)

// overlay is what lies on one sleeve beyond its design: marks and the traces
// of use. Tiles exist only where something is.
type overlay struct {
	pxPerMM    float64
	left, top  float64
	cols, rows int // tiles
	tiles      []*tile
	nicks      []nick
}

const tileSide = 32

type tile [tileSide * tileSide]texel

// texel changes the surface: albedo becomes albedo*(1-cover) + add, the slope
// grows by (su, sv), the mirror strength by shine.
type texel struct {
	cover   float32
	add     [3]float32
	su, sv  float32
	shine   float32
	dimming float32 // light taken from everything: 0 none, 1 all
}

// overlayMargin lets dust and worn edges reach over the outline.
const overlayMargin = 2.0

func newOverlay(s *shape, pxPerMM float64) *overlay {
	o := &overlay{pxPerMM: pxPerMM, left: -overlayMargin, top: -overlayMargin}
	o.cols = int((s.width+2*overlayMargin)*pxPerMM)/tileSide + 1
	o.rows = int((s.height+2*overlayMargin)*pxPerMM)/tileSide + 1
	o.tiles = make([]*tile, o.cols*o.rows)
	return o
}

func (o *overlay) at(u, v float64) *texel {
	x, y := int((u-o.left)*o.pxPerMM), int((v-o.top)*o.pxPerMM)
	if x < 0 || y < 0 || x >= o.cols*tileSide || y >= o.rows*tileSide {
		return nil
	}
	t := o.tiles[y/tileSide*o.cols+x/tileSide]
	if t == nil {
		return nil
	}
	return &t[y%tileSide*tileSide+x%tileSide]
}

// clear reports whether there is nothing within two texels of (u, v).
func (o *overlay) clear(u, v float64) bool {
	x, y := int((u-o.left)*o.pxPerMM), int((v-o.top)*o.pxPerMM)
	if x < 0 || y < 0 || x >= o.cols*tileSide || y >= o.rows*tileSide {
		return true
	}
	const margin = 2
	if i, j := x%tileSide, y%tileSide; i < margin || j < margin || i >= tileSide-margin || j >= tileSide-margin {
		return false // the neighbours would have to be asked too
	}
	return o.tiles[y/tileSide*o.cols+x/tileSide] == nil
}

// each calls paint for every texel whose centre lies in the box.
func (o *overlay) each(from, to plane.Point, paint func(u, v float64, t *texel)) {
	x0 := max(0, int(math.Floor((from.X-o.left)*o.pxPerMM)))
	y0 := max(0, int(math.Floor((from.Y-o.top)*o.pxPerMM)))
	x1 := min(o.cols*tileSide-1, int(math.Ceil((to.X-o.left)*o.pxPerMM)))
	y1 := min(o.rows*tileSide-1, int(math.Ceil((to.Y-o.top)*o.pxPerMM)))
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			k := y/tileSide*o.cols + x/tileSide
			if o.tiles[k] == nil {
				o.tiles[k] = new(tile)
			}
			paint(o.left+(float64(x)+0.5)/o.pxPerMM, o.top+(float64(y)+0.5)/o.pxPerMM,
				&o.tiles[k][y%tileSide*tileSide+x%tileSide])
		}
	}
}

// ink covers the surface with colour c to the part a.
func (t *texel) ink(a float64, c [3]float64) {
	if a <= 0 {
		return
	}
	t.cover = 1 - (1-t.cover)*float32(1-a)
	for i := range 3 {
		t.add[i] = t.add[i]*float32(1-a) + float32(a*c[i])
	}
}

// inside is the part of a texel inside an edge at signed distance d mm.
func (o *overlay) inside(d float64) float64 { return clamp(0.5-d*o.pxPerMM, 0, 1) }

// along returns the distance of p from the segment ab and where on it (0 to
// 1) the nearest point lies, with the side (-1 or 1).
func along(p, a, b plane.Point) (dist, where, side float64) {
	d := b.Sub(a)
	l2 := d.Dot(d)
	if l2 > 0 {
		where = clamp(p.Sub(a).Dot(d)/l2, 0, 1)
	}
	q := p.Sub(a.Add(d.Mul(where)))
	side = 1
	if d.Cross(q) < 0 {
		side = -1
	}
	return q.Norm(), where, side
}

func boxAround(margin float64, ps ...plane.Point) (from, to plane.Point) {
	from, to = ps[0], ps[0]
	for _, p := range ps[1:] {
		from = plane.Point{X: min(from.X, p.X), Y: min(from.Y, p.Y)}
		to = plane.Point{X: max(to.X, p.X), Y: max(to.Y, p.Y)}
	}
	m := plane.Point{X: margin, Y: margin}
	return from.Sub(m), to.Add(m)
}
