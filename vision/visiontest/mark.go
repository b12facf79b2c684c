package visiontest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fairdeck/vision/plane"
)

// Kind is a kind of mark, in the words of the truth files.
type Kind string

// The kinds. The last four are properties of the whole sleeve and come from
// [Odd].
const (
	PenDot     Kind = "pen_dot"
	PenLine    Kind = "pen_line"
	Scratch    Kind = "scratch"
	Dent       Kind = "dent"
	Crease     Kind = "crease"
	Stain      Kind = "stain"
	CornerWear Kind = "worn_corner"
	EdgeWear   Kind = "edge_wear"
	Nick       Kind = "nick"
	// SurfacePrint is lettering on the film, as on some outer sleeves.
	SurfacePrint Kind = "surface_print"
	PrintOffset  Kind = "print_offset"
	OtherSize    Kind = "other_size"
	OtherDesign  Kind = "other_design"
	OverallWear  Kind = "overall_wear"
)

// Canonical maps the words that texts and files use for one kind to one word:
// corner_wear is worn_corner.
func (k Kind) Canonical() Kind {
	if k == "corner_wear" {
		return CornerWear
	}
	return k
}

// Mark is one difference, put on one card or shared by several.
type Mark struct {
	Kind  Kind
	Cards []int
	// WhereMM is the centre, from the sleeve's top-left corner in its own
	// frame (x right, y down).
	WhereMM plane.Point
	// SizeMM is the diameter, or the length of a line; 0 means the kind's
	// usual size (see MarkSizeMM).
	SizeMM float64
	// WidthMM of a line; 0 means the kind's usual width.
	WidthMM float64
	// AngleDeg is a line's direction, clockwise from the sleeve's x axis.
	AngleDeg float64
	// Corner (TL, TR, BR, BL) places a worn corner or a nick; "" places them
	// at the corner or edge nearest to WhereMM.
	Corner string
	// DeltaE is the greatest CIEDE2000 difference wanted in a noise-free
	// close-up (10 px/mm). 0 means full strength for the kind; a mark that
	// cannot reach it (light ink on white) is as strong as it can be.
	DeltaE float64
	// Ink is the colour of pens and stains; "" means the one that stands out.
	Ink Colour

	// strength solves DeltaE: cover of ink or slope of relief.
	strength float64
	seed     uint64
	spec     int // its number in Deck.Marks
	ink      [3]float64
}

// kindTraits are the usual size and width of a kind and the strength it
// cannot exceed.
func (k Kind) traits() (sizeMM, widthMM, strongest float64, ok bool) {
	switch k {
	case PenDot:
		return 1, 0, 0.95, true
	case PenLine:
		return 6, 0.5, 0.95, true
	case Scratch:
		return 12, 0.2, 0.85, true
	case Dent:
		return 4, 0, 0.5, true
	case Crease:
		return 20, 0.5, 0.7, true
	case Stain:
		return 8, 0, 0.8, true
	case CornerWear:
		return 4, 0, 0.95, true
	case EdgeWear:
		return 15, 0.8, 0.95, true
	case Nick:
		return 2, 0, 1, true
	case SurfacePrint:
		return 14, 2.2, 0.8, true // width is the height of the letters
	}
	return 0, 0, 0, false
}

// MarkSizeMM is the size that a kind has when none is given.
func MarkSizeMM(k Kind) float64 {
	s, _, _, _ := k.traits()
	return s
}

// ready fills in the defaults and snaps the place to where the kind can be.
func (m Mark) ready(s *shape, ground [3]float64, seed uint64) (*Mark, error) {
	m.Kind = m.Kind.Canonical()
	size, width, strongest, ok := m.Kind.traits()
	if !ok {
		return nil, fmt.Errorf("visiontest: %q is no kind of mark on a place of a sleeve (see Odd for whole sleeves)", m.Kind)
	}
	if m.SizeMM == 0 {
		m.SizeMM = size
	}
	if m.WidthMM == 0 {
		m.WidthMM = width
	}
	if m.SizeMM < 0.05 || m.SizeMM > 100 {
		return nil, fmt.Errorf("visiontest: a %s of %g mm (0.05 to 100)", m.Kind, m.SizeMM)
	}
	m.strength, m.seed = strongest, seed
	corners := map[string]plane.Point{"TL": {}, "TR": {X: s.width}, "BR": {X: s.width, Y: s.height}, "BL": {Y: s.height}}
	switch m.Kind {
	case CornerWear:
		if m.Corner == "" {
			best := math.Inf(1)
			for _, name := range []string{"TL", "TR", "BR", "BL"} {
				if d := corners[name].Sub(m.WhereMM).Norm(); d < best {
					best, m.Corner = d, name
				}
			}
		}
	case EdgeWear, Nick:
		if m.Corner == "" {
			m.WhereMM = nearestEdge(m.WhereMM, s)
		}
	}
	if m.Corner != "" {
		p, ok := corners[m.Corner]
		if !ok {
			return nil, fmt.Errorf("visiontest: corner %q is none of TL, TR, BR, BL", m.Corner)
		}
		m.WhereMM = p
	}
	ink := m.Ink
	if ink == "" {
		// The pen of whoever marks a sleeve: dark on light, bright on dark.
		light := 0.2126*ground[0] + 0.7152*ground[1] + 0.0722*ground[2]
		switch {
		case m.Kind == Stain && light > 0.02:
			ink = "#2b2117"
		case m.Kind == CornerWear || m.Kind == EdgeWear || m.Kind == Scratch || m.Kind == Crease:
			ink = "#dcdad5"
			if light > 0.5 {
				ink = "#8d867a" // dirt: white film does not whiten
			}
		case light > 0.06:
			ink = "#131318"
		default:
			ink = "#b9bac0"
		}
	}
	var err error
	m.ink, err = ink.linear()
	return &m, err
}

