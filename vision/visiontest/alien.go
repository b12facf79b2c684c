package visiontest

import (
	"fmt"
	"image"
	"math"

	"fairdeck/vision/plane"
)

// AlienKind is a thing on the table that is not a card.
type AlienKind string

// The things that lie about at a tournament.
const (
	Die        AlienKind = "die"
	Pen        AlienKind = "pen"
	Phone      AlienKind = "phone"
	EmptyFrame AlienKind = "empty_frame" // a rectangle of a card's size with nothing in it
	Coin       AlienKind = "coin"
)

// AlienKinds lists all of them.
func AlienKinds() []AlienKind { return []AlienKind{Die, Pen, Phone, EmptyFrame, Coin} }

// Alien puts a thing on the table. Cards lie over it.
type Alien struct {
	Kind AlienKind
	// Frames are the pictures that show it; nil means all.
	Frames []int
	AtMM   plane.Point // its middle, world
	// AngleDeg is counter-clockwise.
	AngleDeg float64
	Colour   Colour // "" means the kind's usual one
}

// thing is an Alien made ready: a prism of which shapes[0] is the outline.
type thing struct {
	spec   Alien
	height float64
	shapes []blot
	side   [3]float64
	shine  float64
}

func newThing(a Alien) (*thing, error) {
	if a.Colour == "" {
		a.Colour = map[AlienKind]Colour{Die: Red, Pen: Blue, Phone: "#0c0c0e", EmptyFrame: Oak, Coin: "#a89a72"}[a.Kind]
	}
	t := &thing{spec: a, shine: 0.6}
	c, err := a.Colour.linear()
	if err != nil {
		return nil, err
	}
	put := func(x, y, w, h, radius, line float64, c [3]float64) {
		t.shapes = append(t.shapes, newBlot(x, y, 0, w, h, radius, line, c, 1))
	}
	white, dark := [3]float64{0.75, 0.75, 0.73}, scaled(c, 0.4)
	switch a.Kind {
	case Die:
		t.height = 16
		put(0, 0, 16, 16, 2.5, 0, c)
		for _, x := range []float64{-4.5, 4.5} {
			for _, y := range []float64{-4.5, 0, 4.5} {
				put(x, y, 3, 3, 1.5, 0, white)
			}
		}
	case Pen:
		t.height = 8
		put(0, 0, 140, 9, 4, 0, c)
		put(-10, 2.2, 110, 1.2, 0.6, 0, mixed(c, white, 0.6)) // the light along its back
		put(52, 0, 26, 5, 2, 0, dark)
		put(-45, -1, 40, 2, 1, 0, [3]float64{0.5, 0.5, 0.52})
	case Phone:
		t.height, t.shine = 8, 1
		put(0, 0, 75, 150, 9, 0, c)
		put(0, 0, 69, 142, 5, 0, mixed(c, [3]float64{0.02, 0.03, 0.06}, 0.7))
		put(0, -66, 12, 2, 1, 0, [3]float64{0.001, 0.001, 0.001})
	case EmptyFrame:
		t.height = 1
		put(0, 0, 66, 92, 2, 4, c)
	case Coin:
		t.height, t.shine = 2, 2
		put(0, 0, 24, 24, 12, 0, c)
		put(0, 0, 20, 20, 10, 0.6, dark)
		put(0, 1, 8, 10, 3, 0, mixed(c, white, 0.3))
	default:
		return nil, fmt.Errorf("visiontest: %q is no kind of thing", a.Kind)
	}
	t.side = scaled(c, 0.5)
	return t, nil
}

// local turns a world point into the thing's own frame.
func (t *thing) local(x, y float64) (float64, float64) {
	s, c := math.Sincos(t.spec.AngleDeg * math.Pi / 180)
	x, y = x-t.spec.AtMM.X, y-t.spec.AtMM.Y
	return x*c + y*s, y*c - x*s
}

// corners are those of the outline's box on the table.
func (t *thing) corners() [4]vec {
	s, c := math.Sincos(t.spec.AngleDeg * math.Pi / 180)
	o := &t.shapes[0]
	var out [4]vec
	for i, k := range [4][2]float64{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}} {
		x, y := k[0]*(o.halfW+o.line/2), k[1]*(o.halfH+o.line/2)
		out[i] = vec{t.spec.AtMM.X + x*c - y*s, t.spec.AtMM.Y + x*s + y*c, 0}
	}
	return out
}

// draw composes the thing and its shadow onto the layer.
func (t *thing) draw(l *layer, v *viewer, g *lighting) {
	r := image.Rectangle{}
	for _, c := range t.corners() {
		out := c.sub(vec{t.spec.AtMM.X, t.spec.AtMM.Y, 0})
		for _, z := range []float64{0, t.height} {
			// Shadows reach about as far as the thing is high.
			p := v.project(vec{t.spec.AtMM.X, t.spec.AtMM.Y, z}.add(out.mul(1 + (2+1.5*t.height)/math.Sqrt(out.dot(out)))))
			q := image.Rect(int(p.X), int(p.Y), int(p.X)+1, int(p.Y)+1)
			r = r.Union(q.Inset(-1))
		}
	}
	r = r.Intersect(l.Rectangle)
	fp := 1 / v.scale
	outline := &t.shapes[0]
	e, fromX, fromY, share := g.irradiance(vec{t.spec.AtMM.X, t.spec.AtMM.Y, 0})
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := l.row(y)
		for x := r.Min.X; x < r.Max.X; x++ {
			px := row[3*(x-l.Min.X):][:3:3]
			d := v.ray(float64(x), float64(y))
			wx, wy := v.onPlane(d, 0)
			dark := 0.0
			for _, part := range [...]float64{0.15, 0.5, 1} {
				h := t.height * part
				sx, sy := t.local(wx+fromX*h, wy+fromY*h)
				dark = max(dark, outline.cover(sx, sy, 0.3+0.35*h))
			}
			ox, oy := t.local(wx, wy)
			dark = 1 - (1-share*dark)*(1-0.4*(1-share)*outline.cover(ox, oy, 1+t.height))
			for c := range px {
				px[c] *= float32(1 - dark)
			}
			wall := 0.0
			for _, part := range [...]float64{0, 0.2, 0.4, 0.6, 0.8} {
				sx, sy := v.onPlane(d, t.height*part)
				sx, sy = t.local(sx, sy)
				wall = max(wall, outline.cover(sx, sy, fp))
			}
			topX, topY := v.onPlane(d, t.height)
			sx, sy := t.local(topX, topY)
			top := outline.cover(sx, sy, fp)
			if wall == 0 && top == 0 {
				continue
			}
			colour := outline.colour
			for i := 1; i < len(t.shapes); i++ {
				colour = mixed(colour, t.shapes[i].colour, t.shapes[i].cover(sx, sy, fp))
			}
			var shine [3]float64
			g.mirror(vec{topX, topY, t.height}, d, 0, 0, 0.08, t.shine, &shine)
			wall = max(0, wall-top) / max(1e-9, 1-top)
			for c := range px {
				bare := float64(px[c])*(1-wall) + wall*t.side[c]*e[c]
				px[c] = float32(bare*(1-top) + top*(colour[c]*e[c]+shine[c]))
			}
		}
	}
}

// truth names the thing and where it stands.
func (t *thing) truth(v *viewer) TruthAlien {
	out := TruthAlien{Kind: string(t.spec.Kind)}
	for _, c := range t.corners() {
		p := v.project(c)
		out.Corners = append(out.Corners, Pair{round(p.X, 2), round(p.Y, 2)})
	}
	return out
}