func nearestEdge(p plane.Point, s *shape) plane.Point {
	p = plane.Point{X: clamp(p.X, 0, s.width), Y: clamp(p.Y, 0, s.height)}
	d := [4]float64{p.Y, s.width - p.X, s.height - p.Y, p.X}
	best := 0
	for i := range d {
		if d[i] < d[best] {
			best = i
		}
	}
	switch best {
	case 0:
		p.Y = 0
	case 1:
		p.X = s.width
	case 2:
		p.Y = s.height
	default:
		p.X = 0
	}
	return p
}

// ends are the end points of a line mark.
func (m *Mark) ends() (a, b plane.Point) {
	s, c := math.Sincos(m.AngleDeg * math.Pi / 180)
	h := plane.Point{X: c, Y: s}.Mul(m.SizeMM / 2)
	return m.WhereMM.Sub(h), m.WhereMM.Add(h)
}

// paint lays the mark on a sleeve.
func (m *Mark) paint(o *overlay, s *shape) {
	r := rand.New(rand.NewPCG(m.seed, streamMark))
	seed := uint32(r.Uint64())
	radius := m.SizeMM / 2
	switch m.Kind {
	case PenDot:
		from, to := boxAround(radius+0.3, m.WhereMM)
		o.each(from, to, func(u, v float64, t *texel) {
			q := plane.Point{X: u, Y: v}.Sub(m.WhereMM)
			// A pen tip leaves a slightly ragged disc.
			edge := radius * (1 + 0.1*noise(2*q.X/radius, 2*q.Y/radius, seed))
			t.ink(m.strength*o.inside(q.Norm()-edge), m.ink)
		})
	case Stain:
		from, to := boxAround(radius*1.5, m.WhereMM)
		o.each(from, to, func(u, v float64, t *texel) {
			q := plane.Point{X: u, Y: v}.Sub(m.WhereMM)
			edge := radius * (1 + 0.3*fractal(1.5*q.X/radius, 1.5*q.Y/radius, 0, 3, 0.5, seed))
			d := edge - q.Norm()
			// Liquids dry with a darker rim.
			body := smoothstep(0, 0.5, d) * (0.85 + 0.15*math.Exp(-sq(d-0.5)/0.3))
			body *= 1 + 0.12*noise(u/1.5, v/1.5, seed+9)
			t.ink(min(0.97, m.strength*body), m.ink)
		})
	case PenLine:
		m.stroke(o, func(d, where, _, u, v float64, t *texel) {
			t.ink(m.strength*o.inside(d-m.WidthMM/2)*(0.93+0.07*noise(u/0.3, v/0.3, seed)), m.ink)
		})
	case Scratch:
		m.stroke(o, func(d, where, side, u, v float64, t *texel) {
			w := m.WidthMM / 2 * (0.5 + math.Sin(math.Pi*clamp(where, 0.02, 0.98)))
			broken := clamp(0.8+0.6*noise(where*m.SizeMM/0.9, 0, seed), 0, 1)
			c := o.inside(d-w) * broken
			t.ink(m.strength*c, m.ink)
			a, b := m.ends()
			n := b.Sub(a).Mul(1 / max(1e-9, b.Sub(a).Norm()))
			t.su += float32(-0.25 * m.strength * c * side * n.Y)
			t.sv += float32(0.25 * m.strength * c * side * n.X)
		})
	case Crease:
		m.stroke(o, func(d, where, side, u, v float64, t *texel) {
			a, b := m.ends()
			n := b.Sub(a).Mul(1 / max(1e-9, b.Sub(a).Norm()))
			fade := smoothstep(0, 0.08, where) * smoothstep(0, 0.08, 1-where)
			k := m.strength * fade * math.Exp(-sq(d/m.WidthMM)) * side
			t.su += float32(-k * n.Y)
			t.sv += float32(k * n.X)
			broken := smoothstep(-0.3, 0.4, noise(u/0.25, v/0.25, seed))
			t.ink(0.9*m.strength*fade*broken*o.inside(d-0.15*m.WidthMM), m.ink)
		})
	case Dent:
		from, to := boxAround(radius*1.6, m.WhereMM)
		sigma := radius / 1.6
		o.each(from, to, func(u, v float64, t *texel) {
			q := plane.Point{X: u, Y: v}.Sub(m.WhereMM).Mul(1 / sigma)
			// The slope of a Gaussian pit whose steepest place has m.strength.
			k := m.strength * math.Exp(0.5-q.Dot(q)/2)
			t.su += float32(k * q.X)
			t.sv += float32(k * q.Y)
		})
	case CornerWear:
		from, to := boxAround(m.SizeMM, m.WhereMM)
		o.each(from, to, func(u, v float64, t *texel) {
			far := plane.Point{X: u, Y: v}.Sub(m.WhereMM).Norm()
			m.wear(o, s, u, v, 1-far/m.SizeMM, seed, t)
		})
	case EdgeWear:
		a, b := m.WhereMM, m.WhereMM
		along := plane.Point{Y: radius}
		if m.WhereMM.Y == 0 || m.WhereMM.Y == s.height {
			along = plane.Point{X: radius}
		}
		a, b = a.Sub(along), b.Add(along)
		from, to := boxAround(2*m.WidthMM, a, b)
		o.each(from, to, func(u, v float64, t *texel) {
			q := plane.Point{X: u, Y: v}.Sub(m.WhereMM)
			far := math.Abs(q.Dot(along)) / (radius * radius)
			m.wear(o, s, u, v, 1-far, seed, t)
		})
	case SurfacePrint:
		a, b := m.ends()
		var text blots
		text.text(r, a.X, a.Y, m.AngleDeg*math.Pi/180, m.SizeMM, m.WidthMM, m.ink, 1)
		from, to := boxAround(m.WidthMM, a, b)
		text.bin(from.X, from.Y, to.X, to.Y)
		o.each(from, to, func(u, v float64, t *texel) {
			// From a ground of -1, what comes out says how much is inked.
			c := [3]float64{-1, -1, -1}
			text.paint(u, v, 1/o.pxPerMM, &c)
			if d := m.ink[1] + 1; c[1] > -1 {
				t.ink(m.strength*(c[1]+1)/d, m.ink)
			}
		})
	case Nick:
		o.nicks = append(o.nicks, m.nick(s))
	}
}

// stroke calls paint around a hand-drawn line: nearly straight.
func (m *Mark) stroke(o *overlay, paint func(d, where, side, u, v float64, t *texel)) {
	a, b := m.ends()
	from, to := boxAround(2*m.WidthMM+0.3, a, b)
	n := b.Sub(a).Mul(1 / max(1e-9, b.Sub(a).Norm()))
	o.each(from, to, func(u, v float64, t *texel) {
		p := plane.Point{X: u, Y: v}
		_, where, _ := along(p, a, b)
		wave := 0.02 * m.SizeMM * noise(3*where, 0.5, uint32(m.seed)) * where * (1 - where) * 4
		d, where, side := along(p.Add(plane.Point{X: -n.Y, Y: n.X}.Mul(wave)), a, b)
		if d < 2*m.WidthMM+0.3 {
			paint(d, where, side, u, v, t)
		}
	})
}

// wear whitens the rim: near is 1 at the mark's middle and 0 at its end.
func (m *Mark) wear(o *overlay, s *shape, u, v, near float64, seed uint32, t *texel) {
	if near <= 0 {
		return
	}
	d := -s.distance(u, v) // depth inside the outline
	depth := max(0.3, m.WidthMM)
	if m.Kind == CornerWear {
		depth = 0.35 * m.SizeMM
	}
	rough := fractal(u/0.8, v/0.8, 0, 2, 0.5, seed)
	a := smoothstep(-0.15, 0.35, 0.9*math.Exp(-max(0, d)/(0.45*depth))*math.Sqrt(near)+0.35*rough-0.3)
	t.ink(m.strength*a, m.ink)
	t.su += float32(0.15 * m.strength * a * rough)
}

// nick is material that is gone: a corner cut off or a bite out of an edge.
type nick struct {
	at, towards plane.Point // towards the inside, unit
	depth       float64
	cut         bool
}

func (n *nick) distance(u, v float64) float64 {
	q := plane.Point{X: u, Y: v}.Sub(n.at)
	if n.cut {
		return n.depth - q.Dot(n.towards)
	}
	return n.depth - q.Norm()
}

func (m *Mark) nick(s *shape) nick {
	if m.Corner == "" {
		return nick{at: m.WhereMM, depth: m.SizeMM / 2}
	}
	// SizeMM along both sides.
	in := plane.Point{X: 1, Y: 1}.Mul(math.Sqrt2 / 2)
	if m.WhereMM.X > 0 {
		in.X = -in.X
	}
	if m.WhereMM.Y > 0 {
		in.Y = -in.Y
	}
	// Of a very round corner a small nick would take nothing.
	depth := max(m.SizeMM*math.Sqrt2/2, s.radius*(math.Sqrt2-1)+0.35*m.SizeMM)
	return nick{at: m.WhereMM, towards: in, depth: depth, cut: true}
}

// reach is how far from WhereMM the mark changes anything.
func (m *Mark) reach() float64 {
	switch m.Kind {
	case PenLine, Scratch, Crease, EdgeWear, SurfacePrint:
		return m.SizeMM/2 + 2*m.WidthMM + 0.5
	case CornerWear, Nick:
		return m.SizeMM + 0.5
	}
	return m.SizeMM*0.85 + 0.4
}
